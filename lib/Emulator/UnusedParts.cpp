//===- UnusedParts.cpp - Registers of vector loads that nothing reads -----===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir::mirage::emulator;

void mlir::mirage::emulator::findUnusedParts(Kernel &kernel) {
  // Registers of PTX are virtual: a value that is not used stands in a register
  // that is named once. (Lists of branch targets hold no slots; what they add
  // here can only make a register count as used.)
  llvm::DenseMap<uint32_t, unsigned> uses;
  for (const std::vector<uint32_t> &slots : kernel.slotLists)
    for (uint32_t slot : slots)
      if (slot != noSlot)
        ++uses[slot];
  for (Instruction &instruction : kernel.code) {
    unsigned parts = instruction.vectorSize;
    if (parts == 1 || parts > 8 || instruction.numSlots < parts)
      continue;
    unsigned unused = 0;
    for (unsigned part = 0; part < parts; ++part)
      unused |= unsigned(uses.lookup(instruction.slots[part]) == 1) << part;
    // A load of which nothing is used was not widened; somebody wants it.
    if (unused != (1u << parts) - 1)
      instruction.unusedParts = unused;
  }
}
