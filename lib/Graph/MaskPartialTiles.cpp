//===- MaskPartialTiles.cpp - Padding that reductions may see -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/Graph.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <cmath>

using namespace mlir::mirage;

namespace {
/// What stands in a dimension of a tile beyond the tensor's extent.
struct Padding {
  llvm::SmallVector<Axis, 2> axes; ///< that cut the dimension, outermost first
  int64_t extent = 0;              ///< of the whole dimension
  std::optional<double> value;     ///< the constant there; none if it varies
};
/// By dimension; none where the tile has no element beyond the extent.
using Paddings = llvm::SmallVector<std::optional<Padding>, 4>;

/// Rebuilds a tile graph operation by operation, with masks before those whose
/// result would depend on padding.
class Masker {
public:
  Masker(const TileGraph &source, llvm::ArrayRef<TensorSpec> tensors)
      : source(source), tensors(tensors) {}

  TileGraph run() {
    copyHeader();
    for (const Node &operation : source.getNodes())
      visit(operation);
    for (ValueId output : source.getOutputs())
      result.addOutput(mapped[output]);
    return std::move(result);
  }

private:
  void copyHeader() {
    result.level = source.level;
    result.grid = source.grid;
    result.cluster = source.cluster;
    result.loop = source.loop;
    result.threads = source.threads;
    result.tileInputs = source.tileInputs;
    result.tileOutputs = source.tileOutputs;
    for (unsigned input = 0; input < source.getNumInputs(); ++input) {
      mapped.push_back(
          result.addInput(source.getType(input), source.getInputName(input)));
      paddings.push_back(readPaddings(input));
    }
  }

  /// Input tiles are filled with zeros.
  Paddings readPaddings(unsigned input) const {
    const Shape &tile = source.getType(input).shape;
    Paddings result(tile.size());
    for (unsigned dim = 0; dim < tile.size(); ++dim) {
      llvm::SmallVector<Axis, 2> axes = source.getCuttingAxes(input, dim);
      if (source.getExtent(axes) * tile[dim] > tensors[input].shape[dim])
        result[dim] = Padding{axes, tensors[input].shape[dim], 0.0};
    }
    return result;
  }

  void visit(const Node &operation) {
    llvm::SmallVector<ValueId, 2> operands = llvm::map_to_vector<2>(
        operation.operands, [&](ValueId operand) { return mapped[operand]; });
    maskOperands(operation, operands);
    ValueId first = operation.body
                        ? result.addGraph(operands, operation.body,
                                          source.getTypes(operation.results))
                        : result.add(operation.opcode, operands,
                                     source.getType(operation.results[0]),
                                     operation.attributes);
    for (unsigned i = 0; i < operation.results.size(); ++i) {
      mapped.push_back(first + i);
      paddings.push_back(infer(operation, operands));
    }
  }

  /// Masks those operands whose padding is not neutral for the operation.
  void maskOperands(const Node &operation,
                    llvm::MutableArrayRef<ValueId> operands) {
    const OperatorInfo &info = getOperatorInfo(operation.opcode);
    if (info.kind == OperatorKind::Contraction) {
      maskUnless(operands[0], getRank(operands[0]) - 1, 0.0, {});
      maskUnless(operands[1], getRank(operands[1]) - 2, 0.0, {});
    } else if (info.kind == OperatorKind::Reduction) {
      maskReduced(operands[0], operation.attributes.dims, info);
    } else if (info.kind == OperatorKind::Accumulate) {
      const OperatorInfo &reduction =
          getOperatorInfo(operation.attributes.reduction);
      maskReduced(operands[0], getJoinedDims(operands[0], operation.attributes),
                  reduction);
      // No part of the padding is the largest.
      if (operation.isRescaled())
        maskReduced(operands[1],
                    getJoinedDims(operands[1], operation.attributes.axis),
                    getOperatorInfo(Opcode::Max));
    }
  }

  /// The dimensions whose padding an accumulation adds to something else: those
  /// it reduces and those that its axis cuts.
  llvm::SmallVector<int64_t, 4> getJoinedDims(ValueId value,
                                              const Attributes &attributes) {
    llvm::SmallVector<int64_t, 4> dims = attributes.dims;
    for (int64_t dim : getJoinedDims(value, attributes.axis))
      if (!llvm::is_contained(dims, dim))
        dims.push_back(dim);
    return dims;
  }

