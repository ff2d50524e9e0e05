//===- CostModel.cpp - How long a µGraph takes, predicted -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/CostModel.h"
#include "Mirage/Graph/DefaultTileGraph.h"
#include "Mirage/Graph/Phases.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <limits>
#include <map>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;

/// What a thread holds besides accumulators: fragments, addresses, values on
/// their way. The code of the benchmarks' kernels takes 20 to 80 registers
/// (ptxas -v, 64 to 512 threads), most of it up to 64.
static constexpr int64_t kOtherRegisters = 64;

static int64_t countAccumulators(const TileGraph &kernel) {
  int64_t count = 0;
  for (const Node &op : kernel.getNodes())
    if (op.opcode == Opcode::Accumulate)
      count +=
          op.getNumCarried() * kernel.getType(op.results[0]).getNumElements();
  return count;
}

static bool fitRegisters(int64_t accumulators, int64_t threads,
                         const Target &target) {
  int64_t perThread = target.getRegistersPerThread(threads) - kOtherRegisters;
  return accumulators <= perThread * threads;
}

bool mlir::mirage::search::fits(const TileGraph &kernel, const Target &target) {
  return fitRegisters(countAccumulators(kernel), kernel.threads, target) &&
         getSharedBytes(kernel) <= target.sharedBytesPerBlock;
}

static double getBytes(ArrayRef<TensorSpec> types) {
  double bytes = 0;
  for (const TensorSpec &type : types)
    bytes += type.getSizeBytes();
  return bytes;
}

/// The bytes of one block's parts that are joined, by what one more kernel
/// joins: an axis, and how many joins the parts have behind them.
static std::map<std::pair<unsigned, Axis>, double>
getJoinedBytes(const TileGraph &kernel) {
  std::map<std::pair<unsigned, Axis>, double> bytes;
  llvm::SmallVector<unsigned> depths(kernel.getNumValues(), 0);
  for (const Node &op : kernel.getNodes()) {
    unsigned depth = 0;
    for (ValueId operand : op.operands)
      depth = std::max(depth, depths[operand]);
    if (joinsBlocks(op))
      bytes[{depth++, op.attributes.axis}] +=
          getBytes(kernel.getTypes(op.operands));
    for (ValueId result : op.results)
      depths[result] = depth;
  }
  return bytes;
}

/// What it takes to join blocks in mid-kernel: parts are written, and read by a
/// kernel that is launched for it (`--mirage-split-grid-joins`), element by
/// element.
double AnalyticCostModel::getJoinUs(const TileGraph &kernel,
                                    int64_t threads) const {
  double us = 0;
  for (auto [join, bytes] : getJoinedBytes(kernel)) {
    double blocks = kernel.getNumBlocks();
    int64_t joined = kernel.getExtent(join.second);
    double waves = std::ceil(blocks / double(joined) / target.numSMs);
    int64_t elements = joined * int64_t(bytes) / getSizeBytes(ElementType::F32);
    double blockUs = std::max(bytes * double(joined) / target.loadBytesPerUsSM,
                              getElementsUs(elements, threads, target));
    us += target.nextLaunchUs + target.loadLatencyUs +
          overlap(waves * blockUs, 2 * bytes * blocks / target.cacheBytesPerUs,
                  0);
  }
  return us;
}

/// How many blocks an SM holds at a time.
static int64_t getBlocksPerSM(int64_t numBlocks, int64_t sharedBytes,
                              int64_t threads, const Target &target) {
  int64_t shared = std::max<int64_t>(sharedBytes, 1024);
  int64_t perSM = std::min(
      {target.sharedBytesPerSM / (shared + 1024), target.threadsPerSM / threads,
       target.blocksPerSM, target.registersPerSM / (kOtherRegisters * threads),
       int64_t(llvm::divideCeil(numBlocks, target.numSMs))});
  return std::max<int64_t>(perSM, 1);
}

