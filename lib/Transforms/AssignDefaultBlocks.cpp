//===- AssignDefaultBlocks.cpp - A block graph for each operator ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/FindLocation.h"
#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Analysis/TensorView.h"
#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Dialect/Operator/F32ProductsAttribute.h"
#include "Mirage/Dialect/Operator/LibraryMatmulAttribute.h"
#include "Mirage/Graph/DefaultTileGraph.h"
#include "Mirage/Graph/ExchangeSteps.h"
#include "Mirage/Search/CostModel.h"
#include "Mirage/Transforms/Passes.h"
#include "SplitLargeOperator.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_ASSIGNDEFAULTBLOCKSPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

/// The operator as a graph of one node.
static Graph readNode(OperatorOpInterface op) {
  Graph graph;
  graph.f32Products = getF32Products(op);
  SmallVector<ValueId> operands;
  for (Type type : op->getOperandTypes())
    operands.push_back(graph.addInput(convertTensor(type)));
  graph.addOutput(graph.add(op.getTableOpcode(), operands,
                            convertTensor(op->getResult(0).getType()),
                            readOperatorAttributes(op)));
  return graph;
}

namespace {
/// What blocks are made for.
struct BlockChoice {
  StringRef target; ///< as the option says
  unsigned stages;
  search::LibraryKernels libraryKernels;
};
} // namespace

/// The matmul as a library has it, of operands where they lie.
static std::optional<LibraryMatmul> findLibraryMatmul(OperatorOpInterface op,
                                                      PlacedTensor result) {
  SmallVector<PlacedTensor, 2> operands;
  for (Value operand : op->getOperands()) {
    std::optional<TensorView> view = findView(operand);
    if (!view)
      return std::nullopt;
    operands.push_back({convertTensor(operand.getType()),
                        std::move(view->strides), view->offset});
  }
  return findLibraryMatmul(operands[0], operands[1], std::move(result),
                           getF32Products(op));
}

namespace {
struct LibraryChoice {
  LibraryMatmul matmul;
  /// Its result is row-major, and a copy brings it to where it is to lie, as a
  /// batch of two dimensions that are not side by side there.
  bool isCopied = false;
};
} // namespace

/// How a library has an operator, if it has it.
static std::optional<LibraryChoice> findLibraryChoice(OperatorOpInterface op) {
  if (op.getTableOpcode() != Opcode::Matmul)
    return std::nullopt;
  Value result = op->getResult(0);
  std::optional<TensorView> view = findView(result);
  if (!view)
    return std::nullopt;
  TensorSpec type = convertTensor(result.getType());
  if (std::optional<LibraryMatmul> inPlace =
          findLibraryMatmul(op, {type, view->strides, view->offset}))
    return LibraryChoice{*inPlace};
  std::optional<LibraryMatmul> apart =
      findLibraryMatmul(op, PlacedTensor::makeRowMajor(type));
  return apart ? std::optional(LibraryChoice{*apart, /*isCopied=*/true})
               : std::nullopt;
}

/// Puts a copy between a value and all that reads it.
static OperatorOpInterface copyBehind(RewriterBase &rewriter, Value value) {
  auto copy = kernel::BroadcastOp::create(rewriter, value.getLoc(),
                                          value.getType(), value);
  rewriter.replaceAllUsesExcept(value, copy.getResult(), copy);
  return cast<OperatorOpInterface>(copy.getOperation());
}

/// The operands of a product that lie by columns.
static SmallVector<unsigned> findOperandsByColumns(OperatorOpInterface op) {
  SmallVector<unsigned> operands;
  if (getOperatorInfo(op.getTableOpcode()).kind != OperatorKind::Contraction)
    return operands;
  for (auto [number, operand] : llvm::enumerate(op->getOperands()))
    if (liesByColumns(operand))
      operands.push_back(number);
  return operands;
}

/// Gives a block graph the numbers of threads and stages of what it is once
/// its operands are loaded as they lie.
static void assignBlockSize(TileGraph &tiles, ArrayRef<unsigned> byColumns,
                            ArrayRef<TensorSpec> operands,
                            ArrayRef<TensorSpec> results,
                            const search::CostModel &costModel) {
  SmallVector<unsigned> steps = findExchangeSteps(tiles, byColumns);
  TileGraph loaded = exchangeInputs(tiles, steps);
  SmallVector<TensorSpec> stored(operands);
  for (unsigned number : steps) {
    Shape &shape = stored[number].shape;
    std::swap(shape[shape.size() - 2], shape.back());
  }
  search::assignBlockSize(loaded, stored, results, costModel);
  tiles.threads = loaded.threads;
  tiles.stages = loaded.stages;
}

