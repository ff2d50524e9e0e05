//===- KernelSketch.cpp - What a kernel does, by names --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/KernelSketch.h"
#include "Mirage/Graph/TileMemory.h"
#include "Mirage/Search/KernelTraffic.h"
#include "TileLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <limits>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;
using llvm::SmallVector;

KernelSketch::KernelSketch(const TargetProgram &program, const KernelPlan &plan,
                           ArrayRef<int64_t> extents)
    : program(program), plan(plan), extents(extents),
      operands(plan.getInputTypes(extents)),
      numJoins(countJoinedAxes(plan.kernel)) {
  const KernelStructure &kernel = plan.kernel;
  for (unsigned input = 0; input < kernel.inputs.size(); ++input) {
    const StoredTensor &stored = plan.inputs[input].stored;
    tensors.push_back({toSet(stored.layout), stored.element,
                       isLooped(stored.layout) ? Phase::Loop : Phase::Invariant,
                       ArrayRef<NameId>(stored.layout)});
  }
  for (const StructureOperator &op : kernel.operators)
    addOperator(op);
  for (const KernelTensor &result : plan.results)
    addResult(result.stored);
}

void KernelSketch::addResult(const StoredTensor &stored) {
  Result &result = results.emplace_back();
  result.bytes = getSizeBytes(stored.element);
  for (NameId name : stored.layout) {
    auto part = name == kNoName ? std::nullopt : program.getPart(name);
    if (part && part->kernel == plan.position)
      result.axes.push_back(llvm::find(plan.kernel.gridNames, part->of) -
                            plan.kernel.gridNames.begin());
    else if (name != kNoName)
      result.bytes *= double(extents[name]);
  }
}

bool KernelSketch::isLooped(ArrayRef<NameId> names) const {
  NameId loopName = plan.kernel.loopName;
  return loopName != kNoName && llvm::is_contained(names, loopName);
}

/// Those that phases depend on.
Attributes KernelSketch::getPhaseAttributes(const StructureOperator &op) const {
  Attributes attributes;
  if (op.opcode == Opcode::Accumulate)
    attributes.axis =
        op.gridAxis ? static_cast<Axis>(*op.gridAxis) : Axis::Loop;
  if (op.mask && isLooped({op.mask->rows, op.mask->columns}))
    attributes.axes = {Axis::Loop};
  return attributes;
}

