//===- LibraryMatmul.h - A matmul as a library has it -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that is nothing but a matmul may be left to a library of kernels,
// which has better code for large ones. What a library has is
//
//   result[b] = lhs[b] · rhs[b]   for b < batch,  M x N = M x K · K x N,
//
// of matrices of which each has one distance from a row to the next, and from
// one b to the next. That covers less than tensors do: of x[4, 8, 16] · w[16,
// 32] the four products become one with M = 32 and w for all of them; of
// x[4, 8, 16] · w[4, 16, 32] batch is 4; of [2, 3, 8, 16] · [3, 16, 32] there
// is no such distance between what the rhs has for the six products, so the
// library has it not.
//
// The description is what an artifact says and a runtime calls; of libraries
// that do this, cuBLASLt is the one that is used (lib/Runtime/CudaLibrary.h).
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_LIBRARYMATMUL_H
#define MIRAGE_GRAPH_LIBRARYMATMUL_H

#include "Mirage/Graph/Strides.h"
#include <optional>
#include <string>

namespace mlir::mirage {

/// Where one matrix of a library's matmul lies. Element (i, j) of the matrix
/// that is multiplied is `offset + i · leadingDimension + j` elements behind
/// the start of the argument's buffer, or `offset + i + j · leadingDimension`
/// if it is transposed; of product b further by `b · batchStride`.
struct LibraryMatrix {
  unsigned argument = 0; ///< of the kernel: its operands, then its result
  int64_t offset = 0;
  bool isTransposed = false;
  int64_t leadingDimension = 1;
  int64_t batchStride = 0; ///< 0: the same matrix for all

  bool operator==(const LibraryMatrix &other) const;
};

/// A matmul that a library has. Products are summed in f32 and rounded once, to
/// `resultElement`; f32 operands are not rounded before, unless they may be, to
/// tf32.
struct LibraryMatmul {
  int64_t batch = 1, m = 1, n = 1, k = 1;
  ElementType operandElement = ElementType::F16; ///< of lhs and rhs
  ElementType resultElement = ElementType::F16;
  LibraryMatrix lhs, rhs, result;
  F32Products f32Products = F32Products::Exact; ///< TF32 only of f32 operands

  bool operator==(const LibraryMatmul &other) const;
};

/// A tensor, and where its elements lie in the buffer of a kernel's argument.
struct PlacedTensor {
  TensorSpec type;
  Strides strides;
  int64_t offset = 0;

  /// Row-major, from the buffer's start on.
  static PlacedTensor makeRowMajor(TensorSpec type);
};

/// The product of tensors, by NumPy's rule, as a library has it; none if it has
/// it not. It has those of operands that are both f16, both bf16 or both f32,
/// with a result of the operands' type or f32. It has none of 8-bit floats:
/// tensor cores add their products with fewer bits than f32 has. A result that
/// is column-major is described as what it is the transposed of, so that
/// `result` is never transposed; `lhs` is then the kernel's second operand.
std::optional<LibraryMatmul> findLibraryMatmul(const PlacedTensor &lhs,
                                               const PlacedTensor &rhs,
                                               const PlacedTensor &result,
                                               F32Products f32Products);

/// What is wrong with a description by itself: "expects a leading dimension of
/// lhs of at least 16, got 8"; nothing if it is one that a library may have of
/// some tensors.
std::optional<std::string> explainBadLibraryMatmul(const LibraryMatmul &matmul);

/// Elements from the start of the argument's buffer through the last one that
/// is read or written. The description must be a good one.
int64_t getLibraryMatrixEnd(const LibraryMatmul &matmul,
                            const LibraryMatrix &matrix);

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_LIBRARYMATMUL_H