/// \param rest  operators that are to get block graphs, to which those are
/// added
///              that the operator has to be split into.
static LogicalResult
assignDefaultBlock(RewriterBase &rewriter, OperatorOpInterface op,
                   BlockChoice choice, SmallVector<OperatorOpInterface> &rest) {
  FailureOr<std::string> name = resolveTarget(op, choice.target);
  if (failed(name))
    return failure();
  Target target = llvm::cantFail(getTarget(*name));
  if (OperatorOpInterface joined = joinOddRows(rewriter, op))
    op = joined;
  Graph graph = readNode(op);
  const Node &node = graph.getNodes()[0];
  SmallVector<unsigned> byColumns = findOperandsByColumns(op);
  llvm::Expected<TileGraph> tiles = buildDefaultTileGraph(
      graph, node, target.sharedBytesPerBlock, {}, byColumns);
  if (tiles) {
    SmallVector<TensorSpec> operands = graph.getTypes(node.operands),
                            results = graph.getTypes(node.results);
    search::AnalyticCostModel costModel(target, choice.stages,
                                        choice.libraryKernels);
    assignBlockSize(*tiles, byColumns, operands, results, costModel);
    std::optional<LibraryChoice> library = findLibraryChoice(op);
    rewriter.setInsertionPoint(op);
    TileGraphOpInterface block =
        writeTileGraph(rewriter, op->getLoc(), *tiles, op->getOperands(),
                       op->getResultTypes());
    if (library && search::isLeftToLibrary(
                       library->matmul,
                       costModel.estimateKernelUs(*tiles, operands, results),
                       choice.libraryKernels, costModel)) {
      block->setAttr(
          kLibraryMatmulAttr,
          writeLibraryMatmul(rewriter.getContext(), library->matmul));
      if (library->isCopied)
        rest.push_back(copyBehind(rewriter, op->getResult(0)));
    }
    rewriter.replaceOp(op, block);
    return success();
  }
  std::string reason = llvm::toString(tiles.takeError());
  SmallVector<OperatorOpInterface> smaller = splitLargeOperator(rewriter, op);
  if (smaller.empty())
    return op->emitError() << reason;
  rest.append(smaller);
  return success();
}

namespace {
struct AssignDefaultBlocksPass
    : mirage::impl::AssignDefaultBlocksPassBase<AssignDefaultBlocksPass> {
  using AssignDefaultBlocksPassBase::AssignDefaultBlocksPassBase;

  void runOnOperation() override {
    FailureOr<search::LibraryKernels> library = readLibraryKernels();
    if (failed(resolveTarget(getOperation(), target)) ||
        failed(checkStages()) || failed(library))
      return signalPassFailure();
    SmallVector<OperatorOpInterface> operators;
    getOperation()->walk<WalkOrder::PreOrder>([&](mlir::Operation *op) {
      if (isa<TileGraphOpInterface>(op))
        return WalkResult::skip();
      if (auto row = dyn_cast<OperatorOpInterface>(op))
        if (hasDefaultTileGraph(row.getTableOpcode()))
          operators.push_back(row);
      return WalkResult::advance();
    });
    // The first one first, so that the next finds how its operands were
    // reshaped.
    std::reverse(operators.begin(), operators.end());
    IRRewriter rewriter(&getContext());
    while (!operators.empty())
      if (failed(assignDefaultBlock(rewriter, operators.pop_back_val(),
                                    {target, stages, *library}, operators)))
        return signalPassFailure();
  }

  FailureOr<search::LibraryKernels> readLibraryKernels() {
    llvm::Expected<search::LibraryKernels> choice =
        search::parseLibraryKernels(libraryKernels);
    if (choice)
      return *choice;
    return mlir::emitError(findLocation(getOperation()))
           << llvm::toString(choice.takeError());
  }

  LogicalResult checkStages() {
    if (stages <= kMaxStages)
      return success();
    return mlir::emitError(findLocation(getOperation()))
           << "expects stages of 0 to " << kMaxStages << ", got "
           << stages.getValue();
  }
};
} // namespace
