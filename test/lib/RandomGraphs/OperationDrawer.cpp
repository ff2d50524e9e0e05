//===- OperationDrawer.cpp - Random operations on tiles -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationDrawer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

bool OperationDrawer::isKnown(ValueId value) const {
  Phase phase = writer[value].phase;
  if (stage == Stage::InLoop)
    return phase <= Phase::Loop;
  // What has been stretched to tiles of the loop has no place outside it.
  if (phase == Phase::Loop || llvm::any_of(writer[value].dims, [&](DimId dim) {
        return llvm::is_contained(getAxes(dim), Axis::Loop);
      }))
    return false;
  if (stage == Stage::BeforeLoop)
    return phase <= Phase::Joined;
  return stage == Stage::AfterGrid || phase != Phase::AfterGrid;
}

std::optional<ValueId> OperationDrawer::drawValue(bool isJoined) {
  llvm::SmallVector<ValueId> unused, known, withRoots;
  for (ValueId value = 0; value < writer.getNumValues(); ++value) {
    if (!isKnown(value) || writer[value].range.hasMinusInfinity)
      continue;
    if (isJoined && writer[value].hasRoots) {
      withRoots.push_back(value);
      continue;
    }
    known.push_back(value);
    if (writer[value].numUses == 0)
      unused.push_back(value);
  }
  if (known.empty())
    known = withRoots;
  if (known.empty())
    return std::nullopt;
  if (!unused.empty() && draw.chance(65))
    return draw.oneOf(llvm::ArrayRef(unused));
  return draw.oneOf(llvm::ArrayRef(known));
}

llvm::ArrayRef<Axis> OperationDrawer::getAxes(DimId dim) const {
  return dim == kUnit ? llvm::ArrayRef<Axis>()
                      : llvm::ArrayRef(dimensions[dim].axes);
}

bool OperationDrawer::mayAskFor(llvm::ArrayRef<Axis> axes) const {
  return stage == Stage::InLoop || !llvm::is_contained(axes, Axis::Loop);
}

/// Masks set elements to infinities, which not every type has.
ValueId OperationDrawer::storeInfinities(ValueId value) {
  return storesInfinities(writer.getType(value).element)
             ? value
             : writer.cast(value, ElementType::F32);
}

llvm::SmallVector<int64_t> OperationDrawer::drawDims(ValueId value,
                                                     bool mayBeNone) {
  unsigned rank = writer[value].dims.size();
  llvm::SmallVector<int64_t> dims;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (draw.chance(45))
      dims.push_back(dim);
  if (dims.empty() && !mayBeNone)
    dims.push_back(draw.below(rank));
  return dims;
}

//===----------------------------------------------------------------------===//
// Elementwise operators
//===----------------------------------------------------------------------===//

llvm::SmallVector<double> OperationDrawer::drawScalars(Opcode opcode) {
  // Powers of two, and their roots, are functions of the sizes that tiles have:
  // at other sizes the judge takes them for something else.
  static const double kNumbers[] = {0.47, 1.93, -1.53, 0.31, 1.27, -0.77, 2.9};
  llvm::SmallVector<double> scalars;
  for (unsigned i = 0; i < getOperatorInfo(opcode).parameters.size(); ++i)
    scalars.push_back(draw.oneOf(kNumbers));
  if (opcode == Opcode::Clamp)
    scalars = {draw.oneOf<double>({-2.1, -1, -0.53, 0}),
               draw.oneOf<double>({0.27, 1, 2.6})};
  return scalars;
}

bool OperationDrawer::addConstant() {
  auto like = drawValue();
  if (!like)
    return false;
  DimList dims = writer[*like].dims;
  for (DimId &dim : dims)
    if (draw.chance(40))
      dim = kUnit;
  Attributes attributes;
  attributes.scalars = {draw.oneOf<double>({0.53, -1.23, 2.1, 0.37})};
  ValueRange range{attributes.scalars[0], attributes.scalars[0]};
  ValueId constant =
      writer.add(Opcode::Constant, {}, std::move(attributes), dims, range);
  // Alone it would be a result that no operand has a part in.
  static const Opcode kOpcodes[] = {Opcode::Add, Opcode::Mul, Opcode::Sub};
  return addBinary(draw.oneOf(kOpcodes), *like, constant);
}

bool OperationDrawer::addUnary(Opcode opcode) {
  // What the loop adds up would depend on many.
  if (stage == Stage::InLoop && takesRoots(opcode, {}) && draw.chance(70))
    return false;
  auto operand = drawValue();
  if (!operand)
    return false;
  llvm::SmallVector<double> scalars = drawScalars(opcode);
  if (writer.tryUnary(opcode, *operand, scalars))
    return true;
  ValueId tamed = writer.tame(*operand, 4, /*isPositive=*/false);
  if (writer.tryUnary(opcode, tamed, scalars))
    return true;
  tamed = writer.tame(tamed, 3, /*isPositive=*/true);
  return writer.tryUnary(opcode, tamed, scalars).has_value();
}

