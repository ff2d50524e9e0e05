//===- SharedMemory.cpp - How much a thread block may have ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Planning/SharedMemory.h"
#include "llvm/ADT/StringSwitch.h"

std::optional<int64_t>
mlir::mirage::getSharedBytesPerBlock(llvm::StringRef chip) {
  constexpr int64_t kKiB = 1024;
  return llvm::StringSwitch<std::optional<int64_t>>(chip)
      .Cases({"sm_80", "sm_87"}, 163 * kKiB)
      .Cases({"sm_86", "sm_89"}, 99 * kKiB)
      .Cases({"sm_90", "sm_90a"}, 227 * kKiB)
      .Cases({"sm_100", "sm_100a", "sm_100f"}, 227 * kKiB)
      .Cases({"sm_103", "sm_103a", "sm_103f"}, 227 * kKiB)
      .Cases({"sm_120", "sm_120a", "sm_120f"}, 99 * kKiB)
      .Cases({"sm_121", "sm_121a", "sm_121f"}, 99 * kKiB)
      .Default(std::nullopt);
}
