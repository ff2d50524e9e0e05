//===- NamesTest.cpp - Programs whose dimensions are not plain names ------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEnumeration.h"
#include "RewritingSupport.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {

//===----------------------------------------------------------------------===//
// Reshapes that split and join dimensions
//===----------------------------------------------------------------------===//

/// Whether no axis is over a name.
bool keepsWhole(const KernelStructure &structure, NameId name) {
  return !llvm::is_contained(structure.gridNames, name) &&
         structure.loopName != name;
}

/// The same structures: where no axis or loop walks the queries of a head, they
/// and the heads that share keys are the rows of the packed program.
TEST(NamesTest, RepeatedHeadsGiveThePackedStructures) {
  Graph graph = repeatedAttention(2, 4, 3, 64, 16);
  expectRewritten(graph);
  FoundKernels all = enumerateKernels(graph, AtomReading::WrittenOut);
  // [2, 4 heads and queries, depth] against the two heads.
  FoundKernels packed = enumerateKernels(attention(2, 12, 64, 16, 1, true),
                                         AtomReading::WrittenOut);
  EXPECT_EQ(packed.structures.size(), 35u);
  EXPECT_EQ(all.structures.size(), 55u);
  EXPECT_LE(all.states, 460u);
  EXPECT_LE(packed.states, 320u);
  std::vector<KernelStructure> whole;
  for (const KernelStructure &structure : all.structures)
    if (keepsWhole(structure, /*name=*/2))
      whole.push_back(structure);
  // Names in the order of the values.
  EXPECT_EQ(describeAll(whole, {"heads", "rows", "queries", "depth", "keys",
                                "columns"}),
            describeAll(packed.structures,
                        {"heads", "rows", "depth", "keys", "columns"}));
}

