//===- DimensionNames.cpp - Which dimensions are the same -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/DimensionNames.h"
#include "DimensionClasses.h"
#include "ErrorPrefix.h"
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
/// Joins the dimensions of all values, operation by operation.
class Namer {
public:
  explicit Namer(const Graph &graph) : graph(graph), classes(graph) {}

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

  Error unify(const Node &operation) {
    if (operation.opcode == Opcode::Reshape)
      return unifyReshape(operation.operands[0], operation.results[0]);
    classes.unify(operation);
    return Error::success();
  }

  SmallVector<unsigned> getNamedDims(ValueId value) const {
    SmallVector<unsigned> dims;
    for (unsigned dim = 0; dim < graph.getType(value).getRank(); ++dim)
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
      classes.join(operand, fromDim, result, toDim);
    return Error::success();
  }

  /// Numbers the classes in the order of their first dimension.
  DimensionNames assignNames() {
    DimensionNames names;
    SmallVector<NameId> nameOfLeader(classes.getNumDimensions(), kNoName);
    for (ValueId value = 0; value < graph.getNumValues(); ++value) {
      DimensionList list;
      for (unsigned dim = 0; dim < graph.getType(value).getRank(); ++dim) {
        if (getSize(value, dim) == 1) {
          list.push_back(kNoName);
          continue;
        }
        NameId &name = nameOfLeader[classes.find(value, dim)];
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
  DimensionClasses classes;
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
  to.f32Products = from.f32Products;
  to.reserve(from.getNumInputs(), from.getNodes().size());
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

int64_t mlir::mirage::resizeCausalOffset(int64_t offset,
                                         std::pair<int64_t, int64_t> there,
                                         std::pair<int64_t, int64_t> here) {
  if (offset == 0 || here == there)
    return offset;
  if (offset == there.second - there.first)
    return std::max<int64_t>(0, here.second - here.first);
  return offset > 0 ? 1 : -1;
}

Graph mlir::mirage::resize(const Graph &graph, const DimensionNames &names,
                           ArrayRef<int64_t> extents) {
  auto getShape = [&](ValueId value) {
    return DimensionNames::getShape(names.ofValues[value], extents);
  };
  auto getAttributes = [&](const Node &node) -> llvm::Expected<Attributes> {
    Attributes attributes = node.attributes;
    if (node.opcode == Opcode::CausalMask) {
      auto getRowsAndColumns = [](const Shape &shape) {
        return std::make_pair(shape[shape.size() - 2], shape.back());
      };
      attributes.offset = resizeCausalOffset(
          attributes.offset,
          getRowsAndColumns(graph.getType(node.operands[0]).shape),
          getRowsAndColumns(getShape(node.operands[0])));
    }
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
