//===- JoinedParts.cpp - Kernels that join a kernel's blocks --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/JoinedParts.h"
#include "Mirage/Graph/JoinsAhead.h"
#include "Mirage/Graph/TileMemory.h"
#include "Mirage/Graph/VaryingAxes.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <set>

using namespace mlir::mirage;
using namespace mlir::mirage::search;

namespace {
/// Sorts the joins of one chain of kernels by how many others stand before
/// them.
class JoinList {
public:
  /// \param isInChain  by operation of the kernel.
  /// \param isGiven    by value: what comes from another chain.
  /// \param results    that the chain leaves.
  JoinList(const TileGraph &kernel, const llvm::BitVector &isInChain,
           llvm::ArrayRef<ValueId> given, llvm::ArrayRef<ValueId> results)
      : kernel(kernel), isInChain(isInChain), given(given), results(results),
        varying(computeVaryingAxes(kernel)), depths(kernel.getNumValues(), 0) {}

  std::vector<JoinedParts> run() {
    for (unsigned number : isInChain.set_bits())
      visit(kernel.getNodes()[number]);
    std::vector<JoinedParts> list;
    for (auto &[place, join] : joins) {
      auto [depth, axis] = place;
      join.axis = axis;
      // One of several joins at a depth carries it along.
      std::set<ValueId> values = std::exchange(own[depth], {});
      join.own.assign(values.begin(), values.end());
      join.keepsBlocks = differsBehind(depth, axis);
      list.push_back(std::move(join));
    }
    return list;
  }

private:
  void visit(const Node &op) {
    unsigned depth = 0;
    for (ValueId operand : op.operands)
      depth = std::max(depth, depths[operand]);
    if (joinsBlocks(op)) {
      JoinedParts &join = joins[{depth++, op.attributes.axis}];
      addParts(join, op);
      join.needsLoop |= !canJoinAtOnce(op.attributes,
                                       /*isRescaled=*/op.operands.size() > 1);
    } else {
      for (ValueId operand : op.operands)
        if (depths[operand] < depth && !isRead(operand))
          own[depths[operand]].insert(operand);
    }
    for (ValueId result : op.results)
      depths[result] = depth;
  }

  /// A tile that is reduced is left as what it is reduced to, which is as large
  /// as what comes of all of them; and one of an input, as it is, by nobody.
  void addParts(JoinedParts &join, const Node &op) {
    if (!op.attributes.dims.empty())
      join.parts.push_back(op.results[0]);
    else if (op.isRescaled() || !isRead(op.operands[0]))
      join.parts.push_back(op.operands[0]);
    llvm::append_range(join.parts, llvm::drop_begin(op.operands));
  }

  /// Whether a value is read again, and not left by one kernel to the next.
  bool isRead(ValueId value) const {
    return kernel.isInput(value) || llvm::is_contained(given, value);
  }

  bool varies(ValueId value, Axis axis) const {
    return varying[value] & toAxisSet(axis);
  }

  /// Whether blocks along an axis do different things behind a join of it, or
  /// join again: else one of them goes on.
  bool differsBehind(unsigned depth, Axis axis) const {
    auto isBehind = [&](ValueId value) { return depths[value] > depth; };
    return llvm::any_of(results,
                        [&](ValueId result) {
                          return isNamed(result, axis) || varies(result, axis);
                        }) ||
           llvm::any_of(isInChain.set_bits(), [&](unsigned number) {
             const Node &op = kernel.getNodes()[number];
             if (!isBehind(op.results[0]))
               return false;
             bool joinsAgain = joinsBlocks(op) && op.attributes.axis == axis;
             bool isThisJoin =
                 joinsAgain && llvm::none_of(op.operands, isBehind);
             return !isThisJoin &&
                    (joinsAgain ||
                     asksForPlace(op.opcode, op.attributes, axis) ||
                     llvm::any_of(op.operands, [&](ValueId operand) {
                       return varies(operand, axis);
                     }));
           });
  }

  /// Whether an output has an element for each of the axis' blocks, or sums
  /// them.
  bool isNamed(ValueId value, Axis axis) const {
    return llvm::any_of(
        llvm::zip_equal(kernel.getOutputs(), kernel.tileOutputs),
        [&](auto entry) {
          auto [output, map] = entry;
          return output == value &&
                 map.gridMap[static_cast<unsigned>(axis)] != kReplicated;
        });
  }

  const TileGraph &kernel;
  const llvm::BitVector &isInChain;
  llvm::ArrayRef<ValueId> given, results;
  llvm::SmallVector<AxisSet> varying;
  llvm::SmallVector<unsigned> depths; ///< by value
  std::map<std::pair<unsigned, Axis>, JoinedParts> joins;
  std::map<unsigned, std::set<ValueId>> own; ///< by depth
};
} // namespace

std::vector<JoinedParts>
mlir::mirage::search::listJoins(const TileGraph &kernel) {
  JoinsAhead split = findJoinsAhead(kernel);
  std::vector<JoinedParts> joins =
      JoinList(kernel, split.ahead, {}, split.joined).run();
  for (JoinedParts &join : joins)
    join.isBeforeLoop = true;
  if (!joins.empty())
    joins.back().left = split.joined;
  llvm::append_range(
      joins, JoinList(kernel, split.withLoop, split.joined, kernel.getOutputs())
                 .run());
  return joins;
}

llvm::BitVector mlir::mirage::search::findRepeated(const TileGraph &kernel) {
  JoinsAhead split = findJoinsAhead(kernel);
  auto collect = [&](const llvm::BitVector &operations) {
    llvm::BitVector values(kernel.getNumValues());
    for (unsigned number : operations.set_bits()) {
      const Node &op = kernel.getNodes()[number];
      for (ValueId result : op.results)
        values.set(result);
      for (ValueId operand : op.operands)
        if (kernel.isInput(operand))
          values.set(operand);
    }
    return values;
  };
  llvm::BitVector repeated = collect(split.ahead);
  repeated &= collect(split.withLoop);
  return repeated;
}
