//===- TileGraphInterface.h - Ops that open a level of tiles ----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_OPERATOR_TILEGRAPHINTERFACE_H
#define MIRAGE_DIALECT_OPERATOR_TILEGRAPHINTERFACE_H

#include "Mirage/Dialect/Operator/OperatorInterface.h"
#include "Mirage/Graph/Phases.h"
#include "Mirage/Graph/VaryingAxes.h"
#include "mlir/IR/OpImplementation.h"

namespace mlir::mirage {

class TileGraphOpInterface;

/// Extents and maps of a graph op as a TileGraph without operations.
TileGraph readTileGraphHeader(TileGraphOpInterface op);

/// The phase of every value of a graph op's body, which must have verified
/// maps.
DenseMap<Value, Phase> computePhases(TileGraphOpInterface op);

/// By value of the graph: the axes of the grid along which blocks hold other
/// tiles (Graph/VaryingAxes.h).
DenseMap<Value, AxisSet> computeVaryingAxes(TileGraphOpInterface op);
/// The phase in which an op of such a body can be carried out: in which it is,
/// where no blocks are joined.
/// \param phases  as `computePhases` gives them.
Phase getExecutionPhase(Operation *op, const DenseMap<Value, Phase> &phases);

/// The attributes of a graph op for a TileGraph's extents and maps.
SmallVector<NamedAttribute> writeTileGraphHeader(MLIRContext *context,
                                                 const TileGraph &graph);

namespace detail {
/// Parses and prints
///   grid(x = 192, y = 2) cluster(x = 4) threads(128) loop(64) stages(3)
///     ins(%x imap() fmap(1), %w imap(x -> 1) fmap(0)) outs(omap(x -> 1))
///     attr-dict : (tensor<..>, tensor<..>) -> tensor<..> { region }
/// where `omap(x -> sum)` adds the blocks along x, and axes that the cluster
/// leaves out have one block in it. A thread graph says `items` and `steps` for
/// `grid` and `loop`, states neither cluster nor threads, and its outputs may
/// name memrefs that they are written to.
ParseResult parseTileGraph(OpAsmParser &parser, OperationState &state,
                           Level level);
void printTileGraph(OpAsmPrinter &printer, TileGraphOpInterface op);

/// Maps, coverage, phases and joins of outputs, by the rules of
/// `verify(const TileGraph &)`.
LogicalResult verifyTileGraph(TileGraphOpInterface op);
/// The last two of these. \param header  the op's, with maps that hold.
LogicalResult verifyPhases(TileGraphOpInterface op, const TileGraph &header);
LogicalResult verifyOutputJoins(TileGraphOpInterface op,
                                const TileGraph &header);
} // namespace detail

} // namespace mlir::mirage

#include "Mirage/Dialect/Operator/TileGraphInterface.h.inc"

#endif // MIRAGE_DIALECT_OPERATOR_TILEGRAPHINTERFACE_H
