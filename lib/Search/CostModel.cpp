//===- CostModel.cpp - How long a µGraph takes, predicted -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/CostModel.h"
#include "Mirage/Graph/DefaultTileGraph.h"
#include "Mirage/Graph/DeviceTraffic.h"
#include "Mirage/Graph/TileMemory.h"
#include "Mirage/Graph/WarpRows.h"
#include "Mirage/Planning/LaunchBarrier.h"
#include "Mirage/Planning/RegisterBudget.h"
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
static bool fitRegisters(int64_t accumulators, int64_t threads) {
  return accumulators <= RegisterBudget(threads).getBesideCode() * threads;
}

bool mlir::mirage::search::fits(const TileGraph &kernel, const Target &target) {
  KernelWork kept;
  for (const Node &op : kernel.getNodes())
    if (!isNoStep(kernel, op))
      kept.operations.emplace_back();
  kept.setRows(kernel);
  PhaseBytes bytes = getPhaseBytes(kernel);
  bytes -= kept.keptBytes;
  return fitRegisters(countAccumulators(kernel), kernel.threads) &&
         bytes.getMost() <= target.sharedBytesPerBlock;
}

/// Of one block, one tile of whose rings has so many stages.
static BlockResources getResources(const KernelWork &work, BlockShape shape) {
  return {shape.threads, work.getSharedBytes(shape.stages), work.rowRegisters};
}

/// What stands between a kernel and those that join its blocks, one after the
/// other, ahead of the loop or behind it.
static double getBarriersUs(const KernelWork &work, bool isBeforeLoop,
                            const Target &target) {
  SmallVector<GridJoin, 3> chain;
  int64_t numBlocks = work.numBlocks;
  for (const KernelWork::Join &join : work.joins) {
    if (join.isBeforeLoop != isBeforeLoop)
      continue;
    assert(numBlocks > 0 && "an axis is joined once, or keeps its blocks");
    chain.push_back({numBlocks, join.numJoined, join.keepsBlocks});
    if (!join.keepsBlocks)
      numBlocks /= join.numJoined;
  }
  double us = 0;
  for (LaunchBarrier barrier : chooseLaunchBarriers(chain, target))
    us += getLaunchBarrierUs(barrier, target);
  return us;
}

/// Of both; the least there is where it is not known how many are joined.
static double getBarriersUs(const KernelWork &work, const Target &target) {
  for (const KernelWork::Join &join : work.joins)
    if (join.numJoined != join.mostJoined)
      return double(work.joins.size()) * getLeastLaunchBarrierUs(target);
  return getBarriersUs(work, /*isBeforeLoop=*/true, target) +
         getBarriersUs(work, /*isBeforeLoop=*/false, target);
}

/// Of all parts, as the memory system sees them.
static double getPartBytes(const KernelWork &work,
                           const KernelWork::Join &join) {
  return std::max(join.bytes * double(work.numBlocks), join.totalBytes);
}

/// What all SMs together take to read so many bytes.
static double getReadUs(double bytes, const Target &target) {
  return bytes / target.loadBytesPerUsSM / target.numSMs;
}

/// Blocks that go on behind a join; of a sketch the fewest.
static int64_t countJoiningBlocks(const KernelWork &work,
                                  const KernelWork::Join &join) {
  return work.numBlocks / (join.keepsBlocks ? 1 : join.numJoined);
}

static JoiningKernel getJoiningKernel(const KernelWork &work,
                                      const KernelWork::Join &join) {
  return {countJoiningBlocks(work, join), join.numJoined, int64_t(join.bytes)};
}

/// Whether parts may have more bytes, and blocks be more.
static bool isOfSketch(const KernelWork::Join &join) {
  return join.totalBytes > 0 || join.bytes == 0;
}

/// Into how many pieces --mirage-spread-blocks cuts what goes on behind a join,
/// with a block for each. Which dimension can be cut depends on what stands
/// there; the last may have pieces of whole sectors. For a sketch as many as
/// SMs have place for: what depends on the choice is not known of it, and fewer
/// take longer to add up.
static double countPieces(const KernelWork &work, const KernelWork::Join &join,
                          const Target &target) {
  if (join.keepsBlocks)
    return 1;
  double most = std::max(std::floor(join.bytes / kSectorBytes), 1.0);
  JoiningKernel kernel = getJoiningKernel(work, join);
  if (!isOfSketch(join))
    return double(chooseJoinPieces(kernel, int64_t(most), target));
  return std::clamp(double(target.numSMs / kernel.numBlocks), 1.0,
                    std::max(join.bytes / kSectorBytes, 1.0));
}

