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
#include <string>
#include <variant>

namespace mlir::mirage {

/// What is made of one result of an op: nothing, where nobody uses it; the
/// number that all its elements are; or a tensor of the graph.
using ResultValue = std::variant<std::monostate, double, Value>;

/// Why no tensor of a graph stands for one of this type, or nothing if one
/// does: itself, or one of [1] where the rank is 0.
std::optional<std::string> explainUnsupported(Type type);

/// The kernel graph that is to take the place of one op, not in the IR yet. It
/// is given up if it is destroyed before `replaceOp`.
class GraphDraft {
public:
  explicit GraphDraft(Operation *op);
  ~GraphDraft();

  /// Inserts into the graph's body.
  OpBuilder &getBuilder() { return builder; }

  /// The graph's argument for a tensor of the function; of [1] where its rank
  /// is 0.
  Value getInput(Value outer);

  /// Replaces the op's results, by those of the graph and by constants. For a
  /// result of rank 0 the graph gives one of [1].
  /// \returns the graph; null where there is no tensor among `results`.
  kernel::GraphOp replaceOp(RewriterBase &rewriter,
                            ArrayRef<ResultValue> results);

private:
  kernel::GraphOp createGraph(RewriterBase &rewriter, ValueRange yielded);

  Region region;
  OpBuilder builder;
  Operation *op;
  DenseMap<Value, Value> arguments;
  SmallVector<Value> inputs;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_GRAPHDRAFT_H
