//===- Block.h - The block level --------------------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_BLOCK_IR_BLOCK_H
#define MIRAGE_DIALECT_BLOCK_IR_BLOCK_H

#include "Mirage/Dialect/Operator/OperatorInterface.h"
#include "Mirage/Dialect/Operator/PlanAttributes.h"
#include "Mirage/Dialect/Operator/TileGraphInterface.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Mirage/Dialect/Block/IR/BlockDialect.h.inc"

#define GET_OP_CLASSES
#include "Mirage/Dialect/Block/IR/BlockOps.h.inc"

#endif // MIRAGE_DIALECT_BLOCK_IR_BLOCK_H
