//===- Mutants.h - Graphs that are almost right -----------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_VERIFY_MUTANTS_H
#define MIRAGE_TEST_UNIT_VERIFY_MUTANTS_H

#include "Draft.h"
#include "Mirage/Algebra/Random.h"
#include "Mirage/Verify/Verify.h"
#include <string>

namespace mlir::mirage::test {

using KeepDraft = llvm::function_ref<void(const Draft &)>;

/// One way of going wrong.
struct Mutation {
  llvm::StringLiteral name;
  /// Makes the mistake at operation `position`, in every way there is; of a
  /// whole graph (`ofGraph`) once, with `position` 0.
  void (*apply)(const Draft &draft, unsigned position, KeepDraft keep);
  bool ofGraph = false;
};

/// What one operation does: its operator, constants, dimensions, counts.
llvm::ArrayRef<Mutation> getOperatorMutations();
/// Which values and elements it reads.
llvm::ArrayRef<Mutation> getOperandMutations();
/// Steps too many, too few, out of order, in the wrong phase.
llvm::ArrayRef<Mutation> getStructureMutations();
/// How tiles are cut and put together.
llvm::ArrayRef<Mutation> getMapMutations();
/// All of these, the general ones last: what two of them make is the first
/// one's.
std::vector<Mutation> listMutations();

struct Mutant {
  llvm::StringRef mutation;
  Graph graph;
};

/// Every graph that one small mistake makes of a graph, inside its tile graphs
/// too, as far as it is well formed; each graph once.
std::vector<Mutant> makeMutants(const Graph &graph);

/// One of these, of which there may be many: a mutation drawn first, then a
/// place. None if nothing that was drawn can be made.
std::optional<Mutant> drawMutant(const Graph &graph, RandomStream &random);

/// The verdict that a mutant of something equal to `program` deserves:
///   Different  numbers differ in float64 on some moderate input
///   Unknown    they do not, but somewhere the mutant alone has none (log of a
///              negative number, 0/0)
///   Equal      neither: the mistake makes no difference
Verdict::Kind getExpectedVerdict(const Graph &program, const Graph &mutant);

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_UNIT_VERIFY_MUTANTS_H
