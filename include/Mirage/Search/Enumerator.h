//===- Enumerator.h - All structures of one kernel, each once ---*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is chosen in two steps: which names its grid axes and its loop split
// (an axis splits every input that has the name), then operators one after the
// other. A state is a list of tensors; it is kept only if the newest tensor's
// form can still lead to the target (Subexpression.h).
//
// Each set of operators is visited in one order: an operator's *rank* is its
// larger operand, its smaller one, its offer and its variant, and ranks ascend.
// Every set has exactly one such order: take the ready operator of least rank;
// what it makes ready reads the newest tensor and so ranks higher.
//
// Further prunings, each argued in docs/Search.md: constant factors and signs
// have one place, sums one order (unless what stands elsewhere is shared, which
// saves an operator), reciprocals are not multiplied, equal tensors are not
// computed twice, and what is open must be closed with the operators that are
// left.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_ENUMERATOR_H
#define MIRAGE_SEARCH_ENUMERATOR_H

#include "Mirage/Graph/Phases.h"
#include "Mirage/Search/EnumerationSpace.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <array>
#include <atomic>
#include <functional>
#include <optional>

namespace mlir::mirage::search {

/// What is left to the kernels after one that is not the last.
struct KernelsToCome {
  unsigned maxOperators = ~0u / 2; ///< of all of them
  unsigned numInputs = 0;  ///< that nobody has read, and outputs depend on
  unsigned numOutputs = 1; ///< that nobody has computed
  /// What older tensors have that the kernel does not read.
  PresentFunctions present;
};

/// What a kernel is given, and what has to come of it.
struct KernelSite {
  unsigned position = 0;            ///< how many kernels are before it
  std::vector<DeviceTensor> inputs; ///< all are read
  /// The outputs of the program that it computes; none if it has to leave
  /// tensors to another kernel.
  llvm::SmallVector<unsigned> outputs;
  /// How many it may leave.
  unsigned maxResults = kMaxResults;
  KernelsToCome toCome; ///< if it is not the last

  bool isLast() const { return !outputs.empty(); }
};

/// A single kernel: all inputs, all outputs.
KernelSite makeWholeSite(const EnumerationSpace &space);

/// The names that the axes of a kernel split.
struct KernelChoice {
  llvm::SmallVector<NameId, 3> gridNames; ///< ascending
  NameId loopName = kNoName;
};

/// What may become of what the blocks along an axis have, if no output has the
/// axis's name.
struct GridJoins {
  /// Outputs may be sums over the blocks.
  bool inOutputs = false;
  /// An accumulation over the axis may join blocks in mid-kernel.
  bool inKernel = false;

  bool any() const { return inOutputs || inKernel; }
};

/// All choices with at most `maxGridAxes` axes over names that inputs have. A
/// loop walks a name that the program reduces. An axis over a name that no
/// output has gives parts, which something has to join; it is left out where
/// nothing may. Parts are neither looped over nor shared out.
std::vector<KernelChoice> enumerateKernelChoices(const TargetProgram &program,
                                                 const KernelSite &site,
                                                 unsigned maxGridAxes,
                                                 GridJoins joins);

/// One kernel's space, shared out among enumerators that run at the same time.
/// All walk its prefixes, that is, the ways to add up to `depth` operators, in
/// the same order, and each goes on from those that it was the first to reach.
/// What they count and find together is what one finds alone, if all judge
/// alike.
class PrefixShares {
public:
  explicit PrefixShares(unsigned depth = 2) : depth(depth) {}

