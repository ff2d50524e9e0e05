//===- TensorMapTest.cpp - Boxes that the copy engine moves ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Layout/TensorMap.h"
#include "gtest/gtest.h"
#include <map>

using namespace mlir::mirage;

namespace {

TensorMap plain(std::initializer_list<uint64_t> sizes,
                std::initializer_list<uint32_t> box,
                Swizzle swizzle = Swizzle::None, unsigned elementBytes = 2) {
  TensorMap map;
  map.elementBytes = elementBytes;
  map.sizes = sizes;
  map.box = box;
  map.swizzle = swizzle;
  uint64_t stride = elementBytes;
  for (unsigned dim = 0; dim + 1 < map.getRank(); ++dim)
    map.strideBytes.push_back(stride *= map.sizes[dim]);
  return map;
}

std::string errorOf(const TensorMap &map) {
  return llvm::toString(map.check());
}

/// By shared byte, the byte of the tensor (or -1): computed from the
/// definition, one element at a time.
std::map<uint64_t, int64_t> expectedBytes(const TensorMap &map,
                                          llvm::ArrayRef<int32_t> coordinates,
                                          uint64_t sharedAddress) {
  std::map<uint64_t, int64_t> bytes;
  uint64_t numElements = map.getBoxBytes() / map.elementBytes;
  for (uint64_t element = 0; element < numElements; ++element) {
    uint64_t rest = element, row = 0, rowFactor = 1;
    int64_t global = 0;
    bool isInside = true;
    for (unsigned dim = 0; dim < map.getRank(); ++dim) {
      uint64_t inBox = rest % map.box[dim];
      rest /= map.box[dim];
      if (dim > 0) {
        row += inBox * rowFactor;
        rowFactor *= map.box[dim];
      }
      int64_t at = coordinates[dim] + int64_t(inBox);
      isInside &= at >= 0 && at < int64_t(map.sizes[dim]);
      global += at * int64_t(dim ? map.strideBytes[dim - 1] : map.elementBytes);
    }
    for (unsigned byte = 0; byte < map.elementBytes; ++byte) {
      uint64_t place = sharedAddress + row * map.getRowPitchBytes() +
                       element % map.box[0] * map.elementBytes + byte;
      bytes[applySwizzle(map.swizzle, place)] = isInside ? global + byte : -1;
    }
  }
  return bytes;
}

void expectPieces(const TensorMap &map, llvm::ArrayRef<int32_t> coordinates,
                  uint64_t sharedAddress) {
  ASSERT_EQ(errorOf(map), "");
  llvm::SmallVector<BoxPiece> pieces;
  listBoxPieces(map, coordinates, sharedAddress, pieces);
  std::map<uint64_t, int64_t> found;
  for (const BoxPiece &piece : pieces)
    for (uint32_t byte = 0; byte < piece.bytes; ++byte) {
      bool isNew = found
                       .insert({piece.shared + byte,
                                piece.global < 0 ? -1 : piece.global + byte})
                       .second;
      EXPECT_TRUE(isNew) << piece.shared + byte;
    }
  EXPECT_EQ(found, expectedBytes(map, coordinates, sharedAddress));
  EXPECT_EQ(found.size(), map.getBoxBytes());
}

TEST(TensorMapTest, PiecesAreTheBox) {
  expectPieces(plain({72, 100}, {64, 8}), {0, 0}, 1024);
  expectPieces(plain({128, 16}, {64, 16}, Swizzle::Bytes128), {64, 0}, 4096);
  expectPieces(plain({64, 16, 4}, {16, 4, 2}, Swizzle::Bytes32), {16, 4, 1}, 0);
  expectPieces(plain({32, 64}, {32, 8}, Swizzle::Bytes64), {0, 8}, 512);
  expectPieces(plain({256}, {256}, Swizzle::None, 4), {0}, 128);
  expectPieces(plain({16, 3, 3, 3, 3}, {16, 2, 2, 2, 2}, Swizzle::None, 1),
               {0, 1, 2, 0, 1}, 0);
}

TEST(TensorMapTest, PiecesOutsideOfTheTensor) {
  for (Swizzle swizzle : {Swizzle::None, Swizzle::Bytes128}) {
    expectPieces(plain({72, 100}, {64, 8}, swizzle), {64, 96}, 1024);
    expectPieces(plain({72, 100}, {64, 8}, swizzle), {-3, -2}, 1024);
    expectPieces(plain({72, 100}, {64, 8}, swizzle), {200, 0}, 1024);
    expectPieces(plain({8, 2}, {64, 8}, swizzle), {-1, -1}, 1024);
    expectPieces(plain({8, 2}, {64, 8}, swizzle), {INT32_MAX, INT32_MIN}, 0);
  }
}

TEST(TensorMapTest, PatternCountsFromAddressZero) {
  expectPieces(plain({64, 64}, {64, 8}, Swizzle::Bytes128), {0, 0}, 1024 + 384);
  EXPECT_EQ(applySwizzle(Swizzle::Bytes128, 128), 128u + 16);
  EXPECT_EQ(applySwizzle(Swizzle::Bytes64, 128 * 5), 128u * 5 + 16);
  EXPECT_EQ(applySwizzle(Swizzle::Bytes32, 128 * 3), 128u * 3 + 16);
}

TEST(TensorMapTest, NarrowRowsKeepThePitchOfTheSwizzle) {
  TensorMap map = plain({64, 64}, {16, 8}, Swizzle::Bytes128);
  EXPECT_EQ(map.getBoxBytes(), 16u * 2 * 8);
  EXPECT_EQ(map.getSharedBytes(), 128u * 8);
  expectPieces(map, {16, 0}, 1024);
}

TEST(TensorMapTest, RulesAreNamed) {
  EXPECT_EQ(errorOf(plain({}, {})),
            "tensor map: expects 1 to 5 dimensions, got 0");
  EXPECT_EQ(errorOf(plain({8, 8}, {8})),
            "tensor map: expects a box side for each of 2 dimensions and a "
            "stride for each but the first, got 1 and 1");
  EXPECT_EQ(errorOf(plain({8}, {8}, Swizzle::None, 3)),
            "tensor map: expects elements of 1, 2, 4 or 8 bytes, got 3");
  EXPECT_EQ(errorOf(plain({0}, {8})),
            "tensor map: expects sizes of 1 to 2^32, got 0 for dimension 0");
  EXPECT_EQ(errorOf(plain({64, 512}, {8, 257})),
            "tensor map: expects boxes of 1 to 256 elements along a dimension, "
            "got 257 along dimension 1");
  EXPECT_EQ(errorOf(plain({9, 8}, {8, 8})),
            "tensor map: expects strides that are multiples of 16 bytes below "
            "2^40, got 18 for dimension 1");
  EXPECT_EQ(
      errorOf(plain({64, 8}, {4, 8})),
      "tensor map: expects rows of a box of a multiple of 16 bytes, got 8");
  EXPECT_EQ(errorOf(plain({128, 8}, {128, 8}, Swizzle::Bytes128)),
            "tensor map: expects rows of a box of at most the 128 bytes of its "
            "swizzle, got 256");
}

TEST(TensorMapTest, TensorsThatNoAddressReachesAreRefused) {
  TensorMap map{2, {64, 1 << 23}, {uint64_t(1) << 39}, {64, 1}};
  EXPECT_EQ(errorOf(map), "");
  EXPECT_EQ(map.getTensorBytes(),
            ((uint64_t(1) << 62) - (uint64_t(1) << 39)) + 128);
  // A little more than 2^63, and more than 2^64: in a product, and in a sum.
  for (auto [rows, others] : {std::pair(1 << 24, 2), std::pair(1 << 26, 1),
                              std::pair(1 << 25, 1 << 25)}) {
    map.sizes = {64, uint64_t(rows) + 1, uint64_t(others)};
    map.strideBytes = {uint64_t(1) << 39, uint64_t(1) << 39};
    map.box = {64, 1, 1};
    EXPECT_EQ(errorOf(map), "tensor map: expects a tensor of less than 2^63 "
                            "bytes, got a larger one");
  }
}

} // namespace
