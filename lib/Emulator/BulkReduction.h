//===- BulkReduction.h - cp.reduce.async.bulk -------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_BULKREDUCTION_H
#define MIRAGE_LIB_EMULATOR_BULKREDUCTION_H

#include "BulkCopy.h"
#include "OpcodeTable.h"

namespace mlir::mirage::emulator {

/// The operation and type at the end of a cp.reduce.async.bulk, as a number
/// from 1 to 255; 0 for opcodes that are no reduction.
unsigned findReduction(const Form &form);

/// How each element that is copied joins the one that is there; null for 0.
Combine getCombine(unsigned reduction);

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_BULKREDUCTION_H
