//===- LibraryMatmulAttribute.h - A library's matmul in IR ------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block graph that is nothing but a matmul may say what call of a library
// computes the same (Mirage/Graph/LibraryMatmul.h):
//
//   mirage_block.library_matmul = {
//     batch = 1, m = 8, n = 6144, k = 4096,
//     operands = f16, result_type = f16, accumulate = f32,
//     lhs = {argument = 0, offset = 0, transposed = false,
//            leading_dimension = 4096, batch_stride = 0},
//     rhs = {argument = 1, ...}, result = {argument = 2, ...}}
//
// Where products of f32 may be taken in tf32 there is one member more,
// `f32_products = "tf32"`. The launch that it becomes carries it on, as
// `library_matmul` in `mirage.launch`. What the graph computes does not depend
// on it.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_OPERATOR_LIBRARYMATMULATTRIBUTE_H
#define MIRAGE_DIALECT_OPERATOR_LIBRARYMATMULATTRIBUTE_H

#include "Mirage/Graph/LibraryMatmul.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace mlir::mirage {

/// Of a `mirage_block.graph`.
inline constexpr llvm::StringLiteral kLibraryMatmulAttr =
    "mirage_block.library_matmul";
/// The same in `mirage.launch`.
inline constexpr llvm::StringLiteral kLaunchLibraryMatmul = "library_matmul";

DictionaryAttr writeLibraryMatmul(MLIRContext *context,
                                  const LibraryMatmul &matmul);

/// \returns none where `attribute` is no such description; `problem` then says
/// what was expected and what was found, after "expects ".
std::optional<LibraryMatmul> readLibraryMatmul(Attribute attribute,
                                               std::string &problem);

/// Checks the attribute against the operands and results of its op; emits an
/// error where they do not agree. Where the tensors lie is not known yet.
LogicalResult verifyLibraryMatmul(Operation *op, Attribute attribute);

} // namespace mlir::mirage

#endif // MIRAGE_DIALECT_OPERATOR_LIBRARYMATMULATTRIBUTE_H
