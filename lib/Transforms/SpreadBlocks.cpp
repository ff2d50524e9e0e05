//===- SpreadBlocks.cpp - Smaller tiles for SMs without a block -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/LaunchSequence.h"
#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Graph/DeviceTraffic.h"
#include "Mirage/Graph/TileMemory.h"
#include "Mirage/Planning/LaunchBarrier.h"
#include "Mirage/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_SPREADBLOCKSPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

static RankedTensorType getType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The size of the dimension so far from the last one, along which operands are
/// aligned by NumPy's rule; 1 where a value has no such dimension.
static int64_t getSize(Value value, int64_t fromEnd) {
  ArrayRef<int64_t> shape = getType(value).getShape();
  return fromEnd < int64_t(shape.size()) ? shape[shape.size() - 1 - fromEnd]
                                         : 1;
}

static ArrayRef<int64_t> dropLeadingOnes(Value value) {
  return getType(value).getShape().drop_while(
      [](int64_t size) { return size == 1; });
}

/// Whether elements of an op's result depend on those of its operands that have
/// the same place along a dimension, and on no others.
static bool keepsPlaces(Operation &op, int64_t fromEnd) {
  if (isa<block::ReshapeOp>(op))
    return dropLeadingOnes(op.getOperand(0)) ==
           dropLeadingOnes(op.getResult(0));
  auto row = dyn_cast<OperatorOpInterface>(op);
  if (!row)
    return false;
  Attributes attributes = readOperatorAttributes(&op);
  switch (getOperatorInfo(row.getTableOpcode()).kind) {
  case OperatorKind::Elementwise:
    return true;
  case OperatorKind::Movement:
    return isa<block::CastOp>(op);
  case OperatorKind::Reduction:
  case OperatorKind::Accumulate:
    return attributes.axis == Axis::Loop &&
           !llvm::is_contained(attributes.dims,
                               getType(op.getOperand(0)).getRank() - 1 -
                                   fromEnd);
  default:
    return false;
  }
}

static int64_t getEntry(Attribute map, unsigned axis) {
  return cast<DenseI64ArrayAttr>(map)[axis];
}

namespace {
/// Cuts the tiles of one block graph along one dimension. Dimensions are
/// counted from the last one.
class BlockSpreader {
public:
  BlockSpreader(block::GraphOp graph, const Target &target)
      : graph(graph), builder(graph), target(target) {}

  void run() {
    std::optional<unsigned> free = findFreeAxis();
    if (!free || !graph->hasAttr(kJoinsPartsAttr) || graph.getLoop() == 1)
      return;
    axis = *free;
    int64_t rank = getType(getOutputs().front()).getRank();
    // Far dimensions first: the rows of what is read stay whole.
    for (int64_t dim = rank; dim-- > 0;) {
      if (!canCut(dim))
        continue;
      int64_t pieces = chooseJoinPieces(getJoin(dim), countPieces(dim), target);
      if (pieces > 1)
        return cut(dim, pieces);
    }
  }

private:
  OperandRange getOutputs() {
    return graph.getBody().front().getTerminator()->getOperands();
  }

  /// The last axis with one block: others cut dimensions before it does.
  std::optional<unsigned> findFreeAxis() {
    ArrayRef<int64_t> grid = graph.getGrid();
    for (unsigned number = grid.size(); number-- > 0;)
      if (grid[number] == 1)
        return number;
    return std::nullopt;
  }

  /// Whether tiles whose map has this entry for an axis are cut by another one
  /// that would count on behind the free one.
  bool isCutBehind(Attribute map, int64_t dim) {
    ArrayRef<int64_t> entries = cast<DenseI64ArrayAttr>(map).asArrayRef();
    return llvm::is_contained(entries.drop_front(axis), dim);
  }

  bool canCut(int64_t fromEnd) {
    int64_t size = getSize(getOutputs().front(), fromEnd);
    auto isCutOrOne = [&](Value value) {
      int64_t own = getSize(value, fromEnd);
      return own == size || own == 1;
    };
    if (size == 1)
      return false;
    for (auto [tile, map] : llvm::zip_equal(getOutputs(), graph.getOmaps()))
      if (getSize(tile, fromEnd) != size ||
          getEntry(map, axis) != kReplicated ||
          isCutBehind(map, getType(tile).getRank() - 1 - fromEnd))
        return false;
    for (auto [tile, imap, fmap] :
         llvm::zip_equal(graph.getBody().getArguments(), graph.getImaps(),
                         graph.getFmaps())) {
      int64_t dim = getType(tile).getRank() - 1 - fromEnd;
      if (!isCutOrOne(tile) || getEntry(imap, axis) != kReplicated ||
          (getSize(tile, fromEnd) == size &&
           (fmap == dim || isCutBehind(imap, dim))))
        return false;
    }
    for (Operation &op : graph.getBody().front().without_terminator())
      if (!keepsPlaces(op, fromEnd) || !isCutOrOne(op.getResult(0)))
        return false;
    return true;
  }

