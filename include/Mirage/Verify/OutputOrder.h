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

/// For each output of `lhs` the number of an output of `rhs`, each once: the
/// first one of its shape that nobody before has and that a few trials find
/// equal, or else the first of its shape that is left. So outputs can be
/// matched one by one if they can be matched at all, as what equals one of
/// several equal outputs equals all of them. Graphs whose outputs have not the
/// same shapes, in whatever order, keep theirs. Fails as `verifyEqual` does.
/// \param options  of the verification that is to follow.
llvm::Expected<llvm::SmallVector<unsigned>>
matchOutputs(const Graph &lhs, const Graph &rhs, const VerifyOptions &options);

/// The graph with these of its outputs alone, in this order.
Graph withOutputs(const Graph &graph, llvm::ArrayRef<unsigned> outputs);

} // namespace mlir::mirage

#endif // MIRAGE_VERIFY_OUTPUTORDER_H
