//===- Counters.cpp - What a launch executed and moved --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Emulator/Counters.h"

using namespace mlir::mirage::emulator;

llvm::StringRef mlir::mirage::emulator::instructionClassName(
    InstructionClass instructionClass) {
  switch (instructionClass) {
  case InstructionClass::Integer:
    return "integer";
  case InstructionClass::Float32:
    return "float32";
  case InstructionClass::Float64:
    return "float64";
  case InstructionClass::Packed16:
    return "packed16";
  case InstructionClass::Special:
    return "special";
  case InstructionClass::Sequence:
    return "sequence";
  case InstructionClass::Convert:
    return "convert";
  case InstructionClass::Move:
    return "move";
  case InstructionClass::GlobalMemory:
    return "global-memory";
  case InstructionClass::SharedMemory:
    return "shared-memory";
  case InstructionClass::OtherMemory:
    return "other-memory";
  case InstructionClass::AsyncCopy:
    return "async-copy";
  case InstructionClass::Atomic:
    return "atomic";
  case InstructionClass::Matrix:
    return "matrix";
  case InstructionClass::Shuffle:
    return "shuffle";
  case InstructionClass::Barrier:
    return "barrier";
  case InstructionClass::Fence:
    return "fence";
  case InstructionClass::Branch:
    return "branch";
  }
  return "unknown";
}

Counters &Counters::operator+=(const Counters &other) {
  for (unsigned i = 0; i < numInstructionClasses; ++i)
    instructions[i] += other.instructions[i];
  warpInstructions += other.warpInstructions;
  threadInstructions += other.threadInstructions;
  divergentBranches += other.divergentBranches;
  barriers += other.barriers;
  mbarrierPhases += other.mbarrierPhases;
  mbarrierWaits += other.mbarrierWaits;
  bulkCopies += other.bulkCopies;
  bulkBytes += other.bulkBytes;
  matrixFlops += other.matrixFlops;
  globalLoadBytes += other.globalLoadBytes;
  globalStoreBytes += other.globalStoreBytes;
  globalRequests += other.globalRequests;
  globalLoadSectors += other.globalLoadSectors;
  globalStoreSectors += other.globalStoreSectors;
  globalIdealSectors += other.globalIdealSectors;
  sharedLoadBytes += other.sharedLoadBytes;
  sharedStoreBytes += other.sharedStoreBytes;
  sharedWavefronts += other.sharedWavefronts;
  sharedBankConflicts += other.sharedBankConflicts;
  sharedLoadWavefronts += other.sharedLoadWavefronts;
  sharedLoadBankConflicts += other.sharedLoadBankConflicts;
  matrixRowWavefronts += other.matrixRowWavefronts;
  matrixRowBankConflicts += other.matrixRowBankConflicts;
  return *this;
}
