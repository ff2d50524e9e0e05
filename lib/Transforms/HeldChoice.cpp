//===- HeldChoice.cpp - Which results of steps warps hold -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeldChoice.h"
#include "Mirage/Analysis/BypassingTiles.h"
#include "Mirage/Layout/HeldTiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::mirage;

HeldChoice::HeldChoice(block::GraphOp graph)
    : graph(graph),
      phases(computePhases(cast<TileGraphOpInterface>(graph.getOperation()))) {
  for (Operation &op : graph.getBody().front()) {
    positions.try_emplace(&op, positions.size());
    if (op.hasAttr(kHeldSharesAttr))
      sharedBefore.insert(&op);
  }
}

/// By how many bits of their numbers warps have the same of a tile: those that
/// have no item would repeat those of others, and read all that they read once
/// more; and so would items that leave the same, where each is a share.
static unsigned countRepeatingBits(RankedTensorType held) {
  LinearLayout layout = *thread::getFragmentLayout(held);
  return llvm::count_if(
      layout.getBases(LayoutInput::Warp), [](const Coordinates &image) {
        return llvm::all_of(image,
                            [](int64_t coordinate) { return coordinate == 0; });
      });
}

/// Whether warps that have no item may well repeat those of others: one access
/// to each operand, none of which may come from device memory, where without a
/// loop they would wait for the result. (Shares are no way there: a warp
/// without one has nothing for readers that have more items.)
static bool mayRepeat(thread::GraphOp step) {
  auto block = step->getParentOfType<block::GraphOp>();
  return block.getLoop() == 1 && step.getLoop() == 1 &&
         llvm::none_of(step.getInputs(), llvm::IsaPred<BlockArgument>) &&
         step.getBody().getOps<thread::MmaOp>().empty();
}

/// Whether warps do well with what they hold: each has its own, or each item is
/// on no more warps than an SM issues instructions of at a time.
static bool isUsable(thread::GraphOp step, RankedTensorType held) {
  constexpr unsigned kSchedulerBits = 2;
  return held &&
         countRepeatingBits(held) <= (mayRepeat(step) ? kSchedulerBits : 0);
}

void HeldChoice::add(thread::GraphOp step) { steps.push_back(step); }

/// Whether a power of two of warps holds only what is summed up where it is: no
/// other step's items have to come to warps alike.
static bool canBeShares(thread::GraphOp step) {
  auto block = step->getParentOfType<block::GraphOp>();
  return llvm::isPowerOf2_64(block.getThreads()) &&
         llvm::all_of(step->getUsers(), llvm::IsaPred<block::AccumulateOp>);
}

static void makeShares(thread::GraphOp step) {
  step->setAttr(kHeldSharesAttr, UnitAttr::get(step.getContext()));
}

/// Makes each item a share, if that is fewer registers or all that can be held.
static void tryShares(thread::GraphOp step) {
  RankedTensorType byWarps = getHeldType(step.getResult(0));
  makeShares(step);
  RankedTensorType byShares = getHeldType(step.getResult(0));
  bool takesShares = byShares && (!isUsable(step, byWarps) ||
                                  thread::countRegisters(byShares) <
                                      thread::countRegisters(byWarps));
  if (!takesShares)
    step->removeAttr(kHeldSharesAttr);
}

/// Warps that have bits hold as much each, rounded up, and read few windows:
/// those of items that follow each other at a distance. Items are shares where
/// that is too much, or leaves warps without one.
void HeldChoice::chooseDeals(int64_t mostRegisters) {
  int64_t registers = 0;
  for (thread::GraphOp step : steps)
    if (RankedTensorType held = getHeldType(step.getResult(0)))
      registers += thread::countRegisters(held);
  for (thread::GraphOp step : steps) {
    RankedTensorType held = getHeldType(step.getResult(0));
    if (canBeShares(step) &&
        (!isUsable(step, held) || registers > mostRegisters))
      tryShares(step);
  }
}

/// Whether a power of two of warps may have the items of a step as shares, and
/// these are not what the warps are.
static bool mayHaveShares(thread::GraphOp step) {
  auto block = step->getParentOfType<block::GraphOp>();
  unsigned numWarps = block.getThreads() >> kLaneBits;
  return llvm::isPowerOf2_32(numWarps) && step.getThreads() == 1 << kLaneBits &&
         !dealShares(step.getGrid(), numWarps).isOneEach();
}

