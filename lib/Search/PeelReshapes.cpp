//===- PeelReshapes.cpp - Inputs and outputs in the shapes that are used --===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InputReaders.h"
#include "Mirage/Graph/GraphWriter.h"
#include "Mirage/Search/RewrittenProgram.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;

/// The shape in which all operations read an input; its own if they differ, or
/// if the input is an output too.
static Shape findReadShape(const Graph &program, ValueId input) {
  return findCommonReading(program, input, Opcode::Reshape,
                           [&](const Node &reshape) {
                             return program.getType(reshape.results[0]).shape;
                           })
      .value_or(program.getType(input).shape);
}

/// The value of which an output is another shape.
static ValueId findReshaped(const Graph &program, ValueId value) {
  const Node *operation = program.getDefinition(value);
  while (operation && operation->opcode == Opcode::Reshape) {
    value = operation->operands[0];
    operation = program.getDefinition(value);
  }
  return value;
}

llvm::Expected<RewrittenProgram>
mlir::mirage::search::peelReshapes(const Graph &program) {
  Graph body;
  body.f32Products = program.f32Products;
  GraphWriter writer(body);
  llvm::SmallVector<ValueId> values;
  for (unsigned input = 0; input < program.getNumInputs(); ++input)
    values.push_back(body.addInput(
        {findReadShape(program, input), program.getType(input).element},
        program.getInputName(input)));
  for (const Node &operation : program.getNodes()) {
    auto operands = llvm::map_to_vector(
        operation.operands, [&](ValueId operand) { return values[operand]; });
    const TensorSpec &type = program.getType(operation.results[0]);
    values.push_back(
        operation.opcode == Opcode::Reshape
            ? writer.reshape(operands[0], type.shape)
            : body.add(operation.opcode, operands, type, operation.attributes));
  }
  for (ValueId output : program.getOutputs())
    body.addOutput(writer.cast(values[findReshaped(program, output)],
                               program.getType(output).element));
  return withReshapes(program, std::move(body));
}
