//===- SharedMemory.cpp - How much a thread block may have ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Planning/SharedMemory.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace {
struct Chip {
  llvm::StringLiteral name;
  int64_t sharedKiB;
};
} // namespace

static constexpr Chip kChips[] = {
    {"sm_80", 163},   {"sm_86", 99},   {"sm_87", 163},   {"sm_89", 99},
    {"sm_90", 227},   {"sm_90a", 227}, {"sm_100", 227},  {"sm_100a", 227},
    {"sm_100f", 227}, {"sm_103", 227}, {"sm_103a", 227}, {"sm_103f", 227},
    {"sm_120", 99},   {"sm_120a", 99}, {"sm_120f", 99},  {"sm_121", 99},
    {"sm_121a", 99},  {"sm_121f", 99},
};

std::optional<int64_t>
mlir::mirage::getSharedBytesPerBlock(llvm::StringRef chip) {
  for (const Chip &known : kChips)
    if (known.name == chip)
      return known.sharedKiB * 1024;
  return std::nullopt;
}

llvm::SmallVector<llvm::StringRef> mlir::mirage::getKnownChips() {
  return llvm::map_to_vector(
      kChips, [](const Chip &chip) -> llvm::StringRef { return chip.name; });
}
