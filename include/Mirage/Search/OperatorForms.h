//===- OperatorForms.h - Operators as expressions ------------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a row of the operator table does to abstract expressions, read off its
// definition. Rows marked as atoms (silu, rms) have two readings: as one
// function, which keeps the space small, and written out.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_OPERATORFORMS_H
#define MIRAGE_SEARCH_OPERATORFORMS_H

#include "Mirage/Algebra/Expression.h"
#include "Mirage/Graph/Operators.h"
#include "Mirage/Search/NameSets.h"

namespace mlir::mirage::search {

enum class AtomReading : uint8_t { Function, WrittenOut };

/// Products and quotients with longer monomials than this are not built: time
/// and memory grow with the length.
constexpr uint64_t kMaxFormLength = 256;
/// Nor such whose namings (Form::namings), multiplied, are more.
constexpr double kMaxFormNamings = 4096;

class OperatorForms {
public:
  /// \param maxTotal  products with more monomials than this are not built.
  OperatorForms(ExpressionContext &context, AtomReading reading,
                uint64_t maxTotal)
      : context(context), reading(reading), maxTotal(maxTotal) {}

  /// All of these give FormId::None where the result would be too large.
  FormId elementwise(const OperatorInfo &row, llvm::ArrayRef<double> scalars,
                     llvm::ArrayRef<FormId> operands);
  /// \param over  the reduced names; `part` what of them one reduction sees.
  FormId reduction(const OperatorInfo &row, FormId operand,
                   llvm::ArrayRef<NameId> over, const SymbolPowers &part);
  FormId product(FormId lhs, FormId rhs);
  FormId contraction(FormId lhs, FormId rhs, NameId over,
                     const SymbolPowers &part);
  /// A function of the operand, and of a tensor that stands for the places of
  /// rows and columns, which nothing else reads.
  FormId causalMask(FormId operand, const CausalNames &mask);
  /// Joining the parts along an axis of what `row` has reduced.
  FormId join(const OperatorInfo &row, FormId operand, SymbolId symbol);

  /// Where there are variances, means are functions as well.
  void useVariances() { hasVariances = true; }
  bool usesVariances() const { return hasVariances; }

  void setMaxTotal(uint64_t total) { maxTotal = total; }

private:
  FormId evaluateDefinition(const ScalarDefinition &definition,
                            llvm::ArrayRef<double> scalars,
                            llvm::ArrayRef<FormId> operands,
                            llvm::ArrayRef<NameId> over);
  FormId apply(const ScalarNode &node, FormId lhs, FormId rhs);
  bool isTooLong(FormId lhs, FormId rhs) const;
  bool isFunction(const OperatorInfo &row) const;
  /// The mean of (x - mean x)².
  FormId writeVariance(FormId operand, llvm::ArrayRef<NameId> over);

  ExpressionContext &context;
  AtomReading reading;
  uint64_t maxTotal;
  bool hasVariances = false;
};

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_OPERATORFORMS_H
