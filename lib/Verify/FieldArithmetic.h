//===- FieldArithmetic.h - Elements of a tower of fields --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_FIELDARITHMETIC_H
#define MIRAGE_LIB_VERIFY_FIELDARITHMETIC_H

#include "Arithmetic.h"
#include "Mirage/Algebra/FieldTower.h"
#include "PowerMemo.h"
#include <cassert>
#include <memory>
#include <optional>
#include <vector>

namespace mlir::mirage {

/// What is random in one batch of trials besides the inputs, for one component
/// of the tower: roots of unity, the order that maximum goes by, the functions
/// that log, erf and pow are, ln 2, and how exponents at several points are
/// combined (FieldBatch).
struct ComponentDraw {
  ComponentDraw(const FieldTower &tower, unsigned component, unsigned words,
                RandomStream &random);

  KeyedPermutation order;
  KeyedPermutation functions;
  alignas(64) uint32_t ln2[kernels::kLanes];
  alignas(64) uint32_t inverseLn2[kernels::kLanes];
  alignas(64) uint32_t weights[kernels::kLanes][kernels::kLanes];
  /// None in the last component, which has no exponentials.
  std::optional<kernels::PowerTable> powers;
  PowerMemo memo; ///< of these powers (FieldBatch::remember)
};

/// What each application of exp was given in one component, in the order they
/// were met.
class ExponentTape {
public:
  /// Notes the operands of one more.
  void add(kernels::Source operand, size_t count);
  /// Hands over those of the next one.
  std::vector<uint32_t> takeNext() {
    assert(next < applications.size() && "there are no more exponentials");
    return std::move(applications[next++]);
  }
  llvm::ArrayRef<std::vector<uint32_t>> getApplications() const {
    return applications;
  }

private:
  std::vector<std::vector<uint32_t>> applications;
  size_t next = 0;
};

/// A tower and one draw for each of its components.
///
/// Components are independent of each other: component 0 has 16 trials side by
/// side. The others are only exponents; there the 16 words of an element are
/// the values at 16 *points*, and trial l raises its root of unity to the
/// random combination Σ_t weights[t][l]·x(t). As that is additive, all laws of
/// exp hold, and exponentials of linearly independent arguments are independent
/// and uniform (docs/Verification.md).
struct FieldBatch {
  /// \param words  16 trials, or 1 where tensors are large; then there is one
  ///               point, and nothing is combined.
  FieldBatch(FieldTower tower, unsigned words, const Seed &seed);

  /// The power that a component has for one exponent of 16 points.
  void raise(unsigned component, uint32_t *power,
             const uint32_t *exponent) const;
  /// Keeps the powers that a component has for these exponents, and for zero,
  /// for evaluations to come; once its draw is what it is to be.
  void remember(unsigned component, const ExponentTape &exponents);

  FieldTower tower;
  unsigned words;
  std::vector<std::unique_ptr<ComponentDraw>> draws; ///< by component
};

/// Arithmetic in one component. As an exponential needs its argument's value in
/// the next component, a graph is evaluated in the last component first, and
/// each evaluation leaves the arguments it meets on a tape for the next one,
/// which meets the same exponentials in the same order.
class FieldArithmetic : public Arithmetic {
public:
  /// \param exponents  what the evaluation in component + 1 left, else empty.
  FieldArithmetic(const FieldBatch &batch, unsigned component,
                  ExponentTape exponents);

  ExponentTape takeTape() { return std::move(arguments); }
  /// Roots of non-squares are powers like any other, instead of NonSquare.
  void setMultiplicativeRoots() { nonSquareResult = 0; }

  void constant(uint32_t *result, double value) override;
  void ln2(uint32_t *result) override;
  void apply(ScalarFunction function, uint32_t *result, Source lhs, Source rhs,
             size_t count) override;
  void scale(uint32_t *result, Source lhs, Source positive,
             size_t count) override;
  void vanish(uint32_t *result, const uint32_t *operand,
              const uint32_t *exponent, size_t count) override;
  void reduce(Combiner combiner, uint32_t *result, const uint32_t *operand,
              size_t outer, size_t reduced, size_t inner) override;
  void matmul(uint32_t *result, const uint32_t *lhs, const uint32_t *rhs,
              size_t m, size_t n, size_t k) override;
  void matmuls(const kernels::MatrixProducts &products) override;

private:
  bool hasPoints() const { return component > 0 && getWords() > 1; }
  void divide(uint32_t *result, Source lhs, Source rhs, size_t count);
  void exp(uint32_t *result, Source operand, size_t count);
  void pick(uint32_t *result, Source lhs, Source rhs, size_t count,
            bool isMaximum);
  void pickLargest(uint32_t *result, const uint32_t *operand, size_t count,
                   size_t inner);
  void pickPoints(uint32_t *result, Source lhs, Source rhs, size_t count,
                  bool isMaximum);
  void reducePoints(uint32_t *result, const uint32_t *operand, size_t reduced,
                    size_t inner);

  const FieldBatch &batch;
  const PrimeField &field;
  const ComponentDraw &draw;
  unsigned component;
  uint32_t nonSquareResult = kernels::kNonSquare;
  ExponentTape exponents, arguments;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_FIELDARITHMETIC_H
