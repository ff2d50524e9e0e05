//===- Search.cpp - Superoptimizing a tensor program ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Search.h"
#include "Mirage/Graph/ComposedOperators.h"
#include "Mirage/Graph/DefaultTileGraph.h"
#include "Mirage/Search/RewrittenProgram.h"
#include "Mirage/Search/Stabilizers.h"
#include "Mirage/Verify/SmallerSizes.h"
#include "Mirage/Verify/Verify.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>
#include <limits>
#include <set>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::Error;
using llvm::Expected;

llvm::StringRef mlir::mirage::search::getStopReasonName(StopReason reason) {
  static constexpr llvm::StringLiteral kNames[] = {
      "exhausted", "outer products left out", "state limit", "time limit",
      "program's form is too large"};
  return kNames[static_cast<unsigned>(reason)];
}

const Graph &SearchResult::getBest() const {
  bool isBetter =
      !candidates.empty() && candidates.front().predictedUs < report.baselineUs;
  return isBetter ? candidates.front().graph : baseline;
}

StructureVerifier mlir::mirage::search::makeFieldVerifier(uint64_t seed) {
  return [seed](const Graph &program, const Graph &candidate) {
    VerifyOptions options;
    options.seed = hashToSeed("search " + std::to_string(seed));
    options.errorBoundBits = kSearchErrorBoundBits;
    options.minTowers = 1;
    options.maxTowers = kSearchMaxTowers;
    Expected<Verdict> verdict = verifyEqual(program, candidate, options);
    if (!verdict) { // only graphs with other inputs or outputs
      assert(false && "a candidate has the program's signature");
      llvm::consumeError(verdict.takeError());
      return false;
    }
    return verdict->kind == Verdict::Equal;
  };
}

namespace {
class Searcher {
public:
  /// \param original   what costs are compared with.
  /// \param rewritten  its body is the program, or what the program was before
  ///                   its maxima were removed.
  Searcher(TargetProgram program, const Graph &original,
           const RewrittenProgram &rewritten, Target target,
           const SearchOptions &options)
      : program(std::move(program)), original(original), rewritten(rewritten),
        target(target), options(options), costModel(target),
        verifier(options.verify ? options.verify
                                : makeFieldVerifier(options.seed)),
        filter(options.seed), start(std::chrono::steady_clock::now()),
        cutsNothing(!options.cutsInstances) {}

  Expected<SearchResult> run() {
    if (Error error = buildBaseline())
      return std::move(error);
    result.report.limitUs = getStreamingLimitUs(target, program.graph);
    // What was read as an atom is searched as such first, then written out.
    if (enumerate(AtomReading::Function))
      enumerate(AtomReading::WrittenOut);
    if (result.stopReason == StopReason::Exhausted &&
        result.report.counts.pruned[unsigned(PruneReason::OuterProduct)] > 0)
      stop(StopReason::OuterProducts);
    result.report.structures = structures.size();
    findCandidates();
    // Whoever is rejected leaves a place to somebody who was cut off.
    if (result.report.rejected > 0 && !cutsNothing) {
      cutsNothing = true;
      findCandidates();
    }
    result.report.seconds = getSeconds();
    return std::move(result);
  }

private:
  double getSeconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  }
  bool isOutOfTime() const {
    return options.timeLimitS != 0 && getSeconds() > options.timeLimitS;
  }
  bool stop(StopReason reason) {
    result.stopReason = reason;
    return false;
  }

  /// False, with the reason noted, once time is up and there is something to
  /// return; the cheapest of what was found is judged in any case.
  bool goesOn(bool hasSome) {
    return !hasSome || !isOutOfTime() || stop(StopReason::TimeLimit);
  }

  void findCandidates() {
    result.candidates.clear();
    bestUs.clear();
    result.report.verified = result.report.rejected = result.report.filtered =
        0;
    for (const Structure &structure : structures)
      if (goesOn(/*hasSome=*/!result.candidates.empty()))
        instantiate(structure);
    rank();
    verifyCandidates();
  }

  /// What a candidate must not exceed to be among those that are returned.
  double getLimitUs() const {
    if (cutsNothing || bestUs.size() < options.numCandidates)
      return std::numeric_limits<double>::infinity();
    return *std::next(bestUs.begin(), options.numCandidates - 1);
  }

