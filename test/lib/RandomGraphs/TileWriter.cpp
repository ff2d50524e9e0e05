//===- TileWriter.cpp - Operations on tiles that fit ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileWriter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <cmath>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

DimList mlir::mirage::test::withoutUnits(llvm::ArrayRef<DimId> dims) {
  DimList kept;
  llvm::copy_if(dims, std::back_inserter(kept),
                [](DimId dim) { return dim != kUnit; });
  return kept;
}

ValueId TileWriter::addInput(const TileSource &source,
                             llvm::ArrayRef<DimId> dims) {
  TileInput map = dimensions.getMap(dims);
  graph.tileInputs.push_back(map);
  ValueId value =
      graph.addInput({dimensions.getTileShape(dims), source.element});
  values.push_back({DimList(dims), source.range,
                    map.loopMap == kReplicated ? Phase::Invariant : Phase::Loop,
                    getVaryingAxes(graph, value), /*numUses=*/0,
                    source.hasRoots, source.expDepth});
  // Beyond the extent there are zeros.
  if (llvm::any_of(dims, [&](DimId dim) { return dimensions.isPartial(dim); }))
    values.back().range = source.range.join({0, 0});
  return value;
}

bool mlir::mirage::test::takesRoots(Opcode opcode,
                                    const Attributes &attributes) {
  const OperatorInfo &row = getOperatorInfo(
      opcode == Opcode::Accumulate ? attributes.reduction : opcode);
  auto hasRoot = [](const ScalarDefinition &definition) {
    return llvm::any_of(definition.nodes(), [](const ScalarNode &node) {
      return node.function == ScalarFunction::Sqrt;
    });
  };
  return hasRoot(row.definition) || hasRoot(row.finish);
}

unsigned mlir::mirage::test::getExpDepth(Opcode opcode, size_t numOperands) {
  // What parts are rescaled by stands in an exponent.
  if (opcode == Opcode::Accumulate)
    return numOperands > 1;
  return llvm::any_of(getOperatorInfo(opcode).definition.nodes(),
                      [](const ScalarNode &node) {
                        return node.function == ScalarFunction::Exp;
                      });
}

ValueId TileWriter::add(Opcode opcode, llvm::ArrayRef<ValueId> operands,
                        Attributes attributes, DimList dims,
                        const ValueRange &range, ElementType element) {
  // In IR numbers are f32: it should say the same.
  for (double &scalar : attributes.scalars)
    scalar = static_cast<float>(scalar);
  llvm::SmallVector<TensorSpec> types = graph.getTypes(operands);
  if (opcode != Opcode::Cast && !operands.empty())
    element = inferTileElement(opcode, types);
  TileValue value{std::move(dims), range};
  value.hasRoots = takesRoots(opcode, attributes);
  llvm::SmallVector<Phase> phases;
  llvm::SmallVector<AxisSet> varying;
  for (ValueId operand : operands) {
    phases.push_back(values[operand].phase);
    varying.push_back(values[operand].varying);
    value.hasRoots |= values[operand].hasRoots;
    value.expDepth = std::max(value.expDepth, values[operand].expDepth);
    ++values[operand].numUses;
  }
  value.expDepth += getExpDepth(opcode, operands.size());
  value.phase = inferPhase(opcode, attributes, phases);
  value.varying = inferVaryingAxes(graph, opcode, attributes, varying);
  ValueId added = graph.add(opcode, operands,
                            {dimensions.getTileShape(value.dims), element},
                            std::move(attributes));
  values.push_back(std::move(value));
  return added;
}

ValueId TileWriter::reshape(ValueId value, DimList dims) {
  if (dimensions.getTileShape(dims) == getShape(value))
    return value;
  return add(Opcode::Reshape, {value}, {}, std::move(dims),
             values[value].range);
}

