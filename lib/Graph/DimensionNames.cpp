//===- DimensionNames.cpp - Which dimensions are the same -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/DimensionNames.h"
#include "ErrorPrefix.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir::mirage;
using llvm::ArrayRef;
using llvm::Error;
using llvm::SmallVector;

Shape DimensionNames::getShape(ArrayRef<NameId> dimensions,
                               ArrayRef<int64_t> extents) {
  Shape shape;
  for (NameId name : dimensions)
    shape.push_back(name == kNoName ? 1 : extents[name]);
  return shape;
}

namespace {
/// Unifies the dimensions of all values, operation by operation.
class Namer {
public:
  explicit Namer(const Graph &graph) : graph(graph) {
    for (ValueId value = 0; value < graph.getNumValues(); ++value) {
      firstDimension.push_back(numDimensions);
      numDimensions += graph.getType(value).getRank();
    }
    classes.grow(numDimensions);
  }

  llvm::Expected<DimensionNames> run() {
    for (auto [number, operation] : llvm::enumerate(graph.getNodes()))
      if (Error error = unify(operation))
        return prefixError("operation " + llvm::Twine(number) + " (" +
                               getOperatorInfo(operation.opcode).name + ")",
                           std::move(error));
    DimensionNames names = assignNames();
    if (names.getNumNames() >= kNoName)
      return llvm::createStringError(
          "expects fewer than " + llvm::Twine(unsigned(kNoName)) +
          " different dimensions, got " + llvm::Twine(names.getNumNames()));
    return names;
  }

private:
  int64_t getSize(ValueId value, unsigned dim) const {
    return graph.getType(value).shape[dim];
  }
  unsigned getRank(ValueId value) const {
    return graph.getType(value).getRank();
  }

  /// Not where a size of 1 is broadcast, or what is left of a sum.
  void join(ValueId lhs, unsigned lhsDim, ValueId rhs, unsigned rhsDim) {
    if (getSize(lhs, lhsDim) > 1 &&
        getSize(lhs, lhsDim) == getSize(rhs, rhsDim))
      classes.join(firstDimension[lhs] + lhsDim, firstDimension[rhs] + rhsDim);
  }

  /// Joins dimensions counted from the last one, of `count` at most.
  void joinFromBack(ValueId lhs, ValueId rhs, unsigned skip) {
    unsigned count = std::min(getRank(lhs), getRank(rhs));
    for (unsigned i = skip + 1; i <= count; ++i)
      join(lhs, getRank(lhs) - i, rhs, getRank(rhs) - i);
  }

  Error unify(const Node &operation) {
    ValueId result = operation.results.front();
    switch (getOperatorInfo(operation.opcode).kind) {
    case OperatorKind::Elementwise:
    case OperatorKind::Reduction:
    case OperatorKind::Accumulate:
    case OperatorKind::Copy:
      for (ValueId operand : operation.operands)
        joinFromBack(operand, result, 0);
      return Error::success();
    case OperatorKind::Contraction:
      unifyMatmul(operation.operands[0], operation.operands[1], result);
      return Error::success();
    case OperatorKind::Movement:
      return unifyMovement(operation, result);
    case OperatorKind::Composed:
    case OperatorKind::Graph:
      break;
    }
    return Error::success();
  }

  void unifyMatmul(ValueId lhs, ValueId rhs, ValueId result) {
    unsigned l = getRank(lhs), r = getRank(rhs), o = getRank(result);
    join(lhs, l - 1, rhs, r - 2);
    join(lhs, l - 2, result, o - 2);
    join(rhs, r - 1, result, o - 1);
    joinFromBack(lhs, result, 2);
    joinFromBack(rhs, result, 2);
  }

  Error unifyMovement(const Node &operation, ValueId result) {
    ValueId operand = operation.operands[0];
    if (operation.opcode == Opcode::Reshape)
      return unifyReshape(operand, result);
    if (operation.opcode == Opcode::Transpose)
      for (auto [to, from] : llvm::enumerate(operation.attributes.dims))
        join(operand, from, result, to);
    else if (operation.opcode == Opcode::Slice ||
             operation.opcode == Opcode::Concat)
      unifyWholeDimensions(operation, result);
    else
      joinFromBack(operand, result, 0);
    return Error::success();
  }

