//===- OutputCheck.h - Whether computed numbers are right ----- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A computed output is right if all of this holds, with T by element type
// (2e-3 for f16, 1.6e-2 for bf16, 1e-4 for f32: about four roundings or more),
// the largest one of the output and of the results that the program says it is
// computed from: an f32 that comes of an f16 is no more exact than that. Of
// what is computed from a product, where the program lets operands of products
// be rounded to tf32 and the code does it, T is that of f16, which keeps as
// many bits.
//
//   norm      ‖computed − reference‖ ≤ T · ‖reference‖
//   elements  |computed − reference| ≤ T · scale, everywhere. The scale of an
//             element is its sum of |a·b| where the reference has it, else the
//             largest |reference| of the tensor. To it comes one smallest
//             subnormal of the element type, below which nothing can be said.
//   finite    computed is finite exactly where reference is, and elsewhere the
//             same: NaN, or the infinity of the same sign
//
// Numbers of the reference that an 8-bit type does not hold are those that it
// saturates at: that is what is stored of them (docs/Architecture.md). Whether
// infinities of f8E5M2 outlive it is not defined, and right either way.
//
// A reference that is zero everywhere is compared absolutely, with norm and
// scale 1.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_REFERENCE_OUTPUTCHECK_H
#define MIRAGE_REFERENCE_OUTPUTCHECK_H

#include "Mirage/Reference/Reference.h"
#include <string>

namespace mlir::mirage {

/// T above. 0.25 and 0.5 for the 8-bit types f8E4M3FN and f8E5M2.
double getTolerance(ElementType type);

struct OutputCheck {
  double tolerance = 0;
  double relativeError = 0; ///< ‖computed − reference‖ / ‖reference‖
  /// The element with the largest error relative to its scale.
  double worstError = 0; ///< |computed − reference| / scale
  int64_t worstIndex = 0;
  double worstComputed = 0, worstReference = 0;
  /// How many elements are finite in one only.
  int64_t newNonFinite = 0, missingNonFinite = 0;
  /// How many are finite in neither and not the same.
  int64_t differentNonFinite = 0;
  int64_t firstNonFinite = -1; ///< the first of all these, or -1
  int64_t numElements = 0;
  int64_t numCompared = 0; ///< those that are finite in both

  bool pass = false;
};

/// \param computed     of the reference's type.
/// \param f32Products  what computed it took products of f32 as.
OutputCheck checkOutput(const ReferenceOutput &reference,
                        const HostTensor &computed,
                        F32Products f32Products = F32Products::Exact);

/// One sentence: the errors and, if the check failed, why and where.
std::string toString(const OutputCheck &check, llvm::ArrayRef<int64_t> shape);

} // namespace mlir::mirage

#endif // MIRAGE_REFERENCE_OUTPUTCHECK_H
