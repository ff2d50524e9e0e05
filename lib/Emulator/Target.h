//===- Target.h - What PTX is written for -----------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file says for which devices it is (`.target sm_90a`) and by which version
// of PTX (`.version 8.6`). What it may use follows from both: PTX ISA, "Target
// ISA Notes" and "PTX ISA Notes" of each instruction. Where these are vague, as
// ptxas 13.0 has it.
//
// Needs are written as text, entries separated by `;`:
//
//   sm_90 8.0                 of the whole: sm_90 or later, PTX 8.0 or later
//   bf16|bf16x2: sm_90 7.8    of an opcode with one of these pieces
//   v4+b64|f64: sm_100 8.8    of one that has a piece of each list
//   sm_90a 8.0                sm_90a alone
//   sm_90a+ 8.0               sm_90 or later, with the suffix a or f
//   any 6.0                   all targets
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_TARGET_H
#define MIRAGE_LIB_EMULATOR_TARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace mlir::mirage::emulator {

struct PTXVersion {
  unsigned major = 0, minor = 0;

  bool operator<(PTXVersion other) const {
    return major != other.major ? major < other.major : minor < other.minor;
  }
  std::string str() const;
};

/// The latest that is known: of CUDA 13.0.
constexpr PTXVersion latestVersion = {9, 0};

/// `8.6`; nothing if there are no two numbers.
std::optional<PTXVersion> parseVersion(llvm::StringRef text);

struct Target {
  std::string name; ///< "sm_90a"; "" before there is one
  unsigned number = 0;
  char suffix = 0; ///< 'a', 'f' or none
  PTXVersion version;
};

/// Sets all but the version. \returns false if there is no such target.
bool parseTarget(llvm::StringRef name, Target &target);

/// The first version that has a target; \p target is one that was parsed.
PTXVersion firstVersionOf(const Target &target);

/// Shared memory of the devices that code for a target is for ("CUDA C++
/// Programming Guide", compute capabilities).
struct SharedMemoryLimits {
  uint32_t bytesPerBlock = 0; ///< the largest that a launch can ask for
  uint32_t bytesPerSM = 0;
};
SharedMemoryLimits getSharedMemoryLimits(const Target &target);

/// Clusters of several blocks, and launches that start before earlier ones have
/// ended.
inline bool hasClustersAndDependentLaunches(const Target &target) {
  return target.number >= 90;
}

/// Of directives and special registers.
constexpr llvm::StringLiteral needsOfClusters = "sm_90 7.8";

/// What is missing to use something: "expected .target sm_90 or later for
/// 'elect.sync', found sm_80"; nothing if all is there.
/// \param what    an opcode, a directive or a special register
/// \param pieces  of the opcode; which have needs wherever they stand, too
/// \param needs   its own
std::optional<std::string>
explainMissing(const Target &target, llvm::StringRef what,
               llvm::ArrayRef<llvm::StringRef> pieces, llvm::StringRef needs);

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_TARGET_H
