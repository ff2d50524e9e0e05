//===- AtomicUpdates.h - What atomics make of what is there -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_ATOMICUPDATES_H
#define MIRAGE_LIB_EMULATOR_ATOMICUPDATES_H

#include "Numbers.h"

#include <algorithm>

namespace mlir::mirage::emulator::updates {

/// What an atomic writes: from what is there and one or two operands.
template <typename T>
using Update = T (*)(T old, T b, T c);

template <typename T>
T add(T old, T b, T) {
  return T(uint64_t(old) + uint64_t(b));
}
template <typename T>
T lesser(T old, T b, T) {
  return std::min(old, b);
}
template <typename T>
T greater(T old, T b, T) {
  return std::max(old, b);
}
template <typename T>
T bitAnd(T old, T b, T) {
  return old & b;
}
template <typename T>
T bitOr(T old, T b, T) {
  return old | b;
}
template <typename T>
T bitXor(T old, T b, T) {
  return old ^ b;
}
template <typename T>
T exchange(T, T b, T) {
  return b;
}
template <typename T>
T compareAndSwap(T old, T b, T c) {
  return old == b ? c : old;
}
template <typename T>
T increment(T old, T b, T) {
  return old >= b ? 0 : old + 1;
}
template <typename T>
T decrement(T old, T b, T) {
  return old == 0 || old > b ? b : old - 1;
}
inline uint32_t addFloat(uint32_t old, uint32_t b, uint32_t) {
  return asBits(canonical(asFloat(old) + asFloat(b)));
}
inline uint64_t addDouble(uint64_t old, uint64_t b, uint64_t) {
  return asBits(canonical(asDouble(old) + asDouble(b)));
}
inline uint16_t addHalf(uint16_t old, uint16_t b, uint16_t) {
  return floatToHalf(halfToFloat(old) + halfToFloat(b));
}
inline uint16_t addBfloat(uint16_t old, uint16_t b, uint16_t) {
  return floatToBfloat(bfloatToFloat(old) + bfloatToFloat(b));
}
template <uint16_t (*one)(uint16_t, uint16_t, uint16_t)>
uint32_t addPair(uint32_t old, uint32_t b, uint32_t) {
  return uint32_t(one(uint16_t(old >> 16), uint16_t(b >> 16), 0)) << 16 |
         one(uint16_t(old), uint16_t(b), 0);
}

/// Of a NaN and a number, the number; -0 is less than +0.
template <float (*value)(uint16_t), bool isMin>
uint16_t chooseFloat16(uint16_t old, uint16_t b, uint16_t) {
  float x = value(old), y = value(b);
  if (std::isnan(x))
    return std::isnan(y) ? nan16 : b;
  if (std::isnan(y))
    return old;
  if (x == y) // zeros at most differ, in their signs
    return isMin ? old | b : old & b;
  return (x < y) == isMin ? old : b;
}

} // namespace mlir::mirage::emulator::updates

#endif // MIRAGE_LIB_EMULATOR_ATOMICUPDATES_H
