//===- MatrixGroups.cpp - wgmma while it goes on --------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixGroups.h"

#include "Numbers.h"
#include "State.h"

using namespace mlir::mirage::emulator;

//===----------------------------------------------------------------------===//
// Accumulators. Of 32-bit ones register e of lane l holds row l/4 + 8 of bit 1
// of e, column 8 (e/4) + 2 (l%4) + bit 0 of e (PTX ISA 9.7.15.5.1.1). f16 ones
// are the pairs of columns of that.
//===----------------------------------------------------------------------===//

/// Visits pairs of columns: `visit(first of the pair, register, lane)`, with
/// the register counted in pairs.
template <typename Visitor>
static void forEachPair(const MatrixAccumulator &accumulator, Visitor visit) {
  unsigned columns = accumulator.shape.columns;
  for (unsigned pair = 0; pair < columns / 4; ++pair) {
    unsigned first = pair % 2 * 8 * columns + pair / 2 * 8;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      visit(first + lane / 4 * columns + lane % 4 * 2, pair, lane);
  }
}

static const uint32_t *lanesOf(const uint8_t *registers, uint32_t slot) {
  return reinterpret_cast<const uint32_t *>(registers + slot);
}
static uint32_t *lanesOf(uint8_t *registers, uint32_t slot) {
  return reinterpret_cast<uint32_t *>(registers + slot);
}

void mlir::mirage::emulator::loadAccumulator(const uint8_t *registers,
                                             MatrixAccumulator &accumulator) {
  float *values = accumulator.values.data();
  const uint32_t *slots = accumulator.slots;
  if (accumulator.shape.sum == MatrixSum::F16)
    return forEachPair(accumulator,
                       [&](unsigned at, unsigned pair, unsigned lane) {
                         uint32_t bits = lanesOf(registers, slots[pair])[lane];
                         values[at] = halfToFloat(bits);
                         values[at + 1] = halfToFloat(bits >> 16);
                       });
  forEachPair(accumulator, [&](unsigned at, unsigned pair, unsigned lane) {
    for (unsigned i = 0; i < 2; ++i)
      values[at + i] = asFloat(lanesOf(registers, slots[2 * pair + i])[lane]);
  });
}

void mlir::mirage::emulator::storeAccumulator(
    uint8_t *registers, const MatrixAccumulator &accumulator) {
  const float *values = accumulator.values.data();
  const uint32_t *slots = accumulator.slots;
  if (accumulator.shape.sum == MatrixSum::F16)
    return forEachPair(accumulator, [&](unsigned at, unsigned pair,
                                        unsigned lane) {
      lanesOf(registers, slots[pair])[lane] =
          uint32_t(floatToHalf(values[at + 1])) << 16 | floatToHalf(values[at]);
    });
  bool isFloat = accumulator.shape.sum == MatrixSum::F32;
  forEachPair(accumulator, [&](unsigned at, unsigned pair, unsigned lane) {
    for (unsigned i = 0; i < 2; ++i)
      lanesOf(registers, slots[2 * pair + i])[lane] =
          asBits(isFloat ? canonical(values[at + i]) : values[at + i]);
  });
}

static void store(Warp &warp, MatrixAccumulator &accumulator) {
  if (!accumulator.isStored)
    storeAccumulator(warp.registers, accumulator);
  accumulator.isStored = true;
}

void mlir::mirage::emulator::storeFinished(Warp &warp) {
  for (MatrixAccumulator &accumulator : warp.matrices.accumulators)
    if (accumulator.isLive && accumulator.lastUse <= warp.matrices.waited) {
      store(warp, accumulator);
      accumulator.isLive = false;
    }
}

void mlir::mirage::emulator::storeEarly(Warp &warp, uint32_t upTo) {
  for (MatrixAccumulator &accumulator : warp.matrices.accumulators)
    if (accumulator.isLive && accumulator.lastUse <= upTo)
      store(warp, accumulator);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static void multiply(Block &block, unsigned firstWarp,
                     const MatrixOperation &operation, MatrixTiles &tiles) {
  const MatrixProduct &product = operation.product;
  tiles.read(
      product, operation.pieces,
      llvm::ArrayRef(block.sharedRegion.host, block.sharedRegion.sizeBytes));
  const uint32_t *slots =
      operation.instruction->slots + product.shape.numRegisters();
  for (unsigned i = 0; i < warpsPerGroup; ++i) {
    Warp &warp = block.warps[firstWarp + i];
    const uint32_t *fragments[4] = {};
    if (product.hasFragments)
      for (unsigned part = 0; part < 4; ++part)
        fragments[part] = lanesOf(warp.registers, slots[part]);
    auto &accumulator = warp.matrices.accumulators[operation.accumulators[i]];
    tiles.multiply(product, i, fragments, accumulator.values);
  }
}

void MatrixGroup::carryOut(Block &block, unsigned firstWarp, uint32_t number) {
  for (; numDone < number; ++numDone) {
    assert(!operations.empty() && operations.front().isComplete() &&
           "an operation is carried out that not all warps have issued");
    multiply(block, firstWarp, operations.front(), tiles);
    operations.pop_front();
  }
}
