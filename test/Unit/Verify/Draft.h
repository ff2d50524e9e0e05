//===- Draft.h - A graph in pieces that can be changed ----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_VERIFY_DRAFT_H
#define MIRAGE_TEST_UNIT_VERIFY_DRAFT_H

#include "Mirage/Graph/Graph.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace mlir::mirage::test {

/// One graph, the program or a tile graph somewhere in it, in pieces that can
/// be changed one at a time. Operations name values by the numbers that these
/// have in the graph, and by numbers from its end on those that are new; they
/// may be moved, and results follow their operands in shape.
class Draft {
public:
  explicit Draft(const Graph &graph);
  explicit Draft(const TileGraph &graph);

  std::vector<Node> operations;
  std::vector<TensorSpec> types; ///< by value, as far as it is known
  llvm::SmallVector<ValueId> outputs;
  TileGraph tiles; ///< header and maps, if it is a tile graph
  bool isTileGraph = false;

  unsigned getNumInputs() const { return numInputs; }
  const Shape &getShape(ValueId value) const { return types[value].shape; }
  bool haveSameShape(ValueId a, ValueId b) const {
    return getShape(a) == getShape(b);
  }
  /// Where the operation stands that gives a value; none for inputs.
  std::optional<unsigned> findDefinition(ValueId value) const;
  /// The result of an operation that has one.
  ValueId getResult(unsigned operation) const {
    return operations[operation].results[0];
  }
  unsigned countUses(ValueId value) const; ///< by operations and as an output

  /// Puts a new operation in front of operation `position`.
  /// \param shape  of the result, where operands do not say it.
  /// \returns the result. An operation that operands do not fit makes a draft
  /// that is no graph.
  ValueId insert(unsigned position, Opcode opcode,
                 llvm::ArrayRef<ValueId> operands, Attributes attributes = {},
                 Shape shape = {});
  /// Users of a value from operation `first` on, and outputs, take another.
  void replaceUses(ValueId value, ValueId other, unsigned first = 0);

  /// The graph, if it is one: of this draft of a program.
  std::optional<Graph> toGraph() const;
  /// The same of a tile graph. Whether it is one, its users see.
  std::shared_ptr<const TileGraph> toTileGraph() const;

private:
  void takeApart(const Graph &graph);
  bool fill(Graph &graph) const;

  unsigned numInputs = 0;
  std::vector<std::string> inputNames;
};

/// Makes the whole program of a changed draft of one of its graphs, if that is
/// well formed and has outputs of the same shapes.
using Complete = llvm::function_ref<std::optional<Graph>(const Draft &)>;

/// Calls `visit` for a program and every tile graph in it, outermost first.
void visitGraphs(const Graph &program,
                 llvm::function_ref<void(const Draft &, Complete)> visit);

/// An attribute list of one constant, or one dimension.
Attributes withScalar(double scalar);
Attributes withDim(int64_t dim);

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_UNIT_VERIFY_DRAFT_H
