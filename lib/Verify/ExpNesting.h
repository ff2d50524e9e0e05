//===- ExpNesting.h - How deeply exponentials nest --------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_EXPNESTING_H
#define MIRAGE_LIB_VERIFY_EXPNESTING_H

#include "Mirage/Graph/Graph.h"

namespace mlir::mirage {

/// The largest number of exponentials one inside the other that an output of
/// the graph may hold; softmax has 1.
unsigned computeExpNesting(const Graph &graph);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_EXPNESTING_H
