//===- GraphTest.cpp - Tests of µGraphs as plain values -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/Graph.h"
#include "Mirage/Graph/DefaultTileGraph.h"
#include "Mirage/Graph/GraphJSON.h"
#include "Mirage/Graph/JSONCursor.h"
#include "Mirage/Graph/Work.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace mlir::mirage;

static TensorSpec f16(Shape shape) { return {shape, ElementType::F16}; }
static TensorSpec f32(Shape shape) { return {shape, ElementType::F32}; }

static Attributes accumulate(Opcode reduction, Shape dims = {},
                             int64_t count = 0) {
  Attributes attributes;
  attributes.reduction = reduction;
  attributes.dims = dims;
  attributes.count = count;
  return attributes;
}

/// RMSNorm and linear in one kernel, M x K by K x N, with tiles K/l by N/g.
static std::shared_ptr<TileGraph> fusedRmsLinear(int64_t m, int64_t k,
                                                 int64_t tileK, int64_t loop,
                                                 int64_t tileN, int64_t grid) {
  auto tiles = std::make_shared<TileGraph>();
  tiles->grid = {grid};
  tiles->loop = loop;
  ValueId x = tiles->addInput(f16({m, tileK}));
  ValueId w = tiles->addInput(f16({tileK, tileN}));
  tiles->tileInputs = {{{kReplicated}, 1}, {{1}, 0}};
  ValueId rms = tiles->add(Opcode::Accumulate, {x}, f32({m, 1}),
                           accumulate(Opcode::Rms, {1}, k));
  ValueId product = tiles->add(Opcode::Matmul, {x, w}, f32({m, tileN}));
  ValueId sum = tiles->add(Opcode::Accumulate, {product}, f32({m, tileN}));
  tiles->addOutput(tiles->add(Opcode::Div, {sum, rms}, f32({m, tileN})));
  tiles->tileOutputs = {{{1}}};
  return tiles;
}

static Graph program(Shape x, Shape w, std::shared_ptr<TileGraph> tiles) {
  Graph graph;
  ValueId left = graph.addInput(f16(x), "X"),
          right = graph.addInput(f16(w), "W");
  graph.addOutput(graph.addGraph({left, right}, tiles, {f16({x[0], w[1]})}));
  return graph;
}

static std::string verifyMessage(const Graph &graph) {
  llvm::Error error = verify(graph);
  return error ? llvm::toString(std::move(error)) : "";
}

TEST(Graph, AWellFormedTileGraphVerifies) {
  EXPECT_EQ(verifyMessage(program({8, 4096}, {4096, 6144},
                                  fusedRmsLinear(8, 4096, 64, 64, 32, 192))),
            "");
  // Nothing divides.
  EXPECT_EQ(verifyMessage(program({7, 1000}, {1000, 130},
                                  fusedRmsLinear(7, 1000, 64, 16, 32, 5))),
            "");
}

TEST(Graph, TilesMustCover) {
  EXPECT_EQ(
      verifyMessage(program({8, 4096}, {4096, 6144},
                            fusedRmsLinear(8, 4096, 64, 63, 32, 192))),
      "operation 0 (graph): operand 0: expects tiles that cover dimension "
      "1 of size 4096, got tiles that cover 4032");
  EXPECT_EQ(
      verifyMessage(program({9, 4096}, {4096, 6144},
                            fusedRmsLinear(8, 4096, 64, 64, 32, 192))),
      "operation 0 (graph): operand 0: expects tiles that cover dimension "
      "0 of size 9, got tiles that cover 8");
}

TEST(Graph, PhasesMustNotMeet) {
  auto tiles = fusedRmsLinear(8, 4096, 64, 64, 32, 192);
  tiles->add(Opcode::Div, {3, 2}, f32({8, 32}));
  EXPECT_EQ(verifyMessage(program({8, 4096}, {4096, 6144}, tiles)),
            "operation 0 (graph): operation 4 (div): expects operands of one "
            "phase, got operand 0 of the loop and operand 1 from after it; an "
            "accumulate over the loop leads from one to the other");
}

