//===- BoxedTile.cpp - Tiles whose pieces change places -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Layout/BoxedTile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir::mirage;

static constexpr int64_t kPieceBytes = BoxedTile::kPieceBytes;
static constexpr int64_t kLargestSpan = 128;

static int64_t countRows(llvm::ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), std::prev(shape.end()), int64_t(1),
                         std::multiplies<int64_t>());
}

std::optional<BoxedTile> BoxedTile::find(llvm::ArrayRef<int64_t> shape,
                                         unsigned elementBytes) {
  if (shape.empty())
    return std::nullopt;
  int64_t rowBytes = shape.back() * elementBytes;
  bool areRowsWhole =
      rowBytes % (rowBytes > kLargestSpan ? kLargestSpan : kPieceBytes) == 0;
  if (!areRowsWhole)
    return std::nullopt;
  // 16 bytes have no swizzle of their own.
  int64_t span = std::clamp<int64_t>(llvm::PowerOf2Ceil(rowBytes),
                                     2 * kPieceBytes, kLargestSpan);
  return BoxedTile{countRows(shape), shape.back(), elementBytes,
                   *findSwizzle(span), span / elementBytes};
}

std::optional<BoxedTile> BoxedTile::findOfThreads(llvm::ArrayRef<int64_t> shape,
                                                  unsigned elementBytes) {
  if (shape.empty())
    return std::nullopt;
  int64_t span = std::gcd(shape.back() * elementBytes, kLargestSpan);
  if (span < 2 * kPieceBytes)
    return std::nullopt;
  return BoxedTile{countRows(shape), shape.back(), elementBytes,
                   *findSwizzle(span), shape.back()};
}

int64_t BoxedTile::getRowsOfOrder() const {
  return kLargestSpan / getSpanBytes(swizzle);
}

int64_t BoxedTile::getNumOrders() const {
  return getSpanBytes(swizzle) / kPieceBytes;
}

int64_t BoxedTile::getNumPanels() const {
  return llvm::divideCeil(rowElements, pitchElements);
}

int64_t BoxedTile::getRowPadding() const {
  int64_t missing = getNumPanels() * pitchElements - rowElements;
  return missing * elementBytes;
}

int64_t BoxedTile::getBytes() const {
  return getNumPanels() * numRows * pitchElements * elementBytes;
}

int64_t BoxedTile::getOffset(int64_t row, int64_t column) const {
  int64_t order = row / getRowsOfOrder() % getNumOrders();
  int64_t inRow =
      (column % pitchElements * elementBytes) ^ (order * kPieceBytes);
  int64_t rowsBefore = column / pitchElements * numRows + row;
  return rowsBefore * pitchElements * elementBytes + inRow;
}

/// The largest side of a box along which the rows of a tile are cut.
static std::optional<int64_t> findBoxRows(int64_t rows) {
  constexpr int64_t kLargestSide = 256;
  int64_t numParts = llvm::divideCeil(rows, kLargestSide);
  // Each part begins with the pattern.
  if (rows % (numParts * BoxedTile::kPatternRows) != 0)
    return numParts == 1 ? std::optional(rows) : std::nullopt;
  return rows / numParts;
}

std::optional<TileBoxes> mlir::mirage::findTileBoxes(
    llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides,
    llvm::ArrayRef<int64_t> tile, unsigned elementBytes) {
  std::optional<BoxedTile> boxed = BoxedTile::find(tile, elementBytes);
  unsigned rank = tile.size();
  // Where rows are no multiple of the pattern, panels would not be aligned.
  bool areAligned = boxed && boxed->numRows % BoxedTile::kPatternRows == 0;
  if (!areAligned || rank < 2 || strides.back() != 1)
    return std::nullopt;
  TileBoxes boxes;
  boxes.map.elementBytes = elementBytes;
  boxes.map.swizzle = boxed->swizzle;
  boxes.numPanels = boxed->getNumPanels();
  for (unsigned dim = rank; dim-- > 0;) {
    boxes.map.sizes.push_back(sizes[dim]);
    boxes.map.box.push_back(tile[dim]);
    if (dim + 1 == rank)
      continue;
    // Where there is one element there is no way to the next.
    int64_t bytes = sizes[dim] == 1 ? kPieceBytes : strides[dim] * elementBytes;
    if (bytes <= 0)
      return std::nullopt;
    boxes.map.strideBytes.push_back(bytes);
  }
  boxes.map.box.front() = std::min(boxed->rowElements, boxed->pitchElements);
  if (boxed->numRows == tile[rank - 2]) {
    std::optional<int64_t> rows = findBoxRows(boxed->numRows);
    if (!rows)
      return std::nullopt;
    boxes.map.box[1] = *rows;
    boxes.numParts = boxed->numRows / *rows;
  }
  if (llvm::errorToBool(boxes.map.check()))
    return std::nullopt;
  return boxes;
}

std::optional<TileBoxes> mlir::mirage::shareBoxes(TileBoxes boxes,
                                                  int64_t numBlocks) {
  int64_t numBoxes = boxes.getNumBoxes(),
          numCuts = numBlocks / std::gcd(numBoxes, numBlocks);
  if (numCuts == 1)
    return boxes;
  bool hasPlainRows = llvm::all_of(llvm::drop_begin(boxes.map.box, 2),
                                   [](int64_t extent) { return extent == 1; });
  if (!hasPlainRows ||
      boxes.map.box[1] % (numCuts * BoxedTile::kPatternRows) != 0)
    return std::nullopt;
  boxes.map.box[1] /= numCuts;
  boxes.numParts *= numCuts;
  return boxes;
}
