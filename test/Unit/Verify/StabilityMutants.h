//===- StabilityMutants.h - Softmax that subtracts the wrong ----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_VERIFY_STABILITYMUTANTS_H
#define MIRAGE_TEST_UNIT_VERIFY_STABILITYMUTANTS_H

#include "Mirage/Graph/Graph.h"
#include <string>

namespace mlir::mirage::test {

/// A program that subtracts maxima before it takes exponentials, and a graph
/// that computes the same and is as stable.
struct StableProgram {
  std::string name;
  Graph program, graph;
};

/// Softmax and attention in many ways and sizes: plain, with scales, biases and
/// causal masks, as tiles, online, split among blocks, of random scores; and
/// those in examples/.
std::vector<StableProgram> listStablePrograms();

struct StabilityMutant {
  std::string what; ///< "minimum"
  Graph graph;
};

/// Every graph that takes another number for a maximum that is subtracted from
/// exponents, the same one wherever that is used: equal over the reals.
std::vector<StabilityMutant> makeStabilityMutants(const Graph &graph);

/// Online attention whose maxima are those of other keys than the tile's own,
/// for `attentionOnline` of the same sizes: of the first tile for all
/// ("stale"), or of the tile that comes next ("other tile").
std::vector<StabilityMutant> makeStaleOnlineAttention(int64_t queries,
                                                      int64_t keys, int64_t d,
                                                      int64_t tileKeys,
                                                      int64_t split);

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_UNIT_VERIFY_STABILITYMUTANTS_H