/// One kernel on 8x64 with a grid of 2 and one operation before its output.
static std::string verifyTileOperation(int64_t loop, Opcode opcode,
                                       Attributes attributes,
                                       bool isAfterLoop = false) {
  auto tiles = std::make_shared<TileGraph>();
  tiles->grid = {2};
  tiles->loop = loop;
  ValueId x = tiles->addInput(f32({4, 64}));
  tiles->tileInputs = {{{0}, kReplicated}};
  tiles->tileOutputs = {{{0}}};
  if (isAfterLoop) {
    Attributes alongLoop;
    alongLoop.dims = {1};
    alongLoop.axes = {Axis::Loop};
    alongLoop.extent = 64;
    alongLoop.scalars = {0.0};
    x = tiles->add(Opcode::Mask, {x}, f32({4, 64}), alongLoop);
    x = tiles->add(Opcode::Accumulate, {x}, f32({4, 64}));
  }
  x = tiles->add(opcode, {x}, f32({4, 64}), attributes);
  tiles->addOutput(x);
  Graph graph;
  ValueId input = graph.addInput(f32({8, 64}));
  graph.addOutput(graph.addGraph({input}, tiles, {f32({8, 64})}));
  return verifyMessage(graph);
}

TEST(Graph, OnlyValuesOfTheLoopAccumulateOverIt) {
  EXPECT_EQ(verifyTileOperation(4, Opcode::Accumulate, {}),
            "operation 0 (graph): operation 0 (accumulate): expects a value of "
            "the loop to accumulate over it, got operand 0 that the loop does "
            "not change");
  EXPECT_EQ(verifyTileOperation(1, Opcode::Accumulate, {}), "");
  EXPECT_EQ(verifyTileOperation(4, Opcode::Accumulate, {}, true),
            "operation 0 (graph): operation 2 (accumulate): expects a value of "
            "the loop to accumulate over it, got operand 0 from after it");
}

static Attributes mask(llvm::ArrayRef<Axis> axes) {
  Attributes attributes;
  attributes.dims = {1};
  attributes.axes.assign(axes.begin(), axes.end());
  attributes.extent = 64;
  attributes.scalars = {0.0};
  return attributes;
}

TEST(Graph, AMaskAlongTheLoopIsOfTheLoop) {
  EXPECT_EQ(verifyTileOperation(4, Opcode::Mask, mask({Axis::Loop})),
            "operation 0 (graph): expects outputs from after the loop, got %1 "
            "of the loop");
  EXPECT_EQ(verifyTileOperation(4, Opcode::Mask, mask({Axis::X}), true), "");
  EXPECT_EQ(verifyTileOperation(4, Opcode::Mask, mask({Axis::Loop}), true),
            "operation 0 (graph): operation 2 (mask): expects a value of the "
            "loop to mask along it, got operand 0 from after it");
}

TEST(Graph, AxesMustExist) {
  EXPECT_EQ(verifyTileOperation(1, Opcode::Mask, mask({Axis::Y})),
            "operation 0 (graph): operation 0 (mask): expects the loop or one "
            "of the graph's 1 grid axes, got y");
  EXPECT_EQ(verifyTileOperation(1, Opcode::Mask, mask({Axis::Loop, Axis::X})),
            "operation 0 (graph): operation 0 (mask): expects axes in the "
            "order x, y, z, loop, got x after loop");
  Attributes overZ;
  overZ.axis = Axis::Z;
  EXPECT_EQ(verifyTileOperation(1, Opcode::Accumulate, overZ),
            "operation 0 (graph): operation 0 (accumulate): expects the loop "
            "or one of the graph's 1 grid axes, got z");
}

TEST(Graph, JSONRoundTrip) {
  Graph graph =
      program({7, 1000}, {1000, 130}, fusedRmsLinear(7, 1000, 64, 16, 32, 5));
  llvm::Expected<Graph> back = graphFromJSON(toJSON(graph));
  ASSERT_TRUE(static_cast<bool>(back)) << llvm::toString(back.takeError());
  EXPECT_EQ(toString(*back), toString(graph));
}

