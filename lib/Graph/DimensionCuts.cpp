//===- DimensionCuts.cpp - Where slices and concats cut dimensions --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/DimensionCuts.h"
#include "DimensionMarks.h"
#include "llvm/ADT/STLExtras.h"

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
  explicit Cutter(const Graph &graph) : graph(graph), cuts(graph, {0}) {}

  llvm::Expected<DimensionCuts> run() {
    for (const Node &operation : graph.getNodes())
      if (operation.opcode == Opcode::Reshape)
        unifyReshape(operation.operands[0], operation.results[0]);
      else
        cuts.getClasses().unify(operation);
    auto relateParts = [&](const Node &operation) {
      return forEachPart(graph, operation, [&](const DimensionPart &part) {
        return relate(part);
      });
    };
    if (Error error = cuts.spread(relateParts))
      return std::move(error);
    return collect();
  }

private:
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
      cuts.getClasses().join(operand, from++, result, to);
    }
  }

  /// A part is cut as the whole is where it stands, and the whole at its ends.
  Error relate(const DimensionPart &part) {
    if (part.step != 1)
      return llvm::createStringError(
          "expects neighbouring elements, got stride " + Twine(part.step));
    DimensionMarks::Marks ofWhole = cuts.get(part.whole, part.dim),
                          ofPart = cuts.get(part.part, part.dim);
    int64_t size = getShape(part.part)[part.dim];
    ofPart.insert(size);
    for (int64_t cut : ofPart)
      if (Error error = add(part.whole, part.dim, part.offset + cut))
        return error;
    for (int64_t cut : ofWhole)
      if (cut > part.offset && cut < part.offset + size)
        if (Error error = add(part.part, part.dim, cut - part.offset))
          return error;
    return Error::success();
  }

  Error add(ValueId value, unsigned dim, int64_t cut) {
    if (cut == getShape(value)[dim] || cuts.add(value, dim, cut) <= kMaxPieces)
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
        const DimensionMarks::Marks &own = cuts.get(value, dim);
        dims.push_back(CutList(own.begin(), own.end()));
      }
    }
    return result;
  }

  const Graph &graph;
  DimensionMarks cuts; ///< 0, and where further pieces begin
};
} // namespace

llvm::Expected<DimensionCuts> mlir::mirage::cutDimensions(const Graph &graph) {
  return Cutter(graph).run();
}
