//===- EnumerationSpace.h - What stays as it is meanwhile -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_ENUMERATIONSPACE_H
#define MIRAGE_SEARCH_ENUMERATIONSPACE_H

#include "Mirage/Algebra/JointSubexpressions.h"
#include "Mirage/Search/EnumerationCounts.h"
#include "Mirage/Search/FunctionBound.h"
#include "Mirage/Search/OperatorOffers.h"
#include "Mirage/Search/PrunerChoice.h"
#include <map>
#include <optional>

namespace mlir::mirage::search {

/// A tensor that kernels may read.
struct DeviceTensor {
  unsigned number = 0; ///< as KernelStructure::inputs name it
  FormId form = FormId::None;
  NameSet names = 0;
};

/// The most tensors that one kernel leaves to others.
constexpr unsigned kMaxResults = 3;

/// A result of a kernel that is not the last.
struct KernelResult {
  FormId form = FormId::None;
  NameSet names = 0;
};

/// The same, as what it is in any space of the program.
struct BoundaryTensor {
  std::string form; ///< as text, which is equal where forms are
  NameSet names = 0;
  StoredTensor stored;
  std::optional<unsigned> output; ///< of the program, if it is one
};

/// What some tensors have of what takes operators of their own.
struct PresentFunctions {
  FunctionBound::FunctionSet functions = 0;
  unsigned rootDepth = 0;

  PresentFunctions &operator|=(const PresentFunctions &other) {
    functions |= other.functions;
    rootDepth = std::max(rootDepth, other.rootDepth);
    return *this;
  }
};

/// Everything about a program that stays fixed while structures are enumerated.
/// Holds tables that grow, so each worker has its own.
class EnumerationSpace {
public:
  EnumerationSpace(const TargetProgram &program, AtomReading reading,
                   const PrunerChoice &pruner = {});

  /// False where the program's forms are too large for this reading.
  bool isSearchable() const { return test.has_value(); }
  /// Whether some part of the program was read as an atom.
  bool hasAtoms() const { return hasAtomFunctions; }

  /// What a state costs in time, those of usual programs being 1: it grows with
  /// the square of the length of the program's forms.
  double getStateWeight() const;
  /// After how many trials of an operator it is time to ask whether to go on.
  uint64_t getTrialsPerQuestion() const;

  const TargetProgram &getProgram() const { return program; }
  ExpressionContext &getContext() { return context; }
  /// By ValueId of the program's inputs that some output depends on.
  DeviceTensor getInput(ValueId input) const;
  BoundaryTensor describe(const KernelResult &tensor);
  /// Whether the tensor is that output of the program.
  bool isOutput(FormId form, NameSet names, unsigned output) const;
  /// What a form has of what takes operators of their own.
  PresentFunctions findFunctions(FormId form) {
    return {functions->find(form), functions->getRootDepth(form)};
  }

  /// Whether two tensors that nothing has read yet may both be used.
  bool mayBothBeUsed(FormId lhs, FormId rhs) {
    return keepsAll || otherPruner || pairs->mayContainBoth(lhs, rhs);
  }

private:
  friend class Enumerator;
  bool isOnlyFormOf(const std::string &text, FormId form);
  const std::string &getText(FormId form);
  StoredTensor getStored(FormId form, NameSet names) const;
  llvm::SmallVector<FormId> listContracted() const;
  Pruner &getPruner() {
    return otherPruner ? *otherPruner : static_cast<Pruner &>(*test);
  }
  /// Whether what is known of expressions keeps tensors out.
  bool prunes() const { return !keepsAll; }

  /// What is known of an offer on given forms, in whatever state and kernel.
  struct Judgement {
    FormId form = FormId::None;
    std::optional<PruneReason> refusal;
  };

  const TargetProgram &program;
  NameSet partNames;
  ExpressionContext context;
  OperatorForms forms;
  std::vector<FormId> valueForms; ///< by value of the program
  std::vector<FormId> targets;    ///< by output of the program
  bool hasAtomFunctions = false;
  std::optional<SubexpressionTest> test;
  std::optional<JointSubexpressionTest> pairs;
  std::unique_ptr<Pruner> otherPruner; ///< asked in place of `test`, if any
  bool keepsAll = false;
  std::optional<FunctionBound> functions;
  bool hasRootReductions = false; ///< some offer takes the root of a sum
  std::vector<OperatorOffer> offers;
  llvm::DenseMap<uint32_t, std::string> texts; ///< by form
  std::map<std::string, FormId> described;     ///< by text; for asserts
  /// By offer, names and forms.
  llvm::DenseMap<std::pair<uint64_t, uint64_t>, Judgement> judgements;
};

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_ENUMERATIONSPACE_H
