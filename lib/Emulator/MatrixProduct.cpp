//===- MatrixProduct.cpp - What a wgmma computes --------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products are exact, and sums are rounded to f32 one after the other, the
// accumulator first and then along k. The hardware adds in an order of its own
// and keeps fewer bits: compare results with a bound. f16 sums are rounded to
// f16 at the end of each instruction. Sums of 8-bit integers over 32 products
// are exact in f32 too.
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"

#include "HostKernels.h"
#include "Numbers.h"

#include <algorithm>
#include <array>
#include <cstring>

using namespace mlir::mirage;
using namespace mlir::mirage::emulator;

unsigned mlir::mirage::emulator::sizeBytes(MatrixElement element) {
  switch (element) {
  case MatrixElement::F16:
  case MatrixElement::BF16:
    return 2;
  case MatrixElement::TF32:
    return 4;
  default:
    return 1;
  }
}

template <typename Function>
static void widenBytes(float *to, const void *from, unsigned count,
                       Function valueOf) {
  static const std::array<float, 256> table = [&] {
    std::array<float, 256> values;
    for (unsigned bits = 0; bits < 256; ++bits)
      values[bits] = valueOf(bits);
    return values;
  }();
  const uint8_t *bytes = static_cast<const uint8_t *>(from);
  for (unsigned i = 0; i < count; ++i)
    to[i] = table[bytes[i]];
}

void mlir::mirage::emulator::widenElements(MatrixElement element, float *to,
                                           const void *from, unsigned count) {
  switch (element) {
  case MatrixElement::F16:
    return host::widenHalves(to, static_cast<const uint16_t *>(from), count);
  case MatrixElement::BF16:
    return host::widenBfloats(to, static_cast<const uint16_t *>(from), count);
  case MatrixElement::TF32:
    for (unsigned i = 0; i < count; ++i)
      to[i] = asFloat(static_cast<const uint32_t *>(from)[i] & 0xffffe000);
    return;
  case MatrixElement::E4M3:
    return widenBytes(to, from, count,
                      [](uint8_t bits) { return float(decodeE4M3(bits)); });
  case MatrixElement::E5M2:
    return widenBytes(to, from, count,
                      [](uint8_t bits) { return float(decodeE5M2(bits)); });
  case MatrixElement::S8:
    return widenBytes(to, from, count,
                      [](uint8_t bits) { return float(int8_t(bits)); });
  case MatrixElement::U8:
    return widenBytes(to, from, count,
                      [](uint8_t bits) { return float(bits); });
  }
}

uint16_t MatrixShape::pack() const {
  return uint16_t(unsigned(a) | unsigned(b) << 3 | unsigned(sum) << 6 |
                  unsigned(saturates) << 8 | (columns / 8 - 1u) << 9);
}

MatrixShape MatrixShape::unpack(uint16_t bits) {
  MatrixShape shape;
  shape.a = static_cast<MatrixElement>(bits & 7);
  shape.b = static_cast<MatrixElement>(bits >> 3 & 7);
  shape.sum = static_cast<MatrixSum>(bits >> 6 & 3);
  shape.saturates = bits >> 8 & 1;
  shape.columns = ((bits >> 9 & 31) + 1) * 8;
  return shape;
}

void MatrixProduct::listPieces(
    llvm::SmallVectorImpl<uint32_t> &addresses) const {
  mirage::listPieces(MatrixDescriptor::decode(right), rightMajor, shape.columns,
                     sizeBytes(shape.b), addresses);
  if (!hasFragments)
    mirage::listPieces(MatrixDescriptor::decode(left), leftMajor,
                       MatrixShape::rows, sizeBytes(shape.a), addresses);
}

