//===- Findings.h - Collects findings without repeating them ----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_FINDINGS_H
#define MIRAGE_LIB_EMULATOR_FINDINGS_H

#include "Mirage/Emulator/Launch.h"

#include "Program.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <tuple>

namespace mlir::mirage::emulator {

/// Findings by kind and instructions; of equal ones the first, in the order of
/// blocks, is kept and the others are counted. So the result does not depend on
/// which worker ran which block.
class FindingSet {
public:
  explicit FindingSet(unsigned limit) : limit(limit) {}

  void add(FindingKind kind, uint32_t pc, uint32_t otherPc, uint64_t block,
           uint32_t warp, uint32_t lane,
           llvm::function_ref<std::string()> message);
  void merge(const FindingSet &other);

  /// Fills in places and moves all to the result, in the order of lines.
  void finish(const Kernel &kernel, const Program &program,
              const LaunchConfig &config, LaunchResult &result) const;

private:
  struct Entry {
    uint64_t block;
    uint32_t warp, lane;
    uint64_t count;
    std::string message;
  };
  using Key = std::tuple<uint32_t, FindingKind, uint32_t>; // pc, kind, otherPc
  std::map<Key, Entry> entries;
  unsigned limit;
};

/// Bytes of global memory that one block read or wrote.
struct GlobalInterval {
  uint64_t begin = 0, end = 0;
  uint64_t block = 0;
  uint32_t pc = 0;
  bool isWrite = false, isAtomic = false;
};

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_FINDINGS_H
