//===- WarpRowsTest.cpp - Rows of tiles that warps keep -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpRowsSupport.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

TEST(WarpRows, AttentionGoesFromRowToRow) {
  EXPECT_EQ(listMembers(Attention({64})), kAttention);
  EXPECT_EQ(listMembers(Attention({2, 32})), kAttention);
  EXPECT_EQ(listMembers(Attention({16}, 64, 32, /*numThreads=*/32)),
            kAttention);
  EXPECT_EQ(listMembers(Attention({64}, 8, 8)), kAttention);
}

/// Each warp has 16 rows of one matrix.
TEST(WarpRows, TooFewRowsForTheWarps) {
  EXPECT_EQ(listMembers(Attention({32})), "");
  EXPECT_EQ(listMembers(Attention({64}, 64, 32, /*numThreads=*/256)), "");
  EXPECT_EQ(listMembers(Attention({8, 8})), "");
  EXPECT_EQ(listMembers(Attention({8}, 64, 32, /*numThreads=*/32)), "");
}

TEST(WarpRows, SizesThatAreNoPowersOfTwo) {
  EXPECT_EQ(listMembers(Attention({96})), "");
  EXPECT_EQ(listMembers(Attention({3, 32})), "");
  // Of the second product k may be any size.
  EXPECT_EQ(listMembers(Attention({64}, /*keys=*/48)),
            " matmul accumulate div");
  EXPECT_EQ(listMembers(Attention({64}, /*keys=*/4)), " matmul accumulate div");
  EXPECT_EQ(listMembers(Attention({64}, /*keys=*/48, /*width=*/24)), "");
  // The second product has such rows; all before it has not.
  EXPECT_EQ(listMembers(Attention({64}, 64, /*width=*/24)),
            " matmul max sub exp cast sum accumulate");
}

/// Where warps are no power of two dimensions of rows need not be any either.
TEST(WarpRows, WarpsThatAreNoPowersOfTwo) {
  EXPECT_EQ(listMembers(Attention({64}, 64, 32, /*numThreads=*/96)),
            kAttention);
  EXPECT_EQ(listMembers(Attention({48}, 64, 32, /*numThreads=*/96)),
            kAttention);
  EXPECT_EQ(listMembers(Attention({192}, 64, 32, /*numThreads=*/384)),
            kAttention);
  EXPECT_EQ(listMembers(Attention({3, 32}, 64, 32, /*numThreads=*/96)),
            kAttention);
  EXPECT_EQ(listMembers(Attention({1, 96}, 64, 32, /*numThreads=*/192)),
            kAttention);
  EXPECT_EQ(listMembers(Attention({2, 48}, 64, 32, /*numThreads=*/96)),
            kAttention);
  EXPECT_EQ(listMembers(Attention({3, 48}, 64, 32, /*numThreads=*/160)),
            kAttention);
  // Too few, and parts of items.
  EXPECT_EQ(listMembers(Attention({32}, 64, 32, /*numThreads=*/96)), "");
  EXPECT_EQ(listMembers(Attention({56}, 64, 32, /*numThreads=*/96)), "");
  EXPECT_EQ(listMembers(Attention({2, 56}, 64, 32, /*numThreads=*/96)), "");
}

/// sum (X·W + (V·Y)ᵀ)², rows of m and columns of n.
static TileGraph makeTransposedSum(int64_t m, int64_t n) {
  TileGraph graph;
  graph.level = Level::Block;
  graph.threads = 128;
  graph.loop = 4;
  auto addInput = [&](Shape shape, int loopMap) {
    graph.tileInputs.push_back({{}, loopMap});
    return graph.addInput({std::move(shape), ElementType::F16});
  };
  ValueId x = addInput({m, 32}, 1), w = addInput({32, n}, 0),
          v = addInput({n, 32}, 1), y = addInput({32, m}, 0);
  auto add = [&](Opcode opcode, llvm::ArrayRef<ValueId> operands, Shape shape,
                 Attributes attributes = {}) {
    return graph.add(opcode, operands, {std::move(shape), ElementType::F32},
                     attributes);
  };
  Attributes exchange, rows;
  exchange.dims = {1, 0};
  rows.dims = {1};
  ValueId lhs =
      add(Opcode::Accumulate, {add(Opcode::Matmul, {x, w}, {m, n})}, {m, n});
  ValueId rhs =
      add(Opcode::Accumulate, {add(Opcode::Matmul, {v, y}, {n, m})}, {n, m});
  ValueId both =
      add(Opcode::Add, {lhs, add(Opcode::Transpose, {rhs}, {m, n}, exchange)},
          {m, n});
  ValueId square = add(Opcode::Square, {both}, {m, n});
  graph.addOutput(add(Opcode::Sum, {square}, {m, 1}, rows));
  graph.tileOutputs.emplace_back();
  return graph;
}