/// Slices, concats, masks, constants and norms keep their attributes.
TEST(Graph, JSONRoundTripOfAttributes) {
  Graph graph;
  ValueId x = graph.addInput(f16({8, 64}));
  Attributes part, along, causal, constant, norm;
  part.offsets = {1, 0};
  part.strides = {2, 1};
  along.dims = {0};
  causal.offset = -3;
  constant.scalars = {-std::numeric_limits<double>::infinity()};
  norm.dims = {1};
  norm.scalars = {1e-5};
  ValueId slice = graph.add(Opcode::Slice, {x}, f16({3, 64}), part);
  ValueId low = graph.add(Opcode::Constant, {}, f16({5, 64}), constant);
  ValueId joined = graph.add(Opcode::Concat, {slice, low}, f16({8, 64}), along);
  ValueId masked =
      graph.add(Opcode::CausalMask, {joined}, f16({8, 64}), causal);
  graph.addOutput(graph.add(Opcode::RmsNorm, {masked, x}, f16({8, 64}), norm));
  llvm::Expected<Graph> back = graphFromJSON(toJSON(graph));
  ASSERT_TRUE(static_cast<bool>(back)) << llvm::toString(back.takeError());
  EXPECT_EQ(toString(*back), toString(graph));
  for (auto [before, after] :
       llvm::zip_equal(graph.getNodes(), back->getNodes()))
    EXPECT_EQ(before.attributes, after.attributes);
}

TEST(Graph, JSONRoundTripOfCoordinates) {
  Attributes causal;
  causal.axes = {Axis::X};
  causal.columnAxes = {Axis::Loop};
  TileGraph masked;
  masked.grid = {4};
  masked.loop = 8;
  ValueId x = masked.addInput(f16({2, 8}));
  masked.tileInputs = {{{0}, 1}};
  ValueId mask = masked.add(Opcode::CausalMask, {x}, f16({2, 8}), causal);
  masked.addOutput(masked.add(Opcode::Accumulate, {mask}, f32({2, 8}),
                              accumulate(Opcode::Max)));
  masked.tileOutputs = {{{0}}};
  Graph graph;
  ValueId whole = graph.addInput(f16({8, 64}));
  graph.addOutput(graph.addGraph({whole}, std::make_shared<TileGraph>(masked),
                                 {f16({8, 8})}));
  llvm::Expected<Graph> back = graphFromJSON(toJSON(graph));
  ASSERT_TRUE(static_cast<bool>(back)) << llvm::toString(back.takeError());
  EXPECT_EQ(back->getNodes()[0].body->getNodes()[0].attributes, causal);
}

/// exp of rows in online form: Σ exp(x - m) relative to the largest m, over the
/// loop and over the blocks of a cluster.
static std::shared_ptr<TileGraph> onlineSum(int64_t width, int64_t tile) {
  auto tiles = std::make_shared<TileGraph>();
  tiles->grid = {2, 4};
  tiles->cluster = {1, 4};
  tiles->loop = (width + 4 * tile - 1) / (4 * tile);
  ValueId x = tiles->addInput(f16({4, tile}));
  tiles->tileInputs = {{{0, 1}, 1}};
  Attributes rows;
  rows.dims = {1};
  ValueId m = tiles->add(Opcode::Max, {x}, f32({4, 1}), rows);
  ValueId d = tiles->add(Opcode::Sub, {x, m}, f32({4, tile}));
  ValueId e = tiles->add(Opcode::Exp, {d}, f32({4, tile}));
  ValueId sum = tiles->add(Opcode::Accumulate, {e, m}, f32({4, 1}),
                           accumulate(Opcode::Sum, {1}));
  ValueId largest =
      tiles->add(Opcode::Accumulate, {m}, f32({4, 1}), accumulate(Opcode::Max));
  Attributes blocks = accumulate(Opcode::Sum);
  blocks.axis = Axis::Y;
  tiles->addOutput(
      tiles->add(Opcode::Accumulate, {sum, largest}, f32({4, 1}), blocks));
  tiles->tileOutputs = {{{0, kReplicated}}};
  return tiles;
}

static Graph onlineSumProgram(std::shared_ptr<TileGraph> tiles) {
  Graph graph;
  ValueId x = graph.addInput(f16({8, 100}));
  graph.addOutput(graph.addGraph({x}, tiles, {f32({8, 1})}));
  return graph;
}

TEST(Graph, JSONKeepsClustersAndWhatRescales) {
  Graph graph = onlineSumProgram(onlineSum(100, 9));
  EXPECT_EQ(verifyMessage(graph), "");
  EXPECT_NE(toString(graph).find("cluster [1, 4]"), std::string::npos);
  llvm::Expected<Graph> back = graphFromJSON(toJSON(graph));
  ASSERT_TRUE(static_cast<bool>(back)) << llvm::toString(back.takeError());
  EXPECT_EQ(toString(*back), toString(graph));
}

