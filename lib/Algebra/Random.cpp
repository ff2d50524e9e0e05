//===- Random.cpp - Seeds and streams of random numbers -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Algebra/Random.h"
#include "FieldVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/SHA256.h"
#include <algorithm>

using namespace mlir::mirage;
using namespace mlir::mirage::kernels;

static Seed toSeed(const std::array<uint8_t, 32> &digest) {
  Seed seed;
  for (unsigned i = 0; i < seed.size(); ++i)
    seed[i] = llvm::support::endian::read32le(digest.data() + 4 * i);
  return seed;
}

Seed mlir::mirage::hashToSeed(llvm::StringRef bytes) {
  llvm::SHA256 hash;
  hash.update(bytes);
  return toSeed(hash.final());
}

Seed mlir::mirage::deriveSeed(const Seed &parent, llvm::StringRef purpose,
                              uint64_t index) {
  std::array<uint8_t, 48> head;
  for (unsigned i = 0; i < parent.size(); ++i)
    llvm::support::endian::write32le(head.data() + 4 * i, parent[i]);
  llvm::support::endian::write64le(head.data() + 32, index);
  llvm::support::endian::write64le(head.data() + 40, purpose.size());
  llvm::SHA256 hash;
  hash.update(llvm::ArrayRef<uint8_t>(head));
  hash.update(purpose);
  return toSeed(hash.final());
}

static MIRAGE_INLINE Words rotate(const Words &a, int bits) {
  return (a << bits) | (a >> (32 - bits));
}

static MIRAGE_INLINE void quarterRound(Words &a, Words &b, Words &c, Words &d) {
  a = a + b, d = rotate(d ^ a, 16);
  c = c + d, b = rotate(b ^ c, 12);
  a = a + b, d = rotate(d ^ a, 8);
  c = c + d, b = rotate(b ^ c, 7);
}

/// Sixteen blocks, one a lane: word i of all blocks, then word i + 1.
MIRAGE_KERNEL static void generate(const Seed &key, uint64_t counter,
                                   uint32_t *result) {
  // "expand 32-byte k", the key, the counter, the nonce.
  Words start[16] = {splat(0x61707865), splat(0x3320646e), splat(0x79622d32),
                     splat(0x6b206574)};
  for (unsigned i = 0; i < 8; ++i)
    start[4 + i] = splat(key[i]);
  start[12] = start[13] = start[14] = start[15] = splat(0);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    start[12].set(lane, static_cast<uint32_t>(counter + lane));
    start[13].set(lane, static_cast<uint32_t>((counter + lane) >> 32));
  }
  Words x[16];
  for (unsigned i = 0; i < 16; ++i)
    x[i] = start[i];
  for (unsigned round = 0; round < 10; ++round) {
    for (unsigned i = 0; i < 4; ++i)
      quarterRound(x[i], x[4 + i], x[8 + i], x[12 + i]);
    for (unsigned i = 0; i < 4; ++i)
      quarterRound(x[i], x[4 + (i + 1) % 4], x[8 + (i + 2) % 4],
                   x[12 + (i + 3) % 4]);
  }
  for (unsigned i = 0; i < 16; ++i)
    store(result + i * kLanes, x[i] + start[i], kLanes);
}

void RandomStream::refill() {
  generate(key, counter, buffer.data());
  counter += kLanes;
  used = 0;
}

/// The bits that numbers below a bound have.
static uint32_t getMask(uint32_t bound) {
  assert(bound != 0 && "an empty range has no elements");
  return bound == 1 ? 0 : ~0u >> llvm::countl_zero(bound - 1);
}

uint32_t RandomStream::uniform(uint32_t bound) {
  uint32_t mask = getMask(bound), value;
  do
    value = next() & mask;
  while (value >= bound);
  return value;
}

void RandomStream::fillUniform(llvm::MutableArrayRef<uint32_t> values,
                               uint32_t bound) {
  // As `uniform`, but a rejected number is overwritten rather than jumped over:
  // half of them may be, and no branch predictor knows which.
  uint32_t mask = getMask(bound);
  size_t filled = 0;
  while (filled < values.size()) {
    if (used == buffer.size())
      refill();
    size_t end = std::min(buffer.size(), used + values.size() - filled);
    for (; used < end; ++used) {
      uint32_t value = buffer[used] & mask;
      values[filled] = value;
      filled += value < bound;
    }
  }
}