/// A transpose of too few rows leaves no columns, and what joins it with rows
/// is of these.
TEST(WarpRows, WhatJoinsRowsAndColumnsMayBeBoth) {
  for (int64_t n : {8, 16, 32, 64}) {
    TileGraph graph = makeTransposedSum(64, n);
    WarpRows rows = findWarpRows(graph);
    PossibleWarpRows possible = findPossibleWarpRows(graph);
    EXPECT_TRUE(rows.members.any());
    llvm::BitVector others = rows.members;
    others.reset(rows.columns);
    EXPECT_FALSE(others.test(possible.ofRows)) << n;
    EXPECT_FALSE(rows.columns.test(possible.ofColumns)) << n;
  }
}

/// A thread has the registers of all its rows, also where others have fewer.
TEST(WarpRows, RegistersOfWarpsWithTheMostRows) {
  auto count = [](int64_t rows, unsigned numThreads) {
    return findWarpRows(Attention({rows}, 64, 32, numThreads)).numRegisters;
  };
  EXPECT_EQ(count(48, 96), count(64, 128));
  EXPECT_EQ(count(64, 96), count(128, 128));
  EXPECT_EQ(count(96, 96), count(128, 128));
}

/// Something has to reduce what is held, or to multiply it.
TEST(WarpRows, WhatGoesFromElementToElementIsNoChain) {
  Tiles graph(32);
  ValueId x = graph.addWhole(f16({16, 16})), y = graph.addLooped(f16({16, 16}));
  ValueId product = graph.add(Opcode::Matmul, {x, y}, f32({16, 16}));
  ValueId exp = graph.add(Opcode::Exp, {product}, f32({16, 16}));
  graph.addOutput(graph.add(Opcode::Accumulate, {exp}, f32({16, 16})));
  // A reduction of what no warp has computed.
  graph.addOutput(graph.add(Opcode::Sum, {x}, f32({16, 1}), over({1})));
  EXPECT_EQ(listMembers(graph), "");
}

/// Of two chains only the one that goes on counts.
TEST(WarpRows, ChainsAreJudgedOneByOne) {
  Tiles graph(32);
  ValueId x = graph.addWhole(f16({16, 16})), y = graph.addLooped(f16({16, 16}));
  ValueId one = graph.add(Opcode::Matmul, {x, y}, f32({16, 16}));
  ValueId other = graph.add(Opcode::Matmul, {y, x}, f32({16, 16}));
  ValueId exp = graph.add(Opcode::Exp, {one}, f32({16, 16}));
  graph.addOutput(graph.add(Opcode::Sum, {other}, f32({16, 1}), over({1})));
  graph.addOutput(exp);
  EXPECT_EQ(listMembers(graph), " matmul sum");
  EXPECT_TRUE(isHeld(graph, other));
  EXPECT_FALSE(isHeld(graph, one));
}

/// What is in f32 has products without tensor cores, unless in tf32.
TEST(WarpRows, OnlyProductsOnTensorCoresBegin) {
  Tiles graph(32);
  ValueId x = graph.addWhole(f32({16, 16})), y = graph.addLooped(f16({16, 16}));
  ValueId product = graph.add(Opcode::Matmul, {x, y}, f32({16, 16}));
  ValueId sum = graph.add(Opcode::Sum, {product}, f32({16, 1}), over({1}));
  graph.addOutput(graph.add(Opcode::Accumulate, {sum}, f32({16, 1})));
  EXPECT_EQ(listMembers(graph), "");
  graph.f32Products = F32Products::TF32;
  EXPECT_EQ(listMembers(graph), " matmul sum accumulate");
}

