//===- OutputOrder.cpp - Which output is which ----------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Verify/OutputOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <map>
#include <optional>
#include <set>

using namespace mlir::mirage;
using llvm::ArrayRef;
using llvm::Expected;
using llvm::SmallVector;

Graph mlir::mirage::withOutputs(const Graph &graph,
                                ArrayRef<unsigned> outputs) {
  Graph result;
  SmallVector<ValueId> values;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    values.push_back(
        result.addInput(graph.getType(input), graph.getInputName(input)));
  values = inlineGraph(graph, values, result);
  for (unsigned output : outputs)
    result.addOutput(values[output]);
  return result;
}

static const Shape &getShape(const Graph &graph, unsigned output) {
  return graph.getType(graph.getOutputs()[output]).shape;
}

static SmallVector<unsigned> keepOrder(const Graph &graph) {
  return llvm::to_vector(llvm::seq<unsigned>(graph.getOutputs().size()));
}

static bool haveSameShapes(const Graph &lhs, const Graph &rhs) {
  auto collect = [](const Graph &graph) {
    std::vector<Shape> shapes;
    for (unsigned output : keepOrder(graph))
      shapes.push_back(getShape(graph, output));
    llvm::sort(shapes);
    return shapes;
  };
  return collect(lhs) == collect(rhs);
}

namespace {
/// What a few trials say of an output of either graph; what has none that count
/// equals nothing.
enum class Answer : uint8_t { Differs, EqualsWhereBothDefined, Equals };

/// Matches outputs by augmenting paths: whoever finds nothing that is left asks
/// those who have what would do to take something else.
class OutputMatcher {
public:
  OutputMatcher(const Graph &lhs, const Graph &rhs,
                const VerifyOptions &options)
      : lhs(lhs), rhs(rhs), options(options), order(lhs.getOutputs().size()),
        owners(order.size()) {}

  Expected<SmallVector<unsigned>> run();

private:
  Expected<Answer> judge(unsigned output, unsigned other) const;
  Answer ask(unsigned output, unsigned other);
  void take(unsigned output, unsigned other);
  bool findFree(unsigned output, Answer least);
  bool find(unsigned output, Answer least, std::set<unsigned> &asked);
  void takeRest(unsigned output);

  const Graph &lhs;
  const Graph &rhs;
  const VerifyOptions &options;
  /// What each output has, and who has it.
  SmallVector<std::optional<unsigned>> order, owners;
  /// Of pairs that were asked for: most need not be.
  std::map<std::pair<unsigned, unsigned>, Answer> answers;
  llvm::Error error = llvm::Error::success();
};
} // namespace

/// By draws of its own: those that are to prove equality do not choose of what.
Expected<Answer> OutputMatcher::judge(unsigned output, unsigned other) const {
  if (getShape(lhs, output) != getShape(rhs, other))
    return Answer::Differs;
  VerifyOptions few = options;
  few.seed = deriveSeed(options.seed, "output order",
                        uint64_t(output) * order.size() + other);
  few.errorBoundBits = 20;
  few.minTowers = 1;
  few.maxTowers = 4;
  few.findWitness = {};
  few.findWitnessAt = {};
  few.wantsExactProof = false;
  Expected<Verdict> verdict =
      verifyEqual(withOutputs(lhs, {output}), withOutputs(rhs, {other}), few);
  if (!verdict)
    return verdict.takeError();
  // That a few agree tells outputs apart, though it may prove nothing.
  bool agrees = verdict->kind == Verdict::Equal ||
                (verdict->kind == Verdict::Unknown &&
                 verdict->ownSizes.trials > 0 && !verdict->lacksTrials &&
                 !verdict->disagreement && verdict->otherSizes.problem.empty());
  if (!agrees)
    return Answer::Differs;
  return verdict->whereBothDefined ? Answer::EqualsWhereBothDefined
                                   : Answer::Equals;
}

/// Nothing equals anything any more after an error.
Answer OutputMatcher::ask(unsigned output, unsigned other) {
  auto [entry, isNew] = answers.try_emplace({output, other}, Answer::Differs);
  if (!isNew || error)
    return entry->second;
  Expected<Answer> answer = judge(output, other);
  if (answer)
    entry->second = *answer;
  else
    error = answer.takeError();
  return entry->second;
}

void OutputMatcher::take(unsigned output, unsigned other) {
  order[output] = other;
  owners[other] = output;
}

bool OutputMatcher::findFree(unsigned output, Answer least) {
  for (unsigned other : keepOrder(rhs))
    if (!owners[other] && ask(output, other) >= least) {
      take(output, other);
      return true;
    }
  return false;
}

/// \param asked  whose owners were asked, to no avail.
bool OutputMatcher::find(unsigned output, Answer least,
                         std::set<unsigned> &asked) {
  if (findFree(output, least))
    return true;
  for (unsigned other : keepOrder(rhs))
    if (owners[other] && ask(output, other) >= least &&
        asked.insert(other).second && find(*owners[other], least, asked)) {
      take(output, other);
      return true;
    }
  return false;
}

/// The first of its shape that is left; there is one, as shapes are the same.
void OutputMatcher::takeRest(unsigned output) {
  for (unsigned other : keepOrder(rhs))
    if (!owners[other] && getShape(lhs, output) == getShape(rhs, other))
      return take(output, other);
  assert(false && "outputs have the same shapes");
}

Expected<SmallVector<unsigned>> OutputMatcher::run() {
  for (Answer least : {Answer::Equals, Answer::EqualsWhereBothDefined})
    for (unsigned output : keepOrder(lhs)) {
      std::set<unsigned> asked;
      if (!order[output])
        find(output, least, asked);
    }
  if (error)
    return std::move(error);
  for (unsigned output : keepOrder(lhs))
    if (!order[output])
      takeRest(output);
  return llvm::map_to_vector(
      order, [](std::optional<unsigned> other) { return *other; });
}

Expected<SmallVector<unsigned>>
mlir::mirage::matchOutputs(const Graph &lhs, const Graph &rhs,
                           const VerifyOptions &options) {
  if (!haveSameShapes(lhs, rhs))
    return keepOrder(rhs);
  return OutputMatcher(lhs, rhs, options).run();
}
