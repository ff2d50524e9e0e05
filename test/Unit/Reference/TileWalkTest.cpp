//===- TileWalkTest.cpp - Tile graphs against whole tensors ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Reference/RandomInputs.h"
#include "TileWalkSupport.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

/// Both graphs give the same numbers on the same random inputs, on any number
/// of threads.
static void expectEqual(const Graph &expected, const Graph &found) {
  std::vector<HostTensor> inputs = makeRandomInputs(expected, 5);
  auto reference = evaluateReference(expected, inputs, {1, false});
  ASSERT_TRUE(static_cast<bool>(reference))
      << llvm::toString(reference.takeError());
  auto computed = evaluateReference(found, inputs, {1, false});
  ASSERT_TRUE(static_cast<bool>(computed))
      << llvm::toString(computed.takeError());
  auto threaded = evaluateReference(found, inputs, {3, false});
  ASSERT_EQ(reference->size(), computed->size());
  for (auto [lhs, rhs, other] :
       llvm::zip_equal(*reference, *computed, *threaded)) {
    EXPECT_EQ(rhs.values, other.values);
    double largest = 0;
    for (double value : lhs.values)
      largest = std::max(largest, std::fabs(value));
    ASSERT_GT(largest, 0);
    for (size_t i = 0; i < lhs.values.size(); ++i)
      ASSERT_NEAR(lhs.values[i], rhs.values[i], 1e-12 * largest) << i;
  }
}

/// exp(X)·W over the sum of all exponentials, and that sum: blocks have parts
/// of the rows, and a loop runs over columns of W before all are summed up.
TEST(TileWalk, BlocksAreJoinedBeforeALoop) {
  Graph program;
  ValueId x = program.addInput(f32({4, 12})),
          w = program.addInput(f32({12, 6}));
  ValueId p = program.add(Opcode::Exp, {x}, f32({4, 12}));
  ValueId s = program.add(Opcode::Sum, {p}, f32({4, 1}), over({1}));
  ValueId n = program.add(Opcode::Div, {p, s}, f32({4, 12}));
  ValueId y = program.add(Opcode::Matmul, {n, w}, f32({4, 6}));
  program.addOutput(program.add(Opcode::Sum, {y}, f32({4, 1}), over({1})));
  program.addOutput(s);

  TileGraph tiles;
  tiles.grid = {3};
  tiles.loop = 2;
  ValueId xt = tiles.addInput(f32({4, 4})), wt = tiles.addInput(f32({4, 3}));
  tiles.tileInputs = {{{1}, kReplicated}, {{0}, 1}};
  ValueId pt = tiles.add(Opcode::Exp, {xt}, f32({4, 4}));
  ValueId all = tiles.add(Opcode::Accumulate, {pt}, f32({4, 1}),
                          accumulate(Opcode::Sum, {1}, 0, Axis::X));
  ValueId nt = tiles.add(Opcode::Div, {pt, all}, f32({4, 4}));
  ValueId yt = tiles.add(Opcode::Matmul, {nt, wt}, f32({4, 3}));
  tiles.addOutput(tiles.add(Opcode::Accumulate, {yt}, f32({4, 1}),
                            accumulate(Opcode::Sum, {1})));
  tiles.addOutput(all);
  tiles.tileOutputs = {{{kSummed}}, {{kReplicated}}};
  expectEqual(program, makeKernel(program, tiles));
}

/// X / rms(X) · W.
static Graph rmsLinear(int64_t m, int64_t k, int64_t n) {
  Graph graph;
  ValueId x = graph.addInput(f16({m, k})), w = graph.addInput(f16({k, n}));
  ValueId rms = graph.add(Opcode::Rms, {x}, f32({m, 1}), over({1}));
  ValueId y = graph.add(Opcode::Div, {x, rms}, f32({m, k}));
  graph.addOutput(graph.add(Opcode::Matmul, {y, w}, f16({m, n})));
  return graph;
}