TEST(Graph, ClustersDivideTheGrid) {
  auto message = [](llvm::SmallVector<int64_t, 3> cluster) {
    std::shared_ptr<TileGraph> tiles = onlineSum(100, 9);
    tiles->cluster = cluster;
    return verifyMessage(onlineSumProgram(tiles));
  };
  EXPECT_EQ(message({2, 2}), "");
  EXPECT_EQ(message({1, 3}), "operation 0 (graph): expects a cluster that "
                             "divides the 4 blocks along y, got 3");
  EXPECT_EQ(message({1}), "operation 0 (graph): expects a cluster with an "
                          "extent for each of 2 grid axes, got 1");
}

TEST(Graph, JSONErrorsNameTheMember) {
  auto message = [](llvm::StringRef text) {
    llvm::Expected<Graph> graph =
        graphFromJSON(llvm::cantFail(llvm::json::parse(text)));
    return graph ? "" : llvm::toString(graph.takeError());
  };
  EXPECT_EQ(message("[]"), "expects an object, got an array");
  EXPECT_EQ(message(R"({"inputs": 3})"), "inputs: expects an array, got 3");
  EXPECT_EQ(
      message(
          R"({"inputs": [], "operations": [{"operator": "frob"}], "outputs": []})"),
      "operations[0].operator: expects the name of an operator, got \"frob\"");
  // Not operand 0, which 2 to the power of 32 is in 32 bits.
  EXPECT_EQ(message(R"({"inputs": [], "operations": [{"operator": "exp",
                        "operands": [4294967296]}], "outputs": []})"),
            "operations[0].operands[0]: expects an integer from 0 to "
            "4294967295, got 4294967296");
  EXPECT_EQ(message(R"({"inputs": [], "operations": [], "outputs": [0]})"),
            "expects an output among the values, got %0");
}

/// What a reader does not know is not read over.
TEST(Graph, JSONHoldsNothingElse) {
  Graph graph;
  ValueId x = graph.addInput(f32({8, 64}));
  graph.addOutput(graph.add(Opcode::Exp, {x}, f32({8, 64})));
  auto message = [&](llvm::function_ref<void(llvm::json::Object & program,
                                             llvm::json::Object & operation)>
                         change) {
    llvm::json::Value value = toJSON(graph);
    llvm::json::Object &program = *value.getAsObject();
    change(program, *(*program.getArray("operations"))[0].getAsObject());
    llvm::Expected<Graph> back = graphFromJSON(value);
    return back ? "" : llvm::toString(back.takeError());
  };
  EXPECT_EQ(message([](auto &, auto &) {}), "");
  EXPECT_EQ(message([](auto &program, auto &) { program["grid"] = 3; }),
            "expects members among inputs, operations, outputs, got grid");
  EXPECT_EQ(message([](auto &, auto &operation) {
              llvm::json::Array *types = operation.getArray("types");
              types->push_back((*types)[0]);
            }),
            "operations[0].types: expects one result, got 2");
  llvm::StringRef known =
      "operations[0]: expects members among operator, operands, types, "
      "scalars, dims, count, extent, axes, columnAxes, offset, offsets, "
      "strides, axis, reduction, got ";
  EXPECT_EQ(message([](auto &, auto &operation) { operation["dimms"] = 1; }),
            (known + "dimms").str());
  EXPECT_EQ(message([](auto &program, auto &operation) {
              operation["body"] = llvm::json::Value(nullptr);
            }),
            (known + "body").str());
}

/// What IR's own attributes keep out, and a graph in JSON does not.
TEST(Graph, AttributesAreChecked) {
  auto message = [](Opcode opcode, Attributes attributes) {
    auto tiles = std::make_shared<TileGraph>();
    tiles->tileInputs = {{{}, kReplicated}};
    tiles->tileOutputs = {{{}}};
    ValueId x = tiles->addInput(f32({8, 64}));
    tiles->addOutput(tiles->add(opcode, {x}, f32({8, 64}), attributes));
    Graph graph;
    graph.addInput(f32({8, 64}));
    graph.addOutput(graph.addGraph({0}, tiles, {f32({8, 64})}));
    return verifyMessage(graph);
  };
  EXPECT_EQ(message(Opcode::Accumulate, accumulate(Opcode::Exp)),
            "operation 0 (graph): operation 0 (accumulate): expects a "
            "reduction to accumulate with, got exp");
  Attributes factor;
  factor.scalars = {NAN};
  EXPECT_EQ(message(Opcode::Scale, factor),
            "operation 0 (graph): operation 0 (scale): expects a number as "
            "factor, got NaN");
}

