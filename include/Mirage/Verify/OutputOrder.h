//===- OutputOrder.h - Which output is which --------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs may compute the same and give it in another order. `verifyEqual` goes
// by position, so whoever does not care puts the outputs of one graph in the
// order of the other's before.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_VERIFY_OUTPUTORDER_H
#define MIRAGE_VERIFY_OUTPUTORDER_H

#include "Mirage/Verify/Verify.h"

namespace mlir::mirage {

/// For each output of `lhs` the number of an output of `rhs`, each once: one of
/// its shape that a few trials find equal, or else the first of its shape that
/// is left. As many are matched with what they equal as can be. That cannot be
/// decided one by one where outputs are equal only where both are defined:
/// (√x)² equals |x| there, and x as well, which are two. So whoever finds
/// nothing left takes what another one has that can do with something else
/// (augmenting paths: Kuhn, The Hungarian Method for the Assignment Problem,
/// 1955), and what is equal wherever either is defined is matched first. Graphs
/// whose outputs have not the same shapes, in whatever order, keep theirs.
/// Fails as `verifyEqual` does.
/// \param options  of the verification that is to follow, whose trials have
///                 other draws.
llvm::Expected<llvm::SmallVector<unsigned>>
matchOutputs(const Graph &lhs, const Graph &rhs, const VerifyOptions &options);

/// The graph with these of its outputs alone, in this order.
Graph withOutputs(const Graph &graph, llvm::ArrayRef<unsigned> outputs);

} // namespace mlir::mirage

#endif // MIRAGE_VERIFY_OUTPUTORDER_H