static TileGraph fusedRmsLinear(int64_t m, int64_t k, int64_t tileK,
                                int64_t tileN, int64_t n) {
  TileGraph tiles;
  tiles.grid = {(n + tileN - 1) / tileN};
  tiles.loop = (k + tileK - 1) / tileK;
  ValueId x = tiles.addInput(f16({m, tileK}));
  ValueId w = tiles.addInput(f16({tileK, tileN}));
  tiles.tileInputs = {{{kReplicated}, 1}, {{1}, 0}};
  ValueId rms = tiles.add(Opcode::Accumulate, {x}, f32({m, 1}),
                          accumulate(Opcode::Rms, {1}, k));
  ValueId product = tiles.add(Opcode::Matmul, {x, w}, f32({m, tileN}));
  ValueId sum = tiles.add(Opcode::Accumulate, {product}, f32({m, tileN}),
                          accumulate(Opcode::Sum));
  tiles.addOutput(tiles.add(Opcode::Div, {sum, rms}, f32({m, tileN})));
  tiles.tileOutputs = {{{1}}};
  return tiles;
}

TEST(TileWalk, FusedNormAndLinear) {
  Graph program = rmsLinear(8, 256, 192);
  expectEqual(program,
              makeKernel(program, fusedRmsLinear(8, 256, 64, 32, 192)));
}

TEST(TileWalk, FusedNormAndLinearWhereNothingDivides) {
  Graph program = rmsLinear(7, 1000, 130);
  expectEqual(program,
              makeKernel(program, fusedRmsLinear(7, 1000, 64, 32, 130)));
  expectEqual(program,
              makeKernel(program, fusedRmsLinear(7, 1000, 48, 50, 130)));
}

/// Without its count, a mean over padding is wrong: the walk really pads.
TEST(TileWalk, PaddingIsSeen) {
  Graph program = rmsLinear(7, 1000, 130);
  TileGraph tiles = fusedRmsLinear(7, 1000, 64, 32, 130);
  TileGraph wrong;
  wrong.grid = tiles.grid;
  wrong.loop = tiles.loop;
  wrong.tileInputs = tiles.tileInputs;
  wrong.tileOutputs = tiles.tileOutputs;
  ValueId x = wrong.addInput(f16({7, 64})), w = wrong.addInput(f16({64, 32}));
  ValueId rms = wrong.add(Opcode::Accumulate, {x}, f32({7, 1}),
                          accumulate(Opcode::Rms, {1}));
  ValueId product = wrong.add(Opcode::Matmul, {x, w}, f32({7, 32}));
  ValueId sum = wrong.add(Opcode::Accumulate, {product}, f32({7, 32}),
                          accumulate(Opcode::Sum));
  wrong.addOutput(wrong.add(Opcode::Div, {sum, rms}, f32({7, 32})));
  std::vector<HostTensor> inputs = makeRandomInputs(program, 5);
  auto expected = llvm::cantFail(evaluateReference(program, inputs));
  auto found =
      llvm::cantFail(evaluateReference(makeKernel(program, wrong), inputs));
  EXPECT_NEAR(found[0].values[0] / expected[0].values[0],
              std::sqrt(1024 / 1000.0), 1e-9);
}

/// exp(X) / sum(exp(X)) over rows.
static Graph softmax(int64_t rows, int64_t columns) {
  Graph graph;
  ValueId x = graph.addInput(f16({rows, columns}));
  ValueId e = graph.add(Opcode::Exp, {x}, f32({rows, columns}));
  ValueId s = graph.add(Opcode::Sum, {e}, f32({rows, 1}), over({1}));
  graph.addOutput(graph.add(Opcode::Div, {e, s}, f16({rows, columns})));
  return graph;
}

/// A tile of 128 columns for 100: exp(0) = 1 of the padding must not be summed.
TEST(TileWalk, SoftmaxOfPartialTilesIsMasked) {
  TileGraph tiles;
  tiles.grid = {3};
  ValueId x = tiles.addInput(f16({4, 128}));
  tiles.tileInputs = {{{0}, 1}};
  ValueId e = tiles.add(Opcode::Exp, {x}, f32({4, 128}));
  ValueId s = tiles.add(Opcode::Sum, {e}, f32({4, 1}), over({1}));
  ValueId y = tiles.add(Opcode::Div, {e, s}, f32({4, 128}));
  tiles.addOutput(tiles.add(Opcode::Accumulate, {y}, f32({4, 1}),
                            accumulate(Opcode::Max, {1})));
  tiles.tileOutputs = {{{0}}};
  Graph largest;
  ValueId in = largest.addInput(f16({10, 100}));
  ValueId le = largest.add(Opcode::Exp, {in}, f32({10, 100}));
  ValueId ls = largest.add(Opcode::Sum, {le}, f32({10, 1}), over({1}));
  ValueId ly = largest.add(Opcode::Div, {le, ls}, f32({10, 100}));
  largest.addOutput(largest.add(Opcode::Max, {ly}, f32({10, 1}), over({1})));
  expectEqual(largest, makeKernel(largest, tiles));
}

