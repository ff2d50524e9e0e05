//===- AccessPatterns.cpp - Which elements one access takes ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Layout/AccessPatterns.h"
#include "Mirage/Layout/MemoryTraffic.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <numeric>

using namespace mlir::mirage;
using llvm::ArrayRef;
using llvm::SmallVector;

FragmentRun mlir::mirage::chooseFragmentRun(const LinearLayout &fragment,
                                            const FragmentedTile &tile) {
  FragmentRun widest;
  for (unsigned dim = 0; dim < fragment.getRank(); ++dim) {
    if (tile.strides[dim] != 1)
      continue;
    unsigned bits = fragment.getContiguousBits(dim);
    auto limit = [&](int64_t divisor) {
      if (divisor == kUnknownDistance)
        bits = 0;
      else if (divisor != 0)
        bits = std::min<unsigned>(bits, llvm::countr_zero<uint64_t>(divisor));
    };
    limit(kMostAccessBytes / tile.elementBytes);
    limit(tile.offsetDivisor);
    for (unsigned other = 0; other < fragment.getRank(); ++other)
      if (other != dim && tile.shape[other] > 1)
        limit(tile.strides[other]);
    if (tile.overhangs[dim])
      limit(tile.divisors.empty() ? tile.shape[dim] : tile.divisors[dim]);
    if (bits > widest.bits)
      widest = {dim, bits};
  }
  return widest;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

namespace {
/// Walks the accesses of all windows of a tile.
class WindowWalk {
public:
  WindowWalk(const LinearLayout &fragment, const FragmentedTile &tile)
      : fragment(fragment), tile(tile),
        width(chooseFragmentRun(fragment, tile).getWidth()) {}

  WindowTraffic run() {
    visitWindows(Coordinates(fragment.getRank(), 0), /*dim=*/0);
    traffic.sectors = drawn.size();
    return traffic;
  }

private:
  void visitWindows(Coordinates origin, unsigned dim) {
    if (dim == fragment.getRank())
      return visit(origin);
    for (; origin[dim] < tile.shape[dim];
         origin[dim] += fragment.getShape()[dim])
      visitWindows(origin, dim + 1);
  }

  void visit(ArrayRef<int64_t> origin) {
    for (unsigned first = 0; first < fragment.getNumRegisters(); first += width)
      access(origin, first);
  }

  void access(ArrayRef<int64_t> origin, unsigned registerNumber) {
    uint32_t mask = 0;
    SmallVector<uint64_t, 32> addresses;
    for (unsigned lane = 0; lane < 1u << kLaneBits; ++lane) {
      bool isInside = true;
      int64_t place = tile.intoSector;
      for (auto [element, start, size, stride] :
           llvm::zip_equal(fragment.apply(registerNumber, lane), origin,
                           tile.shape, tile.strides)) {
        isInside &= start + element < size;
        place += (start + element) * stride;
      }
      addresses.push_back(place * tile.elementBytes);
      mask |= uint32_t(isInside) << lane;
    }
    SmallVector<uint64_t, 32> sectors =
        listSectors(width * tile.elementBytes, addresses, mask);
    traffic.numAccesses += !sectors.empty();
    traffic.drawnSectors += sectors.size();
    drawn.insert(sectors.begin(), sectors.end());
  }

  const LinearLayout &fragment;
  const FragmentedTile &tile;
  unsigned width;
  WindowTraffic traffic;
  llvm::DenseSet<uint64_t> drawn;
};
} // namespace

WindowTraffic mlir::mirage::countWindowTraffic(const LinearLayout &fragment,
                                               const FragmentedTile &tile) {
  return WindowWalk(fragment, tile).run();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Where the access of a thread begins, in bytes from the start of the tile.
static uint64_t getCopiedPlace(const CopiedTile &tile,
                               const CopyPattern &pattern, int64_t thread) {
  int64_t place = tile.intoSector;
  for (const CopyPattern::Walk &walk : llvm::reverse(pattern.walks)) {
    place += thread % walk.size * walk.step * tile.tensorStrides[walk.dim];
    thread /= walk.size;
  }
  return place * tile.tensorElementBytes;
}

int64_t mlir::mirage::countCopiedSectors(const CopiedTile &tile) {
  constexpr int64_t kLanes = 1 << kLaneBits, kSectorBytes = 32;
  if (isOneRun(tile))
    return llvm::divideCeil((tile.intoSector + llvm::product_of(tile.shape)) *
                                tile.tensorElementBytes,
                            kSectorBytes);
  CopyPattern pattern = chooseCopyPattern(tile);
  int64_t numAccesses = llvm::product_of(tile.shape) / pattern.width;
  int64_t sectors = 0;
  for (int64_t first = 0; first < numAccesses; first += kLanes) {
    SmallVector<uint64_t, 32> addresses;
    for (int64_t thread :
         llvm::seq(first, std::min(first + kLanes, numAccesses)))
      addresses.push_back(getCopiedPlace(tile, pattern, thread));
    uint32_t mask = ~uint32_t(0) >> (kLanes - addresses.size());
    addresses.resize(kLanes);
    sectors +=
        countSectors(pattern.width * tile.tensorElementBytes, addresses, mask);
  }
  return sectors;
}

/// Far dimensions first. Those of one element, or that show one place again and
/// again, have no neighbours and lead.
static SmallVector<unsigned, 4> orderByStride(const CopiedTile &tile) {
  auto getDistance = [&](unsigned dim) {
    return tile.shape[dim] == 1 || tile.tensorStrides[dim] == 0
               ? std::numeric_limits<int64_t>::max()
               : tile.tensorStrides[dim];
  };
  auto order =
      llvm::to_vector<4>(llvm::seq<unsigned>(0, unsigned(tile.shape.size())));
  llvm::sort(order, [&](unsigned a, unsigned b) {
    int64_t distance = getDistance(a), other = getDistance(b);
    return distance != other ? distance > other : a < b;
  });
  return order;
}

/// How many neighbours one access may take: up to 16 bytes, if rows of the
/// tensor and of the tile are multiples of that, and rows of the tensor begin
/// at multiples as well. All origins are multiples of the tile, and tensors
/// start at multiples of 16.
static int64_t getVectorWidth(const CopiedTile &tile, unsigned innermost) {
  if (tile.tensorStrides[innermost] != 1)
    return 1;
  int64_t common = std::gcd(tile.shape[innermost], tile.tensorShape[innermost]);
  common = std::gcd(common, tile.tensorOffset);
  for (auto [dim, stride] : llvm::enumerate(tile.tensorStrides))
    if (dim != innermost && tile.tensorShape[dim] > 1)
      common = std::gcd(common, stride);
  return std::gcd(common, kMostAccessBytes /
                              int64_t(std::max(tile.elementBytes,
                                               tile.tensorElementBytes)));
}

bool mlir::mirage::isOneRun(const CopiedTile &tile) {
  unsigned rank = tile.shape.size();
  int64_t row = tile.shape.back();
  if (rank < 2 || tile.pitch != row || row == 1 ||
      row * tile.tensorElementBytes % kMostAccessBytes == 0)
    return false;
  int64_t distance = 1;
  for (unsigned dim = rank; dim-- > 0;) {
    if (tile.tensorStrides[dim] != distance ||
        (dim > 0 && tile.shape[dim] != tile.tensorShape[dim]))
      return false;
    distance *= tile.tensorShape[dim];
  }
  return true;
}

CopiedTile mlir::mirage::joinRows(const CopiedTile &tile) {
  assert(isOneRun(tile) && "of other tiles not all is a run");
  CopiedTile joined = tile;
  joined.shape = {llvm::product_of(tile.shape)};
  joined.pitch = joined.shape.back();
  joined.tensorShape = {llvm::product_of(tile.tensorShape)};
  joined.tensorStrides = {1};
  return joined;
}

/// How many rows threads take an access of each, where they do not go along
/// one row.
static constexpr int64_t kRowsAcross = 8;

/// Eight accesses of 16 bytes are one pass through shared memory if they lie in
/// different banks: those of eight rows do that begin an odd multiple of 16
/// bytes apart, and those along one row, if they do not go on in the next,
/// where bytes were left out.
static bool goesAcrossRows(const CopiedTile &tile, const CopyPattern &pattern) {
  constexpr int64_t kPassBytes = 128;
  unsigned rank = tile.shape.size();
  if (rank < 2 || !pattern.keepsOrder || pattern.order[rank - 2] != rank - 2)
    return false;
  int64_t rows = tile.shape[rank - 2], columns = tile.shape[rank - 1];
  int64_t pitchBytes = tile.pitch * tile.elementBytes;
  return pattern.width * tile.elementBytes * kRowsAcross == kPassBytes &&
         tile.pitch > columns &&
         pitchBytes % (2 * kMostAccessBytes) == kMostAccessBytes &&
         columns * tile.elementBytes % kPassBytes != 0 &&
         rows % kRowsAcross == 0;
}

/// Walks that take an access of eight rows each, then the next of these rows.
static void walkAcrossRows(const CopiedTile &tile, CopyPattern &pattern) {
  unsigned last = tile.shape.size() - 1;
  for (unsigned dim : ArrayRef(pattern.order).drop_back(2))
    pattern.walks.push_back({dim, tile.shape[dim], 1});
  pattern.walks.append(
      {{last - 1, tile.shape[last - 1] / kRowsAcross, kRowsAcross},
       {last, tile.shape[last] / pattern.width, pattern.width},
       {last - 1, kRowsAcross, 1}});
}

/// What neighbouring threads take one after the other of what lies across the
/// rows of a tile: one whole sector. Threads beside them take neighbours in a
/// row of the tile, which lie in other banks of shared memory. On an H200 an
/// unsearched RMSNorm and product with transposed weights (8 x 1024 x 512) took
/// 116 us with runs of 32 bytes, 124 with 64 and 145 with 128.
static constexpr int64_t kRunBytes = 32;

/// Walks along the tensor, of which runs of whole accesses may be cut so.
static void walkAlongTensor(const CopiedTile &tile, CopyPattern &pattern) {
  unsigned innermost = pattern.getInnermost(), last = tile.shape.size() - 1;
  int64_t size = tile.shape[innermost];
  int64_t run = std::gcd(size, kRunBytes / int64_t(tile.tensorElementBytes));
  bool isCut = !pattern.keepsOrder && run % pattern.width == 0 && run < size;
  auto add = [&](unsigned dim, int64_t steps, int64_t step) {
    pattern.walks.push_back({dim, steps, step});
  };
  for (unsigned dim : pattern.order)
    if (!isCut || (dim != innermost && dim != last))
      add(dim, tile.shape[dim], 1);
  if (isCut) {
    add(innermost, size / run, run);
    add(last, tile.shape[last], 1);
    add(innermost, run, 1);
  }
  CopyPattern::Walk &fastest = pattern.walks.back();
  fastest.size /= pattern.width;
  fastest.step = pattern.width;
}

CopyPattern mlir::mirage::chooseCopyPattern(const CopiedTile &tile) {
  CopyPattern pattern;
  pattern.order = orderByStride(tile);
  pattern.keepsOrder = pattern.getInnermost() + 1 == tile.shape.size();
  pattern.width = getVectorWidth(tile, pattern.getInnermost());
  if (goesAcrossRows(tile, pattern))
    walkAcrossRows(tile, pattern);
  else
    walkAlongTensor(tile, pattern);
  return pattern;
}
