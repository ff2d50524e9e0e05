//===- BlockTime.cpp - How long one thread block takes --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/BlockTime.h"
#include "Mirage/Graph/DeviceTraffic.h"
#include "Mirage/Layout/MatrixInstructions.h"
#include "Mirage/Layout/WorkFragments.h"
#include "Mirage/Planning/RingPlaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;

// What the generated code takes, in clocks, fitted to 150 kernels on an H100
// and 55 on an H200 (docs/Search.md, "Cost model").

/// How long the first byte of a load takes in a loop, where all SMs load, for
/// each clock that it takes otherwise.
static constexpr double kLoadedLatency = 1.15;

/// One access of a thread to device memory, beyond the first one's latency.
static constexpr double kAccessClocks = 7;
/// One copy by cp.async that a thread issues, address included, and does not
/// wait for.
static constexpr double kCopyClocks = 1;
/// One element of a tile that a thread reads from shared memory, computes with
/// and writes back.
static constexpr double kElementClocks = 28;
/// One that it reduces out of registers, and one that it computes for the step
/// that it goes on with; and what lanes take to exchange what they have of a
/// sum. Measured on an H200: kernels that join parts, of 64 to 512 threads
/// (test/Unit/Search/JoiningKernelTimesTest.cpp).
static constexpr double kReducedClocks = 9, kComputedClocks = 2,
                        kExchangeClocks = 30;
/// One product of m16n8k16 on an SM, fragments out of shared memory included;
/// and of a warp that waits for each, the most that four warps do not feel.
static constexpr double kMatrixTileClocks = 10, kMatrixTileWaitClocks = 40;

/// The same of rows that warps keep: of an SM whose warps have enough to do, by
/// themselves and by fours that multiply together (wgmma), right operands where
/// the copy engine put them; and of one warp that waits for each. The last was
/// fitted to attention on an H200 (test/Unit/Search/AttentionTimesTest.cpp).
static constexpr double kRowTileClocks = 2.4, kGroupTileClocks = 1,
                        kRowTileWaitClocks = 4;
/// Until mma.sync has added to a sum that the next one adds to, of warps that
/// share what there is to add, whichever way. Without it blocks without a loop
/// were taken for the fastest, whose products all come behind their loads.
/// Measured on an H200, cold, in us, what the search chose before and chooses
/// with it: linear layers of 8 x 4096 x 1024, [N, K], 5.56 and 4.43, gated MLPs
/// of 16 x 4096 x 1024 7.32 and 6.41, benchmarks/search/qkv_qknorm_attention
/// 13.5 and 11.7, of fourteen that changed the worst 19.1 and 19.6.
static constexpr double kChainedTileClocks = 33;
/// What an instruction of tf32, m16n8k8, takes longer than one of half as many
/// bits. Lanes load elements one by one: of the right operand twice for each,
/// and the left operand once in each iteration, 128 bytes in a clock. Where
/// each warp has few columns, loads of the left operand are as many again.
/// Measured on an H200, cold, in us, products of f32 of 16, 128 and 4096 rows
/// by 4096 x 4096, and of 1024 x 1024 x 1024: 29 to 34, 56 to 65, 1335 to 1484
/// and 33; attention of 16 heads, 1024 rows and keys of 64, 46 with 128 rows
/// and keys in a tile and 67 with 64 and 32.
static constexpr double kRowTF32Clocks = 2, kTF32Clocks = 10;
static constexpr double kLoadedBytesPerClock = 128;
/// What an iteration takes that loads ahead, beside its steps: to wait for its
/// tiles, and to hand their places back.
static constexpr double kIterationClocks = 90;
/// Of that iteration, what each four warps take that multiply together, to
/// begin with that and to wait for it. Measured on an H200: a product of
/// 4096x4096x4096 by tiles of 256x128 takes 219 to 222 us with 256 threads and
/// 222 to 230 with 512.
static constexpr double kGroupClocks = 10;
/// What the copy engine takes longer for each row of a box that has less than a
/// sector of its tensor's row. Measured on an H200: attention of 64 rows, 128
/// keys in a tile, whose values are cut into columns of 16 and 8, takes 5.27
/// and 5.37 us with 512 keys, and 17.09 and 17.27 with 2048.
static constexpr double kPartRowClocks = 0.6;
/// Of two things of which one can be done beside the other, what of the shorter
/// one takes no time.
static constexpr double kHiddenShare = 0.5;