/// Columns are cut by a grid axis and, inside, by the loop; blocks add up.
TEST(TileWalk, PartialSumsOfBlocksAndIterations) {
  Graph program;
  ValueId x = program.addInput(f16({10, 100}));
  ValueId e = program.add(Opcode::Exp, {x}, f32({10, 100}));
  program.addOutput(program.add(Opcode::Sum, {e}, f32({10, 1}), over({1})));
  TileGraph tiles;
  tiles.grid = {3, 2};
  tiles.loop = 3;
  ValueId t = tiles.addInput(f16({4, 24}));
  tiles.tileInputs = {{{0, 1}, 1}};
  ValueId te = tiles.add(Opcode::Exp, {t}, f32({4, 24}));
  tiles.addOutput(tiles.add(Opcode::Accumulate, {te}, f32({4, 1}),
                            accumulate(Opcode::Sum, {1})));
  tiles.tileOutputs = {{{0, kSummed}}};
  expectEqual(program, makeKernel(program, tiles));
}

/// Blocks along y hold parts of the row sums and join them before they divide.
TEST(TileWalk, BlocksJoinInMidKernel) {
  Graph program = softmax(12, 96);
  TileGraph tiles;
  tiles.grid = {3, 4};
  ValueId x = tiles.addInput(f16({4, 24}));
  tiles.tileInputs = {{{0, 1}, kReplicated}};
  ValueId e = tiles.add(Opcode::Exp, {x}, f32({4, 24}));
  ValueId s = tiles.add(Opcode::Accumulate, {e}, f32({4, 1}),
                        accumulate(Opcode::Sum, {1}, 0, Axis::Y));
  tiles.addOutput(tiles.add(Opcode::Div, {e, s}, f32({4, 24})));
  tiles.tileOutputs = {{{0, 1}}};
  expectEqual(program, makeKernel(program, tiles));
}

TEST(TileWalk, OutputsSummedOverBlocksAndTwoOutputs) {
  Graph program;
  ValueId a = program.addInput(f16({20, 90})),
          b = program.addInput(f16({90, 33}));
  program.addOutput(program.add(Opcode::Matmul, {a, b}, f16({20, 33})));
  program.addOutput(program.add(Opcode::Sum, {b}, f16({1, 33}), over({0})));
  TileGraph tiles;
  tiles.grid = {3, 2, 4};
  tiles.loop = 3;
  ValueId x = tiles.addInput(f16({7, 8})), y = tiles.addInput(f16({8, 17}));
  tiles.tileInputs = {{{0, kReplicated, 1}, 1}, {{kReplicated, 1, 0}, 0}};
  ValueId p = tiles.add(Opcode::Matmul, {x, y}, f32({7, 17}));
  tiles.addOutput(tiles.add(Opcode::Accumulate, {p}, f32({7, 17}),
                            accumulate(Opcode::Sum)));
  tiles.addOutput(tiles.add(Opcode::Accumulate, {y}, f32({1, 17}),
                            accumulate(Opcode::Sum, {0})));
  tiles.tileOutputs = {{{0, 1, kSummed}}, {{kReplicated, 1, kSummed}}};
  expectEqual(program, makeKernel(program, tiles));
}

TEST(TileWalk, OneDimensionCutByTwoAxes) {
  Graph program;
  ValueId a = program.addInput(f16({50, 3}));
  program.addOutput(program.add(Opcode::Square, {a}, f16({50, 3})));
  TileGraph tiles;
  tiles.grid = {2, 5};
  ValueId x = tiles.addInput(f16({6, 3}));
  tiles.tileInputs = {{{0, 0}, kReplicated}};
  tiles.addOutput(tiles.add(Opcode::Square, {x}, f32({6, 3})));
  tiles.tileOutputs = {{{0, 0}}};
  expectEqual(program, makeKernel(program, tiles));
}

