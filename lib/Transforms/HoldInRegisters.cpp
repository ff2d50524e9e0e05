//===- HoldInRegisters.cpp - Sums over the loop grow in registers ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Layout/WorkFragments.h"
#include "Mirage/Planning/Target.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/STLExtras.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_HOLDINREGISTERSPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

/// Warps that have no item would repeat those of others, and read all that they
/// read once more.
static bool hasWorkForAllWarps(RankedTensorType held) {
  LinearLayout layout = *thread::getFragmentLayout(held);
  return llvm::all_of(
      layout.getBases(LayoutInput::Warp), [](const Coordinates &image) {
        return llvm::any_of(image,
                            [](int64_t coordinate) { return coordinate != 0; });
      });
}

/// What is held no ldmatrix reads.
static void readInPlace(Value held) {
  IRRewriter rewriter(held.getContext());
  for (OpOperand &use : held.getUses()) {
    auto reader = dyn_cast<thread::GraphOp>(use.getOwner());
    if (!reader)
      continue;
    BlockArgument window = reader.getBody().getArgument(use.getOperandNumber());
    for (Operation *load : llvm::make_early_inc_range(window.getUsers())) {
      if (!isa<thread::LdmatrixOp>(load))
        continue;
      rewriter.setInsertionPoint(load);
      rewriter.replaceOpWithNewOp<thread::LoadOp>(
          load, load->getResult(0).getType(), window);
    }
  }
}

/// Rows that go from step to step, of which --mirage-give-rows-to-warps has
/// seen to it that there are registers. What is held may need others to be, so
/// all are at first, and those drop out that cannot. \returns whether any are.
static bool holdRows(block::GraphOp graph) {
  SmallVector<Operation *> rows;
  for (auto op : graph.getBody().getOps<thread::GraphOp>())
    if (op->hasAttr(kWholeRowsAttr) && op->getNumResults() == 1)
      rows.push_back(op);
  UnitAttr held = UnitAttr::get(graph.getContext());
  for (Operation *op : rows)
    op->setAttr(kHeldAttr, held);
  auto isHeldInVain = [](Operation *op) {
    bool cannot = llvm::errorToBool(verifyHeld(op->getResult(0)));
    if (cannot)
      op->removeAttr(kHeldAttr);
    return cannot;
  };
  while (size_t before = rows.size()) {
    llvm::erase_if(rows, isHeldInVain);
    if (rows.size() == before)
      break;
  }
  for (Operation *op : rows)
    readInPlace(op->getResult(0));
  // A maximum that nobody needs behind the loop needs no place there.
  for (auto op : graph.getBody().getOps<block::AccumulateOp>())
    if (op.use_empty() && isCarriedSum(op.getResult()))
      op->setAttr(kHeldAttr, held);
  return !rows.empty();
}

//===----------------------------------------------------------------------===//
// Operands that stay the same
//===----------------------------------------------------------------------===//

/// The operand that a step of rows multiplies from the left in each iteration
/// of the loop, and that the loop does not change: the window of it, if it is
/// each item's own. What is held already no ldmatrix loads.
static BlockArgument findLastingOperand(thread::GraphOp product,
                                        const DenseMap<Value, Phase> &phases) {
  auto products = product.getBody().getOps<thread::MmaOp>();
  if (!product->hasAttr(kWholeRowsAttr) || !llvm::hasSingleElement(products))
    return {};
  auto load = (*products.begin()).getLhs().getDefiningOp<thread::LdmatrixOp>();
  auto window = load ? dyn_cast<BlockArgument>(load.getOperand()) : nullptr;
  if (!window)
    return {};
  Value operand = product.getInputs()[window.getArgNumber()];
  bool stays = phases.lookup(operand) == Phase::Invariant &&
               phases.lookup(product.getResult(0)) == Phase::Loop;
  auto imap =
      cast<DenseI64ArrayAttr>(product.getImaps()[window.getArgNumber()]);
  bool isEachItems = !llvm::is_contained(imap.asArrayRef(), kReplicated);
  return stays && isEachItems ? window : BlockArgument();
}

/// Of a thread, for 16 rows of a tile.
static int64_t countRowRegisters(RankedTensorType tile) {
  constexpr int64_t kRegisterBits = 32;
  return 16 * tile.getShape().back() * tile.getElementTypeBitWidth() /
         (kRegisterBits << kLaneBits);
}

