//===- RegisterBudget.cpp - What may take registers of a thread -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Planning/RegisterBudget.h"
#include "Mirage/Planning/LaunchBarrier.h"
#include "Mirage/Planning/Target.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::mirage;

RegisterBudget::RegisterBudget(int64_t threads)
    : all(Target().getRegistersPerThread(threads)),
      even(std::min(Target().registersPerThread,
                    Target().registersPerSM / threads)) {}

int64_t RegisterBudget::getBesideCode() const {
  return all - kExpectedRegisters;
}

int64_t RegisterBudget::getForSums(SumSource source) const {
  constexpr int64_t kOfTwoProducts = 8;
  int64_t least = even / 3;
  if (source == SumSource::Others)
    return least;
  int64_t most = llvm::alignTo(llvm::divideCeil(all * 3, 8), kOfTwoProducts);
  int64_t besideSums =
      source == SumSource::RoundedProducts ? 56 : kRegistersBesideSums;
  return std::max(std::min(most, all - besideSums), least);
}

HeldRegisters RegisterBudget::getForSteps() const {
  int64_t most = std::max(getForRows(), all - kLeastRegisters);
  // Half of what a target lets a thread have, for what steps make of tiles. It
  // is a choice between registers and shared memory, no limit: of 16 drawn row
  // programs in which it matters (32 to 256 threads, sm_90a) none spills with
  // 96, 128, 160 or 192. Their tiles take 1.6, 1, 0.90 and 0.79 of the bytes in
  // shared memory, and code up to 255 registers with 128 and more; one goes
  // from 96 to 251 with 160.
  int64_t mostOfTiles = llvm::divideCeil(Target().registersPerThread, 2);
  return {std::min(most, mostOfTiles), most};
}

int64_t RegisterBudget::getForStepsOfLoop(int64_t takenBySums) const {
  return std::max<int64_t>(getForSums(SumSource::Others) - takenBySums, 0);
}