TEST(TileWalk, MaximumAndMeanOverTheLoop) {
  Graph program;
  ValueId a = program.addInput(f16({5, 70}));
  ValueId m = program.add(Opcode::Max, {a}, f32({5, 1}), over({1}));
  ValueId v = program.add(Opcode::Mean, {a}, f32({5, 1}), over({1}));
  program.addOutput(program.add(Opcode::Sub, {m, v}, f16({5, 1})));
  TileGraph tiles;
  tiles.loop = 5;
  ValueId x = tiles.addInput(f16({5, 16}));
  tiles.tileInputs = {{{}, 1}};
  ValueId tm = tiles.add(Opcode::Accumulate, {x}, f32({5, 1}),
                         accumulate(Opcode::Max, {1}));
  ValueId tv = tiles.add(Opcode::Accumulate, {x}, f32({5, 1}),
                         accumulate(Opcode::Mean, {1}, 70));
  tiles.addOutput(tiles.add(Opcode::Sub, {tm, tv}, f32({5, 1})));
  tiles.tileOutputs = {{{}}};
  expectEqual(program, makeKernel(program, tiles));
}

/// The variances of two rows of 70 numbers in tiles of 16.
/// \param extent  how many elements a mask leaves; none for no mask but that of
///                the last tile, which is partial.
static Graph variancesOverTheLoop(std::optional<int64_t> extent) {
  Graph program;
  ValueId a = program.addInput(f32({2, 70}));
  program.addOutput(program.add(Opcode::Mean, {a}, f32({2, 1}), over({1})));
  TileGraph tiles;
  tiles.loop = 5;
  ValueId x = tiles.addInput(f32({2, 16}));
  tiles.tileInputs = {{{}, 1}};
  if (extent) {
    Attributes mask;
    mask.dims = {1};
    mask.axes = {Axis::Loop};
    mask.extent = *extent;
    mask.scalars = {-HUGE_VAL};
    x = tiles.add(Opcode::Mask, {x}, f32({2, 16}), mask);
  }
  tiles.addOutput(tiles.add(Opcode::Accumulate, {x}, f32({2, 1}),
                            accumulate(Opcode::Variance, {1})));
  tiles.tileOutputs = {{{}}};
  return makeKernel(program, tiles);
}

/// Of rows one of which has a mean of 8 million and a variance of 5: squares
/// would lose what there is of it in float64 as well.
TEST(TileWalk, VarianceOverTheLoop) {
  std::vector<double> values;
  for (double mean : {0x1p23, -7.0})
    for (int i = 0; i < 70; ++i)
      values.push_back(mean + i % 8);
  HostTensor input = encode(f32({2, 70}), values);
  for (int extent : {1, 7, 32, 69, 70}) {
    double mean = 0, variance = 0;
    for (int i = 0; i < extent; ++i)
      mean += double(i % 8) / extent;
    for (int i = 0; i < extent; ++i)
      variance += (i % 8 - mean) * (i % 8 - mean) / extent;
    auto found = evaluateReference(
        variancesOverTheLoop(extent < 70 ? std::optional<int64_t>(extent)
                                         : std::nullopt),
        {input}, {1, false});
    ASSERT_TRUE(static_cast<bool>(found)) << llvm::toString(found.takeError());
    for (double value : found->front().values)
      EXPECT_NEAR(value, variance, 1e-8 * variance) << extent;
  }
}

