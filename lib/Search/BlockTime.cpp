//===- BlockTime.cpp - How long one thread block takes --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/BlockTime.h"
#include "Mirage/Graph/Phases.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;

// What the generated code takes, in clocks, fitted to 84 kernels on an H200
// (docs/Search.md, "Cost model").

/// One access of a thread to device memory, beyond the first one's latency.
static constexpr double kAccessClocks = 77;
/// One copy by cp.async that a thread issues, address included, and does not
/// wait for. An estimate: nothing of it was measured yet.
static constexpr double kCopyClocks = 30;
/// One element of a tile that a thread reads from shared memory, computes with
/// and writes back.
static constexpr double kElementClocks = 46;
/// One product of m16n8k16 on an SM, fragments out of shared memory included,
/// whose rows lie in the same banks.
static constexpr double kMatrixTileClocks = 43;

/// One step of a sum of products without tensor cores, if a thread has few sums
/// to go on with meanwhile; each further sum takes a clock. Measured: 14 with
/// 192 sums, 128 to 512 threads.
static constexpr double kProductClocks = 16;
/// Such products on an SM, operands out of shared memory. Measured: 36 to 56
/// with 1536 and 2048 sums, 128 to 512 threads.
static constexpr double kProductsPerClock = 48;

static constexpr int64_t kLargestAccessBytes = 16;
static constexpr int64_t kSmallestCopyBytes = 4;

