//===- ConvertOp.cpp - One op as a kernel graph ---------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Conversion/LinalgToKernel.h"
#include "OpReaders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::mirage;

static ReadResults readOp(Operation *op, GraphDraft &draft,
                          std::string &reason) {
  if (auto foreign = dyn_cast<kernel::ExpressibleOpInterface>(op))
    return readForeignOp(foreign, draft, reason);
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (structured && choosesPieces(structured))
    return readPieces(structured, draft, reason);
  if (structured)
    return readLinalgOp(structured, draft, reason);
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op))
    return readSoftmax(softmax, draft, reason);
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ReshapeOp>(
          op))
    return readReshape(op, draft, reason);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return readExtractSlice(slice, draft, reason);
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return readConcat(concat, draft, reason);
  if (isa<tensor::InsertSliceOp, tensor::PadOp>(op))
    return readPatched(op, draft, reason);
  if (isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    return readElementwiseOp(op, draft, reason);
  reason = "expects an op of linalg, arith, math, a reshape, slice, concat or "
           "pad of tensor, or an op with an ExpressibleOpInterface";
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
  ReadResults results = readOp(op, draft, reason);
  if (failed(results))
    return failure();
  return draft.replaceOp(rewriter, *results);
}
