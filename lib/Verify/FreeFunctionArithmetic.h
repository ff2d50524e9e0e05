//===- FreeFunctionArithmetic.h - Functions as symbols ----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums, products and quotients are those of a field. Of every other function
// no more is asked than laws that all functions of its kind obey:
//
//   abs, log, erf, pow         one result for one operand
//   sqrt                       the same, and sqrt s · sqrt s = s
//   max, min                   one result for one *set* of operands, where a
//                              maximum of maxima is one of all their operands,
//                              and that of one number is that number
//   exp                        exp(s + t) = exp s · exp t, exp(-s) = 1/exp s
//
// A result is a fresh variable, a random number of the field. What is equal
// whatever such functions are is equal for those of the real numbers. So
// nothing has to be picked, and no root has to exist; and what is not equal in
// general may still be so, as sqrt(x)·sqrt(y) = sqrt(x·y) is.
//
// Values are compared as numbers over two primes of 62 bits, drawn at random.
// How likely two are equal by accident follows from the degrees and
// coefficients of both as fractions of polynomials in all variables
// (docs/Verification.md, "Functions as symbols").
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_FREEFUNCTIONARITHMETIC_H
#define MIRAGE_LIB_VERIFY_FREEFUNCTIONARITHMETIC_H

#include "Mirage/Algebra/WidePrimeField.h"
#include "SymbolicArithmetic.h"
#include "llvm/ADT/DenseMap.h"
#include <array>
#include <map>
#include <optional>
#include <vector>

namespace mlir::mirage {

/// Upper bounds of a fraction of polynomials with whole coefficients: degrees,
/// and log2 of the sums of the coefficients' magnitudes.
struct FractionSize {
  double top = 0, bottom = 0, logTop = 0, logBottom = 0;

  bool operator<(const FractionSize &other) const {
    return std::tie(top, bottom, logTop, logBottom) <
           std::tie(other.top, other.bottom, other.logTop, other.logBottom);
  }
};

/// Arithmetic with such values, one word an element, which stands for a number
/// in a table that only grows. Both graphs of a pair are carried out with one.
class FreeFunctionArithmetic : public SymbolicArithmetic {
public:
  /// A number modulo both primes.
  using Value = std::pair<uint64_t, uint64_t>;
  using Fields = std::array<WidePrimeField, 2>;

  /// \param maxCost  numbers, operands of maxima, and what takes as long, that
  ///                 there may be.
  FreeFunctionArithmetic(const Seed &seed, size_t maxCost);
  /// For experiments with the bound: over these fields.
  FreeFunctionArithmetic(const Seed &seed, size_t maxCost,
                         const Fields &fields);

  uint32_t makeInput() { return makeVariable(Sign::Any); }
  /// Whether both are defined and equal: numbers, or minus infinity.
  bool areSame(uint32_t lhs, uint32_t rhs);
  /// Whether something has to be in range for graphs to be defined: operands of
  /// roots, logarithms and powers, and divisors, but for those that are, by
  /// their signs.
  bool hasConditions() const { return isConditional; }
  bool hasOverflowed() const { return isExhausted(); }
  /// Log2 of the probability that any two values that were compared are equal
  /// by accident, at most.
  double getErrorLog2() const;

