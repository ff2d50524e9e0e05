//===- HeldTiles.cpp - Tiles in the registers of a block ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Layout/HeldTiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <functional>
#include <numeric>

using namespace mlir::mirage;

namespace {
/// The images of the bits of items' numbers, lowest first.
struct ItemBits {
  llvm::SmallVector<Coordinates, 8> images;
  llvm::SmallVector<int64_t, 2> shape; ///< of all windows of one step
};
} // namespace

static std::optional<ItemBits> listItemBits(llvm::ArrayRef<int64_t> fragment,
                                            const WindowMap &map) {
  ItemBits bits{{}, {fragment.begin(), fragment.end()}};
  // How far the next axis along a dimension moves the window.
  llvm::SmallVector<int64_t, 2> strides(fragment);
  llvm::SmallVector<bool, 2> isLinear(fragment.size(), true);
  if (map.stepDim >= 0) {
    strides[map.stepDim] *= map.numSteps;
    isLinear[map.stepDim] = llvm::isPowerOf2_64(map.numSteps);
  }
  for (unsigned axis = map.extents.size(); axis-- > 0;) {
    int64_t extent = map.extents[axis];
    int dim = map.dims[axis];
    if (dim >= 0 && extent > 1 && !isLinear[dim])
      return std::nullopt;
    for (unsigned bit = 0; bit < llvm::Log2_64_Ceil(extent); ++bit) {
      Coordinates image(fragment.size(), 0);
      if (dim >= 0)
        image[dim] = strides[dim] << bit;
      bits.images.push_back(image);
    }
    if (dim < 0)
      continue;
    strides[dim] *= extent;
    isLinear[dim] = isLinear[dim] && llvm::isPowerOf2_64(extent);
  }
  for (auto [dim, size] : llvm::enumerate(bits.shape))
    size = llvm::PowerOf2Ceil(strides[dim]);
  return bits;
}

int64_t ShareDeal::getNumShares() const {
  return std::accumulate(extents.begin(), extents.end(), int64_t(1),
                         std::multiplies<>());
}

unsigned ShareDeal::getNumBits() const {
  unsigned numBits = 0;
  for (int64_t extent : extents)
    numBits += llvm::Log2_64_Ceil(extent);
  return numBits;
}

unsigned ShareDeal::getNumRounds() const {
  return llvm::divideCeil(getNumShares(), numWarps);
}

bool ShareDeal::isOneEach() const {
  return llvm::isPowerOf2_32(numWarps) && *this == dealWarps(numWarps);
}

ShareDeal mlir::mirage::dealWarps(unsigned numWarps) {
  assert(llvm::isPowerOf2_32(numWarps) && "warps have bits");
  return dealShares(int64_t(numWarps), numWarps);
}

ShareDeal mlir::mirage::dealShares(llvm::ArrayRef<int64_t> extents,
                                   unsigned numWarps) {
  ShareDeal deal{{}, numWarps};
  for (int64_t extent : extents) {
    if (extent == 1)
      continue;
    if (!deal.extents.empty() && llvm::isPowerOf2_64(extent))
      deal.extents.back() *= extent;
    else
      deal.extents.push_back(extent);
  }
  return deal;
}

llvm::SmallVector<int64_t>
mlir::mirage::countExtents(llvm::ArrayRef<int64_t> extents,
                           const ShareDeal &deal) {
  llvm::SmallVector<int64_t> counted(extents);
  if (deal.isOneEach())
    for (int64_t &extent : counted)
      extent = llvm::PowerOf2Ceil(extent);
  return counted;
}

bool mlir::mirage::addsDigits(llvm::ArrayRef<int64_t> extents,
                              unsigned numWarps, int64_t offset) {
  int64_t last = numWarps - 1;
  auto digits = llvm::make_filter_range(
      extents, [](int64_t extent) { return extent > 1; });
  if (digits.empty())
    return true;
  // Behind the slowest one there are no shares.
  for (int64_t extent : llvm::reverse(llvm::drop_begin(digits))) {
    if (std::min(last, extent - 1) + offset % extent >= extent)
      return false;
    last /= extent;
    offset /= extent;
  }
  return true;
}

int64_t mlir::mirage::countCarryingRounds(llvm::ArrayRef<int64_t> extents,
                                          unsigned numWarps) {
  int64_t numItems = std::accumulate(extents.begin(), extents.end(), int64_t(1),
                                     std::multiplies<>());
  int64_t rounds = 0;
  for (int64_t offset = 0; offset < numItems; offset += numWarps)
    rounds += !addsDigits(extents, numWarps, offset);
  return rounds;
}

std::optional<llvm::SmallVector<int64_t>>
mlir::mirage::findExtents(llvm::ArrayRef<int64_t> roundedUp,
                          const ShareDeal &deal) {
  llvm::SmallVector<int64_t> extents(roundedUp);
  llvm::ArrayRef<int64_t> shares = deal.extents;
  // Powers of two that are part of the extent of shares of a slower axis.
  int64_t faster = 1;
  for (int64_t &extent : llvm::reverse(extents)) {
    if (extent == 1)
      continue;
    if (shares.empty())
      return std::nullopt;
    if (extent * faster < shares.back()) {
      faster *= extent;
      continue;
    }
    extent = llvm::divideCeil(shares.back(), faster);
    shares = shares.drop_back();
    faster = 1;
  }
  bool areSame = dealShares(extents, deal.numWarps) == deal &&
                 countExtents(extents, dealWarps(1)) == roundedUp;
  return areSame ? std::optional(extents) : std::nullopt;
}

std::optional<LinearLayout>
mlir::mirage::holdWindows(const LinearLayout &fragment, const WindowMap &map,
                          unsigned numWarps) {
  assert(llvm::isPowerOf2_32(numWarps) && "warps have bits");
  assert(fragment.getBases(LayoutInput::Warp).empty() && "items of one warp");
  std::optional<ItemBits> items = listItemBits(fragment.getShape(), map);
  if (!items)
    return std::nullopt;
  unsigned numWarpBits = llvm::Log2_32(numWarps);
  llvm::ArrayRef<Coordinates> images = items->images;
  llvm::SmallVector<Coordinates, 8> registers(
      fragment.getBases(LayoutInput::Register)),
      warps(images.take_front(numWarpBits));
  warps.resize(numWarpBits, Coordinates(fragment.getRank(), 0));
  llvm::append_range(registers, images.drop_front(std::min<size_t>(
                                    numWarpBits, images.size())));
  if (registers.size() > kMaxRegisterBits)
    return std::nullopt;
  return LinearLayout(items->shape, registers,
                      fragment.getBases(LayoutInput::Lane), warps);
}

std::optional<llvm::SmallVector<unsigned>>
mlir::mirage::findHeldWindow(const LinearLayout &held,
                             const LinearLayout &windows,
                             llvm::ArrayRef<int64_t> origin) {
  for (LayoutInput input : {LayoutInput::Lane, LayoutInput::Warp})
    if (held.getBases(input) != windows.getBases(input))
      return std::nullopt;
  llvm::SmallVector<unsigned> registers;
  for (unsigned number = 0; number < windows.getNumRegisters(); ++number) {
    Coordinates element = windows.apply(number);
    for (auto [coordinate, start] : llvm::zip_equal(element, origin))
      coordinate += start;
    std::optional<unsigned> found = held.findRegister(element);
    if (!found)
      return std::nullopt;
    registers.push_back(*found);
  }
  return registers;
}
