//===- PlanAttributes.h - Decisions in attributes ---------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect of attributes `mirage.*`. All ops of Mirage's dialects bring it
// along. Its verifier sees to it that an attribute stands at an op that can
// have it, and is of its type; who reads one relies on that:
//
//   mirage_thread.graph ... {mirage.held}             a decision
//   mirage_thread.graph ... {mirage.held = false}     an error, not "held"
//   mirage_block.exp ... {mirage.held}                an error, not nothing
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_OPERATOR_PLANATTRIBUTES_H
#define MIRAGE_DIALECT_OPERATOR_PLANATTRIBUTES_H

#include "mlir/IR/Dialect.h"

#include "Mirage/Dialect/Operator/PlanAttributes.h.inc"

#endif // MIRAGE_DIALECT_OPERATOR_PLANATTRIBUTES_H