  /// The most pieces, whose rows of a part are no shorter than sectors.
  int64_t countPieces(int64_t fromEnd) {
    int64_t size = getSize(getOutputs().front(), fromEnd), most = size & -size;
    for (auto [tile, fmap] :
         llvm::zip_equal(graph.getBody().getArguments(), graph.getFmaps())) {
      if (fromEnd > 0 || fmap == kReplicated || getSize(tile, fromEnd) == 1)
        continue;
      int64_t bytes =
          size * getSizeBytes(convertTensor(tile.getType()).element);
      most = std::min(most, std::max<int64_t>(bytes / kSectorBytes, 1));
    }
    return most;
  }

  JoiningKernel getJoin(int64_t fromEnd) {
    JoiningKernel join;
    join.numBlocks = ShapedType::getNumElements(graph.getGrid());
    join.numJoined = graph.getLoop();
    for (auto [tile, fmap] :
         llvm::zip_equal(graph.getBody().getArguments(), graph.getFmaps())) {
      bool isCut = getSize(tile, fromEnd) > 1;
      if (fmap != kReplicated)
        (isCut ? join.partBytes : join.wholeBytes) +=
            convertTensor(tile.getType()).getSizeBytes();
    }
    return join;
  }

  RankedTensorType cutType(Value value, int64_t fromEnd, int64_t pieces) {
    RankedTensorType type = getType(value);
    if (getSize(value, fromEnd) == 1)
      return type;
    SmallVector<int64_t> shape(type.getShape());
    shape[shape.size() - 1 - fromEnd] /= pieces;
    return type.clone(shape);
  }

  /// The maps of values, those that are cut with an entry for the axis.
  ArrayAttr cutMaps(ArrayAttr maps, ValueRange tiles, int64_t fromEnd) {
    SmallVector<Attribute> cut;
    for (auto [map, tile] : llvm::zip_equal(maps, tiles)) {
      SmallVector<int64_t> entries(cast<DenseI64ArrayAttr>(map).asArrayRef());
      if (getSize(tile, fromEnd) > 1)
        entries[axis] = getType(tile).getRank() - 1 - fromEnd;
      cut.push_back(builder.getDenseI64ArrayAttr(entries));
    }
    return builder.getArrayAttr(cut);
  }

  void cut(int64_t fromEnd, int64_t pieces) {
    Block &body = graph.getBody().front();
    JoiningKernel join = getJoin(fromEnd);
    SmallVector<int64_t> grid(graph.getGrid());
    grid[axis] = pieces;
    graph.setGrid(grid);
    graph.setImapsAttr(
        cutMaps(graph.getImapsAttr(), body.getArguments(), fromEnd));
    graph.setOmapsAttr(cutMaps(graph.getOmapsAttr(), getOutputs(), fromEnd));
    graph.setStages(getJoinStages(graph.getLoop(),
                                  join.partBytes / pieces + join.wholeBytes));
    for (BlockArgument tile : body.getArguments())
      tile.setType(cutType(tile, fromEnd, pieces));
    for (Operation &op : body.without_terminator())
      op.getResult(0).setType(cutType(op.getResult(0), fromEnd, pieces));
  }

  block::GraphOp graph;
  Builder builder;
  const Target &target;
  unsigned axis = 0; ///< that the pieces are counted by
};

struct SpreadBlocksPass : mirage::impl::SpreadBlocksPassBase<SpreadBlocksPass> {
  using SpreadBlocksPassBase::SpreadBlocksPassBase;

  void runOnOperation() override {
    FailureOr<std::string> name = resolveTarget(getOperation(), target);
    if (failed(name))
      return signalPassFailure();
    Target gpu = llvm::cantFail(getTarget(*name));
    getOperation()->walk(
        [&](block::GraphOp graph) { BlockSpreader(graph, gpu).run(); });
  }
};
} // namespace
