//===- MatrixGroups.cpp - wgmma while it goes on --------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixGroups.h"

#include "HostKernels.h"
#include "State.h"

using namespace mlir::mirage::emulator;

//===----------------------------------------------------------------------===//
// Accumulators. Of 32-bit ones register e of lane l holds row l/4 + 8 of bit 1
// of e, column 8 (e/4) + 2 (l%4) + bit 0 of e (PTX ISA 9.7.15.5.1.1). f16 ones
// are the pairs of columns of that.
//===----------------------------------------------------------------------===//

/// Visits blocks of 8x8 elements: `visit(its first element, number)`, where two
/// 32-bit registers hold a block, or one with pairs of f16.
template <typename Visitor>
static void forEachBlock(const MatrixShape &shape, Visitor visit) {
  for (unsigned block = 0; block < shape.columns / 4u; ++block)
    visit(block % 2 * 8 * shape.columns + block / 2 * 8, block);
}

template <typename T>
static T *lanesOf(uint8_t *registers, uint32_t slot) {
  return reinterpret_cast<T *>(registers + slot);
}

constexpr unsigned blockRows = 8, blockElements = 64;

void mlir::mirage::emulator::loadAccumulator(uint8_t *registers,
                                             MatrixAccumulator &accumulator) {
  const size_t stride = accumulator.shape.columns;
  const uint32_t *slots = accumulator.slots;
  const bool isPairs = accumulator.shape.sum == MatrixSum::F16;
  forEachBlock(accumulator.shape, [&](unsigned first, unsigned block) {
    float *rows = accumulator.values.data() + first;
    if (!isPairs)
      return host::loadSums(rows, stride,
                            lanesOf<float>(registers, slots[2 * block]),
                            lanesOf<float>(registers, slots[2 * block + 1]));
    float values[blockElements];
    host::widenHalves(values, lanesOf<uint16_t>(registers, slots[block]),
                      blockElements);
    for (unsigned row = 0; row < blockRows; ++row)
      std::copy_n(values + row * blockRows, blockRows, rows + row * stride);
  });
}

void mlir::mirage::emulator::storeAccumulator(uint8_t *registers,
                                              MatrixAccumulator &accumulator) {
  const size_t stride = accumulator.shape.columns;
  const uint32_t *slots = accumulator.slots;
  const bool isPairs = accumulator.shape.sum == MatrixSum::F16;
  if (accumulator.shape.sum == MatrixSum::F32)
    host::makeCanonical(accumulator.values.data(), accumulator.values.size());
  forEachBlock(accumulator.shape, [&](unsigned first, unsigned block) {
    const float *rows = accumulator.values.data() + first;
    if (!isPairs)
      return host::storeSums(lanesOf<float>(registers, slots[2 * block]),
                             lanesOf<float>(registers, slots[2 * block + 1]),
                             rows, stride);
    float values[blockElements];
    for (unsigned row = 0; row < blockRows; ++row)
      std::copy_n(rows + row * stride, blockRows, values + row * blockRows);
    host::narrowHalves(lanesOf<uint16_t>(registers, slots[block]), values,
                       blockElements);
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
  tiles.read(product, operation.pieces, block.shared);
  const uint32_t *slots =
      operation.instruction->slots + product.shape.numRegisters();
  for (unsigned i = 0; i < warpsPerGroup; ++i) {
    Warp &warp = block.warps[firstWarp + i];
    const uint32_t *fragments[4] = {};
    if (product.hasFragments)
      for (unsigned part = 0; part < 4; ++part)
        fragments[part] = lanesOf<uint32_t>(warp.registers, slots[part]);
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
