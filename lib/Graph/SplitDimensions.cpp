//===- SplitDimensions.cpp - Dimensions as their factors ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ErrorPrefix.h"
#include "Mirage/Graph/DimensionFactors.h"
#include "Mirage/Graph/GraphWriter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir::mirage;
using llvm::ArrayRef;
using llvm::Error;
using llvm::SmallVector;
using llvm::SmallVectorImpl;

/// first, first + 1, ..., as many as there are.
static void appendRange(SmallVectorImpl<int64_t> &list, int64_t first,
                        int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    list.push_back(first + i);
}

namespace {
/// Writes a graph again with a dimension for each factor.
class DimensionSplitter {
public:
  DimensionSplitter(const Graph &graph, const DimensionFactors &factors)
      : graph(graph), factors(factors), writer(result) {}

  llvm::Expected<Graph> run() {
    result.f32Products = graph.f32Products;
    for (unsigned input = 0; input < graph.getNumInputs(); ++input)
      values.push_back(
          result.addInput(getSplitType(input), graph.getInputName(input)));
    for (auto [number, operation] : llvm::enumerate(graph.getNodes())) {
      if (Error error = checkWhole(operation))
        return prefixError("operation " + llvm::Twine(number) + " (" +
                               getOperatorInfo(operation.opcode).name + ")",
                           std::move(error));
      add(operation);
    }
    for (ValueId output : graph.getOutputs())
      result.addOutput(
          writer.cast(values[output], graph.getType(output).element));
    return std::move(result);
  }

private:
  TensorSpec getSplitType(ValueId value) const {
    return {factors.getShape(value), graph.getType(value).element};
  }

  /// Of a value that is new, where it is computed: what moves it keeps its
  /// element type.
  void setElement(ValueId value, ElementType element, unsigned firstNew) {
    while (value >= firstNew) {
      writer.setElement(value, element);
      const Node &operation = *result.getDefinition(value);
      if (operation.opcode != Opcode::Reshape &&
          operation.opcode != Opcode::Transpose)
        return;
      value = operation.operands[0];
    }
  }

  void add(const Node &operation) {
    if (!operation.body) {
      ValueId value = operation.results[0];
      unsigned first = result.getNumValues();
      ValueId written = write(operation);
      setElement(written, graph.getType(value).element, first);
      values.push_back(writer.reshape(written, factors.getShape(value)));
      return;
    }
    auto operands = llvm::map_to_vector(
        operation.operands, [&](ValueId operand) { return values[operand]; });
    auto types = llvm::map_to_vector(
        operation.results, [&](ValueId value) { return getSplitType(value); });
    ValueId first = result.addGraph(operands, operation.body, types);
    for (unsigned i = 0; i < types.size(); ++i)
      values.push_back(first + i);
  }

  unsigned getRank(ValueId value) const {
    return graph.getType(value).getRank();
  }
  ArrayRef<int64_t> getFactors(ValueId value, unsigned dim) const {
    return factors.ofValues[value][dim];
  }

  Error checkWhole(ValueId value, unsigned dim) const {
    if (getFactors(value, dim).size() == 1)
      return Error::success();
    return llvm::createStringError(
        "expects dimensions that no reshape splits, got " +
        llvm::Twine(graph.getType(value).shape[dim]) + " in parts");
  }

  /// A mask counts rows and columns; maps of a nested graph count dimensions.
  Error checkWhole(const Node &operation) const {
    if (operation.opcode != Opcode::CausalMask && !operation.body)
      return Error::success();
    for (ValueId value :
         llvm::concat<const ValueId>(operation.operands, operation.results))
      for (unsigned dim = operation.body ? 0 : getRank(value) - 2;
           dim < getRank(value); ++dim)
        if (Error error = checkWhole(value, dim))
          return error;
    return Error::success();
  }

  /// Positions of the factors of dimensions [0, dim) of a value.
  int64_t countFactors(ValueId value, unsigned dim) const {
    int64_t count = 0;
    for (unsigned before = 0; before < dim; ++before)
      count += getFactors(value, before).size();
    return count;
  }
  SmallVector<int64_t> getPositions(ValueId value,
                                    ArrayRef<int64_t> dims) const {
    SmallVector<int64_t> positions;
    for (int64_t dim : dims)
      appendRange(positions, countFactors(value, dim),
                  getFactors(value, dim).size());
    return positions;
  }