/// Means of rows of y, weighted by the softmax of x: in `loop` iterations and
/// `split` blocks, each of which takes exponentials relative to its own
/// maximum.
static TileGraph onlineSoftmaxMean(int64_t rows, int64_t width, int64_t loop,
                                   int64_t split) {
  TileGraph tiles;
  tiles.grid = {split};
  tiles.loop = loop;
  TensorSpec tile = f32({rows, width}), row = f32({rows, 1});
  ValueId x = tiles.addInput(tile), y = tiles.addInput(tile);
  tiles.tileInputs = {{{1}, 1}, {{1}, 1}};
  ValueId m = tiles.add(Opcode::Max, {x}, row, over({1}));
  ValueId d = tiles.add(Opcode::Sub, {x, m}, tile);
  ValueId e = tiles.add(Opcode::Exp, {d}, tile);
  ValueId weighted = tiles.add(Opcode::Mul, {e, y}, tile);
  llvm::SmallVector<ValueId> sums;
  for (ValueId part : {weighted, e})
    sums.push_back(tiles.add(Opcode::Accumulate, {part, m}, row,
                             accumulate(Opcode::Sum, {1})));
  ValueId largest =
      tiles.add(Opcode::Accumulate, {m}, row, accumulate(Opcode::Max));
  for (ValueId &sum : sums)
    sum = tiles.add(Opcode::Accumulate, {sum, largest}, row,
                    accumulate(Opcode::Sum, {}, 0, Axis::X));
  tiles.addOutput(tiles.add(Opcode::Div, {sums[0], sums[1]}, row));
  tiles.tileOutputs = {{{kReplicated}}};
  return tiles;
}

static double getSoftmaxMean(llvm::ArrayRef<double> x,
                             llvm::ArrayRef<double> y) {
  double largest = *llvm::max_element(x), top = 0, sum = 0;
  for (auto [logit, value] : llvm::zip_equal(x, y)) {
    top += value * std::exp(logit - largest);
    sum += std::exp(logit - largest);
  }
  return top / sum;
}

/// exp(10000) has no value in float64, nor has exp(-inf - -inf).
TEST(TileWalk, RescaledSumsOfLargeAndOfHiddenLogits) {
  constexpr int64_t kRows = 4, kWidth = 24;
  Graph kernel;
  TensorSpec type = f32({kRows, kWidth});
  ValueId in = kernel.addInput(type), values = kernel.addInput(type);
  kernel.addOutput(kernel.addGraph(
      {in, values},
      std::make_shared<TileGraph>(onlineSoftmaxMean(kRows, 4, 3, 2)),
      {f32({kRows, 1})}));
  std::vector<double> x(kRows * kWidth), y(kRows * kWidth);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = (i * 37 % 41 - 20.0) * 500;
    y[i] = i % 7 - 3.0;
  }
  // The first iteration; a middle one; one block; all but one key.
  std::fill_n(&x[0], 4, -HUGE_VAL);
  std::fill_n(&x[kWidth + 4], 4, -HUGE_VAL);
  std::fill_n(&x[2 * kWidth + 12], 12, -HUGE_VAL);
  std::fill_n(&x[3 * kWidth], 23, -HUGE_VAL);
  auto found = llvm::cantFail(
      evaluateReference(kernel, {encode(type, x), encode(type, y)}));
  for (int64_t row = 0; row < kRows; ++row)
    EXPECT_NEAR(found[0].values[row],
                getSoftmaxMean(llvm::ArrayRef(x).slice(row * kWidth, kWidth),
                               llvm::ArrayRef(y).slice(row * kWidth, kWidth)),
                1e-12);
}

/// Rounding is at the element type of each result, and of inputs alone where
/// none is asked for: 1 + 2^-12 is no f16, and a third no f32.
TEST(TileWalk, DeclaredRounding) {
  TileGraph tiles;
  tiles.loop = 3;
  ValueId x = tiles.addInput(f32({1, 1}));
  tiles.tileInputs = {{{}, 1}};
  ValueId sum =
      tiles.add(Opcode::Accumulate, {x}, f32({1, 1}), accumulate(Opcode::Sum));
  tiles.addOutput(tiles.add(Opcode::Cast, {sum}, f16({1, 1})));
  tiles.tileOutputs = {{{}}};
  Graph graph;
  ValueId in = graph.addInput(f32({1, 3}));
  ValueId stored =
      graph.addGraph({in}, std::make_shared<TileGraph>(tiles), {f16({1, 1})});
  Attributes third;
  third.scalars = {1 / 3.0};
  graph.addOutput(stored);
  graph.addOutput(graph.add(Opcode::Scale, {stored}, f32({1, 1}), third));
  auto evaluate = [&](llvm::ArrayRef<double> values, Rounding rounding) {
    auto outputs = llvm::cantFail(evaluateReference(
        graph, {encode(f32({1, 3}), values)}, {1, false, rounding}));
    return std::pair(outputs[0].values[0], outputs[1].values[0]);
  };
  double small = 0x1p-12;
  EXPECT_EQ(evaluate({1, small, 0}, Rounding::Exact),
            std::pair(1 + small, (1 + small) * (1 / 3.0)));
  EXPECT_EQ(evaluate({1, small, 0}, Rounding::Declared),
            std::pair(1.0, double(1 / 3.0f)));
  // An accumulator is an f32 after every iteration: 2^24 + 1 is 2^24.
  EXPECT_EQ(evaluate({0x1p24, 1, -0x1p24}, Rounding::Exact).first, 1);
  EXPECT_EQ(evaluate({0x1p24, 1, -0x1p24}, Rounding::Declared).first, 0);
}

