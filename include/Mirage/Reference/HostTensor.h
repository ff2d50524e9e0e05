//===- HostTensor.h - Tensors in host memory ------------------ -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_REFERENCE_HOSTTENSOR_H
#define MIRAGE_REFERENCE_HOSTTENSOR_H

#include "Mirage/Graph/TensorSpec.h"
#include <vector>

namespace mlir::mirage {

/// A tensor as a device sees it: row-major, without gaps, little-endian.
struct HostTensor {
  TensorSpec type;
  std::vector<uint8_t> bytes;
};

/// What an element type can hold.
struct FloatFormat {
  unsigned exponentBits, mantissaBits;
  int bias;
  bool hasInfinity;       ///< f8E4M3FN has none
  uint32_t largestFinite; ///< its bits, without sign

  double getSmallestSubnormal() const;
  double getLargestFinite() const;
};
const FloatFormat &getFloatFormat(ElementType type);

/// The values of a tensor, exactly.
std::vector<double> decode(const HostTensor &tensor, unsigned threads = 1);

/// Values rounded to the element type, to nearest, ties to even, in one step.
/// Beyond the largest finite value f16, bf16 and f32 give infinity; the 8-bit
/// types saturate, as PTX's `cvt.rn.satfinite` does (PTX ISA, cvt).
/// \param values  as many as the type has elements.
HostTensor encode(const TensorSpec &type, llvm::ArrayRef<double> values,
                  unsigned threads = 1);

/// What `encode` and `decode` one after the other make of values.
void roundTo(ElementType type, llvm::MutableArrayRef<double> values,
             unsigned threads = 1);

} // namespace mlir::mirage

#endif // MIRAGE_REFERENCE_HOSTTENSOR_H
