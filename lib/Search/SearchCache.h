//===- SearchCache.h - What is kept of a search -----------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A search has two results that are worth keeping. The structures of a program
// depend on no sizes: at another batch size or sequence length they get other
// tilings, and need not be found again. The candidates chosen among them do,
// and stand for the whole search.
//
// What comes out of a cache is what a search finds: everything that has a say
// in it is part of the key, a search that ran out of time keeps nothing, and
// verdicts that are worth more than those of the search's own quick tests are
// not kept at all.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_SEARCHCACHE_H
#define MIRAGE_LIB_SEARCH_SEARCHCACHE_H

#include "Mirage/Search/Search.h"
#include "SearchRecords.h"

namespace mlir::mirage::search {

/// The version of Mirage with a hash of all sources that have a say in what is
/// found.
std::string getSearchVersion();

/// One search's part of a cache.
class SearchCache {
public:
  /// \param original  the program as it was, in canonical form
  ///                  (Mirage/Graph/CanonicalGraph.h), as names are numbered by
  ///                  its order.
  /// \param body      what it was rewritten to, before maxima were removed.
  SearchCache(const TargetProgram &program, const Graph &original,
              const Graph &body, const SearchOptions &options);

  std::optional<FoundStructures> findStructures();
  void keep(const FoundStructures &found);
  /// A result without baseline, and candidates without graphs.
  std::optional<SearchResult> findResult();
  void keep(const SearchResult &result);

private:
  const TargetProgram &program;
  cache::ResultCache *cache; ///< null: there is none
  bool keepsResults;
  cache::RecordKey structuresKey, resultKey;
};

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_SEARCHCACHE_H
