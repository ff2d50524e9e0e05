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
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include <cmath>

using namespace mlir::mirage;

namespace {
/// What stands in a dimension of a tile beyond the tensor's extent.
struct Padding {
  llvm::SmallVector<Axis, 2> axes; ///< that cut the dimension, outermost first
  int64_t extent = 0;              ///< of the whole dimension
  std::optional<double> value;     ///< the constant there; none if it varies

  /// Whether the same elements are padding.
  bool isWhere(const Padding &other) const {
    return axes == other.axes && extent == other.extent;
  }
};
/// By dimension; none where the tile has no element beyond the extent.
using Paddings = llvm::SmallVector<std::optional<Padding>, 4>;

/// Rebuilds a tile graph operation by operation, with masks before those whose
/// result would depend on padding.
class Masker {
public:
  Masker(const TileGraph &source, llvm::ArrayRef<TensorSpec> tensors)
      : source(source), tensors(tensors) {}

  llvm::Expected<TileGraph> run() {
    copyHeader();
    for (auto [number, operation] : llvm::enumerate(source.getNodes())) {
      visit(operation);
      if (!failure.empty())
        return llvm::createStringError(
            "operation " + llvm::Twine(number) + " (" +
            getOperatorInfo(operation.opcode).name + "): " + failure);
    }
    for (ValueId output : source.getOutputs())
      result.addOutput(mapped[output]);
    return std::move(result);
  }

private:
  void copyHeader() {
    result.f32Products = source.f32Products;
    result.level = source.level;
    result.grid = source.grid;
    result.cluster = source.cluster;
    result.loop = source.loop;
    result.stages = source.stages;
    result.threads = source.threads;
    result.tileInputs = source.tileInputs;
    result.tileOutputs = source.tileOutputs;
    // Most operations need no mask, and few need more than one.
    result.reserve(source.getNumInputs(), 2 * source.getNodes().size());
    mapped.reserve(source.getNumValues());
    paddings.reserve(source.getNumInputs() + 2 * source.getNodes().size());
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
    ValueId first =
        result.addCopy(operation, operands, source.getTypes(operation.results));
    Paddings padded = infer(operation, operands);
    for (unsigned i = 0; i < operation.results.size(); ++i) {
      mapped.push_back(first + i);
      paddings.push_back(padded);
    }
  }

  /// Keeps the first thing that is wrong with an operation.
  void fail(const llvm::Twine &message) {
    if (failure.empty())
      failure = message.str();
  }

