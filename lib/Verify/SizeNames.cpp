//===- SizeNames.cpp - Sizes that depend on each other --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeNames.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;

int SizeNames::resolve(int name) const {
  while (name != kNone && parents[name] != name)
    name = parents[name];
  return name;
}

int SizeNames::getName(unsigned graph, ValueId value, unsigned dim) const {
  NameId name = entries[graph].names.ofValues[value][dim];
  return name == kNoName ? kNone : resolve(entries[graph].firstName + name);
}

std::set<int> SizeNames::findReduced() const {
  std::set<int> reduced;
  auto collect = [&](unsigned graph, llvm::ArrayRef<ValueId> values) {
    std::set<int> names;
    for (ValueId value : values)
      for (unsigned dim = 0, e = getGraph(graph).getType(value).shape.size();
           dim < e; ++dim)
        names.insert(getName(graph, value, dim));
    names.erase(kNone);
    return names;
  };
  for (unsigned graph = 0; graph < entries.size(); ++graph)
    for (const Node &node : getGraph(graph).getNodes()) {
      if (node.body) // its own operations say
        continue;
      // Where elements are along what is masked decides what they are.
      llvm::SmallVector<int64_t> masked;
      if (node.opcode == Opcode::Mask)
        masked.assign(node.attributes.dims.begin(), node.attributes.dims.end());
      if (node.opcode == Opcode::CausalMask) {
        int64_t rank = getGraph(graph).getType(node.operands[0]).shape.size();
        masked = {rank - 2, rank - 1};
      }
      for (int64_t dim : masked)
        reduced.insert(getName(graph, node.operands[0], dim));
      std::set<int> kept = collect(graph, node.results);
      for (int name : collect(graph, node.operands))
        if (!kept.count(name))
          reduced.insert(name);
    }
  reduced.erase(kNone);
  return reduced;
}

int SizeNames::getAxis(unsigned graph, Axis axis) const {
  auto entry = entries[graph].axes.find(axis);
  return entry == entries[graph].axes.end() ? kNone : entry->second;
}

bool SizeNames::unify(int a, int b) {
  a = resolve(a), b = resolve(b);
  if (a == kNone || b == kNone || a == b || sizes[a] != sizes[b])
    return false;
  parents[std::max(a, b)] = std::min(a, b);
  return true;
}

void SizeNames::addCut(int whole, int part, std::vector<int> axes) {
  if (axes.empty() && whole != kNone && part != kNone &&
      sizes[whole] == sizes[part])
    unify(whole, part);
  else if (whole != kNone || part != kNone)
    cuts.push_back({whole, part, std::move(axes)});
}

int64_t SizeNames::countCovered(const Cut &cut) const {
  int64_t covered = cut.part == kNone ? 1 : sizes[cut.part];
  for (int axis : cut.axes)
    covered *= getExtent(axis);
  return covered;
}

bool SizeNames::isExact(const Cut &cut) const {
  return cut.whole != kNone && countCovered(cut) == sizes[cut.whole];
}

void SizeNames::unifyWholes() {
  // A whole may be a part itself, of a tile graph around.
  bool changed = true;
  while (changed) {
    changed = false;
    std::map<std::pair<int, std::vector<int>>, int> wholes;
    for (const Cut &cut : cuts)
      if (cut.whole != kNone && (cut.part != kNone || isExact(cut))) {
        auto key = std::make_pair(resolve(cut.part), cut.axes);
        auto [entry, isNew] = wholes.try_emplace(key, cut.whole);
        changed |= !isNew && unify(entry->second, cut.whole);
      }
  }
}

llvm::Expected<unsigned> SizeNames::addGraph(const Graph &graph) {
  llvm::Expected<DimensionNames> names = nameDimensions(graph);
  if (!names)
    return names.takeError();
  unsigned number = entries.size();
  int firstName = sizes.size();
  for (int64_t extent : names->extents) {
    parents.push_back(sizes.size());
    sizes.push_back(extent);
  }
  entries.push_back({&graph, std::move(*names), firstName, {}, {}});
  for (auto [index, node] : llvm::enumerate(graph.getNodes()))
    if (node.body)
      if (llvm::Error error = addNested(number, index, node))
        return std::move(error);
  for (const Node &node : graph.getNodes())
    if (node.opcode == Opcode::Slice || node.opcode == Opcode::Concat)
      addFixed(number, node);
  return number;
}

void SizeNames::addFixed(unsigned graph, const Node &node) {
  ValueId result = node.results[0];
  const Shape &shape = getGraph(graph).getType(result).shape;
  for (ValueId operand : node.operands)
    for (unsigned dim = 0; dim < shape.size(); ++dim)
      if (getGraph(graph).getType(operand).shape[dim] != shape[dim])
        for (ValueId value : {operand, result})
          if (int name = getName(graph, value, dim); name != kNone)
            fixed.push_back(name);
}

llvm::Error SizeNames::addNested(unsigned graph, unsigned operation,
                                 const Node &node) {
  const TileGraph &tiles = *node.body;
  llvm::Expected<unsigned> inner = addGraph(tiles);
  if (!inner)
    return inner.takeError();
  entries[graph].nested[operation] = *inner;
  for (Axis axis : {Axis::X, Axis::Y, Axis::Z, Axis::Loop})
    if (tiles.getExtent(axis) > 1) {
      entries[*inner].axes[axis] = axes.size();
      axes.push_back({tiles.getExtent(axis), tiles.level});
    }
  auto toNumbers = [&](llvm::ArrayRef<Axis> axes) {
    std::vector<int> numbers;
    for (Axis axis : axes)
      if (int number = getAxis(*inner, axis); number != kNone)
        numbers.push_back(number);
    return numbers;
  };
  for (auto [input, operand] : llvm::enumerate(node.operands))
    for (unsigned dim = 0; dim < tiles.getType(input).getRank(); ++dim)
      addCut(getName(graph, operand, dim), getName(*inner, input, dim),
             toNumbers(tiles.getCuttingAxes(input, dim)));
  for (auto [output, result] : llvm::enumerate(node.results)) {
    ValueId tile = tiles.getOutputs()[output];
    for (unsigned dim = 0; dim < tiles.getType(tile).getRank(); ++dim) {
      llvm::SmallVector<Axis> axes;
      for (auto [axis, cut] :
           llvm::enumerate(tiles.tileOutputs[output].gridMap))
        if (cut == static_cast<int>(dim))
          axes.push_back(static_cast<Axis>(axis));
      addCut(getName(graph, result, dim), getName(*inner, tile, dim),
             toNumbers(axes));
    }
  }
  return llvm::Error::success();
}

void SizeNames::unifyInterfaces(unsigned lhs, unsigned rhs) {
  const Graph &left = getGraph(lhs), &right = getGraph(rhs);
  auto unifyValues = [&](ValueId a, ValueId b) {
    for (unsigned dim = 0; dim < left.getType(a).getRank(); ++dim)
      unify(getName(lhs, a, dim), getName(rhs, b, dim));
  };
  for (ValueId input = 0; input < left.getNumInputs(); ++input)
    unifyValues(input, input);
  for (auto [a, b] : llvm::zip(left.getOutputs(), right.getOutputs()))
    unifyValues(a, b);
  unifyWholes();
}
