//===- VaryingAxes.h - Which blocks hold different values -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks along an axis of the grid hold the same value unless something that
// the axis cuts went into it, or a mask that asks for their place along it.
// Where they do not, a result must say what becomes of them all: side by side,
// or added. `kReplicated` would let one of them win, whichever is last.
//
//   grid [2, 4]
//   %0 = input, cut by y              varies along y
//   %1 = input, cut by x and y        varies along x and y
//   %2 = mul %0, %1                   varies along x and y
//   %3 = accumulate sum %2 over y     varies along x: all along y know the sum
//   output %3, concatenated along x
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_VARYINGAXES_H
#define MIRAGE_GRAPH_VARYINGAXES_H

#include "Mirage/Graph/Graph.h"

namespace mlir::mirage {

/// Axes of a grid, a bit for each: that of x is the lowest.
using AxisSet = uint8_t;
/// Of an axis of the grid.
inline AxisSet toAxisSet(Axis axis) {
  return 1u << static_cast<unsigned>(axis);
}

/// The axes along which tiles of an input differ. One of extent 1 has one tile.
AxisSet getVaryingAxes(const TileGraph &header, unsigned input);
/// The axes along which an operation's results differ, by those of its
/// operands.
AxisSet inferVaryingAxes(const TileGraph &header, Opcode opcode,
                         const Attributes &attributes,
                         llvm::ArrayRef<AxisSet> operands);

/// Those of all values of a graph.
llvm::SmallVector<AxisSet> computeVaryingAxes(const TileGraph &graph);

/// Fails if an output that differs along an axis neither joins a dimension
/// along it nor is summed. The one rule for plain graphs and for IR.
llvm::Error checkOutputJoins(const TileGraph &header, unsigned output,
                             AxisSet varying);
/// The same for all outputs of a graph whose operations are known.
llvm::Error checkOutputJoins(const TileGraph &graph);

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_VARYINGAXES_H
