//===- NamesTest.cpp - Programs whose dimensions are not plain names ------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Reference/RandomInputs.h"
#include "Mirage/Reference/Reference.h"
#include "Mirage/Search/Enumerator.h"
#include "Mirage/Search/RewrittenProgram.h"
#include "Mirage/Search/Search.h"
#include "Programs.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <cmath>
#include <set>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {

/// Two graphs give the same numbers in double precision.
void expectSameNumbers(const Graph &lhs, const Graph &rhs) {
  std::vector<HostTensor> inputs = makeRandomInputs(lhs, /*seed=*/1);
  auto expected = llvm::cantFail(evaluateReference(lhs, inputs));
  auto found = llvm::cantFail(evaluateReference(rhs, inputs));
  ASSERT_EQ(expected.size(), found.size());
  for (auto [e, f] : llvm::zip(expected, found)) {
    ASSERT_EQ(e.type.shape, f.type.shape);
    for (size_t i = 0; i < e.values.size(); ++i)
      ASSERT_TRUE(e.values[i] == f.values[i] ||
                  std::abs(e.values[i] - f.values[i]) <=
                      1e-9 * (1 + std::abs(e.values[i])))
          << "element " << i << ": " << e.values[i] << " and " << f.values[i];
  }
}

/// What is rewritten for the search means what it did, and can be searched.
RewrittenProgram expectRewritten(const Graph &graph) {
  RewrittenProgram program = llvm::cantFail(rewriteForSearch(graph));
  EXPECT_FALSE(verify(program.body));
  Graph whole = program.withBody(program.body);
  EXPECT_FALSE(verify(whole));
  expectSameNumbers(graph, whole);
  EXPECT_TRUE(!!makeTargetProgram(program.body));
  return program;
}

/// One kernel between views; all candidates compute the right numbers.
SearchResult expectFused(const Graph &graph, SearchOptions options = {}) {
  SearchResult result = llvm::cantFail(superoptimize(graph, options));
  EXPECT_GT(result.report.verified, 0u);
  EXPECT_EQ(result.report.rejected, 0u);
  const Graph &best = result.getBest();
  EXPECT_EQ(llvm::count_if(best.getNodes(),
                           [](const Node &node) { return bool(node.body); }),
            1);
  for (const Candidate &candidate : result.candidates) {
    EXPECT_FALSE(verify(candidate.graph));
    expectSameNumbers(graph, candidate.graph);
  }
  return result;
}

/// Structures of one kernel with at most 11 operators and 2 grid axes.
std::vector<KernelStructure> enumerate(const Graph &graph, AtomReading reading,
                                       uint64_t &states) {
  TargetProgram program = llvm::cantFail(
      makeTargetProgram(llvm::cantFail(rewriteForSearch(graph)).body));
  EnumerationSpace space(program, reading);
  EXPECT_TRUE(space.isSearchable());
  std::vector<KernelStructure> structures;
  GridJoins joins{/*inOutputs=*/true};
  KernelSite site = makeWholeSite(space);
  for (unsigned size = 1; size <= 11; ++size) {
    EnumerationCounts counts;
    EnumerationLimits limits{size, /*maxStates=*/1000000, joins};
    for (const KernelChoice &kernel :
         enumerateKernelChoices(program, site, 2, joins))
      EXPECT_TRUE(
          Enumerator(space, limits, counts)
              .run(site, kernel, [&](const KernelStructure &structure, auto) {
                structures.push_back(structure);
              }));
    states = counts.states;
  }
  return structures;
}

//===----------------------------------------------------------------------===//
// Reshapes that split and join dimensions
//===----------------------------------------------------------------------===//

ValueId repeatHeads(ProgramBuilder &b, ValueId x, int64_t times) {
  Shape shape = b.graph.getType(x).shape;
  Shape once = {shape[0], 1, shape[1], shape[2]};
  Shape often = {shape[0], times, shape[1], shape[2]};
  ValueId split = b.apply(Opcode::Reshape, {x}, {}, once);
  ValueId stretched = b.apply(Opcode::Broadcast, {split}, {}, often);
  return b.apply(Opcode::Reshape, {stretched}, {},
                 {shape[0] * times, shape[1], shape[2]});
}