  bool isPadded(ValueId value) const {
    return llvm::any_of(paddings[value],
                        [](const auto &padding) { return bool(padding); });
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
    const std::optional<Padding> padding = paddings[value][dim];
    if (!padding)
      return;
    if (padding->value) {
      double seen = first.empty()
                        ? *padding->value
                        : evaluateDouble(first, {*padding->value}, {});
      if (seen == neutral)
        return;
    }
    // Not every type has the infinity that is neutral for maxima.
    if (std::isinf(neutral) &&
        !storesInfinities(result.getType(value).element)) {
      Paddings same = paddings[value];
      TensorSpec wide{result.getType(value).shape, ElementType::F32};
      value = result.add(Opcode::Cast, {value}, wide);
      paddings.push_back(std::move(same));
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

  static std::string describe(llvm::ArrayRef<Axis> axes) {
    return llvm::join(llvm::map_range(axes, getAxisName), ", ");
  }

  /// Puts what an operand has in the place of one dimension of the result; what
  /// others have there must end at the same element.
  void join(std::optional<Padding> &joined, const std::optional<Padding> &other,
            unsigned dim) {
    if (!joined)
      joined = other;
    else if (other && !other->isWhere(*joined))
      fail("expects operands that end at one element along dimension " +
           llvm::Twine(dim) + ", got one cut out of " +
           llvm::Twine(joined->extent) + " elements by " +
           describe(joined->axes) + " and one out of " +
           llvm::Twine(other->extent) + " by " + describe(other->axes));
  }

  /// Paddings of an operand's dimensions by those of a result to which they
  /// stretch, aligned at the last one.
  Paddings stretch(llvm::ArrayRef<std::optional<Padding>> own,
                   llvm::ArrayRef<int64_t> ownShape,
                   llvm::ArrayRef<int64_t> shape) {
    Paddings stretched(shape.size());
    for (unsigned back = 1; back <= ownShape.size(); ++back) {
      unsigned from = ownShape.size() - back, to = shape.size() - back;
      if (own[from] && ownShape[from] != shape[to])
        fail("expects a whole dimension to stretch to dimension " +
             llvm::Twine(to) + ", got a partial one");
      stretched[to] = own[from];
    }
    return stretched;
  }
  Paddings stretch(ValueId operand, llvm::ArrayRef<int64_t> shape) {
    return stretch(paddings[operand], result.getType(operand).shape, shape);
  }

  /// The padding of a result is a constant where each operand's is.
  Paddings inferElementwise(const Node &operation,
                            llvm::ArrayRef<ValueId> operands) {
    const OperatorInfo &info = getOperatorInfo(operation.opcode);
    const Shape &shape = source.getType(operation.results[0]).shape;
    Paddings joined(shape.size());
    llvm::SmallVector<llvm::SmallVector<double, 2>, 4> values(shape.size());
    for (ValueId operand : operands)
      for (auto [dim, own] : llvm::enumerate(stretch(operand, shape))) {
        join(joined[dim], own, dim);
        if (own && own->value)
          values[dim].push_back(*own->value);
      }
    forgetValues(joined);
    for (auto [padding, known] : llvm::zip_equal(joined, values))
      if (padding && known.size() == operands.size())
        padding->value = evaluateDouble(info.definition, known,
                                        operation.attributes.scalars);
    return joined;
  }

  /// Rows are the left operand's, columns the right one's, batches those of
  /// both.
  Paddings inferMatmul(const Node &operation,
                       llvm::ArrayRef<ValueId> operands) {
    llvm::ArrayRef<int64_t> shape = source.getType(operation.results[0]).shape;
    unsigned rank = shape.size();
    Paddings joined(rank);
    for (ValueId operand : operands) {
      Paddings batch =
          stretch(llvm::ArrayRef(paddings[operand]).drop_back(2),
                  llvm::ArrayRef(result.getType(operand).shape).drop_back(2),
                  shape.drop_back(2));
      for (auto [dim, padding] : llvm::enumerate(batch))
        join(joined[dim], padding, dim);
    }
    const Paddings &lhs = paddings[operands[0]];
    joined[rank - 2] = lhs[lhs.size() - 2];
    joined[rank - 1] = paddings[operands[1]].back();
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
    if (operation.opcode == Opcode::Shuffle && isPadded(operands[0]))
      fail("expects whole fragments to exchange elements of, got partial ones");
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
    Paddings kept =
        stretch(operand, source.getType(operation.results[0]).shape);
    if (operation.opcode == Opcode::Mask)
      fill(kept[operation.attributes.dims[0]], operation.attributes);
    if (operation.opcode == Opcode::CausalMask)
      forgetValues(kept);
    return kept;
  }

  /// A mask that ends no later than the dimension sets all of its padding; any
  /// other leaves it as somebody wished.
  static void fill(std::optional<Padding> &padding, const Attributes &mask) {
    if (!padding)
      return;
    padding->value = std::nullopt;
    if (llvm::ArrayRef<Axis>(mask.axes) == llvm::ArrayRef(padding->axes) &&
        mask.extent <= padding->extent)
      padding->value = mask.scalars[0];
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
      if (from[dim] != to[dim] && kept[dim])
        fail("expects a slice to take the partial dimension " +
             llvm::Twine(dim) + " as a whole, got " + llvm::Twine(to[dim]) +
             " of " + llvm::Twine(from[dim]) + " elements");
    return kept;
  }

  /// Partial tiles are put side by side along a dimension that is whole.
  Paddings inferConcat(const Node &operation,
                       llvm::ArrayRef<ValueId> operands) {
    Paddings joined(source.getType(operation.results[0]).getRank());
    int64_t along = operation.attributes.dims[0];
    for (auto [number, operand] : llvm::enumerate(operands)) {
      if (paddings[operand][along])
        fail("expects whole tiles to put side by side, got operand " +
             llvm::Twine(number) + " partial along dimension " +
             llvm::Twine(along));
      for (auto [dim, other] : llvm::enumerate(paddings[operand])) {
        std::optional<Padding> &padding = joined[dim];
        bool isSame =
            number == 0 || (padding && other && padding->value == other->value);
        join(padding, other, dim);
        if (padding && !isSame)
          padding->value = std::nullopt;
      }
    }
    return joined;
  }

  /// Dimensions of size 1 come and go, and those that are whole are split and
  /// joined; others keep their padding.
  Paddings inferReshape(const Node &operation, ValueId operand) {
    const Shape &from = result.getType(operand).shape;
    const Shape &to = source.getType(operation.results[0]).shape;
    Paddings kept(to.size());
    auto lose = [&](unsigned dim) {
      if (paddings[operand][dim])
        fail("expects a reshape to keep the partial dimension " +
             llvm::Twine(dim) + " of size " + llvm::Twine(from[dim]) +
             ", got " + toString(to));
    };
    unsigned dim = 0, next = 0;
    while (dim < from.size()) {
      if (from[dim] == 1) {
        lose(dim++);
        continue;
      }
      while (to[next] == 1)
        ++next;
      if (to[next] == from[dim]) {
        kept[next++] = paddings[operand][dim++];
        continue;
      }
      // As many elements on both sides, in as few dimensions.
      lose(dim);
      int64_t before = from[dim++], after = to[next++];
      while (before != after) {
        if (before > after) {
          after *= to[next++];
          continue;
        }
        lose(dim);
        before *= from[dim++];
      }
    }
    return kept;
  }

  const TileGraph &source;
  llvm::ArrayRef<TensorSpec> tensors;
  TileGraph result;
  std::string failure;            ///< of the operation that is visited
  std::vector<ValueId> mapped;    ///< by value of `source`
  std::vector<Paddings> paddings; ///< by value of `result`
};
} // namespace

llvm::Expected<TileGraph>
mlir::mirage::maskPartialTiles(const TileGraph &graph,
                               llvm::ArrayRef<TensorSpec> operands) {
  return Masker(graph, operands).run();
}