/// Other rows, and columns, all in turn behind a product and a sum that are a
/// chain. Rows that are transposed go on as columns.
TEST(WarpRows, WhatNeedsOtherRowsEnds) {
  auto list = [](Opcode opcode, Shape result, Attributes attributes) {
    Tiles graph(32);
    ValueId x = graph.addWhole(f16({32, 16})),
            y = graph.addLooped(f16({16, 32}));
    ValueId product = graph.add(Opcode::Matmul, {x, y}, f32({32, 32}));
    graph.addOutput(graph.add(Opcode::Sum, {product}, f32({32, 1}), over({1})));
    graph.addOutput(graph.add(opcode, {product}, f32(result), attributes));
    return listMembers(graph);
  };
  const char *const without = " matmul sum";
  EXPECT_EQ(list(Opcode::Max, {32, 1}, over({1})), " matmul sum max");
  EXPECT_EQ(list(Opcode::Max, {1, 32}, over({0})), without);
  EXPECT_EQ(list(Opcode::Max, {1, 1}, over({0, 1})), without);
  EXPECT_EQ(list(Opcode::Transpose, {32, 32}, over({1, 0})),
            " matmul sum transpose");
  EXPECT_EQ(list(Opcode::Reshape, {32, 32}, {}), without);
  EXPECT_EQ(list(Opcode::Exp, {2, 32, 32}, {}), without);
}

/// A product with exchanged operands, 64x16, whose sum is stored transposed
/// beside a residual of 16x64 and what 64 columns are multiplied by.
struct Exchanged : Tiles {
  ValueId residual, right, sum, transposed;

  explicit Exchanged(Shape batch = {}) : Tiles(128) {
    auto with = [&](int64_t rows, int64_t columns) {
      Shape shape = batch;
      shape.append({rows, columns});
      return shape;
    };
    ValueId x = addLooped(f16(with(64, 32))), y = addLooped(f16(with(32, 16)));
    residual = addWhole(f16(with(16, 64)));
    right = addWhole(f16({64, 8}));
    ValueId product = add(Opcode::Matmul, {x, y}, f32(with(64, 16)));
    sum = add(Opcode::Accumulate, {product}, f32(with(64, 16)));
    int64_t rank = batch.size() + 2;
    Attributes exchange;
    for (int64_t dim = 0; dim < rank - 2; ++dim)
      exchange.dims.push_back(dim);
    exchange.dims.append({rank - 1, rank - 2});
    transposed = add(Opcode::Transpose, {sum}, f32(with(16, 64)), exchange);
  }
};

TEST(WarpRows, TransposedRowsGoOnAsColumns) {
  for (Shape batch : {Shape(), Shape{1}}) {
    Exchanged graph(batch);
    TensorSpec type = graph.getType(graph.transposed);
    ValueId joined =
        graph.add(Opcode::Add, {graph.residual, graph.transposed}, type);
    graph.addOutput(graph.add(Opcode::Silu, {joined}, type));
    EXPECT_EQ(listMembers(graph), " matmul accumulate transpose add silu");
    WarpRows rows = findWarpRows(graph);
    EXPECT_EQ(llvm::to_vector(rows.columns.set_bits()),
              llvm::SmallVector<unsigned>({2, 3, 4}));
    EXPECT_TRUE(isHeld(graph, graph.sum));
    EXPECT_TRUE(isHeld(graph, graph.transposed));
    // The sum, and one that is handed on: 16 rows of 16 elements of f32 a warp.
    EXPECT_EQ(rows.numRegisters, 8 + 8);
  }
}

