//===- ReferenceNumbers.h - What floats say of a pair -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The judge is judged by the float64 reference (Mirage/Reference/Reference.h),
// which shares the operator table with it and no evaluation code. Witnesses,
// which the judge needs for the verdict `different`, are its own: numbers with
// error bounds, on other inputs.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_VERIFY_REFERENCENUMBERS_H
#define MIRAGE_TEST_UNIT_VERIFY_REFERENCENUMBERS_H

#include "Mirage/Reference/Reference.h"
#include "Mirage/Verify/Verify.h"

namespace mlir::mirage::test {

/// Of two graphs on a few inputs.
enum class FloatAnswer : uint8_t {
  Differ,  ///< both are finite somewhere, and not the same by 1e-7 and by more
           ///< than 1e-12 of any value on the way
  Agree,   ///< neither, by 1e-10, and they are finite at the same places
  Defined, ///< they agree where both are finite, and one alone is elsewhere
  Unclear, ///< between 1e-10 and 1e-7
  Nowhere, ///< finite nowhere in both
};
constexpr unsigned kNumFloatAnswers = 5;

/// A program's inputs and numbers, which many graphs are compared with.
class ReferenceNumbers {
public:
  explicit ReferenceNumbers(const Graph &program);

  FloatAnswer compare(const Graph &other) const;
  /// Whether all numbers are finite on most inputs, and of moderate size.
  bool areModerate() const;

private:
  Graph program;
  std::vector<std::vector<HostTensor>> inputs;
  std::vector<std::vector<ReferenceOutput>> outputs; ///< by input
};

/// By numbers of which the verifier knows how far they may be off, on inputs
/// for witnesses.
llvm::Expected<std::optional<Witness>> findRoundedWitness(const Graph &lhs,
                                                          const Graph &rhs);

/// Whether the reference has a witness's numbers, too: to within a tenth of
/// their difference.
bool confirmsWitness(const Graph &lhs, const Graph &rhs,
                     const Witness &witness);

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_UNIT_VERIFY_REFERENCENUMBERS_H
