//===- GraphWriter.h - Appends operations with inferred types - -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_GRAPHWRITER_H
#define MIRAGE_GRAPH_GRAPHWRITER_H

#include "Mirage/Graph/Graph.h"

namespace mlir::mirage {

/// Appends operations to a graph; their types follow from their operands. What
/// would change nothing is not written.
class GraphWriter {
public:
  explicit GraphWriter(Graph &graph) : graph(graph) {}

  /// \param shape  of operations that state theirs.
  ValueId add(Opcode opcode, llvm::ArrayRef<ValueId> operands,
              Attributes attributes = {}, llvm::ArrayRef<int64_t> shape = {});
  ValueId reshape(ValueId value, llvm::ArrayRef<int64_t> shape);
  ValueId transpose(ValueId value, llvm::ArrayRef<int64_t> permutation);
  /// An unstrided slice.
  ValueId slice(ValueId value, llvm::ArrayRef<int64_t> offsets,
                llvm::ArrayRef<int64_t> shape);
  ValueId concat(llvm::ArrayRef<ValueId> parts, int64_t dim);
  ValueId reduce(Opcode opcode, ValueId value, llvm::ArrayRef<int64_t> dims,
                 int64_t count = 0);
  ValueId cast(ValueId value, ElementType element);

  /// What a value is stored as.
  void setElement(ValueId value, ElementType element) {
    graph.setType(value, {getShape(value), element});
  }
  const Shape &getShape(ValueId value) const {
    return graph.getType(value).shape;
  }

private:
  Graph &graph;
};

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_GRAPHWRITER_H
