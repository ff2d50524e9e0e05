//===- WordArena.h - Storage for the values of an evaluation ----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_WORDARENA_H
#define MIRAGE_LIB_VERIFY_WORDARENA_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace mlir::mirage {

/// A stack of word arrays that keeps its memory, so that an evaluation that is
/// repeated allocates nothing.
class WordArena {
public:
  struct Mark {
    size_t chunk, used;
  };

  uint32_t *allocate(size_t words) {
    words = (words + 15) / 16 * 16;
    while (current < chunks.size() && used + words > chunks[current].size) {
      ++current;
      used = 0;
    }
    if (current == chunks.size()) {
      size_t size = std::max(words, kChunkWords);
      chunks.push_back({std::unique_ptr<uint32_t[]>(new uint32_t[size]), size});
      capacity += size;
      used = 0;
    }
    uint32_t *result = chunks[current].data.get() + used;
    used += words;
    return result;
  }

  /// Words that it keeps, in use or not.
  size_t getCapacity() const { return capacity; }
  /// Gives everything back to the system. Nothing may be in use.
  void clear() {
    chunks.clear();
    current = used = capacity = 0;
  }

  Mark mark() const { return {current, used}; }
  /// Gives back everything allocated since.
  void release(Mark mark) {
    current = mark.chunk;
    used = mark.used;
  }

private:
  static constexpr size_t kChunkWords = size_t(1) << 16;
  struct Chunk {
    std::unique_ptr<uint32_t[]> data;
    size_t size;
  };
  std::vector<Chunk> chunks;
  size_t current = 0, used = 0, capacity = 0;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_WORDARENA_H
