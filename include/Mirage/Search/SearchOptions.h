//===- SearchOptions.h - What a search looks at, and how long ---*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MIRAGE_SEARCH_SEARCHOPTIONS_H
#define MIRAGE_SEARCH_SEARCHOPTIONS_H

#include "Mirage/Cache/ResultCache.h"
#include "Mirage/Graph/Graph.h"
#include "Mirage/Search/Checkpoint.h"
#include "Mirage/Search/LibraryKernels.h"
#include "Mirage/Search/PrunerChoice.h"
#include "Mirage/Search/SpaceLimits.h"
#include "Mirage/Search/TileSizes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <optional>
#include <string>

namespace mlir::mirage::search {

struct Structure;
struct TargetProgram;

/// Whether `candidate` was shown equal to `program`.
using StructureVerifier =
    std::function<bool(const Graph &program, const Graph &candidate)>;

/// How far a search is.
struct SearchProgress {
  double seconds = 0; ///< since the program's search began
  /// Of a program that is searched in parts: how many have been begun, which
  /// never falls, of those that there are. There is no walk of the whole then.
  unsigned part = 0, numParts = 0;
  /// Of the structures that are enumerated.
  unsigned maxKernels = 1, numOperators = 0;
  /// Of all parts and walks; like `structures`, it never falls.
  uint64_t states = 0;
  double statesPerSecond = 0;
  /// Of the walk that goes on, and its limit.
  uint64_t walkStates = 0, maxStates = 0;
  uint64_t structures = 0;
  /// Predicted: every operator a kernel.
  double baselineUs = 0;
  /// Predicted: what has been found so far, or the baseline; of a program in
  /// parts, the best choice of parts that are through, which may be known a
  /// little later where there are very many. An interrupt gives that, or
  /// something better of what is being looked at; it gives something worse
  /// where what was found turns out not to be right when it is verified, which
  /// comes last.
  double bestUs = 0;
  unsigned timeLimitS = 0;
};

struct SearchOptions {
  std::string target = "sm_90a";
  /// Largest number of operators in one block graph.
  unsigned maxBlockOps = 16;
  unsigned maxGridAxes = 3;
  /// The most kernels of a structure, up to kMaxKernels. Those of one kernel
  /// come first.
  unsigned maxKernels = 2;
  /// Largest number of operators in all kernels of a structure that has
  /// several.
  unsigned maxOps = 12;
  /// States that may be spent on structures of one kernel, and again on those
  /// of several. A twentieth of them may go to atoms (silu, rms) written out,
  /// the larger space of the two and the one less often needed. States of
  /// programs with long forms count as several
  /// (EnumerationSpace::getStateWeight).
  uint64_t maxStates = 500000;
  PrunerChoice pruner;
  /// Stages of all kernels' loops, or the most that fit and have a use; 0: what
  /// is predicted to take least.
  unsigned stages = 0;
  /// Which sizes tiles may have.
  TileSizeChoice tileSizes = TileSizeChoice::Refined;
  /// Which matmuls that are kernels of their own are left to a library.
  LibraryKernels libraryKernels = LibraryKernels::Auto;
  unsigned numThreads = 0; ///< 0: one for each core
  /// Programs of more than kMaxWholeOperations operations, those that cannot be
  /// searched as a whole, and those of which a library does a matmul in less
  /// time are searched in parts as well (ProgramParts.h). Parts of the last
  /// keep to maxKernels; of others each may have a kernel.
  bool cutsProgram = true;
  /// How many of the cheapest candidates are returned, each of another
  /// structure.
  unsigned numCandidates = 8;
  /// Kernels that cannot be part of the best structures, by a bound on their
  /// cost at the program's sizes, are not enumerated.
  bool cutsKernels = true;
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
  /// Judges candidates, at small sizes; empty for makeFieldVerifier(seed).
  StructureVerifier verify;
  /// False for who judges whatever is used of the result.
  bool judgesCandidates = true;
  /// Where results are looked for and kept; null: nowhere. What is found there
  /// is what a search would find, and was tested by one with the same seed;
  /// nothing is tested again.
  cache::ResultCache *cache = nullptr;
  /// What was enumerated before, by searches of the same that were stopped or
  /// by shards, and is added to; null: nothing. It changes no result.
  Checkpoint *checkpoint = nullptr;
  /// A part of a search only enumerates, for the checkpoint: it has no
  /// candidates. Each counts the states that it visits itself.
  Shard shard;
  /// Asked now and then, by all threads; true ends the search with what was
  /// found so far, as the time limit does. Empty: never.
  std::function<bool()> isInterrupted;
  /// Told now and then, on the thread that searches, how far it is: from the
  /// beginning, whenever it is asked whether the search is to end, but not more
  /// than ten times a second. Empty: nobody.
  std::function<void(const SearchProgress &)> onProgress;
  /// Told each structure that counts, before it has sizes, and the program that
  /// its names are of. Empty: nobody.
  std::function<void(const TargetProgram &, const Structure &)> onStructure;
};

/// The most that options take.
constexpr unsigned kMaxOperators = 64; ///< in one block graph, or all kernels
constexpr uint64_t kMaxStates = 1000000000000;
constexpr unsigned kMaxThreads = 64;
constexpr unsigned kMaxTimeLimitS = 31536000; ///< a year
/// As a flag: each candidate is verified and computed with hard inputs, which
/// a user of thousands waits for in vain. Callers in C++ may have all there
/// are.
constexpr unsigned kMaxCandidates = 1000;

/// The option of a SpaceLimit.
struct SpaceLimitOption {
  llvm::StringLiteral name; ///< as users write it
  unsigned SearchOptions::*value;
  unsigned least, most;
};
const SpaceLimitOption &getOption(SpaceLimit limit);
/// Those of the limits that could be larger.
SpaceLimits withoutLargest(SpaceLimits limits, const SearchOptions &options);
/// Those of the limits that are smaller than they are by default.
SpaceLimits onlyLowered(SpaceLimits limits, const SearchOptions &options);
/// Limits and their values, as users write them.
std::string describe(SpaceLimits limits, const SearchOptions &options);

/// \returns an error that names the option, as users write it, whose value is
/// out of range, or that together with others leaves nothing to search.
llvm::Error checkOptions(const SearchOptions &options);

/// The options that decide which structures are enumerated, but for the limit
/// on states, which decides how many of them.
std::string getExplorationText(const SearchOptions &options);

/// The threads that a search with these options has: as many as were asked for,
/// or one for each core that the process may use.
unsigned getNumThreads(const SearchOptions &options);

/// Limits that hold what a kind of program needs and little more. The defaults
/// find the same, in more time.
struct SearchPreset {
  llvm::StringLiteral name;
  unsigned maxKernels, maxOps, maxBlockOps, maxGridAxes;
};
llvm::ArrayRef<SearchPreset> getPresets();
/// Null where there is none of that name.
const SearchPreset *findPreset(llvm::StringRef name);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_SEARCHOPTIONS_H