  /// Each operation as a kernel with its default block graph; views stay.
  Error buildBaseline() {
    const Graph &from = original;
    Graph &baseline = result.baseline;
    for (unsigned input = 0; input < from.getNumInputs(); ++input)
      baseline.addInput(from.getType(input), from.getInputName(input));
    for (const Node &op : from.getNodes()) {
      if (!hasDefaultTileGraph(op.opcode)) {
        baseline.add(op.opcode, op.operands, from.getType(op.results[0]),
                     op.attributes);
        continue;
      }
      Expected<TileGraph> body =
          buildDefaultTileGraph(from, op, target.sharedBytesPerBlock);
      if (!body)
        return body.takeError();
      baseline.addGraph(op.operands,
                        std::make_shared<TileGraph>(std::move(*body)),
                        from.getTypes(op.results));
    }
    for (ValueId output : from.getOutputs())
      baseline.addOutput(output);
    result.report.baselineUs = costModel.estimateUs(baseline);
    return Error::success();
  }

  /// Deepens the number of operators step by step. \returns whether the other
  /// reading is worth a search of its own: limits left, and atoms there.
  bool enumerate(AtomReading reading) {
    uint64_t used = result.report.counts.states;
    stateLimit = options.maxStates;
    if (reading == AtomReading::WrittenOut)
      stateLimit = std::min(stateLimit, used + options.maxWrittenOutStates);
    EnumerationSpace space(program, reading);
    if (!space.isSearchable()) {
      stop(StopReason::ProgramTooLarge);
      return reading == AtomReading::Function;
    }
    std::vector<KernelChoice> kernels =
        enumerateKernelChoices(program, options.maxGridAxes, getJoins());
    for (unsigned size = 1; size <= options.maxBlockOps; ++size)
      if (!enumerateRound(space, reading, kernels, size))
        return false;
    return space.hasAtoms();
  }

  bool enumerateRound(EnumerationSpace &space, AtomReading reading,
                      llvm::ArrayRef<KernelChoice> kernels, unsigned size) {
    SearchRound round;
    round.reading = reading;
    round.numOperators = size;
    size_t before = structures.size();
    EnumerationLimits limits{size, stateLimit - result.report.counts.states,
                             getJoins()};
    limits.isOutOfTime = [this] { return isOutOfTime(); };
    bool goesOn = true;
    for (const KernelChoice &kernel : kernels) {
      Enumerator enumerator(space, limits, round.counts);
      if (!enumerator.run(kernel, [&](const Structure &s) { keep(s); }))
        goesOn = stop(isOutOfTime() ? StopReason::TimeLimit
                                    : StopReason::StateLimit);
      if (!goesOn)
        break;
    }
    round.structures = structures.size() - before;
    addCounts(round.counts);
    result.report.rounds.push_back(round);
    return goesOn;
  }

  GridJoins getJoins() const {
    return {options.allowSummedOutputs, options.allowGridAccumulates};
  }

  void keep(const Structure &structure) {
    if (!canBuild(program, structure))
      return;
    if (seen.insert(toString(structure)).second)
      structures.push_back(structure);
  }

  void addCounts(const EnumerationCounts &counts) {
    EnumerationCounts &sum = result.report.counts;
    sum.states += counts.states;
    sum.trials += counts.trials;
    for (unsigned i = 0; i < kNumPruneReasons; ++i)
      sum.pruned[i] += counts.pruned[i];
  }

  /// Quick tests first: what differs at all differs there.
  bool isVerified(const Candidate &candidate) {
    auto isRejected = [&](const TestPair &pair) {
      return filter.rejects(pair);
    };
    if (llvm::any_of(candidate.testPairs, isRejected)) {
      ++result.report.filtered;
      return false;
    }
    return llvm::all_of(candidate.testPairs, [&](const TestPair &pair) {
      return verifier(pair.program, pair.candidate);
    });
  }

  /// A tiling and what it cannot go below.
  struct BoundedTiling {
    double boundUs;
    size_t number;
    Tiling tiling;
  };

  /// Of a structure, by ascending bounds.
  std::vector<BoundedTiling> boundTilings(const Structure &structure) const {
    llvm::ArrayRef<int64_t> extents = program.names.extents;
    std::set<unsigned> joinedAxes;
    for (const StructureOperator &op : structure.operators)
      if (op.gridAxis)
        joinedAxes.insert(*op.gridAxis);
    std::vector<BoundedTiling> tilings;
    for (Tiling &tiling : enumerateTilings(program, structure, extents,
                                           target.sharedBytesPerBlock)) {
      double us = costModel.boundKernelUs(
          buildTileHeader(program, structure, extents, tiling),
          program.graph.getTypes(structure.inputs),
          program.graph.getTypes(program.graph.getOutputs()),
          joinedAxes.size());
      tilings.push_back({us, tilings.size(), std::move(tiling)});
    }
    llvm::sort(tilings, [](const auto &a, const auto &b) {
      return std::tie(a.boundUs, a.number) < std::tie(b.boundUs, b.number);
    });
    return tilings;
  }

