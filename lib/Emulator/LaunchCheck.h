//===- LaunchCheck.h - Does a launch fit its kernel? ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_LAUNCHCHECK_H
#define MIRAGE_LIB_EMULATOR_LAUNCHCHECK_H

#include "Mirage/Emulator/Launch.h"

#include "Target.h"

#include "llvm/Support/FormatVariadic.h"

namespace mlir::mirage::emulator {

template <typename... Values>
llvm::Error launchError(const char *format, Values &&...values) {
  return llvm::createStringError(
      llvm::formatv(format, std::forward<Values>(values)...).str());
}

inline uint64_t volumeOf(const std::array<uint32_t, 3> &shape) {
  return uint64_t(shape[0]) * shape[1] * shape[2];
}

/// Grid, block, shared memory and arguments against what the target's devices
/// and the kernel's directives allow. Fails with what was expected and what was
/// found.
llvm::Error checkLaunch(const KernelInfo &info, const Target &target,
                        const LaunchConfig &config);

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_LAUNCHCHECK_H
