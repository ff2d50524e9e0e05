//===- TileMemory.cpp - What a block's tiles take -------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/TileMemory.h"
#include "Mirage/Graph/Phases.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::mirage;

bool mlir::mirage::isLoadedInLoop(const TileGraph &graph, unsigned input) {
  return graph.tileInputs[input].loopMap != kReplicated;
}

int64_t mlir::mirage::getNumPlaces(const TileGraph &graph, unsigned input) {
  return isLoadedInLoop(graph, input) ? graph.stages : 1;
}

int64_t mlir::mirage::getRingStride(int64_t tileBytes) {
  return llvm::alignTo(tileBytes, kTileAlignment);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

unsigned mlir::mirage::getJoinStages(int64_t numJoined, int64_t bytes) {
  constexpr int64_t kBytesOnTheirWay = 32 * 1024;
  return std::clamp<int64_t>(kBytesOnTheirWay / std::max<int64_t>(bytes, 1), 1,
                             std::min(numJoined, kMaxStages));
}

bool mlir::mirage::canJoinAtOnce(const Attributes &accumulation,
                                 bool isRescaled) {
  return !isRescaled && (accumulation.reduction == Opcode::Sum ||
                         accumulation.reduction == Opcode::Max);
}

int64_t mlir::mirage::getRowPadding(const TensorSpec &tile) {
  constexpr int64_t kMatrixRowBytes = 16;
  if (tile.getRank() == 0 || tile.getNumElements() == tile.shape.back())
    return 0;
  int64_t rowBytes =
      TensorSpec{{tile.shape.back()}, tile.element}.getSizeBytes();
  return rowBytes % (2 * kMatrixRowBytes) == 0 ? kMatrixRowBytes : 0;
}

bool mlir::mirage::keepsRows(const TensorSpec &tile,
                             const TensorSpec &reshaped) {
  return tile.shape == reshaped.shape ||
         (tile.getRank() > 0 && reshaped.getRank() > 0 &&
          tile.shape.back() == reshaped.shape.back());
}

bool mlir::mirage::exchangesRowsAndColumns(llvm::ArrayRef<int64_t> dims) {
  int64_t rank = dims.size();
  if (rank < 2 || dims[rank - 2] != rank - 1 || dims[rank - 1] != rank - 2)
    return false;
  for (int64_t dim = 0; dim < rank - 2; ++dim)
    if (dims[dim] != dim)
      return false;
  return true;
}

bool mlir::mirage::hasStepDims(llvm::ArrayRef<int64_t> shape) {
  constexpr int64_t kNumItemAxes = 3;
  return int64_t(shape.size()) - llvm::count(shape, 1) <= kNumItemAxes;
}

/// The rule but for sizes.
static bool isReadByProductsAlone(llvm::ArrayRef<int64_t> dims, Phase phase,
                                  llvm::ArrayRef<TileReader> readers) {
  return exchangesRowsAndColumns(dims) && !readers.empty() &&
         llvm::all_of(readers, [&](const TileReader &reader) {
           return getOperatorInfo(reader.opcode).kind ==
                      OperatorKind::Contraction &&
                  reader.phase == phase;
         });
}

bool mlir::mirage::isLoadedTransposed(llvm::ArrayRef<int64_t> dims, Phase phase,
                                      llvm::ArrayRef<int64_t> tile,
                                      llvm::ArrayRef<TileReader> readers) {
  return isReadByProductsAlone(dims, phase, readers) && hasStepDims(tile) &&
         llvm::all_of(readers, [](const TileReader &reader) {
           return hasStepDims(reader.result);
         });
}

static llvm::SmallVector<TileReader> findReaders(const TileGraph &graph,
                                                 ValueId value,
                                                 llvm::ArrayRef<Phase> phases) {
  llvm::SmallVector<TileReader> readers;
  for (const Node &node : graph.getNodes())
    if (llvm::is_contained(node.operands, value))
      readers.push_back({node.opcode, phases[node.results[0]],
                         graph.getType(node.results[0]).shape});
  if (llvm::is_contained(graph.getOutputs(), value))
    readers.push_back({Opcode::Graph, phases[value], {}});
  return readers;
}

bool mlir::mirage::isLoadedTransposed(const TileGraph &graph,
                                      const Node &operation) {
  if (operation.opcode != Opcode::Transpose)
    return false;
  ValueId value = operation.results[0];
  llvm::SmallVector<Phase> phases = computePhases(graph);
  return isLoadedTransposed(operation.attributes.dims, phases[value],
                            graph.getType(value).shape,
                            findReaders(graph, value, phases));
}

bool mlir::mirage::mayBeLoadedTransposed(const TileGraph &graph,
                                         const Node &operation) {
  if (operation.opcode != Opcode::Transpose)
    return false;
  ValueId value = operation.results[0];
  llvm::SmallVector<Phase> phases = computePhases(graph);
  return isReadByProductsAlone(operation.attributes.dims, phases[value],
                               findReaders(graph, value, phases));
}

llvm::SmallVector<int64_t>
mlir::mirage::chooseRowPaddings(const TileGraph &graph) {
  unsigned numValues = graph.getNumValues();
  llvm::SmallVector<int64_t> paddings(numValues, 0);
  // A reshape is the tile that it reads.
  auto tiles = llvm::to_vector(llvm::seq<ValueId>(0, numValues));
  for (const Node &operation : graph.getNodes()) {
    if (operation.opcode == Opcode::Reshape)
      tiles[operation.results[0]] = tiles[operation.operands[0]];
    if (isLoadedTransposed(graph, operation)) {
      ValueId tile = tiles[operation.operands[0]];
      paddings[tile] = getRowPadding(graph.getType(tile));
    }
    if (getOperatorInfo(operation.opcode).kind == OperatorKind::Contraction)
      for (ValueId operand : operation.operands)
        paddings[tiles[operand]] = getRowPadding(graph.getType(tiles[operand]));
  }
  for (ValueId value = 0; value < numValues; ++value)
    if (!keepsRows(graph.getType(tiles[value]), graph.getType(value)))
      paddings[tiles[value]] = 0;
  for (ValueId value = 0; value < numValues; ++value)
    paddings[value] = paddings[tiles[value]];
  return paddings;
}

int64_t mlir::mirage::getTileBytes(const TensorSpec &tile, int64_t rowPadding) {
  int64_t bytes = tile.getSizeBytes();
  if (rowPadding > 0)
    bytes += tile.getNumElements() / tile.shape.back() * rowPadding;
  return bytes;
}

//===----------------------------------------------------------------------===//
// All that a block needs
//===----------------------------------------------------------------------===//

static int64_t getStageBytes(const TileGraph &graph,
                             llvm::ArrayRef<int64_t> paddings) {
  int64_t bytes = 0;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    if (isLoadedInLoop(graph, input))
      bytes +=
          getRingStride(getTileBytes(graph.getType(input), paddings[input]));
  return bytes;
}

int64_t mlir::mirage::getStageBytes(const TileGraph &graph) {
  return ::getStageBytes(graph, chooseRowPaddings(graph));
}

/// An accumulation over the loop that reduces dimensions reduces each tile
/// first (`--mirage-split-accumulations`): of its result, and of squares.
static int64_t getReducedTileBytes(const TileGraph &graph, const Node &op) {
  if (op.opcode != Opcode::Accumulate || op.attributes.axis != Axis::Loop ||
      op.attributes.dims.empty() || op.attributes.reduction == Opcode::Variance)
    return 0;
  auto getBytes = [&](ValueId value) {
    return getRingStride(graph.getType(value).getNumElements() *
                         getSizeBytes(ElementType::F32));
  };
  return getBytes(op.results[0]) + (op.attributes.reduction == Opcode::Rms
                                        ? getBytes(op.operands[0])
                                        : 0);
}

PhaseBytes mlir::mirage::spreadOverPhases(int64_t bytes, Phase executed,
                                          Phase known, bool hasLoop) {
  if (!hasLoop || isBeforeLoop(executed))
    return {bytes, bytes};
  return {executed == Phase::Loop ? bytes : 0,
          known != Phase::Loop ? bytes : 0};
}

namespace {
/// What tiles take, with what the whole graph says of them looked up once.
class TileCounter {
public:
  explicit TileCounter(const TileGraph &graph)
      : graph(graph), paddings(chooseRowPaddings(graph)),
        phases(computePhases(graph)), executed(computeExecutionPhases(graph)) {}

  PhaseBytes countRings() const {
    PhaseBytes bytes;
    for (unsigned input = 0; input < graph.getNumInputs(); ++input)
      bytes += spread(getNumPlaces(graph, input) *
                          getRingStride(getTileBytes(graph.getType(input),
                                                     paddings[input])),
                      phases[input], phases[input]);
    return bytes;
  }
  PhaseBytes countResults(unsigned number) const {
    const Node &operation = graph.getNodes()[number];
    if (isLoadedTransposed(graph, operation))
      return {};
    PhaseBytes bytes =
        spread(getReducedTileBytes(graph, operation), Phase::Loop, Phase::Loop);
    for (ValueId result : operation.results)
      bytes += spread(
          getRingStride(operation.getNumCarried() *
                        getTileBytes(graph.getType(result), paddings[result])),
          executed[number], phases[result]);
    return bytes;
  }

private:
  PhaseBytes spread(int64_t bytes, Phase begin, Phase end) const {
    return spreadOverPhases(bytes, begin, end, graph.loop > 1);
  }

  const TileGraph &graph;
  llvm::SmallVector<int64_t> paddings; ///< by value
  llvm::SmallVector<Phase> phases;     ///< by value
  llvm::SmallVector<Phase> executed;   ///< by operation
};
} // namespace

PhaseBytes mlir::mirage::getResultBytes(const TileGraph &graph,
                                        unsigned number) {
  return TileCounter(graph).countResults(number);
}

PhaseBytes mlir::mirage::getPhaseBytes(const TileGraph &graph) {
  TileCounter counter(graph);
  PhaseBytes bytes = counter.countRings();
  for (unsigned number = 0; number < graph.getNodes().size(); ++number)
    bytes += counter.countResults(number);
  return bytes;
}

int64_t mlir::mirage::getSharedBytes(const TileGraph &graph) {
  return getPhaseBytes(graph).getMost();
}
