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

/// Whether each output element has a number in both graphs on some input that
/// is tried: at smaller sizes where the graphs' own would take long and there
/// are some, and not known where the only ones would take minutes.
struct Definedness {
  enum Kind : uint8_t { Somewhere, Nowhere, NotKnown } kind;
  std::string reason = {}; ///< of Nowhere: the beginning of a sentence
};
Definedness findDefined(const Graph &lhs, const Graph &rhs);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_DEFINEDSOMEWHERE_H
