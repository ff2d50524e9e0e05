//===- FloatFilter.h - Numbers where the program has numbers ----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The laws, and verification over finite fields, call two graphs equal that
// agree where both are defined. √x·√y is √(x·y) by the laws of the search, and
// has no value where x and y are negative. Such a candidate is of no use, and
// floating point tells.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_FLOATFILTER_H
#define MIRAGE_LIB_SEARCH_FLOATFILTER_H

#include "Mirage/Search/TestPairs.h"

namespace mlir::mirage::search {

/// Whether the candidate's outputs, in float64 and for inputs of either sign,
/// are finite wherever the program's are.
bool isFiniteWhereProgramIs(const TestPair &pair, uint64_t seed);

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_FLOATFILTER_H
