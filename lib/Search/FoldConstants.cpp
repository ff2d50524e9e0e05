//===- FoldConstants.cpp - Programs without tensors of one number ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/GraphWriter.h"
#include "Mirage/Search/RewrittenProgram.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <cmath>
#include <optional>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::SmallVector;

namespace {
/// An operator of one operand, and another one after it.
struct UnaryTerm {
  Opcode opcode;
  std::optional<double> scalar = std::nullopt;
  std::optional<Opcode> before = std::nullopt;
};
} // namespace

/// What `opcode` makes of a tensor and a number, which is its first operand or
/// its second one.
static std::optional<UnaryTerm> findTerm(Opcode opcode, double number,
                                         bool isFirst) {
  if (!std::isfinite(number))
    return std::nullopt;
  switch (opcode) {
  case Opcode::Add:
    return UnaryTerm{Opcode::Offset, number};
  case Opcode::Sub:
    if (isFirst)
      return UnaryTerm{Opcode::Offset, number, Opcode::Neg};
    return UnaryTerm{Opcode::Offset, -number};
  case Opcode::Mul:
    return UnaryTerm{Opcode::Scale, number};
  case Opcode::Div:
    if (isFirst)
      return UnaryTerm{Opcode::Scale, number, Opcode::Reciprocal};
    return UnaryTerm{Opcode::Unscale, number};
  case Opcode::Maximum:
    if (number == 0)
      return UnaryTerm{Opcode::Relu};
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

namespace {
/// Writes a program again with numbers in the place of tensors that hold one
/// everywhere. Where an operator has no form with a number, the number is one
/// more input, of one element; where an output is one, it is no output of the
/// body.
class ConstantFolder {
public:
  explicit ConstantFolder(const Graph &program)
      : program(program), writer(body), values(program.getNumValues()) {}

  RewrittenProgram run() {
    body.f32Products = program.f32Products;
    findNumbers();
    addInputs();
    for (const Node &operation : program.getNodes())
      if (!numbers[operation.results[0]])
        values[operation.results[0]] = write(operation);
    addOutputs();
    result.body = std::move(body);
    return std::move(result);
  }

private:
  void findNumbers() {
    numbers.resize(program.getNumValues());
    for (const Node &operation : program.getNodes())
      numbers[operation.results[0]] = findNumber(operation);
  }

  std::optional<double> findNumber(const Node &operation) const {
    const OperatorInfo &row = getOperatorInfo(operation.opcode);
    if (operation.opcode == Opcode::CausalMask)
      return std::nullopt;
    SmallVector<double, 2> operands;
    for (ValueId operand : operation.operands) {
      if (!numbers[operand])
        return std::nullopt;
      operands.push_back(*numbers[operand]);
    }
    if (row.kind == OperatorKind::Elementwise)
      return evaluateDouble(row.definition, operands,
                            operation.attributes.scalars);
    if (row.kind == OperatorKind::Movement && operands.size() == 1)
      return operands[0];
    return std::nullopt;
  }

  /// The operand that is not a number, and what is done to it.
  struct Folded {
    ValueId operand;
    UnaryTerm term;
  };
  std::optional<Folded> fold(const Node &operation) const {
    if (getOperatorInfo(operation.opcode).kind != OperatorKind::Elementwise ||
        operation.operands.size() != 2)
      return std::nullopt;
    for (unsigned side : {0, 1}) {
      std::optional<double> number = numbers[operation.operands[side]];
      if (!number)
        continue;
      auto term = findTerm(operation.opcode, *number, side == 0);
      if (!term)
        return std::nullopt;
      return Folded{operation.operands[1 - side], *term};
    }
    return std::nullopt;
  }

  //===--------------------------------------------------------------------===//
  // Inputs and outputs
  //===--------------------------------------------------------------------===//

  /// Numbers that operations read which cannot do without them.
  SmallVector<double> findRead() const {
    SmallVector<double> read;
    for (const Node &operation : program.getNodes()) {
      if (numbers[operation.results[0]] || fold(operation))
        continue;
      for (ValueId operand : operation.operands)
        if (numbers[operand] && !llvm::is_contained(read, *numbers[operand]))
          read.push_back(*numbers[operand]);
    }
    return read;
  }

  void addInputs() {
    for (unsigned input = 0; input < program.getNumInputs(); ++input) {
      const TensorSpec &type = program.getType(input);
      result.inputs.addOutput(
          result.inputs.addInput(type, program.getInputName(input)));
      values[input] = body.addInput(type, program.getInputName(input));
    }
    TensorSpec one = {{1}, ElementType::F32};
    for (double number : findRead()) {
      Attributes attributes;
      attributes.scalars = {number};
      result.inputs.addOutput(
          result.inputs.add(Opcode::Constant, {}, one, attributes));
      inputOfNumber.push_back({number, body.addInput(one)});
    }
  }

  void addOutputs() {
    SmallVector<ValueId> handed;
    for (ValueId output : program.getOutputs()) {
      if (numbers[output])
        continue;
      body.addOutput(values[output]);
      handed.push_back(result.outputs.addInput(body.getType(values[output])));
    }
    unsigned next = 0;
    for (ValueId output : program.getOutputs()) {
      if (!numbers[output]) {
        result.outputs.addOutput(handed[next++]);
        continue;
      }
      Attributes attributes;
      attributes.scalars = {*numbers[output]};
      result.outputs.addOutput(result.outputs.add(
          Opcode::Constant, {}, program.getType(output), attributes));
    }
  }

  //===--------------------------------------------------------------------===//
  // Operations
  //===--------------------------------------------------------------------===//

  ValueId write(const Node &operation) {
    ValueId value = operation.results[0];
    if (std::optional<Folded> folded = fold(operation))
      return writeTerm(*folded, program.getType(value));
    auto operands = llvm::map_to_vector(
        operation.operands, [&](ValueId operand) { return get(operand); });
    return body.add(operation.opcode, operands, program.getType(value),
                    operation.attributes);
  }

  ValueId writeTerm(const Folded &folded, const TensorSpec &type) {
    ValueId operand = values[folded.operand];
    if (folded.term.before)
      operand = writer.add(*folded.term.before, {operand});
    Attributes attributes;
    if (folded.term.scalar)
      attributes.scalars = {*folded.term.scalar};
    ValueId value = writer.add(folded.term.opcode, {operand}, attributes);
    if (writer.getShape(value) != type.shape)
      value = writer.add(Opcode::Broadcast, {value}, {}, type.shape);
    writer.setElement(value, type.element);
    return value;
  }

  /// In the shape that the program has it in.
  ValueId get(ValueId operand) {
    if (!numbers[operand])
      return values[operand];
    auto isNumber = [&](const auto &entry) {
      return entry.first == *numbers[operand];
    };
    ValueId one = llvm::find_if(inputOfNumber, isNumber)->second;
    const Shape &shape = program.getType(operand).shape;
    return writer.getShape(one) == shape
               ? one
               : writer.add(Opcode::Broadcast, {one}, {}, shape);
  }

  const Graph &program;
  Graph body;
  RewrittenProgram result;
  GraphWriter writer;
  std::vector<std::optional<double>> numbers; ///< by value of the program
  SmallVector<ValueId> values;                ///< of the body
  SmallVector<std::pair<double, ValueId>> inputOfNumber;
};
} // namespace

llvm::Expected<RewrittenProgram>
mlir::mirage::search::foldConstants(const Graph &program) {
  return ConstantFolder(program).run();
}
