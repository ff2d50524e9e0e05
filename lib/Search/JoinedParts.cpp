//===- JoinedParts.cpp - Kernels that join a kernel's blocks --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/JoinedParts.h"
#include "Mirage/Graph/TileMemory.h"
#include "Mirage/Graph/VaryingAxes.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <set>

using namespace mlir::mirage;
using namespace mlir::mirage::search;

static bool isRead(const Node &op, const llvm::BitVector &values) {
  return llvm::any_of(op.results, [&](ValueId value) { return values[value]; });
}

static bool joinsBeforeLoop(const Node &op, Phase phase) {
  return phase == Phase::Joined && joinsBlocks(op);
}

/// By value: what is loaded, computed and joined ahead, for joins that the loop
/// waits for.
static llvm::BitVector findAhead(const TileGraph &kernel,
                                 llvm::ArrayRef<Phase> phases) {
  llvm::BitVector isAhead(kernel.getNumValues());
  for (auto [op, phase] :
       llvm::reverse(llvm::zip_equal(kernel.getNodes(), phases))) {
    if (!joinsBeforeLoop(op, phase) && !isRead(op, isAhead))
      continue;
    for (ValueId value : llvm::concat<const ValueId>(op.operands, op.results))
      isAhead.set(value);
  }
  return isAhead;
}

/// By value: what the kernel with the loop loads and computes, and what has
/// been joined for it.
static llvm::BitVector findBehind(const TileGraph &kernel,
                                  llvm::ArrayRef<Phase> phases) {
  llvm::BitVector isBehind(kernel.getNumValues());
  for (ValueId output : kernel.getOutputs())
    isBehind.set(output);
  for (auto [op, phase] :
       llvm::reverse(llvm::zip_equal(kernel.getNodes(), phases)))
    if (!joinsBeforeLoop(op, phase) && isRead(op, isBehind))
      for (ValueId operand : op.operands)
        isBehind.set(operand);
  return isBehind;
}

llvm::BitVector mlir::mirage::search::findRepeated(const TileGraph &kernel) {
  llvm::SmallVector<Phase> phases = computeExecutionPhases(kernel);
  llvm::BitVector isRepeated = findAhead(kernel, phases);
  isRepeated &= findBehind(kernel, phases);
  for (auto [op, phase] : llvm::zip_equal(kernel.getNodes(), phases))
    if (joinsBeforeLoop(op, phase))
      isRepeated.reset(op.results[0]);
  return isRepeated;
}

namespace {
/// Sorts joins by how many others stand before them. Those before the loop
/// stand before whatever is not done ahead.
class JoinList {
public:
  explicit JoinList(const TileGraph &kernel)
      : kernel(kernel), phases(computeExecutionPhases(kernel)),
        isAhead(findAhead(kernel, phases)), depths(kernel.getNumValues(), 0) {}

  std::vector<JoinedParts> run() {
    visitAll(/*ahead=*/true);
    first = *llvm::max_element(depths);
    visitAll(/*ahead=*/false);
    std::vector<JoinedParts> list;
    for (auto &[place, join] : joins) {
      join.axis = place.second;
      // One of several joins at a depth carries it along.
      std::set<ValueId> values = std::exchange(own[place.first], {});
      join.own.assign(values.begin(), values.end());
      join.keepsBlocks = join.isBeforeLoop ? differsAhead(join.axis)
                                           : isNamedByOutputs(join.axis);
      list.push_back(std::move(join));
    }
    return list;
  }

private:
  void visitAll(bool ahead) {
    for (auto [op, phase] : llvm::zip_equal(kernel.getNodes(), phases))
      if (isRead(op, isAhead) == ahead)
        visit(op, phase);
  }

  /// Of a value that the other kernel has as well, as if it were its own.
  unsigned getDepth(ValueId value) const {
    return std::max(depths[value], first);
  }

  void visit(const Node &op, Phase phase) {
    unsigned depth = first;
    for (ValueId operand : op.operands)
      depth = std::max(depth, getDepth(operand));
    if (joinsBlocks(op)) {
      JoinedParts &join = joins[{depth++, op.attributes.axis}];
      llvm::append_range(join.parts, op.operands);
      join.isBeforeLoop = joinsBeforeLoop(op, phase);
      join.needsLoop |= !canJoinAtOnce(op.attributes,
                                       /*isRescaled=*/op.operands.size() > 1);
    } else
      for (ValueId operand : op.operands)
        if (getDepth(operand) < depth && !kernel.isInput(operand))
          own[getDepth(operand)].insert(operand);
    for (ValueId result : op.results)
      depths[result] = depth;
  }

  bool isNamedByOutputs(Axis axis) const {
    return llvm::any_of(kernel.tileOutputs, [&](const TileOutput &output) {
      return output.gridMap[static_cast<unsigned>(axis)] >= 0;
    });
  }

  /// Whether blocks along an axis leave different values for the loop.
  bool differsAhead(Axis axis) const {
    llvm::SmallVector<AxisSet> varying = computeVaryingAxes(kernel);
    llvm::BitVector isBehind = findBehind(kernel, phases);
    return llvm::any_of(
        llvm::zip_equal(kernel.getNodes(), phases), [&](auto entry) {
          auto [op, phase] = entry;
          return joinsBeforeLoop(op, phase) && isRead(op, isBehind) &&
                 (varying[op.results[0]] & toAxisSet(axis));
        });
  }

  const TileGraph &kernel;
  llvm::SmallVector<Phase> phases;
  llvm::BitVector isAhead;
  llvm::SmallVector<unsigned> depths; ///< by value
  unsigned first = 0;                 ///< of what is not ahead
  std::map<std::pair<unsigned, Axis>, JoinedParts> joins;
  std::map<unsigned, std::set<ValueId>> own; ///< by depth
};
} // namespace

std::vector<JoinedParts>
mlir::mirage::search::listJoins(const TileGraph &kernel) {
  return JoinList(kernel).run();
}
