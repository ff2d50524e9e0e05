//===- ReadGraph.cpp - From IR to plain µGraphs ---------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Operator/DeadOps.h"
#include "Mirage/Dialect/Operator/F32ProductsAttribute.h"
#include "Mirage/Dialect/Operator/LaunchAttributes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>

using namespace mlir;
using namespace mlir::mirage;

namespace {
/// Appends the ops of one region to a graph.
class Reader {
public:
  Reader(Graph &graph, Level level) : graph(graph), level(level) {}

  void bind(Value value, ValueId id) { ids[value] = id; }

  LogicalResult readBody(Block &block) {
    for (mlir::Operation &op : block.without_terminator())
      if (failed(read(op)))
        return failure();
    return success();
  }

  /// As readBody, in a function, where others may have left something.
  LogicalResult readFunctionBody(Block &block) {
    DenseSet<mlir::Operation *> dead = findDeadOps(block);
    for (mlir::Operation &op : block.without_terminator())
      if (!dead.contains(&op) && failed(read(op)))
        return failure();
    return success();
  }

  /// Makes operands of a terminator the graph's outputs.
  LogicalResult readOutputs(mlir::Operation *terminator) {
    for (Value output : terminator->getOperands()) {
      FailureOr<ValueId> id = lookUp(terminator, output);
      if (failed(id))
        return failure();
      graph.addOutput(*id);
    }
    return success();
  }

private:
  FailureOr<ValueId> lookUp(mlir::Operation *user, Value value) {
    auto found = ids.find(value);
    if (found != ids.end())
      return found->second;
    InFlightDiagnostic diagnostic =
        user->emitError()
        << "expects operands that ops of a µGraph compute, got one of type "
        << value.getType();
    if (mlir::Operation *definition = value.getDefiningOp())
      diagnostic.attachNote(definition->getLoc()) << "computed here";
    return failure();
  }

  LogicalResult read(mlir::Operation &op) {
    // A destination carries no value; a constant or a fill has no meaning here,
    // but it is the op that reads it that a user can do something about.
    if (isa<tensor::EmptyOp, linalg::FillOp>(op) ||
        op.hasTrait<OpTrait::ConstantLike>())
      return success();
    return llvm::TypeSwitch<mlir::Operation *, LogicalResult>(&op)
        .Case([&](kernel::GraphOp nested) { return readNested(nested); })
        .Case([&](TileGraphOpInterface nested) { return readTiles(nested); })
        .Case([&](OperatorOpInterface row) { return readOperator(row); })
        .Default([&](mlir::Operation *other) {
          return other->emitError()
                 << "expects ops of a µGraph, got " << other->getName();
        });
  }

  FailureOr<SmallVector<ValueId>> lookUpAll(mlir::Operation *op,
                                            ValueRange values) {
    SmallVector<ValueId> operands;
    for (Value value : values) {
      FailureOr<ValueId> id = lookUp(op, value);
      if (failed(id))
        return failure();
      operands.push_back(*id);
    }
    return operands;
  }

  /// Ops of other levels mean something only in a graph of theirs: axes of a
  /// grid, iterations, fragments.
  LogicalResult checkLevel(mlir::Operation *op, Level expected) {
    std::string dialect = "mirage_" + getLevelName(expected).str();
    if (op->getName().getDialectNamespace() == dialect)
      return success();
    return op->emitError() << "expects ops of " << dialect << " in a "
                           << getLevelName(level) << " graph, got "
                           << op->getName();
  }

  LogicalResult readOperator(OperatorOpInterface row) {
    if (failed(checkLevel(row, level)))
      return failure();
    FailureOr<SmallVector<ValueId>> operands =
        lookUpAll(row, row->getOperands());
    if (failed(operands))
      return failure();
    Value result = row->getResult(0);
    Attributes attributes = readOperatorAttributes(row);
    if (row.getTableOpcode() == Opcode::Constant)
      attributes.scalars[0] = roundTo(attributes.scalars[0], result.getType());
    bind(result,
         graph.add(row.getTableOpcode(), *operands,
                   convertTensor(result.getType()), std::move(attributes)));
    return success();
  }