using SharingSteps = llvm::SetVector<thread::GraphOp>;

/// The step whose items leave what a value is made of where it is held.
static thread::GraphOp findSource(Value value) {
  Operation *op = value.getDefiningOp();
  while (
      isa_and_nonnull<block::AccumulateOp, block::MaskOp, block::CausalMaskOp>(
          op))
    op = op->getOperand(0).getDefiningOp();
  return dyn_cast_or_null<thread::GraphOp>(op);
}

/// Those that read what a value's registers have come to, if it is held.
static void findReaders(Value value,
                        SmallVectorImpl<thread::GraphOp> &readers) {
  for (Operation *user : value.getUsers()) {
    if (auto step = dyn_cast<thread::GraphOp>(user))
      readers.push_back(step);
    else if (isa<block::AccumulateOp, block::MaskOp, block::CausalMaskOp>(user))
      findReaders(user->getResult(0), readers);
  }
}

/// The steps that values go to and come from, one from the other, whose items
/// would be the same shares as those of one.
static SharingSteps findSharingSteps(thread::GraphOp first) {
  auto block = first->getParentOfType<block::GraphOp>();
  unsigned numWarps = block.getThreads() >> kLaneBits;
  ShareDeal deal = dealShares(first.getGrid(), numWarps);
  SharingSteps found;
  found.insert(first);
  for (unsigned next = 0; next < found.size(); ++next) {
    thread::GraphOp step = found[next];
    SmallVector<thread::GraphOp> neighbours;
    for (Value result : step.getResults())
      findReaders(result, neighbours);
    for (Value input : step.getInputs())
      if (thread::GraphOp source = findSource(input))
        neighbours.push_back(source);
    for (thread::GraphOp other : neighbours)
      if (mayHaveShares(other) && dealShares(other.getGrid(), numWarps) == deal)
        found.insert(other);
  }
  return found;
}

/// Whether lanes load or store what a block is about in device memory.
static bool reachesDeviceMemory(block::GraphOp graph) {
  Block &body = graph.getBody().front();
  return llvm::any_of(body.getArguments(), isWorthBypassing) ||
         llvm::any_of(body.getTerminator()->getOperands(), [](Value output) {
           return output.getDefiningOp<thread::GraphOp>() &&
                  isWorthBypassing(output);
         });
}

/// Of a round in which the shares of warps do not lie side by side: it has a
/// row and a column of its own, that all steps reckon addresses with, in 64
/// bits those of device memory, in 32 those of tiles.
static int64_t countRegistersOfPlace(block::GraphOp graph) {
  return reachesDeviceMemory(graph) ? 4 : 2;
}

/// The rounds that have places of their own.
static int64_t countPlaces(RankedTensorType held) {
  ShareDeal deal = thread::getShareDeal(held);
  return deal.isOneEach() ? 0
                          : countCarryingRounds(deal.extents, deal.numWarps);
}

/// How often a block carries an op out.
int64_t HeldChoice::countTimes(Operation *op) const {
  bool isInLoop = !op->hasTrait<OpTrait::IsTerminator>() &&
                  getExecutionPhase(op, phases) == Phase::Loop;
  return isInLoop ? block::GraphOp(graph).getLoop() : 1;
}

/// Sums over the loop that grow beside what a step leaves: they are carried,
/// and that is read by others, too.
static int64_t countSumsBeside(Value result) {
  return result.hasOneUse()
             ? 0
             : llvm::count_if(result.getUsers(),
                              llvm::IsaPred<block::AccumulateOp>);
}

