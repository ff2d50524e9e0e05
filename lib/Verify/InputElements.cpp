//===- InputElements.cpp - What a graph is evaluated on -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InputElements.h"
#include <algorithm>
#include <array>

using namespace mlir::mirage;

InputElements::~InputElements() = default;

void DrawnInputs::read(unsigned input, size_t first,
                       llvm::MutableArrayRef<uint32_t> elements) const {
  // How many words a run takes is random, as some are rejected; nobody gets to
  // the end of so many.
  constexpr uint64_t kBlocksOfRun = uint64_t(1) << 32;
  Seed own = deriveSeed(seed, "input", input);
  while (!elements.empty()) {
    size_t skipped = first % kRun;
    size_t count = std::min(elements.size(), kRun - skipped);
    RandomStream random(own, first / kRun * kBlocksOfRun);
    if (skipped == 0) {
      random.fillUniform(elements.take_front(count), prime);
    } else {
      std::array<uint32_t, kRun> run;
      random.fillUniform(llvm::MutableArrayRef(run).take_front(skipped + count),
                         prime);
      std::copy_n(run.begin() + skipped, count, elements.begin());
    }
    elements = elements.drop_front(count);
    first += count;
  }
}
