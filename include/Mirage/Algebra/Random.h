//===- Random.h - Seeds and streams of random numbers -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Every random number of the verifier comes from a 256-bit seed, which is the
// hash of what the numbers are for. So a test is repeatable, and nobody can
// choose a graph after having seen the numbers it will be tested with.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ALGEBRA_RANDOM_H
#define MIRAGE_ALGEBRA_RANDOM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>

namespace mlir::mirage {

using Seed = std::array<uint32_t, 8>;

/// The SHA-256 hash of any bytes.
Seed hashToSeed(llvm::StringRef bytes);

/// A seed for one purpose, so that streams for different purposes are
/// independent: the hash of `parent`, the purpose's name and a number.
Seed deriveSeed(const Seed &parent, llvm::StringRef purpose, uint64_t index);

/// A stream of random numbers: the key stream of ChaCha20 (RFC 8439, with a
/// 64-bit counter and nonce 0), 16 blocks at a time and these word by word:
/// word 0 of all 16, then word 1.
class RandomStream {
public:
  /// \param firstBlock  where in the key stream it begins.
  explicit RandomStream(const Seed &seed, uint64_t firstBlock = 0)
      : key(seed), counter(firstBlock) {}

  uint32_t next() {
    if (used == buffer.size())
      refill();
    return buffer[used++];
  }
  /// Exactly uniform in [0, bound), by rejection. `bound` is not 0.
  uint32_t uniform(uint32_t bound);
  void fillUniform(llvm::MutableArrayRef<uint32_t> values, uint32_t bound);

private:
  static constexpr unsigned kBlocks = 16;
  void refill();

  Seed key;
  uint64_t counter;
  std::array<uint32_t, 16 * kBlocks> buffer;
  size_t used = 16 * kBlocks;
};

} // namespace mlir::mirage

#endif // MIRAGE_ALGEBRA_RANDOM_H
