//===- KernelWork.cpp - What a kernel does --------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/KernelWork.h"
#include "Mirage/Graph/LevelRules.h"
#include "Mirage/Graph/Phases.h"
#include "Mirage/Graph/Strides.h"
#include "Mirage/Graph/TileMemory.h"
#include "Mirage/Graph/WarpRows.h"
#include "Mirage/Layout/BoxedTile.h"
#include "Mirage/Planning/RegisterBudget.h"
#include "Mirage/Planning/Target.h"
#include "Mirage/Search/JoinedParts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;

double mlir::mirage::search::countMatrixTiles(int64_t sums, int64_t rows,
                                              int64_t columns, int64_t length) {
  int64_t batch = sums / (rows * columns);
  auto count = [](int64_t size, int64_t tile) {
    return double(llvm::divideCeil(size, tile));
  };
  return batch * count(rows, kMatrixTileRows) *
         count(columns, kMatrixTileColumns) * count(length, kMatrixTileLength);
}

int64_t mlir::mirage::search::countAccumulators(const TileGraph &kernel) {
  int64_t count = 0;
  for (const Node &op : kernel.getNodes())
    if (op.opcode == Opcode::Accumulate)
      count +=
          op.getNumCarried() * kernel.getType(op.results[0]).getNumElements();
  return count;
}

static int64_t countBytes(ArrayRef<TensorSpec> types) {
  int64_t bytes = 0;
  for (const TensorSpec &type : types)
    bytes += type.getSizeBytes();
  return bytes;
}

/// The type in which tensor cores take the operands of a product; none of what
/// is no product, or not on them.
static std::optional<ElementType> findTensorCoreElement(const TileGraph &kernel,
                                                        const Node &op) {
  if (getOperatorInfo(op.opcode).kind != OperatorKind::Contraction)
    return std::nullopt;
  return getTensorCoreElement(kernel.getType(op.operands[0]).element,
                              kernel.getType(op.operands[1]).element,
                              kernel.f32Products);
}

/// Whether an operation is elementwise, and the only one that reads its result
/// is a step that computes the elements as it goes
/// (--convert-mirage-block-to-thread); or a reshape, which is the same bytes.
/// Phases, how many tiles a step reads and how many dimensions they have are
/// not looked at.
static bool isComputedByReader(const TileGraph &kernel, const Node &op) {
  if (op.opcode == Opcode::Reshape)
    return true;
  if (!isElementwise(op.opcode) ||
      llvm::is_contained(kernel.getOutputs(), op.results[0]))
    return false;
  const Node *reader = nullptr;
  for (const Node &other : kernel.getNodes())
    if (llvm::is_contained(other.operands, op.results[0])) {
      if (reader)
        return false;
      reader = &other;
    }
  return reader &&
         (isElementwise(reader->opcode) || isReduction(reader->opcode));
}

KernelWork::Operation
mlir::mirage::search::makeOperation(const TileGraph &kernel, const Node &op,
                                    TileSize result,
                                    ArrayRef<TileSize> operands) {
  const OperatorInfo &row = getOperatorInfo(op.opcode);
  KernelWork::Operation operation;
  operation.elements = result.elements;
  operation.bytes = result.getBytes();
  for (TileSize operand : operands)
    operation.bytes += operand.getBytes();
  if (row.kind == OperatorKind::Contraction) {
    std::optional<ElementType> element = findTensorCoreElement(kernel, op);
    operation.isOnTensorCores = element.has_value();
    operation.isInTF32 = element == ElementType::F32;
    operation.leftBytes = operands[0].getBytes();
    return operation;
  }
  operation.isReduction = row.kind == OperatorKind::Reduction;
  operation.isRescaled = growsInRegisters(kernel, op) && op.isRescaled();
  operation.isInReader = isComputedByReader(kernel, op);
  operation.applied = row.kind == OperatorKind::Accumulate
                          ? &getOperatorInfo(op.attributes.reduction).definition
                          : &row.definition;
  for (TileSize operand : operands)
    operation.elements = std::max(operation.elements, operand.elements);
  return operation;
}

/// Whether warps compute a value, and one operation alone reads it.
static bool isPartOfOne(const TileGraph &kernel, ValueId value) {
  unsigned numReaders = llvm::count(kernel.getOutputs(), value);
  bool isComputed = false;
  for (const Node &op : kernel.getNodes()) {
    numReaders += llvm::count(op.operands, value);
    OperatorKind kind = getOperatorInfo(op.opcode).kind;
    isComputed |=
        llvm::is_contained(op.results, value) &&
        (kind == OperatorKind::Elementwise || kind == OperatorKind::Reduction ||
         kind == OperatorKind::Contraction);
  }
  return isComputed && numReaders == 1;
}

