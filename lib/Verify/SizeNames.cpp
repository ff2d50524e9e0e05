//===- SizeNames.cpp - Which dimensions are the same ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir::mirage;

int SizeNames::resolve(int name) const {
  while (name != kNone && parents[name] != name)
    name = parents[name];
  return name;
}

int SizeNames::getName(unsigned graph, ValueId value, unsigned dim) const {
  return resolve(entries[graph].names[value][dim]);
}

int SizeNames::getAxis(unsigned graph, Axis axis) const {
  auto entry = entries[graph].axes.find(axis);
  return entry == entries[graph].axes.end() ? kNone : entry->second;
}

void SizeNames::unify(int a, int b) {
  a = resolve(a), b = resolve(b);
  if (a == kNone || b == kNone || a == b || sizes[a] != sizes[b])
    return;
  parents[std::max(a, b)] = std::min(a, b);
}

void SizeNames::unifyTrailing(unsigned graph, ValueId a, ValueId b,
                              unsigned skipped) {
  const auto &x = entries[graph].names[a], &y = entries[graph].names[b];
  for (size_t back = 1 + skipped; back <= std::min(x.size(), y.size()); ++back)
    unify(x[x.size() - back], y[y.size() - back]);
}

void SizeNames::addCut(int whole, int part, std::vector<int> axes) {
  if (axes.empty() && whole != kNone && part != kNone &&
      sizes[whole] == sizes[part])
    return unify(whole, part);
  if (whole != kNone || part != kNone)
    cuts.push_back({whole, part, std::move(axes)});
}

llvm::Expected<unsigned> SizeNames::addGraph(const Graph &graph) {
  unsigned number = entries.size();
  entries.push_back({&graph, {}, {}, {}});
  for (ValueId value = 0; value < graph.getNumValues(); ++value) {
    std::vector<int> names;
    for (int64_t size : graph.getType(value).shape) {
      names.push_back(size == 1 ? kNone : static_cast<int>(sizes.size()));
      if (size == 1)
        continue;
      parents.push_back(sizes.size());
      sizes.push_back(size);
    }
    entries[number].names.push_back(std::move(names));
  }
  for (unsigned i = 0; i < graph.getNodes().size(); ++i)
    if (llvm::Error error = addOperation(number, i))
      return std::move(error);
  return number;
}

void SizeNames::addMatmul(unsigned graph, const Node &operation) {
  auto &names = entries[graph].names;
  const auto &lhs = names[operation.operands[0]];
  const auto &rhs = names[operation.operands[1]];
  const auto &result = names[operation.results[0]];
  unify(lhs.back(), rhs[rhs.size() - 2]);
  unify(lhs[lhs.size() - 2], result[result.size() - 2]);
  unify(rhs.back(), result.back());
  for (ValueId operand : operation.operands)
    unifyTrailing(graph, operand, operation.results[0], /*skipped=*/2);
}

llvm::Error SizeNames::addReshape(unsigned graph, ValueId from, ValueId to) {
  auto named = [&](ValueId value) {
    std::vector<int> names = entries[graph].names[value];
    llvm::erase(names, kNone);
    return names;
  };
  std::vector<int> a = named(from), b = named(to);
  bool isSame = a.size() == b.size();
  for (size_t i = 0; isSame && i < a.size(); ++i)
    isSame = sizes[a[i]] == sizes[b[i]];
  if (!isSame)
    return llvm::createStringError(
        "a reshape that splits or joins dimensions fixes their sizes");
  for (size_t i = 0; i < a.size(); ++i)
    unify(a[i], b[i]);
  return llvm::Error::success();
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
      entries[*inner].axes[axis] = extents.size();
      extents.push_back(tiles.getExtent(axis));
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
      addCut(entries[graph].names[operand][dim],
             entries[*inner].names[input][dim],
             toNumbers(tiles.getCuttingAxes(input, dim)));
  for (auto [output, result] : llvm::enumerate(node.results)) {
    ValueId tile = tiles.getOutputs()[output];
    for (unsigned dim = 0; dim < tiles.getType(tile).getRank(); ++dim) {
      llvm::SmallVector<Axis> axes;
      for (auto [axis, cut] :
           llvm::enumerate(tiles.tileOutputs[output].gridMap))
        if (cut == static_cast<int>(dim))
          axes.push_back(static_cast<Axis>(axis));
      addCut(entries[graph].names[result][dim],
             entries[*inner].names[tile][dim], toNumbers(axes));
    }
  }
  return llvm::Error::success();
}

llvm::Error SizeNames::addOperation(unsigned graph, unsigned number) {
  const Node &node = entries[graph].graph->getNodes()[number];
  switch (getOperatorInfo(node.opcode).kind) {
  case OperatorKind::Graph:
    return addNested(graph, number, node);
  case OperatorKind::Contraction:
    addMatmul(graph, node);
    return llvm::Error::success();
  case OperatorKind::Elementwise:
  case OperatorKind::Reduction:
  case OperatorKind::Accumulate:
    for (ValueId operand : node.operands)
      unifyTrailing(graph, operand, node.results[0]);
    return llvm::Error::success();
  case OperatorKind::Movement:
    break;
  }
  if (node.opcode == Opcode::Reshape)
    return addReshape(graph, node.operands[0], node.results[0]);
  if (node.opcode == Opcode::Transpose) {
    for (auto [dim, from] : llvm::enumerate(node.attributes.dims))
      unify(entries[graph].names[node.operands[0]][from],
            entries[graph].names[node.results[0]][dim]);
    return llvm::Error::success();
  }
  unifyTrailing(graph, node.operands[0], node.results[0]);
  return llvm::Error::success();
}

void SizeNames::unifyInterfaces(unsigned lhs, unsigned rhs) {
  const Graph &left = getGraph(lhs), &right = getGraph(rhs);
  auto unifyValues = [&](ValueId a, ValueId b) {
    for (auto [x, y] : llvm::zip(entries[lhs].names[a], entries[rhs].names[b]))
      unify(x, y);
  };
  for (ValueId input = 0; input < left.getNumInputs(); ++input)
    unifyValues(input, input);
  for (auto [a, b] : llvm::zip(left.getOutputs(), right.getOutputs()))
    unifyValues(a, b);
}
