//===- MatrixDescriptor.cpp - Operands of wgmma in shared memory ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Layout/MatrixDescriptor.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir::mirage;

/// Modes of bits 62 and 63.
static constexpr Swizzle kModes[] = {Swizzle::None, Swizzle::Bytes128,
                                     Swizzle::Bytes64, Swizzle::Bytes32};

/// 14 bits from `position` on that count pieces.
static uint32_t decodeBytes(uint64_t bits, unsigned position) {
  return (bits >> position & 0x3fff) * kMatrixPieceBytes;
}
static uint64_t encodeBytes(uint32_t bytes, unsigned position) {
  return uint64_t(bytes / kMatrixPieceBytes & 0x3fff) << position;
}

MatrixDescriptor MatrixDescriptor::decode(uint64_t bits) {
  MatrixDescriptor descriptor;
  descriptor.start = decodeBytes(bits, 0);
  descriptor.leadingBytes = decodeBytes(bits, 16);
  descriptor.strideBytes = decodeBytes(bits, 32);
  descriptor.baseOffset = bits >> 49 & 7;
  descriptor.swizzle = kModes[bits >> 62];
  return descriptor;
}

uint64_t MatrixDescriptor::encode() const {
  uint64_t mode = 0;
  while (kModes[mode] != swizzle)
    ++mode;
  return encodeBytes(start, 0) | encodeBytes(leadingBytes, 16) |
         encodeBytes(strideBytes, 32) | uint64_t(baseOffset & 7) << 49 |
         mode << 62;
}

llvm::Error MatrixDescriptor::check() const {
  constexpr uint32_t most = kMatrixStartLimit;
  for (auto [bytes, what] :
       {std::pair(start, "start"), std::pair(leadingBytes, "leading stride"),
        std::pair(strideBytes, "stride")})
    if (bytes % kMatrixPieceBytes != 0 || bytes >= most)
      return llvm::createStringError(
          llvm::formatv("matrix descriptor: expected a {0} that is a multiple "
                        "of 16 below 2^18, got {1}",
                        what, bytes)
              .str());
  if (baseOffset < 8)
    return llvm::Error::success();
  return llvm::createStringError(
      llvm::formatv("matrix descriptor: expected a base offset below 8, got "
                    "{0}",
                    unsigned(baseOffset))
          .str());
}

uint32_t mlir::mirage::getPieceAddress(const MatrixDescriptor &descriptor,
                                       MatrixMajor major, unsigned mn,
                                       unsigned k, unsigned elementBytes) {
  const uint32_t leading = descriptor.leadingBytes;
  const uint32_t stride = descriptor.strideBytes;
  unsigned span = getSpanBytes(descriptor.swizzle);
  uint32_t offset;
  if (major == MatrixMajor::K) {
    unsigned piece = k * elementBytes / 16;
    offset = span ? mn % 8 * span + mn / 8 * stride + piece * 16
                  : mn % 8 * 16 + mn / 8 * stride + piece * leading;
  } else {
    unsigned x = mn * elementBytes / 16 * 16;
    offset = span
                 ? x % span + x / span * leading + k % 8 * span + k / 8 * stride
                 : x / 16 * stride + k % 8 * 16 + k / 8 * leading;
  }
  return applySwizzle(descriptor.swizzle, descriptor.start + offset,
                      /*firstRow=*/descriptor.baseOffset);
}

void mlir::mirage::listPieces(const MatrixDescriptor &descriptor,
                              MatrixMajor major, unsigned extent,
                              unsigned elementBytes,
                              llvm::SmallVectorImpl<uint32_t> &addresses) {
  unsigned perPiece = kMatrixPieceBytes / elementBytes;
  unsigned depth = kMatrixStepBytes / elementBytes;
  if (major == MatrixMajor::K) {
    for (unsigned mn = 0; mn < extent; ++mn)
      for (unsigned k = 0; k < depth; k += perPiece)
        addresses.push_back(
            getPieceAddress(descriptor, major, mn, k, elementBytes));
    return;
  }
  for (unsigned k = 0; k < depth; ++k)
    for (unsigned mn = 0; mn < extent; mn += perPiece)
      addresses.push_back(
          getPieceAddress(descriptor, major, mn, k, elementBytes));
}
