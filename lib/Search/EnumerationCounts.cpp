//===- EnumerationCounts.cpp - What a walk visited and left out -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/EnumerationCounts.h"
#include "Mirage/Graph/JSONCursor.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::json::Object;

llvm::StringRef mlir::mirage::search::getPruneReasonName(PruneReason reason) {
  static constexpr llvm::StringLiteral kNames[] = {
      "expression", "size",       "place",        "duplicate",
      "open",       "open later", "outer product"};
  return kNames[static_cast<unsigned>(reason)];
}

EnumerationCounts &
EnumerationCounts::operator+=(const EnumerationCounts &other) {
  states += other.states;
  trials += other.trials;
  for (unsigned i = 0; i < kNumPruneReasons; ++i)
    pruned[i] += other.pruned[i];
  return *this;
}

llvm::json::Value
mlir::mirage::search::toJSON(const EnumerationCounts &counts) {
  Object pruned;
  for (unsigned i = 0; i < kNumPruneReasons; ++i)
    pruned[getPruneReasonName(static_cast<PruneReason>(i))] =
        static_cast<int64_t>(counts.pruned[i]);
  return Object{{"states", static_cast<int64_t>(counts.states)},
                {"trials", static_cast<int64_t>(counts.trials)},
                {"pruned", std::move(pruned)}};
}

EnumerationCounts mlir::mirage::search::readCounts(const JSONCursor &cursor) {
  cursor.allow({"states", "trials", "pruned"});
  EnumerationCounts counts;
  counts.states = cursor["states"].integer(0);
  counts.trials = cursor["trials"].integer(0);
  for (unsigned i = 0; i < kNumPruneReasons; ++i)
    counts.pruned[i] =
        cursor["pruned"][getPruneReasonName(static_cast<PruneReason>(i))]
            .integer(0);
  return counts;
}
