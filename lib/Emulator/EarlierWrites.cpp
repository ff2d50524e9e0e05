//===- EarlierWrites.cpp - What was written before a launch ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EarlierWrites.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage::emulator;

/// The first range that ends behind a place, counted from the region's base on.
static const ByteRange *findRange(const Region &region, uint64_t offset) {
  return llvm::partition_point(region.written, [&](const ByteRange &range) {
    return range.end <= offset;
  });
}

static bool contains(const ByteRange &range, uint64_t offset, uint64_t bytes) {
  return range.begin <= offset && offset + bytes <= range.end;
}

bool mlir::mirage::emulator::wereWrittenBefore(const Region &region,
                                               uint64_t address,
                                               uint64_t bytes) {
  const uint64_t offset = address - region.base;
  const ByteRange *range = findRange(region, offset);
  return range != region.written.end() && contains(*range, offset, bytes);
}

bool mlir::mirage::emulator::wereLanesWrittenBefore(
    const MemoryAccess &access) {
  const Region &region = *access.region;
  if (access.isContiguous)
    return wereWrittenBefore(region, access.address[0],
                             uint64_t(warpSize) * access.bytes);
  // Where one lane's bytes are, the next one's mostly are, too.
  const ByteRange *range = region.written.begin();
  for (uint32_t rest = access.mask; rest; rest &= rest - 1) {
    uint64_t offset = access.address[llvm::countr_zero(rest)] - region.base;
    if (contains(*range, offset, access.bytes))
      continue;
    range = findRange(region, offset);
    if (range == region.written.end() ||
        !contains(*range, offset, access.bytes))
      return false;
  }
  return true;
}

ByteMask mlir::mirage::emulator::findWrittenBefore(const Region &region,
                                                   uint64_t granule) {
  // Regions of buffers start with a granule.
  const uint64_t begin = granule * granuleBytes - region.base;
  ByteMask bytes = 0;
  for (const ByteRange *range = findRange(region, begin);
       range != region.written.end() && range->begin < begin + granuleBytes;
       ++range)
    bytes |= bytesInGranule(begin / granuleBytes, range->begin, range->end);
  return bytes;
}
