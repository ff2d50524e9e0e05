//===- GridEnds.h - Blocks that write nothing -------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes need not divide, so the last tiles may reach beyond a result. An axis
// that goes on where all tiles begin beyond it is a mistake:
//
//   grid [70], a result of 60 concatenated along x from tiles of 1
//     blocks 60 to 69 read and compute, and write nothing
//
// They are of use where what they hold is summed in another result, or joined
// with that of other blocks in mid-kernel; and as far as a cluster goes that
// has others in it. With two axes along a dimension both may be as long as they
// have to be, and still some blocks write nothing: 3 x 3 of them for 7 tiles.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_GRIDENDS_H
#define MIRAGE_GRAPH_GRIDENDS_H

#include "Mirage/Graph/VaryingAxes.h"

namespace mlir::mirage {

/// Fails if a block graph would write the same with fewer blocks along an axis.
/// The one rule for plain graphs and for IR.
/// \param header       whose maps hold.
/// \param joined       axes along which an accumulation joins blocks.
/// \param outputTiles  what each block yields.
llvm::Error checkGridEnds(const TileGraph &header, AxisSet joined,
                          llvm::ArrayRef<TensorSpec> outputTiles,
                          llvm::ArrayRef<TensorSpec> results);
/// The same of a graph whose operations are known.
llvm::Error checkGridEnds(const TileGraph &graph,
                          llvm::ArrayRef<TensorSpec> results);

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_GRIDENDS_H