/// All blocks, in waves.
static double getBlocksUs(const TileGraph &kernel, const BlockTime &block,
                          int64_t blocksPerSM, const Target &target) {
  int64_t waves =
      llvm::divideCeil(kernel.getNumBlocks(), target.numSMs * blocksPerSM);
  return waves * block.getUs(blocksPerSM);
}

namespace {
/// What device memory and L2 take alone.
struct Traffic {
  double memoryUs, cacheUs;
};
} // namespace

static Traffic getTraffic(const TileGraph &kernel,
                          ArrayRef<TensorSpec> operands,
                          ArrayRef<TensorSpec> results, const Target &target) {
  llvm::SmallVector<Phase> phases = computePhases(kernel);
  double resultBytes = getBytes(results);
  double cacheBytes = resultBytes, memoryBytes = resultBytes;
  for (unsigned input = 0; input < kernel.getNumInputs(); ++input) {
    const TensorSpec &tile = kernel.getType(input), &tensor = operands[input];
    double tileBytes = getLoadBytes(tile, tensor);
    cacheBytes += double(kernel.getNumBlocks()) * tileBytes *
                  (phases[input] == Phase::Loop ? kernel.loop : 1);
    memoryBytes += tileBytes * (double(tensor.getSizeBytes()) /
                                double(tile.getSizeBytes()));
  }
  return {memoryBytes / target.memoryBytesPerUs,
          cacheBytes / target.cacheBytesPerUs};
}

/// What does not depend on the number of threads.
struct AnalyticCostModel::KernelWork {
  KernelWork(const TileGraph &kernel, ArrayRef<TensorSpec> operands,
             ArrayRef<TensorSpec> results, const Target &target)
      : kernel(kernel), block(kernel, operands, target),
        traffic(getTraffic(kernel, operands, results, target)),
        stageBytes(getStageBytes(kernel)),
        sharedBytes(getSharedBytes(kernel) - (kernel.stages - 1) * stageBytes) {
  }

  int64_t getSharedBytesWith(int64_t stages) const {
    return sharedBytes + (stages - 1) * stageBytes;
  }

  const TileGraph &kernel;
  BlockWork block;
  Traffic traffic;
  int64_t stageBytes;  ///< of each further stage
  int64_t sharedBytes; ///< with one stage
};

double AnalyticCostModel::estimateUs(const KernelWork &work,
                                     BlockShape shape) const {
  int64_t perSM = getBlocksPerSM(work.kernel.getNumBlocks(),
                                 work.getSharedBytesWith(shape.stages),
                                 shape.threads, target);
  double blocksUs =
      getBlocksUs(work.kernel, work.block.getTime(shape), perSM, target);
  return target.launchUs + getJoinUs(work.kernel, shape.threads) +
         overlap(blocksUs, work.traffic.memoryUs, work.traffic.cacheUs);
}

double AnalyticCostModel::estimateKernelUs(const TileGraph &kernel,
                                           ArrayRef<TensorSpec> operands,
                                           ArrayRef<TensorSpec> results) const {
  return estimateUs(KernelWork(kernel, operands, results, target),
                    {kernel.threads, kernel.stages});
}

/// As many as fit and the loop has a use for; as none of them without tiles
/// that it loads.
unsigned AnalyticCostModel::getMostStages(const TileGraph &kernel) const {
  int64_t stageBytes = getStageBytes(kernel);
  if (stageBytes == 0)
    return 1;
  int64_t free = target.sharedBytesPerBlock - getSharedBytes(kernel) +
                 kernel.stages * stageBytes;
  int64_t wanted = forcedStages ? forcedStages : kMostChosenStages;
  return std::clamp<int64_t>(free / stageBytes, 1,
                             std::min(wanted, kernel.loop));
}

