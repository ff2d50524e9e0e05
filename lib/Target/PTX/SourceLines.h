//===- SourceLines.h - Lines of PTX and ops of a µGraph ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_TARGET_PTX_SOURCELINES_H
#define MIRAGE_LIB_TARGET_PTX_SOURCELINES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::mirage {

/// Of a gpu.binary: which op each line of the file "mirage" stands for, an
/// array of pairs of strings, the op and where it was written.
inline constexpr llvm::StringLiteral kOpLocationsAttr = "mirage.op_locations";

/// Gives the operations of a module of LLVM and NVVM operations the locations
/// from which LLVM makes `.loc`: lines of a file "mirage", one for each op of
/// the µGraph that they are named after (OperationNames.h), in their order.
/// Others have none, and take the line before them.
/// \returns what becomes `kOpLocationsAttr`; null where nothing is named.
ArrayAttr numberSourceLines(gpu::GPUModuleOp module);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_TARGET_PTX_SOURCELINES_H
