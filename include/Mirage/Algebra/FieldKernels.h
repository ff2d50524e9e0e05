//===- FieldKernels.h - Arithmetic on arrays of field elements --*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Vector kernels over arrays of field elements in Montgomery form. An array
// that holds 16 trials of a tensor has the 16 values of an element side by
// side, so that every kernel is elementwise whatever the tensor's shape. Each
// kernel is compiled for AVX-512, AVX2 and the base instruction set, and the
// machine picks when the program starts.
//
// Besides field elements a word may be a *special value*, above every prime:
//
//   MinusInfinity  what masks put in
//   Undefined      a quotient by zero, or what minus infinity has no value for
//   NonSquare      a root of what has none: the trial does not count here
//
// Undefined and NonSquare spread to whatever is computed from them, the larger
// of the two where they meet.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ALGEBRA_FIELDKERNELS_H
#define MIRAGE_ALGEBRA_FIELDKERNELS_H

#include "Mirage/Algebra/KeyedPermutation.h"
#include "Mirage/Algebra/PrimeField.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace mlir::mirage::kernels {

/// Words that one vector holds; also the largest number of trials side by side.
constexpr unsigned kLanes = 16;

constexpr uint32_t kMinusInfinity = 0xFFFFFFFD;
constexpr uint32_t kUndefined = 0xFFFFFFFE;
constexpr uint32_t kNonSquare = 0xFFFFFFFF;
inline bool isSpecial(uint32_t word) { return word >= kMinusInfinity; }

/// Whether two elements of 16 trials are the same in all of them.
inline bool areSame(const uint32_t *lhs, const uint32_t *rhs) {
  return lhs[0] == rhs[0] &&
         std::memcmp(lhs, rhs, kLanes * sizeof(uint32_t)) == 0;
}

/// An operand: `count` words, or 16 words that are used again and again (a
/// constant, or one element of 16 trials).
struct Source {
  const uint32_t *data;
  bool repeats = false;
};

// In all of these `count` is in words, and `result` may be an operand but where
// that is excluded.

/// Minus infinity plus anything is minus infinity.
void add(const PrimeField &field, uint32_t *result, Source lhs, Source rhs,
         size_t count);
/// \param infinityResult  what minus infinity times a field element is:
///                        itself if the other factor is known to be a positive
///                        constant, else Undefined.
void mul(const PrimeField &field, uint32_t *result, Source lhs, Source rhs,
         size_t count, uint32_t infinityResult = kUndefined);
/// 1/x, Undefined of zero. One inversion for the whole array. The result is not
/// the operand.
void inverse(const PrimeField &field, uint32_t *result, const uint32_t *operand,
             size_t count);
/// x^((p+1)/4). \param nonSquareResult  NonSquare if roots of non-squares are
/// not to count, else 0: then they are the power, like any other.
void sqrt(const PrimeField &field, uint32_t *result, Source operand,
          size_t count, uint32_t nonSquareResult);
/// character(x)·x.
void abs(const PrimeField &field, uint32_t *result, Source operand,
         size_t count);
/// The operand with the greater rank under the order; minus infinity is below
/// everything.
void maximum(const KeyedPermutation &order, uint32_t *result, Source lhs,
             Source rhs, size_t count);
/// The operand with the smaller rank.
void minimum(const KeyedPermutation &order, uint32_t *result, Source lhs,
             Source rhs, size_t count);
/// A random function of two arguments, almost uniform (statistical distance
/// 2^-33). \p tag tells different functions apart.
void randomFunction(const PrimeField &field, const KeyedPermutation &function,
                    uint32_t tag, uint32_t *result, Source lhs, Source rhs,
                    size_t count);

/// Whether all words are values, minus infinity included, and the same in both.
bool areSameValues(const uint32_t *lhs, const uint32_t *rhs, size_t count);

/// result[o][i] = Σ_r operand[o][r][i], `inner` words each.
void sum(const PrimeField &field, uint32_t *result, const uint32_t *operand,
         size_t outer, size_t reduced, size_t inner);

/// Products of matrices of one size, which two tensors hold. Offsets are in
/// words.
struct MatrixProducts {
  struct Places {
    size_t result, lhs, rhs;
  };
  uint32_t *result;
  llvm::ArrayRef<uint32_t> lhs, rhs;
  llvm::ArrayRef<Places> places; ///< of the matrices, by product
  size_t m, n, k;
};
/// result[m][n] = Σ_k lhs[m][k]·rhs[k][n] for each of `lanes` trials (1 or
/// 16), which lie innermost. Minus infinity gives Undefined.
void matmul(const PrimeField &field, const MatrixProducts &products,
            unsigned lanes);

/// result[l] = Σ_t weights[t][l]·points[t] for each of `count`/16 groups of 16
/// points: one random linear combination a lane. A special value at any point
/// makes all lanes special; minus infinity must stand at all points or none.
void combinePoints(const PrimeField &field, uint32_t *result,
                   const uint32_t *points, const uint32_t (*weights)[kLanes],
                   size_t count);

/// ranks[i] = the rank of the element at points[16·i], which has 16 values, one
/// a point: a random number for each different list of values. Value t goes
/// through the permutation of lane t, with what the values before it gave.
/// \param count  of elements.
void rankPoints(const KeyedPermutation &order, uint64_t *ranks,
                const uint32_t *points, size_t count);

/// Powers of one root of unity.
class PowerTable {
public:
  /// \param field     holds the root.
  /// \param exponents the field whose elements are the exponents.
  PowerTable(const PrimeField &field, const PrimeField &exponents,
             uint32_t root);
  /// root^x, x being the integer in [0, q) that an element of the exponents'
  /// field stands for; 0 of minus infinity.
  void exp(uint32_t *result, const uint32_t *operand, size_t count) const;

  /// Of root^(digit·16^position), for 8 hexadecimal digits.
  using Powers = uint32_t[8][16];

private:
  PrimeField field, exponents;
  alignas(64) Powers powers;
};

} // namespace mlir::mirage::kernels

#endif // MIRAGE_ALGEBRA_FIELDKERNELS_H
