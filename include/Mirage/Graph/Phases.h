//===- Phases.h - When values of a tile graph are known ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile graph runs in phases: what does not change from one iteration to the
// next, once; what blocks join of that along axes of the grid; the loop; what
// follows it in each block; and what follows once blocks have been joined of
// that. Which operation belongs to which is this one rule, for the verifiers of
// plain graphs and of IR, for whatever evaluates a tile graph and for code
// generation. RMSNorm where both the loop and axis x cut a row:
//
//   %0 = input, cut by the loop and x known in the loop
//   %1 = square %0                    known in the loop, runs in it
//   %2 = accumulate sum %1 over loop  known after it, runs in the loop
//   %3 = accumulate sum %2 over x     known after the grid, runs there: all
//                                     blocks along x wait for each other
//   %4 = sqrt %3                      known after the grid, runs there
//
// and of a row that x alone cuts, where the loop runs over columns of a weight:
//
//   %0 = input, cut by x              known before the loop
//   %1 = input, cut by x and the loop known in the loop
//   %2 = accumulate rms %0 over x     known before the loop, once all blocks
//                                     along x have come so far
//   %3 = div %0, %2                   known before the loop
//   %4 = matmul %3, %1                known in the loop, runs in it
//
// A value meets others of its own phase and of earlier ones; but one of the
// loop meets no later one, since there are as many of it as iterations.
//
// What is joined before the loop and not read in it is known there, but carried
// out behind it, with whatever else blocks wait for.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_PHASES_H
#define MIRAGE_GRAPH_PHASES_H

#include "Mirage/Graph/Graph.h"

namespace mlir::mirage {

/// In the order in which they run. Joined: what blocks have joined of what the
/// loop does not change, and what is computed of that.
enum class Phase : uint8_t { Invariant, Joined, Loop, After, AfterGrid };

/// Whether the loop does not change what is known in a phase.
inline bool isBeforeLoop(Phase phase) { return phase <= Phase::Joined; }
/// When what blocks join is known.
/// \param operands  the last phase of these.
inline Phase getPhaseOfJoin(Phase operands) {
  return isBeforeLoop(operands) ? Phase::Joined : Phase::AfterGrid;
}

/// Whether an operation is an accumulation over the loop: the only kind that
/// leads from the loop to after it.
bool joinsIterations(Opcode opcode, const Attributes &attributes);
inline bool joinsIterations(const Node &operation) {
  return joinsIterations(operation.opcode, operation.attributes);
}

/// Whether an operation is an accumulation over a grid axis, for which all
/// blocks along the axis have to come as far.
bool joinsBlocks(Opcode opcode, const Attributes &attributes);
inline bool joinsBlocks(const Node &operation) {
  return joinsBlocks(operation.opcode, operation.attributes);
}

/// Whether a result depends on where along an axis it is computed even if the
/// operands do not: masks count the elements of the whole tensor.
bool asksForPlace(Opcode opcode, const Attributes &attributes, Axis axis);

/// The phase in which an operation's results can be known, by those of its
/// operands.
Phase inferPhase(Opcode opcode, const Attributes &attributes,
                 llvm::ArrayRef<Phase> operands);
/// The phase in which an operation can be carried out: the one in which its
/// result is known, but an accumulation over the loop joins each iteration's
/// operand in the loop, and is finished between the loop and what follows it.
Phase getExecutionPhase(Opcode opcode, const Attributes &attributes,
                        Phase result);

/// The phase in which every value of a tile graph can be known, by ValueId.
llvm::SmallVector<Phase> computePhases(const TileGraph &graph);
/// The phase in which each operation of a tile graph is carried out, by its
/// position: as soon as it can be, but what depends on blocks that have been
/// joined, and is not for the loop to read, after the grid.
llvm::SmallVector<Phase> computeExecutionPhases(const TileGraph &graph);

/// What an operation must respect for the graph that it stands in: the axes
/// that it names exist, they and its operands' sizes together do not exceed
/// `kMaxCount`, and its operands' phases are such as TileGraph says. The one
/// rule for plain graphs and for IR.
/// \param types   of the operands, which have passed the shape rule.
/// \param header  extents; operations in it are not looked at.
/// \returns an error that counts operands from 0.
llvm::Error checkInTileGraph(Opcode opcode, const Attributes &attributes,
                             llvm::ArrayRef<Phase> operands,
                             llvm::ArrayRef<TensorSpec> types,
                             const TileGraph &header);

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_PHASES_H