TEST(Graph, ItemsHaveNoClusters) {
  auto items = std::make_shared<TileGraph>();
  auto tiles = std::make_shared<TileGraph>();
  items->level = Level::Thread;
  items->threads = 32;
  items->grid = {2};
  items->cluster = {2};
  items->tileInputs = {{{kReplicated}, kReplicated}};
  items->tileOutputs = {{{kReplicated}}};
  items->addOutput(items->addInput(f32({8, 64})));
  tiles->tileInputs = {{{}, kReplicated}};
  tiles->tileOutputs = {{{}}};
  tiles->addInput(f32({8, 64}));
  tiles->addOutput(tiles->addGraph({0}, items, {f32({8, 64})}));
  Graph graph;
  graph.addInput(f32({8, 64}));
  graph.addOutput(graph.addGraph({0}, tiles, {f32({8, 64})}));
  EXPECT_EQ(verifyMessage(graph),
            "operation 0 (graph): operation 0 (graph): expects clusters of "
            "blocks, got one in a thread graph");
}

TEST(Graph, LevelsHoldTheirOwnOperators) {
  Graph graph;
  ValueId x = graph.addInput(f32({8, 64}));
  graph.addOutput(graph.add(Opcode::Accumulate, {x}, f32({8, 64})));
  EXPECT_EQ(verifyMessage(graph),
            "operation 0 (accumulate): expects operators of the kernel level, "
            "got accumulate, which exists from the block to the thread level "
            "only");
}

TEST(Graph, BlockGraphsDoNotNest) {
  auto makeCopy = [] {
    auto tiles = std::make_shared<TileGraph>();
    tiles->addInput(f32({8, 64}));
    tiles->tileInputs = {{{}, kReplicated}};
    tiles->tileOutputs = {{{}}};
    return tiles;
  };
  auto inner = makeCopy(), outer = makeCopy();
  inner->addOutput(0);
  outer->addOutput(outer->addGraph({0}, inner, {f32({8, 64})}));
  Graph graph;
  graph.addInput(f32({8, 64}));
  graph.addOutput(graph.addGraph({0}, outer, {f32({8, 64})}));
  EXPECT_EQ(verifyMessage(graph),
            "operation 0 (graph): operation 0 (graph): expects a thread graph "
            "in a block graph, got a block graph");
  inner->level = Level::Thread;
  EXPECT_EQ(verifyMessage(graph), "");
}

TEST(Graph, OnlyCastsRoundInTileGraphs) {
  auto message = [](Opcode opcode, bool isKernel) {
    Graph graph;
    ValueId x = graph.addInput(f16({8, 64}));
    auto tiles = std::make_shared<TileGraph>();
    ValueId tile = tiles->addInput(f16({8, 64}));
    tiles->tileInputs = {{{}, kReplicated}};
    tiles->tileOutputs = {{{}}};
    tiles->addOutput(tiles->add(opcode, {tile}, f32({8, 64})));
    graph.addOutput(isKernel ? graph.add(opcode, {x}, f32({8, 64}))
                             : graph.addGraph({x}, tiles, {f32({8, 64})}));
    return verifyMessage(graph);
  };
  EXPECT_EQ(message(Opcode::Reshape, true),
            "operation 0 (reshape): expects a result of its operand's element "
            "type, f16, got f32; a cast rounds");
  EXPECT_EQ(message(Opcode::Broadcast, true), "");
  EXPECT_EQ(message(Opcode::Broadcast, false),
            "operation 0 (graph): operation 0 (broadcast): expects a result of "
            "its operand's element type, f16, got f32; a cast rounds");
  EXPECT_EQ(message(Opcode::Cast, false), "");
}

