//===- RoundedEvaluation.h - Float64 with error bounds ----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// That two graphs give different float64 numbers does not make them different:
// relu(2x) + 1e12 - 1e12 and 2·relu(x) differ by 1e-4. So every number carries
// a bound on how far it may be from the exact one, through all that it is
// computed from. Two graphs are different if some output element differs by
// more than both bounds together.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_VERIFY_ROUNDEDEVALUATION_H
#define MIRAGE_VERIFY_ROUNDEDEVALUATION_H

#include "Mirage/Graph/Graph.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace mlir::mirage {

/// The exact number is real and |exact - value| <= error. Not a number if
/// nothing is known: the number may not exist, as x/y where y may be zero, or
/// float64 overflowed. Minus infinity, which masks put in, has the error 0.
struct RoundedNumber {
  double value, error;
};

/// Evaluates a verified graph, tile by tile as the verifier does. Literals that
/// stand for ln 2 or log2 e (docs/Verification.md) may be either.
/// \param inputs  by input, row-major, exact.
/// \returns by output, row-major.
std::vector<std::vector<RoundedNumber>>
evaluateRounded(const Graph &graph, llvm::ArrayRef<std::vector<double>> inputs);

/// Gives elements of an input, row-major from `first` on, exact.
using ReadInput = llvm::function_ref<void(
    unsigned input, size_t first, llvm::MutableArrayRef<double> values)>;

/// Inputs of more elements together, 1 GiB of them, are not held by whoever
/// looks for a witness at some elements.
constexpr size_t kMaxHeldElements = size_t(1) << 26;

/// Some elements of one output, row-major and as they are listed, and of
/// everything else, inputs too, no more than what the smallest region that has
/// them depends on: those of some rows and some columns.
std::vector<RoundedNumber> evaluateRounded(const Graph &graph, ReadInput read,
                                           unsigned output,
                                           llvm::ArrayRef<int64_t> elements);
/// The same of inputs that are held.
std::vector<RoundedNumber>
evaluateRounded(const Graph &graph, llvm::ArrayRef<std::vector<double>> inputs,
                unsigned output, llvm::ArrayRef<int64_t> elements);

} // namespace mlir::mirage

#endif // MIRAGE_VERIFY_ROUNDEDEVALUATION_H
