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

unsigned ShareDeal::getNumRounds() const {
  return llvm::divideCeil(numShares, numWarps);
}

ShareDeal mlir::mirage::dealItems(llvm::ArrayRef<int64_t> extents,
                                  unsigned numWarps) {
  if (llvm::isPowerOf2_32(numWarps))
    return {llvm::Log2_32(numWarps), numWarps, numWarps};
  ShareDeal deal{0, 1, numWarps};
  for (int64_t extent : countExtents(extents, numWarps)) {
    deal.numBits += llvm::Log2_64_Ceil(extent);
    deal.numShares *= extent;
  }
  return deal;
}

llvm::SmallVector<int64_t>
mlir::mirage::countExtents(llvm::ArrayRef<int64_t> extents, unsigned numWarps) {
  bool roundsUp = llvm::isPowerOf2_32(numWarps);
  llvm::SmallVector<int64_t> counted;
  for (int64_t extent : extents) {
    counted.push_back(roundsUp ? llvm::PowerOf2Ceil(extent) : extent);
    roundsUp |= extent > 1;
  }
  return counted;
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
