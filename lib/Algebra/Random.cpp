//===- Random.cpp - Seeds and streams of random numbers -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Algebra/Random.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SHA256.h"

using namespace mlir::mirage;

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

namespace {
/// Word i of 16 blocks, one block a lane.
using Words = uint32_t __attribute__((vector_size(64)));
} // namespace

static inline void quarterRound(Words &a, Words &b, Words &c, Words &d) {
  a += b, d ^= a, d = (d << 16) | (d >> 16);
  c += d, b ^= c, b = (b << 12) | (b >> 20);
  a += b, d ^= a, d = (d << 8) | (d >> 24);
  c += d, b ^= c, b = (b << 7) | (b >> 25);
}

void RandomStream::refill() {
  // "expand 32-byte k", the key, the counter, the nonce.
  const uint32_t constants[4] = {0x61707865, 0x3320646e, 0x79622d32,
                                 0x6b206574};
  Words start[16];
  for (unsigned lane = 0; lane < kBlocks; ++lane) {
    uint64_t block = counter + lane;
    for (unsigned i = 0; i < 4; ++i)
      start[i][lane] = constants[i];
    for (unsigned i = 0; i < 8; ++i)
      start[4 + i][lane] = key[i];
    start[12][lane] = static_cast<uint32_t>(block);
    start[13][lane] = static_cast<uint32_t>(block >> 32);
    start[14][lane] = start[15][lane] = 0;
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
  for (unsigned lane = 0; lane < kBlocks; ++lane)
    for (unsigned i = 0; i < 16; ++i)
      buffer[16 * lane + i] = x[i][lane] + start[i][lane];
  counter += kBlocks;
  used = 0;
}

uint32_t RandomStream::uniform(uint32_t bound) {
  assert(bound != 0 && "an empty range has no elements");
  uint32_t mask = bound == 1 ? 0 : ~0u >> llvm::countl_zero(bound - 1);
  uint32_t value;
  do
    value = next() & mask;
  while (value >= bound);
  return value;
}

void RandomStream::fillUniform(llvm::MutableArrayRef<uint32_t> values,
                               uint32_t bound) {
  for (uint32_t &value : values)
    value = uniform(bound);
}
