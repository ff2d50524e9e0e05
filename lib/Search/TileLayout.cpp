//===- TileLayout.cpp - Tiles whose dimensions have names -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLayout.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;

unsigned NamedTile::getPosition(NameId name) const {
  auto it = llvm::find(layout, name);
  assert(it != layout.end() && "the tile has no such dimension");
  return it - layout.begin();
}

/// Broadcasting ignores leading dimensions of size 1.
static ArrayRef<NameId> dropLeadingOnes(ArrayRef<NameId> layout) {
  return layout.drop_while([](NameId name) { return name == kNoName; });
}

static DimensionList dropOnes(ArrayRef<NameId> layout) {
  DimensionList named(layout.begin(), layout.end());
  llvm::erase(named, kNoName);
  return named;
}

bool mlir::mirage::search::isLaidOut(ArrayRef<NameId> layout,
                                     ArrayRef<NameId> wanted,
                                     unsigned minRank) {
  return layout.size() >= minRank &&
         dropLeadingOnes(layout) == dropLeadingOnes(wanted);
}

/// In all tiles together.
double NamedTileBuilder::countMovedBytes(const NamedTile &operand,
                                         ArrayRef<NameId> layout) const {
  if (isLaidOut(operand.layout, layout, 2))
    return 0;
  // A transpose moves data; a reshape only renames it.
  if (dropOnes(operand.layout) == dropOnes(layout))
    return 1;
  double bytes = getSizeBytes(graph.getType(operand.value).element);
  for (NameId name : dropOnes(operand.layout))
    bytes *= double(extents[name]);
  return 1 + bytes;
}

NamedTile NamedTileBuilder::add(Opcode opcode, ArrayRef<NamedTile> operands,
                                Attributes attributes, DimensionList layout) {
  llvm::SmallVector<ValueId, 2> values;
  for (const NamedTile &operand : operands)
    values.push_back(operand.value);
  TensorSpec type;
  type.shape = DimensionNames::getShape(layout, tile);
  type.element = inferTileElement(opcode, graph.getTypes(values));
  for (const Node &node : graph.getNodes())
    if (node.opcode == opcode && node.operands == values &&
        node.attributes == attributes && graph.getType(node.results[0]) == type)
      return {node.results[0], std::move(layout)}; // nothing is done twice
  return {graph.add(opcode, values, type, std::move(attributes)),
          std::move(layout)};
}

NamedTile NamedTileBuilder::reshape(const NamedTile &operand,
                                    ArrayRef<NameId> layout) {
  return add(Opcode::Reshape, {operand}, {},
             DimensionList(layout.begin(), layout.end()));
}

/// Puts the named dimensions into the given order, those of size 1 in front.
NamedTile NamedTileBuilder::transpose(const NamedTile &operand,
                                      ArrayRef<NameId> order) {
  Attributes attributes;
  DimensionList layout;
  for (auto [dim, name] : llvm::enumerate(operand.layout))
    if (name == kNoName) {
      attributes.dims.push_back(dim);
      layout.push_back(kNoName);
    }
  for (NameId name : order) {
    attributes.dims.push_back(operand.getPosition(name));
    layout.push_back(name);
  }
  return add(Opcode::Transpose, {operand}, attributes, layout);
}

/// Moves the tile into `layout`, which has its names and dimensions of size 1;
/// leading ones of these may differ, but for a rank of `minRank`.
NamedTile NamedTileBuilder::bring(const NamedTile &operand,
                                  ArrayRef<NameId> layout, unsigned minRank) {
  if (isLaidOut(operand.layout, layout, minRank))
    return operand;
  DimensionList order = dropOnes(layout);
  NamedTile moved =
      dropOnes(operand.layout) == order ? operand : transpose(operand, order);
  return isLaidOut(moved.layout, layout, minRank) ? moved
                                                  : reshape(moved, layout);
}

/// `layout` without the names that `names` lacks.
static DimensionList restrict(ArrayRef<NameId> layout, NameSet names) {
  DimensionList result(layout.begin(), layout.end());
  for (NameId &name : result)
    if (name != kNoName && !contains(names, name))
      name = kNoName;
  return result;
}

NamedTile NamedTileBuilder::align(const NamedTile &operand,
                                  ArrayRef<NameId> layout) {
  DimensionList present = restrict(layout, operand.getNames());
  NamedTile brought = bring(operand, present, 0);
  return ArrayRef<NameId>(brought.layout) == ArrayRef<NameId>(present)
             ? brought
             : reshape(brought, present);
}

NamedTile NamedTileBuilder::arrange(NamedTile operand,
                                    ArrayRef<NameId> layout) {
  operand = align(operand, layout);
  if (ArrayRef<NameId>(operand.layout) == layout)
    return operand;
  return add(Opcode::Broadcast, {operand}, {},
             DimensionList(layout.begin(), layout.end()));
}

