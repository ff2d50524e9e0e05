//===- IndexPattern.h - Values that follow from indices alone ---*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A causal mask arrives in pieces: one op numbers the rows, another the
// columns, a third compares them, a fourth selects between a score and minus
// infinity, or between 0 and minus infinity, which a fifth adds. What the first
// ones compute is no tensor of a kernel graph, but a function of the indices:
//
//   linalg.index 1                         j                  linear
//   arith.addi %row, 2                     i + 2              linear
//   arith.cmpi sgt, %column, that          true where j - i - 2 > 0
//   arith.select that, -inf, 0.0           -inf where j - i - 2 > 0, else 0
//
// So there are two kinds: whole numbers that are linear in the indices, and
// steps, which are one constant where such a number is at most 0 and another
// above.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_INDEXPATTERN_H
#define MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_INDEXPATTERN_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace mlir::mirage {

/// Σ coefficients[d] · index d + constant. Indices are those of a tensor, or
/// the loops around a scalar.
struct LinearIndex {
  SmallVector<int64_t> coefficients;
  int64_t constant = 0;

  bool operator==(const LinearIndex &other) const {
    return coefficients == other.coefficients && constant == other.constant;
  }
  /// Whether all numbers are such as indices and sizes of masks are; larger
  /// ones could wrap around in 32 bits.
  bool isInRange() const;
};

/// `form` itself; or, where `atMost` is there, a step: `atMost` where `form` is
/// at most 0, `above` elsewhere. A constant is a step with `atMost` on both
/// sides.
struct IndexPattern {
  LinearIndex form;
  Attribute atMost, above;

  bool isStep() const { return static_cast<bool>(atMost); }
  bool isConstant() const { return isStep() && atMost == above; }
};

/// What a scalar in the body of a structured op is by the loops around it, or
/// what the elements of a tensor are by their indices; none where that depends
/// on anything else, or is neither linear nor a step.
/// \param numIndices  loops, or the tensor's rank.
std::optional<IndexPattern> findIndexPattern(Value value, unsigned numIndices);

/// What an op of arith or math with one result makes of patterns.
std::optional<IndexPattern> combinePatterns(Operation *op,
                                            ArrayRef<IndexPattern> operands);

/// Where a step is what `isKept` says, if it is what `isHidden` says elsewhere:
/// the form that is at most 0 there.
std::optional<LinearIndex>
findKept(const IndexPattern &pattern,
         llvm::function_ref<bool(Attribute)> isKept,
         llvm::function_ref<bool(Attribute)> isHidden);

/// Whether a number is minus infinity, or the lowest of its type, which stands
/// for it where a program avoids infinities.
bool isLowest(Attribute number);

/// Whether an op states tensors that are functions of their indices: nothing
/// for a kernel to compute, and gone once what reads it takes it as a mask.
/// (One float everywhere is a number, which readers take as such.)
bool statesPattern(Operation *op);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_INDEXPATTERN_H
