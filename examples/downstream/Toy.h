//===- Toy.h - A dialect of somebody else's ---------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// toy.swiglu knows nothing of Mirage. `registerToyExtensions` is what tells
// Mirage of it: an external model that says how the op is written in operators.
//
//===----------------------------------------------------------------------===//

#ifndef DOWNSTREAM_TOY_H
#define DOWNSTREAM_TOY_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ToyDialect.h.inc"

#define GET_OP_CLASSES
#include "ToyOps.h.inc"

namespace toy {
void registerToyExtensions(mlir::DialectRegistry &registry);
} // namespace toy

#endif // DOWNSTREAM_TOY_H
