//===- RewrittenOperatorsTest.cpp - Operators without a row ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEnumeration.h"
#include "RewritingSupport.h"
#include <random>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {

//===----------------------------------------------------------------------===//
// Causal masks
//===----------------------------------------------------------------------===//

/// A mask is one more function of the scores, and goes nowhere else.
TEST(RewrittenOperatorsTest, AMaskAddsFewStructures) {
  FoundKernels masked = enumerateKernels(causalAttention(2, 8, 64, 16, false),
                                         AtomReading::WrittenOut);
  FoundKernels plain =
      enumerateKernels(attention(2, 8, 64, 16, 0.25), AtomReading::WrittenOut);
  EXPECT_GE(masked.structures.size(), 35u);
  EXPECT_EQ(masked.structures.size(), plain.structures.size());
  EXPECT_LE(masked.states, 400u);
  EXPECT_LE(plain.states, 350u);
}

TEST(RewrittenOperatorsTest, CausalAttention) {
  // Two heads of 300 keys leave most SMs idle: keys that blocks share out, and
  // one more kernel, are predicted to take less than one kernel.
  SearchOptions options;
  options.numCandidates = 192;
  for (bool isSafe : {false, true}) {
    expectFused(causalAttention(2, 40, 40, 16, isSafe));
    expectFused(causalAttention(2, 20, 300, 32, isSafe), options);
    expectFused(causalAttention(3, 1, 100, 16, isSafe));
  }
}

/// The mask is of keys that a loop walks and of rows that blocks share out, in
/// tiles that do not divide them.
TEST(RewrittenOperatorsTest, MasksFollowTheTiles) {
  SearchOptions options;
  options.numCandidates = 200;
  SearchResult result =
      expectFused(causalAttention(1, 70, 150, 16, true), options);
  unsigned numLooped = 0;
  for (const Candidate &candidate : result.candidates)
    for (const Node &kernel : candidate.graph.getNodes()) {
      if (!kernel.body)
        continue;
      for (const Node &operation : kernel.body->getNodes())
        numLooped +=
            operation.opcode == Opcode::CausalMask &&
            llvm::is_contained(operation.attributes.columnAxes, Axis::Loop) &&
            !operation.attributes.axes.empty();
    }
  EXPECT_GT(numLooped, 0u);
}

