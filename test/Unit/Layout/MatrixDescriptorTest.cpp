//===- MatrixDescriptorTest.cpp - Operands of wgmma in shared memory ------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Layout/MatrixDescriptor.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir::mirage;

namespace {

const Swizzle swizzles[] = {Swizzle::None, Swizzle::Bytes32, Swizzle::Bytes64,
                            Swizzle::Bytes128};

TEST(MatrixDescriptor, BitsAreThoseOfTheISA) {
  // Worked by hand: start 0x2000, leading 16, stride 1024, 128-byte swizzle.
  MatrixDescriptor descriptor;
  descriptor.start = 0x2000;
  descriptor.leadingBytes = 16;
  descriptor.strideBytes = 1024;
  descriptor.swizzle = Swizzle::Bytes128;
  EXPECT_EQ(descriptor.encode(), 0x4000004000010200u);
  descriptor.baseOffset = 5;
  EXPECT_EQ(descriptor.encode(), 0x400a004000010200u);
  descriptor.swizzle = Swizzle::Bytes64;
  EXPECT_EQ(descriptor.encode() >> 62, 2u);
  descriptor.swizzle = Swizzle::Bytes32;
  EXPECT_EQ(descriptor.encode() >> 62, 3u);
}

TEST(MatrixDescriptor, DecodeIsTheInverseOfEncode) {
  for (Swizzle swizzle : swizzles)
    for (uint32_t start : {0u, 16u, 0x3fff0u})
      for (uint32_t leading : {0u, 128u, 0x3fff0u})
        for (uint32_t stride : {16u, 1040u, 0x3fff0u})
          for (uint8_t base : {0, 3, 7}) {
            MatrixDescriptor descriptor{start, leading, stride, swizzle, base};
            EXPECT_FALSE(bool(descriptor.check()));
            MatrixDescriptor back =
                MatrixDescriptor::decode(descriptor.encode());
            EXPECT_EQ(back.start, start);
            EXPECT_EQ(back.leadingBytes, leading);
            EXPECT_EQ(back.strideBytes, stride);
            EXPECT_EQ(back.swizzle, swizzle);
            EXPECT_EQ(back.baseOffset, base);
          }
}

TEST(MatrixDescriptor, WhatItCannotHoldIsRefused) {
  auto errorOf = [](MatrixDescriptor descriptor) {
    return llvm::toString(descriptor.check());
  };
  EXPECT_NE(errorOf({8, 0, 0}).find("expected a start that is a multiple of "
                                    "16 below 2^18, got 8"),
            std::string::npos);
  EXPECT_NE(errorOf({0, 1 << 18, 0}).find("leading stride"), std::string::npos);
  EXPECT_NE(errorOf({0, 0, 24}).find("expected a stride"), std::string::npos);
  EXPECT_NE(errorOf({0, 0, 0, Swizzle::None, 8}).find("base offset"),
            std::string::npos);
}

/// What TMA has written is what the descriptor finds: a box of rows of W bytes
/// holds `8 * atoms` rows; its element (row, byte) is looked for in both.
TEST(MatrixDescriptor, FindsWhatTmaWrote) {
  for (Swizzle swizzle :
       {Swizzle::Bytes32, Swizzle::Bytes64, Swizzle::Bytes128})
    for (uint32_t tile : {0u, 1024u, 128u, 640u}) {
      unsigned span = getSpanBytes(swizzle);
      for (unsigned step = 0; step < span / 32; ++step)
        for (unsigned row = 0; row < 48; ++row)
          for (unsigned k = 0; k < 16; ++k) {
            MatrixDescriptor descriptor{tile + 32 * step, 0, 8 * span, swizzle};
            uint32_t byte = tile + row * span + 32 * step + 2 * k;
            EXPECT_EQ(getPieceAddress(descriptor, MatrixMajor::K, row, k, 2),
                      applySwizzle(swizzle, byte) / 16 * 16);
          }
      // MN-major: rows of memory are k, atoms of W bytes of mn side by side.
      unsigned atomBytes = 32 * span;
      for (unsigned k = 0; k < 16; ++k)
        for (unsigned mn = 0; mn < 128; ++mn) {
          MatrixDescriptor descriptor{tile, atomBytes, 8 * span, swizzle};
          uint32_t byte =
              tile + mn * 2 / span * atomBytes + k * span + mn * 2 % span;
          EXPECT_EQ(getPieceAddress(descriptor, MatrixMajor::MN, mn, k, 2),
                    applySwizzle(swizzle, byte) / 16 * 16);
        }
    }
}

TEST(MatrixDescriptor, StridesWithoutSwizzle) {
  MatrixDescriptor descriptor{256, 4096, 144};
  // 8x16-byte pieces: rows 16 bytes apart, 8 rows by the stride, k by leading.
  EXPECT_EQ(getPieceAddress(descriptor, MatrixMajor::K, 11, 9, 2),
            256u + 3 * 16 + 144 + 4096);
  EXPECT_EQ(getPieceAddress(descriptor, MatrixMajor::K, 11, 9, 1),
            256u + 3 * 16 + 144);
  EXPECT_EQ(getPieceAddress(descriptor, MatrixMajor::K, 11, 5, 4),
            256u + 3 * 16 + 144 + 4096);
  // The strides trade places.
  EXPECT_EQ(getPieceAddress(descriptor, MatrixMajor::MN, 17, 11, 2),
            256u + 2 * 144 + 3 * 16 + 4096);
}

TEST(MatrixDescriptor, BaseOffsetCountsThePatternFromTheTile) {
  // The pattern of a tile at 0, moved as a whole to a start off the period.
  for (Swizzle swizzle :
       {Swizzle::Bytes32, Swizzle::Bytes64, Swizzle::Bytes128})
    for (uint32_t start : {128u, 256u, 640u}) {
      unsigned span = getSpanBytes(swizzle);
      MatrixDescriptor atZero{0, 0, 8 * span, swizzle};
      MatrixDescriptor moved{start, 0, 8 * span, swizzle,
                             uint8_t(start >> 7 & 7)};
      for (unsigned row = 0; row < 64; ++row)
        for (unsigned k : {0, 8})
          EXPECT_EQ(getPieceAddress(moved, MatrixMajor::K, row, k, 2),
                    start + getPieceAddress(atZero, MatrixMajor::K, row, k, 2));
    }
}

TEST(MatrixDescriptor, PiecesOfATightTileAreDistinct) {
  for (Swizzle swizzle : swizzles)
    for (MatrixMajor major : {MatrixMajor::K, MatrixMajor::MN}) {
      unsigned span = getSpanBytes(swizzle);
      MatrixDescriptor descriptor{1024, 8192, span ? 8 * span : 128, swizzle};
      llvm::SmallVector<uint32_t> pieces;
      listPieces(descriptor, major, 64, 2, pieces);
      EXPECT_EQ(pieces.size(), 64u * 32 / 16);
      EXPECT_EQ(std::set<uint32_t>(pieces.begin(), pieces.end()).size(),
                pieces.size());
    }
}

} // namespace
