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
// Which elements a mask leaves depends on the order of a few places along each
// of its dimensions: of the first and the last one, and where the first and the
// last row begin to be blind, or the first and the last column to be seen. What
// a graph makes of one mask, or of several over one dimension, may be the same
// in one order and not in another: with more columns than the last row sees, or
// fewer. So the order of all these places is here what it is there, or there
// are no small sizes.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_MASKOFFSETS_H
#define MIRAGE_LIB_VERIFY_MASKOFFSETS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace mlir::mirage {

/// The sizes that a dimension may be cut out of, its own first: *there*, in the
/// graphs as they are, and *here*, in the small ones.
using WholeSizes = llvm::SmallVector<std::pair<int64_t, int64_t>>;

/// Offsets of all causal masks of two graphs, at their own sizes and at smaller
/// ones.
class MaskOffsets {
public:
  struct Mask {
    int64_t offset; ///< there
    WholeSizes rows, columns;

    bool operator==(const Mask &other) const {
      return std::tie(offset, rows, columns) ==
             std::tie(other.offset, other.rows, other.columns);
    }
  };

  /// Chooses offsets for all causal masks of two graphs. Of an offset that no
  /// sizes explain the sign stays, and different ones stay different. An error
  /// where none keeps the order of places along dimensions that may be one.
  /// \param others  of the same masks at other small sizes. What rows and
  ///                columns a mask leaves is not as many as there, if it can
  ///                be.
  static llvm::Expected<MaskOffsets>
  choose(std::vector<Mask> masks, llvm::ArrayRef<MaskOffsets> others = {});

  /// The offset here of one of the masks.
  int64_t get(const Mask &mask) const;
  /// Offsets that no sizes explain, and what they became.
  const std::map<int64_t, int64_t> &getOthers() const { return others; }

  struct Candidate {
    int64_t here;
    bool isExplained; ///< by sizes
  };
  struct Places;

private:
  struct Chosen {
    Mask mask;
    Candidate offset;
  };
  static std::array<Places, 2> getPlaces(const Chosen &chosen);
  static bool agree(const Chosen &lhs, const Chosen &rhs);
  bool fits(const Chosen &chosen) const;
  unsigned countFlaws(const Chosen &chosen) const;
  std::vector<Candidate> listCandidates(const Mask &mask) const;
  bool chooseAll(llvm::ArrayRef<Mask> masks, unsigned &steps);

  std::vector<Chosen> all;
  std::map<int64_t, int64_t> others;
  llvm::ArrayRef<MaskOffsets> atOtherSizes; ///< while it chooses
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_MASKOFFSETS_H
