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

llvm::StringRef mlir::mirage::search::getOptionName(SpaceLimit limit) {
  static constexpr llvm::StringLiteral kNames[] = {
      "max-block-ops", "max-ops", "max-kernels", "max-grid-axes"};
  return kNames[static_cast<unsigned>(limit)];
}

/// Something was left with too few operators. Most items come again with one
/// more; of those that do not, a limit is why.
void Explorer::noteRefusals(const Item &item) {
  unsigned operators = boundaries[item.boundary]->minOperators +
                       item.numOperators + (item.isLast ? 0 : 1);
  if (item.numOperators == limits.maxBlockOps)
    limitsHit.add(SpaceLimit::BlockOps);
  if (limits.maxKernels > 1 && operators == limits.maxOps)
    limitsHit.add(SpaceLimit::Ops);
}

/// Of what the item reads there may be choices with more axes.
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
/// on costs do not rule that out.
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
    if (!limits.costModel || !look.cuts(boundRestUs(other)))
      return limitsHit.add(SpaceLimit::Kernels);
  }
}