  unsigned getDepth() const { return depth; }
  /// Of the prefixes in their order. \returns whether nobody had it so far.
  bool take(uint64_t prefix) {
    return next.compare_exchange_strong(prefix, prefix + 1);
  }
  /// Some enumerator has come to its end: there are no others.
  void setAllTaken() { areAllTaken = true; }
  bool isAllTaken() const { return areAllTaken; }
  /// \returns how many states all have had.
  uint64_t countState() { return ++numStates; }

private:
  unsigned depth;
  std::atomic<uint64_t> next{0}; ///< all before are taken
  std::atomic<uint64_t> numStates{0};
  std::atomic<bool> areAllTaken{false};
};

/// Prunings that tests switch off, to see that nothing is lost by them, or what
/// is.
struct PruningSwitches {
  bool inAnyOrder = false; ///< the canonical order of operators
  /// The rule on names that elementwise operators may bring together.
  bool joinsAnyNames = false;
  /// Functions and roots that are missing count as operators to come.
  bool ignoresFunctions = false;
  /// What is left to do needs operators, before there are none left.
  bool ignoresBounds = false;
  /// Tensors that nothing has read must be such that some expression has use
  /// for both.
  bool ignoresPairs = false;
  bool inAnyPlace = false; ///< one place for factors, signs, reciprocals, sums
};

struct EnumerationLimits {
  unsigned numOperators = 0; ///< structures have exactly this many
  uint64_t maxStates = 0;    ///< over all kernels; reaching it ends the run
  GridJoins joins = {};
  /// Asked now and then; true ends the run. Empty: never.
  std::function<bool()> isOutOfTime = {};
  PruningSwitches off = {};
  /// Null: the whole space is this enumerator's.
  PrefixShares *shares = nullptr;
};

class Enumerator {
public:
  Enumerator(EnumerationSpace &space, const EnumerationLimits &limits,
             EnumerationCounts &counts)
      : space(space), limits(limits), ownCounts(counts), counts(&counts),
        trialsPerQuestion(space.getTrialsPerQuestion()) {}

  /// Of a kernel that is not the last also what it leaves.
  using Callback = llvm::function_ref<void(const KernelStructure &,
                                           llvm::ArrayRef<KernelResult>)>;

  /// Calls `found` for each structure of the kernel. \returns false if a
  /// limit, on states or of time, ended the run.
  bool run(const KernelSite &site, const KernelChoice &kernel, Callback found);

  /// While `found` is called: which of the prefixes led there, in their order.
  uint64_t getPrefix() const { return numPrefixes; }

  /// Calls `found` with what the kernel leaves, if it is one that `run` finds;
  /// for it no other way is gone. What it was read from need not be trusted.
  void retrace(const KernelSite &site, const KernelChoice &choice,
               const KernelStructure &kernel,
               llvm::function_ref<void(llvm::ArrayRef<KernelResult>)> found);

  /// The results of a kernel that some space of the program gave.
  std::vector<KernelResult> replay(const KernelSite &site,
                                   const KernelStructure &kernel);

private:
  struct Tensor {
    FormId form = FormId::None;
    PresentFunctions present; ///< of the form
    NameSet names = 0;
    Phase phase = Phase::Invariant;
    unsigned axes = 0; ///< grid axes it varies along, a bit each
    unsigned numUses = 0;
    /// Uses that could be written with no more operators if they were the only
    /// ones, as that of c·x in (c·x)·y, which is c·(x·y): there have to be two
    /// at least.
    unsigned numUsesToShare = 0;
    const OperatorOffer *offer = nullptr; ///< null for inputs
    bool isAccumulated = false;
    NameId reducedName = kNoName;       ///< of a linear reduction
    std::optional<unsigned> joinedAxis; ///< of an accumulation over the grid
  };
  /// An operator that may be added, on tensors `lhs` and (if binary) `rhs`.
  struct Step {
    unsigned offer = 0; ///< in space.offers
    unsigned lhs = 0, rhs = 0;
    bool isBinary = false;
    bool accumulates = false;
    NameId over = kNoName;
    std::optional<unsigned> gridAxis = {}; ///< accumulates over it

