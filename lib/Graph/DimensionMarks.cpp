//===- DimensionMarks.cpp - Places that dimensions share ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DimensionMarks.h"
#include "ErrorPrefix.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using llvm::Error;
using llvm::Twine;

Error mlir::mirage::forEachPart(
    const Graph &graph, const Node &operation,
    llvm::function_ref<Error(const DimensionPart &)> visit) {
  auto getSize = [&](ValueId value, unsigned dim) {
    return graph.getType(value).shape[dim];
  };
  ValueId result = operation.results[0];
  const Attributes &attributes = operation.attributes;
  if (operation.opcode == Opcode::Concat) {
    unsigned dim = attributes.dims[0];
    int64_t offset = 0;
    for (ValueId operand : operation.operands) {
      if (Error error = visit({result, operand, dim, offset, /*step=*/1}))
        return error;
      offset += getSize(operand, dim);
    }
  }
  if (operation.opcode != Opcode::Slice)
    return Error::success();
  ValueId operand = operation.operands[0];
  for (unsigned dim = 0; dim < graph.getType(result).shape.size(); ++dim) {
    if (getSize(operand, dim) == getSize(result, dim))
      continue;
    int64_t step = getSize(result, dim) == 1 ? 1 : attributes.strides[dim];
    if (Error error =
            visit({operand, result, dim, attributes.offsets[dim], step}))
      return error;
  }
  return Error::success();
}

size_t DimensionMarks::add(ValueId value, unsigned dim, int64_t mark) {
  Marks &own = marks[classes.find(value, dim)];
  hasChanged |= own.insert(mark).second;
  return own.size();
}

Error DimensionMarks::spread(
    llvm::function_ref<Error(const Node &operation)> visit) {
  do {
    hasChanged = false;
    for (auto [number, operation] : llvm::enumerate(graph.getNodes()))
      if (Error error = visit(operation))
        return prefixError("operation " + Twine(number) + " (" +
                               getOperatorInfo(operation.opcode).name + ")",
                           std::move(error));
  } while (hasChanged);
  return Error::success();
}
