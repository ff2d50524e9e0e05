//===- UsedFunctions.h - Which functions a graph applies --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_USEDFUNCTIONS_H
#define MIRAGE_LIB_VERIFY_USEDFUNCTIONS_H

#include "Mirage/Graph/Literals.h"

namespace mlir::mirage {

/// Whether an operation that is neither composed nor nests a graph applies one
/// of the functions; joining by the larger value counts as Max.
bool appliesFunction(const Node &operation,
                     llvm::ArrayRef<ScalarFunction> functions);

/// Whether some operation of a graph, or of one nested in it, does. For graphs
/// without composed operators.
bool usesFunction(const Graph &graph, llvm::ArrayRef<ScalarFunction> functions);

/// Whether the larger or the smaller of some values is picked: a difference in
/// what is not picked hides from trials.
inline bool picksValues(const Graph &graph) {
  return usesFunction(graph, {ScalarFunction::Max, ScalarFunction::Min});
}

inline bool takesRoots(const Graph &graph) {
  return usesFunction(graph, {ScalarFunction::Sqrt});
}

/// Whether signs are lost. A field has a sign for either of x and −x, so that
/// a trial sees in one case of two that one was lost.
inline bool losesSigns(const Graph &graph) {
  return usesFunction(graph, {ScalarFunction::Sqrt, ScalarFunction::Abs});
}

/// Whether a difference may hide from most trials, in what is not picked or in
/// a rare pattern of signs.
inline bool mayHideDifferences(const Graph &graph) {
  return picksValues(graph) || losesSigns(graph);
}

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_USEDFUNCTIONS_H
