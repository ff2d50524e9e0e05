//===- Passes.h - Passes from Mirage IR to Mirage IR ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TRANSFORMS_PASSES_H
#define MIRAGE_TRANSFORMS_PASSES_H

#include "Mirage/Graph/Graph.h"
#include "Mirage/Options/CheckedPass.h"
#include "mlir/Pass/Pass.h"

namespace mlir::mirage {

#define GEN_PASS_DECL
#include "Mirage/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Mirage/Transforms/Passes.h.inc"

} // namespace mlir::mirage

#endif // MIRAGE_TRANSFORMS_PASSES_H
