//===- NearMisses.h - Pairs of graphs that are almost equal -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A right graph and one with a small mistake, so small and of so low a degree
// that bounds over primes of 8 bits say something of them.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_VERIFY_NEARMISSES_H
#define MIRAGE_TEST_UNIT_VERIFY_NEARMISSES_H

#include "Mirage/Algebra/Random.h"
#include "Mirage/Graph/Graph.h"
#include <optional>

namespace mlir::mirage::test {

/// Without composed operators.
struct NearMiss {
  Graph program, mutant;
  size_t element; ///< over all outputs, one where float64 numbers differ
};

/// Draws one; none if what was drawn has no mistake that makes a difference.
using DrawNearMiss = std::optional<NearMiss> (*)(RandomStream &random);

/// A formula of a few operations over two inputs of two elements, summed up:
/// rational functions, exponentials and roots.
std::optional<NearMiss> drawFormula(RandomStream &random);
/// The same with operators that fields know by order, sign or name alone.
std::optional<NearMiss> drawPatternFormula(RandomStream &random);
/// The same with exponentials in exponents.
std::optional<NearMiss> drawNestedFormula(RandomStream &random);
/// Of all elementwise operators, over twelve elements (makeTinyProgram).
std::optional<NearMiss> drawTinyProgram(RandomStream &random);
/// Over two or three matrices (makeRandomProgram), against itself spelled anew,
/// with a mistake.
std::optional<NearMiss> drawRespelledProgram(RandomStream &random);
/// The same, cut into tiles.
std::optional<NearMiss> drawTiledProgram(RandomStream &random);
/// RMSNorm and linear, gated MLP, LoRA, softmax, attention or attention with
/// QK norm, against a kernel for it with a mistake.
std::optional<NearMiss> drawKernel(RandomStream &random);

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_UNIT_VERIFY_NEARMISSES_H
