//===- WholeSearch.h - All structures of a program --------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_WHOLESEARCH_H
#define MIRAGE_LIB_SEARCH_WHOLESEARCH_H

#include "Mirage/Graph/DimensionFactors.h"
#include "Mirage/Search/Search.h"
#include "SearchClock.h"

namespace mlir::mirage::search {

/// Searches a program as it is, in one piece.
/// \param program  in canonical form (Mirage/Graph/CanonicalGraph.h), kernel-
///                 level operations, none composed.
/// \param clock    when it is out, nothing more is enumerated.
/// \param which    as rewriteForSearch has it.
/// \returns an error that says why where it is no program that can be searched.
llvm::Expected<SearchResult> superoptimizeWhole(const Graph &program,
                                                const Target &target,
                                                const SearchOptions &options,
                                                const SearchClock &clock,
                                                MergedFactors which);

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_WHOLESEARCH_H