/// What a kernel takes that joins parts of the blocks along an axis, where one
/// block goes on for all of them, and the barrier before it.
static double getPiecesUs(const KernelWork &work, const Target &target) {
  const KernelWork::Join &join = work.joins.front();
  JoiningKernel kernel = getJoiningKernel(work, join);
  if (!isOfSketch(join))
    return getJoiningUs(kernel, int64_t(countPieces(work, join, target)),
                        target);
  // Parts may have more bytes, and any number of pieces.
  double readUs = getReadUs(getPartBytes(work, join), target);
  auto getLeastUs = [&](int64_t pieces) {
    JoiningKernel barrier = kernel;
    barrier.partBytes = 0;
    return std::max(getJoiningUs(kernel, pieces, target),
                    getJoiningUs(barrier, pieces, target) + readUs);
  };
  return std::min({getLeastUs(1), getLeastUs(join.numJoined),
                   getLaunchBarrierUs(LaunchBarrier::Launch, target) + readUs});
}

/// The same of several joins, and of one whose blocks all go on; for a sketch
/// that does not know how many parts there are, the least.
static double getBlocksJoinUs(const KernelWork &work, const Target &target) {
  double us = getBarriersUs(work, target);
  for (const KernelWork::Join &join : work.joins) {
    double waves =
        double(llvm::divideCeil(countJoiningBlocks(work, join), target.numSMs));
    us += work.joins.size() == 1 && !join.keepsBlocks
              ? getReadUs(getPartBytes(work, join), target)
              : waves * (join.bytes * double(join.numJoined) + join.ownBytes) /
                    target.loadBytesPerUsSM;
  }
  return us;
}

/// What blocks leave is written and read once, in L2 if there is place for it.
static double getLeftUs(double bytes, const Target &target) {
  return 2 * bytes /
         (bytes > double(target.cacheBytes) ? target.memoryBytesPerUs
                                            : target.cacheBytesPerUs);
}

/// What it takes to join blocks in mid-kernel: parts are written, and read by a
/// kernel of its own (`--mirage-split-grid-joins`), behind the barrier that
/// takes least (`--mirage-merge-launches`). What the loop waits for comes in a
/// launch ahead.
double AnalyticCostModel::getJoinUs(const KernelWork &work) const {
  if (work.joins.empty())
    return 0;
  const KernelWork::Join &first = work.joins.front();
  bool isInPieces = work.joins.size() == 1 && !first.keepsBlocks &&
                    first.numJoined == first.mostJoined;
  double us =
      isInPieces ? getPiecesUs(work, target) : getBlocksJoinUs(work, target);
  for (const KernelWork::Join &join : work.joins) {
    double leftBytes =
        getPartBytes(work, join) +
        (join.ownBytes + join.leftBytes) * double(work.numBlocks);
    us += target.loadLatencyUs + getLeftUs(leftBytes, target);
  }
  if (work.joins.front().isBeforeLoop)
    us += getLaunchBarrierUs(LaunchBarrier::Launch, target);
  return us;
}

/// What the threads of blocks take to add parts up, and for what they do with
/// the sum. In a loop each part is waited for, added up and handed on: on an
/// H200 attention of 8, 16 and 32 parts took 0.14, 0.23 and 0.2 us a part more
/// so than at once (docs/Search.md, "Joining blocks").
double AnalyticCostModel::getJoinComputeUs(const KernelWork &work,
                                           int64_t threads) const {
  constexpr double kPartClocks = 8; // of an element, an estimate
  constexpr double kPartBarriers = 10;
  double us = 0;
  for (const KernelWork::Join &join : work.joins) {
    double waves =
        double(llvm::divideCeil(countJoiningBlocks(work, join), target.numSMs));
    double parts = double(join.numJoined);
    double partBytes = join.bytes / countPieces(work, join, target);
    double elements = partBytes / double(getSizeBytes(ElementType::F32));
    double bytes = partBytes * parts;
    bool isInLoop = join.needsLoop || bytes > double(kMostBytesJoinedAtOnce);
    us +=
        waves * (std::ceil(elements / double(threads)) * parts * kPartClocks /
                     target.clockMHz +
                 (isInLoop ? parts * kPartBarriers * target.barrierUs : 0) +
                 getElementsUs(int64_t(std::ceil(elements)), threads, target));
  }
  return us;
}

double AnalyticCostModel::getLeastJoinUs() const {
  return getLeastLaunchBarrierUs(target) + target.loadLatencyUs;
}

namespace {
/// All blocks, in waves of as many as SMs hold at a time. A block begins when
/// another one ends, so that the last wave does not wait for the others: units
/// are busy as long as all blocks need them.
struct Waves {
  double number;
  double blocksPerSM; ///< in one of them, on average
};
} // namespace

