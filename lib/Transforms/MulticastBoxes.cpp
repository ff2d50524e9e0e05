//===- MulticastBoxes.cpp - Boxes that a cluster loads together -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/LaunchSequence.h"
#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Analysis/Multicast.h"
#include "Mirage/Analysis/PersistentBlocks.h"
#include "Mirage/Analysis/TileForms.h"
#include "Mirage/Planning/BlocksToLaunch.h"
#include "Mirage/Transforms/Passes.h"
#include "Mirage/Transforms/PredictedTime.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_MULTICASTBOXESPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;
using search::KernelTime;

#define DEBUG_TYPE "mirage-multicast-boxes"

using Cluster = SmallVector<int64_t, 3>;

/// What any GPU with clusters launches, and without being asked to.
static constexpr int64_t kPortableBlocks = 8;

/// Takes back what was decided before, and what was changed for it.
static void forget(block::GraphOp kernel, const Target &target) {
  if (!kernel->removeAttr(kMulticastClusterAttr) ||
      !kernel->hasAttr(kPersistentBlocksAttr))
    return;
  int64_t numBlocks = ShapedType::getNumElements(kernel.getGrid());
  if (std::optional<int64_t> blocks =
          choosePersistentBlocks(numBlocks, /*onlyMultiplies=*/true, target))
    kernel->setAttr(kPersistentBlocksAttr,
                    Builder(kernel.getContext()).getI64IntegerAttr(*blocks));
}

namespace {
/// Decides for one launch.
class ClusterChooser {
public:
  ClusterChooser(Launch &launch, const MulticastChoice &choice,
                 const Target &target)
      : launch(launch), choice(choice), target(target),
        kernel(launch.kernels.front()) {}

  LogicalResult run();

private:
  SmallVector<Cluster> listClusters();
  FailureOr<Cluster> choosePredicted(ArrayRef<Cluster> clusters);
  double predict(KernelTime time, const Cluster &cluster);
  int64_t countRounds(ArrayRef<int64_t> cluster);
  void annotate(const Cluster &cluster);

  Launch &launch;
  const MulticastChoice &choice;
  const Target &target;
  block::GraphOp kernel;
  SmallVector<SharableTile> tiles;
};
} // namespace

LogicalResult ClusterChooser::run() {
  if (!kernel->hasAttr(kHandsBackPlacesAttr))
    return success();
  tiles = getSharableTiles(kernel);
  SmallVector<Cluster> clusters = listClusters();
  FailureOr<Cluster> chosen = choice.kind == MulticastChoice::Kind::Predicted
                                  ? choosePredicted(clusters)
                                  : chooseByBytes(clusters, tiles);
  if (failed(chosen))
    return failure();
  if (!chosen->empty())
    annotate(*chosen);
  else
    remark::missed(kernel.getLoc(),
                   remark::RemarkOpts::name("Multicast").category(DEBUG_TYPE))
        << (clusters.empty() ? "no cluster of its blocks could load together"
                             : "no cluster is predicted to take less");
  return success();
}

/// Blocks that a kernel of the launch joins are clusters already, and those are
/// all there can be.
SmallVector<Cluster> ClusterChooser::listClusters() {
  int64_t most = choice.kind == MulticastChoice::Kind::Predicted
                     ? kPortableBlocks
                     : choice.mostBlocks;
  SmallVector<Cluster> clusters = listMulticastClusters(
      launch.getGrid(), tiles, std::min(most, target.blocksPerCluster));
  llvm::erase_if(clusters, [&](const Cluster &cluster) {
    int64_t numBlocks = ShapedType::getNumElements(cluster);
    if (launch.has(LaunchBarrier::Cluster))
      return launch.getCluster() != ArrayRef(cluster);
    return getClusteredBlocks(target.numSMs, numBlocks, target) == 0;
  });
  return clusters;
}

/// The number of times that all SMs get a block, or the next one.
/// \param cluster  empty of blocks alone.
int64_t ClusterChooser::countRounds(ArrayRef<int64_t> cluster) {
  int64_t numBlocks = ShapedType::getNumElements(launch.getGrid());
  int64_t atOnce = getStatedResidentBlocks(kernel) *
                   target.getClusteredSMs(ShapedType::getNumElements(cluster));
  return llvm::divideCeil(numBlocks, atOnce);
}

/// L2 gives less, blocks wait for each other at the start, and there may be
/// fewer of them at a time.
double ClusterChooser::predict(KernelTime time, const Cluster &cluster) {
  MulticastBytes bytes = countMulticastBytes(cluster, tiles);
  int64_t numBlocks = ShapedType::getNumElements(launch.getGrid());
  double savedBytes =
      (bytes.tiles - bytes.fromCache) * kernel.getLoop() * numBlocks;
  time.cacheUs =
      std::max(time.cacheUs - savedBytes / target.cacheBytesPerUs, 0.0);
  if (launch.has(LaunchBarrier::Cluster))
    return time.getUs();
  time.blocksUs *= double(countRounds(cluster)) / countRounds({});
  time.launchUs += target.clusterBarrierUs;
  return time.getUs();
}

FailureOr<Cluster> ClusterChooser::choosePredicted(ArrayRef<Cluster> clusters) {
  auto time = readPredictedTime(kernel, target);
  if (failed(time))
    return failure();
  Cluster best;
  if (!*time)
    return best;
  double leastUs = (*time)->getUs();
  for (const Cluster &cluster : clusters)
    if (double us = predict(**time, cluster); us < leastUs) {
      leastUs = us;
      best = cluster;
    }
  return best;
}

void ClusterChooser::annotate(const Cluster &cluster) {
  Builder builder(kernel.getContext());
  kernel->setAttr(kMulticastClusterAttr, builder.getDenseI64ArrayAttr(cluster));
  if (std::optional<int64_t> blocks = launch.getPersistentBlocks())
    kernel->setAttr(kPersistentBlocksAttr,
                    builder.getI64IntegerAttr(getClusteredBlocks(
                        *blocks, ShapedType::getNumElements(cluster), target)));
}

namespace {
struct MulticastBoxesPass
    : mirage::impl::MulticastBoxesPassBase<MulticastBoxesPass> {
  using MulticastBoxesPassBase::MulticastBoxesPassBase;

  void runOnOperation() override {
    llvm::Expected<MulticastChoice> choice = parseMulticast(multicast);
    if (!choice) {
      getOperation()->emitError() << llvm::toString(choice.takeError());
      return signalPassFailure();
    }
    for (Operation *program : findPrograms(getOperation()))
      if (failed(decide(program, *choice)))
        return signalPassFailure();
  }

private:
  LogicalResult decide(Operation *program, const MulticastChoice &choice) {
    FailureOr<std::string> name = resolveTarget(program, target);
    if (failed(name))
      return failure();
    const Target gpu = llvm::cantFail(getTarget(*name));
    program->walk([&](block::GraphOp kernel) { forget(kernel, gpu); });
    FailureOr<LaunchSequence> sequence = LaunchSequence::read(program);
    if (failed(sequence))
      return failure();
    if (choice.kind == MulticastChoice::Kind::Never)
      return success();
    for (Launch launch : sequence->getLaunches())
      if (failed(ClusterChooser(launch, choice, gpu).run()))
        return failure();
    return success();
  }
};
} // namespace