/// One step of a sum of products without tensor cores, if a thread has few sums
/// to go on with meanwhile; each further sum takes a clock. Measured: 14 with
/// 192 sums, 128 to 512 threads.
static constexpr double kProductClocks = 16;
/// Such products on an SM, operands out of shared memory. Measured: 36 to 56
/// with 1536 and 2048 sums, 128 to 512 threads.
static constexpr double kProductsPerClock = 48;

static constexpr int64_t kLargestAccessBytes = 16;
static constexpr int64_t kSmallestCopyBytes = 4;

double PhaseTime::getUs(double blocksPerSM) const {
  return std::max(aloneUs, blocksPerSM * std::max(loadUs, computeUs));
}

/// Of two that are equal, what a change of the kernel would be tried at first.
static void addPhase(BlockTimeShares &shares, const PhaseTime &phase,
                     double times, double blocksPerSM) {
  double loadUs = blocksPerSM * phase.loadUs;
  double computeUs = blocksPerSM * phase.computeUs;
  double us = times * phase.getUs(blocksPerSM);
  if (loadUs >= std::max(phase.aloneUs, computeUs))
    shares.loadUs += us;
  else if (computeUs >= phase.aloneUs)
    shares.computeUs += us;
  else
    shares.latencyUs += us;
}

double BlockTime::getStepsUs(double blocksPerSM) const {
  auto getUs = [&](const PhaseTime &phase) {
    return std::max(phase.stepsUs, blocksPerSM * phase.computeUs);
  };
  return getUs(outside) + double(numIterations) * getUs(iteration);
}