TEST(Graph, CountsDoNotOverflow) {
  auto message = [](int64_t extent, int64_t tile) {
    auto tiles = std::make_shared<TileGraph>();
    tiles->grid = {extent, 4};
    tiles->tileInputs = {{{0, kReplicated}, kReplicated}};
    tiles->tileOutputs = {{{0, kReplicated}}};
    tiles->addOutput(tiles->addInput(f32({tile})));
    Graph graph;
    graph.addInput(f32({8}));
    graph.addOutput(graph.addGraph({0}, tiles, {f32({8})}));
    return verifyMessage(graph);
  };
  EXPECT_EQ(message(2, 4), "");
  EXPECT_EQ(message(int64_t(1) << 62, 4),
            "operation 0 (graph): expects a grid of at most 2^40 blocks, got "
            "more");
  EXPECT_EQ(message(int64_t(1) << 38, int64_t(1) << 38),
            "operation 0 (graph): operand 0: expects tiles that cover "
            "dimension 0 of size 8, got tiles that cover more than 2^40");
  Graph graph;
  graph.addOutput(graph.addInput(f32({int64_t(1) << 32, int64_t(1) << 32})));
  EXPECT_EQ(verifyMessage(graph),
            "input 0: expects at most 2^40 elements, got more");
}

/// How many masks a completed tile graph has.
static int countMasks(const TileGraph &graph) {
  return llvm::count_if(graph.getNodes(), [](const Node &operation) {
    return operation.opcode == Opcode::Mask;
  });
}

TEST(MaskPartialTiles, ZerosUnderASumNeedNoMask) {
  auto tiles = fusedRmsLinear(7, 1000, 64, 16, 32, 5);
  TileGraph completed = llvm::cantFail(
      maskPartialTiles(*tiles, {f16({7, 1000}), f16({1000, 130})}));
  EXPECT_EQ(countMasks(completed), 0);
}

TEST(MaskPartialTiles, ExponentialsUnderASumNeedOne) {
  TileGraph tiles;
  tiles.loop = 4;
  ValueId x = tiles.addInput(f16({5, 32}));
  tiles.tileInputs = {{{}, 1}};
  ValueId e = tiles.add(Opcode::Exp, {x}, f32({5, 32}));
  tiles.addOutput(tiles.add(Opcode::Accumulate, {e}, f32({5, 1}),
                            accumulate(Opcode::Sum, {1})));
  tiles.tileOutputs = {{{}}};
  EXPECT_EQ(
      countMasks(llvm::cantFail(maskPartialTiles(tiles, {f16({5, 128})}))), 0);
  TileGraph completed =
      llvm::cantFail(maskPartialTiles(tiles, {f16({5, 100})}));
  ASSERT_EQ(countMasks(completed), 1);
  const Node &mask = completed.getNodes()[1];
  EXPECT_EQ(mask.opcode, Opcode::Mask);
  EXPECT_EQ(mask.attributes.extent, 100);
  EXPECT_EQ(mask.attributes.scalars[0], 0.0);
}

/// Neither what is summed nor the maximum that it is relative to may come from
/// beyond the end.
TEST(MaskPartialTiles, RescaledSumsNeedOnes) {
  std::shared_ptr<TileGraph> tiles = onlineSum(100, 9);
  EXPECT_EQ(
      countMasks(llvm::cantFail(maskPartialTiles(*tiles, {f16({8, 100})}))), 2);
  EXPECT_EQ(llvm::cantFail(maskPartialTiles(*tiles, {f16({8, 100})})).cluster,
            tiles->cluster);
  // A maximum that has the padded dimension itself is masked by itself.
  TileGraph columns;
  columns.loop = 2;
  ValueId x = columns.addInput(f32({4, 9})), m = columns.addInput(f32({4, 9}));
  columns.tileInputs = {{{}, 1}, {{}, 1}};
  columns.addOutput(columns.add(Opcode::Accumulate, {x, m}, f32({4, 9}),
                                accumulate(Opcode::Sum)));
  columns.tileOutputs = {{{}}};
  TileGraph masked =
      llvm::cantFail(maskPartialTiles(columns, {f32({4, 16}), f32({4, 16})}));
  ASSERT_EQ(countMasks(masked), 1);
  EXPECT_EQ(masked.getNodes()[0].operands[0], m);
  EXPECT_EQ(masked.getNodes()[0].attributes.scalars[0], -HUGE_VAL);
}

