//===- StructureChecker.h - Whether a structure can be built ----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_STRUCTURECHECKER_H
#define MIRAGE_LIB_SEARCH_STRUCTURECHECKER_H

#include "Mirage/Search/TargetProgram.h"

namespace mlir::mirage::search {

/// What keeps a structure that did not come from the search from being built,
/// as "expects ..., got ..."; nothing if nothing does. Its kernels must be well
/// formed by themselves: operands before their users, rows with as many of them
/// as they take.
std::string explainBadStructure(const TargetProgram &program,
                                const Structure &structure);

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_STRUCTURECHECKER_H
