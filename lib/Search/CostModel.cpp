//===- CostModel.cpp - How long a µGraph takes, predicted -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/CostModel.h"
#include "Mirage/Graph/DefaultTileGraph.h"
#include "Mirage/Graph/TileMemory.h"
#include "Mirage/Planning/LaunchBarrier.h"
#include "Mirage/Search/BlockTime.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <limits>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;
using llvm::SmallVector;

/// A thread holds accumulators besides what it is taken to need.
static bool fitRegisters(int64_t accumulators, int64_t threads,
                         const Target &target) {
  int64_t perThread =
      target.getRegistersPerThread(threads) - kExpectedRegisters;
  return accumulators <= perThread * threads;
}

bool mlir::mirage::search::fits(const TileGraph &kernel, const Target &target) {
  return fitRegisters(countAccumulators(kernel), kernel.threads, target) &&
         getSharedBytes(kernel) <= target.sharedBytesPerBlock;
}

/// The largest of three times that overlap, a little more where they are close.
static double overlap(double a, double b, double c) {
  double sum = a * a * a * a + b * b * b * b + c * c * c * c;
  return std::sqrt(std::sqrt(sum)); // exact roots, so that machines agree
}

/// Of one block, one tile of whose rings has so many stages.
static BlockResources getResources(const KernelWork &work, BlockShape shape) {
  return {shape.threads,
          work.sharedBytes + (shape.stages - 1) * work.stageBytes};
}

/// What it takes to join blocks in mid-kernel: parts are written, and read by a
/// kernel of its own (`--mirage-split-grid-joins`), element by element, behind
/// the barrier that takes least (`--mirage-merge-launches`).
double AnalyticCostModel::getJoinUs(const KernelWork &work,
                                    BlockShape shape) const {
  SmallVector<GridJoin, 3> chain;
  int64_t numBlocks = work.numBlocks;
  for (const KernelWork::Join &join : work.joins) {
    chain.push_back({numBlocks, join.numJoined, join.keepsBlocks});
    if (!join.keepsBlocks)
      numBlocks /= join.numJoined;
  }
  double us = 0;
  for (auto [join, barrier] :
       llvm::zip_equal(work.joins, chooseLaunchBarriers(chain, target))) {
    double blocks = work.numBlocks, joined = join.numJoined;
    double waves = std::ceil(blocks / joined / target.numSMs);
    int64_t elements =
        join.numJoined * int64_t(join.bytes) / getSizeBytes(ElementType::F32);
    double blockUs = std::max(join.bytes * joined / target.loadBytesPerUsSM,
                              getElementsUs(elements, shape.threads, target));
    us += getLaunchBarrierUs(barrier, target) + target.loadLatencyUs +
          overlap(waves * blockUs,
                  2 * join.bytes * blocks / target.cacheBytesPerUs, 0);
  }
  return us;
}

double AnalyticCostModel::getLeastJoinUs() const {
  return getLeastLaunchBarrierUs(target) + target.loadLatencyUs;
}

/// How many blocks an SM holds at a time.
static int64_t getBlocksPerSM(const KernelWork &work, BlockShape shape,
                              const Target &target) {
  int64_t needed = llvm::divideCeil(work.numBlocks, target.numSMs);
  int64_t resident = getResidentBlocks(getResources(work, shape), target);
  return std::clamp<int64_t>(resident, 1, needed);
}

/// One after the other, until all blocks are through.
static double countWaves(int64_t numBlocks, int64_t blocksPerSM,
                         const Target &target) {
  return llvm::divideCeil(numBlocks, target.numSMs * blocksPerSM);
}

/// All blocks, in waves.
static double getBlocksUs(int64_t numBlocks, const BlockTime &block,
                          int64_t blocksPerSM, const Target &target) {
  return countWaves(numBlocks, blocksPerSM, target) * block.getUs(blocksPerSM);
}

namespace {
/// What device memory and L2 take alone.
struct Traffic {
  double memoryUs, cacheUs;
};
} // namespace

static Traffic getTraffic(const KernelWork &work, const Target &target) {
  double cacheBytes = work.storedBytes, memoryBytes = work.storedBytes;
  for (const KernelWork::Load &load : work.loads) {
    double tileBytes = getLoadBytes(load.tile, load.tensor);
    cacheBytes += double(work.numBlocks) * tileBytes *
                  double(load.isInLoop ? work.loop : 1);
    memoryBytes += tileBytes * (double(load.tensor.getSizeBytes()) /
                                double(load.tile.getSizeBytes()));
  }
  return {memoryBytes / target.memoryBytesPerUs,
          cacheBytes / target.cacheBytesPerUs};
}

double AnalyticCostModel::estimateUs(const KernelWork &work,
                                     const BlockTime &block,
                                     BlockShape shape) const {
  double blocksUs = getBlocksUs(work.numBlocks, block,
                                getBlocksPerSM(work, shape, target), target);
  Traffic traffic = getTraffic(work, target);
  return target.launchUs + getJoinUs(work, shape) +
         overlap(blocksUs, traffic.memoryUs, traffic.cacheUs);
}

double AnalyticCostModel::estimateKernelUs(const TileGraph &kernel,
                                           ArrayRef<TensorSpec> operands,
                                           ArrayRef<TensorSpec> results) const {
  KernelWork work = getWork(kernel, operands, results);
  BlockShape shape{kernel.threads, kernel.stages};
  return estimateUs(work, BlockWork(work, target).getTime(shape), shape);
}

