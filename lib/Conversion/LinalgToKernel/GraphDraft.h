//===- GraphDraft.h - A graph that is being built ---------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_GRAPHDRAFT_H
#define MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_GRAPHDRAFT_H

#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::mirage {

/// The kernel graph that is to take the place of one op, not in the IR yet. It
/// is given up if it is destroyed before `replaceOp`.
class GraphDraft {
public:
  explicit GraphDraft(Operation *op);
  ~GraphDraft();

  /// Inserts into the graph's body.
  OpBuilder &getBuilder() { return builder; }

  /// The graph's argument for a tensor of the function.
  Value getInput(Value outer);

  /// Replaces the op by the graph, which yields `results`.
  kernel::GraphOp replaceOp(RewriterBase &rewriter, ValueRange results);

private:
  Region region;
  OpBuilder builder;
  Operation *op;
  DenseMap<Value, Value> arguments;
  SmallVector<Value> inputs;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_GRAPHDRAFT_H