TEST(MaskPartialTiles, ZerosUnderAMaximumNeedOne) {
  TileGraph tiles;
  tiles.grid = {2};
  ValueId x = tiles.addInput(f16({5, 32}));
  tiles.tileInputs = {{{0}, kReplicated}};
  Attributes rows;
  rows.dims = {0};
  ValueId m = tiles.add(Opcode::Max, {x}, f32({1, 32}), rows);
  tiles.addOutput(m);
  TileGraph completed = llvm::cantFail(maskPartialTiles(tiles, {f16({9, 32})}));
  ASSERT_EQ(countMasks(completed), 1);
  EXPECT_EQ(completed.getNodes()[0].attributes.scalars[0], -INFINITY);
}

/// A row of five tiles of 32 of which 100 elements are there, and what an
/// operation makes of it.
static std::string
maskMessage(llvm::function_ref<void(TileGraph &, ValueId)> addTo) {
  TileGraph tiles;
  tiles.grid = {4};
  tiles.loop = 4;
  ValueId x = tiles.addInput(f32({5, 32}));
  tiles.addInput(f32({5, 32}));
  tiles.tileInputs = {{{kReplicated}, 1}, {{1}, kReplicated}};
  addTo(tiles, x);
  llvm::Expected<TileGraph> masked =
      maskPartialTiles(tiles, {f32({5, 100}), f32({5, 100})});
  return masked ? "" : llvm::toString(masked.takeError());
}

TEST(MaskPartialTiles, OperandsEndAtOneElement) {
  EXPECT_EQ(maskMessage([](TileGraph &tiles, ValueId x) {
              tiles.add(Opcode::Mul, {x, x}, f32({5, 32}));
            }),
            "");
  EXPECT_EQ(maskMessage([](TileGraph &tiles, ValueId x) {
              tiles.add(Opcode::Mul, {x, x + 1}, f32({5, 32}));
            }),
            "operation 0 (mul): expects operands that end at one element along "
            "dimension 1, got one cut out of 100 elements by loop and one out "
            "of 100 by x");
  EXPECT_EQ(maskMessage([](TileGraph &tiles, ValueId x) {
              Attributes rows;
              rows.dims = {0};
              tiles.add(Opcode::Concat, {x, x + 1}, f32({10, 32}), rows);
            }),
            "operation 0 (concat): expects operands that end at one element "
            "along dimension 1, got one cut out of 100 elements by loop and "
            "one out of 100 by x");
}

TEST(MaskPartialTiles, PartialDimensionsAreMovedAsAWhole) {
  EXPECT_EQ(maskMessage([](TileGraph &tiles, ValueId x) {
              Attributes columns;
              columns.dims = {1};
              tiles.add(Opcode::Concat, {x, x}, f32({5, 64}), columns);
            }),
            "operation 0 (concat): expects whole tiles to put side by side, "
            "got operand 0 partial along dimension 1");
  EXPECT_EQ(maskMessage([](TileGraph &tiles, ValueId x) {
              Attributes part;
              part.offsets = {0, 0};
              part.strides = {1, 1};
              tiles.add(Opcode::Slice, {x}, f32({5, 16}), part);
            }),
            "operation 0 (slice): expects a slice to take the partial "
            "dimension 1 as a whole, got 16 of 32 elements");
  EXPECT_EQ(maskMessage([](TileGraph &tiles, ValueId x) {
              tiles.add(Opcode::Reshape, {x}, f32({5, 4, 8}));
            }),
            "operation 0 (reshape): expects a reshape to keep the partial "
            "dimension 1 of size 32, got [5, 4, 8]");
  EXPECT_EQ(maskMessage([](TileGraph &tiles, ValueId x) {
              Attributes lanes;
              lanes.dims = {0, 4};
              tiles.add(Opcode::Shuffle, {x}, f32({5, 32}), lanes);
            }),
            "operation 0 (shuffle): expects whole fragments to exchange "
            "elements of, got partial ones");
}

/// Zeros under a sum need no mask, but what somebody's own mask put there does,
/// unless it reaches as far as the padding.
TEST(MaskPartialTiles, AMaskOfOneElementMoreIsNotTheirs) {
  auto countWith = [](int64_t extent) {
    TileGraph tiles;
    tiles.loop = 4;
    ValueId x = tiles.addInput(f32({5, 32}));
    tiles.tileInputs = {{{}, 1}};
    Attributes mask;
    mask.scalars = {0.0};
    mask.dims = {1};
    mask.axes = {Axis::Loop};
    mask.extent = extent;
    ValueId e = tiles.add(Opcode::Exp, {x}, f32({5, 32}));
    ValueId m = tiles.add(Opcode::Mask, {e}, f32({5, 32}), mask);
    tiles.addOutput(tiles.add(Opcode::Accumulate, {m}, f32({5, 1}),
                              accumulate(Opcode::Sum, {1})));
    tiles.tileOutputs = {{{}}};
    return countMasks(llvm::cantFail(maskPartialTiles(tiles, {f32({5, 100})})));
  };
  EXPECT_EQ(countWith(100), 1);
  EXPECT_EQ(countWith(90), 1);
  EXPECT_EQ(countWith(101), 2);
}

