//===- DrawMovements.cpp - Random movements of tiles ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationDrawer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <limits>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

bool OperationDrawer::addMovement(Opcode opcode) {
  auto operand = drawValue();
  if (!operand)
    return false;
  switch (opcode) {
  case Opcode::Transpose:
    return addTranspose(*operand);
  case Opcode::Reshape:
    return addReshape(*operand);
  case Opcode::Broadcast:
    return addBroadcast(*operand);
  case Opcode::Cast:
    return addCast(*operand);
  case Opcode::Mask:
    return addMask(*operand);
  case Opcode::Slice:
    return addSlice(*operand);
  case Opcode::Concat:
    return addConcat(*operand);
  case Opcode::CausalMask:
    return addCausalMask(*operand);
  default:
    llvm_unreachable("a movement of blocks that nothing draws");
  }
}

bool OperationDrawer::addTranspose(ValueId value) {
  unsigned rank = writer[value].dims.size();
  if (rank < 2)
    return false;
  llvm::SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, rank));
  draw.shuffle(permutation);
  if (draw.chance(50))
    std::swap(permutation[0], permutation[rank - 1]);
  return writer.transpose(value, permutation) != value;
}

/// Two dimensions become one, one becomes two, or one of size 1 comes or goes.
bool OperationDrawer::addReshape(ValueId value) {
  DimList dims = writer[value].dims;
  Shape shape = writer.getShape(value);
  auto isWhole = [&](unsigned dim) { return !dimensions.isPartial(dims[dim]); };
  unsigned dim = draw.below(dims.size());
  switch (draw.below(3)) {
  case 0:
    if (dim + 1 == dims.size() || !isWhole(dim) || !isWhole(dim + 1))
      return false;
    dims[dim] = dimensions.addUncut(shape[dim] * shape[dim + 1]);
    dims.erase(dims.begin() + dim + 1);
    break;
  case 1: {
    llvm::SmallVector<int64_t> factors;
    for (int64_t factor = 2; factor < shape[dim]; ++factor)
      if (shape[dim] % factor == 0)
        factors.push_back(factor);
    if (!isWhole(dim) || factors.empty() ||
        withoutUnits(dims).size() >= kMostTileDims || dims.size() >= 4)
      return false;
    int64_t factor = draw.oneOf(llvm::ArrayRef(factors));
    dims[dim] = dimensions.addUncut(shape[dim] / factor);
    dims.insert(dims.begin() + dim + 1, dimensions.addUncut(factor));
    break;
  }
  case 2:
    if (dims[dim] == kUnit && dims.size() > 1)
      dims.erase(dims.begin() + dim);
    else if (dims.size() < 4)
      dims.insert(dims.begin() + dim, kUnit);
    break;
  }
  return writer.reshape(value, dims) != value;
}

bool OperationDrawer::addBroadcast(ValueId value) {
  DimList dims = writer[value].dims;
  DimId added = draw.chance(60) ? DimId(draw.below(dimensions.getNumCreated()))
                                : dimensions.addUncut(draw.between(2, 9));
  if (llvm::is_contained(dims, added))
    return false;
  if (stage != Stage::InLoop && llvm::is_contained(getAxes(added), Axis::Loop))
    return false;
  DimId *unit = llvm::find(dims, kUnit);
  if (unit != dims.end())
    *unit = added;
  else
    dims.insert(dims.begin(), added);
  if (!writer.fits(dims))
    return false;
  writer.add(Opcode::Broadcast, {value}, {}, dims, writer[value].range);
  return true;
}

/// To 8 bits what a product takes: elsewhere little is left of a number.
bool OperationDrawer::addCast(ValueId value) {
  static const ElementType kElements[] = {ElementType::F16, ElementType::BF16,
                                          ElementType::F32, ElementType::F16};
  return writer.cast(value, draw.oneOf(kElements)) != value;
}