/// Attention of `groups` heads of keys and values, which are repeated for
/// `times` as many of queries.
Graph repeatedAttention(int64_t groups, int64_t times, int64_t queries,
                        int64_t keys, int64_t depth) {
  ProgramBuilder b;
  ValueId q = b.input({groups * times, queries, depth});
  ValueId k = b.input({groups, keys, depth}),
          v = b.input({groups, keys, depth});
  ValueId scores =
      b.matmul(q, b.transpose(repeatHeads(b, k, times), {0, 2, 1}));
  ValueId e = b.apply(Opcode::Exp, {scores});
  ValueId p = b.apply(Opcode::Div, {e, b.reduce(Opcode::Sum, e, 2)});
  return b.finish({b.matmul(p, repeatHeads(b, v, times))});
}

/// Whether no axis is over a name.
bool keepsWhole(const KernelStructure &structure, NameId name) {
  return !llvm::is_contained(structure.gridNames, name) &&
         structure.loopName != name;
}

TEST(NamesTest, RepeatedHeadsGiveThePackedStructures) {
  Graph graph = repeatedAttention(2, 4, 3, 64, 16);
  expectRewritten(graph);
  uint64_t states = 0, packedStates = 0;
  std::vector<KernelStructure> all =
      enumerate(graph, AtomReading::WrittenOut, states);
  // [2, 4 heads and queries, depth] against the two heads.
  std::vector<KernelStructure> packed = enumerate(
      attention(2, 12, 64, 16, 1, true), AtomReading::WrittenOut, packedStates);
  EXPECT_EQ(packed.size(), 35u);
  EXPECT_EQ(all.size(), 55u);
  EXPECT_LE(states, 460u);
  EXPECT_LE(packedStates, 320u);
  // Names in the order of the values: groups, times, queries, depth, keys.
  size_t numPacked = llvm::count_if(all, [](const KernelStructure &structure) {
    return keepsWhole(structure, /*name=*/2);
  });
  EXPECT_EQ(numPacked, packed.size());
}

TEST(NamesTest, RepeatedHeads) {
  expectFused(repeatedAttention(2, 4, 1, 200, 32));
  expectFused(repeatedAttention(2, 3, 20, 70, 16));
}

/// Heads out of the columns of a projection, and back into rows for another.
TEST(NamesTest, HeadsAreSplitOffAndJoined) {
  ProgramBuilder b;
  ValueId x = b.input({5, 24}), k = b.input({3, 8, 7});
  ValueId heads = b.apply(Opcode::Reshape, {x}, {}, {5, 3, 8});
  ValueId scores = b.matmul(b.transpose(heads, {1, 0, 2}), k);
  ValueId rows = b.transpose(b.apply(Opcode::Exp, {scores}), {1, 0, 2});
  Graph graph = b.finish({b.apply(Opcode::Reshape, {rows}, {}, {5, 21})});
  expectRewritten(graph);
  expectFused(graph);
}

/// What is contracted is a product of names.
TEST(NamesTest, AProductOfNamesIsContracted) {
  ProgramBuilder b;
  ValueId x = b.input({3, 20, 8}), w = b.input({24, 40});
  ValueId e = b.apply(Opcode::Exp, {x});
  ValueId rows =
      b.apply(Opcode::Reshape, {b.transpose(e, {1, 0, 2})}, {}, {20, 24});
  Graph graph = b.finish({b.matmul(rows, w)});
  expectRewritten(graph);
  expectFused(graph);
}

