//===- EnumerationCounts.h - What an enumeration did ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_ENUMERATIONCOUNTS_H
#define MIRAGE_SEARCH_ENUMERATIONCOUNTS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include <array>
#include <cstdint>

namespace mlir::mirage {
class JSONCursor;
} // namespace mlir::mirage

namespace mlir::mirage::search {

/// Why an operator was not tried further.
enum class PruneReason : uint8_t {
  Expression, ///< its result is no part of the target
  Size,       ///< its form would have more monomials than any part
  Place,      ///< a factor, sign, sum or reciprocal out of its place
  Duplicate,  ///< an equal tensor is there
  Open,       ///< too few operators left to close what is open, or to go on
  /// Too few operators left in all kernels together to close what is open after
  /// this one.
  OpenLater,
  /// A product of tensors of which neither has all names, some of them reduced,
  /// where the program has no such operation. What multiplies in another order
  /// is there; that something was left out is said by
  /// StopReason::OuterProducts.
  OuterProduct,
};
constexpr unsigned kNumPruneReasons = 7;
llvm::StringRef getPruneReasonName(PruneReason reason);

struct EnumerationCounts {
  uint64_t states = 0;
  uint64_t trials = 0;
  std::array<uint64_t, kNumPruneReasons> pruned{};

  EnumerationCounts &operator+=(const EnumerationCounts &other);
  bool operator==(const EnumerationCounts &other) const {
    return states == other.states && trials == other.trials &&
           pruned == other.pruned;
  }
};

llvm::json::Value toJSON(const EnumerationCounts &counts);
/// What toJSON wrote; of anything else the cursor says what was expected.
EnumerationCounts readCounts(const JSONCursor &cursor);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_ENUMERATIONCOUNTS_H