ValueId TileWriter::transpose(ValueId value,
                              llvm::ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return value;
  Attributes attributes;
  DimList dims;
  for (int64_t from : permutation) {
    attributes.dims.push_back(from);
    dims.push_back(values[value].dims[from]);
  }
  return add(Opcode::Transpose, {value}, std::move(attributes), dims,
             values[value].range);
}

ValueId TileWriter::cast(ValueId value, ElementType element) {
  if (getType(value).element == element)
    return value;
  // Rounded, in 8 bits by a fourteenth.
  ValueRange range = values[value].range;
  range.low -= std::fabs(range.low) / 8;
  range.high += std::fabs(range.high) / 8;
  return add(Opcode::Cast, {value}, {}, values[value].dims, range, element);
}

ValueId TileWriter::conform(ValueId value, llvm::ArrayRef<DimId> dims) {
  DimList own = values[value].dims;
  if (llvm::ArrayRef(own) == dims)
    return value;
  llvm::SmallVector<int64_t, 4> permutation;
  for (auto [position, dim] : llvm::enumerate(own))
    if (dim == kUnit)
      permutation.push_back(position);
  DimList padded;
  for (DimId dim : dims) {
    const DimId *found = llvm::find(own, dim);
    bool isOwn = dim != kUnit && found != own.end();
    padded.push_back(isOwn ? dim : kUnit);
    if (isOwn)
      permutation.push_back(found - own.begin());
  }
  // Where nothing but dimensions of size 1 would change places, nothing does.
  if (withoutUnits(own) != withoutUnits(padded))
    value = transpose(value, permutation);
  return reshape(value, padded);
}

std::optional<ValueId> TileWriter::tryUnary(Opcode opcode, ValueId value,
                                            llvm::ArrayRef<double> scalars) {
  auto range = inferElementwise(opcode, {values[value].range}, scalars);
  if (values[value].expDepth + getExpDepth(opcode, 1) > kMostExpDepth)
    return std::nullopt;
  if (!range)
    return std::nullopt;
  Attributes attributes;
  attributes.scalars.assign(scalars.begin(), scalars.end());
  return add(opcode, {value}, std::move(attributes), values[value].dims,
             *range);
}

ValueId TileWriter::tame(ValueId value, double most, bool isPositive) {
  if (values[value].range.hasMinusInfinity)
    value = fillInfinity(value);
  const ValueRange range = values[value].range;
  bool isTame = isPositive ? range.low >= 0.25 && range.high <= most
                           : range.getMagnitude() <= most;
  if (isTame)
    return value;
  if (mayClamp && draw.chance(20))
    return *tryUnary(Opcode::Clamp, value,
                     {isPositive ? 0.27 : -0.97 * most, 0.97 * most});
  double excess = range.getMagnitude() / most;
  bool mayNest = values[value].expDepth < kMostExpDepth;
  if (!isPositive && (!mayNest || excess <= 8 || draw.chance(50)))
    return scaleBy(value, 1 / excess);
  // Worst cases are seldom: what is typical should not vanish.
  constexpr double kFlat = 35;
  if (mayNest && range.getMagnitude() > kFlat)
    value = scaleBy(value, kFlat / range.getMagnitude());
  if (!isPositive)
    return *tryUnary(Opcode::Tanh, value);
  if (mayNest && draw.chance(50)) {
    value = *tryUnary(Opcode::Sigmoid, value);
  } else {
    value = scaleBy(value, std::sqrt(most) / 2 / range.getMagnitude());
    value = *tryUnary(Opcode::Square, value);
  }
  return *tryUnary(Opcode::Offset, value, {0.27});
}

ValueId TileWriter::scaleBy(ValueId value, double factor) {
  // Not one that some tile's size has, which the judge would take for it.
  return *tryUnary(Opcode::Scale, value,
                   {0.97 * std::exp2(std::floor(std::log2(factor)))});
}