/// Products read past a transpose, and reductions have other rows.
TEST(WarpRows, ColumnsAreForElementwiseSteps) {
  auto list = [](Opcode opcode, TensorSpec result, Attributes attributes) {
    Exchanged graph;
    llvm::SmallVector<ValueId> operands{graph.transposed};
    if (opcode == Opcode::Matmul)
      operands.push_back(graph.right);
    graph.addOutput(graph.add(opcode, operands, result, attributes));
    return listMembers(graph);
  };
  EXPECT_EQ(list(Opcode::Exp, f32({16, 64}), {}),
            " matmul accumulate transpose exp");
  EXPECT_EQ(list(Opcode::Sum, f32({16, 1}), over({1})), " matmul accumulate");
  EXPECT_EQ(list(Opcode::Matmul, f32({16, 8}), {}), " matmul accumulate");
  Exchanged graph;
  ValueId exp = graph.add(Opcode::Exp, {graph.transposed}, f32({16, 64}));
  graph.addOutput(graph.add(Opcode::Sum, {exp}, f32({16, 1}), over({1})));
  EXPECT_EQ(listMembers(graph), " matmul accumulate transpose exp");
  EXPECT_FALSE(isHeld(graph, exp));
}

/// A product of columns has rows of its own, of which each of four warps needs
/// 16.
TEST(WarpRows, ProductsOfColumnsHaveOtherRows) {
  Tiles graph(128);
  ValueId x = graph.addLooped(f16({64, 32})),
          y = graph.addLooped(f16({32, 16})),
          right = graph.addWhole(f16({64, 64}));
  ValueId product = graph.add(Opcode::Matmul, {x, y}, f32({64, 16}));
  ValueId total = graph.add(Opcode::Sum, {product}, f32({64, 1}), over({1}));
  ValueId transposed =
      graph.add(Opcode::Transpose, {product}, f32({16, 64}), over({1, 0}));
  ValueId halves = graph.add(Opcode::Cast, {transposed}, f16({16, 64}));
  ValueId next = graph.add(Opcode::Matmul, {halves, right}, f32({16, 64}));
  graph.addOutput(graph.add(Opcode::Accumulate, {next}, f32({16, 64})));
  graph.addOutput(graph.add(Opcode::Accumulate, {total}, f32({64, 1})));
  EXPECT_EQ(listMembers(graph), " matmul sum transpose cast accumulate");
  EXPECT_FALSE(isHeld(graph, halves));
}

/// Of a square tile, too, which has as many of them as rows.
TEST(WarpRows, WhatIsReadAcrossIsNotHeld) {
  Tiles graph(64);
  ValueId x = graph.addLooped(f16({32, 16})),
          y = graph.addLooped(f16({16, 32}));
  ValueId product = graph.add(Opcode::Matmul, {x, y}, f32({32, 32}));
  ValueId sum = graph.add(Opcode::Accumulate, {product}, f32({32, 32}));
  ValueId transposed =
      graph.add(Opcode::Transpose, {sum}, f32({32, 32}), over({1, 0}));
  graph.addOutput(graph.add(Opcode::Add, {sum, transposed}, f32({32, 32})));
  EXPECT_EQ(listMembers(graph), " matmul accumulate transpose add");
  EXPECT_TRUE(isHeld(graph, transposed));
  EXPECT_FALSE(isHeld(graph, sum));
}

/// Masks replace elements where they are, in f32.
TEST(WarpRows, MaskedRowsAreHeld) {
  auto list = [](Opcode opcode, ElementType element) {
    Tiles graph(32);
    ValueId x = graph.addWhole(f16({32, 16})),
            y = graph.addLooped(f16({16, 32}));
    ValueId value = graph.add(Opcode::Matmul, {x, y}, f32({32, 32}));
    if (element != ElementType::F32)
      value = graph.add(Opcode::Cast, {value}, {{32, 32}, element});
    Attributes mask;
    if (opcode == Opcode::Mask)
      mask.dims = {1};
    value = graph.add(opcode, {value}, {{32, 32}, element}, mask);
    graph.addOutput(graph.add(Opcode::Sum, {value}, f32({32, 1}), over({1})));
    return listMembers(graph);
  };
  EXPECT_EQ(list(Opcode::Mask, ElementType::F32), " matmul mask sum");
  EXPECT_EQ(list(Opcode::CausalMask, ElementType::F32),
            " matmul causal_mask sum");
  EXPECT_EQ(list(Opcode::CausalMask, ElementType::F16), "");
}

