//===- SpecialRegisters.h - %tid, %ctaid and their like ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_SPECIALREGISTERS_H
#define MIRAGE_LIB_EMULATOR_SPECIALREGISTERS_H

#include "State.h"

#include <optional>

namespace mlir::mirage::emulator {

/// The special register of this name, such as `%tid.x`; none if there is none.
std::optional<SpecialRegister> findSpecialRegister(llvm::StringRef name);

/// Whether it tells of a block's cluster.
constexpr bool isOfClusters(SpecialRegister which) {
  return which >= SpecialRegister::ClusterIdX &&
         which <= SpecialRegister::IsExplicitCluster;
}

/// Its value in one lane, but for clocks, which are read when they are used.
uint64_t specialValue(SpecialRegister which, const Block &block,
                      const Warp &warp, unsigned lane,
                      const LaunchContext &launch);

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_SPECIALREGISTERS_H