/// A block graph whose step is a thread graph.
TEST(TileWalk, NestedGraphs) {
  Graph program;
  ValueId a = program.addInput(f16({40, 64}));
  ValueId e = program.add(Opcode::Exp, {a}, f32({40, 64}));
  program.addOutput(program.add(Opcode::Sum, {e}, f16({40, 1}), over({1})));
  auto threads = std::make_shared<TileGraph>();
  threads->level = Level::Thread;
  threads->grid = {2};
  threads->loop = 4;
  ValueId f = threads->addInput(f16({8, 4}));
  threads->tileInputs = {{{0}, 1}};
  ValueId fe = threads->add(Opcode::Exp, {f}, f32({8, 4}));
  threads->addOutput(threads->add(Opcode::Accumulate, {fe}, f32({8, 1}),
                                  accumulate(Opcode::Sum, {1})));
  threads->tileOutputs = {{{0}}};
  TileGraph blocks;
  blocks.grid = {3};
  blocks.loop = 4;
  ValueId x = blocks.addInput(f16({16, 16}));
  blocks.tileInputs = {{{0}, 1}};
  ValueId part = blocks.addGraph({x}, threads, {f32({16, 1})});
  blocks.addOutput(blocks.add(Opcode::Accumulate, {part}, f32({16, 1}),
                              accumulate(Opcode::Sum)));
  blocks.tileOutputs = {{{0}}};
  expectEqual(program, makeKernel(program, blocks));
}

/// The block graph that every operator has, in shared memory small enough for
/// several blocks and iterations, computes what the operator does.
static void checkDefault(const Graph &program) {
  llvm::Expected<TileGraph> tiles =
      buildDefaultTileGraph(program, program.getNodes()[0], 24 << 10);
  ASSERT_TRUE(static_cast<bool>(tiles)) << llvm::toString(tiles.takeError());
  expectEqual(program, makeKernel(program, *tiles));
}

TEST(TileWalk, DefaultGraphOfEveryOperator) {
  for (const OperatorInfo &row : getOperatorTable()) {
    if ((row.kind != OperatorKind::Elementwise &&
         row.kind != OperatorKind::Reduction) ||
        row.numOperands == 0 || !row.existsAt(Level::Kernel))
      continue;
    if (row.name == "log" || row.name == "sqrt" || row.name == "rsqrt" ||
        row.name == "pow")
      continue; // not defined on all random inputs
    SCOPED_TRACE(row.name.str());
    Graph program;
    Attributes attributes;
    attributes.scalars.assign(row.parameters.size(), 1.5);
    llvm::SmallVector<ValueId, 2> operands = {
        program.addInput(f16({13, 5, 333}))};
    if (row.numOperands == 2)
      operands.push_back(program.addInput(f16({5, 1})));
    Shape result = {13, 5, 333};
    if (row.kind == OperatorKind::Reduction) {
      attributes.dims = {0, 2};
      result = {1, 5, 1};
    }
    program.addOutput(
        program.add(row.opcode, operands, f16(result), attributes));
    checkDefault(program);
  }
}

TEST(TileWalk, DefaultGraphOfMatmul) {
  Graph program;
  ValueId a = program.addInput(f16({3, 1, 100, 77}));
  ValueId b = program.addInput(f16({2, 77, 130}));
  program.addOutput(program.add(Opcode::Matmul, {a, b}, f16({3, 2, 100, 130})));
  checkDefault(program);
}