/// Nothing is held of a sum over the loop that is masked, nor of what is masked
/// and then added up as it is.
TEST(WarpRows, MasksBesideSumsAreNotHeld) {
  Tiles masked(32);
  ValueId x = masked.addWhole(f16({32, 16})),
          y = masked.addLooped(f16({16, 32}));
  ValueId product = masked.add(Opcode::Matmul, {x, y}, f32({32, 32}));
  ValueId sum = masked.add(Opcode::Accumulate, {product}, f32({32, 32}));
  ValueId mask = masked.add(Opcode::CausalMask, {sum}, f32({32, 32}));
  masked.addOutput(masked.add(Opcode::Sum, {mask}, f32({32, 1}), over({1})));
  EXPECT_FALSE(isHeld(masked, sum));
  EXPECT_FALSE(isHeld(masked, mask));

  Tiles added(32);
  x = added.addWhole(f16({32, 16}));
  y = added.addLooped(f16({16, 32}));
  product = added.add(Opcode::Matmul, {x, y}, f32({32, 32}));
  mask = added.add(Opcode::CausalMask, {product}, f32({32, 32}));
  ValueId largest = added.add(Opcode::Max, {mask}, f32({32, 1}), over({1}));
  added.addOutput(added.add(Opcode::Accumulate, {mask}, f32({32, 32})));
  added.addOutput(added.add(Opcode::Accumulate, {largest}, f32({32, 1})));
  EXPECT_FALSE(isHeld(added, product));
  EXPECT_FALSE(isHeld(added, mask));
}

/// Rows are reduced along their elements, and nothing else with them, even if
/// that is of size 1.
TEST(WarpRows, ReductionsAreOfOneDimension) {
  auto list = [](Opcode opcode, int64_t columns, Attributes attributes) {
    Tiles graph(32);
    ValueId x = graph.addWhole(f16({1, 32, 16})),
            y = graph.addLooped(f16({16, 32}));
    ValueId product = graph.add(Opcode::Matmul, {x, y}, f32({1, 32, 32}));
    graph.addOutput(
        graph.add(opcode, {product}, f32({1, 32, columns}), attributes));
    return listMembers(graph);
  };
  EXPECT_EQ(list(Opcode::Sum, 1, over({2})), " matmul sum");
  EXPECT_EQ(list(Opcode::Sum, 1, over({0, 2})), "");
  EXPECT_EQ(list(Opcode::Sum, 32, over({0})), "");
  EXPECT_EQ(list(Opcode::Accumulate, 1, accumulate(Opcode::Sum, {2})),
            " matmul accumulate");
  EXPECT_EQ(list(Opcode::Accumulate, 1, accumulate(Opcode::Sum, {0, 2})), "");
  EXPECT_EQ(list(Opcode::Accumulate, 32, accumulate(Opcode::Sum, {0})), "");
}

/// What is held goes on as the left operand, on tensor cores.
TEST(WarpRows, ProductsGoOnFromTheLeft) {
  auto list = [](bool isLeft, TensorSpec other) {
    Tiles graph(32);
    ValueId x = graph.addWhole(f16({16, 16})), y = graph.addWhole(other);
    ValueId first = graph.add(Opcode::Matmul, {x, x}, f16({16, 16}));
    ValueId second = isLeft
                         ? graph.add(Opcode::Matmul, {first, y}, f32({16, 16}))
                         : graph.add(Opcode::Matmul, {y, first}, f32({16, 16}));
    graph.addOutput(graph.add(Opcode::Exp, {second}, f32({16, 16})));
    return listMembers(graph);
  };
  EXPECT_EQ(list(true, f16({16, 16})), " matmul matmul exp");
  EXPECT_EQ(list(false, f16({16, 16})), "");
  EXPECT_EQ(list(true, f32({16, 16})), "");
}

/// A row of biases has neither rows nor warps; it stretches.
TEST(WarpRows, OperandsThatStretchMayComeFromElsewhere) {
  Tiles graph(32);
  ValueId x = graph.addWhole(f16({16, 16})), y = graph.addLooped(f16({16, 16})),
          bias = graph.addWhole(f32({16}));
  ValueId shift = graph.add(Opcode::Exp, {bias}, f32({16}));
  ValueId product = graph.add(Opcode::Matmul, {x, y}, f32({16, 16}));
  ValueId shifted = graph.add(Opcode::Add, {shift, product}, f32({16, 16}));
  graph.addOutput(graph.add(Opcode::Sum, {shifted}, f32({16, 1}), over({1})));
  EXPECT_EQ(listMembers(graph), " matmul add sum");
}

