//===- Finding.h - What the emulator finds in a kernel -------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_EMULATOR_FINDING_H
#define MIRAGE_EMULATOR_FINDING_H

#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>
#include <string>

namespace mlir::mirage::emulator {

/// The kinds of fault.
enum class FindingKind : uint8_t {
  OutOfBounds,
  Misaligned,
  WriteToInput,      ///< a store to a buffer that the launch calls an input
  UninitializedRead, ///< of shared, local or global memory
  UnwrittenOutput,   ///< bytes of an output that no thread wrote
  SharedRace,        ///< between warps of one block, in shared memory
  GlobalRace,        ///< between warps or blocks, in global memory
  IntraWarpRace,     ///< between lanes of one warp; a warning
  StoreConflict,     ///< lanes of one store write different values to one place
  DivergentAligned,  ///< an `.aligned` operation without the whole warp
  BarrierMisuse,     ///< counts that disagree or are no multiple of 32
  WarpSyncMisuse,    ///< a member mask that does not fit the lanes
  Deadlock,
  EndlessLoop, ///< one that nothing can end
  StepLimit,   ///< a block was stopped that may be right
  DivisionByZero,
  UnwaitedCopy, ///< a copy still under way when its thread ended; a warning
  /// An access of the generic proxy is ordered before one of the asynchronous
  /// proxy (bulk copy, TMA, wgmma), and no fence.proxy.async makes it known.
  MissingProxyFence,
  MBarrierMisuse, ///< an mbarrier that is none, or whose counts disagree
  CopyMisuse,     ///< a size, place or tensor map that a bulk copy cannot have
  MatrixMisuse,   ///< registers or memory of a wgmma that is not done
  RegisterMisuse, ///< a setmaxnreg that a warpgroup cannot have
  ClusterMisuse,  ///< shared memory of a block that has not started, or ended
  Trap,
};

/// The name used in reports, e.g. "shared-race".
llvm::StringRef findingKindName(FindingKind kind);

/// A warning does not make a launch fail.
bool isWarning(FindingKind kind);

/// Whether it says that the emulator was told to stop, and nothing of the
/// kernel.
bool isLimit(FindingKind kind);

/// Where an instruction stands: in the PTX text, and in the file that the
/// closest `.loc` before it names (line 0 if there is none).
struct InstructionPlace {
  uint32_t line = 0, column = 0;
  std::string sourceFile;
  uint32_t sourceLine = 0, sourceColumn = 0;
  /// What that line stands for, if whoever launched the kernel knows: printed
  /// in the place of file, line and column. The emulator leaves it empty.
  std::string source = {};
};

/// One fault, as first met in the order of blocks. The same fault at the same
/// instruction (and the same other instruction) is one finding with a count.
struct Finding {
  FindingKind kind = FindingKind::OutOfBounds;
  std::string message; ///< without places; says what was expected and found
  InstructionPlace place;
  InstructionPlace otherPlace; ///< of a race, the earlier access; else line 0
  std::array<uint32_t, 3> block = {0, 0, 0};
  uint32_t warp = 0, lane = 0;
  uint64_t count = 1;

  /// One line: kind, message, and all places that are known.
  std::string str() const;
};

} // namespace mlir::mirage::emulator

#endif // MIRAGE_EMULATOR_FINDING_H