  /// A constant is the number that its element type makes of the attribute.
  static double roundTo(double value, Type type) {
    llvm::APFloat rounded(value);
    bool losesInfo;
    rounded.convert(
        cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics(),
        llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return rounded.convertToDouble();
  }

  LogicalResult readTiles(TileGraphOpInterface nested) {
    Level inner = level == Level::Kernel ? Level::Block : Level::Thread;
    if (failed(checkLevel(nested, inner)))
      return failure();
    FailureOr<SmallVector<ValueId>> operands =
        lookUpAll(nested, nested.getInputs());
    if (failed(operands))
      return failure();
    FailureOr<TileGraph> body = readTileGraph(nested);
    if (failed(body))
      return failure();
    ValueId first = graph.addGraph(
        *operands, std::make_shared<TileGraph>(std::move(*body)),
        llvm::map_to_vector(nested->getResultTypes(),
                            [](Type type) { return convertTensor(type); }));
    for (auto [number, result] : llvm::enumerate(nested->getResults()))
      bind(result, first + number);
    return success();
  }

  /// A kernel graph inside a function: its ops join those around it. What one
  /// of several allows is what the program does.
  LogicalResult readNested(kernel::GraphOp nested) {
    graph.f32Products = std::max(graph.f32Products, getF32Products(nested));
    FailureOr<SmallVector<ValueId>> operands =
        lookUpAll(nested, nested.getInputs());
    if (failed(operands))
      return failure();
    for (auto [argument, id] :
         llvm::zip_equal(nested.getBody().getArguments(), *operands))
      bind(argument, id);
    if (failed(readBody(nested.getBody().front())))
      return failure();
    mlir::Operation *yield = nested.getYield();
    FailureOr<SmallVector<ValueId>> yielded =
        lookUpAll(yield, yield->getOperands());
    if (failed(yielded))
      return failure();
    for (auto [result, id] : llvm::zip_equal(nested.getResults(), *yielded))
      bind(result, id);
    return success();
  }

  Graph &graph;
  Level level;
  DenseMap<Value, ValueId> ids;
};
} // namespace

FailureOr<Graph> mlir::mirage::readKernelGraph(kernel::GraphOp op) {
  Graph graph;
  graph.f32Products = getF32Products(op);
  Reader reader(graph, Level::Kernel);
  for (BlockArgument argument : op.getBody().getArguments())
    reader.bind(
        argument,
        graph.addInput(convertTensor(argument.getType()),
                       "input" + std::to_string(argument.getArgNumber())));
  if (failed(reader.readBody(op.getBody().front())) ||
      failed(reader.readOutputs(op.getYield())))
    return failure();
  return graph;
}

FailureOr<TileGraph> mlir::mirage::readTileGraph(TileGraphOpInterface op) {
  TileGraph graph = readTileGraphHeader(op);
  graph.f32Products = getF32Products(op);
  Reader reader(graph, op.getLevel());
  for (BlockArgument tile : op.getBody().getArguments())
    reader.bind(tile, tile.getArgNumber());
  if (failed(reader.readBody(op.getBody().front())) ||
      failed(reader.readOutputs(op.getBody().front().getTerminator())))
    return failure();
  return graph;
}

/// Functions come from users: arguments are checked before they are converted.
static LogicalResult readArguments(FunctionOpInterface function, Graph &graph,
                                   Reader &reader) {
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    if (std::optional<std::string> reason =
            explainUnsupportedTensor(argument.getType()))
      return mlir::emitError(argument.getLoc())
             << "argument " << number << ": " << *reason;
    auto name = function.getArgAttrOfType<StringAttr>(number, kNameAttr);
    reader.bind(argument,
                graph.addInput(convertTensor(argument.getType()),
                               name ? name.getValue().str()
                                    : "input" + std::to_string(number)));
  }
  return success();
}

FailureOr<Graph> mlir::mirage::readFunction(FunctionOpInterface function) {
  if (function.isExternal())
    return function.emitError() << "expects a function with a body";
  if (!function.getFunctionBody().hasOneBlock())
    return function.emitError()
           << "expects a body of one block, got "
           << function.getFunctionBody().getBlocks().size();
  Graph graph;
  Reader reader(graph, Level::Kernel);
  Block &body = function.getFunctionBody().front();
  if (failed(readArguments(function, graph, reader)) ||
      failed(reader.readFunctionBody(body)) ||
      failed(reader.readOutputs(body.getTerminator())))
    return failure();
  if (graph.getOutputs().empty())
    return function.emitError()
           << "expects a function that returns a tensor, got one that returns "
              "nothing";
  return graph;
}
