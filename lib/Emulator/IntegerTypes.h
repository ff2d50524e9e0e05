//===- IntegerTypes.h - Integer types of PTX as those of C++ ----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_INTEGERTYPES_H
#define MIRAGE_LIB_EMULATOR_INTEGERTYPES_H

#include "LaneLoop.h"

#include <type_traits>

namespace mlir::mirage::emulator {

/// Signed arithmetic wraps in PTX and may not in C++: compute unsigned.
template <typename T>
using Unsigned = std::make_unsigned_t<T>;
template <typename T>
constexpr unsigned bitsOf = sizeof(T) * 8;

/// Operands and result of an operation (see LaneLoop.h) are of one type.
template <typename T>
struct Same {
  using Result = T;
  using Source = T;
};

/// The handler for an integer type: `with` is called with a zero of the C++
/// type, signed where the suffix says so, and null if there is none. Which
/// types an instruction takes is said by its table row.
template <typename With>
Handler selectByInteger(ScalarType type, With with) {
  switch (type) {
  case ScalarType::B16:
  case ScalarType::U16:
    return with(uint16_t(0));
  case ScalarType::S16:
    return with(int16_t(0));
  case ScalarType::B32:
  case ScalarType::U32:
    return with(uint32_t(0));
  case ScalarType::S32:
    return with(int32_t(0));
  case ScalarType::B64:
  case ScalarType::U64:
    return with(uint64_t(0));
  case ScalarType::S64:
    return with(int64_t(0));
  default:
    return nullptr;
  }
}

/// The same for what only moves bits: an unsigned type of as many bytes as any
/// type of 2, 4 or 8 has.
template <typename With>
Handler selectByWidth(ScalarType type, With with) {
  switch (sizeBytes(type)) {
  case 2:
    return with(uint16_t(0));
  case 4:
    return with(uint32_t(0));
  case 8:
    return with(uint64_t(0));
  default:
    return nullptr;
  }
}

/// The handler of an operation that is a template over its type.
template <template <typename> class Operation, unsigned arity>
Handler integerHandler(ScalarType type) {
  return selectByInteger(type, [](auto zero) -> Handler {
    return laneHandler<Operation<decltype(zero)>, arity>;
  });
}

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_INTEGERTYPES_H
