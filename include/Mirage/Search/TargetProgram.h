//===- TargetProgram.h - What a search looks for ----------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_TARGETPROGRAM_H
#define MIRAGE_SEARCH_TARGETPROGRAM_H

#include "Mirage/Search/NameSets.h"
#include "Mirage/Search/OperatorForms.h"
#include "Mirage/Search/Structure.h"
#include "llvm/ADT/STLExtras.h"

namespace mlir::mirage::search {

/// The most kernels that a structure has.
constexpr unsigned kMaxKernels = 3;
/// The most axes of a grid.
constexpr unsigned kMaxGridAxes = 3;

/// A program of kernel-level operators with named dimensions.
struct TargetProgram {
  Graph graph;
  DimensionNames names;
  /// The inputs that some output depends on: the tensors a search starts from.
  llvm::SmallVector<ValueId> inputs;
  /// Those that each output depends on.
  llvm::SmallVector<llvm::SmallVector<ValueId>> inputsOfOutputs;
  /// Names that some operation sums or takes a maximum over.
  NameSet reducedNames = 0;
  /// The different sets of names that values have.
  llvm::SmallVector<NameSet> valueNames;
  /// The different causal masks of the program.
  llvm::SmallVector<CausalNames, 1> causalMasks;
  /// Some elementwise operation joins operands of which neither has all names.
  bool hasOuterOperations = false;
  /// Some matrix product has operands with the same names: rows times columns,
  /// a number each. Other programs have products and sums of these.
  bool hasRowProducts = false;
  /// Maxima were removed (Stabilizers.h), and kernels need others.
  bool isStripped = false;
  /// How many names the tensor with most of them has.
  unsigned maxTensorNames = 0;

  /// The dimension along which blocks of kernel number `kernel`, on an axis
  /// over the reduced name `of`, leave their parts side by side. Numbered after
  /// the program's names; kernels that have one after them have such.
  NameId getPartName(unsigned kernel, NameId of) const;
  struct Part {
    unsigned kernel;
    NameId of;
  };
  /// What the name is a part of; none of the program's own names.
  std::optional<Part> getPart(NameId name) const;
  /// Whether it counts parts that blocks of that kernel leave.
  bool isPartOf(NameId name, unsigned kernel) const;
  /// Of the program and of parts.
  unsigned getNumAllNames() const;
  NameSet getPartNames() const;
  /// How many kernels a structure may have so that all parts have names.
  unsigned getMaxKernels() const;
  /// The program's extents, 0 for parts, by name.
  llvm::SmallVector<int64_t> getExtents() const;
  /// How a tensor of these names is stored between kernels: parts in front,
  /// then as the first value of the program that has the same names.
  DimensionList getLayout(NameSet names) const;
  /// How an input or output of the program is stored.
  StoredTensor getStored(ValueId value) const {
    return {names.ofValues[value], graph.getType(value).element};
  }

  llvm::ArrayRef<NameId> getDimensions(ValueId value) const {
    return names.ofValues[value];
  }
  NameSet getNames(ValueId value) const { return toSet(getDimensions(value)); }
  /// Of an operation that is one.
  CausalNames getCausalMask(const Node &operation) const;
  /// Whether some value, input or not, has all of `names`.
  bool hasValueWithNames(NameSet names) const {
    return llvm::any_of(valueNames,
                        [&](NameSet own) { return !(names & ~own); });
  }
  /// Whether an elementwise operator may bring such names together: one has all
  /// of the other, some value of the program has what they have together, or
  /// that is neither reduced nor too much.
  bool mayMeet(NameSet lhs, NameSet rhs) const;
};

/// Errors are nameProgram's, or say that no output depends on an input.
llvm::Expected<TargetProgram> makeTargetProgram(const Graph &graph);

/// The symbols that a context has for each name of the program: of the loop and
/// of each kernel's grid axis that split it.
inline SymbolId getLoopSymbol(NameId name) { return (kMaxKernels + 1) * name; }
inline SymbolId getGridSymbol(NameId name, unsigned kernel) {
  return getLoopSymbol(name) + 1 + kernel;
}

/// Adds the program's names and their symbols to an empty context.
void declareNames(ExpressionContext &context, const TargetProgram &program);

/// Products of program values with more monomials than this are given up.
constexpr uint64_t kMaxProgramTotal = 4096;

struct TargetForms {
  std::vector<FormId> ofValues; ///< by ValueId; None where given up
  bool hasAtoms = false;        ///< some row that is an atom takes part
  bool hasVariances = false;    ///< and one of them is a variance
};

/// The forms of all values. With AtomReading::Function, whatever equals an atom
/// row's definition on a value of the program is read as that function, however
/// it was spelled: x / (1 + exp(-x)) is silu.
TargetForms computeForms(ExpressionContext &context,
                         const TargetProgram &program, AtomReading reading);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_TARGETPROGRAM_H
