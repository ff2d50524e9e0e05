//===- ExactProof.h - Equality by canonical forms ---------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The exact mode: both graphs are carried out on variables, one for each
// element of an input, in the algebra of Mirage/Algebra/ExactAlgebra.h. Output
// elements of one canonical form are equal for all inputs, without a
// probability, at the sizes that the graphs have. Forms grow quickly with
// sizes, so these should be small. docs/Verification.md says why equality is
// proof and what is not decided.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_VERIFY_EXACTPROOF_H
#define MIRAGE_VERIFY_EXACTPROOF_H

#include "Mirage/Algebra/ExactAlgebra.h"
#include "Mirage/Graph/Graph.h"
#include "Mirage/Verify/SmallerSizes.h"
#include <string>

namespace mlir::mirage {

struct ExactProof {
  enum Outcome : uint8_t {
    Proved,   ///< every output element has the same form in both graphs
    Open,     ///< some element has not: they differ, or by laws of the reals
              ///< that are not among the algebra's do not; or no input was
              ///< found for which it has a number in both graphs
    TooLarge, ///< a limit was met
  } outcome = TooLarge;
  /// Where and why, if it is not proved; "element 3 of output 0 has ..".
  std::string reason = {};
  /// Proved, and one graph divides by, takes the root of, the logarithm or the
  /// power of something that the other does not, and that may be out of range.
  bool whereBothDefined = false;
  /// The shapes of the inputs that this is of, "4x6, 6x8".
  std::string sizes = {};
  /// What is another number at these sizes.
  ReplacedNumbers replaced = {};
  /// Products and sums of terms.
  size_t work = 0;
};

/// Compares verified graphs with the same inputs and outputs, matched in order,
/// at their own sizes. The outcome depends on the graphs and the limits alone.
ExactProof proveEqual(const Graph &lhs, const Graph &rhs,
                      const exact::Limits &limits = {});

/// The same at smaller sizes (SmallerSizes.h); TooLarge as well where there are
/// none.
ExactProof proveEqualAtSmallerSizes(const Graph &lhs, const Graph &rhs,
                                    const exact::Limits &limits = {});

} // namespace mlir::mirage

#endif // MIRAGE_VERIFY_EXACTPROOF_H
