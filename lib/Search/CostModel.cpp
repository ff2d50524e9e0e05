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

/// f32 registers for accumulators.
static constexpr int64_t kAccumulatorsPerThread = 128;

bool mlir::mirage::search::fits(const TileGraph &kernel, const Target &target) {
  int64_t accumulators = 0;
  for (const Node &op : kernel.getNodes())
    if (op.opcode == Opcode::Accumulate)
      accumulators +=
          op.getNumCarried() * kernel.getType(op.results[0]).getNumElements();
  return accumulators <= kAccumulatorsPerThread * kernel.threads &&
         getSharedBytes(kernel) <= target.sharedBytesPerBlock;
}

/// Time of one block: before and after its loop, and per iteration.
struct AnalyticCostModel::Phases {
  double outsideUs = 0;
  double iterationUs = 0;
};

static int64_t getBytes(ArrayRef<TensorSpec> types) {
  int64_t bytes = 0;
  for (const TensorSpec &type : types)
    bytes += type.getSizeBytes();
  return bytes;
}

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

/// Bytes of one input tile as the memory system sees them.
static double getLoadBytes(const TileGraph &kernel,
                           ArrayRef<TensorSpec> operands, unsigned input) {
  const TensorSpec &tile = kernel.getType(input);
  return tile.getSizeBytes() / getRowEfficiency(tile, operands[input]);
}

/// The largest of three times that overlap, a little more where they are close.
static double overlap(double a, double b, double c) {
  double sum = a * a * a * a + b * b * b * b + c * c * c * c;
  return std::sqrt(std::sqrt(sum)); // exact roots, so that machines agree
}

/// Flops of a matmul on the tensor cores, which take 16 x 8 x 16 at a time with
/// either operand as the one of 16 rows.
static double getPaddedMatmulFlops(const TensorSpec &lhs,
                                   const TensorSpec &result) {
  int64_t rows = result.shape[result.getRank() - 2];
  int64_t columns = result.shape.back();
  int64_t batch = result.getNumElements() / (rows * columns);
  auto pad = [](int64_t size, int64_t to) {
    return double(llvm::alignTo(size, to));
  };
  double area = std::min(pad(rows, 16) * pad(columns, 8),
                         pad(rows, 8) * pad(columns, 16));
  return 2 * batch * area * pad(lhs.shape.back(), 16);
}

/// Arithmetic and shared memory traffic of one operation in one block.
double AnalyticCostModel::getComputeUs(const TileGraph &kernel,
                                       const Node &op) const {
  llvm::SmallVector<TensorSpec> operands = kernel.getTypes(op.operands);
  const TensorSpec &result = kernel.getType(op.results[0]);
  const OperatorInfo &row = getOperatorInfo(op.opcode);
  double elements = result.getNumElements();
  for (const TensorSpec &operand : operands)
    elements = std::max<double>(elements, operand.getNumElements());
  double movedUs =
      (getBytes(operands) + result.getSizeBytes()) / target.sharedBytesPerUsSM;
  double arithmeticUs = 0;
  if (row.kind == OperatorKind::Contraction) {
    arithmeticUs =
        getPaddedMatmulFlops(operands[0], result) / target.tensorFlopsPerUsSM;
  } else {
    const OperatorInfo &applied = row.kind == OperatorKind::Accumulate
                                      ? getOperatorInfo(op.attributes.reduction)
                                      : row;
    arithmeticUs =
        elements *
        ((1 + applied.definition.countArithmetic()) / target.scalarOpsPerUsSM +
         applied.definition.countSpecial() / target.specialOpsPerUsSM);
  }
  return std::max(movedUs, arithmeticUs) + target.barrierUs;
}

AnalyticCostModel::Phases
AnalyticCostModel::getBlockUs(const TileGraph &kernel,
                              ArrayRef<TensorSpec> operands,
                              int64_t blocksPerSM) const {
  llvm::SmallVector<Phase> phases = computePhases(kernel);
  Phases time;
  double loopComputeUs = 0;
  for (const Node &op : kernel.getNodes()) {
    // An accumulation works in every iteration, whatever its result's phase is.
    bool isInLoop = llvm::any_of(
        op.operands, [&](ValueId v) { return phases[v] == Phase::Loop; });
    (isInLoop ? loopComputeUs : time.outsideUs) += getComputeUs(kernel, op);
  }
  double loopBytes = 0, onceBytes = 0;
  for (unsigned input = 0; input < kernel.getNumInputs(); ++input)
    (phases[input] == Phase::Loop ? loopBytes : onceBytes) +=
        getLoadBytes(kernel, operands, input);
  double rate = target.loadBytesPerUsSM / blocksPerSM;
  // A few stages are in flight at a time, so an iteration waits for a part of
  // the latency only.
  constexpr double kStages = 4;
  double loadUs = std::max(loopBytes / rate, target.loadLatencyUs / kStages);
  time.outsideUs += onceBytes / rate;
  time.iterationUs =
      loopBytes == 0
          ? 0
          : std::max(loadUs, loopComputeUs * blocksPerSM) + target.barrierUs;
  time.outsideUs += loopBytes == 0 ? loopComputeUs : loadUs + loopComputeUs;
  return time;
}

