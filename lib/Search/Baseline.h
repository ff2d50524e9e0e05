//===- Baseline.h - Every operator as a kernel of its own -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_BASELINE_H
#define MIRAGE_LIB_SEARCH_BASELINE_H

#include "Mirage/Search/CostModel.h"

namespace mlir::mirage::search {

/// Each operation as a kernel with its default block graph and the number of
/// threads that suits it; views stay, and so do matmuls that are left to a
/// library. Fails where an operation has none that fits.
llvm::Expected<Graph> buildBaseline(const Graph &program, const Target &target,
                                    LibraryKernels libraryKernels,
                                    const CostModel &costModel);

/// Whether a baseline leaves some matmul to a library.
bool callsLibrary(const Graph &baseline);

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_BASELINE_H
