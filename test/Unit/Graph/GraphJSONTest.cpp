//===- GraphJSONTest.cpp - Tests of µGraphs in JSON -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/GraphJSON.h"
#include "Mirage/Graph/JSONCursor.h"
#include "TileGraphs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

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

/// What divides by zero gives the infinity of its sign.
TEST(Graph, JSONKeepsTheSignOfZero) {
  for (double zero : {0.0, -0.0}) {
    Graph graph;
    ValueId x = graph.addInput(f16({4}));
    Attributes divisor;
    divisor.scalars = {zero};
    graph.addOutput(graph.add(Opcode::Unscale, {x}, f16({4}), divisor));
    std::string text = llvm::formatv("{0}", toJSON(graph));
    Graph back =
        llvm::cantFail(graphFromJSON(llvm::cantFail(llvm::json::parse(text))));
    double read = back.getNodes()[0].attributes.scalars[0];
    EXPECT_EQ(read, 0);
    EXPECT_EQ(std::signbit(read), std::signbit(zero)) << text;
  }
}

/// Of nested graphs too; exact is what is not said.
TEST(Graph, JSONKeepsHowProductsAreTaken) {
  Graph graph =
      program({8, 64}, {64, 32}, fusedRmsLinear(8, 64, 32, 16, 32, 2));
  EXPECT_FALSE(toJSON(graph).getAsObject()->get("f32Products"));
  TileGraph body = *graph.getNodes()[0].body;
  body.f32Products = F32Products::TF32;
  Graph rounded;
  rounded.f32Products = F32Products::TF32;
  ValueId x = rounded.addInput(graph.getType(0)),
          w = rounded.addInput(graph.getType(1));
  rounded.addOutput(rounded.addGraph({x, w}, std::make_shared<TileGraph>(body),
                                     {graph.getType(2)}));
  llvm::json::Value json = toJSON(rounded);
  Graph back = llvm::cantFail(graphFromJSON(json));
  EXPECT_EQ(back.f32Products, F32Products::TF32);
  EXPECT_EQ(back.getNodes()[0].body->f32Products, F32Products::TF32);
  (*json.getAsObject())["f32Products"] = "some";
  EXPECT_EQ(llvm::toString(graphFromJSON(json).takeError()),
            "f32Products: expects exact or tf32, got \"some\"");
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

TEST(Graph, JSONKeepsClustersStagesAndWhatRescales) {
  Graph graph = onlineSumProgram(onlineSum(100, 9));
  EXPECT_EQ(verifyMessage(graph), "");
  EXPECT_NE(toString(graph).find("cluster [1, 4] loop 3 stages 2 threads"),
            std::string::npos);
  llvm::Expected<Graph> back = graphFromJSON(toJSON(graph));
  ASSERT_TRUE(static_cast<bool>(back)) << llvm::toString(back.takeError());
  EXPECT_EQ(toString(*back), toString(graph));
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
  EXPECT_EQ(
      message([](auto &program, auto &) { program["grid"] = 3; }),
      "expects members among inputs, operations, outputs, f32Products, got "
      "grid");
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

TEST(Graph, JSONThatNestsTooDeeplyIsAnErrorAndNoCrash) {
  EXPECT_TRUE(static_cast<bool>(parseJSON("{\"a\": [\"[[[[\\\"[[\"]}")));
  llvm::Expected<llvm::json::Value> deep =
      parseJSON("\n" + std::string(100000, '['));
  ASSERT_FALSE(static_cast<bool>(deep));
  EXPECT_EQ(llvm::toString(deep.takeError()),
            "[2:257]: expects at most 256 nested arrays and objects, got more");
}
