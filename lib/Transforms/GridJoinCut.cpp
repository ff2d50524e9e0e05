//===- GridJoinCut.cpp - Where joins of blocks cut a graph ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridJoinCut.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::mirage;

bool mlir::mirage::joinsBlocks(Operation *op) {
  auto accumulate = dyn_cast<block::AccumulateOp>(op);
  return accumulate && accumulate.getAxis() != AxisKind::Loop;
}

ArrayRef<int64_t> mlir::mirage::getImap(block::GraphOp graph,
                                        BlockArgument tile) {
  return cast<DenseI64ArrayAttr>(graph.getImaps()[tile.getArgNumber()])
      .asArrayRef();
}

//===----------------------------------------------------------------------===//
// Which ops are late, and what they read
//===----------------------------------------------------------------------===//

GridJoinCut::GridJoinCut(block::GraphOp graph, block::AccumulateOp join,
                         const TileGraph &tiles)
    : graph(graph), axis(join.getAxis()) {
  for (auto [op, phase] :
       llvm::zip_equal(graph.getBody().front().without_terminator(),
                       computeExecutionPhases(tiles)))
    phases[&op] = phase;
  for (Operation &op : graph.getBody().front())
    if (isLate(&op))
      collect(&op);
}

bool GridJoinCut::isLate(Operation *op) const {
  return op->hasTrait<OpTrait::IsTerminator>() ||
         phases.lookup(op) == Phase::AfterGrid;
}

bool GridJoinCut::isLate(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && isLate(op);
}

bool GridJoinCut::isJoin(Operation *op) const {
  return joinsBlocks(op) && cast<block::AccumulateOp>(op).getAxis() == axis &&
         llvm::none_of(op->getOperands(),
                       [&](Value operand) { return isLate(operand); });
}

/// Inputs are read again; what was computed is written and read.
void GridJoinCut::collect(Operation *op) {
  for (Value operand : op->getOperands()) {
    if (isLate(operand))
      continue;
    if (isa<BlockArgument>(operand) && !isJoin(op))
      readAgain.insert(operand);
    else
      carry(operand, isJoin(op));
  }
}

static bool isRescaled(Operation *op) {
  auto accumulate = dyn_cast<block::AccumulateOp>(op);
  return accumulate && accumulate.getRescale();
}

/// Whether the tiles that blocks along an axis have of an input are those that
/// a loop would have of it. Sums and what they are relative to have one form,
/// which is that of parts.
static bool canWalk(block::GraphOp graph, Value value, unsigned axis) {
  auto tile = dyn_cast<BlockArgument>(value);
  if (!tile || graph.getFmaps()[tile.getArgNumber()] != kReplicated ||
      llvm::any_of(tile.getUsers(), isRescaled))
    return false;
  ArrayRef<int64_t> imap = getImap(graph, tile);
  return imap[axis] != kReplicated &&
         !llvm::is_contained(imap.drop_front(axis + 1), imap[axis]);
}

void GridJoinCut::carry(Value value, bool isJoined) {
  bool isKnown = llvm::any_of(carried, [&](const Carried &entry) {
    return entry.value == value && entry.isJoined == isJoined;
  });
  if (!isKnown)
    carried.push_back(
        {value, isJoined,
         /*isInput=*/isJoined && canWalk(graph, value, getAxis())});
}

//===----------------------------------------------------------------------===//
// How that lies in device memory
//===----------------------------------------------------------------------===//

CarriedStorage::CarriedStorage(const GridJoinCut &cut)
    : cut(cut), varying(computeVaryingAxes(cast<TileGraphOpInterface>(
                    cut.getGraph().getOperation()))) {
  for (const Carried &entry : cut.getCarried())
    if (!entry.isInput && findWritten(entry) == written.size())
      written.push_back(entry);
}

/// Whether some result must not differ along an axis.
bool CarriedStorage::isReplicated(unsigned along) const {
  return llvm::any_of(cut.getGraph().getOmaps(), [&](Attribute map) {
    return cast<DenseI64ArrayAttr>(map).asArrayRef()[along] == kReplicated;
  });
}

bool CarriedStorage::isShared(const Carried &entry, unsigned along) const {
  if (varying.lookup(entry.value) >> along & 1)
    return false;
  if (isReplicated(along))
    return along != cut.getAxis() || !entry.isJoined;
  return along == cut.getAxis() &&
         llvm::none_of(cut.getCarried(), [&](const Carried &other) {
           return other.value == entry.value && other.isJoined;
         });
}

SmallVector<int64_t> CarriedStorage::getOwnMap(const Carried &entry) const {
  auto map =
      llvm::to_vector(llvm::seq<int64_t>(0, cut.getGraph().getGrid().size()));
  for (auto [along, dim] : llvm::enumerate(map))
    if (isShared(entry, along))
      dim = kReplicated;
  return map;
}

SmallVector<int64_t> CarriedStorage::getStoredMap(const Carried &entry) const {
  return entry.isInput ? llvm::to_vector(getImap(
                             cut.getGraph(), cast<BlockArgument>(entry.value)))
                       : getOwnMap(entry);
}

SmallVector<int64_t> CarriedStorage::getLeading(const Carried &entry) const {
  SmallVector<int64_t> leading(cut.getGraph().getGrid());
  for (auto [along, extent] : llvm::enumerate(leading))
    if (isShared(entry, along))
      extent = 1;
  return leading;
}

size_t CarriedStorage::findWritten(const Carried &entry) const {
  return llvm::find_if(written,
                       [&](const Carried &other) {
                         return other.value == entry.value &&
                                getOwnMap(other) == getOwnMap(entry);
                       }) -
         written.begin();
}