/// A step before the loop that loads the rows of each item, and holds them.
static Value loadRows(OpBuilder &builder, thread::GraphOp product,
                      BlockArgument window, const LinearLayout &rows) {
  Location location = product.getLoc();
  Value operand = product.getInputs()[window.getArgNumber()];
  auto tile = cast<RankedTensorType>(operand.getType());
  Attribute map = product.getImaps()[window.getArgNumber()];
  auto graph = thread::GraphOp::create(
      builder, location, TypeRange(tile), operand, ValueRange(),
      product.getGridAttr(), builder.getI64IntegerAttr(1 << kLaneBits),
      builder.getI64IntegerAttr(1), builder.getArrayAttr(map),
      builder.getDenseI64ArrayAttr(kReplicated), builder.getArrayAttr(map));
  UnitAttr unit = builder.getUnitAttr();
  graph->setAttr(kHeldAttr, unit);
  graph->setAttr(kWholeRowsAttr, unit);
  OpBuilder::InsertionGuard insertion(builder);
  auto windowType =
      RankedTensorType::get(rows.getShape(), tile.getElementType());
  Block *body = builder.createBlock(&graph.getBody(), {}, windowType, location);
  Value fragment = thread::LdmatrixOp::create(
      builder, location, thread::getFragmentType(rows, tile.getElementType()),
      body->getArgument(0));
  Value stored =
      thread::StoreOp::create(builder, location, windowType, fragment);
  thread::YieldOp::create(builder, location, stored);
  return graph.getResult(0);
}

/// Left operands of products on rows, such as the queries of attention, which
/// the loop would load in each iteration: held as well, if `verifyHeld` has it
/// that they can be, and while registers of a thread are left for what an
/// iteration computes with.
static void holdLastingOperands(block::GraphOp graph) {
  auto taken = graph->getAttrOfType<IntegerAttr>(kRowRegistersAttr);
  if (!taken || graph.getLoop() == 1)
    return;
  int64_t numRegisters = taken.getInt();
  // All targets have the same registers.
  int64_t most = Target().getRegistersPerThread(graph.getThreads()) * 5 / 8;
  DenseMap<Value, Phase> phases =
      computePhases(cast<TileGraphOpInterface>(graph.getOperation()));
  OpBuilder builder(graph.getContext());
  for (auto product : graph.getBody().getOps<thread::GraphOp>()) {
    BlockArgument window = findLastingOperand(product, phases);
    if (!window)
      continue;
    unsigned input = window.getArgNumber();
    auto tile = cast<RankedTensorType>(product.getInputs()[input].getType());
    std::optional<LinearLayout> rows = findRowsLayout(tile.getShape());
    int64_t needed = countRowRegisters(tile);
    if (!rows || numRegisters + needed > most)
      continue;
    builder.setInsertionPoint(product);
    Value held = loadRows(builder, product, window, *rows);
    Value operand = product.getInputs()[input];
    product.setOperand(input, held);
    if (llvm::errorToBool(verifyHeld(held))) {
      product.setOperand(input, operand);
      held.getDefiningOp()->erase();
      continue;
    }
    readInPlace(held);
    numRegisters += needed;
  }
  graph->setAttr(kRowRegistersAttr, builder.getI64IntegerAttr(numRegisters));
}

//===----------------------------------------------------------------------===//
// All of a block graph
//===----------------------------------------------------------------------===//

static void holdInRegisters(block::GraphOp graph) {
  // Rows have another budget, of which operands and addresses take a part.
  int64_t numFree = countFreeRegisters(graph.getThreads());
  if (holdRows(graph)) {
    numFree = 0;
    holdLastingOperands(graph);
  }
  UnitAttr held = UnitAttr::get(graph.getContext());
  for (auto op : graph.getBody().getOps<block::AccumulateOp>()) {
    bool isAlone =
        op.getOperand().hasOneUse() && (op.getRescale() || growsWithParts(op));
    if (!isAlone || !canCarry(op) || isCarriedSum(op.getResult()))
      continue;
    RankedTensorType type = getHeldType(op.getOperand());
    if (!type || !hasWorkForAllWarps(type))
      continue;
    int64_t numRegisters = thread::getFragmentLayout(type)->getNumRegisters();
    if (numRegisters > numFree)
      continue;
    numFree -= numRegisters;
    op.getOperand().getDefiningOp()->setAttr(kHeldAttr, held);
  }
}

namespace {
struct HoldInRegistersPass
    : mirage::impl::HoldInRegistersPassBase<HoldInRegistersPass> {
  void runOnOperation() override {
    getOperation()->walk([](block::GraphOp graph) { holdInRegisters(graph); });
  }
};
} // namespace
