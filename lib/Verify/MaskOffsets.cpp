//===- MaskOffsets.cpp - Causal masks at smaller sizes --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MaskOffsets.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <array>

using namespace mlir::mirage;

/// What tells masks apart whatever their sizes are: the sign of the offset, and
/// whether anything is hidden, and anything is not.
static std::array<bool, 4> describeMask(int64_t offset, int64_t rows,
                                        int64_t columns) {
  return {offset > 0, offset < 0, offset < columns - 1, offset + rows - 1 >= 0};
}

/// Whether two dimensions may be one, by their sizes there or here.
static bool mayBeOne(const WholeSizes &a, const WholeSizes &b) {
  return llvm::any_of(a, [&](auto size) {
    return llvm::any_of(b, [&](auto other) {
      return size.first == other.first || size.second == other.second;
    });
  });
}

int64_t MaskOffsets::find(int64_t there, const WholeSizes &rows,
                          const WholeSizes &columns) {
  if (there == 0)
    return 0;
  for (auto [rowsThere, rowsHere] : rows)
    for (auto [columnsThere, columnsHere] : columns)
      if (int64_t here = columnsHere - rowsHere;
          there == columnsThere - rowsThere && (here > 0) == (there > 0) &&
          (here < 0) == (there < 0))
        return here;
  // What a tile shows of rows and columns need not be all there are.
  for (const Resized &known : all)
    if (known.there == there && mayBeOne(known.rows, rows) &&
        mayBeOne(known.columns, columns))
      return known.here;
  return others[there] = there > 0 ? 1 : -1;
}

llvm::Expected<int64_t> MaskOffsets::resize(int64_t there, WholeSizes rows,
                                            WholeSizes columns) {
  int64_t here = find(there, rows, columns);
  if (describeMask(there, rows.back().first, columns.back().first) !=
      describeMask(here, rows.back().second, columns.back().second))
    return llvm::createStringError(
        llvm::formatv("a causal mask of offset {0} would hide all, or nothing, "
                      "of rows of which it does not",
                      there));
  all.push_back({there, here, std::move(rows), std::move(columns)});
  return here;
}

llvm::Expected<std::map<int64_t, int64_t>> MaskOffsets::getOthers() const {
  for (const Resized &a : all)
    for (const Resized &b : all)
      if (a.there <= b.there && (a.there == b.there) != (a.here == b.here) &&
          mayBeOne(a.rows, b.rows) && mayBeOne(a.columns, b.columns))
        return llvm::createStringError(llvm::formatv(
            "the offsets of causal masks {0} and {1} would be {2} and {3}",
            a.there, b.there, a.here, b.here));
  return others;
}