static Waves getWaves(const KernelWork &work, BlockShape shape,
                      const Target &target) {
  int64_t perSM = llvm::divideCeil(work.numBlocks, target.numSMs);
  int64_t resident = getResidentBlocks(getResources(work, shape), target);
  int64_t waves = llvm::divideCeil(perSM, std::max<int64_t>(resident, 1));
  return {double(waves), double(perSM) / double(waves)};
}

namespace {
/// What blocks that are one stream wait for those beside them.
struct WaitBeside {
  double loadUs = 0;  ///< of what they load
  double startUs = 0; ///< until they have begun
};
} // namespace

/// All blocks of an SM begin to load at once and do nothing meanwhile, so that
/// one goes on when the SM has drawn what all load. Measured on an H200:
/// kernels that join parts, of 64 to 512 threads, 32 to 1024 blocks of them
/// (test/Unit/Search/JoiningKernelTimesTest.cpp).
static WaitBeside getWaitBeside(const KernelWork &work, const BlockTime &block,
                                const Waves &waves) {
  constexpr double kNextBlockUs = 0.03;
  if (!work.isOneStream)
    return {};
  double numOthers = waves.number * waves.blocksPerSM - 1;
  double loadUs = numOthers * block.outside.loadUs;
  double startUs = numOthers * kNextBlockUs;
  double allUs = block.outside.aloneUs + loadUs + startUs;
  double leftUs =
      std::max(allUs - waves.number * block.getUs(waves.blocksPerSM), 0.0);
  double share = loadUs + startUs > 0 ? leftUs / (loadUs + startUs) : 0;
  return {share * loadUs, share * startUs};
}

static double getBlocksUs(const KernelWork &work, const BlockTime &block,
                          BlockShape shape, const Target &target) {
  Waves waves = getWaves(work, shape, target);
  WaitBeside beside = getWaitBeside(work, block, waves);
  return waves.number * block.getUs(waves.blocksPerSM) + beside.loadUs +
         beside.startUs;
}

namespace {
/// What device memory and L2 take alone.
struct Traffic {
  double memoryUs, cacheUs;
};
} // namespace

/// Bytes that pass from L2 to all SMs.
static double getReadBytes(const KernelWork &work, bool hasRings,
                           const Target &target, bool isOfLoop = false) {
  double bytes = 0;
  for (const KernelWork::Load &load : work.loads) {
    if (isOfLoop && !load.isInLoop)
      continue;
    double times =
        double(work.numBlocks) * double(load.isInLoop ? work.loop : 1);
    double loadBytes = std::max(times * getLoadBytes(load),
                                load.readers * getTensorBytes(load));
    bytes += (load.isRepeated ? 2 : 1) *
             getDrawnBytes(load, loadBytes, hasRings, target);
  }
  return bytes;
}

/// The share of the full rate at which threads load tiles in a loop, of what
/// the copy engine draws from device memory when it fills rings. Measured on an
/// H100: gated MLP, and RMSNorm + linear of 2 and of 16 rows, 29.1 us
/// and 25.3, 24.7 and 21.2, 26.6 and 22.4, all but the launch being loads.
static constexpr double kThreadReadEfficiency = 0.84;

/// \param isOfLoop  of what the loop reads alone.
static Traffic getTraffic(const KernelWork &work, bool hasRings,
                          const Target &target, bool isOfLoop = false) {
  double storedBytes = isOfLoop ? 0 : work.storedBytes;
  double memoryBytes = storedBytes;
  for (const KernelWork::Load &load : work.loads) {
    if (isOfLoop && !load.isInLoop)
      continue;
    bool isCopied =
        target.hasCopyEngine && load.isInLoop && !(hasRings && load.canBeBoxed);
    memoryBytes +=
        getTensorBytes(load) / (isCopied ? kThreadReadEfficiency : 1);
  }
  double readBytes = getReadBytes(work, hasRings, target, isOfLoop);
  return {memoryBytes / target.memoryBytesPerUs,
          (storedBytes + readBytes) / target.cacheBytesPerUs};
}

/// In each turn, an iteration of a wave of blocks, tiles come and are then
/// computed with. Of what takes less of the two, other turns hide all but one
/// turn's share.
static double getTurnsUs(double computeUs, double turns,
                         const Traffic &traffic) {
  double readUs = std::max(traffic.memoryUs, traffic.cacheUs);
  return std::max(readUs, computeUs) + std::min(readUs, computeUs) / turns;
}

