//===- PickCount.h - How many values are picked from ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A field has no order, and a trial picks one of all values that a maximum is
// over as likely as another. A difference in one of n values shows in one trial
// of n.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_PICKCOUNT_H
#define MIRAGE_LIB_VERIFY_PICKCOUNT_H

#include "Mirage/Graph/Graph.h"

namespace mlir::mirage {

/// An upper bound of how many values maxima and minima of maxima pick one from,
/// for the output element with the most; 1 if nothing is picked. What is summed
/// up picks as often as its summands do, each for itself.
/// \param graph  without composed operators.
double countPicked(const Graph &graph);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_PICKCOUNT_H