//===----------------------------------------------------------------------===//
// Phases and accumulations
//===----------------------------------------------------------------------===//

/// A product of before the loop is not held into it.
TEST(WarpRows, AChainIsOfOnePhase) {
  Tiles graph(32);
  ValueId x = graph.addWhole(f16({16, 16})), y = graph.addWhole(f16({16, 16})),
          z = graph.addLooped(f16({16, 16}));
  ValueId product = graph.add(Opcode::Matmul, {x, y}, f32({16, 16}));
  ValueId scaled = graph.add(Opcode::Mul, {product, z}, f32({16, 16}));
  ValueId sum = graph.add(Opcode::Sum, {scaled}, f32({16, 1}), over({1}));
  graph.addOutput(graph.add(Opcode::Accumulate, {sum}, f32({16, 1})));
  EXPECT_EQ(listMembers(graph), "");
}

/// Sums grow in the loop, and are held behind it; if there are the registers,
/// else another chain begins there.
TEST(WarpRows, AChainGoesOnBehindTheLoop) {
  Tiles graph(32);
  ValueId x = graph.addWhole(f16({16, 16})), y = graph.addLooped(f16({16, 16})),
          w = graph.addWhole(f16({16, 8}));
  ValueId product = graph.add(Opcode::Matmul, {x, y}, f32({16, 16}));
  ValueId exp = graph.add(Opcode::Exp, {product}, f32({16, 16}));
  ValueId sum = graph.add(Opcode::Accumulate, {exp}, f32({16, 16}));
  ValueId half = graph.add(Opcode::Cast, {sum}, f16({16, 16}));
  ValueId next = graph.add(Opcode::Matmul, {half, w}, f32({16, 8}));
  ValueId square = graph.add(Opcode::Square, {next}, f32({16, 8}));
  graph.addOutput(graph.add(Opcode::Sum, {square}, f32({16, 1}), over({1})));
  EXPECT_EQ(listMembers(graph),
            " matmul exp accumulate cast matmul square sum");
  EXPECT_TRUE(isHeld(graph, exp));
  EXPECT_TRUE(isHeld(graph, sum));
  EXPECT_TRUE(isHeld(graph, half));
  EXPECT_TRUE(isHeld(graph, next));
  WarpRows rows = findWarpRows(graph);
  WarpRows parted = findWarpRows(graph, rows.numRegisters - 1);
  EXPECT_EQ(parted.members.count(), 3u);
  EXPECT_FALSE(areRowsHeld(graph, parted, sum));
  EXPECT_TRUE(areRowsHeld(graph, parted, next));
}

/// Though products behind the loop alone read a sum, it is brought to them by
/// shared memory, where what is carried is not what they read.
TEST(WarpRows, SumsOfHalvesAreNotHeld) {
  Tiles graph(32);
  ValueId x = graph.addWhole(f16({16, 16})), y = graph.addLooped(f16({16, 16})),
          w = graph.addWhole(f16({16, 8}));
  ValueId product = graph.add(Opcode::Matmul, {x, y}, f32({16, 16}));
  ValueId largest = graph.add(Opcode::Max, {product}, f32({16, 1}), over({1}));
  graph.addOutput(graph.add(Opcode::Accumulate, {largest}, f32({16, 1}),
                            accumulate(Opcode::Max)));
  ValueId sum = graph.add(Opcode::Accumulate, {product}, f16({16, 16}));
  ValueId next = graph.add(Opcode::Matmul, {sum, w}, f32({16, 8}));
  graph.addOutput(graph.add(Opcode::Sum, {next}, f32({16, 1}), over({1})));
  EXPECT_EQ(listMembers(graph), " matmul max accumulate accumulate matmul sum");
  EXPECT_FALSE(isHeld(graph, sum));
  EXPECT_TRUE(isHeld(graph, next));
}

