//===- BoxedTileTest.cpp - Tiles whose pieces change places ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Layout/BoxedTile.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir::mirage;

/// Copies a tile box by box, and holds where the engine puts each element
/// against what a `BoxedTile` says of it.
/// \param numBlocks  that share them.
static void expectEngineAgrees(llvm::ArrayRef<int64_t> tensor,
                               llvm::ArrayRef<int64_t> tile,
                               unsigned elementBytes, unsigned numBoxes,
                               unsigned numBlocks = 1) {
  llvm::SmallVector<int64_t> strides(tensor.size(), 1);
  for (unsigned dim = tensor.size() - 1; dim-- > 0;)
    strides[dim] = strides[dim + 1] * tensor[dim + 1];
  std::optional<TileBoxes> boxes =
      findTileBoxes(tensor, strides, tile, elementBytes);
  ASSERT_TRUE(boxes);
  boxes = shareBoxes(*boxes, numBlocks);
  ASSERT_TRUE(boxes);
  EXPECT_FALSE(llvm::errorToBool(boxes->map.check()));
  EXPECT_EQ(boxes->getNumBoxes(), numBoxes);
  BoxedTile boxed = *BoxedTile::find(tile, elementBytes);
  EXPECT_EQ(boxes->map.getSharedBytes() * numBoxes,
            static_cast<uint64_t>(boxed.getBytes()));
  std::map<int64_t, uint64_t> sharedOf; // by byte of the tensor
  for (unsigned box = 0; box < numBoxes; ++box) {
    llvm::SmallVector<int32_t> first(tensor.size(), 0);
    first[0] = box / boxes->numParts * boxes->map.box[0];
    first[1] = box % boxes->numParts * boxes->map.box[1];
    llvm::SmallVector<BoxPiece> pieces;
    listBoxPieces(boxes->map, first, box * boxes->map.getSharedBytes(), pieces);
    for (const BoxPiece &piece : pieces)
      for (uint32_t byte = 0; byte < piece.bytes; ++byte)
        sharedOf[piece.global + byte] = piece.shared + byte;
  }
  int64_t rows = boxed.numRows;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < tile.back(); ++column) {
      int64_t element = column, rest = row;
      for (unsigned dim = tile.size() - 1; dim-- > 0;) {
        element += rest % tile[dim] * strides[dim];
        rest /= tile[dim];
      }
      ASSERT_EQ(sharedOf.at(element * elementBytes),
                static_cast<uint64_t>(boxed.getOffset(row, column)))
          << row << ", " << column;
    }
}

TEST(BoxedTile, LiesAsTheEngineWritesIt) {
  expectEngineAgrees({512, 256}, {64, 64}, 2, 1);
  expectEngineAgrees({512, 256}, {64, 128}, 2, 2); // two panels
  expectEngineAgrees({1024, 96}, {512, 48}, 2, 2); // rows in two parts
  expectEngineAgrees({1024, 512}, {512, 256}, 2, 8);
  expectEngineAgrees({64, 64}, {32, 32}, 2, 1); // a span of 64 bytes
  expectEngineAgrees({64, 64}, {32, 16}, 2, 1); // of 32
  expectEngineAgrees({64, 64}, {32, 8}, 2, 1);  // half of that
  expectEngineAgrees({4, 64, 64}, {2, 32, 64}, 2, 1);
  expectEngineAgrees({64, 256}, {16, 128}, 1, 1);
}

TEST(BoxedTile, BlocksShareAsManyBoxesEach) {
  expectEngineAgrees({512, 256}, {128, 64}, 2, 2, 2);
  expectEngineAgrees({512, 256}, {128, 64}, 2, 16, 16);
  expectEngineAgrees({512, 256}, {64, 128}, 2, 2, 2); // a panel each
  expectEngineAgrees({512, 256}, {64, 128}, 2, 4, 4); // half of one
  expectEngineAgrees({512, 256}, {64, 256}, 2, 4, 2); // two each
  expectEngineAgrees({1024, 96}, {512, 48}, 2, 4, 4); // rows in parts before
  expectEngineAgrees({64, 192}, {64, 192}, 2, 6, 2);  // three panels
  expectEngineAgrees({64, 64}, {32, 32}, 2, 4, 4);    // a span of 64 bytes
  expectEngineAgrees({1, 64, 64}, {1, 32, 64}, 2, 2, 2);
  expectEngineAgrees({4, 64, 128}, {2, 32, 128}, 2, 2, 2); // a panel each
}

TEST(BoxedTile, WhatBlocksCannotShare) {
  auto share = [](llvm::ArrayRef<int64_t> tile, int64_t numBlocks) {
    llvm::SmallVector<int64_t> strides(tile.size(), 1);
    for (unsigned dim = tile.size() - 1; dim-- > 0;)
      strides[dim] = strides[dim + 1] * tile[dim + 1];
    return shareBoxes(*findTileBoxes(tile, strides, tile, 2), numBlocks);
  };
  EXPECT_FALSE(share({24, 64}, 2)); // parts of 12 rows
  EXPECT_TRUE(share({24, 64}, 3));
  EXPECT_FALSE(share({8, 64}, 2));
  EXPECT_TRUE(share({8, 128}, 2));
  EXPECT_FALSE(share({8, 128}, 4));
  EXPECT_FALSE(share({2, 32, 64}, 2)); // rows of two dimensions
}

