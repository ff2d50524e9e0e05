//===- ProgramParts.h - Cutting large programs ------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program of twenty operators is not searched as a whole; it is cut. A *part*
// is a convex set of operations of which one value is used: it can be computed
// by itself, given the values that it reads. Every way to write the program as
// parts one after the other is considered: a value that is stored is the result
// of some part, and what that part reads is stored as well, or an input. Parts
// may overlap; then something is computed twice rather than stored.
//
// Views (transposes, reshapes) belong to the operations that read them, so that
// none of them is stored for its own sake. Neither is what one elementwise
// operation makes of one value: reading that value costs no more. But where a
// library multiplies matrices, which does nothing else, its factors may be.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_PROGRAMPARTS_H
#define MIRAGE_SEARCH_PROGRAMPARTS_H

#include "Mirage/Graph/Graph.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace mlir::mirage::search {

struct PartLimits {
  /// Operations, views not counted. A part of one operation is always there.
  unsigned maxOperations = 12;
  unsigned maxInputs = 5;
  /// What one elementwise operation makes of one other value may be stored: of
  /// what a matmul reads, or of everything.
  bool storesFactors = false, storesAll = false;
};

struct ProgramPart {
  std::vector<unsigned> operations;  ///< of the program, ascending
  llvm::SmallVector<ValueId> inputs; ///< values of the program, ascending
  ValueId output = 0;
  Graph graph; ///< by itself: inputs and output in this order
};

/// How many operations that compute something a program has.
unsigned countOperations(const Graph &program);

/// All parts, fewest operations first, then by their numbers.
/// \param program  kernel-level operations, none composed.
std::vector<ProgramPart> enumerateParts(const Graph &program,
                                        const PartLimits &limits);

struct PartCost {
  double us = 0;
  unsigned numKernels = 1; ///< of our own
};

struct PartChoice {
  std::vector<unsigned> parts; ///< in an order in which they can run
  double us = 0;
};

/// The cheapest way to write a program as parts.
/// \param getCost     what a part takes; none where it cannot be had.
/// \param maxKernels  the most of our own in all parts; none: any number.
/// \returns none if some value cannot be had, or not with so many kernels.
std::optional<PartChoice>
chooseParts(const Graph &program, llvm::ArrayRef<ProgramPart> parts,
            llvm::function_ref<std::optional<PartCost>(unsigned part)> getCost,
            std::optional<unsigned> maxKernels = std::nullopt);

/// The program as graphs that compute its parts.
Graph joinParts(const Graph &program, llvm::ArrayRef<ProgramPart> parts,
                llvm::ArrayRef<unsigned> chosen,
                llvm::function_ref<const Graph &(unsigned part)> getGraph);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_PROGRAMPARTS_H
