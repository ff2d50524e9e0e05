//===- TermDegree.h - The degree of a difference of terms -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_TERMDEGREE_H
#define MIRAGE_LIB_VERIFY_TERMDEGREE_H

#include "TermTable.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::mirage {

/// By argument of an exponential: the exponents of the independent variables
/// whose product the exponential is.
using ExponentPowers = std::vector<llvm::SmallVector<int64_t>>;

/// A difference of two terms as one fraction of polynomials in inputs, roots
/// and the variables of exponentials.
struct DegreeOfDifference {
  double numerator = 0; ///< degree
  /// Degree, with what arguments of random functions divide by.
  double denominator = 0;
  /// Base 2 logarithm of the sum of the numerator's absolute coefficients.
  double log2Norm = 0;
  /// The largest degree of a difference of two arguments of random functions.
  double argument = 0;
  /// The same of two values that maxima or minima compare.
  double compared = 0;
  /// As log2Norm, of the difference of any two arguments.
  double argumentLog2Norm = 0;
};

/// Over the least common denominator; a root weighs half its radicand, an
/// exponential the absolute exponents of its variables.
/// \param terms      all that feed `lhs` and `rhs` outside exponents,
/// ascending.
/// \param arguments  of the exponentials among them, ascending.
DegreeOfDifference computeDegree(const TermTable &table, TermId lhs, TermId rhs,
                                 llvm::ArrayRef<TermId> terms,
                                 llvm::ArrayRef<TermId> arguments,
                                 const ExponentPowers &powers);

/// The degrees of some terms N/D without exponentials of others than
/// `arguments` and without absolute values, as polynomials N·D, added up: what
/// the error of character sums over them grows with.
/// \param terms     all that feed `operands` outside exponents, ascending.
/// \param perPower  the degree of one power of an exponential's variable.
double computeDegreeOfCharacters(const TermTable &table,
                                 llvm::ArrayRef<TermId> operands,
                                 llvm::ArrayRef<TermId> terms,
                                 llvm::ArrayRef<TermId> arguments,
                                 const ExponentPowers &powers, double perPower);

/// The degree of what some terms without exponentials divide by, all together.
/// \param terms  all that feed them, ascending.
double computeDegreeOfDivisors(const TermTable &table,
                               llvm::ArrayRef<TermId> list,
                               llvm::ArrayRef<TermId> terms);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_TERMDEGREE_H
