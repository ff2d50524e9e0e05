//===- DimensionFactors.cpp - What reshapes make of dimensions ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/DimensionFactors.h"
#include "DimensionMarks.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using llvm::Error;
using llvm::Twine;

Shape DimensionFactors::getShape(ValueId value) const {
  Shape shape;
  for (const FactorList &factors : ofValues[value])
    shape.append(factors.begin(), factors.end());
  return shape;
}

namespace {
/// Finds for every class of dimensions the *strides* of its factors: the
/// product of the factors further in, for all but the innermost. They grow
/// until no operation asks for more.
class Factorer {
public:
  explicit Factorer(const Graph &graph) : graph(graph), strides(graph, {}) {}

  llvm::Expected<DimensionFactors> run() {
    for (const Node &operation : graph.getNodes())
      if (operation.opcode != Opcode::Reshape)
        strides.getClasses().unify(operation);
    if (Error error = strides.spread(
            [&](const Node &operation) { return visit(operation); }))
      return std::move(error);
    return collect();
  }

private:
  using Strides = DimensionMarks::Marks;

  const Shape &getShape(ValueId value) const {
    return graph.getType(value).shape;
  }

  Error visit(const Node &operation) {
    if (operation.opcode == Opcode::Reshape)
      return visitReshape(operation.operands[0], operation.results[0]);
    return forEachPart(graph, operation,
                       [&](const DimensionPart &part) { return relate(part); });
  }

  Error add(ValueId value, unsigned dim, int64_t stride) {
    for (int64_t other : strides.get(value, dim))
      if (other % stride != 0 && stride % other != 0)
        return llvm::createStringError(
            "expects reshapes that split a dimension of " +
            Twine(getShape(value)[dim]) +
            " in ways that refine each other, got parts of " + Twine(other) +
            " and of " + Twine(stride));
    strides.add(value, dim, stride);
    return Error::success();
  }

  /// Where factors begin in a value, as strides of the whole.
  Strides getAllStrides(ValueId value) {
    Strides all;
    int64_t inner = 1;
    for (unsigned dim = getShape(value).size(); dim-- > 0;) {
      all.insert(inner);
      for (int64_t stride : strides.get(value, dim))
        all.insert(inner * stride);
      inner *= getShape(value)[dim];
    }
    return all;
  }

  /// Both sides have their factors at the same strides.
  Error visitReshape(ValueId operand, ValueId result) {
    Strides all = getAllStrides(operand);
    all.merge(getAllStrides(result));
    for (ValueId value : {operand, result}) {
      int64_t inner = 1;
      for (unsigned dim = getShape(value).size(); dim-- > 0;) {
        int64_t outer = inner * getShape(value)[dim];
        for (int64_t stride : all) {
          if (stride <= inner || stride >= outer)
            continue;
          if (stride % inner != 0 || outer % stride != 0)
            return llvm::createStringError(
                "expects a reshape of dimensions with common factors, got " +
                toString(getShape(operand)) + " and " +
                toString(getShape(result)));
          if (Error error = add(value, dim, stride / inner))
            return error;
        }
        inner = outer;
      }
    }
    return Error::success();
  }

  /// A part of a dimension and the whole have the same factors but for the
  /// outermost.
  Error relate(const DimensionPart &part) {
    unsigned dim = part.dim;
    int64_t size = getShape(part.part)[dim];
    for (auto [from, to] :
         {std::pair(part.whole, part.part), std::pair(part.part, part.whole)}) {
      Strides own = strides.get(from, dim);
      for (int64_t stride : own) {
        if (part.step != 1 || part.offset % stride != 0 || size % stride != 0 ||
            getShape(part.whole)[dim] % stride != 0)
          return llvm::createStringError(
              "expects whole parts of " + Twine(stride) + ", got " +
              Twine(size) + " elements from " + Twine(part.offset) +
              " on with stride " + Twine(part.step));
        if (stride < getShape(to)[dim])
          if (Error error = add(to, dim, stride))
            return error;
      }
    }
    return Error::success();
  }

  DimensionFactors collect() {
    DimensionFactors factors;
    for (ValueId value = 0; value < graph.getNumValues(); ++value) {
      llvm::SmallVector<FactorList, 4> ofDims;
      for (unsigned dim = 0; dim < getShape(value).size(); ++dim) {
        FactorList list;
        int64_t outer = getShape(value)[dim];
        for (int64_t stride : llvm::reverse(strides.get(value, dim))) {
          list.push_back(outer / stride);
          outer = stride;
        }
        list.push_back(outer);
        ofDims.push_back(std::move(list));
      }
      factors.ofValues.push_back(std::move(ofDims));
    }
    return factors;
  }

  const Graph &graph;
  DimensionMarks strides;
};
} // namespace

llvm::Expected<DimensionFactors>
mlir::mirage::factorDimensions(const Graph &graph) {
  return Factorer(graph).run();
}