    unsigned getLarger() const { return isBinary ? std::max(lhs, rhs) : lhs; }
    bool operator==(const Step &other) const {
      return !ranksBelow(other) && !other.ranksBelow(*this);
    }
    /// Larger operand, smaller operand, offer, and what is left.
    bool ranksBelow(const Step &other) const;
  };
  /// A step that nothing about its operands speaks against.
  struct Addition {
    Step step;
    Tensor tensor; ///< what it computes
  };
  using Judgement = EnumerationSpace::Judgement;

  void start(const KernelSite &site, const KernelChoice &kernel);
  void addInputs();
  std::optional<Step> findStep(const StructureOperator &op) const;
  void extend(size_t first);
  void offerWith(unsigned tensor);
  void tryUnary(unsigned operand);
  void tryReductions(Step step);
  void tryGridAccumulations(Step step);
  void tryPartReductions(Step step);
  void tryBinary(unsigned lhs, unsigned rhs);
  void tryStep(const Step &step);
  /// Where a factor, sign, reciprocal or sum stands.
  enum class Place : uint8_t {
    Right,
    Shared, ///< right if something else reads the operand, too
    Wrong,
  };
  bool isPlaced(const Step &step) const;
  bool isOuterProduct(const Step &step) const;
  Place getPlace(const Step &step, unsigned operand, unsigned position) const;
  Place getPlaceOfReciprocal(const Step &step, unsigned operand,
                             unsigned position) const;
  bool isInOrderOfSums(const Step &step, const Tensor &operand) const;
  std::optional<Tensor> makeTensor(const Step &step) const;
  Judgement judge(const Step &step);
  Judgement judgeUncached(const Step &step);
  FormId buildForm(const Step &step);
  SymbolPowers getPart(NameId name, bool withLoop) const;
  uint64_t getKey(const Step &step) const;
  bool isDuplicate(const Tensor &tensor) const;
  struct OpenTensors;
  OpenTensors findOpenTensors(PresentFunctions present) const;
  unsigned getOperatorsNeeded() const;
  unsigned getOperatorsNeeded(const OpenTensors &open,
                              unsigned numOutputs) const;
  unsigned getOperatorsNeededBeforeOthers() const;
  std::optional<PruneReason> findShortage() const;
  bool mayBeUsed(unsigned number) const;
  bool isToBeShared(const Tensor &tensor) const;
  unsigned getOperatorsNeededToShare() const;
  unsigned countAxesToLeave(unsigned axes) const;
  bool mayMeet(NameSet lhs, NameSet rhs) const;
  void walk(unsigned depth, llvm::function_ref<void()> walkState);
  void add(size_t number);
  void countState();
  void goOn(size_t first);
  StructureOperator makeOperator(const Step &step) const;
  bool checkComplete();
  void countUses(const Step &step, int change);
  bool collectOutputs();
  bool collectResults();
  bool isOutput(const Tensor &tensor, unsigned output);
  NameSet getStoredNames(const Tensor &tensor) const;
  void prune(PruneReason reason) { ++counts->pruned[unsigned(reason)]; }

  EnumerationSpace &space;
  const EnumerationLimits &limits;
  EnumerationCounts &ownCounts;
  EnumerationCounts othersCounts; ///< of prefixes that somebody else has
  EnumerationCounts *counts;      ///< those of the prefix that is walked
  uint64_t numPrefixes = 0;
  uint64_t trialsPerQuestion;
  const KernelSite *site = nullptr;
  KernelStructure structure;
  std::vector<KernelResult> results; ///< of a kernel that is not the last
  unsigned joinedAxes = 0;           ///< whose names no output has, a bit each
  /// Of the kernel's outputs, or of all if it is not the last.
  PresentFunctions goal;
  std::vector<Tensor> tensors;
  std::vector<Step> steps;
  /// On the tensors that are there, in ascending rank. Those above the last
  /// step taken may be added; what is refused on some operands is not tried
  /// again with every state that has them.
  std::vector<Addition> additions;
  /// That are to be taken, one after the other; null: all that there are.
  const std::vector<Step> *wanted = nullptr;
  Callback found = nullptr;
  bool isOverLimit = false;
};

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_ENUMERATOR_H
