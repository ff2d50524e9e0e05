//===- FragmentRules.cpp - What operations ask of layouts -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Layout/FragmentRules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/Twine.h"

using namespace mlir::mirage;

static constexpr LayoutInput kExchanged[] = {LayoutInput::Lane,
                                             LayoutInput::Warp};

static llvm::StringRef getInputName(LayoutInput input) {
  switch (input) {
  case LayoutInput::Register:
    return "register";
  case LayoutInput::Lane:
    return "lane";
  case LayoutInput::Warp:
    return "warp";
  }
  return "";
}

static bool isZero(llvm::ArrayRef<int64_t> image) {
  return llvm::all_of(image,
                      [](int64_t coordinate) { return coordinate == 0; });
}

llvm::SmallVector<int>
mlir::mirage::getBroadcastDims(llvm::ArrayRef<int64_t> operand, unsigned rank) {
  llvm::SmallVector<int> dims;
  int offset = static_cast<int>(rank) - static_cast<int>(operand.size());
  for (auto [dim, size] : llvm::enumerate(operand))
    dims.push_back(size == 1 ? -1 : offset + static_cast<int>(dim));
  return dims;
}

llvm::Error mlir::mirage::checkLanesAgree(const LinearLayout &operand,
                                          const LinearLayout &result,
                                          llvm::ArrayRef<int> dims) {
  LinearLayout needed = result.project(dims);
  for (LayoutInput input : kExchanged) {
    llvm::ArrayRef<Coordinates> have = operand.getBases(input);
    llvm::ArrayRef<Coordinates> need = needed.getBases(input);
    if (have.size() != need.size())
      return llvm::createStringError(
          "expects an operand and a result with as many " +
          getInputName(input) + " bits, got " + llvm::Twine(have.size()) +
          " and " + llvm::Twine(need.size()));
    for (unsigned bit = 0; bit < have.size(); ++bit)
      if (have[bit] != need[bit])
        return llvm::createStringError(
            "expects an operand and a result whose lanes hold the same "
            "elements, got layouts that differ in " +
            getInputName(input) + " bit " + llvm::Twine(bit));
  }
  for (auto [bit, image] :
       llvm::enumerate(needed.getBases(LayoutInput::Register)))
    if (!operand.findRegister(image))
      return llvm::createStringError(
          "expects an operand that a lane holds as it holds the result, got "
          "none for register " +
          llvm::Twine(1u << bit));
  return llvm::Error::success();
}

LinearLayout mlir::mirage::reduceLayout(const LinearLayout &operand,
                                        llvm::ArrayRef<int64_t> dims) {
  auto kept = llvm::to_vector(llvm::seq<int>(operand.getRank()));
  for (int64_t dim : dims)
    kept[dim] = -1;
  return operand.project(kept);
}

llvm::Error mlir::mirage::checkReduction(const LinearLayout &operand,
                                         const LinearLayout &result,
                                         llvm::ArrayRef<int64_t> dims) {
  for (LayoutInput input : {LayoutInput::Register, LayoutInput::Lane}) {
    unsigned redundant = operand.getRedundantBits(input);
    for (auto [bit, image] : llvm::enumerate(operand.getBases(input)))
      if ((redundant >> bit & 1) && !isZero(image))
        return llvm::createStringError(
            "expects a reduced fragment whose elements are held "
            "once, or by lanes with equal elements");
  }
  // Lanes are joined bit by bit: those that differ in one are to hold elements
  // of one sum, or of others.
  auto isReduced = [&](unsigned dim) { return llvm::is_contained(dims, dim); };
  for (const Coordinates &image : operand.getBases(LayoutInput::Lane)) {
    bool joins = false, keeps = false;
    for (auto [dim, coordinate] : llvm::enumerate(image))
      (isReduced(dim) ? joins : keeps) |= coordinate != 0;
    if (joins && keeps)
      return llvm::createStringError(
          "expects lane bits that stand for reduced dimensions, or for others, "
          "not for both");
  }
  if (!(result == reduceLayout(operand, dims)))
    return llvm::createStringError(
        "expects a result that its lanes hold as they hold the "
        "operand, with size 1 along the reduced dimensions");
  return llvm::Error::success();
}

/// Row and column of an image: its last two coordinates.
static std::pair<int64_t, int64_t> getMatrixImage(const Coordinates &image) {
  return {image.end()[-2], image.back()};
}

llvm::Error mlir::mirage::checkDotProducts(const LinearLayout &lhs,
                                           const LinearLayout &rhs,
                                           const LinearLayout &result) {
  auto error = [] {
    return llvm::createStringError(
        "expects fragments in which a lane holds all of k for its rows and "
        "columns");
  };
  for (unsigned bit = 0; bit < kLaneBits; ++bit) {
    auto image = [bit](const LinearLayout &layout) {
      return getMatrixImage(layout.getBases(LayoutInput::Lane)[bit]);
    };
    auto [row, column] = image(result);
    if (image(lhs) != std::make_pair(row, int64_t(0)) ||
        image(rhs) != std::make_pair(int64_t(0), column))
      return error();
  }
  // Registers of lane 0 hold the same of all lanes, displaced by their images.
  int64_t numK = lhs.getShape().back();
  for (unsigned number = 0; number < result.getNumRegisters(); ++number)
    for (int64_t k = 0; k < numK; ++k) {
      Coordinates element = result.apply(number);
      Coordinates left(lhs.getRank(), 0), right(rhs.getRank(), 0);
      left.end()[-2] = element.end()[-2];
      left.back() = k;
      right.end()[-2] = k;
      right.back() = element.back();
      if (!lhs.findRegister(left) || !rhs.findRegister(right))
        return error();
    }
  return llvm::Error::success();
}

std::optional<unsigned>
mlir::mirage::findShuffleMask(const LinearLayout &layout,
                              llvm::ArrayRef<int64_t> offset) {
  for (unsigned mask = 0; mask < 1u << kLaneBits; ++mask)
    if (llvm::ArrayRef<int64_t>(layout.apply(0, mask)) == offset)
      return mask;
  return std::nullopt;
}
