//===- JoinTileRows.cpp - Tiles of whole rows have one dimension ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/BypassingTiles.h"
#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Graph/DeviceTraffic.h"
#include "Mirage/Transforms/Passes.h"
#include "SplitLargeOperator.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>

namespace mlir::mirage {
#define GEN_PASS_DEF_JOINTILEROWSPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

static RankedTensorType getType(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

static RankedTensorType flatten(RankedTensorType type) {
  return type.clone(ArrayRef(type.getNumElements()));
}

namespace {
/// A tensor of a block graph, and its tiles.
struct TiledTensor {
  Value tensor, tile;
  SmallVector<TileEdge> edges;

  /// Whether tiles are whole rows of the tensor, no more of them than 32 bits
  /// count elements of.
  bool hasWholeRows() const {
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    return getType(tensor).getNumElements() <= kMost &&
           llvm::all_of(ArrayRef(edges).drop_front(), [](const auto &edge) {
             return edge.axes.empty() && edge.tile == edge.size;
           });
  }
  /// Whether each tile begins with a sector of device memory.
  bool hasWholeSectors() const {
    RankedTensorType type = getType(tensor);
    int64_t rowBytes = type.getNumElements() / type.getDimSize(0) *
                       type.getElementTypeBitWidth() / 8;
    return edges.front().numTiles == 1 ||
           edges.front().tile * rowBytes % kSectorBytes == 0;
  }
};
} // namespace

static SmallVector<TiledTensor> listTensors(block::GraphOp graph) {
  SmallVector<TiledTensor> tensors;
  for (auto [number, input] : llvm::enumerate(graph.getBody().getArguments()))
    tensors.push_back(
        {graph.getInputs()[number], input, findInputEdges(graph, number)});
  Operation *yield = graph.getBody().front().getTerminator();
  for (auto [number, result] : llvm::enumerate(graph->getResults()))
    tensors.push_back(
        {result, yield->getOperand(number), findOutputEdges(graph, number)});
  return tensors;
}

/// Whether rows are nothing to an operation: `isElementwise`, or a sum of whole
/// tiles over the loop.
static bool ignoresRows(Operation *op) {
  auto row = dyn_cast<OperatorOpInterface>(op);
  if (!row)
    return false;
  if (auto sum = dyn_cast<block::AccumulateOp>(op))
    return sum.getAxis() == AxisKind::Loop && !sum.getRescale() &&
           readOperatorAttributes(op).dims.empty();
  return isElementwise(row.getTableOpcode());
}

/// Whether all tiles have one shape, or one element, so that none tells rows
/// and columns apart.
static bool haveOneShape(block::GraphOp graph) {
  SmallVector<Value> tiles(graph.getBody().getArguments());
  for (Operation &op : graph.getBody().front().without_terminator())
    llvm::append_range(tiles, op.getResults());
  RankedTensorType largest =
      getType(*llvm::max_element(tiles, [](Value a, Value b) {
        return getType(a).getNumElements() < getType(b).getNumElements();
      }));
  return largest.getRank() > 1 &&
         largest.getNumElements() != largest.getShape().back() &&
         llvm::all_of(tiles, [&](Value tile) {
           RankedTensorType type = getType(tile);
           return type.getRank() == largest.getRank() &&
                  (type.getShape() == largest.getShape() ||
                   type.getNumElements() == 1);
         });
}

static bool canJoinRows(block::GraphOp graph) {
  return isa<kernel::GraphOp>(graph->getParentOp()) && hasOddRows(graph) &&
         llvm::all_of(graph.getBody().front().without_terminator(),
                      [](Operation &op) { return ignoresRows(&op); }) &&
         haveOneShape(graph) &&
         llvm::all_of(listTensors(graph),
                      [](const TiledTensor &tensor) {
                        return tensor.hasWholeRows() &&
                               tensor.hasWholeSectors();
                      }) &&
         canReshape(graph);
}

static void joinRows(block::GraphOp graph) {
  OpBuilder builder(graph);
  for (OpOperand &operand : graph->getOpOperands())
    operand.set(kernel::ReshapeOp::create(builder, graph.getLoc(),
                                          flatten(getType(operand.get())),
                                          operand.get()));
  for (Value tile : graph.getBody().getArguments())
    tile.setType(flatten(getType(tile)));
  for (Operation &op : graph.getBody().front())
    for (Value tile : op.getResults())
      tile.setType(flatten(getType(tile)));
  builder.setInsertionPointAfter(graph);
  for (Value result : graph->getResults()) {
    RankedTensorType type = getType(result);
    result.setType(flatten(type));
    Value shaped =
        kernel::ReshapeOp::create(builder, graph.getLoc(), type, result);
    result.replaceAllUsesExcept(shaped, shaped.getDefiningOp());
  }
}

namespace {
struct JoinTileRowsPass : mirage::impl::JoinTileRowsPassBase<JoinTileRowsPass> {
  void runOnOperation() override {
    getOperation()->walk([](block::GraphOp graph) {
      if (canJoinRows(graph))
        joinRows(graph);
    });
  }
};
} // namespace