  /// Keeps the cheapest tiling that fits, if it is one of the best so far.
  void instantiate(const Structure &structure) {
    llvm::ArrayRef<int64_t> extents = program.names.extents;
    std::optional<Candidate> best;
    for (const BoundedTiling &next : boundTilings(structure)) {
      if (next.boundUs > getLimitUs() ||
          (best && !cutsNothing && next.boundUs >= best->predictedUs))
        break;
      ++result.report.instances;
      TileGraph tiles =
          buildTileGraph(program, structure, extents, next.tiling);
      if (!fits(tiles, target))
        continue;
      ++result.report.fitting;
      double us = costModel.estimateKernelUs(
          tiles, program.graph.getTypes(structure.inputs),
          program.graph.getTypes(program.graph.getOutputs()));
      if (!best || us < best->predictedUs)
        best = Candidate{structure, next.tiling, Graph(), us, {}};
    }
    if (!best || best->predictedUs > getLimitUs())
      return;
    bestUs.insert(best->predictedUs);
    result.candidates.push_back(std::move(*best));
  }

  void rank() {
    auto getKey = [](const Candidate &c) {
      return std::make_tuple(c.predictedUs, c.structure.operators.size(),
                             toString(c.structure));
    };
    llvm::sort(result.candidates, [&](const Candidate &a, const Candidate &b) {
      return getKey(a) < getKey(b);
    });
  }

  /// Keeps the cheapest candidates whose structure is verified, as many as were
  /// asked for; what is not among them need not be judged.
  void verifyCandidates() {
    std::vector<Candidate> verified;
    for (Candidate &candidate : result.candidates) {
      if (verified.size() == options.numCandidates ||
          !goesOn(/*hasSome=*/!verified.empty()))
        break;
      candidate.testPairs = buildTestPairs(program, candidate.structure);
      if (!isVerified(candidate)) {
        ++result.report.rejected;
        continue;
      }
      ++result.report.verified;
      finish(candidate);
      verified.push_back(std::move(candidate));
    }
    result.candidates = std::move(verified);
    result.report.bestUs = result.report.baselineUs;
    if (!result.candidates.empty())
      result.report.bestUs =
          std::min(result.report.baselineUs, result.candidates[0].predictedUs);
  }

  void finish(Candidate &candidate) {
    llvm::ArrayRef<int64_t> extents = program.names.extents;
    candidate.graph = rewritten.withBody(
        buildKernelGraph(program, candidate.structure, extents,
                         buildTileGraph(program, candidate.structure, extents,
                                        candidate.tiling)));
  }

  TargetProgram program;
  const Graph &original;
  const RewrittenProgram &rewritten;
  Target target;
  const SearchOptions &options;
  AnalyticCostModel costModel;
  StructureVerifier verifier;
  TestPairFilter filter;
  std::chrono::steady_clock::time_point start;
  uint64_t stateLimit = 0;      ///< of the reading that is searched
  bool cutsNothing = false;     ///< bounds on costs are not heeded
  std::multiset<double> bestUs; ///< of the candidates so far
  std::set<std::string> seen;
  std::vector<Structure> structures;
  SearchResult result;
};
} // namespace

/// The program without maxima that its exponentials do not need, if it equals
/// the program at smaller sizes.
static std::optional<TargetProgram> stripProgram(const Graph &program,
                                                 const SearchOptions &options) {
  std::optional<Graph> stripped = removeStabilizers(program);
  if (!stripped)
    return std::nullopt;
  Expected<SmallerGraphs> small = withSmallerSizes(program, *stripped);
  if (!small) {
    llvm::consumeError(small.takeError());
    return std::nullopt;
  }
  if (!makeFieldVerifier(options.seed)(small->lhs, small->rhs))
    return std::nullopt;
  Expected<TargetProgram> target = makeTargetProgram(*stripped);
  if (!target) {
    llvm::consumeError(target.takeError());
    return std::nullopt;
  }
  target->isStripped = true;
  return std::move(*target);
}

Expected<SearchResult>
mlir::mirage::search::superoptimize(const Graph &graph,
                                    const SearchOptions &options) {
  Expected<Target> target = getTarget(options.target);
  if (!target)
    return target.takeError();
  Graph expanded = expandComposed(graph);
  Expected<RewrittenProgram> rewritten = rewriteForSearch(expanded);
  if (!rewritten)
    return rewritten.takeError();
  if (std::optional<TargetProgram> stripped =
          stripProgram(rewritten->body, options))
    return Searcher(std::move(*stripped), expanded, *rewritten, *target,
                    options)
        .run();
  Expected<TargetProgram> program = makeTargetProgram(rewritten->body);
  if (!program)
    return program.takeError();
  return Searcher(std::move(*program), expanded, *rewritten, *target, options)
      .run();
}
