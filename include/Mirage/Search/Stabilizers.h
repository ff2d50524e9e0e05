//===- Stabilizers.h - Maxima that keep exponentials small ------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A softmax subtracts the largest element before it takes exponentials, so that
// none of them overflows: exp(x − m)/Σexp(x − m). Over the reals the maximum
// changes nothing, but no law that the search has says so, and no loop can be
// made of it, since it is known only when all elements have been seen. So it is
// removed before the search, and kernels that are found get maxima of their own
// tiles instead (ScaledTile.h).
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_STABILIZERS_H
#define MIRAGE_SEARCH_STABILIZERS_H

#include "Mirage/Graph/Graph.h"

namespace mlir::mirage::search {

/// The program with exp(x) for each exp(x − max x), if all of its exponentials
/// are such; none otherwise. Whether it equals the program is for a verifier to
/// say. Composed operators have to be expanded.
std::optional<Graph> removeStabilizers(const Graph &program);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_STABILIZERS_H
