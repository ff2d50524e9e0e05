//===- PadPlaces.cpp - What lies behind tiles -----------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PadPlaces.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace mlir;
using namespace mlir::mirage;

static constexpr int64_t kMaxAccessBytes = 16;

/// Tiles that share a place share what lies behind it.
static std::set<int64_t> findBytesBehind(const BlockSteps &steps,
                                         const TilePlacement &placement) {
  std::set<int64_t> behind;
  for (auto [tile, value] : llvm::enumerate(steps.getTiles())) {
    TileForm form = placement.forms[tile];
    int64_t bytes = BlockSteps::getPlaceBytes(value, form.rowPadding);
    int64_t stride = BlockSteps::getPlaceStride(value, form);
    for (int64_t place = 0; place < int64_t(steps.getNumPlaces(tile));
         ++place) {
      int64_t end = placement.plan.offsets[tile] + place * stride + bytes;
      for (int64_t byte :
           llvm::seq(end, int64_t(llvm::alignTo(end, kMaxAccessBytes))))
        behind.insert(byte);
    }
  }
  return behind;
}

void mlir::mirage::emitPadding(BlockEmitter &emitter, const BlockSteps &steps,
                               const TilePlacement &placement) {
  std::set<int64_t> behind = findBytesBehind(steps, placement);
  for (auto byte = behind.begin(); byte != behind.end();) {
    int64_t begin = *byte, count = 0;
    while (byte != behind.end() && *byte == begin + count &&
           count < kMaxAccessBytes) {
      ++byte;
      ++count;
    }
    emitter.emitZeros(begin, count);
  }
  if (!behind.empty())
    emitter.emitBarrier();
}