/// Rows and columns of a product, its batch, and what broadcasts to them, are
/// products of names.
TEST(NamesTest, AllDimensionsOfAProductAreSplit) {
  ProgramBuilder b;
  ValueId x = b.input({4, 6, 10}), w = b.input({10, 15}),
          c = b.input({4, 1, 1});
  ValueId bias = b.input({1, 15});
  ValueId y = b.apply(Opcode::Add, {b.matmul(x, w), bias});
  y = b.apply(Opcode::Mul, {y, c});
  ValueId split = b.apply(Opcode::Reshape, {y}, {}, {2, 2, 2, 3, 3, 5});
  ValueId w2 = b.apply(Opcode::Reshape, {x}, {}, {4, 6, 2, 5});
  expectRewritten(b.finish({split, w2}));
}

TEST(NamesTest, AMeanOverSplitDimensionsCountsThemAll) {
  ProgramBuilder b;
  ValueId x = b.input({4, 6, 10});
  ValueId flat = b.apply(Opcode::Reshape, {x}, {}, {4, 60});
  ValueId normed = addRms(b, flat);
  Graph graph = b.finish({b.apply(Opcode::Mul, {normed, flat})});
  expectRewritten(graph);
  expectFused(graph);
}

TEST(NamesTest, AMaskOfSplitRowsIsAnError) {
  ProgramBuilder b;
  ValueId x = b.input({6, 4});
  ValueId masked = b.apply(Opcode::CausalMask, {x});
  Graph graph = b.finish({b.apply(Opcode::Reshape, {masked}, {}, {2, 3, 4})});
  auto program = rewriteForSearch(graph);
  ASSERT_FALSE(!!program);
  EXPECT_EQ(llvm::toString(program.takeError()),
            "operation 0 (causal_mask): expects dimensions that no "
            "reshape splits, got 6 in parts");
}

//===----------------------------------------------------------------------===//
// One tensor in two roles
//===----------------------------------------------------------------------===//

size_t countInputs(const RewrittenProgram &program) {
  return program.body.getNumInputs();
}

TEST(NamesTest, RowsMeetRowsOfTheSameTensor) {
  ProgramBuilder b;
  ValueId x = b.input({40, 24});
  Graph graph = b.finish({b.matmul(x, b.transpose(x, {1, 0}))});
  EXPECT_EQ(countInputs(expectRewritten(graph)), 2u);
  SearchResult result = expectFused(graph);
  EXPECT_EQ(result.getBest().getNumInputs(), 1u);
}

/// Both roles are computed of X; the weight has the same names in both.
TEST(NamesTest, AWeightHasOneRoleThoughWhatItMakesHasTwo) {
  ProgramBuilder b;
  ValueId x = b.input({20, 24}), w = b.input({24, 12});
  ValueId y = b.matmul(x, w);
  Graph graph = b.finish({b.matmul(y, b.transpose(y, {1, 0}))});
  EXPECT_EQ(countInputs(expectRewritten(graph)), 3u);
  expectFused(graph);
}

TEST(NamesTest, APowerOfAMatrix) {
  ProgramBuilder b;
  ValueId x = b.input({20, 20});
  Graph graph = b.finish({b.matmul(b.matmul(x, x), x)});
  EXPECT_EQ(countInputs(expectRewritten(graph)), 3u);
  expectFused(graph);
}

TEST(NamesTest, AMatrixAndItsTransposeAreAdded) {
  ProgramBuilder b;
  ValueId x = b.input({20, 20});
  Graph graph = b.finish({b.apply(Opcode::Add, {x, b.transpose(x, {1, 0})})});
  EXPECT_EQ(countInputs(expectRewritten(graph)), 2u);
  expectFused(graph);
}

/// Queries, keys and values are one tensor.
TEST(NamesTest, AttentionOfATensorToItself) {
  ProgramBuilder b;
  ValueId x = b.input({2, 48, 16});
  ValueId e = b.apply(Opcode::Exp, {b.matmul(x, b.transpose(x, {0, 2, 1}))});
  ValueId p = b.apply(Opcode::Div, {e, b.reduce(Opcode::Sum, e, 2)});
  Graph graph = b.finish({b.matmul(p, x)});
  EXPECT_EQ(countInputs(expectRewritten(graph)), 2u);
  expectFused(graph);
}

