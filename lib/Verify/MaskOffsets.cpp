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
#include <cassert>
#include <cstdlib>

using namespace mlir::mirage;

/// Whether two dimensions may be one, by their sizes there or here. Of those of
/// one element nothing is known by that.
static bool mayBeOne(const WholeSizes &a, const WholeSizes &b) {
  if (a.back().first == 1 || b.back().first == 1)
    return false;
  return llvm::any_of(a, [&](auto size) {
    return llvm::any_of(b, [&](auto other) {
      return size.first == other.first || size.second == other.second;
    });
  });
}

namespace {
/// A number there and here.
struct Place {
  int64_t there, here;
};
} // namespace

/// Those of a mask along one of its dimensions.
struct MaskOffsets::Places {
  const WholeSizes *dimension;
  std::array<Place, 4> list;
};

static int compare(int64_t a, int64_t b) { return (a > b) - (a < b); }

static bool haveOneOrder(const MaskOffsets::Places &a,
                         const MaskOffsets::Places &b) {
  return llvm::all_of(a.list, [&](Place p) {
    return llvm::all_of(b.list, [&](Place q) {
      return compare(p.there, q.there) == compare(p.here, q.here);
    });
  });
}

/// Along the columns: where the first and the last row begin to be blind. Along
/// the rows: where the first and the last column begin to be seen.
std::array<MaskOffsets::Places, 2>
MaskOffsets::getPlaces(const Chosen &chosen) {
  const Mask &mask = chosen.mask;
  int64_t offsetHere = chosen.offset.here;
  Place rows{mask.rows.back().first - 1, mask.rows.back().second - 1};
  Place columns{mask.columns.back().first - 1, mask.columns.back().second - 1};
  return {Places{&mask.columns,
                 {{{0, 0},
                   {mask.offset, offsetHere},
                   {mask.offset + rows.there, offsetHere + rows.here},
                   columns}}},
          Places{&mask.rows,
                 {{{0, 0},
                   {-mask.offset, -offsetHere},
                   {columns.there - mask.offset, columns.here - offsetHere},
                   rows}}}};
}

/// Whether all places of two masks are here in the order in which they are
/// there, along dimensions that may be one.
bool MaskOffsets::agree(const Chosen &lhs, const Chosen &rhs) {
  for (const Places &a : getPlaces(lhs))
    for (const Places &b : getPlaces(rhs))
      if ((a.dimension == b.dimension ||
           mayBeOne(*a.dimension, *b.dimension)) &&
          !haveOneOrder(a, b))
        return false;
  return true;
}

/// Whether offsets that differ there do not here, by no size.
static bool areOneByChance(const MaskOffsets::Mask &a,
                           const MaskOffsets::Candidate &aHere,
                           const MaskOffsets::Mask &b,
                           const MaskOffsets::Candidate &bHere) {
  return !aHere.isExplained && !bHere.isExplained && a.offset != b.offset &&
         aHere.here == bHere.here;
}

bool MaskOffsets::fits(const Chosen &chosen) const {
  constexpr int64_t kLargest = int64_t(1) << 60; // so that sums do not overflow
  return chosen.mask.offset >= -kLargest && chosen.mask.offset <= kLargest &&
         agree(chosen, chosen) && llvm::all_of(all, [&](const Chosen &other) {
           return agree(chosen, other) &&
                  !areOneByChance(chosen.mask, chosen.offset, other.mask,
                                  other.offset);
         });
}

/// In how much a mask is what it is at other small sizes: how many columns the
/// first and the last row see, or columns are not seen.
unsigned MaskOffsets::countFlaws(const Chosen &chosen) const {
  auto isSame = [](const Mask &a, const Mask &b) {
    return std::tuple(a.offset, a.rows.back().first, a.columns.back().first) ==
           std::tuple(b.offset, b.rows.back().first, b.columns.back().first);
  };
  auto list = [](const Chosen &of) {
    int64_t offset = of.offset.here;
    return std::array<int64_t, 3>{offset, offset + of.mask.rows.back().second,
                                  offset - of.mask.columns.back().second};
  };
  unsigned count = 0;
  for (const MaskOffsets &other : atOtherSizes)
    for (const Chosen &there : other.all)
      if (isSame(there.mask, chosen.mask))
        for (auto [a, b] : llvm::zip_equal(list(there), list(chosen)))
          count += a == b;
  return count;
}

/// What may become of an offset, the likeliest first.
std::vector<MaskOffsets::Candidate>
MaskOffsets::listCandidates(const Mask &mask) const {
  if (mask.offset == 0)
    return {{0, /*isExplained=*/true}};
  std::vector<Candidate> candidates;
  for (auto [rowsThere, rowsHere] : mask.rows)
    for (auto [columnsThere, columnsHere] : mask.columns)
      if (mask.offset == columnsThere - rowsThere)
        candidates.push_back({columnsHere - rowsHere, /*isExplained=*/true});
  int64_t most = mask.rows.back().second + mask.columns.back().second;
  std::vector<std::pair<unsigned, int64_t>> byFlaws;
  for (int64_t size = 1; size <= most; ++size) {
    Candidate candidate{mask.offset > 0 ? size : -size, /*isExplained=*/false};
    byFlaws.push_back({countFlaws({mask, candidate}), size});
  }
  llvm::sort(byFlaws);
  for (auto [flaws, size] : byFlaws)
    candidates.push_back({mask.offset > 0 ? size : -size,
                          /*isExplained=*/false});
  return candidates;
}

/// Adds offsets for the masks to those that were chosen.
/// \param steps  how many more candidates may be tried.
bool MaskOffsets::chooseAll(llvm::ArrayRef<Mask> masks, unsigned &steps) {
  if (masks.empty())
    return true;
  for (const Candidate &candidate : listCandidates(masks.front())) {
    if (steps == 0)
      return false;
    --steps;
    Chosen chosen{masks.front(), candidate};
    if (!fits(chosen))
      continue;
    all.push_back(std::move(chosen));
    if (chooseAll(masks.drop_front(), steps))
      return true;
    all.pop_back();
  }
  return false;
}

llvm::Expected<MaskOffsets>
MaskOffsets::choose(std::vector<Mask> masks,
                    llvm::ArrayRef<MaskOffsets> others) {
  constexpr unsigned kMaxSteps = 4096;
  auto getKey = [](const Mask &mask) {
    return std::tuple(std::abs(mask.offset), mask.offset, mask.rows,
                      mask.columns);
  };
  llvm::sort(masks, [&](const Mask &lhs, const Mask &rhs) {
    return getKey(lhs) < getKey(rhs);
  });
  masks.erase(llvm::unique(masks), masks.end());
  MaskOffsets result;
  result.atOtherSizes = others;
  unsigned steps = kMaxSteps;
  if (!result.chooseAll(masks, steps))
    return llvm::createStringError(
        "no offsets of causal masks hide what theirs do");
  result.atOtherSizes = {};
  for (const auto &[mask, offset] : result.all)
    if (!offset.isExplained)
      result.others[mask.offset] = offset.here;
  return result;
}

int64_t MaskOffsets::get(const Mask &mask) const {
  auto found = llvm::find_if(
      all, [&](const Chosen &chosen) { return chosen.mask == mask; });
  assert(found != all.end() && "all masks have been chosen for");
  return found->offset.here;
}