  /// The padded dimensions that an axis cuts.
  llvm::SmallVector<int64_t, 4> getJoinedDims(ValueId value, Axis axis) {
    llvm::SmallVector<int64_t, 4> dims;
    for (unsigned dim = 0; dim < getRank(value); ++dim)
      if (paddings[value][dim] &&
          llvm::is_contained(paddings[value][dim]->axes, axis))
        dims.push_back(dim);
    return dims;
  }

  void maskReduced(ValueId &value, llvm::ArrayRef<int64_t> dims,
                   const OperatorInfo &reduction) {
    for (int64_t dim : dims)
      maskUnless(value, dim, getNeutral(reduction.combiner),
                 reduction.definition);
  }

  /// Masks `value` along `dim` with `neutral`, unless what `first` makes of
  /// the padding there is neutral already.
  void maskUnless(ValueId &value, unsigned dim, double neutral,
                  const ScalarDefinition &first) {
    const std::optional<Padding> &padding = paddings[value][dim];
    if (!padding)
      return;
    if (padding->value) {
      double seen = first.empty()
                        ? *padding->value
                        : evaluateDouble(first, {*padding->value}, {});
      if (seen == neutral)
        return;
    }
    Attributes attributes;
    attributes.scalars = {neutral};
    attributes.dims = {dim};
    attributes.axes = padding->axes;
    attributes.extent = padding->extent;
    Paddings masked = paddings[value];
    masked[dim]->value = neutral;
    value =
        result.add(Opcode::Mask, {value}, result.getType(value), attributes);
    assert(paddings.size() == value && "one entry per value");
    paddings.push_back(std::move(masked));
  }

  unsigned getRank(ValueId value) const {
    return result.getType(value).getRank();
  }

  Paddings infer(const Node &operation, llvm::ArrayRef<ValueId> operands) {
    switch (getOperatorInfo(operation.opcode).kind) {
    case OperatorKind::Elementwise:
      return inferElementwise(operation, operands);
    case OperatorKind::Contraction:
      return inferMatmul(operation, operands);
    case OperatorKind::Reduction:
    case OperatorKind::Accumulate:
      return inferReduction(operation, operands[0]);
    case OperatorKind::Movement:
      return inferMovement(operation, operands);
    case OperatorKind::Copy:
      return paddings[operands[0]];
    case OperatorKind::Composed:
    case OperatorKind::Graph:
      break;
    }
    return Paddings(source.getType(operation.results[0]).getRank());
  }

  /// The padding of a result is a constant where each operand's is.
  Paddings inferElementwise(const Node &operation,
                            llvm::ArrayRef<ValueId> operands) {
    const OperatorInfo &info = getOperatorInfo(operation.opcode);
    unsigned rank = source.getType(operation.results[0]).getRank();
    Paddings joined(rank);
    for (unsigned dim = 0; dim < rank; ++dim) {
      llvm::SmallVector<double, 2> values;
      for (ValueId operand : operands) {
        int own = static_cast<int>(dim) - static_cast<int>(rank) +
                  static_cast<int>(getRank(operand));
        if (own < 0 || !paddings[operand][own])
          continue;
        if (!joined[dim])
          joined[dim] = paddings[operand][own];
        if (paddings[operand][own]->value)
          values.push_back(*paddings[operand][own]->value);
      }
      if (joined[dim])
        joined[dim]->value = std::nullopt;
      if (joined[dim] && values.size() == operands.size())
        joined[dim]->value = evaluateDouble(info.definition, values,
                                            operation.attributes.scalars);
    }
    return joined;
  }

  Paddings inferMatmul(const Node &operation,
                       llvm::ArrayRef<ValueId> operands) {
    unsigned rank = source.getType(operation.results[0]).getRank();
    Paddings joined(rank);
    const Paddings &lhs = paddings[operands[0]], &rhs = paddings[operands[1]];
    joined[rank - 2] = lhs[lhs.size() - 2];
    joined[rank - 1] = rhs.back();
    for (unsigned back = 3; back <= rank; ++back)
      for (const Paddings *side : {&lhs, &rhs})
        if (back <= side->size() && (*side)[side->size() - back])
          joined[rank - back] = (*side)[side->size() - back];
    for (std::optional<Padding> &padding : joined)
      if (padding && padding->value != 0.0)
        padding->value = std::nullopt;
    return joined;
  }

