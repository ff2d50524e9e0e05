//===- Bridge.h - Between IR and plain µGraphs ------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only code that knows both forms of a µGraph: ops in an MLIRContext, which
// people read and passes rewrite, and `Graph` values, which the search builds
// and the verifier and the reference evaluate.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_BRIDGE_BRIDGE_H
#define MIRAGE_BRIDGE_BRIDGE_H

#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Dialect/Operator/TileGraphInterface.h"
#include "Mirage/Graph/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::mirage {

/// The graph that a kernel graph op holds; inputs are named after their order
/// ("input0", ...). Fails after a diagnostic at the first op that is no op of a
/// µGraph.
FailureOr<Graph> readKernelGraph(kernel::GraphOp op);

/// The tile graph of a `mirage_block.graph` or `mirage_thread.graph`.
FailureOr<TileGraph> readTileGraph(TileGraphOpInterface op);

/// A whole function as one graph: its arguments are the inputs, what it returns
/// the outputs; ops of the kernel level may stand in it directly or in
/// `mirage_kernel.graph`s. Inputs take the names of the arguments where the
/// attribute `mirage.name` gives one. Fails after a diagnostic at the first op
/// that has no meaning as a graph.
FailureOr<Graph> readFunction(FunctionOpInterface function);

/// Builds the operations of `graph` at the insertion point, all at `location`,
/// on the operands `inputs`. \returns the values of the graph's outputs.
SmallVector<Value> writeGraph(OpBuilder &builder, Location location,
                              const Graph &graph, ValueRange inputs);

/// Builds a function at the insertion point that is the whole graph, as one
/// `mirage_kernel.graph` whose results go to empty tensors. Arguments take the
/// names of inputs that have one (`mirage.name`).
func::FuncOp writeFunction(OpBuilder &builder, Location location,
                           const Graph &graph, StringRef name);

/// Builds one nested tile graph as `mirage_block.graph` or
/// `mirage_thread.graph`.
TileGraphOpInterface writeTileGraph(OpBuilder &builder, Location location,
                                    const TileGraph &graph, ValueRange inputs,
                                    TypeRange results);

} // namespace mlir::mirage

#endif // MIRAGE_BRIDGE_BRIDGE_H
