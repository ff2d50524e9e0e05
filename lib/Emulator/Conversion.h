//===- Conversion.h - cvt of one value --------------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_CONVERSION_H
#define MIRAGE_LIB_EMULATOR_CONVERSION_H

#include "OpcodeTable.h"

namespace mlir::mirage::emulator {

/// How a cvt treats its value: bits of Instruction::variant.
enum ConversionModifier : uint16_t {
  roundingMask = 7, ///< a Rounding
  toInteger = 8,    ///< rni, rzi, ...: the result is a whole number
  flushes = 16,
  saturates = 32, ///< .sat, for floats
  clampsFinite = 64,
  relu = 128,
};

/// Sets the bits that the pieces of an opcode name.
void setModifiers(const Form &form, Instruction &instruction);

/// `.relu` and `.sat` of a float.
double applyModifiers(double value, uint16_t variant);

/// A value of an integer type, extended as its sign says.
int64_t loadInteger(ScalarType type, uint64_t bits);

/// One lane of any `cvt.to.from` between scalars (9.7.9): through f64, which is
/// exact for all float types, or 64-bit integers.
uint64_t convertScalar(uint64_t bits, ScalarType from, ScalarType to,
                       uint16_t variant);

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_CONVERSION_H