  /// Reduced and joined dimensions hold no padding any more; the others' is no
  /// longer followed.
  Paddings inferReduction(const Node &operation, ValueId operand) {
    Paddings kept = paddings[operand];
    for (int64_t dim : operation.attributes.dims)
      kept[dim] = std::nullopt;
    if (operation.opcode == Opcode::Accumulate)
      for (int64_t dim : getJoinedDims(operand, operation.attributes))
        kept[dim] = std::nullopt;
    forgetValues(kept);
    return kept;
  }

  Paddings inferMovement(const Node &operation,
                         llvm::ArrayRef<ValueId> operands) {
    assert(operation.opcode != Opcode::Shuffle &&
           "what a warp exchanges is whole");
    ValueId operand = operands[0];
    if (operation.opcode == Opcode::Slice)
      return inferSlice(operation, operand);
    if (operation.opcode == Opcode::Concat)
      return inferConcat(operation, operands);
    if (operation.opcode == Opcode::Transpose)
      return llvm::map_to_vector<4>(
          operation.attributes.dims,
          [&](int64_t dim) { return paddings[operand][dim]; });
    if (operation.opcode == Opcode::Reshape)
      return inferReshape(operation, operand);
    unsigned rank = source.getType(operation.results[0]).getRank();
    Paddings kept(rank);
    unsigned offset = rank - std::min<unsigned>(rank, getRank(operand));
    llvm::copy(paddings[operand], kept.begin() + offset);
    if (operation.opcode == Opcode::Mask)
      if (std::optional<Padding> &masked = kept[operation.attributes.dims[0]])
        masked->value = operation.attributes.scalars[0];
    if (operation.opcode == Opcode::CausalMask)
      forgetValues(kept);
    return kept;
  }

  /// Where the padding is stays known, what it is does not.
  static void forgetValues(Paddings &paddings) {
    for (std::optional<Padding> &padding : paddings)
      if (padding)
        padding->value = std::nullopt;
  }

  /// A dimension of a partial tile is taken as a whole.
  Paddings inferSlice(const Node &operation, ValueId operand) {
    const Shape &from = result.getType(operand).shape;
    const Shape &to = source.getType(operation.results[0]).shape;
    Paddings kept = paddings[operand];
    for (unsigned dim = 0; dim < from.size(); ++dim)
      assert((from[dim] == to[dim] || !kept[dim]) &&
             "a slice of a partial tile takes its padded dimensions whole");
    (void)from, (void)to;
    return kept;
  }

  /// Partial tiles are put side by side along a dimension that is whole.
  Paddings inferConcat(const Node &operation,
                       llvm::ArrayRef<ValueId> operands) {
    Paddings joined = paddings[operands[0]];
    for (ValueId operand : operands) {
      assert(!paddings[operand][operation.attributes.dims[0]] &&
             "what is concatenated is whole");
      for (auto [padding, other] : llvm::zip_equal(joined, paddings[operand])) {
        bool isSame = padding && other && padding->value == other->value;
        if (!padding)
          padding = other;
        if (padding && !isSame)
          padding->value = std::nullopt;
      }
    }
    return joined;
  }

  /// Dimensions of size 1 come and go; others keep their padding. A reshape
  /// that splits or joins dimensions of partial tiles has no padded dimension.
  Paddings inferReshape(const Node &operation, ValueId operand) {
    const Shape &from = result.getType(operand).shape;
    const Shape &to = source.getType(operation.results[0]).shape;
    Paddings kept(to.size());
    unsigned next = 0;
    for (unsigned dim = 0; dim < from.size(); ++dim) {
      if (from[dim] == 1) {
        assert(!paddings[operand][dim] &&
               "a dimension of size 1 is not padded");
        continue;
      }
      while (next < to.size() && to[next] == 1)
        ++next;
      bool isKept = next < to.size() && to[next] == from[dim];
      assert((isKept || !paddings[operand][dim]) &&
             "a reshape of a partial tile keeps its padded dimensions");
      if (isKept)
        kept[next++] = paddings[operand][dim];
    }
    return kept;
  }

  const TileGraph &source;
  llvm::ArrayRef<TensorSpec> tensors;
  TileGraph result;
  std::vector<ValueId> mapped;    ///< by value of `source`
  std::vector<Paddings> paddings; ///< by value of `result`
};
} // namespace

TileGraph mlir::mirage::maskPartialTiles(const TileGraph &graph,
                                         llvm::ArrayRef<TensorSpec> operands) {
  return Masker(graph, operands).run();
}
