//===- ExplorerLimits.cpp - Which limits keep something out ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplorerState.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;

/// The item's kernel was left with too few operators. The next round has the
/// item again, with one operator more, unless a limit is in the way.
void Explorer::noteShortage(const Item &item) {
  unsigned operators = boundaries[item.boundary]->minOperators +
                       item.numOperators + (item.isLast ? 0 : 1);
  if (item.numOperators == limits.maxBlockOps)
    limitsHit.add(SpaceLimit::BlockOps);
  if (limits.maxKernels > 1 && operators == limits.maxOps)
    limitsHit.add(SpaceLimit::Ops);
}

/// More operators in one kernel are fewer in those after it.
void Explorer::noteRefusals(const Item &item, const EnumerationCounts &counts) {
  if (counts.pruned[unsigned(PruneReason::Open)] > 0)
    noteShortage(item);
  if (counts.pruned[unsigned(PruneReason::OpenLater)] > 0)
    limitsHit.add(SpaceLimit::Ops);
}

/// Of what the item reads there may be choices with more axes. (Choices have
/// room for kMaxGridAxes.)
void Explorer::noteGridAxes(const Item &item, const Look &look,
                            const KernelSite &site) {
  if (limitsHit.has(SpaceLimit::GridAxes) || limits.maxGridAxes == kMaxGridAxes)
    return;
  Item larger = item;
  for (KernelChoice &choice : enumerateKernelChoices(
           program, site, limits.maxGridAxes + 1, limits.joins)) {
    if (choice.gridNames.size() <= limits.maxGridAxes)
      continue;
    larger.choice = std::move(choice);
    if (!limits.costModel || !look.cuts(boundUs(larger)))
      return limitsHit.add(SpaceLimit::GridAxes);
  }
}

/// Boundaries that only a last kernel may follow could have others, if bounds
/// on costs do not rule that out: of one that reads nothing, to begin with.
void Explorer::noteKernels() {
  if (!hasNamesForKernels)
    return;
  Item other;
  other.isLast = false;
  other.numOperators = 1;
  for (auto [number, boundary] : llvm::enumerate(boundaries)) {
    bool hasOperators =
        limits.maxKernels == 1 || boundary->minOperators + 2 <= limits.maxOps;
    if (boundary->position + 1 != limits.maxKernels || !hasOperators)
      continue;
    other.boundary = number;
    Look look{boundary->leastUs, limitUs};
    if (!limits.costModel || !look.cuts(boundUs(other)))
      return limitsHit.add(SpaceLimit::Kernels);
  }
}
