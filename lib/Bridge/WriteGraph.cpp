//===- WriteGraph.cpp - From plain µGraphs to IR --------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Operator/F32ProductsAttribute.h"
#include "Mirage/Dialect/Operator/LaunchAttributes.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::mirage;

/// "mirage_block.silu": the dialects spell each row of the operator table
/// alike.
static std::string getOpName(Level level, StringRef mnemonic) {
  return ("mirage_" + getLevelName(level) + "." + mnemonic).str();
}

static SmallVector<Value> writeNodes(OpBuilder &builder, Location location,
                                     const Graph &graph, Level level,
                                     ValueRange inputs) {
  SmallVector<Value> values(inputs.begin(), inputs.end());
  auto getValues = [&](ArrayRef<ValueId> ids) {
    return llvm::map_to_vector(ids, [&](ValueId id) { return values[id]; });
  };
  for (const Node &node : graph.getNodes()) {
    SmallVector<Type> types =
        llvm::map_to_vector(node.results, [&](ValueId id) {
          return Type(convertTensor(builder.getContext(), graph.getType(id)));
        });
    if (node.body) {
      mlir::Operation *nested = writeTileGraph(builder, location, *node.body,
                                               getValues(node.operands), types);
      llvm::append_range(values, nested->getResults());
      continue;
    }
    OperationState state(location,
                         getOpName(level, getOperatorInfo(node.opcode).name));
    state.addOperands(getValues(node.operands));
    state.addTypes(types);
    state.addAttributes(writeOperatorAttributes(builder.getContext(),
                                                node.opcode, node.attributes));
    llvm::append_range(values, builder.create(state)->getResults());
  }
  return getValues(graph.getOutputs());
}

TileGraphOpInterface mlir::mirage::writeTileGraph(OpBuilder &builder,
                                                  Location location,
                                                  const TileGraph &graph,
                                                  ValueRange inputs,
                                                  TypeRange results) {
  OpBuilder::InsertionGuard guard(builder);
  OperationState state(location, getOpName(graph.level, "graph"));
  state.addOperands(inputs);
  state.addTypes(results);
  state.addAttributes(writeTileGraphHeader(builder.getContext(), graph));
  if (graph.level == Level::Thread)
    state.addAttribute(
        "operandSegmentSizes",
        builder.getDenseI32ArrayAttr({static_cast<int32_t>(inputs.size()), 0}));
  state.addRegion();
  mlir::Operation *op = builder.create(state);
  Block &block = op->getRegion(0).emplaceBlock();
  for (ValueId tile = 0; tile < graph.getNumInputs(); ++tile)
    block.addArgument(convertTensor(builder.getContext(), graph.getType(tile)),
                      location);
  builder.setInsertionPointToStart(&block);
  SmallVector<Value> yielded =
      writeNodes(builder, location, graph, graph.level, block.getArguments());
  OperationState yield(location, getOpName(graph.level, "yield"));
  yield.addOperands(yielded);
  builder.create(yield);
  return cast<TileGraphOpInterface>(op);
}

SmallVector<Value> mlir::mirage::writeGraph(OpBuilder &builder,
                                            Location location,
                                            const Graph &graph,
                                            ValueRange inputs) {
  return writeNodes(builder, location, graph, Level::Kernel, inputs);
}

static SmallVector<Type> convertTensors(MLIRContext *context,
                                        ArrayRef<TensorSpec> types) {
  return llvm::map_to_vector(types, [&](const TensorSpec &type) -> Type {
    return convertTensor(context, type);
  });
}

/// The graph on the function's arguments. \returns its results.
static ValueRange writeKernelGraph(OpBuilder &builder, Location location,
                                   const Graph &graph, ValueRange arguments,
                                   ArrayRef<Type> results) {
  SmallVector<Value> inits =
      llvm::map_to_vector(results, [&](Type type) -> Value {
        auto tensor = cast<RankedTensorType>(type);
        return tensor::EmptyOp::create(builder, location, tensor.getShape(),
                                       tensor.getElementType());
      });
  auto op =
      kernel::GraphOp::create(builder, location, results, arguments, inits);
  setF32Products(op, graph.f32Products);
  OpBuilder::InsertionGuard guard(builder);
  Block *body =
      builder.createBlock(&op.getBody(), {}, arguments.getTypes(),
                          SmallVector<Location>(arguments.size(), location));
  kernel::YieldOp::create(
      builder, location,
      writeGraph(builder, location, graph, body->getArguments()));
  return op.getResults();
}

func::FuncOp mlir::mirage::writeFunction(OpBuilder &builder, Location location,
                                         const Graph &graph, StringRef name) {
  OpBuilder::InsertionGuard guard(builder);
  MLIRContext *context = builder.getContext();
  SmallVector<TensorSpec> inputs =
      llvm::map_to_vector(llvm::seq(graph.getNumInputs()),
                          [&](ValueId input) { return graph.getType(input); });
  SmallVector<Type> results =
      convertTensors(context, graph.getTypes(graph.getOutputs()));
  auto function = func::FuncOp::create(
      builder, location, name,
      builder.getFunctionType(convertTensors(context, inputs), results));
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    if (!graph.getInputName(input).empty())
      function.setArgAttr(input, kNameAttr,
                          builder.getStringAttr(graph.getInputName(input)));
  builder.setInsertionPointToStart(function.addEntryBlock());
  func::ReturnOp::create(builder, location,
                         writeKernelGraph(builder, location, graph,
                                          function.getArguments(), results));
  return function;
}