/// Puts the elements of pieces side by side, and then rows where columns are,
/// if they lie so.
void MatrixTiles::Operand::read(MatrixElement element, bool mustTranspose,
                                unsigned rows, llvm::ArrayRef<uint32_t> pieces,
                                llvm::ArrayRef<uint8_t> shared,
                                MatrixTiles &tiles) {
  unsigned count = pieces.size() * kMatrixPieceBytes / sizeBytes(element);
  tiles.bytes.resize(pieces.size() * kMatrixPieceBytes);
  values.resize(count);
  uint8_t *to = tiles.bytes.data();
  for (uint32_t address : pieces) {
    bool isInside = address + kMatrixPieceBytes <= shared.size();
    if (isInside)
      std::memcpy(to, shared.data() + address, kMatrixPieceBytes);
    else
      std::memset(to, 0, kMatrixPieceBytes);
    to += kMatrixPieceBytes;
  }
  if (!mustTranspose)
    return widenElements(element, values.data(), tiles.bytes.data(), count);
  tiles.scratch.resize(count);
  widenElements(element, tiles.scratch.data(), tiles.bytes.data(), count);
  host::transpose(values.data(), tiles.scratch.data(), rows, count / rows);
}

void MatrixTiles::read(const MatrixProduct &product,
                       llvm::ArrayRef<uint32_t> pieces,
                       llvm::ArrayRef<uint8_t> shared) {
  const MatrixShape &shape = product.shape;
  unsigned ofRight = shape.columns * kMatrixStepBytes / kMatrixPieceBytes;
  right.read(shape.b, product.rightMajor == MatrixMajor::K, shape.columns,
             pieces.take_front(ofRight), shared, *this);
  if (!product.hasFragments)
    left.read(shape.a, product.leftMajor == MatrixMajor::MN, shape.depth(),
              pieces.drop_front(ofRight), shared, *this);
}

/// Four lanes share a row and hold its elements in turn, as many each as a
/// register takes; the second register holds row + 8, further ones the second
/// half of k: the left fragment of mma.sync (PTX ISA 9.7.15.5.1.1).
static void readFragments(MatrixElement element,
                          const uint32_t *const (&fragments)[4], float *rows) {
  constexpr unsigned lanes = 32;
  unsigned half = kMatrixPieceBytes / sizeBytes(element);
  float values[lanes * 4];
  for (unsigned i = 0; i < 4; ++i) {
    widenElements(element, values, fragments[i], lanes * half / 4);
    for (unsigned row = 0; row < 8; ++row)
      std::copy_n(values + row * half, half,
                  rows + (row + i % 2 * 8) * 2 * half + i / 2 * half);
  }
}

void MatrixTiles::multiply(const MatrixProduct &product, unsigned warp,
                           const uint32_t *const (&fragments)[4],
                           std::vector<float> &accumulator) {
  const MatrixShape &shape = product.shape;
  constexpr unsigned rows = MatrixShape::rowsPerWarp;
  float own[rows * kMatrixStepBytes];
  if (product.hasFragments)
    readFragments(shape.a, fragments, own);
  else
    std::copy_n(left.values.data() + warp * rows * shape.depth(),
                rows * shape.depth(), own);
  if (product.isNegated)
    for (unsigned i = 0; i < rows * shape.depth(); ++i)
      own[i] = -own[i];
  if (!product.accumulates)
    std::fill(accumulator.begin(), accumulator.end(), 0.0f);
  if (shape.sum == MatrixSum::S32)
    return addIntegers(product, own, accumulator);
  host::multiplyRows(accumulator.data(), own, right.values.data(), rows,
                     shape.columns, shape.depth());
  if (shape.sum == MatrixSum::F16)
    host::roundToHalves(accumulator.data(), accumulator.size());
}

void MatrixTiles::addIntegers(const MatrixProduct &product, const float *rows,
                              std::vector<float> &accumulator) {
  scratch.assign(accumulator.size(), 0.0f);
  host::multiplyRows(scratch.data(), rows, right.values.data(),
                     MatrixShape::rowsPerWarp, product.shape.columns,
                     product.shape.depth());
  constexpr int64_t least = INT32_MIN, most = INT32_MAX;
  for (auto [value, sum] : llvm::zip_equal(accumulator, scratch)) {
    int64_t total = int64_t(int32_t(asBits(value))) + int64_t(sum);
    if (product.shape.saturates)
      total = std::clamp(total, least, most);
    value = asFloat(uint32_t(total));
  }
}
