//===- GraphBuilderSteps.cpp - Operators that are several -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/ComposedOperators.h"
#include "Mirage/Graph/GraphBuilder.h"
#include "Mirage/Graph/NumberOperand.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <utility>

using namespace mlir::mirage;

llvm::Expected<ValueId>
GraphBuilder::addSteps(const Graph &definition,
                       llvm::ArrayRef<ValueId> operands) {
  Graph before = graph;
  llvm::SmallVector<ValueId> values(operands);
  for (const Node &step : definition.getNodes()) {
    const TensorSpec &type = definition.getType(step.results[0]);
    auto taken = llvm::map_to_vector(
        step.operands, [&](ValueId operand) { return values[operand]; });
    llvm::Expected<ValueId> added =
        add(step.opcode, taken, step.attributes, {type.shape, type.element});
    if (!added) {
      graph = std::move(before);
      return added.takeError();
    }
    values.push_back(*added);
  }
  return values[definition.getOutputs()[0]];
}

// In a tile graph the steps stand there themselves, since what they do to
// padding has to be seen.
llvm::Expected<ValueId>
GraphBuilder::addComposed(Opcode opcode, llvm::ArrayRef<ValueId> operands,
                          const Attributes &attributes,
                          const ResultRequest &request) {
  llvm::SmallVector<TensorSpec> types = graph.getTypes(operands);
  llvm::Expected<TensorSpec> type =
      inferType(opcode, types, attributes, request);
  if (!type)
    return type.takeError();
  llvm::Expected<Graph> definition =
      defineComposed(opcode, attributes, types, *type);
  if (!definition)
    return definition.takeError();
  return addSteps(*definition, operands);
}

llvm::Expected<ValueId>
GraphBuilder::addConcat(llvm::ArrayRef<ValueId> operands,
                        const Attributes &attributes) {
  Graph definition;
  llvm::SmallVector<ValueId> parts;
  for (const TensorSpec &type : graph.getTypes(operands))
    parts.push_back(definition.addInput(type));
  for (ValueId &part : parts)
    if (TensorSpec type = definition.getType(part);
        type.element != ElementType::F32) {
      type.element = ElementType::F32;
      part = definition.add(Opcode::Cast, part, std::move(type));
    }
  llvm::Expected<Shape> shape =
      inferShape(Opcode::Concat, attributes, definition.getTypes(parts));
  if (!shape)
    return shape.takeError();
  definition.addOutput(definition.add(Opcode::Concat, parts,
                                      {std::move(*shape), ElementType::F32},
                                      attributes));
  return addSteps(definition, operands);
}

llvm::Expected<ValueId> GraphBuilder::addWithNumber(Opcode opcode,
                                                    ValueId operand,
                                                    double number,
                                                    bool isNumberFirst) {
  if (llvm::Error error = checkValues(operand))
    return std::move(error);
  llvm::Expected<Graph> definition =
      defineWithNumber(opcode, graph.getType(operand), number, isNumberFirst,
                       getStored(operand));
  if (!definition)
    return definition.takeError();
  if (!definition->getNodes().empty())
    return addSteps(*definition, operand);
  Attributes byOne;
  byOne.scalars = {1};
  return add(Opcode::Scale, operand, std::move(byOne),
             {graph.getType(operand).shape, getStored(operand)});
}

/// The steps of a sum to `size` elements along a dimension.
static ValueId defineSumTo(Graph &steps, ValueId value, int64_t dim,
                           int64_t size, ElementType stored) {
  TensorSpec type = steps.getType(value);
  if (type.shape[dim] == size)
    return value;
  Attributes overParts;
  overParts.dims = {dim};
  int64_t numParts = std::exchange(type.shape[dim], size) / size;
  Shape result = type.shape;
  type.shape.insert(type.shape.begin() + dim, numParts);
  value = steps.add(Opcode::Reshape, value, type);
  type.shape[dim] = 1;
  type.element = stored;
  value = steps.add(Opcode::Sum, value, type, overParts);
  return steps.add(Opcode::Reshape, value, {result, stored});
}

llvm::Expected<ValueId> GraphBuilder::addSumTo(ValueId operand, int64_t dim,
                                               int64_t size,
                                               bool isAccumulated) {
  if (llvm::Error error = checkValues(operand))
    return std::move(error);
  TensorSpec type = graph.getType(operand);
  if (dim < 0 || dim >= int64_t(type.getRank()))
    return llvm::createStringError("expects a dimension below " +
                                   llvm::Twine(type.getRank()) + ", got " +
                                   llvm::Twine(dim));
  if (size < 1 || type.shape[dim] % size != 0)
    return llvm::createStringError(
        "expects a size that divides dimension " + llvm::Twine(dim) + " of " +
        toString(type.shape) + ", got " + llvm::Twine(size));
  Graph steps;
  ValueId value = steps.addInput(type);
  if (isAccumulated)
    value =
        steps.add(Opcode::Accumulate, value, {type.shape, ElementType::F32});
  steps.addOutput(defineSumTo(steps, value, dim, size, getStored(operand)));
  return addSteps(steps, operand);
}
