//===- Counters.h - What a launch executed and moved ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_EMULATOR_COUNTERS_H
#define MIRAGE_EMULATOR_COUNTERS_H

#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>

namespace mlir::mirage::emulator {

/// What an instruction is charged as. One per opcode, said by its table row.
enum class InstructionClass : uint8_t {
  Integer,
  Float32,
  Float64,
  Packed16, ///< f16, bf16, and two of them in one register
  Special,  ///< ex2, lg2, rcp, rsqrt, sqrt, sin, cos, tanh, approximate
  Sequence, ///< div.rn, sqrt.rn, integer div and rem: many machine instructions
  Convert,
  Move, ///< mov, selp, setp, predicates
  GlobalMemory,
  SharedMemory,
  OtherMemory, ///< param, const, local
  AsyncCopy,
  Atomic,
  Matrix,
  Shuffle, ///< shfl, vote, redux, match, elect
  Barrier,
  Fence,
  Branch,
};
constexpr unsigned numInstructionClasses =
    static_cast<unsigned>(InstructionClass::Branch) + 1;

/// The name used in reports, e.g. "shared-memory".
llvm::StringRef instructionClassName(InstructionClass instructionClass);

/// Sums over all blocks of a launch; they do not depend on the number of host
/// threads. An instruction is counted once per warp that executes it with at
/// least one lane.
struct Counters {
  std::array<uint64_t, numInstructionClasses> instructions = {};
  uint64_t warpInstructions = 0;   ///< sum of the above
  uint64_t threadInstructions = 0; ///< the same, lanes counted
  uint64_t divergentBranches = 0;
  uint64_t barriers = 0; ///< barrier phases completed
  uint64_t mbarrierPhases = 0;
  uint64_t mbarrierWaits = 0; ///< try_wait and test_wait, by warp
  uint64_t matrixFlops = 0;   ///< 2·m·n·k per mma

  uint64_t globalLoadBytes = 0, globalStoreBytes = 0; ///< asked for by lanes
  uint64_t globalRequests = 0;                        ///< warp instructions
  /// Distinct 32-byte sectors per request, summed; and the least possible.
  uint64_t globalLoadSectors = 0, globalStoreSectors = 0;
  uint64_t globalIdealSectors = 0;

  /// Of bulk copies (TMA), in or out of shared memory; sectors count above. A
  /// multicast is a copy for each block that it goes to, and reads once.
  uint64_t bulkCopies = 0, bulkBytes = 0;

  uint64_t sharedLoadBytes = 0, sharedStoreBytes = 0;
  /// Passes through shared memory; bank conflicts are what exceeds the least
  /// number for as many distinct words.
  uint64_t sharedWavefronts = 0;
  uint64_t sharedBankConflicts = 0;
  /// Of these, the ones that read, ldmatrix among them.
  uint64_t sharedLoadWavefronts = 0, sharedLoadBankConflicts = 0;
  /// Of all, the ones of ldmatrix and stmatrix: operands of tensor cores.
  uint64_t matrixRowWavefronts = 0, matrixRowBankConflicts = 0;

  Counters &operator+=(const Counters &other);
  uint64_t of(InstructionClass instructionClass) const {
    return instructions[static_cast<unsigned>(instructionClass)];
  }
};

} // namespace mlir::mirage::emulator

#endif // MIRAGE_EMULATOR_COUNTERS_H