//===----------------------------------------------------------------------===//
// Elementwise operators and reductions
//===----------------------------------------------------------------------===//

/// A layout for the names of both: that of the larger one, then what it lacks.
static DimensionList joinLayouts(const NamedTile &lhs, const NamedTile &rhs) {
  bool lhsIsLarger =
      llvm::popcount(lhs.getNames()) >= llvm::popcount(rhs.getNames());
  const NamedTile &larger = lhsIsLarger ? lhs : rhs;
  const NamedTile &smaller = lhsIsLarger ? rhs : lhs;
  DimensionList layout;
  for (NameId name : larger.layout)
    if (name != kNoName || (smaller.getNames() & ~larger.getNames()) == 0)
      layout.push_back(name);
  for (NameId name : smaller.layout)
    if (name != kNoName && !contains(larger.getNames(), name))
      layout.push_back(name);
  return layout;
}

NamedTile NamedTileBuilder::elementwise(Opcode opcode,
                                        ArrayRef<NamedTile> operands,
                                        Attributes attributes) {
  if (operands.size() == 1)
    return add(opcode, operands, std::move(attributes), operands[0].layout);
  DimensionList layout = joinLayouts(operands[0], operands[1]);
  llvm::SmallVector<NamedTile, 2> brought;
  size_t rank = 0;
  for (const NamedTile &operand : operands) {
    brought.push_back(bring(operand, restrict(layout, operand.getNames()), 0));
    rank = std::max(rank, brought.back().layout.size());
  }
  DimensionList result(dropLeadingOnes(layout));
  result.insert(result.begin(), rank - result.size(), kNoName);
  return add(opcode, brought, std::move(attributes), result);
}

/// Names the dimension that is reduced, if any. \returns what is left.
static DimensionList reduceDimension(const NamedTile &operand, NameId name,
                                     Attributes &attributes) {
  DimensionList layout = operand.layout;
  if (name != kNoName) {
    unsigned position = operand.getPosition(name);
    attributes.dims = {position};
    layout[position] = kNoName;
  }
  return layout;
}

NamedTile NamedTileBuilder::reduce(Opcode opcode, const NamedTile &operand,
                                   NameId name, Attributes attributes) {
  DimensionList layout = reduceDimension(operand, name, attributes);
  Opcode reduction =
      opcode == Opcode::Accumulate ? attributes.reduction : opcode;
  NamedTile reduced = operand;
  // Masks may have to fill it with what changes nothing.
  if (std::isinf(getNeutral(getOperatorInfo(reduction).combiner)))
    reduced.value = storeInfinities(operand.value);
  return add(opcode, {reduced}, std::move(attributes), layout);
}

/// What has 8 bits saturates where it is stored.
ValueId NamedTileBuilder::storeInfinities(ValueId value) {
  TensorSpec type = graph.getType(value);
  if (getSizeBytes(type.element) > 1)
    return value;
  type.element = ElementType::F32;
  return graph.add(Opcode::Cast, {value}, type);
}

NamedTile NamedTileBuilder::accumulateRescaled(const NamedTile &operand,
                                               const NamedTile &scale,
                                               NameId name,
                                               Attributes attributes) {
  DimensionList layout = reduceDimension(operand, name, attributes);
  return add(Opcode::Accumulate, {operand, align(scale, layout)},
             std::move(attributes), layout);
}

/// Rows and columns go last.
NamedTile NamedTileBuilder::causalMask(const NamedTile &operand,
                                       const CausalNames &mask,
                                       Attributes attributes) {
  DimensionList layout;
  for (NameId name : operand.layout)
    if (name != kNoName && name != mask.rows && name != mask.columns)
      layout.push_back(name);
  layout.append({mask.rows, mask.columns});
  NamedTile brought = bring(operand, layout, 2);
  brought.value = storeInfinities(brought.value);
  return add(Opcode::CausalMask, {brought}, std::move(attributes),
             brought.layout);
}

//===----------------------------------------------------------------------===//
// Matmul
//===----------------------------------------------------------------------===//

