//===- HoldInRegisters.cpp - Sums over the loop grow in registers ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BypassSharedMemory.h"
#include "CopySteps.h"
#include "HeldChoice.h"
#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Analysis/BypassingTiles.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Analysis/ProductSums.h"
#include "Mirage/Layout/WorkFragments.h"
#include "Mirage/Planning/LaunchBarrier.h"
#include "Mirage/Planning/RegisterBudget.h"
#include "Mirage/Planning/Target.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_HOLDINREGISTERSPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

/// Whether a step can read all operands that are held, and a value that will
/// be.
static bool canReadHeldWith(thread::GraphOp step, Value value) {
  return llvm::all_of(llvm::enumerate(step.getInputs()), [&](auto input) {
    return (input.value() != value && !isHeld(input.value())) ||
           canReadHeld(step, input.index(), getHeldType(input.value()));
  });
}

/// Has readers of what is held as shares, though warps are a power of two, have
/// the same.
static void shareWithReaders(Value value) {
  ShareDeal deal = thread::getShareDeal(getHeldType(value));
  if (deal.isOneEach() || !llvm::isPowerOf2_32(deal.numWarps))
    return;
  UnitAttr shares = UnitAttr::get(value.getContext());
  for (Operation *user : value.getUsers()) {
    auto reader = dyn_cast<thread::GraphOp>(user);
    if (!reader || reader->hasAttr(kHeldSharesAttr) ||
        !(dealShares(reader.getGrid(), deal.numWarps) == deal))
      continue;
    reader->setAttr(kHeldSharesAttr, shares);
    if (!canReadHeldWith(reader, value))
      reader->removeAttr(kHeldSharesAttr);
  }
}

/// Sums that the same warps read behind the loop, as they hold them, and maxima
/// that nobody needs there.
static void holdCarriedSums(block::GraphOp graph) {
  for (auto op : graph.getBody().getOps<block::AccumulateOp>()) {
    op->removeAttr(kHeldAttr);
    if (isCarriedSum(op.getResult()) && getHeldType(op.getResult()))
      shareWithReaders(op.getResult());
    if (isCarriedSum(op.getResult()) &&
        !llvm::errorToBool(verifyHeld(op.getResult()))) {
      op->setAttr(kHeldAttr, UnitAttr::get(graph.getContext()));
      loadPlainly(op.getResult());
    }
  }
}

