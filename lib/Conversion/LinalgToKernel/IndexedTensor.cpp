//===- IndexedTensor.cpp - Tensors over the loops of an op ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexedTensor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::mirage;

Value IndexedBuilder::append(Opcode opcode, ValueRange operands, Type element,
                             const Attributes &attributes,
                             ArrayRef<int64_t> shape) {
  SmallVector<TensorSpec> specs = llvm::map_to_vector(
      operands, [](Value operand) { return convertTensor(operand.getType()); });
  Shape result = llvm::cantFail(inferShape(opcode, attributes, specs, shape),
                                "the importer builds legal operations");
  OperationState state(location,
                       ("mirage_kernel." + getOperatorInfo(opcode).name).str());
  state.addOperands(operands);
  state.addTypes(RankedTensorType::get(result, element));
  state.addAttributes(
      writeOperatorAttributes(builder.getContext(), opcode, attributes));
  return builder.create(state)->getResult(0);
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

IndexedTensor IndexedBuilder::constant(double number) {
  Attributes attributes;
  attributes.scalars = {number};
  return {append(Opcode::Constant, {}, getUnroundedType(), attributes, {1}),
          {kUnit}};
}

IndexedTensor IndexedBuilder::unary(Opcode opcode, const IndexedTensor &x,
                                    Type element, ArrayRef<double> scalars) {
  Attributes attributes;
  attributes.scalars.assign(scalars.begin(), scalars.end());
  return {append(opcode, x.tensor, element, attributes), x.loops};
}

IndexedTensor IndexedBuilder::convert(const IndexedTensor &x, Type element) {
  if (x.getElementType() == element)
    return x;
  return {append(Opcode::Cast, x.tensor, element), x.loops};
}

/// The loops of two tensors that broadcast against each other as they are, or
/// nothing if their dimensions have to be rearranged first.
static std::optional<SmallVector<int>> alignLoops(ArrayRef<int> x,
                                                  ArrayRef<int> y) {
  if (x.size() < y.size())
    std::swap(x, y);
  SmallVector<int> joined(x);
  for (auto [inX, inY] : llvm::zip(llvm::reverse(joined), llvm::reverse(y))) {
    if (inX != kUnit && inY != kUnit && inX != inY)
      return std::nullopt;
    inX = inX == kUnit ? inY : inX;
  }
  for (auto [position, loop] : llvm::enumerate(joined))
    if (loop != kUnit &&
        llvm::is_contained(ArrayRef(joined).drop_front(position + 1), loop))
      return std::nullopt;
  return joined;
}

SmallVector<int> IndexedBuilder::sortedLoops(ArrayRef<int> first,
                                             ArrayRef<int> second) const {
  SmallVector<int> loops;
  for (int loop = 0, end = getNumLoops(); loop < end; ++loop)
    if (llvm::is_contained(first, loop) || llvm::is_contained(second, loop))
      loops.push_back(loop);
  return loops;
}

IndexedTensor IndexedBuilder::binary(Opcode opcode, const IndexedTensor &x,
                                     const IndexedTensor &y, Type element) {
  if (auto loops = alignLoops(x.loops, y.loops))
    return {append(opcode, {x.tensor, y.tensor}, element), *loops};
  SmallVector<int> loops = sortedLoops(x.loops, y.loops);
  return {append(opcode, {arrange(x, loops).tensor, arrange(y, loops).tensor},
                 element),
          loops};
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

/// Where the dimensions of a tensor with `from` go, so that they stand in the
/// order of `to`; units fill the gaps.
static SmallVector<int64_t> findPermutation(ArrayRef<int> from,
                                            ArrayRef<int> to) {
  SmallVector<int64_t> permutation, units;
  for (auto [position, loop] : llvm::enumerate(from))
    if (loop == kUnit || !llvm::is_contained(to, loop))
      units.push_back(position);
  ArrayRef<int64_t> unitsLeft = units;
  for (int loop : to) {
    const int *found = loop == kUnit ? from.end() : llvm::find(from, loop);
    if (found != from.end()) {
      permutation.push_back(found - from.begin());
    } else if (!unitsLeft.empty()) {
      permutation.push_back(unitsLeft.front());
      unitsLeft = unitsLeft.drop_front();
    }
  }
  llvm::append_range(permutation, unitsLeft);
  return permutation;
}

/// Moving dimensions of size 1 alone is a reshape.
IndexedTensor IndexedBuilder::transpose(const IndexedTensor &x,
                                        ArrayRef<int> loops) {
  Attributes attributes;
  llvm::append_range(attributes.dims, findPermutation(x.loops, loops));
  auto large = llvm::to_vector(attributes.dims);
  llvm::erase_if(large, [&](int64_t dim) { return x.getShape()[dim] == 1; });
  if (llvm::is_sorted(large))
    return x;
  return {append(Opcode::Transpose, x.tensor, x.getElementType(), attributes),
          llvm::map_to_vector(attributes.dims,
                              [&](int64_t dim) { return x.loops[dim]; })};
}

IndexedTensor IndexedBuilder::arrange(const IndexedTensor &x,
                                      ArrayRef<int> loops) {
  IndexedTensor result = transpose(x, loops);
  result.loops = llvm::map_to_vector(
      loops, [&](int loop) { return x.varies(loop) ? loop : kUnit; });
  SmallVector<int64_t> shape = llvm::map_to_vector(result.loops, [&](int loop) {
    return loop == kUnit ? 1 : extents[loop];
  });
  if (result.getShape() != ArrayRef(shape))
    result.tensor =
        append(Opcode::Reshape, result.tensor, x.getElementType(), {}, shape);
  return result;
}

IndexedTensor IndexedBuilder::stretch(const IndexedTensor &x,
                                      ArrayRef<int> loops) {
  IndexedTensor result = arrange(x, loops);
  SmallVector<int64_t> shape = llvm::map_to_vector(
      loops, [&](int loop) { return loop == kUnit ? 1 : extents[loop]; });
  if (result.getShape() != ArrayRef(shape))
    result.tensor =
        append(Opcode::Broadcast, result.tensor, x.getElementType(), {}, shape);
  result.loops.assign(loops.begin(), loops.end());
  return result;
}

/// Rows and columns of a mask are the last dimensions.
IndexedTensor IndexedBuilder::hide(const IndexedTensor &x, int row, int column,
                                   int64_t offset, Type element) {
  SmallVector<int> loops = llvm::filter_to_vector(x.loops, [&](int loop) {
    return loop != kUnit && loop != row && loop != column;
  });
  loops.append({row, column});
  Attributes attributes;
  attributes.offset = offset;
  return {
      append(Opcode::CausalMask, stretch(x, loops).tensor, element, attributes),
      loops};
}

//===----------------------------------------------------------------------===//
// Reduction and contraction
//===----------------------------------------------------------------------===//

IndexedTensor IndexedBuilder::reduce(Opcode opcode, const IndexedTensor &x,
                                     ArrayRef<int> loops, Type element) {
  auto isVaried = [&](int loop) { return x.varies(loop); };
  IndexedTensor operand = llvm::all_of(loops, isVaried)
                              ? x
                              : stretch(x, sortedLoops(x.loops, loops));
  Attributes attributes;
  for (auto [dim, loop] : llvm::enumerate(operand.loops))
    if (llvm::is_contained(loops, loop)) {
      attributes.dims.push_back(dim);
      loop = kUnit;
    }
  return {append(opcode, operand.tensor, element, attributes), operand.loops};
}

/// Makes one dimension of `count` adjacent ones; it belongs to no loop any
/// more.
void IndexedBuilder::mergeDimensions(IndexedTensor &x, unsigned first,
                                     unsigned count) {
  if (count == 1)
    return;
  SmallVector<int64_t> shape(x.getShape());
  int64_t size = 1;
  for (unsigned dim = first; dim < first + count; ++dim)
    size *= shape[dim];
  shape.erase(shape.begin() + first, shape.begin() + first + count);
  shape.insert(shape.begin() + first, size);
  x.tensor = append(Opcode::Reshape, x.tensor, x.getElementType(), {}, shape);
  x.loops.erase(x.loops.begin() + first, x.loops.begin() + first + count);
  x.loops.insert(x.loops.begin() + first, kUnit);
}

/// An operand of a matmul: [batch.., rows, columns], where batch dimensions
/// that are units in front are left out.
IndexedTensor IndexedBuilder::arrangeFactor(const IndexedTensor &x,
                                            ArrayRef<int> batch,
                                            ArrayRef<int> rows,
                                            ArrayRef<int> columns) {
  batch = batch.drop_while([&](int loop) { return !x.varies(loop); });
  SmallVector<int> loops(batch);
  llvm::append_range(loops, rows);
  llvm::append_range(loops, columns);
  IndexedTensor factor = arrange(x, loops);
  mergeDimensions(factor, batch.size() + rows.size(), columns.size());
  mergeDimensions(factor, batch.size(), rows.size());
  return factor;
}

bool mlir::mirage::areFactorTypes(Type lhs, Type rhs) {
  return lhs == rhs ||
         (lhs.getIntOrFloatBitWidth() == 8 && rhs.getIntOrFloatBitWidth() == 8);
}

/// The last of `order` that `x` varies with and `y` does not, or kUnit.
static int findFreeLoop(ArrayRef<int> order, const IndexedTensor &x,
                        const IndexedTensor &y) {
  for (int loop : llvm::reverse(order))
    if (loop != kUnit && x.varies(loop) && !y.varies(loop))
      return loop;
  return kUnit;
}

std::optional<IndexedTensor> IndexedBuilder::contract(const IndexedTensor &x,
                                                      const IndexedTensor &y,
                                                      ArrayRef<int> loops,
                                                      ArrayRef<int> order,
                                                      Type element) {
  auto areVaried = [&](int loop) { return x.varies(loop) && y.varies(loop); };
  if (!llvm::all_of(loops, areVaried))
    return std::nullopt;
  int freeX = findFreeLoop(order, x, y), freeY = findFreeLoop(order, y, x);
  if (freeX == kUnit && freeY == kUnit)
    return std::nullopt;

  // The factor whose free loop comes first in the result is the left one. A
  // vector stands on the side where a matrix need not be transposed.
  auto place = [&](int loop) { return llvm::find(order, loop); };
  bool swap = freeX != kUnit && freeY != kUnit && place(freeY) < place(freeX);
  if (freeX == kUnit)
    swap = llvm::find(y.loops, freeY) < llvm::find(y.loops, loops.front());
  else if (freeY == kUnit)
    swap = llvm::find(x.loops, loops.front()) < llvm::find(x.loops, freeX);
  const IndexedTensor &left = swap ? y : x, &right = swap ? x : y;
  int row = swap ? freeY : freeX, column = swap ? freeX : freeY;

  SmallVector<int> batch;
  for (int loop : order)
    if (loop != kUnit && loop != row && loop != column &&
        (x.varies(loop) || y.varies(loop)))
      batch.push_back(loop);
  IndexedTensor lhs = arrangeFactor(left, batch, row, loops);
  IndexedTensor rhs = arrangeFactor(right, batch, loops, column);
  // The dialect's lowering multiplies factors of one type, but for 8-bit
  // floats.
  if (!areFactorTypes(lhs.getElementType(), rhs.getElementType())) {
    lhs = convert(lhs, builder.getF32Type());
    rhs = convert(rhs, builder.getF32Type());
  }
  batch.append({row, column});
  return IndexedTensor{
      append(Opcode::Matmul, {lhs.tensor, rhs.tensor}, element), batch};
}
