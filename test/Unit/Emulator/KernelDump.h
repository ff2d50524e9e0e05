//===- KernelDump.h - Kernels of tests, for a GPU to run --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_EMULATOR_KERNELDUMP_H
#define MIRAGE_TEST_UNIT_EMULATOR_KERNELDUMP_H

#include "Mirage/Emulator/Launch.h"

namespace mlir::mirage::emulator {

/// Writes each kernel that a test runs into the folder that the environment
/// variable MIRAGE_DUMP_KERNELS names, as a JSON file with its PTX, the launch,
/// its buffers before and after, and what it is found guilty of.
/// test/GPU/run-kernels.py lets a GPU run them and compares.
class KernelDump {
public:
  /// Takes the buffers as they are before the launch.
  KernelDump(llvm::StringRef ptx, const LaunchConfig &config);
  /// \param result  of the launch, by which the buffers are what they are now.
  void write(const LaunchResult &result) const;

private:
  llvm::StringRef ptx;
  const LaunchConfig &config;
  std::vector<std::string> before; ///< of each buffer, as hexadecimal digits
};

} // namespace mlir::mirage::emulator

#endif // MIRAGE_TEST_UNIT_EMULATOR_KERNELDUMP_H