/// [batch..., rows, k] and [batch..., k, columns]. Names of one operand only
/// are rows or columns; of several, all but the last are batch dimensions of
/// size 1 in the other operand.
MatmulLayouts mlir::mirage::search::layOutMatmul(ArrayRef<NameId> lhs,
                                                 ArrayRef<NameId> rhs,
                                                 NameId over) {
  NameSet shared = toSet(lhs) & toSet(rhs);
  DimensionList batch, rows, columns;
  for (NameId name : lhs)
    if (name != kNoName && name != over)
      (contains(shared, name) ? batch : rows).push_back(name);
  for (NameId name : rhs)
    if (name != kNoName && name != over && !contains(shared, name))
      columns.push_back(name);
  auto takeLast = [](DimensionList &list) {
    return list.empty() ? kNoName : list.pop_back_val();
  };
  NameId row = takeLast(rows), column = takeLast(columns);
  MatmulLayouts plan;
  for (NameId name : batch) {
    plan.lhs.push_back(name);
    plan.rhs.push_back(name);
  }
  for (NameId name : rows) {
    plan.lhs.push_back(name);
    plan.rhs.push_back(kNoName);
  }
  for (NameId name : columns) {
    plan.lhs.push_back(kNoName);
    plan.rhs.push_back(name);
  }
  plan.lhs.append({row, over});
  plan.rhs.append({over, column});
  return plan;
}

const Node *NamedTileBuilder::findComputation(const NamedTile &operand) const {
  const Node *definition = graph.getDefinition(operand.value);
  while (definition &&
         getOperatorInfo(definition->opcode).kind == OperatorKind::Movement)
    definition = graph.getDefinition(definition->operands[0]);
  return definition;
}

NamedTile NamedTileBuilder::cast(const NamedTile &operand,
                                 ElementType element) {
  TensorSpec type = graph.getType(operand.value);
  if (type.element == element)
    return operand;
  type.element = element;
  for (const Node &node : graph.getNodes())
    if (node.opcode == Opcode::Cast && node.operands[0] == operand.value &&
        graph.getType(node.results[0]) == type)
      return {node.results[0], operand.layout}; // nothing is done twice
  return {graph.add(Opcode::Cast, {operand.value}, type), operand.layout};
}

/// Whether an operand lies as a product wants it, or with rows and columns
/// exchanged, which it can load as well.
static bool canBeLoaded(const NamedTile &operand, ArrayRef<NameId> wanted) {
  DimensionList exchanged(wanted.begin(), wanted.end());
  std::swap(exchanged.end()[-1], exchanged.end()[-2]);
  return isLaidOut(operand.layout, wanted, 2) ||
         isLaidOut(operand.layout, exchanged, 2);
}

/// Whether operands should change places. Rows that are reduced are to lie
/// along the columns of the result, so that warps can keep them; else what
/// moves fewer bytes is better.
bool NamedTileBuilder::isBetterSwapped(const NamedTile &lhs,
                                       const NamedTile &rhs, NameId over,
                                       NameSet reduced) const {
  MatmulLayouts plan = layOutMatmul(lhs.layout, rhs.layout, over);
  MatmulLayouts swapped = layOutMatmul(rhs.layout, lhs.layout, over);
  auto reducesRows = [&](const MatmulLayouts &layouts) {
    NameId columns = layouts.rhs.back();
    return columns != kNoName && contains(reduced, columns);
  };
  bool reducesPlan = reducesRows(plan), reducesSwapped = reducesRows(swapped);
  if (reducesPlan && !reducesSwapped && canBeLoaded(lhs, plan.lhs) &&
      canBeLoaded(rhs, plan.rhs))
    return false;
  if (reducesSwapped && !reducesPlan && canBeLoaded(rhs, swapped.lhs) &&
      canBeLoaded(lhs, swapped.rhs))
    return true;
  return countMovedBytes(rhs, swapped.lhs) + countMovedBytes(lhs, swapped.rhs) <
         countMovedBytes(lhs, plan.lhs) + countMovedBytes(rhs, plan.rhs);
}

NamedTile NamedTileBuilder::matmul(const NamedTile &lhs, const NamedTile &rhs,
                                   NameId over, NameSet reduced) {
  NamedTile first = lhs, second = rhs;
  if (isBetterSwapped(first, second, over, reduced))
    std::swap(first, second);
  return multiply(first, second, over);
}

NamedTile NamedTileBuilder::multiply(const NamedTile &lhs, const NamedTile &rhs,
                                     NameId over) {
  MatmulLayouts plan = layOutMatmul(lhs.layout, rhs.layout, over);
  NamedTile left = bring(lhs, plan.lhs, 2), right = bring(rhs, plan.rhs, 2);
  DimensionList layout;
  for (auto [l, r] : llvm::zip(ArrayRef<NameId>(plan.lhs).drop_back(2),
                               ArrayRef<NameId>(plan.rhs).drop_back(2)))
    layout.push_back(l != kNoName ? l : r);
  size_t rank = std::max(left.layout.size(), right.layout.size());
  DimensionList result(dropLeadingOnes(layout));
  assert(rank >= result.size() + 2 && "batch dimensions were lost");
  result.insert(result.begin(), rank - 2 - result.size(), kNoName);
  result.append({plan.lhs[plan.lhs.size() - 2], plan.rhs.back()});
  return add(Opcode::Matmul, {left, right}, {}, result);
}
