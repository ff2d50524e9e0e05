//===- BlocksToLaunch.cpp - How many blocks of a grid start ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Planning/BlocksToLaunch.h"

using namespace mlir::mirage;

std::optional<int64_t>
mlir::mirage::choosePersistentBlocks(int64_t numBlocks, bool onlyMultiplies,
                                     const Target &target) {
  if (!onlyMultiplies || numBlocks <= target.numSMs)
    return std::nullopt;
  return target.numSMs;
}
