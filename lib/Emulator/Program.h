//===- Program.h - Decoded kernels ------------------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_PROGRAM_H
#define MIRAGE_LIB_EMULATOR_PROGRAM_H

#include "Mirage/Emulator/Counters.h"
#include "Mirage/Emulator/Module.h"

#include "Diagnostics.h"
#include "Syntax.h"
#include "Target.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <map>

namespace mlir::mirage::emulator {

struct ExecutionState;
struct Instruction;

/// What an instruction's handler tells the interpreter.
enum class Outcome : uint8_t {
  Next,    ///< go on with the following instruction
  Jumped,  ///< the handler set the split's pc, or ended or divided the split
  Parked,  ///< the split waits; it goes on where its pc stands
  Stopped, ///< the block cannot go on (a finding says why)
};

/// Executes one instruction for all active lanes of one warp.
using Handler = Outcome (*)(ExecutionState &, const Instruction &);

constexpr uint32_t noSlot = ~0u;
constexpr uint32_t noPc = ~0u;
/// Of a kernel, so that 23 bits tell which one accessed memory, or that it is
/// not known.
constexpr uint32_t maxInstructions = (1u << 23) - 1;

/// One instruction, with every operand resolved to a slot: a byte offset into
/// the register file of a warp. There a value of n bytes is an array of 32 (one
/// per lane, 64-byte aligned), a predicate one 32-bit lane mask. Immediates,
/// addresses of symbols and special registers are slots too, filled once, so
/// that handlers never ask what kind an operand is.
struct Instruction {
  Handler handler = nullptr;
  const uint32_t *slots = nullptr;     ///< results first, in the order written
  int64_t displacement[3] = {0, 0, 0}; ///< of the memory operands
  uint32_t guard = noSlot;
  uint32_t target = noPc;        ///< of a branch
  uint32_t reconvergence = noPc; ///< of a divergent branch
  uint16_t variant = 0;          ///< meaning set by the table row
  uint16_t numSlots = 0;         ///< lists of branch targets may be long
  uint8_t vectorSize = 1;        ///< registers of a `.v2`, `.v4` operand
  uint8_t elementBytes = 0;      ///< of a memory access
  uint8_t resultBytes = 0;       ///< of result registers that may be wider
  uint8_t sourceBytes = 0;       ///< of source registers that may be wider
  InstructionClass instructionClass = InstructionClass::Integer;
  Space space = Space::Generic;
  bool guardNegated = false;
  bool signExtends = false;
  uint8_t addressIs32 = 0; ///< bit i: memory operand i has a 32-bit base
  /// Of a vector load, bit i: no instruction uses what register i gets.
  uint8_t unusedParts = 0;
  /// Blocks can talk through it, if its address is global.
  bool communicates = false;
};

/// A slot that holds the same value in all lanes and launches.
struct ConstantSlot {
  uint32_t slot;
  uint8_t sizeBytes; ///< 0: a predicate
  uint64_t value;
};

enum class SpecialRegister : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  NumWarps,
  SmId,
  NumSms,
  GridId,
  LaneMaskEq,
  LaneMaskLe,
  LaneMaskLt,
  LaneMaskGe,
  LaneMaskGt,
  ClusterIdX,
  ClusterIdY,
  ClusterIdZ,
  NumClusterX,
  NumClusterY,
  NumClusterZ,
  ClusterCtaidX,
  ClusterCtaidY,
  ClusterCtaidZ,
  ClusterNctaidX,
  ClusterNctaidY,
  ClusterNctaidZ,
  ClusterCtarank,
  ClusterNctarank,
  IsExplicitCluster,
  DynamicSharedSize,
  TotalSharedSize,
  Clock,
  Clock64,
  GlobalTimer, ///< read when used, not preset
};

/// A slot that a block or warp fills when it starts.
struct SpecialSlot {
  uint32_t slot;
  uint8_t sizeBytes;
  SpecialRegister which;
};

/// The registers that wgmma works on while the warp goes on: accumulators, and
/// fragments of the left operand. Whether something else touches them too early
/// is asked only in instructions that name one.
struct MatrixRegisters {
  /// An instruction that names such registers, by their numbers here.
  struct Use {
    Handler handler = nullptr;       ///< what it does, once they are checked
    std::vector<uint32_t> numbers;   ///< of wgmma, the accumulators
    std::vector<uint32_t> fragments; ///< of wgmma
  };
  std::vector<std::string> names;     ///< by number, as written
  llvm::DenseMap<uint32_t, Use> uses; ///< by pc
};

/// A decoded kernel. Never copied: instructions point into `slotLists`.
struct Kernel {
  Kernel() = default;
  Kernel(Kernel &&) = default;
  Kernel &operator=(Kernel &&) = default;

  std::vector<Instruction> code;
  std::deque<std::vector<uint32_t>> slotLists; ///< what Instruction::slots is
  std::vector<Location> places;                ///< per instruction
  std::vector<uint32_t> sourcePlaces;          ///< per instruction, into .loc
  std::vector<ConstantSlot> constants;
  std::vector<SpecialSlot> specials;
  uint32_t registerFileBytes = 0;
  bool communicates = false;   ///< has operations by which blocks can talk
  bool usesAsyncProxy = false; ///< has bulk copies or wgmma
  MatrixRegisters matrixRegisters;
};

/// A `.loc`.
struct SourcePlace {
  uint32_t file = 0, line = 0, column = 0;
};

/// Everything of one file.
struct Program {
  std::string fileName;
  Target target;
  std::vector<KernelInfo> infos;
  std::vector<Kernel> kernels; ///< parallel to infos
  /// Where shared memory starts in its space: what lies before is the system's,
  /// on sm_90 and later.
  uint32_t sharedStart = 0;
  std::vector<uint8_t> constImage;
  std::vector<uint8_t> globalImage;
  std::vector<SourcePlace> sourcePlaces = {SourcePlace()};
  std::map<uint32_t, std::string> sourceFiles;
};

/// Fixed places of the address spaces in the generic address space. A shared
/// address (as an offset) plus `sharedWindow` is its generic address, and so
/// on.
namespace window {
constexpr uint64_t sizeBytes = uint64_t(1) << 32;
/// Inside of the window of shared memory: a block's own from 0 on (where it
/// starts there, Program::sharedStart says), and, from `peer(rank)` on, that of
/// the block of this rank in its cluster.
constexpr uint64_t sharedBytes = uint64_t(1) << 24;
constexpr uint64_t peer(unsigned rank) { return (rank + 1) * sharedBytes; }
constexpr uint64_t shared = uint64_t(1) << 40;
constexpr uint64_t local = uint64_t(2) << 40;
constexpr uint64_t param = uint64_t(3) << 40;
constexpr uint64_t constant = uint64_t(4) << 40;
constexpr uint64_t moduleGlobal = uint64_t(5) << 40;
constexpr uint64_t buffers = uint64_t(0x7f) << 40;
constexpr uint64_t of(Space space) {
  switch (space) {
  case Space::Shared:
  case Space::Cluster:
    return shared;
  case Space::Local:
    return local;
  case Space::Param:
    return param;
  case Space::Const:
    return constant;
  case Space::Generic:
  case Space::Global:
    break;
  }
  return 0;
}
} // namespace window

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_PROGRAM_H