bool mlir::mirage::search::growsInRegisters(const TileGraph &kernel,
                                            const Node &op) {
  return op.opcode == Opcode::Accumulate && op.attributes.axis == Axis::Loop &&
         accumulatesElements(op.attributes, /*numOperands=*/1) &&
         isPartOfOne(kernel, op.operands[0]);
}

/// Whether an accumulation is such a sum, and takes nothing.
static bool growsForNothing(const TileGraph &kernel, const Node &op) {
  return growsInRegisters(kernel, op) && !op.isRescaled();
}

bool mlir::mirage::search::isNoStep(const TileGraph &kernel, const Node &op) {
  return growsForNothing(kernel, op) || isLoadedTransposed(kernel, op);
}

bool mlir::mirage::search::mayBeNoStep(const TileGraph &kernel,
                                       const Node &op) {
  return growsForNothing(kernel, op) || mayBeLoadedTransposed(kernel, op);
}

/// Whether blocks are one stream, as `KernelWork` has it.
static bool isOneStream(const TileGraph &kernel) {
  auto isProduct = [](const Node &op) {
    return getOperatorInfo(op.opcode).kind == OperatorKind::Contraction;
  };
  auto addsColumnsUp = [&](const Node &op) {
    if (getOperatorInfo(op.opcode).kind != OperatorKind::Reduction)
      return false;
    const TensorSpec &tile = kernel.getType(op.operands[0]);
    return op.attributes.dims.back() + 1 < tile.getRank() &&
           tile.shape.back() > 1;
  };
  return kernel.loop == 1 && llvm::none_of(kernel.getNodes(), isProduct) &&
         llvm::any_of(kernel.getNodes(), addsColumnsUp);
}

static KernelWork::Operation getOperation(const TileGraph &kernel,
                                          const Node &op) {
  auto getSize = [&](ValueId value) {
    const TensorSpec &type = kernel.getType(value);
    return TileSize{type.getNumElements(), type.element};
  };
  KernelWork::Operation operation =
      makeOperation(kernel, op, getSize(op.results[0]),
                    llvm::map_to_vector(op.operands, getSize));
  if (operation.isReduction) {
    operation.reducedTile = kernel.getType(op.operands[0]);
    operation.reducedDim = op.attributes.dims.back(); // the first step's
  }
  if (getOperatorInfo(op.opcode).kind != OperatorKind::Contraction)
    return operation;
  const TensorSpec &result = kernel.getType(op.results[0]);
  operation.length = kernel.getType(op.operands[0]).shape.back();
  int64_t rows = result.shape[result.getRank() - 2],
          columns = result.shape.back();
  operation.matrixTiles =
      operation.getInstructionsPerTile() *
      countMatrixTiles(operation.elements, rows, columns, operation.length);
  operation.chainedTiles =
      operation.matrixTiles /
      double(llvm::divideCeil(columns, kMatrixTileColumns));
  return operation;
}

/// What a result of rows leaves free: a sum over the loop grows in registers,
/// and comes to shared memory behind it, if anything but rows needs it there.
static PhaseBytes getKeptBytes(const TileGraph &kernel, const WarpRows &rows,
                               unsigned number) {
  const Node &op = kernel.getNodes()[number];
  PhaseBytes bytes = getResultBytes(kernel, number);
  if (areRowsHeld(kernel, rows, op.results[0]))
    return bytes;
  return {joinsIterations(op) && kernel.loop > 1 ? bytes.inLoop : 0, 0};
}

void KernelWork::setRows(const TileGraph &kernel) {
  WarpRows rows =
      findWarpRows(kernel, RegisterBudget(kernel.threads).getForRows());
  rowRegisters = rows.numRegisters;
  sharedBytes += keptBytes;
  keptBytes = {};
  auto operation = operations.begin();
  for (auto [number, op] : llvm::enumerate(kernel.getNodes())) {
    if (rows.members[number])
      keptBytes += getKeptBytes(kernel, rows, number);
    if (!isNoStep(kernel, op))
      (operation++)->isOnRows = rows.members[number];
  }
  sharedBytes -= keptBytes;
}

