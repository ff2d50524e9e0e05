//===- MaskOffsets.h - Causal masks at smaller sizes ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Row i of a causal mask of offset d sees columns 0 to i + d. Rows see
// themselves and what came before, of which there may be more columns than
// rows: an offset is mostly 0 or the difference, and stays that at other sizes.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_MASKOFFSETS_H
#define MIRAGE_LIB_VERIFY_MASKOFFSETS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <map>
#include <vector>

namespace mlir::mirage {

/// The sizes that a dimension may be cut out of, its own first: *there*, in the
/// graphs as they are, and *here*, in the small ones.
using WholeSizes = llvm::SmallVector<std::pair<int64_t, int64_t>>;

/// Offsets of all causal masks of two graphs, at their own sizes and at smaller
/// ones.
class MaskOffsets {
public:
  /// Of an offset that no sizes explain the sign stays: no row is to see
  /// nothing.
  /// \returns the offset here, or an error if the mask would hide all, or
  /// nothing, where it does not.
  llvm::Expected<int64_t> resize(int64_t there, WholeSizes rows,
                                 WholeSizes columns);

  /// Those that no sizes explain, and what they became. An error if two offsets
  /// became one, or one two, of masks that may be of the same dimensions.
  llvm::Expected<std::map<int64_t, int64_t>> getOthers() const;

private:
  struct Resized {
    int64_t there, here;
    WholeSizes rows, columns;
  };

  int64_t find(int64_t there, const WholeSizes &rows,
               const WholeSizes &columns);

  std::vector<Resized> all;
  std::map<int64_t, int64_t> others;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_MASKOFFSETS_H