bool OperationDrawer::addBinary(Opcode opcode) {
  auto lhs = drawValue(), rhs = drawValue();
  return lhs && rhs && addBinary(opcode, *lhs, *rhs);
}

bool OperationDrawer::addBinary(Opcode opcode, ValueId lhs, ValueId rhs) {
  auto infer = [&] {
    return inferElementwise(opcode, {writer[lhs].range, writer[rhs].range}, {});
  };
  auto range = infer();
  if (!range && opcode == Opcode::Pow) {
    lhs = writer.tame(lhs, 3, /*isPositive=*/true);
    rhs = writer.tame(rhs, 2, /*isPositive=*/false);
  } else if (!range) {
    lhs = writer.tame(lhs, 8, /*isPositive=*/false);
    rhs = writer.tame(rhs, 8, /*isPositive=*/opcode == Opcode::Div);
  }
  range = infer();
  DimList dims;
  if (!range || !writer.broadcast(lhs, rhs, dims))
    return false;
  writer.add(opcode, {lhs, rhs}, {}, dims, *range);
  return true;
}

ValueId OperationDrawer::combine(ValueId lhs, ValueId rhs) {
  static const Opcode kOpcodes[] = {Opcode::Add, Opcode::Sub, Opcode::Mul,
                                    Opcode::Div, Opcode::Add};
  Opcode opcode = draw.oneOf(kOpcodes);
  if (addBinary(opcode, lhs, rhs))
    return writer.getNumValues() - 1;
  // What does not fit beside the other is reduced to one number.
  if (writer[rhs].hasRoots && !writer[lhs].hasRoots)
    std::swap(lhs, rhs);
  llvm::SmallVector<int64_t> dims;
  for (int64_t dim : llvm::seq<int64_t>(0, writer[rhs].dims.size()))
    dims.push_back(dim);
  rhs = writer.reduce(Opcode::Mean, writer.tame(rhs, 8, false), dims);
  bool isAdded = addBinary(opcode, lhs, rhs);
  assert(isAdded && "a single number fits everywhere");
  (void)isAdded;
  return writer.getNumValues() - 1;
}

//===----------------------------------------------------------------------===//
// Reductions and products
//===----------------------------------------------------------------------===//

bool OperationDrawer::addReduction(Opcode opcode) {
  auto operand = drawValue(/*isJoined=*/true);
  if (!operand)
    return false;
  Attributes attributes;
  for (int64_t dim : drawDims(*operand, /*mayBeNone=*/false))
    attributes.dims.push_back(dim);
  DimList dims = writer[*operand].dims;
  for (int64_t dim : attributes.dims)
    dims[dim] = kUnit;
  if (getOperatorInfo(opcode).averages() && draw.chance(15))
    attributes.count = draw.between(2, 60);
  auto range = writer.inferReduced(attributes, opcode, *operand, 0);
  if (!range) {
    *operand = writer.tame(*operand, 2, /*isPositive=*/false);
    range = writer.inferReduced(attributes, opcode, *operand, 0);
  }
  if (!range)
    return false;
  writer.fillInfinity(
      writer.add(opcode, {*operand}, std::move(attributes), dims, *range));
  return true;
}

bool OperationDrawer::addMatmul() {
  for (unsigned i = 0; i < 6; ++i) {
    auto lhs = drawValue(/*isJoined=*/true), rhs = drawValue(true);
    if (lhs && rhs && *lhs != *rhs && addMatmul(*lhs, *rhs))
      return true;
  }
  return false;
}

bool OperationDrawer::addMatmul(ValueId lhs, ValueId rhs) {
  DimList left = withoutUnits(writer[lhs].dims);
  DimList right = withoutUnits(writer[rhs].dims);
  DimList shared, rows, columns;
  for (DimId dim : left)
    (llvm::is_contained(right, dim) ? shared : rows).push_back(dim);
  for (DimId dim : right)
    if (!llvm::is_contained(left, dim))
      columns.push_back(dim);
  if (shared.empty())
    return false;
  draw.shuffle(shared);
  DimId inner = shared.pop_back_val();
  // One each is a row and a column; others number products, those of one
  // operand beside all of the other's.
  DimId row = rows.empty() ? kUnit : rows.pop_back_val();
  DimId column = columns.empty() ? kUnit : columns.pop_back_val();
  DimList batch = shared;
  batch.append(rows);
  batch.append(columns);
  DimList result = batch;
  result.append({row, column});
  int64_t size = dimensions[inner].tile;
  if (!writer.fits(result) ||
      TensorSpec{dimensions.getTileShape(result)}.getNumElements() * size >
          32768)
    return false;
  auto most = [&] {
    return writer[lhs].range.getMagnitude() * writer[rhs].range.getMagnitude() *
           size;
  };
  if (most() > kLargestMagnitude / 2) {
    lhs = writer.tame(lhs, 4, /*isPositive=*/false);
    rhs = writer.tame(rhs, 4, /*isPositive=*/false);
  }
  if (draw.chance(75)) {
    lhs = writer.cast(lhs, productElement);
    rhs = writer.cast(rhs, draw.chance(80) ? productElement
                                           : draw.oneOf(kElementTypes));
  }
  double range = most();
  if (range > kLargestMagnitude)
    return false;
  DimList own = batch;
  own.append({row, inner});
  lhs = writer.conform(lhs, own);
  own = batch;
  own.append({inner, column});
  rhs = writer.conform(rhs, own);
  writer.add(Opcode::Matmul, {lhs, rhs}, {}, result, {-range, range});
  return true;
}

