//===- PowerMemo.cpp - Powers that many graphs take -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PowerMemo.h"
#include <algorithm>
#include <cstring>

using namespace mlir::mirage;

/// Values of exponents are random words already; of two exponents they are
/// rarely the same at any point.
size_t PowerMemo::findSlot(const uint32_t *exponent) const {
  size_t last = slots.size() - 1, slot = exponent[0] & last;
  while (slots[slot] != 0 &&
         !kernels::areSame(entries[slots[slot] - 1].exponent, exponent))
    slot = (slot + 1) & last;
  return slot;
}

const uint32_t *PowerMemo::find(const uint32_t *exponent) const {
  if (entries.empty())
    return nullptr;
  uint32_t number = slots[findSlot(exponent)];
  return number != 0 ? entries[number - 1].power : nullptr;
}

void PowerMemo::grow() {
  slots.assign(std::max<size_t>(64, 2 * slots.size()), 0);
  for (size_t number = 0; number < entries.size(); ++number)
    slots[findSlot(entries[number].exponent)] = number + 1;
}

void PowerMemo::insert(const uint32_t *exponent, const uint32_t *power) {
  if (entries.size() == kMaxEntries || find(exponent))
    return;
  if (2 * entries.size() >= slots.size())
    grow();
  size_t slot = findSlot(exponent);
  Entry &entry = entries.emplace_back();
  std::memcpy(entry.exponent, exponent, sizeof(entry.exponent));
  std::memcpy(entry.power, power, sizeof(entry.power));
  slots[slot] = entries.size();
}