BlockTimeShares BlockTime::getShares(double blocksPerSM) const {
  BlockTimeShares shares;
  addPhase(shares, outside, 1, blocksPerSM);
  addPhase(shares, iteration, double(numIterations), blocksPerSM);
  return shares;
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Bytes of a tile that are consecutive in device memory.
static int64_t getRunBytes(const TensorSpec &tile, const TensorSpec &tensor) {
  int64_t bytes = getSizeBytes(tile.element);
  for (int dim = tile.getRank() - 1; dim >= 0; --dim) {
    bytes *= tile.shape[dim];
    if (tile.shape[dim] < tensor.shape[dim])
      break;
  }
  return bytes;
}

/// The share of the full rate at which a tile is read whose rows have few
/// consecutive bytes in device memory. Measured at 32, 64 and 128 bytes, and
/// between these in proportion, so that no larger tile takes less time; below a
/// sector the rest of it is wasted.
static double getRowEfficiency(const TensorSpec &tile,
                               const TensorSpec &tensor) {
  int64_t bytes = getRunBytes(tile, tensor);
  constexpr double kAtSector = 0.82, kAt64 = 0.95;
  if (bytes >= kFullRowBytes)
    return 1;
  if (bytes >= 64)
    return kAt64 + (1 - kAt64) * double(bytes - 64) / 32;
  if (bytes >= kSectorBytes)
    return kAtSector + (kAt64 - kAtSector) * double(bytes - kSectorBytes) / 32;
  return kAtSector * double(bytes) / kSectorBytes;
}

/// Rows of a tile that the copy engine brings into a ring in parts of sectors:
/// none of a sketch, as wider tiles have none.
static int64_t countPartRows(const KernelWork::Load &load) {
  if (load.isOfSketch())
    return 0;
  int64_t bytes = getRunBytes(load.tile, load.tensor);
  bool isInParts = load.isInLoop && load.canBeBoxed && bytes < kSectorBytes &&
                   bytes < load.tensor.getSizeBytes();
  return isInParts ? load.tile.getSizeBytes() / bytes : 0;
}

double mlir::mirage::search::getLoadBytes(const KernelWork::Load &load) {
  return load.tile.getSizeBytes() / getRowEfficiency(load.tile, load.tensor);
}

double mlir::mirage::search::getTensorBytes(const KernelWork::Load &load) {
  return load.tensor.getSizeBytes() /
         getRowEfficiency(load.largestTile, load.tensor);
}

/// The share of the full rate at which threads draw tiles, of what the copy
/// engine draws when it fills rings; an estimate.
static constexpr double kThreadDrawEfficiency = 7.0 / 8;

double mlir::mirage::search::getDrawnBytes(const KernelWork::Load &load,
                                           double bytes, bool hasRings,
                                           const Target &target) {
  bool isBoxed = hasRings && load.isInLoop && load.canBeBoxed;
  return target.hasCopyEngine && !isBoxed ? bytes / kThreadDrawEfficiency
                                          : bytes;
}

/// How many elements an access takes that loads a tile: up to 16 bytes, which
/// must not straddle rows.
static int64_t getAccessWidth(const KernelWork::Load &load) {
  int64_t width = kLargestAccessBytes / getSizeBytes(load.tile.element);
  if (load.tile.getRank() == 0)
    return width;
  width = std::gcd(width, load.tensor.shape.back());
  int64_t row = load.tile.shape.back();
  return row == load.largestTile.shape.back() ? std::gcd(width, row) : width;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// What an SM takes for one matrix tile on its tensor cores, m16n8k16, or for
/// m16n8k8 of tf32, which has half of the rate on all targets.
static double getMatrixTileUs(double clocks, const Target &target) {
  return std::max(2 * kMatrixTileProducts / target.tensorFlopsPerUsSM,
                  clocks / target.clockMHz);
}

static double getScalarProductUs(const Target &target) {
  return std::max(1 / target.scalarOpsPerUsSM,
                  1 / (kProductsPerClock * target.clockMHz));
}

/// What an SM takes for one matrix tile, one term of a product, or the
/// arithmetic of one element.
static double getUnitUs(const KernelWork::Operation &operation,
                        const Target &target) {
  if (operation.isOnTensorCores) {
    double clocks = operation.isOnRows ? kRowTileClocks : kMatrixTileClocks;
    if (operation.isInTF32)
      clocks += operation.isOnRows ? kRowTF32Clocks : kTF32Clocks;
    return getMatrixTileUs(clocks, target);
  }
  // A multiplication: it is in registers before and after.
  if (operation.isRescaled)
    return 1 / target.scalarOpsPerUsSM;
  if (!operation.applied)
    return getScalarProductUs(target);
  return (1 + operation.applied->countArithmetic()) / target.scalarOpsPerUsSM +
         operation.applied->countSpecial() / target.specialOpsPerUsSM;
}

/// Whether --mirage-form-warpgroups lets four warps multiply together, if the
/// copy engine fills rings and there are as many threads.
static bool mayMultiplyTogether(const KernelWork::Operation &operation,
                                const Target &target) {
  return target.hasWarpgroupProducts && operation.isOnTensorCores &&
         !operation.isInTF32 && operation.isOnRows && operation.isRightInRing;
}

BlockWork::Step
BlockWork::getStep(const KernelWork::Operation &operation) const {
  double unitUs = getUnitUs(operation, target);
  Step step;
  step.isInLoop = operation.isInLoop;
  // What corrects a sum takes as much wherever the rest of the loop lies.
  step.isOnRows = operation.isOnRows || operation.isRescaled;
  step.mayBeTogether = mayMultiplyTogether(operation, target);
  step.isInPlace = step.mayBeTogether && operation.isLeftInRing;
  step.isOfSketch = operation.isOfSketch();
  if (operation.isOnTensorCores) {
    step.computeUs = operation.matrixTiles * unitUs;
    if (operation.isInTF32 && operation.isOnRows)
      step.computeUs +=
          double(operation.leftBytes) / kLoadedBytesPerClock / target.clockMHz;
    step.matrixTiles = operation.matrixTiles;
    step.chainedTiles = operation.chainedTiles;
    return step;
  }
  if (step.isOnRows) {
    step.computeUs = double(operation.elements) * unitUs;
    return step;
  }
  step.elements = operation.elements;
  step.length = operation.length;
  step.isInReader = operation.isInReader && mayBeOneStream;
  step.reduction =
      operation.isReduction && mayBeOneStream ? &operation : nullptr;
  if (!operation.applied)
    step.computeUs = double(step.elements * step.length) * unitUs;
  else
    step.computeUs = double(step.elements) * unitUs;
  // And shared memory's traffic.
  if (operation.applied && !step.isInReader)
    step.computeUs =
        std::max(operation.bytes / target.sharedBytesPerUsSM, step.computeUs);
  return step;
}

double mlir::mirage::search::getTotalComputeUs(const KernelWork &kernel,
                                               const Target &target) {
  double us = 0;
  for (const KernelWork::Operation &operation : kernel.operations)
    us += (operation.isRepeated ? 2 : 1) * operation.total *
          (mayMultiplyTogether(operation, target)
               ? getMatrixTileUs(kGroupTileClocks, target)
               : getUnitUs(operation, target));
  return us;
}

double mlir::mirage::search::getElementsUs(int64_t elements, int64_t threads,
                                           const Target &target) {
  return double(llvm::divideCeil(elements, threads)) * kElementClocks /
         target.clockMHz;
}

/// Until the busiest warp has waited for each of its products.
double BlockWork::getProductsUs(const Step &step, int64_t threads) const {
  double numWarps = double(threads) / (1 << kLaneBits);
  return step.matrixTiles / numWarps * kRowTileWaitClocks / target.clockMHz;
}

/// Until the busiest warp has added up what it has of a tile; the least there
/// is where the tile is not known.
double BlockWork::getReductionUs(const Step &step, int64_t threads) const {
  const KernelWork::Operation &reduction = *step.reduction;
  int64_t warps = threads >> kLaneBits, exchanges = 0;
  double elementClocks = kReducedClocks;
  const TensorSpec &tile = reduction.reducedTile;
  if (tile.getRank() > 0) {
    RunLengths runs{kLargestAccessBytes / getSizeBytes(tile.element)};
    ReductionShare share =
        shareReduction(tile.shape, reduction.reducedDim, warps, runs);
    exchanges = llvm::divideCeil(share.items, warps) * share.exchanges;
    // Rows are split over warps, which load what they have of them. Of other
    // sums they do so where all have some, and enough side by side for sectors
    // to be whole, of which this is an estimate (`isWorthBypassing` counts
    // them); else shared memory has the tile. So it has where an item takes
    // several steps, but in what was measured that made no difference.
    constexpr int64_t kLeastRunBytes = 8;
    bool isOfRows = reduction.reducedDim + 1 == tile.getRank();
    bool isInRegisters =
        isOfRows || (share.items >= warps &&
                     share.run * getSizeBytes(tile.element) >= kLeastRunBytes);
    if (!isInRegisters && step.elements >= threads)
      elementClocks = kElementClocks;
    if (!isOfRows)
      threads = std::min(threads, share.items << kLaneBits);
  }
  double perThread = llvm::divideCeil(step.elements, threads);
  return (perThread * elementClocks + double(exchanges) * kExchangeClocks) /
         target.clockMHz;
}

double BlockWork::getAloneUs(const Step &step, int64_t threads) const {
  if (step.isOnRows) {
    double numWarps = double(threads) / (1 << kLaneBits);
    return std::max(
        {step.computeUs, getProductsUs(step, threads),
         step.chainedTiles / numWarps * kChainedTileClocks / target.clockMHz});
  }
  double perThread = llvm::divideCeil(step.elements, threads);
  if (step.isInReader)
    return std::max(step.computeUs,
                    perThread * kComputedClocks / target.clockMHz);
  double waitUs = step.length > 0 ? double(step.length) *
                                        std::max(perThread, kProductClocks) /
                                        target.clockMHz
                  : step.reduction
                      ? getReductionUs(step, threads)
                      : getElementsUs(step.elements, threads, target);
  double productsUs = step.matrixTiles / (double(threads) / (1 << kLaneBits)) *
                      kMatrixTileWaitClocks / target.clockMHz;
  return std::max({step.computeUs, waitUs, productsUs}) + target.barrierUs;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

BlockWork::BlockWork(const KernelWork &kernel, const Target &target)
    : target(target), numIterations(kernel.loop),
      isOneStream(kernel.isOneStream), mayBeOneStream(kernel.mayBeOneStream) {
  for (const KernelWork::Load &load : kernel.loads) {
    double times = load.isRepeated ? 2 : 1;
    int64_t width = getAccessWidth(load);
    double bytes = times * getLoadBytes(load);
    loads.push_back(
        {load.isInLoop, getDrawnBytes(load, bytes, /*hasRings=*/false, target),
         getDrawnBytes(load, bytes, /*hasRings=*/true, target),
         int64_t(times) * (load.tile.getNumElements() / width),
         width * getSizeBytes(load.tile.element) >= kSmallestCopyBytes,
         target.hasCopyEngine ? countPartRows(load) : 0});
  }
  for (const KernelWork::Operation &operation : kernel.operations)
    steps.append(operation.isRepeated ? 2 : 1, getStep(operation));
}

SharedBlockWork BlockWork::share(int64_t threads) const {
  SharedBlockWork shared(target, threads, numIterations);
  shared.outside.isOneStream = isOneStream;
  for (const Load &load : loads) {
    auto &phase = load.isInLoop ? shared.iteration : shared.outside;
    phase.copiedBytes += load.copiedBytes;
    phase.loadBytes += load.bytes;
    phase.numPartRows += load.numPartRows;
    (load.canRunAhead ? phase.numAhead : phase.numOthers) +=
        llvm::divideCeil(load.numAccesses, threads);
  }
  for (const Step &step : steps) {
    auto &phase = step.isInLoop ? shared.iteration : shared.outside;
    double aloneUs = getAloneUs(step, threads);
    phase.aloneUs += aloneUs;
    phase.computeUs += step.computeUs;
    double togetherUs =
        step.matrixTiles * getMatrixTileUs(kGroupTileClocks, target);
    double waitedUs = std::max(togetherUs, getProductsUs(step, threads));
    // What may be either takes no more than both.
    bool isTogether = step.mayBeTogether &&
                      threads % (kWarpsOfGroup << kLaneBits) == 0 &&
                      !(step.isOfSketch && waitedUs > aloneUs);
    if (!isTogether) {
      phase.rowsUs += step.isOnRows ? aloneUs : 0;
      continue;
    }
    phase.isOfSketch |= step.isOfSketch;
    phase.savedComputeUs += step.computeUs - togetherUs;
    phase.togetherUs += waitedUs;
    phase.idleUs += step.isInPlace ? waitedUs - togetherUs : 0;
    phase.savedAloneUs += aloneUs - waitedUs;
  }
  return shared;
}

//===----------------------------------------------------------------------===//
// Loads ahead of what they are for
//===----------------------------------------------------------------------===//

/// Of a thread that makes so many, one after the other.
double SharedBlockWork::getAccessesUs(int64_t number) const {
  return double(number) * kAccessClocks / target.clockMHz;
}

/// Until the busiest thread has so many accesses behind it.
double SharedBlockWork::getWaitUs(int64_t numAccesses) const {
  return numAccesses > 0 ? getFirstByteUs(target) + getAccessesUs(numAccesses)
                         : 0;
}

double mlir::mirage::search::getFirstByteUs(const Target &target) {
  return kLoadedLatency * target.loadLatencyUs;
}

double SharedBlockWork::getDrawUs(double bytes) const {
  return bytes / target.loadBytesPerUsSM;
}

/// Of loads that are waited for at once.
double SharedBlockWork::getLoadsUs(const Phase &phase) const {
  if (phase.copiedBytes == 0)
    return 0;
  double accessesUs = getAccessesUs(phase.numAhead + phase.numOthers);
  double drawUs = getDrawUs(phase.copiedBytes);
  double firstUs = getFirstByteUs(target);
  double us = phase.isOneStream ? firstUs + std::max(accessesUs, drawUs)
                                : std::max(firstUs + accessesUs, drawUs);
  return us + target.barrierUs;
}

PhaseTime SharedBlockWork::getTime(const Phase &phase) const {
  return {getLoadsUs(phase) + phase.aloneUs, getDrawUs(phase.copiedBytes),
          phase.computeUs, phase.aloneUs};
}

BlockTime SharedBlockWork::getTime(int64_t stages) const {
  if (stages > 1)
    return getTimeAhead(stages);
  return {getTime(outside), getTime(iteration), numIterations};
}

/// Of an iteration, what warps compute while tensor cores carry out products
/// that were started ahead, or the other way round.
double SharedBlockWork::getHiddenUs(int64_t stages) const {
  if (!canStartAhead(numIterations, stages, chooseHandBack(threads, stages)))
    return 0;
  return kHiddenShare * std::min(iteration.togetherUs, iteration.rowsUs);
}

/// Of an iteration, what warps wait for products if they do at once.
double SharedBlockWork::getIdleUs(int64_t stages) const {
  return canWaitLate(stages, chooseLateHandBack(stages)) ? iteration.idleUs : 0;
}

/// What an iteration that loads ahead takes beside its steps.
double SharedBlockWork::getIterationUs() const {
  double numGroups = double(threads) / (kWarpsOfGroup << kLaneBits);
  double clocks =
      kIterationClocks + (iteration.togetherUs > 0 && !iteration.isOfSketch
                              ? numGroups * kGroupClocks
                              : 0);
  return target.barrierUs + clocks / target.clockMHz;
}

BlockTime SharedBlockWork::getTimeAhead(int64_t stages) const {
  double issueUs = double(iteration.numAhead) * kCopyClocks / target.clockMHz;
  double plainUs = getWaitUs(iteration.numOthers);
  double latencyUs = iteration.numAhead > 0 ? getFirstByteUs(target) : 0;
  double numAhead = double(stages - 1);
  BlockTime block;
  block.numIterations = numIterations;

  // The loop's first tiles are on their way while those of before it are
  // loaded.
  block.outside = getTime(outside);
  block.outside.aloneUs = std::max(getLoadsUs(outside), latencyUs) +
                          numAhead * (issueUs + plainUs) + outside.aloneUs;

  PhaseTime &time = block.iteration;
  time.computeUs = iteration.computeUs - iteration.savedComputeUs;
  time.loadUs = getDrawUs(iteration.loadBytes);
  time.stepsUs = iteration.aloneUs - iteration.savedAloneUs -
                 getHiddenUs(stages) - getIdleUs(stages);
  double partsUs =
      double(iteration.numPartRows) * kPartRowClocks / target.clockMHz;
  time.aloneUs =
      std::max(time.stepsUs + issueUs + plainUs + partsUs + getIterationUs(),
               time.loadUs);
  // Where all tiles have places of their own, none waits for one.
  if (stages < numIterations)
    time.aloneUs =
        std::max(time.aloneUs, (latencyUs + issueUs + time.loadUs) / numAhead);
  return block;
}