/// As many as fit and the loop has a use for; one where it loads nothing.
AnalyticCostModel::StageRange
AnalyticCostModel::getStages(const KernelWork &work) const {
  if (work.stageBytes == 0)
    return {};
  int64_t wanted = forcedStages ? forcedStages : kMostChosenStages;
  int64_t fitting =
      1 + (target.sharedBytesPerBlock - work.sharedBytes) / work.stageBytes;
  unsigned most = std::max<int64_t>(std::min({wanted, fitting, work.loop}), 1);
  return {forcedStages ? most : 1, most};
}

std::optional<BlockSize>
AnalyticCostModel::chooseBlockSize(const TileGraph &kernel,
                                   ArrayRef<TensorSpec> operands,
                                   ArrayRef<TensorSpec> results) const {
  KernelWork work = getWork(kernel, operands, results);
  std::optional<BlockSize> best;
  if (work.sharedBytes > target.sharedBytesPerBlock)
    return best;
  BlockWork block(work, target);
  StageRange range = getStages(work);
  for (unsigned threads : kBlockSizes) {
    if (!fitRegisters(work.accumulators, threads, target))
      continue;
    SharedBlockWork shared = block.share(threads);
    for (unsigned stages = range.least; stages <= range.most; ++stages) {
      double us = estimateUs(work, shared.getTime(stages), {threads, stages});
      if (!best || us < best->us)
        best = BlockSize{threads, stages, us};
    }
  }
  return best;
}

void mlir::mirage::search::assignBlockSize(TileGraph &kernel,
                                           ArrayRef<TensorSpec> operands,
                                           ArrayRef<TensorSpec> results,
                                           const CostModel &costModel) {
  std::optional<BlockSize> size =
      costModel.chooseBlockSize(kernel, operands, results);
  if (!size)
    return;
  kernel.threads = size->threads;
  kernel.stages = size->stages;
}

/// More tiles than are known of may mean that fewer blocks fit, and stages. How
/// many blocks do is left open, since fewer may mean fewer in the last wave.
/// With forced stages, fewer of them may be all that fit.
double AnalyticCostModel::boundUs(const KernelWork &work) const {
  double blocksUs = std::numeric_limits<double>::infinity();
  if (work.sharedBytes > target.sharedBytesPerBlock)
    return blocksUs;
  BlockWork block(work, target);
  unsigned mostStages = getStages(work).most;
  for (unsigned threads : kBlockSizes) {
    if (!fitRegisters(work.accumulators, threads, target))
      continue;
    SharedBlockWork shared = block.share(threads);
    // More stages leave no room for more blocks.
    int64_t mostPerSM = getBlocksPerSM(work, {threads, 1}, target);
    double leastWaves = countWaves(work.numBlocks, mostPerSM, target);
    for (unsigned stages = 1; stages <= mostStages; ++stages) {
      BlockTime time = shared.getTime(stages);
      if (leastWaves * time.getUs(1) >= blocksUs)
        continue;
      for (int64_t perSM = getBlocksPerSM(work, {threads, stages}, target);
           perSM > 0; --perSM)
        blocksUs = std::min(blocksUs,
                            getBlocksUs(work.numBlocks, time, perSM, target));
    }
  }
  Traffic traffic = getTraffic(work, target);
  return kBoundRounding *
         (target.launchUs + double(work.joins.size()) * getLeastJoinUs() +
          overlap(blocksUs, traffic.memoryUs, traffic.cacheUs));
}

/// Blocks are spread over all SMs at best, and each reads its share at the rate
/// of one SM; what several blocks read passes L2 for each.
double AnalyticCostModel::boundTrafficUs(const KernelTraffic &traffic) const {
  double memoryBytes = traffic.resultBytes, readBytes = 0, blockBytes = 0,
         tileBytes = 0;
  for (const KernelTraffic::Input &input : traffic.inputs) {
    memoryBytes += input.bytes;
    readBytes += input.bytes * input.minReaders;
    blockBytes += input.bytes / input.maxShares;
    tileBytes += input.leastTileBytes;
  }
  if (!traffic.canBeSplit || tileBytes > target.sharedBytesPerBlock)
    return std::numeric_limits<double>::infinity();
  double blocksUs =
      std::max(blockBytes, readBytes / target.numSMs) / target.loadBytesPerUsSM;
  return target.launchUs + traffic.numJoins * getLeastJoinUs() +
         overlap(blocksUs, memoryBytes / target.memoryBytesPerUs,
                 (traffic.resultBytes + readBytes) / target.cacheBytesPerUs);
}

double AnalyticCostModel::getFurtherKernelUs() const {
  return target.nextLaunchUs - target.launchUs;
}

double AnalyticCostModel::estimateUs(const Graph &graph) const {
  double us = 0;
  unsigned numKernels = 0;
  for (const Node &op : graph.getNodes()) {
    std::optional<LibraryMatmul> matmul = findLibraryMatmul(graph, op);
    if (!op.body && !matmul) {
      assert(!hasDefaultTileGraph(op.opcode) && "a kernel has a block graph");
      continue;
    }
    us += getLaunchUs(numKernels++);
    us += matmul ? getLibraryCostUs(*matmul, libraryKernels, *this)
                 : estimateKernelUs(*op.body, graph.getTypes(op.operands),
                                    graph.getTypes(op.results));
  }
  return us;
}

double mlir::mirage::search::getStreamingLimitUs(const Target &target,
                                                 const Graph &program) {
  double bytes = 0;
  for (ValueId output : program.getOutputs())
    bytes += program.getType(output).getSizeBytes();
  for (unsigned input = 0; input < program.getNumInputs(); ++input)
    bytes += program.getType(input).getSizeBytes();
  return target.launchUs + bytes / target.memoryBytesPerUs;
}