/// An accumulation behind a product and an exponential; a sum beside it makes
/// these members in any case. One over the grid stands behind another, so that
/// all are of one phase.
static std::string listWithAccumulation(Attributes attributes, Shape result) {
  Tiles graph(32);
  graph.grid = {2, 2};
  ValueId x = graph.addWhole(f16({32, 32})), y = graph.addLooped(f16({32, 32}));
  for (TileInput &input : graph.tileInputs)
    input.gridMap = {kReplicated, kReplicated};
  TensorSpec type = f32({32, 32});
  if (attributes.axis != Axis::Loop) {
    Attributes join = accumulate(Opcode::Sum);
    join.axis = Axis::X;
    y = graph.add(Opcode::Accumulate, {x}, f16({32, 32}), join);
  }
  ValueId product = graph.add(Opcode::Matmul, {x, y}, type);
  ValueId exp = graph.add(Opcode::Exp, {product}, type);
  graph.addOutput(graph.add(Opcode::Sum, {product}, f32({32, 1}), over({1})));
  graph.addOutput(
      graph.add(Opcode::Accumulate, {exp}, f32(result), attributes));
  return listMembers(graph);
}

TEST(WarpRows, WhichAccumulationsGrowInRows) {
  const char *const without = " matmul exp sum";
  const std::string with = std::string(without) + " accumulate";
  auto list = listWithAccumulation;
  EXPECT_EQ(list(accumulate(Opcode::Sum), {32, 32}), with);
  EXPECT_EQ(list(accumulate(Opcode::Max), {32, 32}), with);
  EXPECT_EQ(list(accumulate(Opcode::Sum, {1}), {32, 1}), with);
  EXPECT_EQ(list(accumulate(Opcode::Sum, {0}), {1, 32}), without);
  EXPECT_EQ(list(accumulate(Opcode::Variance), {32, 32}), without);
  Attributes blocks = accumulate(Opcode::Sum);
  blocks.axis = Axis::Y;
  EXPECT_EQ(list(blocks, {32, 32}), without);
}

/// An accumulation over the loop of a product is reason enough for a chain, be
/// it of rows or of their elements; not one that joins blocks.
TEST(WarpRows, AccumulationsOfProductsAreChains) {
  auto list = [](Attributes attributes, Shape result) {
    Tiles graph(32);
    ValueId x = graph.addWhole(f16({16, 16})),
            y = graph.addLooped(f16({16, 16}));
    ValueId product = graph.add(Opcode::Matmul, {x, y}, f32({16, 16}));
    graph.addOutput(
        graph.add(Opcode::Accumulate, {product}, f32(result), attributes));
    return listMembers(graph);
  };
  EXPECT_EQ(list(accumulate(Opcode::Sum, {1}), {16, 1}), " matmul accumulate");
  EXPECT_EQ(list(accumulate(Opcode::Sum), {16, 16}), " matmul accumulate");
  EXPECT_EQ(list(accumulate(Opcode::Variance), {16, 16}), "");
  Attributes blocks = accumulate(Opcode::Sum);
  blocks.axis = Axis::X;
  EXPECT_EQ(list(blocks, {16, 16}), "");
}

/// Nor if somebody else reads the product as well.
/// The members of a product that the loop sums up, with a sum of squares beside
/// it: of the rows of an operand, or of something else of that size.
enum class Beside { Left, Right, Other };
static std::string listWithSquares(Beside beside, int64_t rows = 64,
                                   int64_t reduced = 1) {
  Tiles graph(128);
  ValueId x = graph.addLooped(f16({rows, 64})),
          w = graph.addLooped(f16({64, 64})),
          z = graph.addLooped(f16({rows, 64}));
  ValueId product = graph.add(Opcode::Matmul, {x, w}, f32({rows, 64}));
  graph.addOutput(graph.add(Opcode::Accumulate, {product}, f32({rows, 64})));
  ValueId squared = beside == Beside::Left    ? x
                    : beside == Beside::Right ? w
                                              : z;
  Shape shape = graph.getType(squared).shape;
  ValueId squares = graph.add(Opcode::Square, {squared}, f32(shape));
  shape[reduced] = 1;
  ValueId sum = graph.add(Opcode::Sum, {squares}, f32(shape), over({reduced}));
  graph.addOutput(graph.add(Opcode::Accumulate, {sum}, f32(shape)));
  return listMembers(graph);
}