TEST(NamesTest, RepeatedHeads) {
  // Two groups leave most SMs idle: keys that blocks share out, and one more
  // kernel, are predicted to take 3 % less than all in one.
  SearchOptions options;
  options.numCandidates = 128;
  expectFused(repeatedAttention(2, 4, 1, 200, 32), options);
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

/// Attention of [rows, heads, depth], as [heads, rows, depth]: rows stay rows,
/// and what is left is the transpose that the product has of any keys.
TEST(NamesTest, OrdersOfBatchesAreViews) {
  ProgramBuilder b;
  ValueId q = b.input({6, 3, 8}), k = b.input({10, 3, 8}),
          v = b.input({10, 3, 4});
  ValueId scores =
      b.matmul(b.transpose(q, {1, 0, 2}), b.transpose(k, {1, 2, 0}));
  ValueId out =
      b.matmul(b.apply(Opcode::Exp, {scores}), b.transpose(v, {1, 0, 2}));
  Graph graph = b.finish({b.transpose(out, {1, 0, 2})});
  RewrittenProgram program = expectRewritten(graph);
  EXPECT_EQ(program.body.getType(0).shape, Shape({3, 6, 8}));
  EXPECT_EQ(program.body.getType(1).shape, Shape({3, 10, 8}));
  EXPECT_EQ(program.body.getType(2).shape, Shape({3, 10, 4}));
  EXPECT_EQ(program.body.getType(program.body.getOutputs()[0]).shape,
            Shape({3, 6, 4}));
  EXPECT_EQ(llvm::count_if(program.body.getNodes(),
                           [](const Node &node) {
                             return node.opcode == Opcode::Transpose;
                           }),
            1);
  expectFused(graph);
}

/// What is read in two orders, or by columns, stays as it is.
TEST(NamesTest, InputsReadInSeveralOrdersStay) {
  auto getBody = [](llvm::ArrayRef<Shape> read) {
    ProgramBuilder b;
    ValueId x = b.input({2, 3, 4, 5});
    llvm::SmallVector<ValueId> outputs;
    for (llvm::ArrayRef<int64_t> dims : read)
      outputs.push_back(b.apply(Opcode::Exp, {b.transpose(x, dims)}));
    RewrittenProgram program =
        llvm::cantFail(peelTransposes(b.finish(outputs)));
    EXPECT_FALSE(verify(program.body));
    return program.body.getType(0).shape;
  };
  EXPECT_EQ(getBody({{1, 0, 2, 3}, {1, 0, 3, 2}}), Shape({3, 2, 4, 5}));
  EXPECT_EQ(getBody({{1, 0, 2, 3}, {2, 0, 1, 3}}), Shape({2, 3, 4, 5}));
  EXPECT_EQ(getBody({{1, 0, 2, 3}, {0, 1, 2, 3}}), Shape({2, 3, 4, 5}));
  EXPECT_EQ(getBody({{0, 1, 3, 2}}), Shape({2, 3, 4, 5}));
}

/// What a cache of keys is handed, beside what is computed of it.
TEST(NamesTest, InputsWhoseTransposesAreOutputsStay) {
  ProgramBuilder b;
  ValueId x = b.input({12, 4, 6}), w = b.input({6, 8});
  ValueId keys = b.transpose(x, {1, 0, 2});
  Graph graph = b.finish({b.apply(Opcode::Silu, {b.matmul(keys, w)}), keys});
  expectRewritten(graph);
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
  ValueId split = b.apply(Opcode::Reshape, {masked}, {}, {2, 3, 4});
  auto program = rewriteForSearch(b.finish({b.reduce(Opcode::Max, split, 1)}));
  ASSERT_FALSE(!!program);
  EXPECT_EQ(llvm::toString(program.takeError()),
            "operation 0 (causal_mask): expects dimensions that no "
            "reshape splits, got 6 in parts");
}

/// Rows that are split and nothing else are rows.
TEST(NamesTest, AMaskOfRowsThatStayTogether) {
  ProgramBuilder b;
  ValueId x = b.input({6, 4});
  ValueId masked = b.apply(Opcode::CausalMask, {x});
  ValueId split = b.apply(Opcode::Reshape, {masked}, {}, {2, 3, 4});
  auto program = rewriteForSearch(b.finish({b.apply(Opcode::Exp, {split})}));
  ASSERT_TRUE(!!program) << llvm::toString(program.takeError());
  EXPECT_EQ(program->body.getType(0).shape, (Shape{6, 4}));
}

//===----------------------------------------------------------------------===//
// One tensor in two roles
//===----------------------------------------------------------------------===//

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

TEST(NamesTest, WhatHasOneRoleStaysAsItIs) {
  Graph graph = gatedMlp(8, 100, 70);
  RewrittenProgram program = llvm::cantFail(rewriteForSearch(graph));
  EXPECT_EQ(toString(program.body), toString(graph));
  EXPECT_TRUE(program.inputs.getNodes().empty());
  EXPECT_TRUE(program.outputs.getNodes().empty());
}

//===----------------------------------------------------------------------===//
// Slices and concats
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Names that never meet
//===----------------------------------------------------------------------===//

TEST(NamesTest, WhatNeverMeetsHasOneName) {
  ProgramBuilder b;
  ValueId x = b.input({16, 24}), w = b.input({24, 32}), v = b.input({24, 32}),
          u = b.input({24, 40});
  ValueId y = b.matmul(x, w), z = b.matmul(x, v), other = b.matmul(x, u);
  Graph graph = b.finish({y, z, other});
  auto program = llvm::cantFail(makeTargetProgram(graph));
  EXPECT_EQ(program.getNames(y), program.getNames(z));
  EXPECT_NE(program.getNames(y), program.getNames(other));
  EXPECT_EQ(program.names.getNumNames(), 4u);
}

TEST(NamesTest, WhatDependsOnANameHasAnother) {
  ProgramBuilder b;
  ValueId x = b.input({16, 32}), w = b.input({32, 64}), v = b.input({64, 32});
  ValueId y = b.matmul(b.matmul(x, w), v);
  auto program = llvm::cantFail(makeTargetProgram(b.finish({y})));
  EXPECT_EQ(program.names.getNumNames(), 4u) << "of x and of y, both 32";
}

/// Columns of z share those of y, so that what depends on z may not.
TEST(NamesTest, WhatDependsOnASharedNameHasAnother) {
  ProgramBuilder b;
  ValueId x = b.input({16, 24}), w = b.input({24, 32}), v = b.input({24, 32}),
          p = b.input({32, 40}), u = b.input({32, 32}), t = b.input({32, 40});
  ValueId y = b.matmul(x, w), z = b.matmul(x, v), next = b.matmul(z, u);
  auto program = llvm::cantFail(
      makeTargetProgram(b.finish({b.matmul(y, p), b.matmul(next, t)})));
  EXPECT_EQ(program.getNames(y), program.getNames(z));
  EXPECT_NE(program.getNames(next), program.getNames(y));
}

TEST(NamesTest, WhatIsSummedHasAnother) {
  ProgramBuilder b;
  ValueId x = b.input({16, 32}), y = b.input({16, 32});
  ValueId sum = b.reduce(Opcode::Sum, x, 1), e = b.apply(Opcode::Exp, {y});
  auto program = llvm::cantFail(makeTargetProgram(b.finish({sum, e})));
  EXPECT_EQ(program.names.getNumNames(), 3u) << "rows, what is summed, columns";
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

} // namespace
