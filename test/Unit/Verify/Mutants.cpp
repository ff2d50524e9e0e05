//===- Mutants.cpp - Graphs that are almost right -------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutants.h"
#include "DoubleArithmetic.h"
#include "Mirage/Graph/GraphJSON.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

std::vector<Mutation> mlir::mirage::test::listMutations() {
  std::vector<Mutation> mutations;
  llvm::append_range(mutations, getOperatorMutations());
  llvm::append_range(mutations, getStructureMutations());
  llvm::append_range(mutations, getOperandMutations());
  llvm::append_range(mutations, getMapMutations());
  return mutations;
}

static std::string printJSON(const Graph &graph) {
  std::string text;
  llvm::raw_string_ostream(text) << toJSON(graph);
  return text;
}

std::vector<Mutant> mlir::mirage::test::makeMutants(const Graph &graph) {
  std::vector<Mutant> mutants;
  llvm::StringSet<> seen;
  // As the original comes out of a draft, without clusters.
  visitGraphs(graph, [&](const Draft &draft, Complete complete) {
    if (std::optional<Graph> same = complete(draft))
      seen.insert(printJSON(*same));
  });
  std::vector<Mutation> mutations = listMutations();
  visitGraphs(graph, [&](const Draft &draft, Complete complete) {
    for (const Mutation &mutation : mutations) {
      auto keep = [&](const Draft &changed) {
        std::optional<Graph> mutant = complete(changed);
        if (mutant && seen.insert(printJSON(*mutant)).second)
          mutants.push_back({mutation.name, std::move(*mutant)});
      };
      size_t numPlaces = mutation.ofGraph ? 1 : draft.operations.size();
      for (unsigned position = 0; position < numPlaces; ++position)
        mutation.apply(draft, position, keep);
    }
  });
  return mutants;
}

/// The drafts of all changes that one mutation makes at one place.
static std::vector<Draft> listChanges(const Draft &draft,
                                      const Mutation &mutation,
                                      RandomStream &random) {
  std::vector<Draft> changes;
  unsigned position =
      mutation.ofGraph ? 0 : random.uniform(draft.operations.size());
  mutation.apply(draft, position,
                 [&](const Draft &changed) { changes.push_back(changed); });
  return changes;
}

std::optional<Mutant> mlir::mirage::test::drawMutant(const Graph &graph,
                                                     RandomStream &random) {
  static const std::vector<Mutation> mutations = listMutations();
  std::string original = printJSON(graph);
  std::optional<Mutant> mutant;
  for (unsigned attempt = 0; attempt < 200 && !mutant; ++attempt)
    visitGraphs(graph, [&](const Draft &draft, Complete complete) {
      const Mutation &mutation = mutations[random.uniform(mutations.size())];
      if (mutant || draft.operations.empty())
        return;
      std::vector<Draft> changes = listChanges(draft, mutation, random);
      if (changes.empty())
        return;
      std::optional<Graph> changed =
          complete(changes[random.uniform(changes.size())]);
      if (changed && printJSON(*changed) != original)
        mutant = Mutant{mutation.name, std::move(*changed)};
    });
  return mutant;
}

Verdict::Kind mlir::mirage::test::getExpectedVerdict(const Graph &program,
                                                     const Graph &mutant) {
  if (findDifference(program, mutant))
    return Verdict::Different;
  return haveNumbersAlike(program, mutant) ? Verdict::Equal : Verdict::Unknown;
}