//===----------------------------------------------------------------------===//
// Causal masks
//===----------------------------------------------------------------------===//

/// softmax(mask(scale · Q·K))·V; the last row sees all keys. Without a maximum
/// subtracted, if it is not `isSafe`.
Graph causalAttention(int64_t heads, int64_t queries, int64_t keys,
                      int64_t depth, bool isSafe) {
  ProgramBuilder b;
  ValueId q = b.input({heads, queries, depth});
  ValueId k = b.input({heads, depth, keys}), v = b.input({heads, keys, depth});
  ValueId scores = b.apply(Opcode::Scale, {b.matmul(q, k)}, 0.25);
  Attributes mask;
  mask.offset = keys - queries;
  scores = b.apply(Opcode::CausalMask, {scores}, mask);
  if (isSafe)
    scores = b.apply(Opcode::Sub, {scores, b.reduce(Opcode::Max, scores, 2)});
  ValueId e = b.apply(Opcode::Exp, {scores});
  ValueId p = b.apply(Opcode::Div, {e, b.reduce(Opcode::Sum, e, 2)});
  return b.finish({b.matmul(p, v)});
}

/// A mask is one more function of the scores, and goes nowhere else.
TEST(NamesTest, AMaskAddsFewStructures) {
  uint64_t states = 0, plainStates = 0;
  size_t masked = enumerate(causalAttention(2, 8, 64, 16, false),
                            AtomReading::WrittenOut, states)
                      .size();
  size_t plain = enumerate(attention(2, 8, 64, 16, 0.25),
                           AtomReading::WrittenOut, plainStates)
                     .size();
  EXPECT_GE(masked, 35u);
  EXPECT_EQ(masked, plain);
  EXPECT_LE(states, 400u);
  EXPECT_LE(plainStates, 350u);
}

TEST(NamesTest, CausalAttention) {
  for (bool isSafe : {false, true}) {
    expectFused(causalAttention(2, 40, 40, 16, isSafe));
    expectFused(causalAttention(2, 20, 300, 32, isSafe));
    expectFused(causalAttention(3, 1, 100, 16, isSafe));
  }
}

