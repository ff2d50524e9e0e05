//===- Module.h - A PTX module, decoded and ready to run --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_EMULATOR_MODULE_H
#define MIRAGE_EMULATOR_MODULE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mlir::mirage::emulator {

struct Program;

/// One `.param` of a kernel. Arguments of a launch are given in this order.
struct KernelParameter {
  std::string name;
  uint32_t offsetBytes = 0; ///< in the parameter block that the kernel reads
  uint32_t sizeBytes = 0;
  uint32_t alignBytes = 1;
  bool isPointer = false; ///< declared `.ptr`
};

/// What the text says about one `.visible .entry`.
struct KernelInfo {
  std::string name;
  std::vector<KernelParameter> parameters;
  uint32_t parameterBytes = 0;
  uint32_t staticSharedBytes = 0; ///< sum of its sized `.shared` variables
  bool usesDynamicShared = false; ///< refers to an `.extern .shared` array
  uint32_t localBytes = 0;        ///< per thread
  /// `.reqntid` and `.maxntid`; zero where the text does not say.
  std::array<uint32_t, 3> requiredThreads = {0, 0, 0};
  std::array<uint32_t, 3> maxThreads = {0, 0, 0};
  /// `.reqnctapercluster`; zero where the text does not say.
  std::array<uint32_t, 3> requiredCluster = {0, 0, 0};
  uint32_t maxRegisters = 0; ///< `.maxnreg`, of a thread; 0: not said
  uint32_t minBlocks = 0;    ///< `.minnctapersm`, of an SM; 0: not said
  uint32_t numInstructions = 0;
};

/// A whole PTX file after parsing and decoding. It does not change any more:
/// any number of launches may run from it, from several threads.
class Module {
public:
  explicit Module(std::unique_ptr<Program> program);
  ~Module();

  /// The kernels in the order of the file.
  llvm::ArrayRef<KernelInfo> kernels() const;

  /// The kernel of this name, or null.
  const KernelInfo *findKernel(llvm::StringRef name) const;

  /// The decoded code, for the interpreter.
  const Program &program() const { return *decoded; }

private:
  std::unique_ptr<Program> decoded;
};

} // namespace mlir::mirage::emulator

#endif // MIRAGE_EMULATOR_MODULE_H
