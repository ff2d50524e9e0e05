//===- ReadForeignOp.cpp - Ops that say what they compute -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Operator/OperatorInterface.h"
#include "OpReaders.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::mirage;

/// The graph's argument for an operand; null where a graph has none.
static Value getInputOrNull(Value operand, GraphDraft &draft) {
  if (operand.getDefiningOp<tensor::EmptyOp>() ||
      !isGraphTensor(operand.getType()))
    return nullptr;
  return draft.getInput(operand);
}

/// What comes from others is checked where it comes in: an op of another kind
/// would be an error at a graph that nobody wrote.
static LogicalResult checkOps(Block &body, std::string &reason) {
  for (Operation &op : body)
    if (!isa<OperatorOpInterface>(op) ||
        !isa<kernel::MirageKernelDialect>(op.getDialect())) {
      reason = "expects to be written in ops of mirage_kernel, got " +
               op.getName().getStringRef().str();
      return failure();
    }
  return success();
}

static LogicalResult checkTypes(TypeRange expected, ValueRange values,
                                std::string &reason) {
  auto isMissing = [](Value value) { return !value; };
  if (!llvm::any_of(values, isMissing) && values.getTypes() == expected)
    return success();
  llvm::raw_string_ostream os(reason);
  os << "expects to be written as values of its results' types, (" << expected
     << "), got ";
  if (llvm::any_of(values, isMissing))
    os << "a null value";
  else
    os << "(" << values.getTypes() << ")";
  return failure();
}

ReadResults mlir::mirage::readForeignOp(kernel::ExpressibleOpInterface op,
                                        GraphDraft &draft,
                                        std::string &reason) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(getInputOrNull(operand, draft));
  FailureOr<SmallVector<Value>> values =
      op.express(draft.getBuilder(), operands, reason);
  if (failed(values))
    return failure();
  if (failed(checkOps(*draft.getBuilder().getInsertionBlock(), reason)) ||
      failed(checkTypes(op->getResultTypes(), *values, reason)))
    return failure();
  return llvm::to_vector_of<ResultValue>(*values);
}