/// The mask is of keys that a loop walks and of rows that blocks share out, in
/// tiles that do not divide them.
TEST(NamesTest, MasksFollowTheTiles) {
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
TEST(NamesTest, AWindowIsTwoMasks) {
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
// Slices and concats
//===----------------------------------------------------------------------===//

ValueId slice(ProgramBuilder &b, ValueId x, int64_t dim, int64_t offset,
              int64_t size) {
  Shape shape = b.graph.getType(x).shape;
  Attributes attributes;
  attributes.offsets.assign(shape.size(), 0);
  attributes.strides.assign(shape.size(), 1);
  attributes.offsets[dim] = offset;
  shape[dim] = size;
  return b.apply(Opcode::Slice, {x}, attributes, shape);
}

ValueId concat(ProgramBuilder &b, llvm::ArrayRef<ValueId> parts, int64_t dim) {
  Attributes attributes;
  attributes.dims = {dim};
  return b.apply(Opcode::Concat, parts, attributes);
}

bool hasNoParts(const Graph &graph) {
  return llvm::none_of(graph.getNodes(), [](const Node &operation) {
    return operation.opcode == Opcode::Slice ||
           operation.opcode == Opcode::Concat;
  });
}

/// The weights of a gate and of what it is multiplied with in one matrix.
TEST(NamesTest, PartsOfAProductAreProductsOfParts) {
  ProgramBuilder b;
  ValueId x = b.input({8, 100}), w = b.input({100, 64});
  ValueId y = b.matmul(x, w);
  ValueId gate = b.apply(Opcode::Silu, {slice(b, y, 1, 0, 32)});
  Graph graph =
      b.finish({b.apply(Opcode::Mul, {gate, slice(b, y, 1, 32, 32)})});
  RewrittenProgram program = expectRewritten(graph);
  EXPECT_TRUE(hasNoParts(program.body));
  EXPECT_EQ(countInputs(program), 3u);
  expectFused(graph);
}

/// What is contracted is a sum over the parts.
TEST(NamesTest, AConcatIsContracted) {
  ProgramBuilder b;
  ValueId x = b.input({20, 24}), y = b.input({20, 40}), w = b.input({64, 48});
  Graph graph = b.finish({b.matmul(concat(b, {x, y}, 1), w)});
  RewrittenProgram program = expectRewritten(graph);
  EXPECT_TRUE(hasNoParts(program.body));
  EXPECT_EQ(countInputs(program), 4u);
  expectFused(graph);
}

/// Halves of queries that change places, as rotary embeddings have them.
TEST(NamesTest, HalvesChangePlaces) {
  ProgramBuilder b;
  ValueId q = b.input({12, 32}), cosine = b.input({12, 32});
  ValueId sine = b.input({12, 32}), k = b.input({32, 40});
  ValueId turned = concat(
      b,
      {b.apply(Opcode::Neg, {slice(b, q, 1, 16, 16)}), slice(b, q, 1, 0, 16)},
      1);
  ValueId y = b.apply(Opcode::Add, {b.apply(Opcode::Mul, {q, cosine}),
                                    b.apply(Opcode::Mul, {turned, sine})});
  Graph graph = b.finish({b.matmul(y, k)});
  RewrittenProgram program = expectRewritten(graph);
  EXPECT_TRUE(hasNoParts(program.body));
  EXPECT_EQ(countInputs(program), 8u);
}

/// Reductions of every kind over pieces of different sizes, and pieces of
/// results.
TEST(NamesTest, ReductionsJoinPieces) {
  for (Opcode opcode : {Opcode::Sum, Opcode::Mean, Opcode::Max, Opcode::Rms}) {
    ProgramBuilder b;
    ValueId x = b.input({6, 10}), y = b.input({6, 5});
    ValueId joined = concat(b, {x, y}, 1);
    ValueId normed =
        b.apply(Opcode::Sub, {joined, b.reduce(opcode, joined, 1)});
    RewrittenProgram program = expectRewritten(b.finish({normed}));
    EXPECT_TRUE(hasNoParts(program.body));
    EXPECT_EQ(program.body.getOutputs().size(), 2u);
  }
}

/// A mask of a piece counts from where the piece begins.
TEST(NamesTest, MasksOfPieces) {
  ProgramBuilder b;
  ValueId x = b.input({6, 8});
  Attributes mask;
  mask.offset = 1;
  ValueId masked = b.apply(Opcode::CausalMask, {x}, mask);
  ValueId rows = b.apply(Opcode::Exp, {slice(b, masked, 0, 2, 3)});
  Graph graph = b.finish(
      {b.transpose(concat(b, {slice(b, rows, 1, 4, 4), rows}, 1), {1, 0})});
  EXPECT_TRUE(hasNoParts(expectRewritten(graph).body));
}

/// Queries, keys and values of several heads come out of one projection.
TEST(NamesTest, HeadsOfOneProjection) {
  ProgramBuilder b;
  ValueId x = b.input({16, 24}), w = b.input({24, 96});
  ValueId y = b.matmul(x, w);
  llvm::SmallVector<ValueId, 3> heads;
  for (int64_t part = 0; part < 3; ++part)
    heads.push_back(
        b.transpose(b.apply(Opcode::Reshape, {slice(b, y, 1, 32 * part, 32)},
                            {}, {16, 4, 8}),
                    {1, 0, 2}));
  ValueId scores = b.matmul(heads[0], b.transpose(heads[1], {0, 2, 1}));
  ValueId e = b.apply(Opcode::Exp, {scores});
  ValueId p = b.apply(Opcode::Div, {e, b.reduce(Opcode::Sum, e, 2)});
  Graph graph = b.finish({b.matmul(p, heads[2])});
  RewrittenProgram program = expectRewritten(graph);
  EXPECT_TRUE(hasNoParts(program.body));
}

TEST(NamesTest, StridedPartsAreAnError) {
  ProgramBuilder b;
  ValueId x = b.input({8, 6});
  Attributes even;
  even.offsets = {0, 0};
  even.strides = {2, 1};
  ValueId rows = b.apply(Opcode::Slice, {x}, even, {4, 6});
  auto program = rewriteForSearch(b.finish({b.apply(Opcode::Exp, {rows})}));
  ASSERT_FALSE(!!program);
  EXPECT_EQ(llvm::toString(program.takeError()),
            "operation 0 (slice): expects neighbouring elements, got stride 2");
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

ValueId constant(ProgramBuilder &b, double number,
                 llvm::ArrayRef<int64_t> shape) {
  Attributes attributes;
  attributes.scalars = {number};
  return b.apply(Opcode::Constant, {}, attributes, shape);
}

bool hasConstants(const Graph &graph) {
  return llvm::any_of(graph.getNodes(), [](const Node &operation) {
    return operation.opcode == Opcode::Constant;
  });
}

/// x op c and c op x, for every op with a form for a number.
TEST(NamesTest, NumbersAreParameters) {
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

TEST(NamesTest, AMaximumWithZeroIsRelu) {
  ProgramBuilder b;
  ValueId x = b.input({8, 64}), w = b.input({64, 48});
  ValueId zero = constant(b, 0, {8, 48});
  Graph graph = b.finish({b.apply(Opcode::Maximum, {zero, b.matmul(x, w)})});
  EXPECT_EQ(countInputs(expectRewritten(graph)), 2u);
  expectFused(graph);
}

/// A number that no operator takes as a parameter is inside the kernel all the
/// same.
TEST(NamesTest, OtherNumbersAreInTheKernel) {
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
TEST(NamesTest, PaddingIsNotComputed) {
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

/// (x - mean x) / sqrt(variance x + epsilon) · W, with the square and the
/// quotient as one operator each, or as products.
Graph layerNormLinear(int64_t m, int64_t k, int64_t n, bool isSpelled) {
  ProgramBuilder b;
  ValueId x = b.input({m, k}), w = b.input({k, n});
  ValueId centred = b.apply(Opcode::Sub, {x, b.reduce(Opcode::Mean, x, 1)});
  ValueId square = isSpelled ? b.apply(Opcode::Mul, {centred, centred})
                             : b.apply(Opcode::Square, {centred});
  ValueId variance = b.reduce(Opcode::Mean, square, 1);
  ValueId shifted = b.apply(Opcode::Offset, {variance}, 1e-5);
  ValueId normed =
      isSpelled
          ? b.apply(Opcode::Mul, {centred, b.apply(Opcode::Rsqrt, {shifted})})
          : b.apply(Opcode::Div, {centred, b.apply(Opcode::Sqrt, {shifted})});
  return b.finish({b.matmul(normed, w)});
}

TEST(NamesTest, AVarianceIsOneFunction) {
  for (bool isSpelled : {false, true}) {
    Graph graph = layerNormLinear(8, 64, 48, isSpelled);
    uint64_t states = 0;
    std::vector<KernelStructure> found =
        enumerate(graph, AtomReading::Function, states);
    EXPECT_GE(found.size(), 40u);
    EXPECT_LE(states, 4000u);
    EXPECT_TRUE(llvm::any_of(found, [](const KernelStructure &structure) {
      return llvm::any_of(structure.operators, [](const StructureOperator &op) {
        return op.isVariance;
      });
    }));
  }
}

TEST(NamesTest, LayerNormLinear) {
  expectFused(layerNormLinear(8, 100, 48, false));
  expectFused(layerNormLinear(7, 64, 40, true));
}

TEST(NamesTest, WhatHasOneRoleStaysAsItIs) {
  Graph graph = gatedMlp(8, 100, 70);
  RewrittenProgram program = llvm::cantFail(rewriteForSearch(graph));
  EXPECT_EQ(toString(program.body), toString(graph));
  EXPECT_TRUE(program.inputs.getNodes().empty());
  EXPECT_TRUE(program.outputs.getNodes().empty());
}

} // namespace
