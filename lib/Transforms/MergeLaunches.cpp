//===- MergeLaunches.cpp - Kernels that share a launch --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/KernelResources.h"
#include "Mirage/Analysis/LaunchSequence.h"
#include "Mirage/Analysis/LoadingWarps.h"
#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Analysis/Multicast.h"
#include "Mirage/Analysis/PersistentBlocks.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_MERGELAUNCHESPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

#define DEBUG_TYPE "mirage-merge-launches"

namespace {
/// Decides for the kernels of one program, one for each launch or several.
class LaunchMerger {
public:
  /// \param merges  whether kernels may share a launch.
  LaunchMerger(const LaunchSequence &sequence, const Target &target,
               bool merges)
      : kernels(sequence.getKernels()), sequence(sequence), target(target),
        merges(merges) {}

  LogicalResult run() {
    // Kernels that join one another stand in a row.
    for (unsigned first = 0; first < kernels.size();) {
      SmallVector<GridJoin, 3> chain;
      while (std::optional<GridJoin> join =
                 findJoin(first, first + chain.size() + 1))
        chain.push_back(*join);
      if (failed(decide(first, chain)))
        return failure();
      first += chain.size() + 1;
    }
    return success();
  }

private:
  int64_t getNumBlocks(unsigned number) const {
    return ShapedType::getNumElements(
        block::GraphOp(kernels[number]).getGrid());
  }

  /// \param first  of the kernels that may share a launch with this one.
  std::optional<GridJoin> findJoin(unsigned first, unsigned number) const {
    if (number >= kernels.size() || sequence.readsFurtherUp(first, number))
      return std::nullopt;
    std::optional<unsigned> axis = sequence.findJoinedAxis(number);
    block::GraphOp kernel = kernels[number], before = kernels[number - 1];
    if (!axis)
      return std::nullopt;
    return GridJoin{getNumBlocks(number - 1), before.getGrid()[*axis],
                    kernel.getGrid()[*axis] > 1,
                    kernel.getThreads() == before.getThreads()};
  }

  /// For the chain that begins with a kernel.
  LogicalResult decide(unsigned first, ArrayRef<GridJoin> chain) {
    SmallVector<LaunchBarrier, 3> barriers(chain.size(), LaunchBarrier::Launch);
    if (merges)
      barriers = chooseLaunchBarriers(chain, target);
    barriers.insert(barriers.begin(), LaunchBarrier::Launch);
    barriers.push_back(LaunchBarrier::Launch);
    unsigned launch = first;
    for (unsigned i = 0; i <= chain.size(); ++i) {
      unsigned number = first + i;
      setBarrier(number, barriers[i]);
      if (failed(setCluster(number, barriers[i + 1] == LaunchBarrier::Cluster)))
        return failure();
      if (barriers[i + 1] != LaunchBarrier::Launch)
        continue;
      if (failed(setResidentBlocks(launch, number)))
        return failure();
      if (launch < number)
        forgetDecisions(launch, number);
      launch = number + 1;
    }
    return success();
  }

  void setBarrier(unsigned number, LaunchBarrier barrier) {
    block::GraphOp kernel = kernels[number];
    if (barrier == LaunchBarrier::Launch)
      kernel->removeAttr(kLaunchBarrierAttr);
    else
      kernel->setAttr(
          kLaunchBarrierAttr,
          StringAttr::get(kernel.getContext(), getLaunchBarrierName(barrier)));
  }

  /// What was decided of the launches that kernels had by themselves.
  void forgetDecisions(unsigned first, unsigned last) {
    for (block::GraphOp kernel : kernels.slice(first, last - first + 1))
      for (StringRef name : {kGridOrderAttr, kPersistentBlocksAttr})
        kernel->removeAttr(name);
    for (block::GraphOp kernel : kernels.slice(first + 1, last - first))
      for (StringRef name : {kResidentBlocksAttr, kLoadingWarpsAttr,
                             kRegisterSharesAttr, kDependentLaunchAttr})
        kernel->removeAttr(name);
  }

  /// For the kernels of one launch.
  LogicalResult setResidentBlocks(unsigned first, unsigned last) {
    FailureOr<BlockResources> block =
        readResources(kernels.slice(first, last - first + 1), target);
    if (failed(block))
      return failure();
    int64_t needed = llvm::divideCeil(getNumBlocks(first), target.numSMs);
    int64_t resident =
        std::clamp<int64_t>(getResidentBlocks(*block, target), 1, needed);
    block::GraphOp kernel = kernels[first];
    kernel->setAttr(kResidentBlocksAttr,
                    Builder(kernel.getContext()).getI64IntegerAttr(resident));
    return success();
  }

  /// Clusters that a block graph states are for joining blocks alone. They say
  /// how blocks work together, and not what they compute, so that a GPU without
  /// clusters runs the same program. What a GPU cannot have is refused, be it
  /// wanted or not: who states it means another GPU.
  LogicalResult setCluster(unsigned number, bool isWanted) {
    block::GraphOp kernel = kernels[number];
    std::optional<ArrayRef<int64_t>> stated = kernel.getCluster();
    int64_t numStated = stated ? ShapedType::getNumElements(*stated) : 1;
    bool isTooLarge = numStated > target.blocksPerCluster;
    if (isTooLarge && target.blocksPerCluster > 1)
      return kernel.emitError()
             << "expects a cluster of at most " << target.blocksPerCluster
             << " blocks for " << target.name << ", got " << numStated;
    SmallVector<int64_t, 3> cluster(kernel.getGrid().size(), 1);
    if (isWanted) {
      unsigned axis = *sequence.findJoinedAxis(number + 1);
      cluster[axis] = kernel.getGrid()[axis];
    }
    if (isTooLarge)
      kernel.emitWarning() << "the cluster of " << numStated
                           << " blocks is dropped: " << target.name
                           << " has no clusters";
    else if (stated && (!isWanted || *stated != ArrayRef(cluster)))
      remark::missed(kernel.getLoc(),
                     remark::RemarkOpts::name("Cluster").category(DEBUG_TYPE))
          << "the cluster is dropped: clusters are made where kernels share a "
             "launch, and nowhere else";
    if (isWanted)
      kernel.setCluster(cluster);
    else
      kernel.removeClusterAttr();
    return success();
  }

  ArrayRef<block::GraphOp> kernels;
  const LaunchSequence &sequence;
  const Target &target;
  bool merges;
};

struct MergeLaunchesPass
    : mirage::impl::MergeLaunchesPassBase<MergeLaunchesPass> {
  using MergeLaunchesPassBase::MergeLaunchesPassBase;

  void runOnOperation() override {
    for (Operation *program : findPrograms(getOperation()))
      if (failed(mergeLaunches(program)))
        return signalPassFailure();
  }

private:
  LogicalResult mergeLaunches(Operation *program) {
    // What an earlier decision left may not hold any more.
    forgetEarlyLaunches(program);
    program->walk([](block::GraphOp kernel) {
      kernel->removeAttr(kLaunchBarrierAttr);
      dropMulticastCluster(kernel);
    });
    FailureOr<std::string> name = resolveTarget(program, target);
    FailureOr<LaunchSequence> sequence = LaunchSequence::read(program);
    if (failed(name) || failed(sequence))
      return failure();
    return LaunchMerger(*sequence, llvm::cantFail(getTarget(*name)),
                        mergesLaunches)
        .run();
  }
};
} // namespace
