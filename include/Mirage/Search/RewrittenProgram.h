//===- RewrittenProgram.h - Programs as the search takes them - -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before the search a program is written in a way in which every dimension of a
// tensor is one name, and a tensor has no name twice. What that takes away from
// its inputs and adds to its outputs are movements, which are views of device
// memory. Keys of 2 heads that are repeated for 8 heads of queries:
//
//   program   q[8, 1, D], k[2, S, D]
//   inputs    q reshaped to [2, 4, 1, D], k as it is
//   body      scores[2, 4, 1, S] = q . k, ...
//   outputs   the result reshaped to [8, 1, D]
//
// A kernel that is found for the body takes its place.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_REWRITTENPROGRAM_H
#define MIRAGE_SEARCH_REWRITTENPROGRAM_H

#include "Mirage/Graph/DimensionFactors.h"

namespace mlir::mirage::search {

/// A program in three parts, one after the other.
struct RewrittenProgram {
  Graph inputs;  ///< from the program's inputs to those of the body
  Graph body;    ///< what is searched
  Graph outputs; ///< from the outputs of the body to those of the program

  /// The program with another body, which has the inputs and outputs of this.
  Graph withBody(const Graph &other) const;
};

/// The graph in which nested graphs have the constants that are their operands
/// themselves.
Graph inlineConstants(const Graph &graph);

/// The program with a body whose inputs and outputs are its own in other
/// shapes.
RewrittenProgram withReshapes(const Graph &program, Graph body);

/// Inputs have the shape in which all their users read them, and outputs the
/// one in which they are computed.
llvm::Expected<RewrittenProgram> peelReshapes(const Graph &program);

/// Inputs have their dimensions in the order in which all their users read
/// them, and outputs those of what is computed, as [batch, keys, heads, depth]
/// of attention are [batch, heads, keys, depth]. Rows stay rows: what moves the
/// last dimension is a step of the body. Inputs stay as they are which, or
/// transposes of which, are outputs. Costs are those of tensors that lie in the
/// order of the body: of rows of fewer than 32 bytes it takes more.
llvm::Expected<RewrittenProgram> peelTransposes(const Graph &program);

/// Every dimension as its factors (Graph/DimensionFactors.h), so that reshapes
/// neither split nor join any, and of what no operation tells apart some as
/// one. Errors are factorDimensions', or say which operation needs a dimension
/// whole.
llvm::Expected<RewrittenProgram> splitProgram(const Graph &program,
                                              MergedFactors which);

/// No slices and concats: pieces of tensors are tensors, of inputs and outputs
/// too (Graph/DimensionCuts.h), and only those that outputs depend on.
llvm::Expected<RewrittenProgram> separatePieces(const Graph &program);

/// No tensors that are one number everywhere: operators take numbers as their
/// parameters where they can (x + 2 is an offset). Other numbers are inputs of
/// the body, of one element, and what is found holds whatever they are; outputs
/// that are numbers are none of the body.
llvm::Expected<RewrittenProgram> foldConstants(const Graph &program);

/// A tensor whose dimensions meet each other, as rows do in X·Xᵀ, is several
/// inputs of the body, each with names of its own; what is computed of it and
/// meets itself is computed as often. Inputs that end up with the same names
/// are one.
llvm::Expected<RewrittenProgram> separateRoles(const Graph &program);

/// All that the search needs, of a verified program without composed operators
/// and block graphs.
/// \param which  dimensions to merge: of a part of a program, not those that
///               another part may tell apart.
llvm::Expected<RewrittenProgram>
rewriteForSearch(const Graph &program,
                 MergedFactors which = MergedFactors::All);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_REWRITTENPROGRAM_H
