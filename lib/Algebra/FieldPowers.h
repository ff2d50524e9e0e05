//===- FieldPowers.h - What prime fields of all widths share ----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_ALGEBRA_FIELDPOWERS_H
#define MIRAGE_LIB_ALGEBRA_FIELDPOWERS_H

#include <cassert>
#include <cmath>
#include <cstdint>

namespace mlir::mirage {

/// a^exponent, by squaring.
template <typename Field, typename Word>
Word raise(const Field &field, Word a, uint64_t exponent) {
  Word result = field.getOne();
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1)
      result = field.mul(result, a);
    a = field.mul(a, a);
  }
  return result;
}

/// The exact rational that the bits of a finite double denote.
/// \param half  1/2 in the field.
template <typename Field, typename Word>
Word toRational(const Field &field, double value, Word half) {
  assert(std::isfinite(value) && "only finite numbers are rationals");
  int exponent = 0;
  double integer = std::fabs(value);
  if (integer >= 0x1p53 || integer != std::floor(integer)) {
    integer = std::ldexp(std::frexp(integer, &exponent), 53);
    exponent -= 53;
  }
  Word result = field.fromInteger(static_cast<uint64_t>(integer));
  Word one = field.getOne();
  if (exponent > 0)
    result = field.mul(result, field.pow(field.add(one, one), exponent));
  else if (exponent < 0)
    result = field.mul(result, field.pow(half, -exponent));
  return value < 0 ? field.sub(0, result) : result;
}

} // namespace mlir::mirage

#endif // MIRAGE_LIB_ALGEBRA_FIELDPOWERS_H
