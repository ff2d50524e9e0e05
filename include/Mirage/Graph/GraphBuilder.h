//===- GraphBuilder.h - Graphs that are checked as they grow ----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For those who write a program, or the block graph of a kernel, operator by
// operator, and want to hear at once what does not fit. Types of results are
// inferred. A call that fails leaves the graph as it was.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_GRAPHBUILDER_H
#define MIRAGE_GRAPH_GRAPHBUILDER_H

#include "Mirage/Graph/Graph.h"

namespace mlir::mirage {

/// What the operands do not say of a result.
struct ResultRequest {
  /// Where the operator has no shape rule: of constants, reshapes, broadcasts,
  /// slices and repeats; and of a kernel that is written whole.
  Shape shape = {};
  /// Without it, kernels store the type that holds all operands' numbers, and
  /// f16 where these are 8-bit floats; movements keep their operands', and a
  /// constant is f32. Casts need it. In a block graph all is f32, but what
  /// movements move.
  std::optional<ElementType> element = std::nullopt;
};

/// The type that holds the numbers of both: f32 where one is f16 and the other
/// bf16. Of 8-bit floats, which are no type for results, f16 is one.
ElementType joinElements(ElementType lhs, ElementType rhs);

/// Adds to a program, or with a tile graph to the steps of a kernel.
class GraphBuilder {
public:
  explicit GraphBuilder(Graph &program) : graph(program) {}
  explicit GraphBuilder(TileGraph &tiles) : graph(tiles), tiles(&tiles) {}

  /// Of a program. An input behind operations has a number before theirs, which
  /// move up by one.
  llvm::Expected<ValueId> addInput(TensorSpec type, llvm::StringRef name);

  /// Of a tile graph: the tile of `tensor` that the maps cut out, of sizes
  /// rounded up.
  llvm::Expected<ValueId> addInput(const TensorSpec &tensor,
                                   llvm::ArrayRef<int> gridMap, int loopMap);

  /// In a block graph a composed operator is its steps, and a concat of tiles
  /// of different types one of them in f32.
  llvm::Expected<ValueId> add(Opcode opcode, llvm::ArrayRef<ValueId> operands,
                              Attributes attributes,
                              const ResultRequest &request = {});

  /// An operator of a value and a number (Mirage/Graph/NumberOperand.h). The
  /// result is a value of its own, which may be an output beside the operand:
  /// x ** 1, which changes nothing, is scale by 1.
  llvm::Expected<ValueId> addWithNumber(Opcode opcode, ValueId operand,
                                        double number, bool isNumberFirst);

  /// Sums elements that are `size` apart along a dimension, of which so many
  /// stay: 256 to 64 are 4 x 64, summed over the 4.
  /// \param isAccumulated  of a tile of the loop: of all iterations.
  llvm::Expected<ValueId> addSumTo(ValueId operand, int64_t dim, int64_t size,
                                   bool isAccumulated = false);

  /// Of a program: a kernel that has been written whole.
  /// \param requests  for each result, or for none. What is not said is as
  ///                  large as all tiles together, and of the first operand's
  ///                  element type.
  /// \returns the first of its results.
  llvm::Expected<ValueId>
  addKernel(llvm::ArrayRef<ValueId> operands,
            std::shared_ptr<const TileGraph> kernel,
            llvm::ArrayRef<ResultRequest> requests = {});

  llvm::Error addOutput(ValueId value);
  /// Of a tile graph.
  llvm::Error addOutput(ValueId value, llvm::ArrayRef<int> gridMap);

private:
  Level getLevel() const { return tiles ? tiles->level : Level::Kernel; }
  llvm::Error checkValues(llvm::ArrayRef<ValueId> values) const;
  llvm::Error checkTypes(Opcode opcode, llvm::ArrayRef<ValueId> operands,
                         const Attributes &attributes,
                         ElementType element) const;
  /// What results of one operand are stored as, where nothing else is said.
  ElementType getStored(ValueId operand) const;
  llvm::Expected<ValueId> addSteps(const Graph &definition,
                                   llvm::ArrayRef<ValueId> operands);
  llvm::Expected<ValueId> addComposed(Opcode opcode,
                                      llvm::ArrayRef<ValueId> operands,
                                      const Attributes &attributes,
                                      const ResultRequest &request);
  llvm::Expected<ValueId> addConcat(llvm::ArrayRef<ValueId> operands,
                                    const Attributes &attributes);
  llvm::Expected<TensorSpec> inferType(Opcode opcode,
                                       llvm::ArrayRef<TensorSpec> operands,
                                       const Attributes &attributes,
                                       const ResultRequest &request) const;
  llvm::Expected<ElementType> inferElement(Opcode opcode,
                                           llvm::ArrayRef<TensorSpec> operands,
                                           const ResultRequest &request) const;

  Graph &graph;
  TileGraph *tiles = nullptr; ///< the same, where it is one
};

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_GRAPHBUILDER_H
