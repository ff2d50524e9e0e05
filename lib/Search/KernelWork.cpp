//===- KernelWork.cpp - What a kernel does --------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/KernelWork.h"
#include "Mirage/Graph/Phases.h"
#include "Mirage/Graph/TileMemory.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;

double mlir::mirage::search::countMatrixTiles(int64_t sums, int64_t rows,
                                              int64_t columns, int64_t length) {
  int64_t batch = sums / (rows * columns);
  auto count = [](int64_t size, int64_t tile) {
    return double(llvm::divideCeil(size, tile));
  };
  return batch * count(rows, 16) * count(columns, 8) * count(length, 16);
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

static void setProduct(const TensorSpec &lhs, const TensorSpec &rhs,
                       const TensorSpec &result,
                       KernelWork::Operation &product) {
  product.length = lhs.shape.back();
  product.isOnTensorCores =
      getTensorCoreElement(lhs.element, rhs.element).has_value();
  product.matrixTiles =
      countMatrixTiles(product.elements, result.shape[result.getRank() - 2],
                       result.shape.back(), product.length);
}

static KernelWork::Operation getOperation(const TileGraph &kernel,
                                          const Node &op) {
  const OperatorInfo &row = getOperatorInfo(op.opcode);
  auto types = kernel.getTypes(op.operands);
  const TensorSpec &result = kernel.getType(op.results[0]);
  KernelWork::Operation operation;
  operation.elements = result.getNumElements();
  operation.bytes = result.getSizeBytes() + countBytes(types);
  if (row.kind == OperatorKind::Contraction) {
    setProduct(types[0], types[1], result, operation);
    return operation;
  }
  const OperatorInfo &applied = row.kind == OperatorKind::Accumulate
                                    ? getOperatorInfo(op.attributes.reduction)
                                    : row;
  operation.applied = &applied.definition;
  for (const TensorSpec &operand : types)
    operation.elements = std::max(operation.elements, operand.getNumElements());
  return operation;
}

/// One more kernel joins what has the same axis and as many joins behind it.
static void addJoins(const TileGraph &kernel, KernelWork &work) {
  std::map<std::pair<unsigned, Axis>, double> bytes;
  llvm::SmallVector<unsigned> depths(kernel.getNumValues(), 0);
  for (const Node &op : kernel.getNodes()) {
    unsigned depth = 0;
    for (ValueId operand : op.operands)
      depth = std::max(depth, depths[operand]);
    if (joinsBlocks(op))
      bytes[{depth++, op.attributes.axis}] +=
          double(countBytes(kernel.getTypes(op.operands)));
    for (ValueId result : op.results)
      depths[result] = depth;
  }
  auto isCut = [&](Axis axis) {
    return llvm::any_of(kernel.tileOutputs, [&](const TileOutput &output) {
      return output.gridMap[static_cast<unsigned>(axis)] >= 0;
    });
  };
  for (auto [join, parts] : bytes)
    work.joins.push_back(
        {parts, kernel.getExtent(join.second), isCut(join.second)});
}

KernelWork mlir::mirage::search::getWork(const TileGraph &kernel,
                                         ArrayRef<TensorSpec> operands,
                                         ArrayRef<TensorSpec> results) {
  KernelWork work;
  work.numBlocks = kernel.getNumBlocks();
  work.loop = kernel.loop;
  llvm::SmallVector<Phase> phases = computePhases(kernel);
  for (unsigned input = 0; input < kernel.getNumInputs(); ++input)
    work.loads.push_back(
        {kernel.getType(input), operands[input], phases[input] == Phase::Loop});
  for (const Node &op : kernel.getNodes()) {
    work.operations.push_back(getOperation(kernel, op));
    // An accumulation works in every iteration, whatever its result's phase is.
    work.operations.back().isInLoop = llvm::any_of(
        op.operands, [&](ValueId v) { return phases[v] == Phase::Loop; });
  }
  addJoins(kernel, work);
  work.storedBytes = double(countBytes(results));
  work.stageBytes = getStageBytes(kernel);
  work.sharedBytes =
      getSharedBytes(kernel) - (kernel.stages - 1) * work.stageBytes;
  work.accumulators = countAccumulators(kernel);
  return work;
}