  void matmul(uint32_t *result, const uint32_t *lhs, const uint32_t *rhs,
              size_t m, size_t n, size_t k) override;

protected:
  bool isExhausted() const override {
    return nodes.size() + otherCost > maxCost;
  }
  uint32_t makeNumber(double value) override;
  uint32_t makeLn2() override { return kLn2Id; }
  uint32_t makeUndefined() override { return kUndefinedId; }
  bool isMinusInfinity(uint32_t id) const override {
    return id == kMinusInfinityId;
  }
  uint32_t applyTo(ScalarFunction function, uint32_t lhs,
                   uint32_t rhs) override;
  uint32_t add(llvm::ArrayRef<uint32_t> summands) override;
  uint32_t max(llvm::ArrayRef<uint32_t> operands) override {
    return pick(ScalarFunction::Max, operands);
  }

private:
  /// Those that are there from the beginning.
  enum : uint32_t {
    kUndefinedId,
    kMinusInfinityId,
    kZeroId,
    kOneId,
    kLn2Id,
  };
  /// How a number came about, as far as exponentials ask.
  enum class Origin : uint8_t {
    Other,
    Sum,   ///< of two, `lhs` and `rhs`
    Scaled ///< `lhs`, a constant, times `rhs`
  };
  /// Of a real number, wherever it is defined; in ascending order.
  enum class Sign : uint8_t { Any, NotNegative, Positive };
  struct Number {
    Value value = {};
    uint32_t size = 0; ///< in `sizes`
    uint32_t lhs = 0, rhs = 0;
    Origin origin = Origin::Other;
    Sign sign = Sign::Any;
    bool isScalar = false; ///< literals and ln 2, their products and quotients
  };

  /// Of maxima and of minima.
  struct Picks {
    std::map<std::vector<Value>, uint32_t> results;
    llvm::DenseMap<Value, const std::vector<Value> *> operands; ///< by result
  };

  uint32_t append(const Number &number, const FractionSize &size);
  uint32_t append(Value value, const FractionSize &size, Sign sign,
                  bool isScalar = false);
  uint32_t makeVariable(Sign sign);
  Sign signSum(Sign lhs, Sign rhs) const;
  Sign signProduct(uint32_t lhs, uint32_t rhs) const;
  const FractionSize &getSize(uint32_t id) const {
    return *sizes[nodes[id].size];
  }
  bool isSpecial(uint32_t id) const { return id <= kMinusInfinityId; }
  bool isZero(uint32_t id) const { return nodes[id].value == Value(0, 0); }
  Value drawVariable();
  Value addValues(Value lhs, Value rhs) const;
  Value multiplyValues(Value lhs, Value rhs) const;

  uint32_t addTwo(uint32_t lhs, uint32_t rhs);
  uint32_t multiply(uint32_t lhs, uint32_t rhs);
  uint32_t divide(uint32_t lhs, uint32_t rhs);
  uint32_t invert(uint32_t id);
  std::optional<uint32_t> multiplyRoots(uint32_t lhs, uint32_t rhs);
  uint32_t pick(ScalarFunction function, llvm::ArrayRef<uint32_t> operands);
  std::optional<uint32_t> findPicked(const Picks &known,
                                     llvm::ArrayRef<uint32_t> operands);
  uint32_t applyFree(ScalarFunction function, uint32_t lhs, uint32_t rhs);
  uint32_t exp(uint32_t id);
  /// exp(factor·id), where the factor is a constant.
  uint32_t expScaled(uint32_t factor, uint32_t id, unsigned depth);
  uint32_t makeExp(uint32_t factor, uint32_t id, unsigned depth);
  void addCondition(ScalarFunction function, uint32_t id);
  void noteCompared(uint32_t id);
  /// Counts a value among those that are compared with all others.
  Value compare(uint32_t id) {
    noteCompared(id);
    ++numCompared;
    return nodes[id].value;
  }

  RandomStream random;
  Fields fields;
  size_t maxCost;
  std::vector<Number> nodes;
  std::map<FractionSize, uint32_t> sizeNumbers;
  std::vector<const FractionSize *> sizes;
  uint32_t lastSize = 0; ///< most have the size of the one before
  std::map<double, uint32_t> constants;
  llvm::DenseMap<Value, uint32_t> exponentials;
  llvm::DenseMap<uint32_t, uint32_t> radicands; ///< by root
  llvm::DenseMap<std::pair<unsigned, std::pair<Value, Value>>, uint32_t>
      results;
  std::map<ScalarFunction, Picks> picks;
  size_t otherCost = 0; ///< in numbers, of what is no number
  bool isConditional = false;
  bool isTooHigh = false; ///< some degree is no number any more
  double numCompared = 1; ///< zero
  double numOutputs = 0;  ///< pairs that are compared besides
  FractionSize largest;   ///< of what is compared, each figure by itself
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_FREEFUNCTIONARITHMETIC_H
