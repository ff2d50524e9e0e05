//===- Literals.h - The numbers that graphs state ---------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_LITERALS_H
#define MIRAGE_GRAPH_LITERALS_H

#include "Mirage/Graph/Graph.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::mirage {

/// Whose literals are meant.
enum class LiteralsOf : uint8_t {
  AllOperations,
  /// What masks put in the place of elements. It is the same at all sizes.
  Masks,
  OthersThanMasks
};

/// Calls `visit` with the scalars of operations, nested ones too, as often as
/// they are stated.
void forEachLiteral(const Graph &graph, llvm::function_ref<void(double)> visit,
                    LiteralsOf operations = LiteralsOf::AllOperations);

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_LITERALS_H
