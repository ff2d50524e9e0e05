//===- FloatFilter.cpp - Numbers where the program has numbers ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FloatFilter.h"
#include "Mirage/Reference/RandomInputs.h"
#include "Mirage/Reference/Reference.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir::mirage;
using namespace mlir::mirage::search;

static std::vector<ReferenceOutput>
evaluateInFloat(const Graph &graph, llvm::ArrayRef<HostTensor> inputs) {
  ReferenceOptions options;
  options.threads = 1;
  options.scales = false;
  return llvm::cantFail(evaluateReference(graph, inputs, options),
                        "test sizes are small, and both graphs well-formed");
}

bool mlir::mirage::search::isFiniteWhereProgramIs(const TestPair &pair,
                                                  uint64_t seed) {
  std::vector<HostTensor> inputs = makeRandomInputs(pair.program, seed);
  std::vector<ReferenceOutput> expected = evaluateInFloat(pair.program, inputs);
  std::vector<ReferenceOutput> found = evaluateInFloat(pair.candidate, inputs);
  for (auto [e, f] : llvm::zip_equal(expected, found))
    for (auto [ours, theirs] : llvm::zip_equal(f.values, e.values))
      if (std::isfinite(theirs) && !std::isfinite(ours))
        return false;
  return true;
}
