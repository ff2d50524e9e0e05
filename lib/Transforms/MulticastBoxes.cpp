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
  Cluster choosePredicted(ArrayRef<Cluster> clusters, const KernelTime &time);
  double predict(KernelTime time, const Cluster &cluster);
  int64_t countRounds(ArrayRef<int64_t> cluster);
  void annotate(const Cluster &cluster);
  LogicalResult leaveAlone(StringRef reason);

  Launch &launch;
  const MulticastChoice &choice;
  const Target &target;
  block::GraphOp kernel;
  SmallVector<SharableTile> tiles;
};
} // namespace

LogicalResult ClusterChooser::run() {
  if (!kernel->hasAttr(kHandsBackPlacesAttr))
    return leaveAlone("its warps hand no places back");
  tiles = getSharableTiles(kernel);
  SmallVector<Cluster> clusters = listClusters();
  if (clusters.empty())
    return leaveAlone("no cluster of its blocks could load together");
  if (choice.kind != MulticastChoice::Kind::Predicted) {
    annotate(chooseByBytes(clusters, tiles));
    return success();
  }
  FailureOr<std::optional<KernelTime>> time = readPredictedTime(kernel, target);
  if (failed(time))
    return failure();
  if (!*time)
    return leaveAlone("its time is not predicted ('mirage.predicted_time' is "
                      "missing)");
  Cluster best = choosePredicted(clusters, **time);
  if (best.empty())
    return leaveAlone("no cluster is predicted to take less");
  annotate(best);
  return success();
}

LogicalResult ClusterChooser::leaveAlone(StringRef reason) {
  remark::missed(kernel.getLoc(),
                 remark::RemarkOpts::name("Multicast").category(DEBUG_TYPE))
      << reason;
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
  int64_t wanted = getPersistentBlocks(kernel).value_or(target.numSMs);
  llvm::erase_if(clusters, [&](const Cluster &cluster) {
    int64_t numBlocks = ShapedType::getNumElements(cluster);
    if (launch.has(LaunchBarrier::Cluster))
      return launch.getCluster() != ArrayRef(cluster);
    return getClusteredBlocks(wanted, numBlocks, target) == 0;
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

Cluster ClusterChooser::choosePredicted(ArrayRef<Cluster> clusters,
                                        const KernelTime &time) {
  Cluster best;
  double leastUs = time.getUs();
  for (const Cluster &cluster : clusters)
    if (double us = predict(time, cluster); us < leastUs) {
      leastUs = us;
      best = cluster;
    }
  return best;
}

void ClusterChooser::annotate(const Cluster &cluster) {
  kernel->setAttr(kMulticastClusterAttr,
                  DenseI64ArrayAttr::get(kernel.getContext(), cluster));
}

namespace {
struct MulticastBoxesPass
    : mirage::impl::MulticastBoxesPassBase<MulticastBoxesPass> {
  using MulticastBoxesPassBase::MulticastBoxesPassBase;

  void runOnOperation() override {
    llvm::Expected<MulticastChoice> choice =
        parseMulticast(multicast, kMaxClusterBlocks);
    if (!choice) {
      getOperation()->emitError() << llvm::toString(choice.takeError());
      return signalPassFailure();
    }
    forgetEarlyLaunches(getOperation());
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
    program->walk(dropMulticastCluster);
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
