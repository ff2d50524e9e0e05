//===- MatrixDescriptor.h - Operands of wgmma in shared memory --*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma (PTX ISA 9.7.15.5.1) reads an operand from shared memory in pieces of
// 16 bytes, and a descriptor of 64 bits says where each lies: a start, two
// strides and a swizzle. A piece runs along k (K-major) or along the dimension
// that the product keeps, m or n (MN-major). One instruction takes 32 bytes of
// k. An f16 operand of 64 rows in rows of 128 bytes, K-major, as TMA writes a
// box with the swizzle of 128 bytes:
//
//   8 rows are an atom of 1024 bytes, the next 8 rows lie `stride` = 1024 on;
//   the k step i of the tile starts 32 i bytes behind the tile;
//   row 3, bytes 16-31 of k:  start + 3 * 128 + 16, bits 4-6 xor bits 7-9
//
// In full, with x the byte along the piece's direction and W the span of the
// swizzle, an element lies at
//
//   K-major, no swizzle    mn%8*16 + mn/8*stride + x/16*leading + x%16
//   K-major, swizzle       mn%8*W  + mn/8*stride + x
//   MN-major, no swizzle   x%16 + x/16*stride + k%8*16 + k/8*leading
//   MN-major, swizzle      x%W  + x/W*leading + k%8*W  + k/8*stride
//
// from the start on, and the swizzle is applied to the whole address. So
// `leading` and `stride` trade places in MN-major operands. Measured on an
// H200.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LAYOUT_MATRIXDESCRIPTOR_H
#define MIRAGE_LAYOUT_MATRIXDESCRIPTOR_H

#include "Mirage/Layout/TensorMap.h"

namespace mlir::mirage {

/// Bytes of k that one wgmma takes, and bytes of a piece.
constexpr unsigned kMatrixStepBytes = 32;
constexpr unsigned kMatrixPieceBytes = 16;
/// What starts and strides are below.
constexpr unsigned kMatrixStartLimit = 1 << 18;

struct MatrixDescriptor {
  /// In bytes, multiples of 16 below `kMatrixStartLimit`.
  uint32_t start = 0, leadingBytes = 0, strideBytes = 0;
  Swizzle swizzle = Swizzle::None;
  /// 0 where the swizzle is that of the absolute address, as TMA's is. Where
  /// the pattern was counted from the tile's own start: `start >> 7 & 7`.
  uint8_t baseOffset = 0;

  static MatrixDescriptor decode(uint64_t bits);
  uint64_t encode() const;

  /// Fails unless `encode` can hold it.
  llvm::Error check() const;
};

/// Which direction the pieces of an operand run along.
enum class MatrixMajor : uint8_t { K, MN };

/// The shared address of the piece that holds element (mn, k).
/// \param mn  the row of the left operand, the column of the right one.
/// \param k   inside of the instruction's 32 bytes.
/// \param elementBytes  1, 2 or 4; MN-major operands have 2.
uint32_t getPieceAddress(const MatrixDescriptor &descriptor, MatrixMajor major,
                         unsigned mn, unsigned k, unsigned elementBytes);

/// All pieces of an operand of `extent` rows (or columns; a multiple of 8):
/// K-major, two for each row; MN-major, `extent / 8` for each k.
void listPieces(const MatrixDescriptor &descriptor, MatrixMajor major,
                unsigned extent, unsigned elementBytes,
                llvm::SmallVectorImpl<uint32_t> &addresses);

} // namespace mlir::mirage

#endif // MIRAGE_LAYOUT_MATRIXDESCRIPTOR_H
