//===- SplitGridSums.cpp - Sums over the grid as a second kernel ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Transforms/Passes.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_SPLITGRIDSUMSPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

static ArrayRef<int64_t> getMap(Attribute omap) {
  return cast<DenseI64ArrayAttr>(omap).asArrayRef();
}

static bool isSummed(Attribute omap) {
  return llvm::is_contained(getMap(omap), kSummed);
}

namespace {
/// Rewrites one block graph: parts of a sum go to a leading dimension of their
/// own, over which a kernel of its own sums.
class GridSumSplitter {
public:
  explicit GridSumSplitter(block::GraphOp graph)
      : graph(graph), builder(graph) {}

  void run() {
    SmallVector<Attribute> omaps;
    SmallVector<Type> types;
    for (auto [index, omap] : llvm::enumerate(graph.getOmaps())) {
      bool summed = isSummed(omap);
      omaps.push_back(summed ? liftMap(getMap(omap)) : omap);
      types.push_back(summed ? liftResult(index)
                             : graph->getResult(index).getType());
    }
    auto partial = block::GraphOp::create(
        builder, graph.getLoc(), types, graph.getInputs(), graph.getGridAttr(),
        graph.getClusterAttr(), graph.getThreadsAttr(), graph.getLoopAttr(),
        graph.getStagesAttr(), graph.getImapsAttr(), graph.getFmapsAttr(),
        builder.getArrayAttr(omaps));
    partial.getBody().takeBody(graph.getBody());
    for (auto [index, omap] : llvm::enumerate(graph.getOmaps()))
      graph->getResult(index).replaceAllUsesWith(
          isSummed(omap) ? sum(partial->getResult(index),
                               graph->getResult(index).getType())
                         : Value(partial->getResult(index)));
    graph->erase();
  }

private:
  /// Axes that were summed count along dimension 0, others one further on.
  Attribute liftMap(ArrayRef<int64_t> omap) {
    return builder.getDenseI64ArrayAttr(
        llvm::map_to_vector(omap, [](int64_t dim) -> int64_t {
          return dim == kSummed ? 0 : dim == kReplicated ? dim : dim + 1;
        }));
  }

  /// Gives the tile that is yielded a leading dimension of 1. \returns the type
  /// of all parts of the result, in f32: they are rounded once they are added.
  Type liftResult(unsigned index) {
    int64_t parts = 1;
    for (auto [axis, dim] : llvm::enumerate(getMap(graph.getOmaps()[index])))
      if (dim == kSummed)
        parts *= graph.getGrid()[axis];
    OpOperand &yielded =
        graph.getBody().front().getTerminator()->getOpOperand(index);
    auto tile = cast<RankedTensorType>(yielded.get().getType());
    OpBuilder inner(yielded.getOwner());
    yielded.set(block::ReshapeOp::create(inner, graph.getLoc(),
                                         lift(tile, 1, tile.getElementType()),
                                         yielded.get()));
    return lift(cast<RankedTensorType>(graph->getResult(index).getType()),
                parts, builder.getF32Type());
  }

  static RankedTensorType lift(RankedTensorType type, int64_t leading,
                               Type element) {
    SmallVector<int64_t> shape = {leading};
    llvm::append_range(shape, type.getShape());
    return RankedTensorType::get(shape, element);
  }

  Value sum(Value parts, Type type) {
    auto result = cast<RankedTensorType>(type);
    Value joined = kernel::SumOp::create(
        builder, graph.getLoc(), lift(result, 1, result.getElementType()),
        parts, builder.getDenseI64ArrayAttr({0}), /*count=*/nullptr);
    return kernel::ReshapeOp::create(builder, graph.getLoc(), result, joined);
  }

  block::GraphOp graph;
  OpBuilder builder;
};

struct SplitGridSumsPass
    : mirage::impl::SplitGridSumsPassBase<SplitGridSumsPass> {
  void runOnOperation() override {
    SmallVector<block::GraphOp> graphs;
    getOperation()->walk([&](block::GraphOp graph) {
      if (llvm::any_of(graph.getOmaps(), isSummed))
        graphs.push_back(graph);
    });
    for (block::GraphOp graph : graphs)
      GridSumSplitter(graph).run();
  }
};
} // namespace
