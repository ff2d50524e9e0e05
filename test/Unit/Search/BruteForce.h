//===- BruteForce.h - All kernels of a few operators ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An enumerator that leaves out nothing, for comparison with the search's. It
// adds any operator to any tensors until there are enough and looks at forms
// only when a kernel is complete. Kernels are sets of *terms*: an operator on
// terms, down to the inputs. So two kernels are one up to renaming exactly if
// their sets are equal, and the order in which operators were added is gone.
//
//   2 = matmul over k (0, 1)   3 = accumulate sum (2)   4 = exp (3)
//
// is the set {matmul(x, w), sum(matmul(x, w)), exp(sum(matmul(x, w)))}.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_SEARCH_BRUTEFORCE_H
#define MIRAGE_TEST_UNIT_SEARCH_BRUTEFORCE_H

#include "Mirage/Search/Enumerator.h"
#include <map>
#include <set>

namespace mlir::mirage::test {

using TermId = unsigned;

/// A tensor of a kernel.
struct Term {
  search::StructureOperator op; ///< operands are terms; none of an input
  bool isInput = false;
  search::NameSet names = 0;
  Phase phase = Phase::Invariant;
  unsigned axes = 0; ///< of the grid, along which it varies, a bit each
};

/// The terms of all kernels with the same axes and loop. Equal ones have one
/// number; operands have smaller ones than what reads them.
class TermTable {
public:
  TermTable(const search::TargetProgram &program, search::AtomReading reading,
            const search::KernelChoice &choice);

  const search::TargetProgram &program;
  const search::KernelChoice choice;

  unsigned getNumInputs() const { return numInputs; }
  const Term &get(TermId term) const { return terms[term]; }
  /// The term of an operator on terms; none if no kernel can compute that:
  /// tensors of the loop meet later ones, or do not have a name.
  std::optional<TermId> add(search::StructureOperator op);
  /// None where it is too large.
  FormId getForm(TermId term);
  /// Whether blocks have the program's only output in the term, or summands of
  /// it.
  bool isOutput(TermId term);
  /// Whether one can stand for the other.
  bool isSame(TermId a, TermId b);
  std::string toString(TermId term) const;

private:
  std::optional<Term> make(const search::StructureOperator &op) const;
  FormId computeForm(const Term &term);
  uint64_t getKey(const search::StructureOperator &op);
  SymbolPowers getPart(NameId name) const;
  bool joinsParts(Opcode reduction) const;

  ExpressionContext context;
  search::OperatorForms forms;
  FormId target = FormId::None;
  unsigned numInputs = 0;
  std::vector<Term> terms;
  std::map<TermId, FormId> formOfTerm;
  std::vector<llvm::SmallVector<double, 2>> scalars; ///< the different ones
  /// By what an operator is, and its operands.
  llvm::DenseMap<std::pair<uint64_t, uint64_t>, TermId> numbers;
};

/// A complete kernel: its operators, and which of them is the output.
struct BruteKernel {
  std::set<TermId> operators;
  TermId output = 0;

  bool operator<(const BruteKernel &other) const {
    return std::tie(output, operators) <
           std::tie(other.output, other.operators);
  }
  bool operator==(const BruteKernel &other) const {
    return output == other.output && operators == other.operators;
  }
};
std::string toString(const TermTable &table, const BruteKernel &kernel);

/// What an operator is, without operands.
struct OperatorKindOf {
  Opcode opcode = Opcode::Add;
  llvm::SmallVector<double, 2> scalars = {};
};

/// All kernels of exactly 1 to `maxOperators` operators of the given ones that
/// read all inputs, use all they compute and have the output.
std::set<BruteKernel> enumerateByForce(TermTable &table,
                                       llvm::ArrayRef<OperatorKindOf> operators,
                                       unsigned maxOperators);

/// The same kernel as a set of terms.
BruteKernel toTerms(TermTable &table, const search::KernelStructure &kernel);

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_UNIT_SEARCH_BRUTEFORCE_H