//===----------------------------------------------------------------------===//
// Accumulations
//===----------------------------------------------------------------------===//

bool OperationDrawer::addAccumulation(const Feature &feature) {
  auto operand = drawValue(/*isJoined=*/true);
  if (!operand)
    return false;
  if (!feature.overGrid)
    return tryAccumulate(*operand, Axis::Loop, feature.reduction,
                         feature.isRescaled);
  if (graph.grid.empty())
    return false;
  return tryAccumulate(*operand, Axis(draw.below(graph.grid.size())),
                       feature.reduction, feature.isRescaled);
}

/// What parts are relative to, over dimensions of the result.
std::optional<ValueId>
OperationDrawer::makeRescaling(llvm::ArrayRef<DimId> result) {
  auto value = drawValue();
  if (!value || writer[*value].expDepth >= kMostExpDepth ||
      (stage == Stage::InLoop && graph.loop > 1 &&
       writer[*value].phase != Phase::Loop))
    return std::nullopt;
  ValueId rescaling = writer.tame(*value, 4, /*isPositive=*/false);
  llvm::SmallVector<int64_t> reduced;
  for (auto [position, dim] : llvm::enumerate(writer[rescaling].dims))
    if (dim != kUnit && (!llvm::is_contained(result, dim) || draw.chance(30)))
      reduced.push_back(position);
  if (!reduced.empty())
    rescaling = writer.reduce(Opcode::Max, rescaling, reduced);
  return writer.conform(rescaling, result);
}

bool OperationDrawer::tryAccumulate(ValueId value, Axis axis, Opcode reduction,
                                    bool isRescaled) {
  bool overLoop = axis == Axis::Loop;
  if (overLoop && graph.loop > 1 && writer[value].phase != Phase::Loop)
    return false;
  if (overLoop ? stage != Stage::InLoop : stage == Stage::InLoop)
    return false;
  isRescaled &= reduction == Opcode::Sum;
  Attributes attributes;
  attributes.axis = axis;
  attributes.reduction = reduction;
  for (int64_t dim : drawDims(value, /*mayBeNone=*/true))
    attributes.dims.push_back(dim);
  if (getOperatorInfo(reduction).averages() && draw.chance(15))
    attributes.count = draw.between(2, 200);
  int64_t parts = graph.getExtent(axis);
  auto range = writer.inferReduced(attributes, reduction, value, parts);
  if (!range) {
    value = writer.tame(value, 1, /*isPositive=*/false);
    range = writer.inferReduced(attributes, reduction, value, parts);
  }
  if (!range)
    return false;
  DimList dims = writer[value].dims;
  for (int64_t dim : attributes.dims)
    dims[dim] = kUnit;
  llvm::SmallVector<ValueId> operands = {value};
  if (isRescaled) {
    auto rescaling = makeRescaling(dims);
    if (!rescaling)
      return false;
    operands.push_back(*rescaling);
    if (std::max(writer[value].expDepth, writer[*rescaling].expDepth) >=
        kMostExpDepth)
      return false;
    // Factors are 1 at most.
    *range = range->join({0, 0});
  }
  // Tiles that the axis cut are added up element by element.
  for (DimId &dim : dims)
    if (dim != kUnit && dimensions[dim].isCutBy(axis))
      dim = dimensions.addUncut(dimensions[dim].tile);
  writer.fillInfinity(writer.add(Opcode::Accumulate, operands,
                                 std::move(attributes), dims, *range));
  return true;
}

bool OperationDrawer::tryAdd(const Feature &feature) {
  const OperatorInfo &info = getOperatorInfo(feature.opcode);
  switch (info.kind) {
  case OperatorKind::Elementwise:
    return info.numOperands == 0   ? addConstant()
           : info.numOperands == 1 ? addUnary(feature.opcode)
                                   : addBinary(feature.opcode);
  case OperatorKind::Reduction:
    return addReduction(feature.opcode);
  case OperatorKind::Contraction:
    return addMatmul();
  case OperatorKind::Movement:
    return addMovement(feature.opcode);
  case OperatorKind::Accumulate:
    return addAccumulation(feature);
  case OperatorKind::Copy:
  case OperatorKind::Composed:
  case OperatorKind::Graph:
    break;
  }
  llvm_unreachable("an operator of blocks that nothing draws");
}
