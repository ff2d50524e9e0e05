//===- IndexedTensor.h - Tensors over the loops of an op --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A structured op of linalg says what happens at one point of a loop nest.
// Read for all points at once, each scalar of its body is a tensor whose
// dimensions are loops. With loops (m, n, k) of extents (8, 32, 64), the left
// operand of a matmul is
//
//   tensor<8x64xf16>, loops {m, k}
//
// and `exp` of it is `mirage_kernel.exp` with the same loops. What does not
// depend on a loop has no dimension for it, or one of size 1 (`kUnit`): then
// elementwise operators join two tensors by NumPy's broadcasting, once their
// dimensions are in the same order.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_INDEXEDTENSOR_H
#define MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_INDEXEDTENSOR_H

#include "Mirage/Dialect/Operator/OperatorInterface.h"
#include "mlir/IR/Builders.h"

namespace mlir::mirage {

/// A dimension of size 1 that belongs to no loop.
constexpr int kUnit = -1;

/// A tensor whose dimension i is indexed by loop `loops[i]`, or is kUnit.
struct IndexedTensor {
  Value tensor;
  SmallVector<int> loops;

  bool varies(int loop) const { return llvm::is_contained(loops, loop); }
  Type getElementType() const {
    return cast<RankedTensorType>(tensor.getType()).getElementType();
  }
  ArrayRef<int64_t> getShape() const {
    return cast<RankedTensorType>(tensor.getType()).getShape();
  }
};

/// Whether tensor cores multiply elements of these types: of one type, or 8-bit
/// floats of either kind.
bool areFactorTypes(Type lhs, Type rhs);

/// Appends kernel ops on tensors that are indexed by one loop nest.
class IndexedBuilder {
public:
  /// \param extents  iterations by loop; all at least 1.
  IndexedBuilder(OpBuilder &builder, ArrayRef<int64_t> extents)
      : builder(builder), extents(extents), location(builder.getUnknownLoc()) {}

  /// The location of what is appended from now on.
  void setLocation(Location newLocation) { location = newLocation; }
  int64_t getExtent(int loop) const { return extents[loop]; }
  unsigned getNumLoops() const { return extents.size(); }
  /// The element type of what stands between the steps of one operation of the
  /// body, which rounds once, at its end: f32, in which arithmetic is done.
  Type getUnroundedType() { return builder.getF32Type(); }

  /// One number for all iterations, in f32.
  IndexedTensor constant(double number);
  IndexedTensor unary(Opcode opcode, const IndexedTensor &x, Type element,
                      ArrayRef<double> scalars = {});
  IndexedTensor binary(Opcode opcode, const IndexedTensor &x,
                       const IndexedTensor &y, Type element);
  /// `x` rounded to `element`; `x` itself if it is stored so already.
  IndexedTensor convert(const IndexedTensor &x, Type element);

  /// `x` where loop `column` is at most loop `row` + `offset`, minus infinity
  /// elsewhere; a row or column of kUnit is 0.
  IndexedTensor hide(const IndexedTensor &x, int row, int column,
                     int64_t offset, Type element);

  /// Sum or Max over `loops`, which become kUnit. A loop that `x` does not vary
  /// with counts as often as it iterates.
  IndexedTensor reduce(Opcode opcode, const IndexedTensor &x,
                       ArrayRef<int> loops, Type element);

  /// The sum over `loops` of x · y as a matmul, if it is one: both vary with
  /// all of `loops`, and at least one with a loop that the other does not.
  /// \param order  the other loops, in the order that the result is stored in.
  std::optional<IndexedTensor> contract(const IndexedTensor &x,
                                        const IndexedTensor &y,
                                        ArrayRef<int> loops,
                                        ArrayRef<int> order, Type element);

  /// `x` with dimensions in the order of `loops` (each a loop or kUnit), of
  /// size 1 where it does not vary.
  IndexedTensor arrange(const IndexedTensor &x, ArrayRef<int> loops);
  /// The same with every loop's dimension at its full extent.
  IndexedTensor stretch(const IndexedTensor &x, ArrayRef<int> loops);

private:
  Value append(Opcode opcode, ValueRange operands, Type element,
               const Attributes &attributes = {}, ArrayRef<int64_t> shape = {});
  IndexedTensor transpose(const IndexedTensor &x, ArrayRef<int> loops);
  SmallVector<int> sortedLoops(ArrayRef<int> first, ArrayRef<int> second) const;
  IndexedTensor arrangeFactor(const IndexedTensor &x, ArrayRef<int> batch,
                              ArrayRef<int> rows, ArrayRef<int> columns);
  void mergeDimensions(IndexedTensor &x, unsigned first, unsigned count);

  OpBuilder &builder;
  ArrayRef<int64_t> extents;
  Location location;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_INDEXEDTENSOR_H