/// What loops take to fill their rings. With s stages, tiles of s - 1
/// iterations of each block are on their way at a time, each of which takes the
/// latency and its share of what memory takes for all; so with two stages one
/// comes after the other. Measured on an H200: a gated MLP of 8 rows takes 25.2
/// us with two stages of 512 rows, and 18.7 with four of 128.
static double getRingsUs(const KernelWork &work, const BlockTime &block,
                         BlockShape shape, const Waves &waves,
                         const Target &target) {
  if (shape.stages < 2 || shape.stages >= block.numIterations)
    return 0;
  Traffic traffic =
      getTraffic(work, /*hasRings=*/true, target, /*isOfLoop=*/true);
  double turns = waves.number * double(block.numIterations);
  double onTheirWay = double(shape.stages - 1) * waves.blocksPerSM;
  double last = waves.number * block.getStepsUs(waves.blocksPerSM) / turns;
  return (turns * getFirstByteUs(target) +
          std::max(traffic.memoryUs, traffic.cacheUs)) /
             onTheirWay +
         last;
}

/// What a GPU takes at the least to start blocks, however little each does.
/// Measured on an H200: rows of 64 in blocks that do nothing but read, reduce
/// and write them take 1.5 us in 512 blocks, 1.6 in 1024 and 2.2 in 2048, out
/// of L2.
static double getStartsUs(const KernelWork &work) {
  constexpr double kStartUs = 0.6e-3;
  return double(work.numBlocks) * kStartUs;
}

KernelTime AnalyticCostModel::predict(const KernelWork &work,
                                      const BlockTime &block,
                                      BlockShape shape) const {
  Traffic traffic = getTraffic(work, shape.stages > 1, target);
  Waves waves = getWaves(work, shape, target);
  double turns = waves.number * double(block.numIterations);
  double stepsUs = waves.number * block.getStepsUs(waves.blocksPerSM);
  double leastUs = std::max({getTurnsUs(stepsUs, turns, traffic),
                             getRingsUs(work, block, shape, waves, target),
                             getStartsUs(work)});
  return {target.launchUs,
          getJoinUs(work) + getJoinComputeUs(work, shape.threads),
          raiseToOverlap(getBlocksUs(work, block, shape, target),
                         traffic.memoryUs, traffic.cacheUs, leastUs),
          traffic.memoryUs,
          traffic.cacheUs,
          {}};
}

KernelTime
AnalyticCostModel::predictKernel(const TileGraph &kernel,
                                 ArrayRef<TensorSpec> operands,
                                 ArrayRef<TensorSpec> results) const {
  KernelWork work = getWork(kernel, operands, results);
  BlockShape shape{kernel.threads, kernel.stages};
  BlockTime block = BlockWork(work, target).getTime(shape);
  KernelTime time = predict(work, block, shape);
  Waves waves = getWaves(work, shape, target);
  BlockTimeShares shares = block.getShares(waves.blocksPerSM);
  WaitBeside beside = getWaitBeside(work, block, waves);
  time.blockShares = {waves.number * shares.latencyUs + beside.startUs,
                      waves.number * shares.loadUs + beside.loadUs,
                      waves.number * shares.computeUs};
  return time;
}

double AnalyticCostModel::estimateKernelUs(const TileGraph &kernel,
                                           ArrayRef<TensorSpec> operands,
                                           ArrayRef<TensorSpec> results) const {
  KernelWork work = getWork(kernel, operands, results);
  BlockShape shape{kernel.threads, kernel.stages};
  return predict(work, BlockWork(work, target).getTime(shape), shape).getUs();
}

/// As many as fit and the loop has a use for; one where it loads nothing.
AnalyticCostModel::StageRange
AnalyticCostModel::getStages(const KernelWork &work) const {
  if (work.stageBytes == 0)
    return {};
  int64_t wanted = forcedStages ? forcedStages : kMostChosenStages;
  int64_t fitting = 1 + (target.sharedBytesPerBlock - work.sharedBytes.inLoop) /
                            work.stageBytes;
  unsigned most =
      std::max<int64_t>(std::min({wanted, fitting, work.mostIterations}), 1);
  return {forcedStages ? most : 1, most};
}

