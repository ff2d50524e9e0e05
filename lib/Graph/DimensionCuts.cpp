//===- DimensionCuts.cpp - Where slices and concats cut dimensions --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/DimensionCuts.h"
#include "DimensionClasses.h"
#include "ErrorPrefix.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace mlir::mirage;
using llvm::Error;
using llvm::Twine;

bool DimensionCuts::hasAny() const {
  return llvm::any_of(ofValues, [](const auto &dims) {
    return llvm::any_of(dims,
                        [](const CutList &cuts) { return cuts.size() > 1; });
  });
}

namespace {
/// Collects cuts by class of dimensions, until no operation asks for more.
class Cutter {
public:
  explicit Cutter(const Graph &graph)
      : graph(graph), classes(graph), cuts(classes.getNumDimensions(), {0}) {}

  llvm::Expected<DimensionCuts> run() {
    for (const Node &operation : graph.getNodes())
      if (operation.opcode == Opcode::Reshape)
        unifyReshape(operation.operands[0], operation.results[0]);
      else
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
  using Cuts = std::set<int64_t>;

  const Shape &getShape(ValueId value) const {
    return graph.getType(value).shape;
  }

  void unifyReshape(ValueId operand, ValueId result) {
    unsigned from = 0;
    for (unsigned to = 0; to < getShape(result).size(); ++to) {
      if (getShape(result)[to] == 1)
        continue;
      while (getShape(operand)[from] == 1)
        ++from;
      classes.join(operand, from++, result, to);
    }
  }

  Error visit(const Node &operation) {
    ValueId result = operation.results[0];
    if (operation.opcode == Opcode::Concat) {
      unsigned dim = operation.attributes.dims[0];
      int64_t offset = 0;
      for (ValueId operand : operation.operands) {
        if (Error error = relate(result, operand, dim, offset))
          return error;
        offset += getShape(operand)[dim];
      }
    }
    if (operation.opcode != Opcode::Slice)
      return Error::success();
    ValueId operand = operation.operands[0];
    for (unsigned dim = 0; dim < getShape(result).size(); ++dim) {
      int64_t size = getShape(result)[dim];
      if (size > 1 && operation.attributes.strides[dim] != 1)
        return llvm::createStringError(
            "expects neighbouring elements, got stride " +
            Twine(operation.attributes.strides[dim]));
      if (size != getShape(operand)[dim])
        if (Error error =
                relate(operand, result, dim, operation.attributes.offsets[dim]))
          return error;
    }
    return Error::success();
  }

  /// A part is cut as the whole is where it stands, and the whole at its ends.
  Error relate(ValueId whole, ValueId part, unsigned dim, int64_t offset) {
    Cuts ofWhole = cuts[classes.find(whole, dim)],
         ofPart = cuts[classes.find(part, dim)];
    int64_t size = getShape(part)[dim];
    ofPart.insert(size);
    for (int64_t cut : ofPart)
      if (Error error = add(whole, dim, offset + cut))
        return error;
    for (int64_t cut : ofWhole)
      if (cut > offset && cut < offset + size)
        if (Error error = add(part, dim, cut - offset))
          return error;
    return Error::success();
  }

  Error add(ValueId value, unsigned dim, int64_t cut) {
    Cuts &own = cuts[classes.find(value, dim)];
    if (cut == getShape(value)[dim] || !own.insert(cut).second)
      return Error::success();
    hasChanged = true;
    if (own.size() <= kMaxPieces)
      return Error::success();
    return llvm::createStringError(
        "expects dimensions that slices and concats cut into at most " +
        Twine(kMaxPieces) + " pieces, got more of one of " +
        Twine(getShape(value)[dim]));
  }

  DimensionCuts collect() {
    DimensionCuts result;
    for (ValueId value = 0; value < graph.getNumValues(); ++value) {
      auto &dims = result.ofValues.emplace_back();
      for (unsigned dim = 0; dim < getShape(value).size(); ++dim) {
        const Cuts &own = cuts[classes.find(value, dim)];
        dims.push_back(CutList(own.begin(), own.end()));
      }
    }
    return result;
  }

  const Graph &graph;
  DimensionClasses classes;
  std::vector<Cuts> cuts; ///< by class
  bool hasChanged = false;
};
} // namespace

llvm::Expected<DimensionCuts> mlir::mirage::cutDimensions(const Graph &graph) {
  return Cutter(graph).run();
}
