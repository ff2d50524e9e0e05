//===- TensorSpec.h - Element types and tensor types ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_TENSORSPEC_H
#define MIRAGE_GRAPH_TENSORSPEC_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace mlir::mirage {

/// What one element of a tensor is stored as. Arithmetic is done in f32
/// whatever the operands are; the element type says how a result is rounded
/// when it is stored.
enum class ElementType : uint8_t { F16, BF16, F32, F8E4M3FN, F8E5M2 };
constexpr ElementType kElementTypes[] = {
    ElementType::F16, ElementType::BF16, ElementType::F32,
    ElementType::F8E4M3FN, ElementType::F8E5M2};
/// All of them, as a message names what was expected.
constexpr llvm::StringLiteral kElementTypeNames =
    "f16, bf16, f32, f8E4M3FN or f8E5M2";

/// The name as MLIR spells it: "f16", "bf16", "f32", "f8E4M3FN", "f8E5M2".
llvm::StringRef getElementTypeName(ElementType type);
std::optional<ElementType> parseElementType(llvm::StringRef name);
unsigned getSizeBytes(ElementType type);
/// Whether infinities are stored as such. To store in 8 bits saturates:
/// f8E4M3FN has no infinities, and those of f8E5M2 are not made.
bool storesInfinities(ElementType type);

/// How a product is taken of which neither f16 nor bf16 holds both operands:
/// those of f32, with whatever type, and of f16 with bf16. A choice of whoever
/// wrote the program: it says how a machine computes, and not what.
enum class F32Products : uint8_t {
  /// Each product and each sum is an f32 fma, outside the tensor cores.
  Exact,
  /// By tensor cores where they have the instruction. Operands are rounded to
  /// the nearest tf32 (8 bits of exponent, 10 of fraction), ties away from
  /// zero; what lies beyond its largest number becomes infinity. Products are
  /// exact, and summed in f32. The other types are parts of tf32: of them
  /// nothing is lost.
  TF32,
};
/// "exact", "tf32".
llvm::StringRef getF32ProductsName(F32Products products);
std::optional<F32Products> parseF32Products(llvm::StringRef name);

/// The type in which tensor cores take the operands of a product: f16, or bf16,
/// whichever holds both exactly. If neither does it is f32 where they round
/// that to tf32; else there is none, and the product is computed without them.
std::optional<ElementType>
getTensorCoreElement(ElementType lhs, ElementType rhs, F32Products products);

using Shape = llvm::SmallVector<int64_t, 4>;

/// A ranked tensor of static shape: a tensor in device memory, a tile of one
/// thread block, or a fragment of one warp, by the level it stands at.
struct TensorSpec {
  Shape shape;
  ElementType element = ElementType::F32;

  unsigned getRank() const { return shape.size(); }
  int64_t getNumElements() const;
  int64_t getSizeBytes() const;

  bool operator==(const TensorSpec &other) const {
    return shape == other.shape && element == other.element;
  }
  bool operator!=(const TensorSpec &other) const { return !(*this == other); }
};

/// Prints as MLIR does: "tensor<8x64xf16>".
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const TensorSpec &type);
std::string toString(const TensorSpec &type);
/// "[8, 64]": sizes, dimensions or coordinates, as messages show them.
std::string toString(llvm::ArrayRef<int64_t> numbers);

/// The shape of an elementwise result: NumPy's rule, in which a dimension of
/// size 1 stretches and missing leading dimensions count as 1. None where two
/// sizes differ and neither is 1.
std::optional<Shape> broadcastShapes(llvm::ArrayRef<int64_t> lhs,
                                     llvm::ArrayRef<int64_t> rhs);

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_TENSORSPEC_H