/// Rows that go from step to step, of which --mirage-give-rows-to-warps has
/// seen to it that there are registers. What is held may need others to be, so
/// all are at first, and those drop out that cannot. \returns whether any are.
static bool holdRows(block::GraphOp graph) {
  SmallVector<Operation *> rows;
  for (Operation &op : graph.getBody().front())
    if (isa<thread::GraphOp, block::MaskOp, block::CausalMaskOp>(op) &&
        isSharedByRows(&op) && op.getNumResults() == 1)
      rows.push_back(&op);
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
    loadPlainly(op->getResult(0));
  holdCarriedSums(graph);
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

/// A step that loads what the items of another one read of an operand.
static thread::GraphOp loadOperand(OpBuilder &builder, thread::GraphOp reader,
                                   BlockArgument window,
                                   const LinearLayout &fragment,
                                   bool isMatrixLoad) {
  unsigned input = window.getArgNumber();
  Value operand = reader.getInputs()[input];
  ItemWindows windows{reader, reader.getImaps()[input], fragment};
  return createCopyStep(builder, operand, windows, isMatrixLoad,
                        getElementTypeOrSelf(operand.getType()));
}

namespace {
/// An operand that a step of its own loads.
struct LoadedOperand {
  thread::GraphOp load, reader;
  unsigned input; ///< of the reader

  void takeBack() {
    reader.setOperand(input, load.getInputs().front());
    load.erase();
  }
};
} // namespace

static SmallVector<LoadedOperand> loadLastingOperands(block::GraphOp graph) {
  DenseMap<Value, Phase> phases =
      computePhases(cast<TileGraphOpInterface>(graph.getOperation()));
  OpBuilder builder(graph.getContext());
  SmallVector<LoadedOperand> loaded;
  for (auto product : graph.getBody().getOps<thread::GraphOp>()) {
    BlockArgument window = findLastingOperand(product, phases);
    if (!window)
      continue;
    unsigned input = window.getArgNumber();
    auto tile = cast<RankedTensorType>(product.getInputs()[input].getType());
    std::optional<LinearLayout> rows = findRowsLayout(tile.getShape());
    if (!rows)
      continue;
    builder.setInsertionPoint(product);
    thread::GraphOp load = loadOperand(builder, product, window, *rows,
                                       /*isMatrixLoad=*/true);
    load->setAttr(kWholeRowsAttr, builder.getUnitAttr());
    product.setOperand(input, load.getResult(0));
    loaded.push_back({load, product, input});
  }
  return loaded;
}

/// Left operands of products on rows, such as the queries of attention, which
/// the loop would load in each iteration: held as well, while registers of a
/// thread are left for what an iteration computes with.
static void holdLastingOperands(block::GraphOp graph) {
  auto taken = graph->getAttrOfType<IntegerAttr>(kRowRegistersAttr);
  if (!taken || graph.getLoop() == 1)
    return;
  SmallVector<LoadedOperand> operands = loadLastingOperands(graph);
  HeldChoice choice(graph);
  for (LoadedOperand &operand : operands)
    choice.add(operand.load);
  int64_t most = RegisterBudget(graph.getThreads()).getForRowsAndOperands();
  int64_t numRegisters = taken.getInt();
  numRegisters +=
      choice.decide({std::max<int64_t>(most - numRegisters, 0)}).tiles;
  for (LoadedOperand &operand : operands) {
    if (operand.load->hasAttr(kHeldAttr))
      loadPlainly(operand.load.getResult(0));
    else
      operand.takeBack();
  }
  graph->setAttr(kRowRegistersAttr,
                 Builder(graph.getContext()).getI64IntegerAttr(numRegisters));
}

//===----------------------------------------------------------------------===//
// Blocks without a loop
//===----------------------------------------------------------------------===//

/// The use of an input by the step that reads it first, if nothing but steps
/// reads it.
static OpOperand *findFirstUse(BlockArgument input) {
  SmallVector<OpOperand *> uses =
      llvm::map_to_vector(input.getUses(), [](OpOperand &use) { return &use; });
  if (uses.empty() || !llvm::all_of(uses, [](OpOperand *use) {
        return isa<thread::GraphOp>(use->getOwner());
      }))
    return nullptr;
  return *llvm::min_element(uses, [](auto *a, auto *b) {
    return a->getOwner()->isBeforeInBlock(b->getOwner());
  });
}

static void takeBackLoad(thread::GraphOp load) {
  load.getResult(0).replaceAllUsesWith(load.getInputs().front());
  load.erase();
}

/// A step at the block's head that loads an input as the first of its readers
/// does: lanes get it from device memory once, and all that they need at the
/// same time, not behind barriers. Null where it would have to go through
/// shared memory all the same, or the head is where it is read.
static thread::GraphOp loadInput(block::GraphOp graph, BlockArgument input) {
  OpOperand *first = findFirstUse(input);
  if (!first)
    return nullptr;
  auto reader = cast<thread::GraphOp>(first->getOwner());
  BlockArgument window =
      reader.getBody().getArgument(first->getOperandNumber());
  Operation *load = window.hasOneUse() ? *window.user_begin() : nullptr;
  thread::GraphOp head = *graph.getBody().getOps<thread::GraphOp>().begin();
  if (!isa_and_nonnull<thread::LoadOp, thread::LdmatrixOp>(load) ||
      reader.getLoop() > 1 || (input.hasOneUse() && reader == head))
    return nullptr;
  OpBuilder builder = OpBuilder::atBlockBegin(&graph.getBody().front());
  thread::GraphOp step =
      loadOperand(builder, reader, window,
                  *thread::getFragmentLayout(load->getResult(0).getType()),
                  /*isMatrixLoad=*/false);
  input.replaceAllUsesExcept(step.getResult(0), step);
  if (isWorthBypassing(input))
    return step;
  takeBackLoad(step);
  return nullptr;
}

/// Has steps hold what others read, and says how many registers that takes, if
/// they are many.
/// \param decide  returns these.
static void chooseSteps(block::GraphOp graph,
                        llvm::function_ref<int64_t(HeldChoice &)> decide) {
  HeldChoice choice(graph);
  Operation *yield = graph.getBody().front().getTerminator();
  for (auto step : graph.getBody().getOps<thread::GraphOp>())
    if (step->getNumResults() == 1 && !step->hasAttr(kHeldAttr) &&
        !llvm::is_contained(step->getUsers(), yield))
      choice.add(step);
  int64_t numRegisters = decide(choice);
  // Of what all code is reckoned to take, half is left for an item.
  if (numRegisters > kExpectedRegisters / 2)
    graph->setAttr(kRowRegistersAttr,
                   OpBuilder(graph).getI64IntegerAttr(numRegisters));
}

/// Nothing at the same time: no schedule has fewer tiles live at once.
static Schedule makeSerialSchedule(unsigned numSteps) {
  Schedule schedule;
  schedule.order = llvm::to_vector(llvm::seq<unsigned>(0, numSteps));
  schedule.barrierBefore.resize(numSteps, true);
  return schedule;
}

/// Bytes of shared memory that the tiles of a block without a loop take at the
/// least where most of them are live, in the order of its steps. How they are
/// scheduled and lie is decided later, as is what bypasses shared memory.
static int64_t countTileBytes(block::GraphOp graph) {
  BlockSteps steps(graph, findBypassingValues(graph));
  SmallVector<TileForm> forms(steps.getTiles().size());
  StorageProblem problem = steps.makeStorageProblem(
      makeSerialSchedule(steps.getSteps().size()), forms);
  return problem.getTiles().empty() ? 0 : problem.getLargestDemand().sizeBytes;
}

/// Decides so that no thread spills, if tiles have place in shared memory then:
/// code that does is better than none. \returns the registers of a thread that
/// this takes.
static int64_t decideSteps(block::GraphOp graph, HeldChoice &choice,
                           int64_t sharedBytes) {
  RegisterBudget budget(graph.getThreads());
  HeldRegisters ofSteps = budget.getForSteps();
  HeldRegisters taken = choice.decide(ofSteps);
  for (int64_t more : {budget.getForRows(), ofSteps.tiles})
    if (countTileBytes(graph) > sharedBytes)
      taken = choice.decide({more});
  return std::min(taken.all, budget.getAll());
}

/// Steps hand on in registers what others of the same items read.
static void holdSteps(block::GraphOp graph, int64_t sharedBytes) {
  SmallVector<thread::GraphOp> loads;
  for (BlockArgument input : graph.getBody().getArguments())
    if (thread::GraphOp load = loadInput(graph, input))
      loads.push_back(load);
  chooseSteps(graph, [&](HeldChoice &choice) {
    return decideSteps(graph, choice, sharedBytes);
  });
  for (thread::GraphOp load : loads)
    if (!load->hasAttr(kHeldAttr))
      takeBackLoad(load);
  for (auto step : graph.getBody().getOps<thread::GraphOp>())
    if (step->hasAttr(kHeldAttr))
      loadPlainly(step.getResult(0));
}

//===----------------------------------------------------------------------===//
// All of a block graph
//===----------------------------------------------------------------------===//

static bool hasWholeRows(block::GraphOp graph) {
  return llvm::any_of(
      graph.getBody().getOps<thread::GraphOp>(),
      [](thread::GraphOp step) { return step->hasAttr(kWholeRowsAttr); });
}

/// Sums over the loop of what no rows are.
/// \returns how many registers they take.
static int64_t holdSums(block::GraphOp graph) {
  HeldChoice choice(graph);
  SmallVector<block::AccumulateOp> sums = findCarriedSums(graph);
  for (block::AccumulateOp sum : sums)
    choice.add(sum.getOperand().getDefiningOp<thread::GraphOp>());
  int64_t numRegisters =
      choice.decide({countSumRegisters(sums, graph.getThreads())}).tiles;
  holdCarriedSums(graph);
  return numRegisters;
}

static bool multiplies(block::GraphOp graph) {
  return graph.walk([](thread::MmaOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// What steps of a loop hand on, and those before and behind it, in registers
/// that its sums leave. Where products are taken, these need them.
static void holdStepsOfLoop(block::GraphOp graph, int64_t numRegistersOfSums) {
  if (multiplies(graph))
    return;
  RegisterBudget budget(graph.getThreads());
  chooseSteps(graph, [&](HeldChoice &choice) {
    return choice.decide({budget.getForStepsOfLoop(numRegistersOfSums)}).tiles;
  });
  for (auto step : graph.getBody().getOps<thread::GraphOp>())
    if (step->hasAttr(kHeldAttr))
      loadPlainly(step.getResult(0));
  holdCarriedSums(graph);
}

static void holdValues(block::GraphOp graph, int64_t sharedBytes) {
  if (!hasWholeRows(graph))
    graph->removeAttr(kRowRegistersAttr);
  if (graph.getLoop() == 1 && !hasWholeRows(graph))
    return holdSteps(graph, sharedBytes);
  // Rows have another budget, of which operands and addresses take a part.
  if (holdRows(graph))
    return holdLastingOperands(graph);
  holdStepsOfLoop(graph, holdSums(graph));
}

static void forgetChoices(block::GraphOp graph) {
  forgetBypassing(graph);
  for (Operation &op : graph.getBody().front())
    for (StringRef name : {kHeldAttr, kHeldSharesAttr})
      op.removeAttr(name);
}

/// Shares are of what is held: other steps have items.
static void dropShares(block::GraphOp graph) {
  for (auto step : graph.getBody().getOps<thread::GraphOp>())
    if (!step->hasAttr(kHeldAttr) && llvm::none_of(step.getInputs(), isHeld))
      step->removeAttr(kHeldSharesAttr);
}

static LogicalResult holdInRegisters(block::GraphOp graph, StringRef target) {
  FailureOr<std::string> name = resolveTarget(graph, target);
  if (failed(name))
    return failure();
  forgetChoices(graph);
  SmallVector<StoredCopy> copies = addStoredCopies(graph);
  holdValues(graph, llvm::cantFail(getTarget(*name)).sharedBytesPerBlock);
  for (StoredCopy &copy : copies)
    if (!isHeld(copy.getSource()))
      copy.takeBack();
  dropShares(graph);
  return success();
}

namespace {
struct HoldInRegistersPass
    : mirage::impl::HoldInRegistersPassBase<HoldInRegistersPass> {
  using HoldInRegistersPassBase::HoldInRegistersPassBase;

  void runOnOperation() override {
    if (failed(resolveTarget(getOperation(), target)))
      return signalPassFailure();
    WalkResult result = getOperation()->walk([&](block::GraphOp graph) {
      return failed(holdInRegisters(graph, target)) ? WalkResult::interrupt()
                                                    : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