  /// The shape of an operand's dimensions [0, rank), where those of size 1 have
  /// as many factors as the result's that stand there, counted from the back.
  Shape alignShape(ValueId operand, unsigned rank, ValueId target,
                   unsigned targetRank) const {
    Shape shape;
    for (unsigned dim = 0; dim < rank; ++dim) {
      ArrayRef<int64_t> own = getFactors(operand, dim);
      unsigned to = targetRank - rank + dim;
      if (graph.getType(operand).shape[dim] == 1)
        shape.append(getFactors(target, to).size(), 1);
      else
        shape.append(own.begin(), own.end());
    }
    return shape;
  }
  ValueId align(ValueId operand, ValueId target) {
    return writer.reshape(values[operand], alignShape(operand, getRank(operand),
                                                      target, getRank(target)));
  }

  ValueId write(const Node &operation) {
    ValueId value = operation.results[0];
    Shape shape = factors.getShape(value);
    switch (getOperatorInfo(operation.opcode).kind) {
    case OperatorKind::Elementwise: {
      SmallVector<ValueId, 2> operands;
      for (ValueId operand : operation.operands)
        operands.push_back(align(operand, value));
      return writer.add(operation.opcode, operands, operation.attributes,
                        shape);
    }
    case OperatorKind::Reduction:
      return writer.reduce(
          operation.opcode, values[operation.operands[0]],
          getPositions(operation.operands[0], operation.attributes.dims),
          operation.attributes.count);
    case OperatorKind::Contraction:
      return writeMatmul(operation.operands[0], operation.operands[1], value);
    default:
      return writeMovement(operation, shape);
    }
  }

  ValueId writeMovement(const Node &operation, ArrayRef<int64_t> shape) {
    ValueId operand = operation.operands[0], value = operation.results[0];
    switch (operation.opcode) {
    case Opcode::Transpose:
      return writer.transpose(values[operand],
                              getPositions(operand, operation.attributes.dims));
    case Opcode::Reshape:
      return values[operand];
    case Opcode::Broadcast: {
      ValueId aligned = align(operand, value);
      return ArrayRef(writer.getShape(aligned)) == shape
                 ? aligned
                 : writer.add(Opcode::Broadcast, {aligned}, {}, shape);
    }
    case Opcode::Cast:
      return writer.cast(values[operand], graph.getType(value).element);
    case Opcode::Slice:
      return writeSlice(operation);
    case Opcode::Concat:
      return writeConcat(operation);
    default:
      return writer.add(operation.opcode, {values[operand]},
                        operation.attributes, shape);
    }
  }

  //===--------------------------------------------------------------------===//
  // Matmul
  //===--------------------------------------------------------------------===//

  /// One operand of a matmul with batch dimensions, its own outer factors, as
  /// many of size 1 as the other one has, the outer contracted factors, and two
  /// dimensions.
  struct Side {
    ValueId value;
    unsigned freeDim, contractedDim;
    bool isLeft;
  };

  ArrayRef<int64_t> getOuter(const Side &side) const {
    return getFactors(side.value, side.freeDim).drop_back();
  }

  ValueId arrange(const Side &side, const Side &other, ValueId result) {
    ValueId operand = side.value;
    unsigned numBatch = getRank(operand) - 2;
    Shape shape = alignShape(operand, numBatch, result, getRank(result) - 2);
    Shape batch = shape;
    SmallVector<int64_t> order;
    appendRange(order, 0, batch.size());
    ValueId value = writer.reshape(values[operand], withBatch(operand, batch));
    unsigned first = batch.size();
    ArrayRef<int64_t> free = getFactors(operand, side.freeDim),
                      contracted = getFactors(operand, side.contractedDim);
    unsigned freeAt = first + (side.isLeft ? 0 : contracted.size());
    unsigned contractedAt = first + (side.isLeft ? free.size() : 0);
    appendRange(order, freeAt, free.size() - 1);
    appendRange(order, contractedAt, contracted.size() - 1);
    int64_t lastFree = freeAt + free.size() - 1,
            lastContracted = contractedAt + contracted.size() - 1;
    if (side.isLeft)
      order.append({lastFree, lastContracted});
    else
      order.append({lastContracted, lastFree});
    value = writer.transpose(value, order);
    size_t numOther = getOuter(other).size();
    if (!side.isLeft)
      shape.append(numOther, 1);
    shape.append(free.begin(), free.end() - 1);
    if (side.isLeft)
      shape.append(numOther, 1);
    shape.append(contracted.begin(), contracted.end() - 1);
    ArrayRef<int64_t> last = ArrayRef(writer.getShape(value)).take_back(2);
    shape.append(last.begin(), last.end());
    return writer.reshape(value, shape);
  }

