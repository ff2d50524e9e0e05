//===- SearchCache.h - What is kept of a search -----------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A search has two results that are worth keeping. What enumerating an item
// brought (ItemRecords.h) depends on no sizes: at another batch size or
// sequence length it need not be enumerated again. Which items are worth
// enumerating does, so that each search adds those that the ones before have
// cut off. The candidates that were chosen stand for the whole search.
//
// What comes out of a cache is what a search finds: everything that has a say
// in it is part of the key, a search that ran out of time keeps nothing, and
// verdicts that are worth more than those of the search's own quick tests are
// not kept at all.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_SEARCHCACHE_H
#define MIRAGE_LIB_SEARCH_SEARCHCACHE_H

#include "KeptItems.h"
#include "Mirage/Search/Search.h"

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

  /// What the program is to names of items, at whatever sizes.
  const std::string &getProgramHash() const { return programHash; }

  /// Reads what was enumerated; false if nothing was kept.
  bool findItems(KeptItems &items);
  /// Those that were read among them.
  void keep(const KeptItems &items, StopReason reason);
  /// A result without baseline, and candidates without graphs.
  std::optional<SearchResult> findResult();
  void keep(const SearchResult &result);

private:
  const TargetProgram &program;
  cache::ResultCache *cache; ///< null: there is none
  bool keepsResults;
  std::string programHash;
  cache::RecordKey structuresKey, resultKey;
};

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_SEARCHCACHE_H
