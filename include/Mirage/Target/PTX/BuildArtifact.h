//===- BuildArtifact.h - An artifact out of compiled IR ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TARGET_PTX_BUILDARTIFACT_H
#define MIRAGE_TARGET_PTX_BUILDARTIFACT_H

#include "Mirage/Artifact/Artifact.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::mirage {

/// Reads an artifact out of a function of launches, as
/// --convert-mirage-kernel-to-gpu leaves it, and the `gpu.binary` that
/// --mirage-emit-ptx made of its kernels. The program is the one that
/// --mirage-record-program left at the function. Inputs and outputs are named
/// by the attribute `mirage.name` of their arguments, else "input0", "output0".
/// \returns failure after an error at what is missing.
FailureOr<Artifact> buildArtifact(func::FuncOp function);

} // namespace mlir::mirage

#endif // MIRAGE_TARGET_PTX_BUILDARTIFACT_H
