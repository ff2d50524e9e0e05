//===- ScaledTile.cpp - Tiles relative to a maximum -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScaledTile.h"
#include "Mirage/Graph/Phases.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <limits>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;

std::optional<ScaledTile>
ScaledTileBuilder::exponential(const ScaledTile &operand, ArrayRef<NameId> over,
                               NameSet varies, bool mayHideAll) {
  if (operand.scale || over.empty())
    return std::nullopt;
  NamedTile largest = operand.tile;
  for (NameId name : over)
    largest = builder.reduce(Opcode::Max, largest, name, {});
  if (mayHideAll) {
    Attributes finite;
    finite.scalars = {std::numeric_limits<float>::lowest(),
                      std::numeric_limits<float>::infinity()};
    largest = builder.elementwise(Opcode::Clamp, {largest}, finite);
  }
  NamedTile shifted =
      builder.elementwise(Opcode::Sub, {operand.tile, largest}, {});
  scales.push_back({largest, varies});
  return ScaledTile{builder.elementwise(Opcode::Exp, {shifted}, {}),
                    scales.size() - 1};
}

/// The factor of f(x·a, y·b), if it is one: a of two equal ones where f adds,
/// a·b where f multiplies and one of them is 1, a/b where f divides and they
/// are equal or b is 1.
static std::optional<std::optional<unsigned>>
combineScales(Opcode opcode, ArrayRef<std::optional<unsigned>> scales) {
  bool isScaled = llvm::any_of(scales, [](auto scale) { return bool(scale); });
  if (!isScaled)
    return std::optional<unsigned>();
  switch (opcode) {
  case Opcode::Scale:
  case Opcode::Unscale:
  case Opcode::Neg:
    return scales[0];
  case Opcode::Add:
  case Opcode::Sub:
    if (scales[0] == scales[1])
      return scales[0];
    return std::nullopt;
  case Opcode::Mul:
    if (scales[0] && scales[1])
      return std::nullopt;
    return scales[0] ? scales[0] : scales[1];
  case Opcode::Div:
    if (!scales[1])
      return scales[0];
    if (scales[0] == scales[1])
      return std::optional<unsigned>();
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

std::optional<ScaledTile>
ScaledTileBuilder::elementwise(Opcode opcode, ArrayRef<ScaledTile> operands,
                               Attributes attributes) {
  auto scales = llvm::map_to_vector(
      operands, [](const ScaledTile &operand) { return operand.scale; });
  auto combined = combineScales(opcode, scales);
  if (!combined)
    return std::nullopt;
  auto tiles = llvm::map_to_vector(
      operands, [](const ScaledTile &operand) { return operand.tile; });
  return ScaledTile{builder.elementwise(opcode, tiles, std::move(attributes)),
                    *combined};
}

/// What is hidden has no factor.
std::optional<ScaledTile>
ScaledTileBuilder::causalMask(const ScaledTile &operand,
                              const CausalNames &mask, Attributes attributes) {
  if (operand.scale)
    return std::nullopt;
  return ScaledTile{
      builder.causalMask(operand.tile, mask, std::move(attributes))};
}

std::optional<ScaledTile> ScaledTileBuilder::matmul(const ScaledTile &lhs,
                                                    const ScaledTile &rhs,
                                                    NameId over,
                                                    NameSet reduced) {
  auto combined = combineScales(Opcode::Mul, {lhs.scale, rhs.scale});
  if (!combined)
    return std::nullopt;
  return ScaledTile{builder.matmul(lhs.tile, rhs.tile, over, reduced),
                    *combined};
}

std::optional<ScaledTile> ScaledTileBuilder::reduce(Opcode opcode,
                                                    const ScaledTile &operand,
                                                    NameId name,
                                                    Attributes attributes) {
  if (operand.scale && opcode != Opcode::Sum && opcode != Opcode::Mean)
    return std::nullopt;
  if (operand.scale && contains(scales[*operand.scale].tile.getNames(), name))
    return opcode == Opcode::Sum ? sumParts(operand, name, attributes)
                                 : std::nullopt;
  return ScaledTile{
      builder.reduce(opcode, operand.tile, name, std::move(attributes)),
      operand.scale};
}

unsigned ScaledTileBuilder::addScale(const NamedTile &tile, NameSet varies) {
  for (auto [number, scale] : llvm::enumerate(scales))
    if (scale.tile.value == tile.value)
      return number;
  scales.push_back({tile, varies});
  return scales.size() - 1;
}

/// The largest of the factors that parts along `name` have.
unsigned ScaledTileBuilder::joinParts(unsigned scale, NameId name) {
  auto [entry, isNew] = joinedParts.try_emplace(
      std::make_pair(scale, unsigned(name)), scales.size());
  if (isNew)
    scales.push_back({builder.reduce(Opcode::Max, scales[scale].tile, name, {}),
                      scales[scale].varies});
  return entry->second;
}

/// Parts p · exp(t) with factors of their own: the sum of p · exp(t − max t).
std::optional<ScaledTile> ScaledTileBuilder::sumParts(const ScaledTile &operand,
                                                      NameId name,
                                                      Attributes attributes) {
  unsigned joined = joinParts(*operand.scale, name);
  NamedTile difference = builder.elementwise(
      Opcode::Sub, {scales[*operand.scale].tile, scales[joined].tile}, {});
  NamedTile factor = builder.elementwise(Opcode::Exp, {difference}, {});
  NamedTile relative =
      builder.elementwise(Opcode::Mul, {operand.tile, factor}, {});
  return ScaledTile{
      builder.reduce(Opcode::Sum, relative, name, std::move(attributes)),
      joined};
}

/// Whether parts that are joined have factors of their own.
bool ScaledTileBuilder::differs(const Scale &scale, NameId joined) const {
  if (joined != kNoName)
    return contains(scale.varies, joined);
  return computePhases(graph)[scale.tile.value] == Phase::Loop;
}

unsigned ScaledTileBuilder::join(unsigned scale, Axis axis, NameId joined) {
  auto key = std::make_pair(scale, static_cast<unsigned>(axis));
  auto [entry, isNew] = joins.try_emplace(key, scales.size());
  if (!isNew)
    return entry->second;
  Attributes attributes;
  attributes.reduction = Opcode::Max;
  attributes.axis = axis;
  NameSet varies = scales[scale].varies;
  if (joined != kNoName)
    varies &= ~toSet(joined);
  scales.push_back({builder.reduce(Opcode::Accumulate, scales[scale].tile,
                                   kNoName, attributes),
                    varies});
  return scales.size() - 1;
}

std::optional<ScaledTile>
ScaledTileBuilder::accumulate(const ScaledTile &operand, NameId name,
                              Attributes attributes, NameId joined) {
  if (!operand.scale || !differs(scales[*operand.scale], joined))
    return ScaledTile{builder.reduce(Opcode::Accumulate, operand.tile, name,
                                     std::move(attributes)),
                      operand.scale};
  if (attributes.reduction != Opcode::Sum)
    return std::nullopt;
  Axis axis = attributes.axis;
  NamedTile scale = scales[*operand.scale].tile;
  ScaledTile result{
      builder.accumulateRescaled(operand.tile, scale, name, attributes)};
  result.scale = join(*operand.scale, axis, joined);
  return result;
}

NamedTile ScaledTileBuilder::unscale(const ScaledTile &operand) {
  if (!operand.scale)
    return operand.tile;
  NamedTile factor =
      builder.elementwise(Opcode::Exp, {scales[*operand.scale].tile}, {});
  return builder.elementwise(Opcode::Mul, {operand.tile, factor}, {});
}
