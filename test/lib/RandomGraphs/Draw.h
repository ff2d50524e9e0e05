//===- Draw.h - Random choices ----------------------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_LIB_RANDOMGRAPHS_DRAW_H
#define MIRAGE_TEST_LIB_RANDOMGRAPHS_DRAW_H

#include "Mirage/Algebra/Random.h"
#include <utility>

namespace mlir::mirage::test {

class Draw {
public:
  explicit Draw(const Seed &seed) : stream(seed) {}

  /// In [0, bound).
  unsigned below(unsigned bound) { return stream.uniform(bound); }
  /// In [first, last].
  int64_t between(int64_t first, int64_t last) {
    return first + below(last - first + 1);
  }
  bool chance(unsigned percent) { return below(100) < percent; }
  /// One of several; what stands there twice comes twice as often.
  template <typename T>
  T oneOf(llvm::ArrayRef<T> choices) {
    return choices[below(choices.size())];
  }
  template <typename T, size_t size>
  T oneOf(const T (&choices)[size]) {
    return oneOf(llvm::ArrayRef<T>(choices));
  }
  template <typename Range>
  void shuffle(Range &range) {
    for (size_t left = range.size(); left > 1; --left)
      std::swap(range[left - 1], range[below(left)]);
  }

private:
  RandomStream stream;
};

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_LIB_RANDOMGRAPHS_DRAW_H
