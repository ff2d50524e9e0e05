//===- PeelTransposes.cpp - Inputs and outputs in the order that is used --===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InputReaders.h"
#include "Mirage/Graph/GraphWriter.h"
#include "Mirage/Search/RewrittenProgram.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;

using Permutation = DimensionNumbers;

static bool isIdentity(llvm::ArrayRef<int64_t> dims) {
  return llvm::equal(dims, llvm::seq<int64_t>(dims.size()));
}

/// A transpose but for where it puts the rows' elements, which stay last.
static Permutation keepRows(llvm::ArrayRef<int64_t> dims) {
  int64_t last = int64_t(dims.size()) - 1;
  Permutation order(dims);
  llvm::erase(order, last);
  order.push_back(last);
  return order;
}

/// The dimensions of a value in the order in which they are.
static Permutation getOwnOrder(const Graph &program, ValueId value) {
  return llvm::to_vector<4>(
      llvm::seq<int64_t>(program.getType(value).getRank()));
}

/// What a transpose of a tensor does to one that is in `order` already.
static Permutation getRemaining(llvm::ArrayRef<int64_t> dims,
                                llvm::ArrayRef<int64_t> order) {
  return llvm::map_to_vector<4>(dims, [&](int64_t dim) {
    return int64_t(llvm::find(order, dim) - order.begin());
  });
}

namespace {
/// An output and what it is a transpose of.
struct Source {
  ValueId value;
  Permutation order; ///< the output's dimensions in terms of the value's
};
} // namespace

/// Of an output whose rows are the rows of the value.
static Source findTransposed(const Graph &program, ValueId output) {
  Source source{output, getOwnOrder(program, output)};
  const Node *operation = program.getDefinition(output);
  while (operation && operation->opcode == Opcode::Transpose &&
         keepRows(operation->attributes.dims) == operation->attributes.dims) {
    for (int64_t &dim : source.order)
      dim = operation->attributes.dims[dim];
    source.value = operation->operands[0];
    operation = program.getDefinition(source.value);
  }
  return source;
}

/// The order in which all operations read the dimensions of an input; its own
/// if they differ, or if the input or a transpose of it is an output too.
static Permutation findReadOrder(const Graph &program, ValueId input) {
  bool isHandedOut = llvm::any_of(program.getOutputs(), [&](ValueId output) {
    return findTransposed(program, output).value == input;
  });
  if (isHandedOut)
    return getOwnOrder(program, input);
  return findCommonReading(program, input, Opcode::Transpose,
                           [](const Node &transpose) {
                             return keepRows(transpose.attributes.dims);
                           })
      .value_or(getOwnOrder(program, input));
}

/// By value: what outputs depend on, but for their own transposes.
static llvm::BitVector findNeeded(const Graph &program) {
  llvm::BitVector needed(program.getNumValues(), false);
  for (ValueId output : program.getOutputs())
    needed.set(findTransposed(program, output).value);
  for (const Node &operation : llvm::reverse(program.getNodes()))
    if (needed[operation.results[0]])
      for (ValueId operand : operation.operands)
        needed.set(operand);
  return needed;
}

llvm::Expected<RewrittenProgram>
mlir::mirage::search::peelTransposes(const Graph &program) {
  RewrittenProgram result;
  result.body.f32Products = program.f32Products;
  GraphWriter inputs(result.inputs), body(result.body), outputs(result.outputs);
  llvm::SmallVector<Permutation> orders;
  for (unsigned input = 0; input < program.getNumInputs(); ++input) {
    orders.push_back(findReadOrder(program, input));
    result.inputs.addInput(program.getType(input), program.getInputName(input));
  }
  llvm::SmallVector<ValueId> values;
  for (unsigned input = 0; input < program.getNumInputs(); ++input) {
    ValueId view = inputs.transpose(input, orders[input]);
    result.inputs.addOutput(view);
    values.push_back(result.body.addInput(result.inputs.getType(view),
                                          program.getInputName(input)));
  }
  llvm::BitVector needed = findNeeded(program);
  for (const Node &operation : program.getNodes()) {
    if (!needed[operation.results[0]]) {
      values.push_back(0); // nobody reads it
      continue;
    }
    auto operands = llvm::map_to_vector(
        operation.operands, [&](ValueId operand) { return values[operand]; });
    const TensorSpec &type = program.getType(operation.results[0]);
    ValueId first = operation.operands.empty() ? program.getNumInputs()
                                               : operation.operands[0];
    bool isPeeled = operation.opcode == Opcode::Transpose &&
                    first < orders.size() && !isIdentity(orders[first]);
    values.push_back(
        isPeeled
            ? body.cast(body.transpose(operands[0],
                                       getRemaining(operation.attributes.dims,
                                                    orders[first])),
                        type.element)
            : result.body.add(operation.opcode, operands, type,
                              operation.attributes));
  }
  for (ValueId output : program.getOutputs()) {
    const TensorSpec &type = program.getType(output);
    auto [value, order] = findTransposed(program, output);
    ValueId ofBody = body.cast(values[value], type.element);
    result.body.addOutput(ofBody);
    result.outputs.addInput(result.body.getType(ofBody));
  }
  for (auto [number, output] : llvm::enumerate(program.getOutputs()))
    result.outputs.addOutput(
        outputs.transpose(number, findTransposed(program, output).order));
  return result;
}
