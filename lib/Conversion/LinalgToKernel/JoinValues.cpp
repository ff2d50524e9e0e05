//===- JoinValues.cpp - Two operands, of which one may be a number --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/NumberOperand.h"
#include "ScalarTranslator.h"

using namespace mlir;
using namespace mlir::mirage;

FailureOr<BodyValue> ScalarTranslator::join(Opcode opcode, const BodyValue &x,
                                            const BodyValue &y, Type element) {
  auto *numberX = std::get_if<double>(&x), *numberY = std::get_if<double>(&y);
  if (numberX && numberY)
    return BodyValue(evaluateDouble(getOperatorInfo(opcode).definition,
                                    {*numberX, *numberY}, {}));
  if (numberX)
    return joinNumber(opcode, std::get<IndexedTensor>(y), *numberX,
                      /*isNumberFirst=*/true, element);
  if (numberY)
    return joinNumber(opcode, std::get<IndexedTensor>(x), *numberY,
                      /*isNumberFirst=*/false, element);
  const IndexedTensor &left = std::get<IndexedTensor>(x);
  const IndexedTensor &right = std::get<IndexedTensor>(y);
  if (opcode == Opcode::Mul && left.tensor == right.tensor &&
      left.loops == right.loops)
    return BodyValue(builder.unary(Opcode::Square, left, element));
  return BodyValue(builder.binary(opcode, left, right, element));
}

/// The zeroth power of anything is a number.
FailureOr<BodyValue>
ScalarTranslator::joinNumber(Opcode opcode, const IndexedTensor &x,
                             double number, bool isNumberFirst, Type element) {
  if (opcode == Opcode::Pow && !isNumberFirst && number == 0)
    return BodyValue(1.0);
  llvm::Expected<Graph> steps = defineWithNumber(
      opcode, convertTensor(cast<RankedTensorType>(x.tensor.getType())), number,
      isNumberFirst, *convertElementType(element));
  if (!steps)
    return fail(llvm::toString(steps.takeError()));
  SmallVector<IndexedTensor> values = {x};
  ValueId output = steps->getOutputs()[0];
  for (const Node &step : steps->getNodes()) {
    Type type =
        step.results[0] == output ? element : builder.getUnroundedType();
    const IndexedTensor &first =
        values[step.operands.empty() ? 0 : step.operands[0]];
    values.push_back(
        step.opcode == Opcode::Constant
            ? builder.constant(step.attributes.scalars[0])
        : step.operands.size() == 2
            ? builder.binary(step.opcode, first, values[step.operands[1]], type)
            : builder.unary(step.opcode, first, type, step.attributes.scalars));
  }
  return BodyValue(values[output]);
}
