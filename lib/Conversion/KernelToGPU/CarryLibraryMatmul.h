//===- CarryLibraryMatmul.h - A library's matmul at a launch ----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_KERNELTOGPU_CARRYLIBRARYMATMUL_H
#define MIRAGE_LIB_CONVERSION_KERNELTOGPU_CARRYLIBRARYMATMUL_H

#include "Mirage/Dialect/Block/IR/Block.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::mirage {

/// Adds to a launch's `mirage.launch` the call of a library that its kernel
/// says it equals, if it says one
/// (Mirage/Dialect/Operator/LibraryMatmulAttribute.h).
/// \param buffers  of the kernel's operands and then its results.
/// \returns failure after an error where the call is of tensors that lie
/// elsewhere.
LogicalResult carryLibraryMatmul(block::GraphOp kernel,
                                 ArrayRef<MemRefType> buffers,
                                 gpu::LaunchFuncOp launch);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_KERNELTOGPU_CARRYLIBRARYMATMUL_H