bool OperationDrawer::addMask(ValueId value) {
  Attributes attributes;
  unsigned dim = draw.below(writer[value].dims.size());
  int64_t size = writer.getShape(value)[dim];
  attributes.dims = {dim};
  for (Axis axis : getAxes(writer[value].dims[dim]))
    attributes.axes.push_back(axis);
  if (!mayAskFor(attributes.axes))
    return false;
  for (Axis axis : attributes.axes)
    size *= graph.getExtent(axis);
  attributes.extent = draw.between(1, size);
  bool hides = draw.chance(25);
  attributes.scalars = {hides ? kMinusInfinity
                              : draw.oneOf<double>({0, 0.51, -1.9, 1})};
  ValueRange range = writer[value].range;
  range = hides ? ValueRange{range.low, range.high, true}
                : range.join({attributes.scalars[0], attributes.scalars[0]});
  if (hides)
    value = storeInfinities(value);
  writer.fillInfinity(writer.add(Opcode::Mask, {value}, std::move(attributes),
                                 writer[value].dims, range));
  return true;
}

bool OperationDrawer::addSlice(ValueId value) {
  DimList dims = writer[value].dims;
  Shape shape = writer.getShape(value);
  Attributes attributes;
  for (unsigned dim = 0; dim < dims.size(); ++dim) {
    int64_t offset = 0, stride = 1;
    if (shape[dim] > 1 && !dimensions.isPartial(dims[dim]) && draw.chance(60)) {
      offset = draw.below(shape[dim]);
      stride = draw.between(1, 3);
      int64_t most = (shape[dim] - 1 - offset) / stride + 1;
      dims[dim] = dimensions.addUncut(draw.between(1, most));
    }
    attributes.offsets.push_back(offset);
    attributes.strides.push_back(stride);
  }
  if (dims == writer[value].dims)
    return false;
  writer.add(Opcode::Slice, {value}, std::move(attributes), dims,
             writer[value].range);
  return true;
}

/// Beside what has the same dimensions: a part of it, or what a function makes
/// of it.
bool OperationDrawer::addConcat(ValueId value) {
  DimList dims = writer[value].dims;
  unsigned dim = draw.below(dims.size());
  if (dimensions.isPartial(dims[dim]))
    return false;
  llvm::SmallVector<ValueId> parts = {value};
  ElementType element = writer.getType(value).element;
  ValueRange range = writer[value].range;
  int64_t size = 0;
  for (unsigned i = draw.between(1, 2); i > 0; --i) {
    auto other = writer.tryUnary(
        draw.oneOf({Opcode::Neg, Opcode::Square, Opcode::Tanh}), value);
    ValueId part =
        !other || draw.chance(30) ? value : writer.cast(*other, element);
    parts.push_back(part);
    range = range.join(writer[part].range);
  }
  draw.shuffle(parts);
  for (ValueId part : parts)
    size += writer.getShape(part)[dim];
  dims[dim] = dimensions.addUncut(size);
  if (!writer.fits(dims))
    return false;
  Attributes attributes;
  attributes.dims = {dim};
  writer.add(Opcode::Concat, parts, std::move(attributes), dims, range);
  return true;
}

bool OperationDrawer::addCausalMask(ValueId value) {
  DimList dims = writer[value].dims;
  if (dims.size() < 2)
    return false;
  DimId row = dims[dims.size() - 2], column = dims.back();
  Attributes attributes;
  for (Axis axis : getAxes(row))
    attributes.axes.push_back(axis);
  for (Axis axis : getAxes(column))
    attributes.columnAxes.push_back(axis);
  if (!mayAskFor(attributes.axes) || !mayAskFor(attributes.columnAxes))
    return false;
  attributes.offset = draw.between(-3, 8);
  ValueRange range = writer[value].range;
  range.hasMinusInfinity = true;
  value = storeInfinities(value);
  writer.fillInfinity(writer.add(Opcode::CausalMask, {value},
                                 std::move(attributes), dims, range));
  return true;
}
