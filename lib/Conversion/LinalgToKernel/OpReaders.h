//===- OpReaders.h - What each kind of op computes --------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reader appends kernel ops to a draft and says what each result of the op
// is. It fails with a reason, and has then changed the draft alone.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_OPREADERS_H
#define MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_OPREADERS_H

#include "GraphDraft.h"
#include "Mirage/Dialect/Kernel/IR/ExpressibleOpInterface.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <string>

namespace mlir::mirage {

using ReadResults = FailureOr<SmallVector<ResultValue>>;

/// Ops that say themselves what they compute, of whatever dialect.
ReadResults readForeignOp(kernel::ExpressibleOpInterface op, GraphDraft &draft,
                          std::string &reason);

/// Structured ops of linalg, named or not.
ReadResults readLinalgOp(linalg::LinalgOp op, GraphDraft &draft,
                         std::string &reason);

/// Structured ops that take elements of tensors around them, chosen by indices,
/// as stablehlo's concatenations are lowered.
bool choosesPieces(linalg::LinalgOp op);
ReadResults readPieces(linalg::LinalgOp op, GraphDraft &draft,
                       std::string &reason);

/// linalg.softmax, which is no structured op, with the maximum subtracted.
ReadResults readSoftmax(linalg::SoftmaxOp op, GraphDraft &draft,
                        std::string &reason);

/// arith and math on whole tensors.
ReadResults readElementwiseOp(Operation *op, GraphDraft &draft,
                              std::string &reason);

/// Parts of a tensor.
ReadResults readExtractSlice(tensor::ExtractSliceOp op, GraphDraft &draft,
                             std::string &reason);

/// Tensors side by side.
ReadResults readConcat(tensor::ConcatOp op, GraphDraft &draft,
                       std::string &reason);

/// A tensor that was put into another, or into a constant: insert_slice, with
/// all those that its destination comes from, and pad.
ReadResults readPatched(Operation *op, GraphDraft &draft, std::string &reason);

/// Ops of tensor that keep the row-major order of their first operand.
ReadResults readReshape(Operation *op, GraphDraft &draft, std::string &reason);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_OPREADERS_H
