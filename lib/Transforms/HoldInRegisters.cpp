//===- HoldInRegisters.cpp - Sums over the loop grow in registers ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/BypassingTiles.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Layout/WorkFragments.h"
#include "Mirage/Planning/LaunchBarrier.h"
#include "Mirage/Planning/Target.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

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

/// A step that loads what the items of another one read of an operand, and
/// holds it.
template <typename LoadOp>
static thread::GraphOp loadOperand(OpBuilder &builder, thread::GraphOp reader,
                                   BlockArgument window,
                                   const LinearLayout &fragment) {
  Location location = reader.getLoc();
  Value operand = reader.getInputs()[window.getArgNumber()];
  auto tile = cast<RankedTensorType>(operand.getType());
  Attribute map = reader.getImaps()[window.getArgNumber()];
  auto graph = thread::GraphOp::create(
      builder, location, TypeRange(tile), operand, ValueRange(),
      reader.getGridAttr(), builder.getI64IntegerAttr(1 << kLaneBits),
      builder.getI64IntegerAttr(1), builder.getArrayAttr(map),
      builder.getDenseI64ArrayAttr(kReplicated), builder.getArrayAttr(map));
  graph->setAttr(kHeldAttr, builder.getUnitAttr());
  OpBuilder::InsertionGuard insertion(builder);
  auto windowType =
      RankedTensorType::get(fragment.getShape(), tile.getElementType());
  Block *body = builder.createBlock(&graph.getBody(), {}, windowType, location);
  Value loaded =
      LoadOp::create(builder, location,
                     thread::getFragmentType(fragment, tile.getElementType()),
                     body->getArgument(0));
  Value stored = thread::StoreOp::create(builder, location, windowType, loaded);
  thread::YieldOp::create(builder, location, stored);
  return graph;
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
    auto rowsOp =
        loadOperand<thread::LdmatrixOp>(builder, product, window, *rows);
    rowsOp->setAttr(kWholeRowsAttr, builder.getUnitAttr());
    Value held = rowsOp.getResult(0);
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
// Blocks without a loop
//===----------------------------------------------------------------------===//

/// Registers of 32 bits that a thread needs for a tile.
static int64_t countRegisters(RankedTensorType held) {
  constexpr int64_t kRegisterBits = 32;
  int64_t bits = thread::getFragmentLayout(held)->getNumRegisters() *
                 held.getElementTypeBitWidth();
  return llvm::divideCeil(bits, kRegisterBits);
}

namespace {
/// The results of steps of a block without a loop that warps could hold.
class HeldSteps {
public:
  explicit HeldSteps(block::GraphOp graph) : graph(graph) {}

  /// A value that may be held, unless it turns out that it cannot be.
  void add(thread::GraphOp step) {
    step->setAttr(kHeldAttr, UnitAttr::get(step.getContext()));
    steps.push_back(step);
  }

  /// Drops those that cannot be held, which may be others' reason to be so, and
  /// while there are no registers for all that is alive the largest one.
  /// \returns the registers of a thread that are needed where most is alive.
  int64_t settle(int64_t mostRegisters) {
    dropUnheld();
    Demand demand = findDemand();
    for (; demand.registers > mostRegisters; demand = findDemand()) {
      demand.largest->removeAttr(kHeldAttr);
      llvm::erase(steps, demand.largest);
      dropUnheld();
    }
    return demand.registers;
  }

private:
  void dropUnheld() {
    size_t before;
    do {
      before = steps.size();
      llvm::erase_if(steps, [](thread::GraphOp step) {
        RankedTensorType held = getHeldType(step.getResult(0));
        bool can = held && hasWorkForAllWarps(held) &&
                   !llvm::errorToBool(verifyHeld(step.getResult(0)));
        if (!can)
          step->removeAttr(kHeldAttr);
        return !can;
      });
    } while (steps.size() < before);
  }

  struct Demand {
    int64_t registers = 0;
    thread::GraphOp largest; ///< of what is alive
  };
  Demand findDemand() {
    Demand most;
    for (Operation &op : graph.getBody().front()) {
      Demand demand;
      int64_t largest = 0;
      for (thread::GraphOp step : steps) {
        if (!isAliveAt(step, &op))
          continue;
        int64_t registers = countRegisters(getHeldType(step.getResult(0)));
        demand.registers += registers;
        if (registers > largest)
          demand.largest = step;
        largest = std::max(largest, registers);
      }
      if (demand.registers > most.registers)
        most = demand;
    }
    return most;
  }

  static bool isAliveAt(thread::GraphOp step, Operation *op) {
    return !op->isBeforeInBlock(step) &&
           llvm::any_of(step->getUsers(), [&](Operation *user) {
             return !user->isBeforeInBlock(op);
           });
  }

  block::GraphOp graph;
  SmallVector<thread::GraphOp> steps;
};
} // namespace

/// A step at the block's head that loads an input as the first of its readers
/// does: lanes get it from device memory once, and all that they need at the
/// same time, not behind barriers. Null where it would have to go through
/// shared memory all the same, or the head is where it is read.
static thread::GraphOp loadInput(block::GraphOp graph, BlockArgument input) {
  if (input.use_empty() || !liesInRows(graph, input.getArgNumber()))
    return nullptr;
  SmallVector<OpOperand *> uses =
      llvm::map_to_vector(input.getUses(), [](OpOperand &use) { return &use; });
  if (!llvm::all_of(uses, [](OpOperand *use) {
        return isa<thread::GraphOp>(use->getOwner());
      }))
    return nullptr;
  OpOperand *first = *llvm::min_element(uses, [](auto *a, auto *b) {
    return a->getOwner()->isBeforeInBlock(b->getOwner());
  });
  auto reader = cast<thread::GraphOp>(first->getOwner());
  BlockArgument window =
      reader.getBody().getArgument(first->getOperandNumber());
  auto load = window.hasOneUse()
                  ? dyn_cast<thread::LoadOp>(*window.user_begin())
                  : thread::LoadOp();
  thread::GraphOp head = *graph.getBody().getOps<thread::GraphOp>().begin();
  if (!load || reader.getLoop() > 1 || (input.hasOneUse() && reader == head))
    return nullptr;
  OpBuilder builder = OpBuilder::atBlockBegin(&graph.getBody().front());
  auto step = loadOperand<thread::LoadOp>(
      builder, reader, window, *thread::getFragmentLayout(load.getType()));
  input.replaceAllUsesExcept(step.getResult(0), step);
  return step;
}

/// Steps hand on in registers what others of the same items read.
static void holdSteps(block::GraphOp graph) {
  HeldSteps steps(graph);
  SmallVector<thread::GraphOp> loads;
  for (BlockArgument input : graph.getBody().getArguments())
    if (thread::GraphOp load = loadInput(graph, input))
      loads.push_back(load);
  Operation *yield = graph.getBody().front().getTerminator();
  for (auto step : graph.getBody().getOps<thread::GraphOp>())
    if (step->getNumResults() == 1 &&
        !llvm::is_contained(step->getUsers(), yield))
      steps.add(step);
  int64_t numRegisters =
      steps.settle(Target().getRegistersForRows(graph.getThreads()));
  // Of what all code is reckoned to take, half is left for an item.
  if (numRegisters > kExpectedRegisters / 2)
    graph->setAttr(kRowRegistersAttr,
                   OpBuilder(graph).getI64IntegerAttr(numRegisters));
  for (thread::GraphOp load : loads) {
    if (load->hasAttr(kHeldAttr) &&
        !llvm::errorToBool(verifyBypassing(load.getInputs().front())))
      continue;
    load.getResult(0).replaceAllUsesWith(load.getInputs().front());
    load.erase();
  }
}

//===----------------------------------------------------------------------===//
// All of a block graph
//===----------------------------------------------------------------------===//

static bool hasWholeRows(block::GraphOp graph) {
  return llvm::any_of(
      graph.getBody().getOps<thread::GraphOp>(),
      [](thread::GraphOp step) { return step->hasAttr(kWholeRowsAttr); });
}

static void holdInRegisters(block::GraphOp graph) {
  // Rows have another budget, of which operands and addresses take a part.
  int64_t numFree = countFreeRegisters(graph.getThreads());
  if (graph.getLoop() == 1 && !hasWholeRows(graph))
    return holdSteps(graph);
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
