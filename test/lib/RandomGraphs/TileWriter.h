//===- TileWriter.h - Operations on tiles that fit --------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes a block graph operation by operation and follows what is known of each
// value: its dimensions, its phase, along which axes it varies, between which
// numbers it lies.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_LIB_RANDOMGRAPHS_TILEWRITER_H
#define MIRAGE_TEST_LIB_RANDOMGRAPHS_TILEWRITER_H

#include "Dimensions.h"
#include "Mirage/Graph/Phases.h"
#include "Mirage/Graph/VaryingAxes.h"
#include "ValueRange.h"

namespace mlir::mirage::test {

/// No tile has more elements.
constexpr int64_t kMostTileElements = 2048;
/// Nor more dimensions that are not 1: a step has as many axes of items.
constexpr unsigned kMostTileDims = 3;

struct TileValue {
  DimList dims;
  ValueRange range;
  Phase phase = Phase::Invariant;
  AxisSet varying = 0;
  unsigned numUses = 0;
  /// Whether a root is taken on the way. In fields one of two numbers has none:
  /// where an element depends on many, the judge sees nothing.
  bool hasRoots = false;
  /// How many exponentials stand inside one another.
  unsigned expDepth = 0;
};

/// What an operand's tiles are cut out of.
struct TileSource {
  ElementType element = ElementType::F32;
  ValueRange range;
  bool hasRoots = false;
  unsigned expDepth = 0;
};

class TileWriter {
public:
  TileWriter(Draw &draw, TileGraph &graph, Dimensions &dimensions)
      : draw(draw), graph(graph), dimensions(dimensions) {}

  /// Whether values are kept in bounds by clamps, too.
  bool mayClamp = true;

  ValueId addInput(const TileSource &source, llvm::ArrayRef<DimId> dims);
  /// Appends an operation that is valid by the operator table.
  ValueId add(Opcode opcode, llvm::ArrayRef<ValueId> operands,
              Attributes attributes, DimList dims, const ValueRange &range,
              ElementType element = ElementType::F32);
  const TileValue &operator[](ValueId value) const { return values[value]; }
  const TensorSpec &getType(ValueId value) const {
    return graph.getType(value);
  }
  Shape getShape(ValueId value) const { return graph.getType(value).shape; }
  unsigned getNumValues() const { return values.size(); }

  /// The same elements in the order of other dimensions, among which are all of
  /// the value's: transposed and reshaped.
  ValueId conform(ValueId value, llvm::ArrayRef<DimId> dims);
  ValueId reshape(ValueId value, DimList dims);
  ValueId transpose(ValueId value, llvm::ArrayRef<int64_t> permutation);
  ValueId cast(ValueId value, ElementType element);
  /// Applies a function of one operand, without a look at the range.
  std::optional<ValueId> tryUnary(Opcode opcode, ValueId value,
                                  llvm::ArrayRef<double> scalars = {});
  /// Something like the value that lies within [-most, most] or, where it has
  /// to be positive, in [0.25, most].
  ValueId tame(ValueId value, double most, bool isPositive);
  /// The same without minus infinity.
  ValueId fillInfinity(ValueId value);
  /// By about `factor`, and no more.
  ValueId scaleBy(ValueId value, double factor);
  /// Takes both to a common list of dimensions. \returns false if the result
  /// would be too large.
  bool broadcast(ValueId &lhs, ValueId &rhs, DimList &dims);
  /// Reduces some dimensions of a value.
  ValueId reduce(Opcode reduction, ValueId value, llvm::ArrayRef<int64_t> dims);
  /// Whether the result of something over these dimensions has a size that we
  /// take.
  bool fits(llvm::ArrayRef<DimId> dims) const;
  /// What a reduction of some dimensions makes of the range; where padding is
  /// left out, something may be a maximum of nothing.
  std::optional<ValueRange> inferReduced(const Attributes &attributes,
                                         Opcode reduction, ValueId value,
                                         int64_t numParts) const;

private:
  Draw &draw;
  TileGraph &graph;
  Dimensions &dimensions;
  std::vector<TileValue> values;
};

/// Whether an operator takes roots, as rms does.
bool takesRoots(Opcode opcode, const Attributes &attributes);
/// How many exponentials an operator has inside one another, 1 at most.
unsigned getExpDepth(Opcode opcode, size_t numOperands);
/// More are not nested: the judge's towers of primes are as high.
constexpr unsigned kMostExpDepth = 3;

/// The dimensions that are not of size 1.
DimList withoutUnits(llvm::ArrayRef<DimId> dims);

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_LIB_RANDOMGRAPHS_TILEWRITER_H