std::optional<BlockSize>
AnalyticCostModel::chooseBlockSize(const TileGraph &kernel,
                                   ArrayRef<TensorSpec> operands,
                                   ArrayRef<TensorSpec> results) const {
  KernelWork work = getWork(kernel, operands, results);
  // Whether warps keep rows depends on how many warps there are.
  PossibleWarpRows possible = findPossibleWarpRows(kernel);
  bool mayKeepRows = possible.ofRows.any() || possible.ofColumns.any();
  TileGraph sized = mayKeepRows ? kernel : TileGraph();
  std::optional<BlockWork> block(std::in_place, work, target);
  std::optional<BlockSize> best;
  for (unsigned threads : kBlockSizes) {
    if (mayKeepRows) {
      sized.threads = threads;
      work.setRows(sized);
      block.emplace(work, target);
    }
    if (!fitRegisters(work.accumulators, threads) ||
        work.sharedBytes.getMost() > target.sharedBytesPerBlock)
      continue;
    SharedBlockWork shared = block->share(threads);
    StageRange range = getStages(work);
    for (unsigned stages = range.least; stages <= range.most; ++stages) {
      double us =
          predict(work, shared.getTime(stages), {threads, stages}).getUs();
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

/// With more tiles than are known of fewer blocks fit, and fewer stages.
double AnalyticCostModel::boundUs(const KernelWork &work) const {
  double us = std::numeric_limits<double>::infinity();
  if (work.sharedBytes.getMost() > target.sharedBytesPerBlock)
    return us;
  // All SMs that have a block do not load and compute in less.
  double readBytes = getReadBytes(work, /*hasRings=*/true, target);
  double numSMs = double(std::min<int64_t>(work.mostBlocks, target.numSMs));
  double computeUs = getTotalComputeUs(work, target) / numSMs;
  double sharedUs =
      std::max(readBytes / target.loadBytesPerUsSM / numSMs, computeUs);
  Traffic traffic = getTraffic(work, /*hasRings=*/true, target);
  double mostTurns = double(llvm::divideCeil(work.mostBlocks, target.numSMs)) *
                     double(work.mostIterations);
  double turnsUs = getTurnsUs(computeUs, mostTurns, traffic);
  BlockWork block(work, target);
  unsigned mostStages = getStages(work).most;
  for (unsigned threads : kBlockSizes) {
    if (!fitRegisters(work.accumulators, threads))
      continue;
    SharedBlockWork shared = block.share(threads);
    double blocksUs = std::numeric_limits<double>::infinity();
    for (unsigned stages = 1; stages <= mostStages; ++stages)
      blocksUs = std::min(blocksUs, getBlocksUs(work, shared.getTime(stages),
                                                {threads, stages}, target));
    us = std::min(
        us, getJoinUs(work) + getJoinComputeUs(work, threads) +
                std::max(getOverlappedUs(std::max(blocksUs, sharedUs),
                                         traffic.memoryUs, traffic.cacheUs),
                         turnsUs));
  }
  return kBoundRounding * (target.launchUs + us);
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
         getOverlappedUs(blocksUs, memoryBytes / target.memoryBytesPerUs,
                         (traffic.resultBytes + readBytes) /
                             target.cacheBytesPerUs);
}

double AnalyticCostModel::getFurtherKernelUs() const {
  return target.nextLaunchUs - target.launchUs;
}

/// What a view shows some or all of.
static ValueId skipViews(const Graph &graph, ValueId value) {
  const Node *operation = graph.getDefinition(value);
  bool isView =
      operation && operation->operands.size() == 1 &&
      getOperatorInfo(operation->opcode).kind == OperatorKind::Movement &&
      !hasDefaultTileGraph(operation->opcode);
  return isView ? skipViews(graph, operation->operands[0]) : value;
}

/// Outputs that are part of what a kernel writes: a kernel of its own brings
/// each to where it is to lie (`--mirage-materialize-results`).
static llvm::SmallVector<TensorSpec> findCutOutputs(const Graph &graph) {
  llvm::SmallVector<TensorSpec> cut;
  for (ValueId output : graph.getOutputs()) {
    ValueId whole = skipViews(graph, output);
    if (graph.getDefinition(whole) &&
        graph.getType(whole).getNumElements() !=
            graph.getType(output).getNumElements())
      cut.push_back(graph.getType(output));
  }
  return cut;
}

double AnalyticCostModel::estimateCopyUs(const TensorSpec &tensor) const {
  Graph copy;
  copy.addInput(tensor);
  copy.add(Opcode::Broadcast, {0}, tensor);
  llvm::Expected<TileGraph> body = buildDefaultTileGraph(
      copy, copy.getNodes()[0], target.sharedBytesPerBlock);
  if (!body) { // nor is there one to be had
    llvm::consumeError(body.takeError());
    return 0;
  }
  assignBlockSize(*body, tensor, tensor, *this);
  return estimateKernelUs(*body, tensor, tensor);
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
  for (const TensorSpec &output : findCutOutputs(graph))
    us += getLaunchUs(numKernels++) + estimateCopyUs(output);
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
