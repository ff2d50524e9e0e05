//===- ConvertOp.cpp - One op as a kernel graph ---------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgOpReader.h"
#include "Mirage/Conversion/LinalgToKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::mirage;

/// arith and math on whole tensors: a body of one op, over the result's
/// indices.
static FailureOr<SmallVector<Value>>
readElementwiseOp(Operation *op, GraphDraft &draft, std::string &reason) {
  Type type = op->getResult(0).getType();
  for (Type used :
       llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (auto problem = explainUnsupportedTensor(used)) {
      reason = *problem;
      return failure();
    }
  ArrayRef<int64_t> extents = cast<RankedTensorType>(type).getShape();
  auto loops = llvm::to_vector(llvm::seq<int>(0, extents.size()));
  IndexedBuilder builder(draft.getBuilder(), extents);
  auto leaf = [&](Value value) -> FailureOr<BodyValue> {
    return BodyValue(IndexedTensor{draft.getInput(value), loops});
  };
  ScalarTranslator translator(builder, op->getLoc(), nullptr, leaf, reason);
  FailureOr<BodyValue> value = translator.translateOp(op);
  if (failed(value))
    return failure();
  auto *tensor = std::get_if<IndexedTensor>(&*value);
  if (!tensor) {
    reason = "expects results that depend on a tensor, got a constant";
    return failure();
  }
  Type element = cast<RankedTensorType>(type).getElementType();
  return SmallVector<Value>{builder.convert(*tensor, element).tensor};
}

/// tensor.expand_shape and tensor.collapse_shape keep the row-major order.
static FailureOr<SmallVector<Value>>
readReshape(Operation *op, GraphDraft &draft, std::string &reason) {
  for (Type type : {op->getOperand(0).getType(), op->getResult(0).getType()})
    if (auto problem = explainUnsupportedTensor(type)) {
      reason = *problem;
      return failure();
    }
  Value operand = draft.getInput(op->getOperand(0));
  return SmallVector<Value>{kernel::ReshapeOp::create(
      draft.getBuilder(), op->getLoc(), op->getResult(0).getType(), operand)};
}

static FailureOr<SmallVector<Value>> readOp(Operation *op, GraphDraft &draft,
                                            std::string &reason) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return LinalgOpReader(structured, draft, reason).readResults();
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return readReshape(op, draft, reason);
  if (isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    return readElementwiseOp(op, draft, reason);
  reason = "expects an op of linalg, arith, math or a reshape of tensor";
  return failure();
}

/// An op that gives no tensor: one on memrefs, or one for what it does.
static std::optional<std::string> explainMissingResults(Operation *op) {
  if (op->getNumResults() > 0)
    return std::nullopt;
  for (Type type : op->getOperandTypes())
    if (isa<BaseMemRefType>(type)) {
      std::string text;
      llvm::raw_string_ostream(text) << "expects tensors, got " << type;
      return text;
    }
  return "expects an op that results in a tensor, got one without results";
}

FailureOr<kernel::GraphOp>
mlir::mirage::convertOpToKernelGraph(RewriterBase &rewriter, Operation *op,
                                     std::string &reason) {
  if (auto problem = explainMissingResults(op)) {
    reason = *problem;
    return failure();
  }
  GraphDraft draft(op);
  FailureOr<SmallVector<Value>> results = readOp(op, draft, reason);
  if (failed(results))
    return failure();
  return draft.replaceOp(rewriter, *results);
}
