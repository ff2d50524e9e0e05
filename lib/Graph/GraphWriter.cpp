//===- GraphWriter.cpp - Appends operations with inferred types -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/GraphWriter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir::mirage;
using llvm::ArrayRef;

ValueId GraphWriter::add(Opcode opcode, ArrayRef<ValueId> operands,
                         Attributes attributes, ArrayRef<int64_t> shape) {
  llvm::SmallVector<TensorSpec> types = graph.getTypes(operands);
  Shape inferred = llvm::cantFail(inferShape(opcode, attributes, types, shape),
                                  "what is rewritten has been verified");
  ElementType element =
      operands.empty() ? ElementType::F32 : inferTileElement(opcode, types);
  return graph.add(opcode, operands, {inferred, element},
                   std::move(attributes));
}

ValueId GraphWriter::reshape(ValueId value, ArrayRef<int64_t> shape) {
  if (ArrayRef(getShape(value)) == shape)
    return value;
  return add(Opcode::Reshape, {value}, {}, shape);
}

ValueId GraphWriter::transpose(ValueId value, ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return value;
  Attributes attributes;
  attributes.dims.assign(permutation.begin(), permutation.end());
  return add(Opcode::Transpose, {value}, std::move(attributes));
}

ValueId GraphWriter::slice(ValueId value, ArrayRef<int64_t> offsets,
                           ArrayRef<int64_t> shape) {
  if (ArrayRef(getShape(value)) == shape)
    return value;
  Attributes attributes;
  attributes.offsets.assign(offsets.begin(), offsets.end());
  attributes.strides.assign(offsets.size(), 1);
  return add(Opcode::Slice, {value}, std::move(attributes), shape);
}

ValueId GraphWriter::concat(ArrayRef<ValueId> parts, int64_t dim) {
  if (parts.size() == 1)
    return parts[0];
  Attributes attributes;
  attributes.dims = {dim};
  return add(Opcode::Concat, parts, std::move(attributes));
}

ValueId GraphWriter::reduce(Opcode opcode, ValueId value,
                            ArrayRef<int64_t> dims, int64_t count) {
  Attributes attributes;
  attributes.dims.assign(dims.begin(), dims.end());
  attributes.count = count;
  return add(opcode, {value}, std::move(attributes));
}

ValueId GraphWriter::cast(ValueId value, ElementType element) {
  const TensorSpec &type = graph.getType(value);
  if (type.element == element)
    return value;
  return graph.add(Opcode::Cast, {value}, {type.shape, element});
}
