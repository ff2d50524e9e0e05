//===- DefinedSomewhere.h - Inputs on which graphs have numbers -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_DEFINEDSOMEWHERE_H
#define MIRAGE_LIB_VERIFY_DEFINEDSOMEWHERE_H

#include "Mirage/Graph/Graph.h"
#include <optional>
#include <string>

namespace mlir::mirage {

struct OutputPlace {
  unsigned output;
  size_t element;
};

/// An output element that has no number in both graphs on any float64 input
/// that is tried; what is equal there would be equal for the lack of inputs.
/// \param lhs, rhs  of one interface, without composed operators.
std::optional<OutputPlace> findUndefined(const Graph &lhs, const Graph &rhs);

/// The same in words, as the beginning of a sentence, at smaller sizes where
/// the graphs' own would take too long; nothing where these cannot be had.
std::optional<std::string> describeUndefined(const Graph &lhs,
                                             const Graph &rhs);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_DEFINEDSOMEWHERE_H
