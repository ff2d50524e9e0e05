//===- ReadTensorOp.cpp - Ops on whole tensors as kernel ops --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindConstant.h"
#include "Mirage/Dialect/Operator/ScalarTensors.h"
#include "OpReaders.h"
#include "ScalarTranslator.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::mirage;

static LogicalResult checkTensor(Type type, std::string &reason) {
  std::optional<std::string> problem = explainUnsupported(type);
  if (problem)
    reason = *problem;
  return failure(problem.has_value());
}

/// The graph's argument for an operand, each dimension a loop of its own.
static FailureOr<IndexedTensor> readInput(Value operand, GraphDraft &draft,
                                          std::string &reason) {
  if (operand.getDefiningOp<tensor::EmptyOp>()) {
    reason = "expects operands with defined elements, got tensor.empty";
    return failure();
  }
  if (failed(checkTensor(operand.getType(), reason)))
    return failure();
  Value input = draft.getInput(operand);
  int64_t rank = cast<RankedTensorType>(input.getType()).getRank();
  return IndexedTensor{input, llvm::to_vector(llvm::seq<int>(0, rank))};
}

/// A body of one op, over the result's indices.
ReadResults mlir::mirage::readElementwiseOp(Operation *op, GraphDraft &draft,
                                            std::string &reason) {
  Type type = op->getResult(0).getType();
  if (failed(checkTensor(type, reason)))
    return failure();
  auto leaf = [&](Value value) -> FailureOr<BodyValue> {
    FailureOr<IndexedTensor> input = readInput(value, draft, reason);
    if (failed(input))
      return failure();
    return BodyValue(*input);
  };
  auto inGraph = cast<RankedTensorType>(getTypeInGraph(type));
  IndexedBuilder builder(draft.getBuilder(), inGraph.getShape());
  ScalarTranslator translator(builder, op->getLoc(), nullptr, leaf, reason);
  FailureOr<BodyValue> value = translator.translateOp(op);
  if (failed(value))
    return failure();
  if (auto *number = std::get_if<double>(&*value))
    return SmallVector<ResultValue>{*number};
  const IndexedTensor &tensor = std::get<IndexedTensor>(*value);
  return SmallVector<ResultValue>{
      builder.convert(tensor, getElementTypeOrSelf(type)).tensor};
}

ReadResults mlir::mirage::readReshape(Operation *op, GraphDraft &draft,
                                      std::string &reason) {
  Value operand = op->getOperand(0);
  if (std::optional<double> number = findConstant(operand))
    return SmallVector<ResultValue>{*number};
  Type type = op->getResult(0).getType();
  if (failed(checkTensor(type, reason)))
    return failure();
  FailureOr<IndexedTensor> input = readInput(operand, draft, reason);
  if (failed(input))
    return failure();
  Value reshaped = kernel::ReshapeOp::create(
      draft.getBuilder(), op->getLoc(), getTypeInGraph(type), input->tensor);
  return SmallVector<ResultValue>{reshaped};
}

ReadResults mlir::mirage::readSoftmax(linalg::SoftmaxOp op, GraphDraft &draft,
                                      std::string &reason) {
  FailureOr<IndexedTensor> x = readInput(op.getInput(), draft, reason);
  if (failed(x))
    return failure();
  IndexedBuilder builder(draft.getBuilder(), x->getShape());
  builder.setLocation(op.getLoc());
  Type unrounded = builder.getUnroundedType();
  int loop = op.getDimension();
  IndexedTensor largest = builder.reduce(Opcode::Max, *x, loop, unrounded);
  IndexedTensor shifted = builder.binary(Opcode::Sub, *x, largest, unrounded);
  IndexedTensor exponential = builder.unary(Opcode::Exp, shifted, unrounded);
  IndexedTensor sum = builder.reduce(Opcode::Sum, exponential, loop, unrounded);
  Type element = getElementTypeOrSelf(op.getOutput().getType());
  return SmallVector<ResultValue>{
      builder.binary(Opcode::Div, exponential, sum, element).tensor};
}
