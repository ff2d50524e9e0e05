//===- SearchInParts.h - Superoptimizing a program part by part -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_SEARCHINPARTS_H
#define MIRAGE_LIB_SEARCH_SEARCHINPARTS_H

#include "Mirage/Search/Search.h"
#include "SearchClock.h"

namespace mlir::mirage::search {

/// Searches the program's parts (ProgramParts.h) by themselves, and joins the
/// best way to write the program as such. What cannot be searched is an
/// operator as a kernel of its own.
/// \param program     kernel-level operations, none composed.
/// \param clock       when it is out, what has not been searched is an operator
///                    as a kernel of its own, too.
/// \param maxKernels  the most kernels of our own in all parts; none: any
///                    number.
/// \returns one candidate, or none if nothing can be joined.
llvm::Expected<SearchResult>
superoptimizeInParts(const Graph &program, const Target &target,
                     const SearchOptions &options, const SearchClock &clock,
                     std::optional<unsigned> maxKernels);

/// Enumerates those of the parts that are the shard's, for the checkpoint, and
/// chooses nothing. Parameters are those of `superoptimizeInParts`.
llvm::Expected<SearchResult>
enumeratePartsOfShard(const Graph &program, const Target &target,
                      const SearchOptions &options, const SearchClock &clock,
                      std::optional<unsigned> maxKernels);

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_SEARCHINPARTS_H
