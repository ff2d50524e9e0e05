//===- KernelEnumeration.h - Structures of one kernel -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_SEARCH_KERNELENUMERATION_H
#define MIRAGE_TEST_UNIT_SEARCH_KERNELENUMERATION_H

#include "Mirage/Search/Enumerator.h"
#include <set>

namespace mlir::mirage::test {

/// The program as the search sees it; it must have names.
search::TargetProgram makeProgram(const Graph &graph);

struct KernelSpace {
  unsigned maxOperators = 11, maxGridAxes = 2;
  search::GridJoins joins = {/*inOutputs=*/true};
  search::PruningSwitches off = {};
};

struct FoundKernels {
  uint64_t states = 0; ///< of one pass with the largest budget
  std::vector<search::KernelStructure> structures;
};

/// All structures of one kernel that the search visits, fewest operators first.
FoundKernels enumerateKernels(const Graph &graph, search::AtomReading reading,
                              const KernelSpace &options = {});

/// All kernels that read some inputs of the program and leave tensors to
/// others.
std::vector<search::KernelStructure>
enumerateFirstKernels(const Graph &graph, search::AtomReading reading,
                      const KernelSpace &options);

/// What a structure computes and how, without the order of its operators. With
/// `names`, these stand for its own, by number.
std::string describe(const search::KernelStructure &structure,
                     llvm::ArrayRef<std::string> names = {});
std::multiset<std::string>
describeAll(llvm::ArrayRef<search::KernelStructure> structures,
            llvm::ArrayRef<std::string> names = {});

inline bool isLooped(const search::KernelStructure &structure) {
  return structure.loopName != kNoName;
}

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_UNIT_SEARCH_KERNELENUMERATION_H