/// What is not written by the step nor read by its users; and of a sum, what is
/// not read and written once more. What goes into the loop is needed until its
/// end, and so is what the loop carries.
HeldCandidate HeldChoice::describe(thread::GraphOp step) const {
  Value result = step.getResult(0);
  HeldCandidate candidate;
  candidate.begin = getPosition(step);
  candidate.end = candidate.begin + 1;
  if (RankedTensorType held = getHeldType(result)) {
    candidate.registers =
        thread::countRegisters(held) * (1 + countSumsBeside(result));
    candidate.placeRegisters = registersOfPlace * countPlaces(held);
  }
  int64_t bytes = convertTensor(result.getType()).getSizeBytes();
  int64_t times = countTimes(step), numAccesses = times;
  bool isCarried = false;
  for (Operation *user : result.getUsers()) {
    int64_t timesOfUser = countTimes(user);
    bool addsUp = isa<block::AccumulateOp>(user) && timesOfUser > 1;
    numAccesses += (addsUp ? 3 : 1) * timesOfUser;
    isCarried |= addsUp || timesOfUser > times;
    candidate.end = std::max(candidate.end, getPosition(user) + 1);
  }
  candidate.savedBytes = bytes * numAccesses;
  if (isCarried) {
    candidate.begin = 0;
    candidate.end = positions.size();
  }
  return candidate;
}

void HeldChoice::setHeld(const llvm::BitVector &held) {
  for (auto [number, step] : llvm::enumerate(steps)) {
    if (held[number])
      step->setAttr(kHeldAttr, UnitAttr::get(step.getContext()));
    else
      step->removeAttr(kHeldAttr);
  }
}

static bool canBeHeld(thread::GraphOp step) {
  RankedTensorType held = getHeldType(step.getResult(0));
  return isUsable(step, held) &&
         !llvm::errorToBool(verifyHeld(step.getResult(0)));
}

/// Those that cannot be held may be what others need to be.
void HeldChoice::dropWhatCannot(llvm::BitVector &held) {
  setHeld(held);
  unsigned before;
  do {
    before = held.count();
    for (unsigned number : held.set_bits())
      if (!canBeHeld(steps[number])) {
        steps[number]->removeAttr(kHeldAttr);
        held.reset(number);
      }
  } while (held.count() < before);
}

HeldChoice::Outcome HeldChoice::place(HeldRegisters most) {
  RegisterPlacementProblem problem(most);
  for (thread::GraphOp step : steps)
    problem.add(describe(step));
  RegisterPlacement placement = placeInRegisters(
      problem, [this](llvm::BitVector &held) { dropWhatCannot(held); });
  assert(!llvm::errorToBool(verify(problem, placement)) &&
         "no more may be held than there are registers for");
  return {placement.held, placement.registers,
          problem.countSavedBytes(placement.held)};
}

/// Whether what others than the steps hold can still be read.
bool HeldChoice::keepsOthers() const {
  return llvm::all_of(
      block::GraphOp(graph).getBody().front(), [&](Operation &op) {
        auto step = dyn_cast<thread::GraphOp>(op);
        if (!op.hasAttr(kHeldAttr) || (step && llvm::is_contained(steps, step)))
          return true;
        return !llvm::errorToBool(verifyHeld(op.getResult(0)));
      });
}

/// Values go on from step to step where they are if all of these come to warps
/// alike: so shares are tried for all together.
HeldChoice::Outcome HeldChoice::tryCommonShares(HeldRegisters most,
                                                Outcome best) {
  SharingSteps tried;
  for (thread::GraphOp step : steps) {
    if (!mayHaveShares(step) || tried.contains(step))
      continue;
    SharingSteps common = findSharingSteps(step);
    tried.insert_range(common);
    SmallVector<thread::GraphOp> others =
        llvm::filter_to_vector(common, [](thread::GraphOp other) {
          return !other->hasAttr(kHeldSharesAttr);
        });
    llvm::for_each(others, makeShares);
    Outcome outcome = keepsOthers() ? place(most) : Outcome();
    if (outcome.savedBytes > best.savedBytes)
      best = outcome;
    else
      for (thread::GraphOp other : others)
        other->removeAttr(kHeldSharesAttr);
  }
  return best;
}

/// Of a choice that was made before.
void HeldChoice::forgetShares() {
  for (Operation &op : block::GraphOp(graph).getBody().front())
    if (!sharedBefore.contains(&op))
      op.removeAttr(kHeldSharesAttr);
}

HeldRegisters HeldChoice::decide(HeldRegisters most) {
  forgetShares();
  registersOfPlace = countRegistersOfPlace(graph);
  chooseDeals(most.tiles);
  Outcome outcome = tryCommonShares(most, place(most));
  setHeld(outcome.held);
  return outcome.registers;
}