  /// The operand's shape with other sizes of batch dimensions.
  Shape withBatch(ValueId operand, ArrayRef<int64_t> batch) const {
    Shape shape(batch);
    for (unsigned dim = getRank(operand) - 2; dim < getRank(operand); ++dim) {
      ArrayRef<int64_t> own = getFactors(operand, dim);
      shape.append(own.begin(), own.end());
    }
    return shape;
  }

  /// Over the outer factors of what is contracted there is a sum.
  ValueId writeMatmul(ValueId lhs, ValueId rhs, ValueId value) {
    Side left{lhs, getRank(lhs) - 2, getRank(lhs) - 1, true};
    Side right{rhs, getRank(rhs) - 1, getRank(rhs) - 2, false};
    ValueId product = writer.add(Opcode::Matmul, {arrange(left, right, value),
                                                  arrange(right, left, value)});
    unsigned numContracted = getFactors(lhs, left.contractedDim).size() - 1;
    unsigned numRows = getOuter(left).size(),
             numColumns = getOuter(right).size();
    unsigned rank = writer.getShape(product).size();
    unsigned numBatch = rank - 2 - numContracted - numColumns - numRows;
    if (numContracted > 0) {
      SmallVector<int64_t> dims;
      appendRange(dims, rank - 2 - numContracted, numContracted);
      product = writer.reduce(Opcode::Sum, product, dims);
      Shape shape = writer.getShape(product);
      shape.erase(shape.begin() + dims[0], shape.end() - 2);
      product = writer.reshape(product, shape);
    }
    SmallVector<int64_t> order;
    appendRange(order, 0, numBatch + numRows);
    order.push_back(numBatch + numRows + numColumns);
    appendRange(order, numBatch + numRows, numColumns);
    order.push_back(numBatch + numRows + numColumns + 1);
    return writer.transpose(product, order);
  }

  //===--------------------------------------------------------------------===//
  // Slices and concats
  //===--------------------------------------------------------------------===//

  /// All factors but the outermost are taken whole.
  ValueId writeSlice(const Node &operation) {
    ValueId operand = operation.operands[0], value = operation.results[0];
    Attributes attributes;
    Shape shape;
    for (unsigned dim = 0; dim < getRank(operand); ++dim) {
      ArrayRef<int64_t> own = getFactors(operand, dim);
      int64_t size = graph.getType(value).shape[dim];
      int64_t inner = graph.getType(operand).shape[dim] / own[0];
      attributes.offsets.push_back(operation.attributes.offsets[dim] / inner);
      attributes.offsets.append(own.size() - 1, 0);
      attributes.strides.push_back(operation.attributes.strides[dim]);
      attributes.strides.append(own.size() - 1, 1);
      shape.push_back(size / inner);
      shape.append(own.begin() + 1, own.end());
    }
    return writer.add(Opcode::Slice, {values[operand]}, attributes, shape);
  }

  /// As the result has its factors; the outermost is what an operand has of it.
  ValueId writeConcat(const Node &operation) {
    ValueId value = operation.results[0];
    unsigned along = operation.attributes.dims[0];
    SmallVector<ValueId> parts;
    for (ValueId operand : operation.operands) {
      Shape shape;
      for (unsigned dim = 0; dim < getRank(operand); ++dim) {
        ArrayRef<int64_t> whole = getFactors(value, dim);
        int64_t inner = graph.getType(value).shape[dim] / whole[0];
        shape.push_back(graph.getType(operand).shape[dim] / inner);
        shape.append(whole.begin() + 1, whole.end());
      }
      parts.push_back(writer.reshape(values[operand], shape));
    }
    return writer.concat(parts, countFactors(value, along));
  }

  const Graph &graph;
  const DimensionFactors &factors;
  Graph result;
  GraphWriter writer;
  SmallVector<ValueId> values; ///< of the body, by value of the graph
};
} // namespace

llvm::Expected<Graph>
mlir::mirage::splitDimensions(const Graph &graph,
                              const DimensionFactors &factors) {
  return DimensionSplitter(graph, factors).run();
}