/// The bytes of one block's parts that are joined along each axis of the grid.
static std::map<Axis, double> getJoinedBytes(const TileGraph &kernel) {
  std::map<Axis, double> bytes;
  for (const Node &op : kernel.getNodes())
    if (joinsBlocks(op))
      bytes[op.attributes.axis] += getBytes(kernel.getTypes(op.operands));
  return bytes;
}

/// What it takes to join blocks in mid-kernel: parts are written, and read by a
/// kernel that is launched for it (`--mirage-split-grid-joins`).
double AnalyticCostModel::getJoinUs(const TileGraph &kernel) const {
  double us = 0;
  for (auto [axis, bytes] : getJoinedBytes(kernel)) {
    double blocks = kernel.getNumBlocks();
    double perBlock = bytes * double(kernel.getExtent(axis));
    double waves =
        std::ceil(blocks / double(kernel.getExtent(axis)) / target.numSMs);
    us += target.nextLaunchUs + target.loadLatencyUs +
          overlap(waves * perBlock / target.loadBytesPerUsSM,
                  2 * bytes * blocks / target.cacheBytesPerUs, 0);
  }
  return us;
}

/// How many blocks an SM holds at a time.
int64_t AnalyticCostModel::getBlocksPerSM(const TileGraph &kernel) const {
  int64_t shared = std::max<int64_t>(getSharedBytes(kernel), 1024);
  int64_t perSM = std::min(
      {target.sharedBytesPerSM / (shared + 1024),
       target.threadsPerSM / int64_t(kernel.threads),
       int64_t(llvm::divideCeil(kernel.getNumBlocks(), target.numSMs))});
  return std::max<int64_t>(perSM, 1);
}

/// All blocks, in waves.
double AnalyticCostModel::getBlocksUs(const TileGraph &kernel,
                                      ArrayRef<TensorSpec> operands,
                                      int64_t blocksPerSM) const {
  int64_t waves =
      llvm::divideCeil(kernel.getNumBlocks(), target.numSMs * blocksPerSM);
  Phases block = getBlockUs(kernel, operands, blocksPerSM);
  return waves * (block.outsideUs + block.iterationUs * double(kernel.loop));
}

/// What the blocks take where device memory and L2 keep up with them, and more
/// where they do not.
double AnalyticCostModel::getTrafficUs(const TileGraph &kernel,
                                       ArrayRef<TensorSpec> operands,
                                       ArrayRef<TensorSpec> results,
                                       double blocksUs) const {
  llvm::SmallVector<Phase> phases = computePhases(kernel);
  double resultBytes = getBytes(results);
  double cacheBytes = resultBytes, memoryBytes = resultBytes;
  for (unsigned input = 0; input < kernel.getNumInputs(); ++input) {
    cacheBytes += double(kernel.getNumBlocks()) *
                  getLoadBytes(kernel, operands, input) *
                  (phases[input] == Phase::Loop ? kernel.loop : 1);
    memoryBytes += operands[input].getSizeBytes() /
                   getRowEfficiency(kernel.getType(input), operands[input]);
  }
  return overlap(blocksUs, memoryBytes / target.memoryBytesPerUs,
                 cacheBytes / target.cacheBytesPerUs);
}

double AnalyticCostModel::estimateKernelUs(const TileGraph &kernel,
                                           ArrayRef<TensorSpec> operands,
                                           ArrayRef<TensorSpec> results) const {
  double blocksUs = getBlocksUs(kernel, operands, getBlocksPerSM(kernel));
  return target.launchUs + getJoinUs(kernel) +
         getTrafficUs(kernel, operands, results, blocksUs);
}

/// Operations add time to blocks, and tiles, so that fewer blocks fit; how many
/// do is left open, since fewer may mean fewer in the last wave.
double AnalyticCostModel::boundKernelUs(const TileGraph &header,
                                        ArrayRef<TensorSpec> operands,
                                        ArrayRef<TensorSpec> results,
                                        unsigned numJoins) const {
  double blocksUs = getBlocksUs(header, operands, 1);
  for (int64_t perSM = getBlocksPerSM(header); perSM > 1; --perSM)
    blocksUs = std::min(blocksUs, getBlocksUs(header, operands, perSM));
  return target.launchUs +
         numJoins * (target.nextLaunchUs + target.loadLatencyUs) +
         getTrafficUs(header, operands, results, blocksUs);
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
  int64_t bytes = getBytes(program.getTypes(program.getOutputs()));
  for (unsigned input = 0; input < program.getNumInputs(); ++input)
    bytes += program.getType(input).getSizeBytes();
  return target.launchUs + bytes / target.memoryBytesPerUs;
}
