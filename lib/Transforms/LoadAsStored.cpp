//===- LoadAsStored.cpp - Operands of products lie as their tensors do ----===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Analysis/TensorView.h"
#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Operator/LibraryMatmulAttribute.h"
#include "Mirage/Graph/ExchangeSteps.h"
#include "Mirage/Graph/TileMemory.h"
#include "Mirage/Planning/Target.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_LOADASSTOREDPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

static RankedTensorType exchange(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  std::swap(shape[shape.size() - 2], shape.back());
  return type.clone(shape);
}

/// Whether an input's elements lie side by side along its columns, and products
/// are all that reads it, which takes them either way.
static bool liesByColumns(block::GraphOp graph, BlockArgument input) {
  return liesByColumns(graph.getInputs()[input.getArgNumber()]) &&
         !input.use_empty() &&
         llvm::all_of(input.getUsers(), llvm::IsaPred<block::MatmulOp>);
}

/// Whether a block still fits its shared memory if a step exchanges an input's
/// tile. One that does not fit as it is is told so later, as it is stored.
static FailureOr<bool> mayExchange(block::GraphOp graph, BlockArgument input,
                                   int64_t sharedBytes) {
  FailureOr<TileGraph> tiles = readTileGraph(graph);
  if (failed(tiles))
    return failure();
  return getSharedBytesByColumns(*tiles, input.getArgNumber()) <= sharedBytes ||
         getSharedBytes(*tiles) > sharedBytes;
}

/// The tensor with rows and columns exchanged: a view, in place of another one
/// if the tensor is that.
static Value exchange(OpBuilder &builder, Location location, Value tensor) {
  auto view = tensor.getDefiningOp<kernel::TransposeOp>();
  if (view && exchangesRowsAndColumns(view.getDims()) &&
      cast<RankedTensorType>(view.getOperand().getType()).getElementType() ==
          cast<RankedTensorType>(tensor.getType()).getElementType())
    return view.getOperand();
  auto type = cast<RankedTensorType>(tensor.getType());
  return kernel::TransposeOp::create(builder, location, exchange(type), tensor,
                                     getRowColumnExchange(type.getRank()));
}

static void loadAsStored(block::GraphOp graph, BlockArgument input) {
  OpBuilder builder(graph);
  unsigned number = input.getArgNumber();
  auto tile = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> dims = getRowColumnExchange(tile.getRank());
  auto map = [&](int64_t dim) { return dim < 0 ? dim : dims[dim]; };
  Value operand = graph.getInputs()[number];
  graph.getInputsMutable()[number].assign(
      exchange(builder, graph.getLoc(), operand));
  SmallVector<Attribute> imaps(graph.getImaps().getValue());
  SmallVector<int64_t> imap(
      cast<DenseI64ArrayAttr>(imaps[number]).asArrayRef());
  llvm::transform(imap, imap.begin(), map);
  imaps[number] = builder.getDenseI64ArrayAttr(imap);
  graph.setImapsAttr(builder.getArrayAttr(imaps));
  SmallVector<int64_t> fmaps(graph.getFmaps());
  fmaps[number] = map(fmaps[number]);
  graph.setFmaps(fmaps);
  input.setType(exchange(tile));
  builder.setInsertionPointToStart(&graph.getBody().front());
  auto transposed =
      block::TransposeOp::create(builder, input.getLoc(), tile, input, dims);
  input.replaceAllUsesExcept(transposed, transposed);
}

namespace {
struct LoadAsStoredPass : mirage::impl::LoadAsStoredPassBase<LoadAsStoredPass> {
  using LoadAsStoredPassBase::LoadAsStoredPassBase;

  void runOnOperation() override {
    if (failed(resolveTarget(getOperation(), target)))
      return signalPassFailure();
    WalkResult result = getOperation()->walk([&](block::GraphOp graph) {
      return failed(loadInputsAsStored(graph)) ? WalkResult::interrupt()
                                               : WalkResult::advance();
    });
    eraseUnusedViews();
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult loadInputsAsStored(block::GraphOp graph) {
    // A library takes tensors either way, and is told which.
    if (graph->hasAttr(kLibraryMatmulAttr))
      return success();
    FailureOr<std::string> name = resolveTarget(graph, target);
    if (failed(name))
      return failure();
    int64_t sharedBytes = llvm::cantFail(getTarget(*name)).sharedBytesPerBlock;
    for (BlockArgument input : graph.getBody().getArguments()) {
      if (!liesByColumns(graph, input))
        continue;
      FailureOr<bool> may = mayExchange(graph, input, sharedBytes);
      if (failed(may))
        return failure();
      if (!*may)
        continue;
      Value operand = graph.getInputs()[input.getArgNumber()];
      if (Operation *view = operand.getDefiningOp())
        views.push_back(view);
      loadAsStored(graph, input);
    }
    return success();
  }

  void eraseUnusedViews() {
    llvm::sort(views);
    views.erase(llvm::unique(views), views.end());
    for (Operation *view : views)
      if (isa<kernel::TransposeOp>(view) && view->use_empty())
        view->erase();
    views.clear();
  }

  /// What inputs that are loaded as stored were before.
  SmallVector<Operation *> views;
};
} // namespace
