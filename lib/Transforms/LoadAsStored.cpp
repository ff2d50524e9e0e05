//===- LoadAsStored.cpp - Operands of products lie as their tensors do ----===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/TensorView.h"
#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Operator/LibraryMatmulAttribute.h"
#include "Mirage/Graph/TileMemory.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_LOADASSTOREDPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

/// Rows and columns exchanged, of a tensor of at least two dimensions.
static SmallVector<int64_t> getExchange(int64_t rank) {
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(dims[rank - 2], dims[rank - 1]);
  return dims;
}

static RankedTensorType exchange(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  std::swap(shape[shape.size() - 2], shape.back());
  return type.clone(shape);
}

/// Whether an input's elements lie side by side along its columns, and products
/// are all that reads it, which takes them either way.
static bool liesInColumns(block::GraphOp graph, BlockArgument input) {
  Value operand = graph.getInputs()[input.getArgNumber()];
  auto tensor = dyn_cast<RankedTensorType>(operand.getType());
  if (!tensor || tensor.getRank() < 2 || input.use_empty() ||
      !llvm::all_of(input.getUsers(), llvm::IsaPred<block::MatmulOp>))
    return false;
  std::optional<TensorView> view = findView(operand);
  ArrayRef<int64_t> shape = tensor.getShape().take_back(2);
  return view && shape[0] > 1 && shape[1] > 1 && view->strides.back() != 1 &&
         view->strides[tensor.getRank() - 2] == 1;
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
                                     getExchange(type.getRank()));
}

static void loadAsStored(block::GraphOp graph, BlockArgument input) {
  OpBuilder builder(graph);
  unsigned number = input.getArgNumber();
  auto tile = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> dims = getExchange(tile.getRank());
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
  void runOnOperation() override {
    SmallVector<Operation *> views;
    getOperation()->walk([&](block::GraphOp graph) {
      // A library takes tensors either way, and is told which.
      if (graph->hasAttr(kLibraryMatmulAttr))
        return;
      for (BlockArgument input : graph.getBody().getArguments())
        if (liesInColumns(graph, input)) {
          if (Operation *view =
                  graph.getInputs()[input.getArgNumber()].getDefiningOp())
            views.push_back(view);
          loadAsStored(graph, input);
        }
    });
    llvm::sort(views);
    views.erase(llvm::unique(views), views.end());
    for (Operation *view : views)
      if (isa<kernel::TransposeOp>(view) && view->use_empty())
        view->erase();
  }
};
} // namespace
