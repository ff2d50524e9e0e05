//===- OriginalOperators.h - Operators in the original's JSON ---*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What programs and block graphs have in common in the JSON that
// Mirage/Graph/OriginalJSON.h describes: tensors, and the operators that exist
// at both levels.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_GRAPH_ORIGINALOPERATORS_H
#define MIRAGE_LIB_GRAPH_ORIGINALOPERATORS_H

#include "Mirage/Graph/GraphBuilder.h"
#include "Mirage/Graph/JSONCursor.h"
#include "Mirage/Graph/OriginalJSON.h"
#include <array>
#include <map>

namespace mlir::mirage {

/// "dim" and "num_dims" of a tensor; "dim" is longer where the rank is lower.
Shape readOriginalShape(const JSONCursor &tensor);
TensorSpec readOriginalTensor(const JSONCursor &tensor,
                              const NumberedTypes &types);
/// The tensors that a member of an operator lists, which are to be `count`.
/// \returns that many, or none after an error.
std::vector<JSONCursor> readOriginalTensors(const JSONCursor &operation,
                                            llvm::StringRef member,
                                            size_t count);
/// "x", "y" and "z", each from `least` to `most`.
std::array<int64_t, 3> readOriginalTriple(const JSONCursor &triple,
                                          int64_t least, int64_t most);

/// Unlike any other operator, an input has no place among operators: it may
/// come behind some. So they are read first.
bool isOriginalInput(const JSONCursor &operation);

/// The number in a name such as "reduction_2_max": a dimension.
std::optional<int64_t> parseOriginalDim(llvm::StringRef name,
                                        llvm::StringRef front,
                                        llvm::StringRef back = "");

/// Adds operators to a graph, one by one. The first error stays with the
/// document's cursor, and nothing is added from then on.
class OriginalOperators {
public:
  OriginalOperators(Graph &program, const NumberedTypes &types)
      : graph(program), builder(program), types(types) {}
  explicit OriginalOperators(TileGraph &tiles)
      : graph(tiles), builder(tiles), isInBlock(true) {}

  /// The value that a tensor was defined as; 0 after an error.
  ValueId find(const JSONCursor &tensor) const;
  /// The operands, of which there are to be `count`.
  llvm::SmallVector<ValueId, 2> findOperands(const JSONCursor &operation,
                                             size_t count) const;
  /// Makes a tensor known, whose shape is to be that of the value.
  void define(const JSONCursor &tensor, ValueId value);
  /// The only result of an operation.
  void defineResult(const JSONCursor &operation, ValueId value);

  /// \returns the result, 0 after an error.
  ValueId add(const JSONCursor &operation, Opcode opcode,
              llvm::ArrayRef<ValueId> operands, Attributes attributes = {},
              Shape shape = {});
  /// Adds an operator of both levels, that is called so in the JSON between
  /// "kn_" or "tb_" and "_op". \returns false where it is none of them.
  bool addOperator(const JSONCursor &operation, llvm::StringRef name);

  Graph &graph;
  GraphBuilder builder;
  /// Of a block graph, by guid: what reduction_max gives beside the maximum, or
  /// its exponential, which is no value; and that maximum.
  std::map<int64_t, ValueId> rescalings;

private:
  NumberedTypes types;    ///< of a program
  bool isInBlock = false; ///< where results have no types of their own
  std::map<int64_t, ValueId> values; ///< by guid
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_GRAPH_ORIGINALOPERATORS_H