  /// A dimension of which a part is taken, or that is put together, has nothing
  /// to do with that of the whole. Of as many elements, all are taken.
  void unifyWholeDimensions(const Node &operation, ValueId result) {
    for (ValueId operand : operation.operands)
      for (unsigned dim = 0; dim < getRank(result); ++dim)
        join(operand, dim, result, dim);
  }

  SmallVector<unsigned> getNamedDims(ValueId value) const {
    SmallVector<unsigned> dims;
    for (unsigned dim = 0; dim < getRank(value); ++dim)
      if (getSize(value, dim) > 1)
        dims.push_back(dim);
    return dims;
  }

  Error unifyReshape(ValueId operand, ValueId result) {
    SmallVector<unsigned> from = getNamedDims(operand),
                          to = getNamedDims(result);
    bool isSame = from.size() == to.size() &&
                  llvm::all_of(llvm::zip(from, to), [&](auto pair) {
                    return getSize(operand, std::get<0>(pair)) ==
                           getSize(result, std::get<1>(pair));
                  });
    if (!isSame)
      return llvm::createStringError(
          "expects a reshape that neither splits nor joins dimensions");
    for (auto [fromDim, toDim] : llvm::zip(from, to))
      join(operand, fromDim, result, toDim);
    return Error::success();
  }

  /// Numbers the classes in the order of their first dimension.
  DimensionNames assignNames() {
    DimensionNames names;
    SmallVector<NameId> nameOfLeader(numDimensions, kNoName);
    for (ValueId value = 0; value < graph.getNumValues(); ++value) {
      DimensionList list;
      for (unsigned dim = 0; dim < getRank(value); ++dim) {
        if (getSize(value, dim) == 1) {
          list.push_back(kNoName);
          continue;
        }
        NameId &name =
            nameOfLeader[classes.findLeader(firstDimension[value] + dim)];
        if (name == kNoName) {
          name = names.extents.size();
          names.extents.push_back(getSize(value, dim));
        }
        list.push_back(name);
      }
      names.ofValues.push_back(std::move(list));
    }
    return names;
  }

  const Graph &graph;
  SmallVector<unsigned> firstDimension; ///< by value
  unsigned numDimensions = 0;
  llvm::IntEqClasses classes;
};
} // namespace

llvm::Expected<DimensionNames>
mlir::mirage::nameDimensions(const Graph &graph) {
  return Namer(graph).run();
}

//===----------------------------------------------------------------------===//
// Other sizes
//===----------------------------------------------------------------------===//

Error mlir::mirage::resizeInto(const Graph &from, Graph &to,
                               const ResizeRules &rules) {
  auto getType = [&](ValueId value) {
    return TensorSpec{rules.getShape(value), from.getType(value).element};
  };
  for (ValueId input = 0; input < from.getNumInputs(); ++input)
    to.addInput(getType(input), from.getInputName(input));
  for (auto [number, node] : llvm::enumerate(from.getNodes())) {
    if (node.body) {
      auto body = rules.getBody(number);
      if (!body)
        return body.takeError();
      to.addGraph(node.operands, *body,
                  llvm::to_vector(llvm::map_range(node.results, getType)));
      continue;
    }
    llvm::Expected<Attributes> attributes = rules.getAttributes(node);
    if (!attributes)
      return attributes.takeError();
    to.add(node.opcode, node.operands, getType(node.results[0]), *attributes);
  }
  for (ValueId output : from.getOutputs())
    to.addOutput(output);
  return Error::success();
}

Graph mlir::mirage::resize(const Graph &graph, const DimensionNames &names,
                           ArrayRef<int64_t> extents) {
  auto getShape = [&](ValueId value) {
    return DimensionNames::getShape(names.ofValues[value], extents);
  };
  auto getAttributes = [&](const Node &node) -> llvm::Expected<Attributes> {
    Attributes attributes = node.attributes;
    if (attributes.count == 0)
      return attributes;
    // Dimension by dimension: a name that is reduced may stand twice, and be
    // kept where it stands a second time.
    attributes.count = 1;
    for (int64_t dim : attributes.dims) {
      NameId name = names.ofValues[node.operands[0]][dim];
      attributes.count *= name == kNoName ? 1 : extents[name];
    }
    return attributes;
  };
  auto getBody =
      [](unsigned) -> llvm::Expected<std::shared_ptr<const TileGraph>> {
    return llvm::createStringError("expects a graph without nested ones");
  };
  Graph resized;
  llvm::cantFail(
      resizeInto(graph, resized, {getShape, getAttributes, getBody}));
  return resized;
}
