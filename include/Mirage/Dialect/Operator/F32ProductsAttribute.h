//===- F32ProductsAttribute.h - How products of f32 are taken ---*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program may let tensor cores round operands of f32 to tf32:
//
//   %r = mirage_kernel.graph ins(%x, %w : ...) outs(%e : ...)
//       attributes {mirage_kernel.f32_products = "tf32"} {
//
// It holds for all products in the graph, those of block graphs too. Fragments
// of a thread graph say by themselves what is done: a `mirage_thread.mma` of
// f32 rounds to tf32. Without the attribute products are exact
// (Mirage/Graph/TensorSpec.h says what either is).
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_OPERATOR_F32PRODUCTSATTRIBUTE_H
#define MIRAGE_DIALECT_OPERATOR_F32PRODUCTSATTRIBUTE_H

#include "Mirage/Graph/TensorSpec.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace mlir::mirage {

/// Of a `mirage_kernel.graph`.
inline constexpr llvm::StringLiteral kF32ProductsAttr =
    "mirage_kernel.f32_products";
/// The same in `mirage_block.library_matmul`.
inline constexpr llvm::StringLiteral kF32ProductsMember = "f32_products";

StringAttr writeF32Products(MLIRContext *context, F32Products products);
/// \returns none where `attribute` is no such name.
std::optional<F32Products> readF32Products(Attribute attribute);

/// What the graph says that an op is, or stands in; exact where none says
/// anything.
F32Products getF32Products(Operation *op);

/// Has a graph say it; of what is exact the attribute is taken away.
void setF32Products(Operation *graph, F32Products products);

} // namespace mlir::mirage

#endif // MIRAGE_DIALECT_OPERATOR_F32PRODUCTSATTRIBUTE_H
