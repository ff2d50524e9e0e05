//===- Search.h - Superoptimizing a tensor program --------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search as a plain function: a program of kernel-level operators in, the
// cheapest equal µGraphs out. Structures are enumerated (Enumerator.h) and get
// numbers (Instantiator.h) that a cost model ranks; then, cheapest first, each
// structure is tested and verified at small sizes (TestPairs.h) until there are
// enough.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_SEARCH_H
#define MIRAGE_SEARCH_SEARCH_H

#include "Mirage/Cache/ResultCache.h"
#include "Mirage/Search/CostModel.h"
#include "Mirage/Search/Explorer.h"
#include "Mirage/Search/Instantiator.h"
#include "Mirage/Search/SearchOptions.h"
#include "Mirage/Search/TestPairs.h"
#include "llvm/Support/JSON.h"

namespace mlir::mirage::search {

/// Every structure is tested until the proved error is below 2^-n at each of
/// its test sizes; the winner's final test has a bound of its own.
constexpr unsigned kSearchErrorBoundBits = 20;
/// The most batches of trials for that, where theorems promise little (maxima).
constexpr unsigned kSearchMaxTowers = 16;

/// Judges by random testing over finite fields (Mirage/Verify/Verify.h).
/// \param isCancelled  asked now and then; once it is true, nothing more is
///                     shown equal.
StructureVerifier makeFieldVerifier(uint64_t seed,
                                    std::function<bool()> isCancelled = {});

/// What is searched as a whole alone.
constexpr unsigned kMaxWholeOperations = 10;

/// In ascending order of what of them is said where there are several.
enum class StopReason : uint8_t {
  Exhausted, ///< everything within the limits on operators was seen
  /// The same, but for structures with PruneReason::OuterProduct in them.
  OuterProducts,
  /// Everything that a pruner proved to lead to the program, which need not be
  /// all that does (PrunerChoice::mayDropMore).
  Unproved,
  StateLimit,
  /// Kernels may read too many choices of tensors to look at all.
  TooManyReads,
  /// The program, multiplied out, has too many terms or too long ones for one
  /// reading of it, or for any, to be searched.
  ProgramTooLarge,
  TimeLimit,
  Interrupted, ///< by SearchOptions::isInterrupted
  /// The limits on operators, kernels and axes leave nothing of the program's.
  NothingToSearch,
};
llvm::StringRef getStopReasonName(StopReason reason);
/// The reason of two searches, or walks of one, together.
inline StopReason join(StopReason lhs, StopReason rhs) {
  return std::max(lhs, rhs);
}
/// Whether somebody or the clock ended it: the same search may find more
/// another time.
bool dependsOnTime(StopReason reason);

/// What came out of the cache; of several searches, the least of any.
enum class CacheUse : uint8_t {
  None,       ///< there is none
  Missed,     ///< nothing
  Structures, ///< what was enumerated for the program at some sizes
  Result,     ///< all
};
llvm::StringRef getCacheUseName(CacheUse use);

struct SearchReport {
  CacheUse cache = CacheUse::None;
  std::vector<SearchRound> rounds;
  EnumerationCounts counts;   ///< of all rounds
  SpaceLimits limits;         ///< that kept something out, in any walk
  bool isOutOfStates = false; ///< a limit on them ended some walk
  uint64_t cuts = 0;          ///< refusals by bounds on cost (SearchRound)
  unsigned parts = 0;         ///< of a program that was cut
  unsigned structures = 0;    ///< different ones that equal the target by form
  unsigned verified = 0;      ///< candidates found equal by the verifier
  unsigned rejected = 0;      ///< candidates that fell out
  unsigned filtered = 0;      ///< of these, by a quick test
  unsigned unstable = 0;      ///< of these, equal but for rounding and overflow
  uint64_t instances = 0;     ///< tilings looked at, not cut by their bounds
  uint64_t fitting = 0;       ///< of these, within memory and registers
  uint64_t recalled = 0;      ///< items of the walk that a checkpoint had
  double baselineUs = 0;      ///< predicted: every operator a kernel
  double bestUs = 0;          ///< predicted
  double limitUs = 0;         ///< predicted: device memory alone
  double seconds = 0;
  double bestSeconds = 0; ///< until the cheapest structure had its sizes

  /// Adds what another search of the program, or of a part of it, counted.
  SearchReport &operator+=(const SearchReport &other);
};
llvm::json::Value toJSON(const SearchReport &report);
/// But for how long it took: what is the same for every search of its kind.
SearchReport withoutTimes(SearchReport report);

/// The options that limit the search, with their values; threads as many as
/// there are.
llvm::json::Value toJSON(const SearchOptions &options);

/// Two graphs whose equality is to be shown.
struct Claim {
  Graph program, graph;
  /// What the structure was verified at, for a final test with a bound.
  std::vector<TestPair> testPairs;
};

struct Candidate {
  Structure structure;           ///< none of a program that was cut
  std::vector<KernelPlan> plans; ///< by kernel
  std::vector<Tiling> tilings;   ///< by kernel
  Graph graph;                   ///< the program as these kernels
  double predictedUs = 0;
  /// That the graph is the program; of a program that was cut, that each part
  /// is what stands in its place.
  std::vector<Claim> claims;
};

/// A structure that came near.
struct NearMiss {
  std::string structure; ///< as text
  double predictedUs = 0;
  std::string why;
};
llvm::json::Value toJSON(llvm::ArrayRef<NearMiss> misses);
/// How many of them are kept.
constexpr size_t kMaxNearMisses = 8;

struct SearchResult {
  /// Cheapest first; ties by number of operators, then by text. Empty if
  /// nothing was found.
  std::vector<Candidate> candidates;
  /// Every operator as a kernel of its own, which is what there is if nothing
  /// is cheaper.
  Graph baseline;
  StopReason stopReason = StopReason::Exhausted;
  SearchReport report;
  /// The cheapest of what was rejected, or is no cheaper than the baseline.
  std::vector<NearMiss> nearMisses;

  /// Where it is one of the nearest, by cost.
  void addNearMiss(NearMiss miss);

  /// The cheapest µGraph, the baseline among them.
  const Graph &getBest() const;
};

/// The names of the options that ended a search, or kept something out of it.
llvm::json::Array listLimitsHit(const SearchResult &result);

/// Searches µGraphs equal to `program`, a graph of kernel-level operators.
/// The result depends on the program and the options alone.
/// \returns an error if an option or the target is no good (checkOptions,
/// getTarget), or if the program cannot be searched: what nameProgram refuses,
/// or an operator with no default block graph.
llvm::Expected<SearchResult> superoptimize(const Graph &program,
                                           const SearchOptions &options);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_SEARCH_H
