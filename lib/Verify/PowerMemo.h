//===- PowerMemo.h - Powers that many graphs take ---------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_POWERMEMO_H
#define MIRAGE_LIB_VERIFY_POWERMEMO_H

#include "Mirage/Algebra/FieldKernels.h"
#include <vector>

namespace mlir::mirage {

/// The powers of one root of unity that were taken of some exponents, of a
/// bounded number. An exponent is its value at 16 points, and is found if all
/// of them are the same, so what is found is what would be computed. Candidates
/// for one program mostly take the exponentials that the program takes, so that
/// a memo of these is worth having, and any number of threads may read it.
class PowerMemo {
public:
  /// Sixteen words each.
  void insert(const uint32_t *exponent, const uint32_t *power);
  /// Null if it is not there.
  const uint32_t *find(const uint32_t *exponent) const;

private:
  static constexpr unsigned kMaxEntries = 1 << 12;
  struct alignas(64) Entry {
    uint32_t exponent[kernels::kLanes], power[kernels::kLanes];
  };

  /// The slot that an exponent has, or may have.
  size_t findSlot(const uint32_t *exponent) const;
  void grow();

  std::vector<Entry> entries;
  /// One more than the entry's number, or 0: at least as many free as taken.
  std::vector<uint32_t> slots;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_POWERMEMO_H
