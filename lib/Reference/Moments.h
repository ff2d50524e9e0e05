//===- Moments.h - Mean and variance of what comes in parts -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The variance of numbers that come in parts, of which each has a count n, a
// mean m and the sum S of squared differences from that mean:
//
//   n = a.n + b.n      d = b.m - a.m
//   m = a.m + d·b.n/n  S = a.S + b.S + d²·a.n·b.n/n
//
// (Chan, Golub and LeVeque, "Algorithms for Computing the Sample Variance",
// The American Statistician 37, 1983; with parts of one number, Welford,
// Technometrics 4, 1962.) Every term of S is at least 0, so nothing cancels. Of
// 1, 3 and 8: {1, 1, 0} and {1, 3, 0} are {2, 2, 2}, and with {1, 8, 0}
// {3, 4, 26}: a variance of 26/3. Σx²/n - (Σx/n)² is 74/3 - 16, and with a mean
// of 1000 and variance 1 six of f32's seven digits are lost.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_REFERENCE_MOMENTS_H
#define MIRAGE_LIB_REFERENCE_MOMENTS_H

#include "TensorOperations.h"

namespace mlir::mirage {

struct Moments {
  double count = 0;
  double mean = 0;
  double squares = 0; ///< Σ (x - mean)²

  /// Of one element; minus infinity stands where there is none.
  static Moments of(double element);
  void join(const Moments &part);
  /// NaN of no elements.
  double getVariance() const { return squares / count; }
};

/// The moments that an accumulation carries for each element of its result.
class MomentTensors {
public:
  explicit MomentTensors(llvm::ArrayRef<int64_t> shape);

  /// Joins the elements of `part`, whose sizes are those of the result where
  /// that has not 1; what is carried is rounded as stored.
  void add(const Tensor &part, ElementType stored,
           const EvaluationOptions &options);
  Tensor getVariances() const;

private:
  Moments get(int64_t element) const;
  void set(int64_t element, const Moments &moments);

  Tensor counts, means, squares;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_REFERENCE_MOMENTS_H
