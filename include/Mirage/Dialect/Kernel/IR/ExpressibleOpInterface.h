//===- ExpressibleOpInterface.h - Others' ops in ours --------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_KERNEL_IR_EXPRESSIBLEOPINTERFACE_H
#define MIRAGE_DIALECT_KERNEL_IR_EXPRESSIBLEOPINTERFACE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include <string>

#include "Mirage/Dialect/Kernel/IR/ExpressibleOpInterface.h.inc"

#endif // MIRAGE_DIALECT_KERNEL_IR_EXPRESSIBLEOPINTERFACE_H