void KernelSketch::addOperator(const StructureOperator &op) {
  Tensor result;
  SmallVector<TensorSpec, 2> types;
  SmallVector<Phase, 2> phases;
  for (unsigned operand : op.operands) {
    result.names |= tensors[operand].names;
    types.push_back({{}, tensors[operand].element});
    phases.push_back(tensors[operand].phase);
  }
  if (op.over != kNoName)
    result.names &= ~toSet(op.over);
  result.element = inferTileElement(op.opcode, types);
  result.phase = inferPhase(op.opcode, getPhaseAttributes(op), phases);
  tensors.push_back(result);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

static int64_t countElements(NameSet names, const Tiling &tiling) {
  int64_t count = 1;
  for (; names != 0; names &= names - 1)
    count *= tiling.tile[llvm::countr_zero(names)];
  return count;
}

KernelWork KernelSketch::getLoads(const Tiling &tiling) const {
  const KernelStructure &kernel = plan.kernel;
  KernelWork work;
  work.loop = getLoop(kernel, extents, tiling);
  SmallVector<int64_t, 3> grid = getGrid(kernel, extents, tiling);
  for (int64_t extent : grid)
    work.numBlocks *= extent;
  for (auto [input, tensor] : llvm::zip_equal(plan.inputs, operands)) {
    ArrayRef<NameId> layout = input.stored.layout;
    work.loads.push_back(
        {{DimensionNames::getShape(layout, tiling.tile), tensor.element},
         tensor,
         isLooped(layout)});
    int64_t bytes = getRingStride(work.loads.back().tile.getSizeBytes());
    work.sharedBytes += bytes;
    work.stageBytes += work.loads.back().isInLoop ? bytes : 0;
  }
  for (const Result &result : results) {
    double bytes = result.bytes;
    for (unsigned axis : result.axes)
      bytes *= double(grid[axis]);
    work.storedBytes += bytes;
  }
  work.joins.resize(numJoins);
  return work;
}

KernelWork KernelSketch::getWork(const Tiling &tiling) const {
  KernelWork work = getLoads(tiling);
  unsigned numOperators = plan.kernel.operators.size();
  work.operations.reserve(numOperators);
  for (unsigned number = 0; number < numOperators; ++number)
    measure(number, tiling, work);
  return work;
}

void KernelSketch::measure(unsigned number, const Tiling &tiling,
                           KernelWork &work) const {
  const StructureOperator &op = plan.kernel.operators[number];
  auto getSize = [&](const Tensor &tensor) {
    return TileSize{countElements(tensor.names, tiling), tensor.element};
  };
  TileSize result = getSize(tensors[plan.kernel.inputs.size() + number]);
  KernelWork::Operation operation =
      makeOperation(op.opcode, op.reduction, result,
                    llvm::map_to_vector(op.operands, [&](unsigned operand) {
                      return getSize(tensors[operand]);
                    }));
  operation.isInLoop = llvm::any_of(op.operands, [&](unsigned operand) {
    return tensors[operand].phase == Phase::Loop;
  });
  int64_t numCarried = 1;
  OperatorKind kind = getOperatorInfo(op.opcode).kind;
  if (kind == OperatorKind::Contraction) {
    measureProduct(op, tiling, operation);
  } else if (kind == OperatorKind::Accumulate) {
    numCarried = getOperatorInfo(op.reduction).getNumCarried();
    work.accumulators += numCarried * result.elements;
  }
  work.sharedBytes += getRingStride(numCarried * result.getBytes());
  work.operations.push_back(operation);
}

/// Inputs that are laid out as operands already stay so.
std::optional<KernelSketch::Sides>
KernelSketch::findSides(const StructureOperator &op) const {
  auto lhs = tensors[op.operands[0]].layout,
       rhs = tensors[op.operands[1]].layout;
  if (!lhs || !rhs)
    return std::nullopt;
  MatmulLayouts wanted = layOutMatmul(*lhs, *rhs, op.over);
  if (!isLaidOut(*lhs, wanted.lhs, 2) || !isLaidOut(*rhs, wanted.rhs, 2))
    return std::nullopt;
  return Sides{wanted.lhs[wanted.lhs.size() - 2], wanted.rhs.back()};
}

/// Which operand is the left one, and which names are rows and columns of the
/// matrices and which count matrices, is decided by layouts: if it is not known
/// yet, here as is best.
void KernelSketch::measureProduct(const StructureOperator &op,
                                  const Tiling &tiling,
                                  KernelWork::Operation &product) const {
  const Tensor &lhs = tensors[op.operands[0]], &rhs = tensors[op.operands[1]];
  product.length = tiling.tile[op.over];
  if (!product.isOnTensorCores)
    return;
  auto count = [&](int64_t rows, int64_t columns) {
    return countMatrixTiles(product.elements, rows, columns, product.length);
  };
  auto getSize = [&](NameId name) {
    return name == kNoName ? 1 : tiling.tile[name];
  };
  if (std::optional<Sides> sides = findSides(op)) {
    product.matrixTiles = count(getSize(sides->rows), getSize(sides->columns));
    return;
  }
  NameSet both = (lhs.names & rhs.names) | toSet(op.over);
  SmallVector<NameId> rowNames = toList(lhs.names & ~both),
                      columnNames = toList(rhs.names & ~both);
  for (auto *names : {&rowNames, &columnNames})
    if (names->empty())
      names->push_back(kNoName);
  product.matrixTiles = std::numeric_limits<double>::infinity();
  for (NameId row : rowNames)
    for (NameId column : columnNames) {
      int64_t m = getSize(row), n = getSize(column);
      product.matrixTiles =
          std::min({product.matrixTiles, count(m, n), count(n, m)});
    }
}