/// Whether steps of warps are all that reads an input of 16-bit elements, one
/// of them a product on tensor cores.
static bool isReadAsMatrices(const TileGraph &kernel, ValueId input) {
  auto isProduct = [&](const Node &op) {
    return isLoadedTransposed(kernel, op) || findTensorCoreElement(kernel, op);
  };
  auto isStep = [&](const Node &op) {
    OperatorKind kind = getOperatorInfo(op.opcode).kind;
    return isProduct(op) || kind == OperatorKind::Elementwise ||
           kind == OperatorKind::Reduction ||
           kind == OperatorKind::Contraction ||
           (kind == OperatorKind::Accumulate && !op.attributes.dims.empty());
  };
  auto readers =
      llvm::make_filter_range(kernel.getNodes(), [&](const Node &op) {
        return llvm::is_contained(op.operands, input);
      });
  return getSizeBytes(kernel.getType(input).element) == 2 &&
         llvm::all_of(readers, isStep) && llvm::any_of(readers, isProduct);
}

/// Whether --mirage-plan-shared-memory has the copy engine load it, if it has a
/// ring, the GPU an engine, and the tensor lies row by row.
static bool canBeBoxed(const TileGraph &kernel, ValueId input,
                       const TensorSpec &tensor) {
  const TensorSpec &tile = kernel.getType(input);
  return isReadAsMatrices(kernel, input) &&
         findTileBoxes(tensor.shape, getRowMajorStrides(tensor.shape),
                       tile.shape, getSizeBytes(tile.element));
}

/// Whether a value is such a tile, or the transpose of one that a product reads
/// as it lies, or of which a sketch cannot say that it does not.
static bool isInRing(const KernelWork &work, const TileGraph &kernel,
                     ValueId value) {
  const Node *transpose = kernel.getDefinition(value);
  if (transpose && !mayBeLoadedTransposed(kernel, *transpose))
    transpose = nullptr;
  ValueId tile = transpose ? transpose->operands[0] : value;
  if (!kernel.isInput(tile))
    return false;
  const KernelWork::Load &load = work.loads[tile];
  bool isAsItLies =
      !transpose || load.isOfSketch() || isLoadedTransposed(kernel, *transpose);
  return isAsItLies && load.isInLoop && load.canBeBoxed;
}

void mlir::mirage::search::findRings(const KernelWork &work,
                                     const TileGraph &kernel,
                                     const Node &product,
                                     KernelWork::Operation &operation) {
  if (getOperatorInfo(product.opcode).kind != OperatorKind::Contraction)
    return;
  operation.isLeftInRing = isInRing(work, kernel, product.operands[0]);
  operation.isRightInRing = isInRing(work, kernel, product.operands[1]);
}

KernelWork mlir::mirage::search::getWork(const TileGraph &kernel,
                                         ArrayRef<TensorSpec> operands,
                                         ArrayRef<TensorSpec> results) {
  KernelWork work;
  work.numBlocks = work.mostBlocks = kernel.getNumBlocks();
  work.loop = work.mostIterations = kernel.loop;
  work.isOneStream = work.mayBeOneStream = isOneStream(kernel);
  llvm::SmallVector<Phase> phases = computePhases(kernel);
  llvm::BitVector isRepeated = findRepeated(kernel);
  for (unsigned input = 0; input < kernel.getNumInputs(); ++input)
    work.loads.push_back({kernel.getType(input), operands[input],
                          phases[input] == Phase::Loop, kernel.getType(input),
                          /*readers=*/0,
                          canBeBoxed(kernel, input, operands[input]),
                          isRepeated[input]});
  for (const Node &op : kernel.getNodes()) {
    if (isNoStep(kernel, op))
      continue;
    work.operations.push_back(getOperation(kernel, op));
    // An accumulation works in every iteration, whatever its result's phase is.
    work.operations.back().isInLoop = llvm::any_of(
        op.operands, [&](ValueId v) { return phases[v] == Phase::Loop; });
    work.operations.back().isRepeated = isRepeated[op.results[0]];
    findRings(work, kernel, op, work.operations.back());
  }
  for (const JoinedParts &join : listJoins(kernel)) {
    int64_t extent = kernel.getExtent(join.axis);
    work.joins.push_back({double(countBytes(kernel.getTypes(join.parts))),
                          extent, extent, join.keepsBlocks, /*totalBytes=*/0,
                          double(countBytes(kernel.getTypes(join.own))),
                          join.needsLoop, join.isBeforeLoop,
                          double(countBytes(kernel.getTypes(join.left)))});
  }
  work.storedBytes = double(countBytes(results));
  work.stageBytes = getStageBytes(kernel);
  work.sharedBytes = getPhaseBytes(kernel);
  work.sharedBytes -= {(kernel.stages - 1) * work.stageBytes};
  work.accumulators = countAccumulators(kernel);
  work.setRows(kernel);
  return work;
}
