//===- OperationDrawer.h - Random operations on tiles -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_LIB_RANDOMGRAPHS_OPERATIONDRAWER_H
#define MIRAGE_TEST_LIB_RANDOMGRAPHS_OPERATIONDRAWER_H

#include "Feature.h"
#include "TileWriter.h"

namespace mlir::mirage::test {

/// Where operations are added: among what the loop does not change, in the
/// loop, behind it, or behind the joins of blocks.
enum class Stage : uint8_t { BeforeLoop, InLoop, AfterLoop, AfterGrid };

/// Draws operations with operands among the values of a stage.
class OperationDrawer {
public:
  OperationDrawer(Draw &draw, const TileGraph &graph, Dimensions &dimensions,
                  TileWriter &writer)
      : draw(draw), graph(graph), dimensions(dimensions), writer(writer),
        productElement(draw.oneOf(kElementTypes)) {}

  void enter(Stage next) { stage = next; }
  /// Adds an operation of this kind, and what its operands need. \returns
  /// false if no operands were found that it takes here.
  bool tryAdd(const Feature &feature);
  /// Accumulates a value over an axis.
  bool tryAccumulate(ValueId value, Axis axis, Opcode reduction,
                     bool isRescaled);
  /// Joins two values into one.
  ValueId combine(ValueId lhs, ValueId rhs);
  /// Whether operations of the stage may take a value.
  bool isKnown(ValueId value) const;
  /// A value that is known, a late one mostly. None if nothing is.
  /// \param isJoined  whether many elements are joined into one: then of
  ///                  those without roots if there are any.
  std::optional<ValueId> drawValue(bool isJoined = false);

private:
  bool addConstant();
  bool addUnary(Opcode opcode);
  bool addBinary(Opcode opcode);
  bool addBinary(Opcode opcode, ValueId lhs, ValueId rhs);
  bool addReduction(Opcode opcode);
  bool addMatmul();
  bool addMatmul(ValueId lhs, ValueId rhs);
  bool addMovement(Opcode opcode);
  bool addTranspose(ValueId value);
  bool addReshape(ValueId value);
  bool addBroadcast(ValueId value);
  bool addCast(ValueId value);
  bool addMask(ValueId value);
  bool addSlice(ValueId value);
  bool addConcat(ValueId value);
  bool addCausalMask(ValueId value);
  bool addAccumulation(const Feature &feature);
  std::optional<ValueId> makeRescaling(llvm::ArrayRef<DimId> result);
  llvm::SmallVector<double> drawScalars(Opcode opcode);
  llvm::SmallVector<int64_t> drawDims(ValueId value, bool mayBeNone);
  ValueId storeInfinities(ValueId value);
  /// Whether an operation of the stage may ask for its place along these axes.
  bool mayAskFor(llvm::ArrayRef<Axis> axes) const;
  llvm::ArrayRef<Axis> getAxes(DimId dim) const;

  Draw &draw;
  const TileGraph &graph;
  Dimensions &dimensions;
  TileWriter &writer;
  ElementType productElement; ///< of most operands of products
  Stage stage = Stage::InLoop;
};

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_LIB_RANDOMGRAPHS_OPERATIONDRAWER_H