TEST(WarpRows, RowsOfALeftOperandAreReducedBesideItsProduct) {
  std::string product = " matmul accumulate";
  EXPECT_EQ(listWithSquares(Beside::Left), product + " square sum accumulate");
  EXPECT_EQ(listWithSquares(Beside::Right, /*rows=*/128), product);
  EXPECT_EQ(listWithSquares(Beside::Other), product);
  EXPECT_EQ(listWithSquares(Beside::Left, 64, /*reduced=*/0), product);
  EXPECT_EQ(listWithSquares(Beside::Left, /*rows=*/32), "");
}

TEST(WarpRows, ProductsThatOthersReadAreNoSums) {
  Tiles graph(32);
  ValueId x = graph.addWhole(f16({16, 16})), y = graph.addLooped(f16({16, 16}));
  ValueId product = graph.add(Opcode::Matmul, {x, y}, f32({16, 16}));
  graph.addOutput(graph.add(Opcode::Accumulate, {product}, f32({16, 16})));
  graph.addOutput(graph.add(Opcode::Exp, {product}, f32({16, 16})));
  EXPECT_EQ(listMembers(graph), "");
}

/// Online softmax: a sum is rescaled by what the same rows have as their
/// largest score, and so is the sum of a row. All reads rows that are held.
TEST(WarpRows, RescaledSumsGrowWithWhatRescalesThem) {
  Tiles graph(32);
  ValueId q = graph.addWhole(f16({16, 16})), k = graph.addLooped(f16({16, 16})),
          v = graph.addLooped(f16({16, 8}));
  ValueId scores = graph.add(Opcode::Matmul, {q, k}, f32({16, 16}));
  ValueId largest = graph.add(Opcode::Max, {scores}, f32({16, 1}), over({1}));
  ValueId shifted = graph.add(Opcode::Sub, {scores, largest}, f32({16, 16}));
  ValueId exp = graph.add(Opcode::Exp, {shifted}, f16({16, 16}));
  ValueId product = graph.add(Opcode::Matmul, {exp, v}, f32({16, 8}));
  graph.addOutput(
      graph.add(Opcode::Accumulate, {product, largest}, f32({16, 8})));
  graph.addOutput(graph.add(Opcode::Accumulate, {exp, largest}, f32({16, 1}),
                            accumulate(Opcode::Sum, {1})));
  graph.addOutput(graph.add(Opcode::Accumulate, {largest}, f32({16, 1}),
                            accumulate(Opcode::Max)));
  EXPECT_EQ(listMembers(graph),
            " matmul max sub exp matmul accumulate accumulate accumulate");
  for (ValueId value : {scores, largest, shifted, exp, product})
    EXPECT_TRUE(isHeld(graph, value)) << value;
}

/// A tile rescales a sum that lies in shared memory, as all does that is read
/// by it; nor does a sum stay with rows that only rescale it.
TEST(WarpRows, WhatRescalesASumIsHeldAsItsPartsAre) {
  for (bool rescalesRows : {true, false}) {
    Tiles graph(32);
    ValueId x = graph.addWhole(f16({16, 16})),
            y = graph.addLooped(f16({16, 16})),
            scale = graph.addLooped(f32({16, 1}));
    ValueId product = graph.add(Opcode::Matmul, {x, y}, f32({16, 16}));
    ValueId largest =
        graph.add(Opcode::Max, {product}, f32({16, 1}), over({1}));
    ValueId shifted = graph.add(Opcode::Sub, {product, largest}, f32({16, 16}));
    graph.addOutput(graph.add(Opcode::Accumulate,
                              rescalesRows
                                  ? llvm::ArrayRef<ValueId>{shifted, scale}
                                  : llvm::ArrayRef<ValueId>{y, largest},
                              f32({16, 16})));
    graph.addOutput(graph.add(Opcode::Accumulate, {shifted}, f32({16, 16}),
                              accumulate(Opcode::Max)));
    EXPECT_EQ(listMembers(graph), " matmul max sub accumulate");
    EXPECT_EQ(isHeld(graph, shifted), !rescalesRows);
    EXPECT_EQ(isHeld(graph, largest), rescalesRows);
  }
}
