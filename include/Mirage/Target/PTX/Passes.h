//===- Passes.h - From gpu.module to PTX ------------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TARGET_PTX_PASSES_H
#define MIRAGE_TARGET_PTX_PASSES_H

#include "Mirage/Options/CheckedPass.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::mirage {

#define GEN_PASS_DECL
#include "Mirage/Target/PTX/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Mirage/Target/PTX/Passes.h.inc"

} // namespace mlir::mirage

#endif // MIRAGE_TARGET_PTX_PASSES_H
