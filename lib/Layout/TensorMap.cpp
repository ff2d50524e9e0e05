//===- TensorMap.cpp - Boxes that the copy engine moves -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Layout/TensorMap.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::mirage;
using llvm::Error;
using llvm::formatv;

unsigned mlir::mirage::getSpanBytes(Swizzle swizzle) {
  return swizzle == Swizzle::None ? 0 : 16u << static_cast<unsigned>(swizzle);
}

std::optional<Swizzle> mlir::mirage::findSwizzle(unsigned spanBytes) {
  for (Swizzle swizzle :
       {Swizzle::None, Swizzle::Bytes32, Swizzle::Bytes64, Swizzle::Bytes128})
    if (getSpanBytes(swizzle) == spanBytes)
      return swizzle;
  return std::nullopt;
}

uint64_t mlir::mirage::applySwizzle(Swizzle swizzle, uint64_t sharedAddress,
                                    unsigned firstRow) {
  if (swizzle == Swizzle::None)
    return sharedAddress;
  uint64_t row = (sharedAddress >> 7) - firstRow;
  uint64_t lastPiece = getSpanBytes(swizzle) / 16 - 1;
  return sharedAddress ^ (row & lastPiece) << 4;
}

uint64_t TensorMap::getBoxBytes() const {
  uint64_t bytes = elementBytes;
  for (uint32_t side : box)
    bytes *= side;
  return bytes;
}

uint64_t TensorMap::getRowPitchBytes() const {
  return std::max<uint64_t>(uint64_t(box.front()) * elementBytes,
                            getSpanBytes(swizzle));
}

uint64_t TensorMap::getSharedBytes() const {
  return getBoxBytes() / (uint64_t(box.front()) * elementBytes) *
         getRowPitchBytes();
}

uint64_t TensorMap::getTensorBytes() const {
  uint64_t bytes = sizes.front() * elementBytes;
  for (auto [size, stride] : llvm::zip_equal(llvm::ArrayRef(sizes).drop_front(),
                                             llvm::ArrayRef(strideBytes)))
    bytes = llvm::SaturatingMultiplyAdd(size - 1, stride, bytes);
  return bytes;
}

template <typename... Values>
static Error fail(const char *format, Values &&...values) {
  return llvm::createStringError("tensor map: " +
                                 formatv(format, values...).str());
}

static Error checkDimension(const TensorMap &map, unsigned dim) {
  constexpr uint64_t maxSize = uint64_t(1) << 32, maxStride = uint64_t(1) << 40;
  if (map.sizes[dim] == 0 || map.sizes[dim] > maxSize)
    return fail("expects sizes of 1 to 2^32, got {0} for dimension {1}",
                map.sizes[dim], dim);
  if (map.box[dim] == 0 || map.box[dim] > 256)
    return fail("expects boxes of 1 to 256 elements along a dimension, got {0} "
                "along dimension {1}",
                map.box[dim], dim);
  if (dim == 0)
    return Error::success();
  uint64_t stride = map.strideBytes[dim - 1];
  if (stride % 16 != 0 || stride >= maxStride)
    return fail(
        "expects strides that are multiples of 16 bytes below 2^40, got "
        "{0} for dimension {1}",
        stride, dim);
  return Error::success();
}

Error TensorMap::check() const {
  if (sizes.empty() || sizes.size() > 5)
    return fail("expects 1 to 5 dimensions, got {0}", sizes.size());
  if (box.size() != sizes.size() || strideBytes.size() + 1 != sizes.size())
    return fail(
        "expects a box side for each of {0} dimensions and a stride for "
        "each but the first, got {1} and {2}",
        sizes.size(), box.size(), strideBytes.size());
  if (!llvm::is_contained({1u, 2u, 4u, 8u}, elementBytes))
    return fail("expects elements of 1, 2, 4 or 8 bytes, got {0}",
                elementBytes);
  for (unsigned dim = 0; dim < getRank(); ++dim)
    if (Error error = checkDimension(*this, dim))
      return error;
  uint64_t rowBytes = uint64_t(box.front()) * elementBytes;
  if (rowBytes % 16 != 0)
    return fail("expects rows of a box of a multiple of 16 bytes, got {0}",
                rowBytes);
  unsigned span = getSpanBytes(swizzle);
  if (span != 0 && rowBytes > span)
    return fail(
        "expects rows of a box of at most the {0} bytes of its swizzle, "
        "got {1}",
        span, rowBytes);
  // Offsets in the tensor are signed.
  if (getTensorBytes() > INT64_MAX)
    return fail("expects a tensor of less than 2^63 bytes, got a larger one");
  return Error::success();
}

namespace {

/// Walks the rows of a box.
class BoxWalk {
public:
  BoxWalk(const TensorMap &map, llvm::ArrayRef<int32_t> coordinates,
          uint64_t sharedAddress, llvm::SmallVectorImpl<BoxPiece> &pieces)
      : map(map), coordinates(coordinates), shared(sharedAddress),
        pieces(pieces) {}

  void run() { walk(map.getRank() - 1, 0, true); }

private:
  /// All rows of the dimensions up to `dim`; `offset` is that of the
  /// coordinates above it, if they lie inside of the tensor.
  void walk(unsigned dim, uint64_t offset, bool isInside) {
    if (dim == 0)
      return addRow(offset, isInside);
    for (uint32_t i = 0; i < map.box[dim]; ++i) {
      int64_t at = int64_t(coordinates[dim]) + i;
      bool isIn = at >= 0 && uint64_t(at) < map.sizes[dim];
      walk(dim - 1, offset + (isIn ? at * map.strideBytes[dim - 1] : 0),
           isInside && isIn);
    }
  }

  void addRow(uint64_t offset, bool isInside) {
    uint32_t rowBytes = map.box.front() * map.elementBytes;
    int64_t first = int64_t(coordinates.front()) * map.elementBytes;
    int64_t size = map.sizes.front() * map.elementBytes;
    uint32_t step = map.swizzle == Swizzle::None ? rowBytes : 16;
    for (uint32_t begin = 0; begin < rowBytes; begin += step) {
      int64_t at = first + begin;
      uint64_t to = applySwizzle(map.swizzle, shared + begin);
      // Elements before the tensor, in it, behind it.
      uint32_t before = std::clamp<int64_t>(-at, 0, step);
      uint32_t behind = std::clamp<int64_t>(size - at, before, step);
      if (!isInside)
        before = behind = step;
      add(to, BoxPiece::kOutside, before);
      add(to + before, int64_t(offset) + at + before, behind - before);
      add(to + behind, BoxPiece::kOutside, step - behind);
    }
    shared += map.getRowPitchBytes();
  }

  void add(uint64_t to, int64_t from, uint32_t bytes) {
    if (bytes != 0)
      pieces.push_back({to, from, bytes});
  }

  const TensorMap &map;
  llvm::ArrayRef<int32_t> coordinates;
  uint64_t shared;
  llvm::SmallVectorImpl<BoxPiece> &pieces;
};

} // namespace

void mlir::mirage::listBoxPieces(const TensorMap &map,
                                 llvm::ArrayRef<int32_t> coordinates,
                                 uint64_t sharedAddress,
                                 llvm::SmallVectorImpl<BoxPiece> &pieces) {
  BoxWalk(map, coordinates, sharedAddress, pieces).run();
}