/// The default block graph of a one-operation program verifies in its place.
static TileGraph buildDefault(const Graph &graph) {
  const Node &operation = graph.getNodes()[0];
  TileGraph tiles =
      llvm::cantFail(buildDefaultTileGraph(graph, operation, 227 << 10));
  llvm::Error error = verify(tiles, graph.getTypes(operation.operands),
                             graph.getTypes(operation.results));
  EXPECT_FALSE(static_cast<bool>(error)) << llvm::toString(std::move(error));
  EXPECT_LE(getSharedBytes(tiles), 227 << 10);
  return tiles;
}

TEST(DefaultTileGraph, MatmulOfOddSizes) {
  Graph graph;
  ValueId a = graph.addInput(f16({3, 1, 100, 77})),
          b = graph.addInput(f16({2, 77, 130}));
  graph.addOutput(graph.add(Opcode::Matmul, {a, b}, f16({3, 2, 100, 130})));
  TileGraph tiles = buildDefault(graph);
  EXPECT_GT(tiles.loop, 1);
}

TEST(DefaultTileGraph, EveryElementwiseAndReductionOperator) {
  for (const OperatorInfo &row : getOperatorTable()) {
    if ((row.kind != OperatorKind::Elementwise &&
         row.kind != OperatorKind::Reduction) ||
        row.numOperands == 0)
      continue;
    Graph graph;
    Attributes attributes;
    attributes.scalars.assign(row.parameters.size(), 1.5);
    llvm::SmallVector<ValueId, 2> operands = {
        graph.addInput(f16({70, 5, 1000}))};
    if (row.numOperands == 2)
      operands.push_back(graph.addInput(f16({5, 1})));
    Shape result = {70, 5, 1000};
    if (row.kind == OperatorKind::Reduction) {
      attributes.dims = {0, 2};
      result = {1, 5, 1};
    }
    graph.addOutput(graph.add(row.opcode, operands, f16(result), attributes));
    buildDefault(graph);
  }
}

TEST(DefaultTileGraph, SumsOverPaddingAreMasked) {
  Graph graph;
  ValueId x = graph.addInput(f16({4, 100}));
  Attributes dims;
  dims.dims = {1};
  graph.addOutput(graph.add(Opcode::Max, {x}, f16({4, 1}), dims));
  EXPECT_EQ(countMasks(buildDefault(graph)), 1);
}

TEST(Graph, JSONThatNestsTooDeeplyIsAnErrorAndNoCrash) {
  EXPECT_TRUE(static_cast<bool>(parseJSON("{\"a\": [\"[[[[\\\"[[\"]}")));
  llvm::Expected<llvm::json::Value> deep =
      parseJSON("\n" + std::string(100000, '['));
  ASSERT_FALSE(static_cast<bool>(deep));
  EXPECT_EQ(llvm::toString(deep.takeError()),
            "[2:257]: expects at most 256 nested arrays and objects, got more");
}

TEST(Graph, WorkIsThatOfAllBlocksAndIterations) {
  Graph product;
  ValueId x = product.addInput(f16({8, 4096}));
  ValueId w = product.addInput(f16({4096, 6144}));
  product.addOutput(product.add(Opcode::Matmul, {x, w}, f16({8, 6144})));
  EXPECT_EQ(countFlops(product), 2.0 * 8 * 4096 * 6144);

  // Beside the product, each tile is added up, and the quotient is taken.
  double tile = 8 * 64 + 2 * 8 * 64 * 32 + 8 * 32 + 8 * 32;
  EXPECT_EQ(countFlops(program({8, 4096}, {4096, 6144},
                               fusedRmsLinear(8, 4096, 64, 64, 32, 192))),
            tile * 192 * 64);
}