/// Two different masks of one tensor, one of them the other way round: a
/// window.
TEST(RewrittenOperatorsTest, AWindowIsTwoMasks) {
  ProgramBuilder b;
  ValueId x = b.input({40, 40}), w = b.input({40, 24});
  Attributes below, above;
  below.offset = 2;
  above.offset = 3;
  ValueId seen = b.apply(Opcode::CausalMask, {x}, below);
  seen = b.transpose(
      b.apply(Opcode::CausalMask, {b.transpose(seen, {1, 0})}, above), {1, 0});
  Graph graph = b.finish({b.matmul(b.apply(Opcode::Exp, {seen}), w)});
  EXPECT_EQ(countInputs(expectRewritten(graph)), 2u);
  expectFused(graph);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

bool hasConstants(const Graph &graph) {
  return llvm::any_of(graph.getNodes(), [](const Node &operation) {
    return operation.opcode == Opcode::Constant;
  });
}

/// x op c and c op x, for every op with a form for a number.
TEST(RewrittenOperatorsTest, NumbersAreParameters) {
  for (Opcode opcode : {Opcode::Add, Opcode::Sub, Opcode::Mul, Opcode::Div})
    for (bool isFirst : {false, true}) {
      ProgramBuilder b;
      ValueId x = b.input({6, 10});
      ValueId number = constant(b, 2.5, {6, 1});
      ValueId y = b.apply(opcode, isFirst ? llvm::ArrayRef({number, x})
                                          : llvm::ArrayRef({x, number}));
      RewrittenProgram program =
          expectRewritten(b.finish({b.apply(Opcode::Exp, {y})}));
      EXPECT_EQ(countInputs(program), 1u);
      EXPECT_FALSE(hasConstants(program.body));
    }
}

TEST(RewrittenOperatorsTest, AMaximumWithZeroIsRelu) {
  ProgramBuilder b;
  ValueId x = b.input({8, 64}), w = b.input({64, 48});
  ValueId zero = constant(b, 0, {8, 48});
  Graph graph = b.finish({b.apply(Opcode::Maximum, {zero, b.matmul(x, w)})});
  EXPECT_EQ(countInputs(expectRewritten(graph)), 2u);
  expectFused(graph);
}

/// A number that no operator takes as a parameter is inside the kernel all the
/// same.
TEST(RewrittenOperatorsTest, OtherNumbersAreInTheKernel) {
  for (Opcode opcode : {Opcode::Maximum, Opcode::Minimum}) {
    ProgramBuilder b;
    ValueId x = b.input({8, 64}), w = b.input({64, 48});
    ValueId half = constant(b, 0.5, {1, 1});
    Graph graph = b.finish({b.apply(opcode, {b.matmul(x, w), half})});
    EXPECT_EQ(countInputs(expectRewritten(graph)), 3u);
    SearchResult result = expectFused(graph);
    const Graph &best = result.getBest();
    EXPECT_EQ(best.getNodes().size(), 1u);
    EXPECT_TRUE(hasConstants(*best.getNodes()[0].body));
  }
}

/// Padding is a concat with constants, of which nothing is computed.
TEST(RewrittenOperatorsTest, PaddingIsNotComputed) {
  ProgramBuilder b;
  ValueId x = b.input({8, 64}), w = b.input({64, 48});
  ValueId padded = concat(b, {b.matmul(x, w), constant(b, 3, {8, 16})}, 1);
  Graph graph = b.finish({b.apply(Opcode::Square, {padded})});
  RewrittenProgram program = expectRewritten(graph);
  EXPECT_EQ(program.body.getOutputs().size(), 1u);
  expectFused(graph);
}

//===----------------------------------------------------------------------===//
// Means and variances
//===----------------------------------------------------------------------===//

TEST(RewrittenOperatorsTest, AVarianceIsOneFunction) {
  for (bool isSpelled : {false, true}) {
    Graph graph = layerNormLinear(8, 64, 48, isSpelled);
    FoundKernels found = enumerateKernels(graph, AtomReading::Function);
    EXPECT_GE(found.structures.size(), 40u);
    EXPECT_LE(found.states, 4000u);
    auto isVariance = [](const StructureOperator &op) {
      return op.opcode == Opcode::Variance;
    };
    EXPECT_TRUE(
        llvm::any_of(found.structures, [&](const KernelStructure &structure) {
          return llvm::any_of(structure.operators, isVariance);
        }));
  }
}

TEST(RewrittenOperatorsTest, LayerNormLinear) {
  expectFused(layerNormLinear(8, 100, 48, false));
  expectFused(layerNormLinear(7, 64, 40, true));
}

//===----------------------------------------------------------------------===//
// Random programs
//===----------------------------------------------------------------------===//

/// Appends operations to a value of rank 2, most of them movements.
class RandomProgram {
public:
  explicit RandomProgram(unsigned seed) : engine(seed) {}

  Graph build() {
    ValueId x = b.input({12, 8}), y = b.input({12, 8});
    ValueId value = b.apply(Opcode::Exp, {x});
    for (unsigned i = 0; i < 6; ++i)
      value = extend(value, y);
    return b.finish({value});
  }

private:
  unsigned draw(unsigned count) { return engine() % count; }
  Shape getShape(ValueId value) { return b.graph.getType(value).shape; }

  ValueId extend(ValueId value, ValueId other) {
    Shape shape = getShape(value);
    unsigned dim = draw(2);
    switch (draw(8)) {
    case 0: // another order of the factors of one dimension
      if (shape[dim] % 2 == 0)
        return swapFactors(value, dim);
      [[fallthrough]];
    case 1:
      return b.transpose(value, {1, 0});
    case 2:
      if (shape[dim] % 4 == 0)
        return slice(b, value, dim, draw(2) * shape[dim] / 2, shape[dim] / 2);
      [[fallthrough]];
    case 3:
      if (shape[dim] <= 12)
        return concat(b, {b.apply(Opcode::Neg, {value}), value}, dim);
      [[fallthrough]];
    case 4:
      return b.apply(Opcode::Div, {value, b.reduce(Opcode::Rms, value, dim)});
    case 5:
      return b.matmul(value, b.transpose(value, {1, 0}));
    case 6: {
      Attributes mask;
      mask.offset = draw(5);
      return b.apply(Opcode::Exp, {b.apply(Opcode::CausalMask, {value}, mask)});
    }
    default:
      if (shape == getShape(other))
        return b.apply(Opcode::Mul, {value, other});
      return b.apply(Opcode::Add, {value, constant(b, 0.5, shape)});
    }
  }

  ValueId swapFactors(ValueId value, unsigned dim) {
    Shape whole = getShape(value), split = whole;
    split[dim] /= 2;
    split.insert(split.begin() + dim, 2);
    ValueId parts = b.apply(Opcode::Reshape, {value}, {}, split);
    llvm::SmallVector<int64_t> order = {0, 1, 2};
    std::swap(order[dim], order[dim + 1]);
    return b.apply(Opcode::Reshape, {b.transpose(parts, order)}, {}, whole);
  }

  ProgramBuilder b;
  std::mt19937 engine;
};

/// Whatever can be rewritten means what it did.
TEST(RewrittenOperatorsTest, RandomProgramsKeepTheirMeaning) {
  unsigned numRewritten = 0, numChanged = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    Graph graph = RandomProgram(seed).build();
    llvm::Expected<RewrittenProgram> program = rewriteForSearch(graph);
    if (!program) {
      llvm::consumeError(program.takeError());
      continue;
    }
    ++numRewritten;
    numChanged += toString(program->body) != toString(graph);
    Graph whole = program->withBody(program->body);
    llvm::Error error = verify(whole);
    ASSERT_FALSE(error) << "seed " << seed << ": "
                        << llvm::toString(std::move(error));
    SCOPED_TRACE("seed " + std::to_string(seed));
    expectSameNumbers(graph, whole);
    if (HasFatalFailure())
      return;
  }
  EXPECT_GE(numRewritten, 150u);
  EXPECT_GE(numChanged, 150u);
}

} // namespace
