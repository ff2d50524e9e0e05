//===- DimensionFactors.cpp - What reshapes make of dimensions ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/DimensionFactors.h"
#include "DimensionClasses.h"
#include "ErrorPrefix.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

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
  explicit Factorer(const Graph &graph)
      : graph(graph), classes(graph), strides(classes.getNumDimensions()) {}

  llvm::Expected<DimensionFactors> run() {
    for (const Node &operation : graph.getNodes())
      if (operation.opcode != Opcode::Reshape)
        classes.unify(operation);
    do {
      hasChanged = false;
      for (auto [number, operation] : llvm::enumerate(graph.getNodes()))
        if (Error error = visit(operation))
          return prefixError("operation " + Twine(number) + " (" +
                                 getOperatorInfo(operation.opcode).name + ")",
                             std::move(error));
    } while (hasChanged);
    return collect();
  }

private:
  using Strides = std::set<int64_t>;

  const Shape &getShape(ValueId value) const {
    return graph.getType(value).shape;
  }
  Strides &getStrides(ValueId value, unsigned dim) {
    return strides[classes.find(value, dim)];
  }

  Error visit(const Node &operation) {
    ValueId result = operation.results[0];
    if (operation.opcode == Opcode::Reshape)
      return visitReshape(operation.operands[0], result);
    if (operation.opcode == Opcode::Slice)
      return visitSlice(operation);
    if (operation.opcode == Opcode::Concat)
      return visitConcat(operation);
    return Error::success();
  }

  Error add(ValueId value, unsigned dim, int64_t stride) {
    Strides &own = getStrides(value, dim);
    for (int64_t other : own)
      if (other % stride != 0 && stride % other != 0)
        return llvm::createStringError(
            "expects reshapes that split a dimension of " +
            Twine(getShape(value)[dim]) +
            " in ways that refine each other, got parts of " + Twine(other) +
            " and of " + Twine(stride));
    hasChanged |= own.insert(stride).second;
    return Error::success();
  }

  /// Where factors begin in a value, as strides of the whole.
  Strides getAllStrides(ValueId value) {
    Strides all;
    int64_t inner = 1;
    for (unsigned dim = getShape(value).size(); dim-- > 0;) {
      all.insert(inner);
      for (int64_t stride : getStrides(value, dim))
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
  Error relate(ValueId whole, ValueId part, unsigned dim, int64_t offset,
               int64_t step) {
    for (auto [from, to] : {std::pair(whole, part), std::pair(part, whole)}) {
      Strides own = getStrides(from, dim);
      int64_t size = getShape(part)[dim];
      for (int64_t stride : own) {
        if (step != 1 || offset % stride != 0 || size % stride != 0 ||
            getShape(whole)[dim] % stride != 0)
          return llvm::createStringError(
              "expects whole parts of " + Twine(stride) + ", got " +
              Twine(size) + " elements from " + Twine(offset) +
              " on with stride " + Twine(step));
        if (stride < getShape(to)[dim])
          if (Error error = add(to, dim, stride))
            return error;
      }
    }
    return Error::success();
  }

  Error visitSlice(const Node &operation) {
    ValueId operand = operation.operands[0], result = operation.results[0];
    const Attributes &attributes = operation.attributes;
    for (unsigned dim = 0; dim < getShape(result).size(); ++dim)
      if (getShape(operand)[dim] != getShape(result)[dim])
        if (Error error = relate(
                operand, result, dim, attributes.offsets[dim],
                getShape(result)[dim] == 1 ? 1 : attributes.strides[dim]))
          return error;
    return Error::success();
  }

  Error visitConcat(const Node &operation) {
    unsigned dim = operation.attributes.dims[0];
    int64_t offset = 0;
    for (ValueId operand : operation.operands) {
      if (Error error = relate(operation.results[0], operand, dim, offset, 1))
        return error;
      offset += getShape(operand)[dim];
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
        for (int64_t stride : llvm::reverse(getStrides(value, dim))) {
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
  DimensionClasses classes;
  std::vector<Strides> strides; ///< by class
  bool hasChanged = false;
};
} // namespace

llvm::Expected<DimensionFactors>
mlir::mirage::factorDimensions(const Graph &graph) {
  return Factorer(graph).run();
}