std::optional<BlockSize>
AnalyticCostModel::chooseBlockSize(const TileGraph &kernel,
                                   ArrayRef<TensorSpec> operands,
                                   ArrayRef<TensorSpec> results) const {
  KernelWork work(kernel, operands, results, target);
  int64_t accumulators = countAccumulators(kernel);
  std::optional<BlockSize> best;
  if (work.sharedBytes > target.sharedBytesPerBlock)
    return best;
  unsigned most = getMostStages(kernel);
  for (unsigned threads : kBlockSizes) {
    if (!fitRegisters(accumulators, threads, target))
      continue;
    for (unsigned stages = forcedStages ? most : 1; stages <= most; ++stages) {
      double us = estimateUs(work, {threads, stages});
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

/// Loads take the less the more threads share them, and small blocks fit most
/// often. Of more stages than one, two take the least memory.
KernelBound AnalyticCostModel::boundKernel(const TileGraph &header,
                                           ArrayRef<TensorSpec> operands,
                                           ArrayRef<TensorSpec> results,
                                           unsigned numJoins) const {
  KernelBound bound;
  bound.numBlocks = header.getNumBlocks();
  bound.numSMs = target.numSMs;
  BlockWork work(header, operands, target);
  int64_t threads = kBlockSizes.back(), bytes = getSharedBytes(header);
  auto getMostPerSM = [&](int64_t sharedBytes) {
    return getBlocksPerSM(bound.numBlocks, sharedBytes, kBlockSizes.front(),
                          target);
  };
  bound.atOnce = {work.getTime({threads, /*stages=*/1}), getMostPerSM(bytes)};
  if (unsigned stages = getMostStages(header); stages > 1)
    bound.ahead = {work.getLeastTimeAhead(threads, stages),
                   getMostPerSM(bytes + getStageBytes(header))};
  Traffic traffic = getTraffic(header, operands, results, target);
  bound.memoryUs = traffic.memoryUs;
  bound.cacheUs = traffic.cacheUs;
  bound.otherUs =
      target.launchUs + numJoins * (target.nextLaunchUs + target.loadLatencyUs);
  return bound;
}

double AnalyticCostModel::getProductsUs(const ProductCounts &products) const {
  double onTensorCores = getTensorCoreUs(target);
  double others = std::min(onTensorCores, getScalarProductUs(target));
  return kBoundRounding *
         (products.onTensorCores * onTensorCores + products.others * others);
}

/// Products have their barriers here.
double AnalyticCostModel::getStepsUs(ArrayRef<OperationWalk> operations,
                                     ArrayRef<int64_t> tile,
                                     int64_t numIterations) const {
  double us = 0;
  for (const OperationWalk &walk : operations) {
    double stepUs = target.barrierUs;
    if (!walk.isProduct) {
      int64_t elements = 1;
      for (NameId name : toList(walk.names))
        elements *= tile[name];
      stepUs += getElementsUs(elements, kBlockSizes.back(), target);
    }
    us += walk.isInLoop ? double(numIterations) * stepUs : stepUs;
  }
  return kBoundRounding * us;
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
  return target.launchUs +
         traffic.numJoins * (target.nextLaunchUs + target.loadLatencyUs) +
         overlap(blocksUs, memoryBytes / target.memoryBytesPerUs,
                 (traffic.resultBytes + readBytes) / target.cacheBytesPerUs);
}

double AnalyticCostModel::getFurtherKernelUs() const {
  return target.nextLaunchUs - target.launchUs;
}

double AnalyticCostModel::estimateUs(const Graph &graph) const {
  double us = 0;
  for (const Node &op : graph.getNodes()) {
    if (!op.body) {
      assert(!hasDefaultTileGraph(op.opcode) && "a kernel has a block graph");
      continue;
    }
    us += us > 0 ? getFurtherKernelUs() : 0;
    us += estimateKernelUs(*op.body, graph.getTypes(op.operands),
                           graph.getTypes(op.results));
  }
  return us;
}

double mlir::mirage::search::getStreamingLimitUs(const Target &target,
                                                 const Graph &program) {
  double bytes = getBytes(program.getTypes(program.getOutputs()));
  for (unsigned input = 0; input < program.getNumInputs(); ++input)
    bytes += program.getType(input).getSizeBytes();
  return target.launchUs + bytes / target.memoryBytesPerUs;
}