TEST(BoxedTile, EightRowsOfOnePieceAreInAllBanks) {
  for (int64_t columns : {16, 24, 32, 48, 64, 128}) {
    BoxedTile boxed = *BoxedTile::find({64, columns}, 2);
    for (int64_t column = 0; column < columns; column += 8) {
      std::set<int64_t> pieces;
      for (int64_t row = 0; row < 8; ++row)
        pieces.insert(boxed.getOffset(row, column) % 128 / 16);
      // Rows of 32 bytes: four of them are 128 bytes.
      EXPECT_EQ(pieces.size(), 8u) << columns << " columns";
    }
  }
}

TEST(BoxedTile, ThreadsSwizzleRowsOfAnyMultipleOf32Bytes) {
  for (int64_t rowBytes = 16; rowBytes <= 512; rowBytes += 16) {
    auto swizzled = BoxedTile::findOfThreads({23, rowBytes / 2}, 2);
    EXPECT_EQ(swizzled.has_value(), rowBytes % 32 == 0) << rowBytes;
    auto getOffset = [&](int64_t row, int64_t column) {
      return swizzled ? swizzled->getOffset(row, column)
                      : row * rowBytes + column * 2;
    };
    // Eight rows of one piece are in all banks, wherever the first one is.
    for (int64_t first = 0; first + 8 <= 23; ++first)
      for (int64_t column = 0; column < rowBytes / 2; column += 8) {
        std::set<int64_t> pieces;
        for (int64_t row = first; row < first + 8; ++row)
          pieces.insert(getOffset(row, column) % 128 / 16);
        EXPECT_EQ(pieces.size(), 8u) << rowBytes << " bytes, row " << first;
      }
    // Rows are whole, one behind the other, and pieces in their spans.
    std::set<int64_t> offsets;
    for (int64_t row = 0; row < 23; ++row)
      for (int64_t column = 0; column < rowBytes / 2; ++column) {
        int64_t offset = getOffset(row, column);
        offsets.insert(offset);
        EXPECT_EQ(offset / rowBytes, row);
        EXPECT_EQ(offset % 16, column * 2 % 16);
      }
    EXPECT_EQ(int64_t(offsets.size()), 23 * rowBytes / 2);
    if (swizzled)
      EXPECT_EQ(swizzled->getBytes(), 23 * rowBytes);
  }
}

TEST(BoxedTile, ThreadsSwizzleWhatIsOneSpanAsTheEngineDoes) {
  for (int64_t columns : {16, 32, 64}) {
    BoxedTile boxed = *BoxedTile::find({24, columns}, 2);
    BoxedTile swizzled = *BoxedTile::findOfThreads({24, columns}, 2);
    for (int64_t row = 0; row < 24; ++row)
      for (int64_t column = 0; column < columns; ++column)
        EXPECT_EQ(swizzled.getOffset(row, column),
                  boxed.getOffset(row, column));
  }
}

TEST(BoxedTile, FreeBytesMakeRowsSpans) {
  EXPECT_EQ(BoxedTile::find({16, 48}, 2)->getRowPadding(), 32);
  EXPECT_EQ(BoxedTile::find({16, 64}, 2)->getRowPadding(), 0);
  EXPECT_EQ(BoxedTile::find({16, 128}, 2)->getRowPadding(), 0);
  EXPECT_EQ(BoxedTile::find({16, 8}, 2)->getRowPadding(), 16);
}

TEST(BoxedTile, WhatTheEngineCannotLoad) {
  EXPECT_FALSE(BoxedTile::find({16, 12}, 2)); // rows of 24 bytes
  EXPECT_FALSE(BoxedTile::find({16, 96}, 2)); // a panel and a half
  // A pattern and a half is for threads, not for the engine.
  EXPECT_TRUE(BoxedTile::find({12, 64}, 2));
  EXPECT_FALSE(findTileBoxes({48, 64}, {64, 1}, {12, 64}, 2));
  EXPECT_TRUE(findTileBoxes({64, 64}, {64, 1}, {16, 64}, 2));
  EXPECT_FALSE(findTileBoxes({64, 64}, {1, 64}, {16, 64}, 2)); // across rows
  EXPECT_FALSE(findTileBoxes({64, 60}, {60, 1}, {16, 64}, 2)); // 120 bytes
  EXPECT_FALSE(findTileBoxes({64, 64}, {0, 1}, {16, 64}, 2));  // one row
  EXPECT_FALSE(findTileBoxes({2, 512, 64}, {512 * 64, 64, 1}, {2, 512, 64}, 2));
  EXPECT_FALSE(findTileBoxes({600, 64}, {64, 1}, {264, 64}, 2)); // parts of 132
  // A dimension of one element has no stride that anybody uses.
  EXPECT_TRUE(findTileBoxes({1, 64, 64}, {1, 64, 1}, {1, 16, 64}, 2));
}