double PhaseTime::getUs(int64_t blocksPerSM) const {
  return std::max(aloneUs, double(blocksPerSM) * std::max(loadUs, computeUs));
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// The share of the full rate at which a tile is read whose rows have few
/// consecutive bytes in device memory. Measured at 32, 64 and 128 bytes; below
/// a sector of 32 bytes the rest of it is wasted.
static double getRowEfficiency(const TensorSpec &tile,
                               const TensorSpec &tensor) {
  int64_t bytes = getSizeBytes(tile.element);
  for (int dim = tile.getRank() - 1; dim >= 0; --dim) {
    bytes *= tile.shape[dim];
    if (tile.shape[dim] < tensor.shape[dim])
      break;
  }
  if (bytes >= 96)
    return 1;
  if (bytes >= 64)
    return 0.95;
  return bytes >= 32 ? 0.82 : 0.82 * bytes / 32;
}

double mlir::mirage::search::getLoadBytes(const TensorSpec &tile,
                                          const TensorSpec &tensor) {
  return tile.getSizeBytes() / getRowEfficiency(tile, tensor);
}

/// How many elements an access takes that loads a tile: up to 16 bytes, which
/// must not straddle rows.
static int64_t getAccessWidth(const TensorSpec &tile,
                              const TensorSpec &tensor) {
  int64_t width = kLargestAccessBytes / getSizeBytes(tile.element);
  if (tile.getRank() > 0)
    width = std::gcd(width, std::gcd(tile.shape.back(), tensor.shape.back()));
  return width;
}

BlockWork::LoadCounts BlockWork::countLoads(bool inLoop,
                                            int64_t threads) const {
  LoadCounts counts;
  for (const Load &load : loads) {
    if (load.isInLoop != inLoop)
      continue;
    counts.bytes += load.bytes;
    (load.canRunAhead ? counts.numAhead : counts.numOthers) +=
        llvm::divideCeil(load.numAccesses, threads);
  }
  return counts;
}

/// Until the busiest thread has so many accesses behind it, one after the
/// other.
double BlockWork::getWaitUs(int64_t numAccesses) const {
  if (numAccesses == 0)
    return 0;
  return target.loadLatencyUs +
         double(numAccesses) * kAccessClocks / target.clockMHz;
}

/// Loads that are waited for at once.
void BlockWork::addLoads(const LoadCounts &counts, PhaseTime &time) const {
  if (counts.bytes == 0)
    return;
  time.loadUs = counts.bytes / target.loadBytesPerUsSM;
  time.aloneUs =
      std::max(getWaitUs(counts.numAhead + counts.numOthers), time.loadUs) +
      target.barrierUs;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static constexpr double kProductsPerTile = 16 * 8 * 16;

double mlir::mirage::search::getTensorCoreUs(const Target &target) {
  return std::max(2 / target.tensorFlopsPerUsSM,
                  kMatrixTileClocks / (kProductsPerTile * target.clockMHz));
}

double mlir::mirage::search::getScalarProductUs(const Target &target) {
  return std::max(1 / target.scalarOpsPerUsSM,
                  1 / (kProductsPerClock * target.clockMHz));
}

/// Products of m16n8k16, with either operand as the one of 16 rows.
static double countMatrixTiles(const TensorSpec &lhs,
                               const TensorSpec &result) {
  int64_t rows = result.shape[result.getRank() - 2];
  int64_t columns = result.shape.back();
  int64_t batch = result.getNumElements() / (rows * columns);
  auto count = [](int64_t size, int64_t tile) {
    return double(llvm::divideCeil(size, tile));
  };
  double area = std::min(count(rows, 16) * count(columns, 8),
                         count(rows, 8) * count(columns, 16));
  return batch * area * count(lhs.shape.back(), 16);
}

BlockWork::Step BlockWork::multiply(const TensorSpec &lhs,
                                    const TensorSpec &rhs,
                                    const TensorSpec &result,
                                    const Target &target) {
  Step step;
  if (getTensorCoreElement(lhs.element, rhs.element)) {
    step.computeUs = countMatrixTiles(lhs, result) * kProductsPerTile *
                     getTensorCoreUs(target);
    return step;
  }
  step.elements = result.getNumElements();
  step.length = lhs.shape.back();
  step.computeUs =
      double(step.elements * step.length) * getScalarProductUs(target);
  return step;
}

/// All operations but products: arithmetic and shared memory's traffic.
BlockWork::Step BlockWork::walkElements(const Node &op,
                                        ArrayRef<TensorSpec> operands,
                                        const TensorSpec &result,
                                        const Target &target) {
  const OperatorInfo &row = getOperatorInfo(op.opcode);
  const ScalarDefinition &applied =
      row.kind == OperatorKind::Accumulate
          ? getOperatorInfo(op.attributes.reduction).definition
          : row.definition;
  int64_t elements = result.getNumElements(), bytes = result.getSizeBytes();
  for (const TensorSpec &operand : operands) {
    elements = std::max(elements, operand.getNumElements());
    bytes += operand.getSizeBytes();
  }
  double arithmeticUs =
      double(elements) *
      ((1 + applied.countArithmetic()) / target.scalarOpsPerUsSM +
       applied.countSpecial() / target.specialOpsPerUsSM);
  Step step;
  step.elements = elements;
  step.computeUs = std::max(bytes / target.sharedBytesPerUsSM, arithmeticUs);
  return step;
}

double mlir::mirage::search::getElementsUs(int64_t elements, int64_t threads,
                                           const Target &target) {
  return double(llvm::divideCeil(elements, threads)) * kElementClocks /
         target.clockMHz;
}

double BlockWork::getAloneUs(const Step &step, int64_t threads) const {
  double perThread = llvm::divideCeil(step.elements, threads);
  double waitUs = step.length > 0
                      ? double(step.length) *
                            std::max(perThread, kProductClocks) /
                            target.clockMHz
                      : getElementsUs(step.elements, threads, target);
  return std::max(step.computeUs, waitUs) + target.barrierUs;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

BlockWork::BlockWork(const TileGraph &kernel, ArrayRef<TensorSpec> operands,
                     const Target &target)
    : target(target), numIterations(kernel.loop) {
  llvm::SmallVector<Phase> phases = computePhases(kernel);
  for (unsigned input = 0; input < kernel.getNumInputs(); ++input) {
    const TensorSpec &tile = kernel.getType(input);
    int64_t width = getAccessWidth(tile, operands[input]);
    loads.push_back({phases[input] == Phase::Loop,
                     getLoadBytes(tile, operands[input]),
                     tile.getNumElements() / width,
                     width * getSizeBytes(tile.element) >= kSmallestCopyBytes});
  }
  for (const Node &op : kernel.getNodes()) {
    llvm::SmallVector<TensorSpec, 2> types;
    for (ValueId operand : op.operands)
      types.push_back(kernel.getType(operand));
    const TensorSpec &result = kernel.getType(op.results[0]);
    steps.push_back(getOperatorInfo(op.opcode).kind == OperatorKind::Contraction
                        ? multiply(types[0], types[1], result, target)
                        : walkElements(op, types, result, target));
    // An accumulation works in every iteration, whatever its result's phase is.
    steps.back().isInLoop = llvm::any_of(
        op.operands, [&](ValueId v) { return phases[v] == Phase::Loop; });
  }
}

void BlockWork::addSteps(bool inLoop, int64_t threads, PhaseTime &time) const {
  for (const Step &step : steps) {
    if (step.isInLoop != inLoop)
      continue;
    time.aloneUs += getAloneUs(step, threads);
    time.computeUs += step.computeUs;
  }
}

BlockTime BlockWork::getTime(BlockShape shape) const {
  if (shape.stages > 1)
    return getTimeAhead(shape.threads, shape.stages, shape.stages);
  BlockTime block;
  block.numIterations = numIterations;
  for (bool inLoop : {false, true}) {
    PhaseTime &time = inLoop ? block.iteration : block.outside;
    addLoads(countLoads(inLoop, shape.threads), time);
    addSteps(inLoop, shape.threads, time);
    time.busyUs = time.aloneUs;
  }
  return block;
}

/// More stages take longer to fill, and give loads more time.
BlockTime BlockWork::getLeastTimeAhead(int64_t threads,
                                       int64_t mostStages) const {
  return getTimeAhead(threads, /*fillStages=*/2, mostStages);
}

BlockTime BlockWork::getTimeAhead(int64_t threads, int64_t fillStages,
                                  int64_t stages) const {
  LoadCounts loop = countLoads(/*inLoop=*/true, threads);
  double issueUs = double(loop.numAhead) * kCopyClocks / target.clockMHz;
  double plainUs = getWaitUs(loop.numOthers);
  double latencyUs = loop.numAhead > 0 ? target.loadLatencyUs : 0;
  BlockTime block;
  block.numIterations = numIterations;
  PhaseTime &outside = block.outside, &iteration = block.iteration;

  // The loop's first tiles are on their way while those of before it are
  // loaded.
  addLoads(countLoads(/*inLoop=*/false, threads), outside);
  double fillUs = double(fillStages - 1) * (issueUs + plainUs);
  outside.aloneUs = std::max(outside.aloneUs, latencyUs) + fillUs;
  addSteps(/*inLoop=*/false, threads, outside);
  outside.busyUs = outside.aloneUs;

  addSteps(/*inLoop=*/true, threads, iteration);
  iteration.loadUs = loop.bytes / target.loadBytesPerUsSM;
  iteration.busyUs = iteration.aloneUs + issueUs + plainUs + target.barrierUs;
  iteration.aloneUs = std::max({iteration.busyUs, iteration.loadUs,
                                (latencyUs + issueUs) / double(stages - 1)});
  return block;
}
