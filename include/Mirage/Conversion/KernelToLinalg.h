//===- KernelToLinalg.h - Export of kernel graphs ---------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From `mirage_kernel.graph` back to upstream dialects, for a compiler that
// goes on where Mirage was not asked to, or found nothing. Each operator
// becomes structured ops of linalg, or a reshape of tensor, that compute in f32
// and round where the operator stores:
//
//   %y = mirage_kernel.silu %x : (tensor<8x64xf16>) -> tensor<8x64xf16>
//
//   %y = linalg.generic ... ins(%x) outs(%empty) {
//     extf, x / (1 + exp(-x)), truncf }
//
// What is exported is imported as the same program (LinalgToKernel.h): numbers
// are written with the bits that the operator states.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_CONVERSION_KERNELTOLINALG_H
#define MIRAGE_CONVERSION_KERNELTOLINALG_H

#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::mirage {

/// Writes one operator of the kernel level, not a composed one, at the
/// builder's insertion point.
/// \returns its result; fails after a diagnostic where upstream has no op for
/// it.
FailureOr<Value> exportOperator(OpBuilder &builder, OperatorOpInterface op);

/// Replaces a kernel graph by the ops it holds, each exported; composed ones by
/// what they stand for. Fails after a diagnostic at the first op that linalg
/// has nothing for; block graphs are found before anything is changed: what was
/// superoptimized is for a GPU to run, and is compiled.
LogicalResult convertKernelToLinalg(RewriterBase &rewriter,
                                    kernel::GraphOp graph);

} // namespace mlir::mirage

#endif // MIRAGE_CONVERSION_KERNELTOLINALG_H