ValueId TileWriter::fillInfinity(ValueId value) {
  if (!values[value].range.hasMinusInfinity)
    return value;
  if (values[value].expDepth < kMostExpDepth) {
    constexpr double kLargest = 4;
    if (values[value].range.high > kLargest)
      value = scaleBy(value, kLargest / values[value].range.high);
    return *tryUnary(draw.chance(80) ? Opcode::Exp : Opcode::Exp2, value);
  }
  Attributes attributes;
  attributes.scalars = {-0.53 * draw.below(4)};
  ValueRange least{attributes.scalars[0], attributes.scalars[0]};
  ValueId constant =
      add(Opcode::Constant, {}, attributes, values[value].dims, least);
  ValueRange range =
      *inferElementwise(Opcode::Maximum, {values[value].range, least}, {});
  return add(Opcode::Maximum, {value, constant}, {}, values[value].dims, range);
}

bool TileWriter::fits(llvm::ArrayRef<DimId> dims) const {
  return dims.size() <= 4 && withoutUnits(dims).size() <= kMostTileDims &&
         TensorSpec{dimensions.getTileShape(dims)}.getNumElements() <=
             kMostTileElements;
}

bool TileWriter::broadcast(ValueId &lhs, ValueId &rhs, DimList &dims) {
  dims = values[lhs].dims;
  if (draw.chance(50))
    dims = withoutUnits(dims);
  for (DimId dim : withoutUnits(values[rhs].dims))
    if (!llvm::is_contained(dims, dim))
      dims.insert(dims.begin() + draw.below(dims.size() + 1), dim);
  if (dims.empty())
    dims = {kUnit};
  if (!fits(dims))
    return false;
  lhs = conform(lhs, dims);
  rhs = conform(rhs, dims);
  // Missing leading dimensions stretch as well.
  DimList own = values[rhs].dims;
  while (own.size() > 1 && own[0] == kUnit && draw.chance(50))
    own.erase(own.begin());
  rhs = reshape(rhs, own);
  return true;
}

std::optional<ValueRange> TileWriter::inferReduced(const Attributes &attributes,
                                                   Opcode reduction,
                                                   ValueId value,
                                                   int64_t numParts) const {
  const TileValue &operand = values[value];
  const OperatorInfo &info = getOperatorInfo(reduction);
  ValueRange range = operand.range;
  double count = numParts;
  Shape shape = getShape(value);
  bool isAccumulated = numParts > 0;
  for (auto [position, dim] : llvm::enumerate(operand.dims)) {
    bool isReduced = llvm::is_contained(attributes.dims, position);
    if (isReduced)
      count = std::max(count, 1.0) * shape[position];
    bool isJoined = isAccumulated && dim != kUnit &&
                    dimensions[dim].isCutBy(attributes.axis);
    if (!dimensions.isPartial(dim) || !(isReduced || isJoined))
      continue;
    // Elements beyond the extent are the neutral one; there may be no others.
    const Dimension &dimension = dimensions[dim];
    bool hasSome = isReduced && (isJoined ? dimension.axes.size() == 1
                                          : !dimension.hasEmptyTiles());
    if (info.combiner == Combiner::Add)
      range = range.join({0, 0});
    else if (hasSome)
      continue;
    else if (info.combiner == Combiner::Moments)
      return std::nullopt;
    else
      range.hasMinusInfinity = true;
  }
  count = std::max(count, 1.0);
  double divisor = attributes.count ? attributes.count : count;
  return inferReduction(reduction, range, count, divisor);
}

ValueId TileWriter::reduce(Opcode reduction, ValueId value,
                           llvm::ArrayRef<int64_t> dims) {
  Attributes attributes;
  attributes.dims.assign(dims.begin(), dims.end());
  DimList kept = values[value].dims;
  for (int64_t dim : dims)
    kept[dim] = kUnit;
  auto range = inferReduced(attributes, reduction, value, 0);
  if (!range) {
    value = tame(value, 1, false);
    range = inferReduced(attributes, reduction, value, 0);
  }
  assert(range && "a tile's elements are not too many to add up");
  return fillInfinity(
      add(reduction, {value}, std::move(attributes), kept, *range));
}
