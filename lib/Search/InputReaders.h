//===- InputReaders.h - What is made of a program's inputs ------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_INPUTREADERS_H
#define MIRAGE_LIB_SEARCH_INPUTREADERS_H

#include "Mirage/Graph/Graph.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace mlir::mirage::search {

/// A number for each dimension: sizes, or which dimension it was.
using DimensionNumbers = llvm::SmallVector<int64_t, 4>;

/// What all operations that read an input make of it, if all are `movement`s
/// and make the same of it; none if nothing reads it, or it is an output too.
/// \param describe  says what one makes of its operand.
std::optional<DimensionNumbers>
findCommonReading(const Graph &program, ValueId input, Opcode movement,
                  llvm::function_ref<DimensionNumbers(const Node &)> describe);

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_INPUTREADERS_H
