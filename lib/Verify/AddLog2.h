//===- AddLog2.h - Sums of numbers given as logarithms ----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_ADDLOG2_H
#define MIRAGE_LIB_VERIFY_ADDLOG2_H

#include <algorithm>
#include <cmath>

namespace mlir::mirage {

/// log2(2^a + 2^b); minus infinity stands for 0.
inline double addLog2(double a, double b) {
  if (std::isinf(a) || std::isinf(b))
    return std::max(a, b);
  return std::max(a, b) + std::log2(1 + std::exp2(-std::abs(a - b)));
}

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_ADDLOG2_H
