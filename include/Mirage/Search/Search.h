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
#include "Mirage/Search/TestPairs.h"
#include "llvm/Support/JSON.h"
#include <functional>

namespace mlir::mirage::search {

/// Whether `candidate` was shown equal to `program`.
using StructureVerifier =
    std::function<bool(const Graph &program, const Graph &candidate)>;

/// Every structure is tested until the proved error is below 2^-n at each of
/// its test sizes; the winner's final test has a bound of its own.
constexpr unsigned kSearchErrorBoundBits = 20;
/// The most batches of trials for that, where theorems promise little (maxima).
constexpr unsigned kSearchMaxTowers = 16;

/// Judges by random testing over finite fields (Mirage/Verify/Verify.h).
StructureVerifier makeFieldVerifier(uint64_t seed);

/// What is searched as a whole alone.
constexpr unsigned kMaxWholeOperations = 10;

struct SearchOptions {
  std::string target = "sm_90a";
  /// Largest number of operators in one block graph.
  unsigned maxBlockOps = 16;
  unsigned maxGridAxes = 3;
  /// States over all rounds; the search ends when they are used up.
  uint64_t maxStates = 100000;
  /// Of these, what may be spent on atoms (silu, rms) written out, the larger
  /// space of the two and the one less often needed.
  uint64_t maxWrittenOutStates = 25000;
  /// The most kernels of a structure, up to kMaxKernels. Those of one kernel
  /// come first.
  unsigned maxKernels = 2;
  /// Largest number of operators in all kernels of a structure that has
  /// several, and the states that may be spent on them.
  unsigned maxOps = 11;
  uint64_t maxStatesOfSeveral = 100000;
  unsigned numThreads = 1;
  /// Programs of more than kMaxWholeOperations operations, and those that
  /// cannot be searched as a whole, are searched in parts as well
  /// (ProgramParts.h).
  bool cutsProgram = true;
  /// How many of the cheapest candidates are returned, each of another
  /// structure.
  unsigned numCandidates = 8;
  /// Tilings that cannot be among the best, by a bound on their cost, are not
  /// tried. False for tests that nothing is lost so.
  bool cutsInstances = true;
  /// Outputs may be sums over blocks, which need atomic adds or a second step.
  bool allowSummedOutputs = false;
  /// Blocks along an axis may be joined in mid-kernel.
  bool allowGridAccumulates = true;
  /// Wall-clock budget in seconds; 0 is none. The only way for the machine to
  /// have a say in the result.
  unsigned timeLimitS = 0;
  uint64_t seed = 0; ///< of all random inputs
  /// Judges every structure, at small sizes; empty for makeFieldVerifier(seed).
  StructureVerifier verify;
  /// Where results are looked for and kept; null: nowhere. What is found there
  /// is what a search would find, and was tested by one with the same seed;
  /// nothing is tested again.
  cache::ResultCache *cache = nullptr;
};

enum class StopReason : uint8_t {
  Exhausted, ///< everything within the limits on operators was seen
  /// The same, but for structures with PruneReason::OuterProduct in them.
  OuterProducts,
  StateLimit,
  TimeLimit,
  /// The program, multiplied out, has too many terms or too long ones for one
  /// reading of it, or for any, to be searched.
  ProgramTooLarge,
};
llvm::StringRef getStopReasonName(StopReason reason);

/// What came out of the cache.
enum class CacheUse : uint8_t {
  None,       ///< there is none
  Missed,     ///< nothing
  Structures, ///< what was found for the program at other sizes
  Result,     ///< all
};
llvm::StringRef getCacheUseName(CacheUse use);

struct SearchReport {
  CacheUse cache = CacheUse::None;
  std::vector<SearchRound> rounds;
  EnumerationCounts counts; ///< of all rounds
  unsigned parts = 0;       ///< of a program that was cut
  unsigned structures = 0;  ///< different ones that equal the target by form
  unsigned verified = 0;    ///< candidates found equal by the verifier
  unsigned rejected = 0;    ///< candidates that were not, and fell out
  unsigned filtered = 0;    ///< of these, by a quick test
  uint64_t instances = 0;   ///< tilings tried, not cut off by their bound
  uint64_t fitting = 0;     ///< of these, within shared memory
  double baselineUs = 0;    ///< predicted: every operator a kernel
  double bestUs = 0;        ///< predicted
  double limitUs = 0;       ///< predicted: device memory alone
  double seconds = 0;

  /// Adds what another search of the program, or of a part of it, counted.
  SearchReport &operator+=(const SearchReport &other);
};
llvm::json::Value toJSON(const SearchReport &report);

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

struct SearchResult {
  /// Cheapest first; ties by number of operators, then by text. Empty if
  /// nothing was found.
  std::vector<Candidate> candidates;
  /// Every operator as a kernel of its own, which is what there is if nothing
  /// is cheaper.
  Graph baseline;
  StopReason stopReason = StopReason::Exhausted;
  SearchReport report;

  /// The cheapest µGraph, the baseline among them.
  const Graph &getBest() const;
};

/// Searches µGraphs equal to `program`, a graph of kernel-level operators.
/// The result depends on the program and the options alone.
/// \returns an error if the target is unknown, or if the program cannot be
/// searched: what nameProgram refuses, or an operator with no default block
/// graph.
llvm::Expected<SearchResult> superoptimize(const Graph &program,
                                           const SearchOptions &options);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_SEARCH_H
