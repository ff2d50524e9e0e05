//===- TensorMapImage.cpp - A tensor map as kernels see it ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMapImage.h"

#include <cstring>

using namespace mlir::mirage;
using namespace mlir::mirage::emulator;

namespace {

constexpr uint64_t mark = 0x50414d524f534e54; // "TNSORMAP"

struct Image {
  uint64_t mark;
  uint64_t address;
  uint64_t sizes[5];
  uint64_t strideBytes[4];
  uint16_t box[5];
  uint8_t rank, elementBytes, swizzle;
};
static_assert(sizeof(Image) <= tensorMapBytes);

} // namespace

std::array<uint8_t, tensorMapBytes>
mlir::mirage::emulator::encodeTensorMap(const BoundTensorMap &bound) {
  const TensorMap &map = bound.map;
  Image image = {};
  image.mark = mark;
  image.address = bound.address;
  image.rank = map.getRank();
  std::copy(map.sizes.begin(), map.sizes.end(), image.sizes);
  std::copy(map.strideBytes.begin(), map.strideBytes.end(), image.strideBytes);
  std::copy(map.box.begin(), map.box.end(), image.box);
  image.elementBytes = map.elementBytes;
  image.swizzle = static_cast<uint8_t>(map.swizzle);
  std::array<uint8_t, tensorMapBytes> bytes = {};
  std::memcpy(bytes.data(), &image, sizeof(Image));
  return bytes;
}

std::optional<BoundTensorMap>
mlir::mirage::emulator::decodeTensorMap(llvm::ArrayRef<uint8_t> bytes) {
  Image image;
  if (bytes.size() < tensorMapBytes)
    return std::nullopt;
  std::memcpy(&image, bytes.data(), sizeof(Image));
  if (image.mark != mark || image.rank == 0 || image.rank > 5 ||
      image.swizzle > static_cast<uint8_t>(Swizzle::Bytes128))
    return std::nullopt;
  BoundTensorMap bound;
  bound.address = image.address;
  TensorMap &map = bound.map;
  map.elementBytes = image.elementBytes;
  map.sizes.assign(image.sizes, image.sizes + image.rank);
  map.strideBytes.assign(image.strideBytes, image.strideBytes + image.rank - 1);
  map.box.assign(image.box, image.box + image.rank);
  map.swizzle = static_cast<Swizzle>(image.swizzle);
  // A kernel may have written over a part of it.
  if (llvm::Error error = map.check()) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  return bound;
}
