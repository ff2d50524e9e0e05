//===- TensorMapImage.h - A tensor map as kernels see it --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// CUtensorMap is 128 opaque bytes, which only the driver and the copy engine
// can read. The emulator has its own encoding: a mark, by which bytes that are
// no tensor map are told, the tensor's device address, and the map.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_TENSORMAPIMAGE_H
#define MIRAGE_LIB_EMULATOR_TENSORMAPIMAGE_H

#include "Mirage/Layout/TensorMap.h"

#include <array>
#include <optional>

namespace mlir::mirage::emulator {

/// Of a CUtensorMap, and what its address is a multiple of.
constexpr unsigned tensorMapBytes = 128, tensorMapAlign = 64;

struct BoundTensorMap {
  TensorMap map;
  uint64_t address = 0; ///< of the tensor's first element, on the device
};

/// \param bound  whose map's `check()` holds.
std::array<uint8_t, tensorMapBytes>
encodeTensorMap(const BoundTensorMap &bound);

/// \returns none if these bytes are no tensor map.
std::optional<BoundTensorMap> decodeTensorMap(llvm::ArrayRef<uint8_t> image);

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_TENSORMAPIMAGE_H
