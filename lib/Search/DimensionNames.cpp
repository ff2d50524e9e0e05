//===- DimensionNames.cpp - Which dimensions of a program are the same ----===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/DimensionNames.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;
using llvm::Error;
using llvm::SmallVector;

NameSet mlir::mirage::search::toSet(ArrayRef<NameId> dimensions) {
  NameSet set = 0;
  for (NameId name : dimensions)
    if (name != kNoName)
      set |= toSet(name);
  return set;
}

SmallVector<NameId> mlir::mirage::search::toList(NameSet set) {
  SmallVector<NameId> list;
  for (NameId name = 0; name < kMaxNames; ++name)
    if (contains(set, name))
      list.push_back(name);
  return list;
}

Shape DimensionNames::getShape(ArrayRef<NameId> dimensions,
                               ArrayRef<int64_t> extents) {
  Shape shape;
  for (NameId name : dimensions)
    shape.push_back(name == kNoName ? 1 : extents[name]);
  return shape;
}

static Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
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
        return prefix(number, operation, std::move(error));
    DimensionNames names = assignNames();
    for (auto [number, operation] : llvm::enumerate(graph.getNodes()))
      if (Error error = checkDistinct(operation, names))
        return prefix(number, operation, std::move(error));
    if (names.getNumNames() > kMaxNames)
      return makeError("expects at most " + llvm::Twine(kMaxNames) +
                       " different dimensions, got " +
                       llvm::Twine(names.getNumNames()));
    return names;
  }

private:
  Error prefix(size_t number, const Node &operation, Error error) {
    return makeError("operation " + llvm::Twine(number) + " (" +
                     getOperatorInfo(operation.opcode).name +
                     "): " + llvm::toString(std::move(error)));
  }

  int64_t getSize(ValueId value, unsigned dim) const {
    return graph.getType(value).shape[dim];
  }
  unsigned getRank(ValueId value) const {
    return graph.getType(value).getRank();
  }

  void join(ValueId lhs, unsigned lhsDim, ValueId rhs, unsigned rhsDim) {
    if (getSize(lhs, lhsDim) > 1 && getSize(rhs, rhsDim) > 1)
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
      for (ValueId operand : operation.operands)
        joinFromBack(operand, result, 0);
      return Error::success();
    case OperatorKind::Contraction:
      unifyMatmul(operation.operands[0], operation.operands[1], result);
      return Error::success();
    case OperatorKind::Movement:
      return unifyMovement(operation, operation.operands[0], result);
    case OperatorKind::Accumulate:
    case OperatorKind::Graph:
      break;
    }
    return makeError("expects an operator of the kernel level");
  }

  void unifyMatmul(ValueId lhs, ValueId rhs, ValueId result) {
    unsigned l = getRank(lhs), r = getRank(rhs), o = getRank(result);
    join(lhs, l - 1, rhs, r - 2);
    join(lhs, l - 2, result, o - 2);
    join(rhs, r - 1, result, o - 1);
    joinFromBack(lhs, result, 2);
    joinFromBack(rhs, result, 2);
  }

  Error unifyMovement(const Node &operation, ValueId operand, ValueId result) {
    switch (operation.opcode) {
    case Opcode::Transpose:
      for (auto [to, from] : llvm::enumerate(operation.attributes.dims))
        join(operand, from, result, to);
      return Error::success();
    case Opcode::Reshape:
      return unifyReshape(operand, result);
    case Opcode::Broadcast:
    case Opcode::Cast:
      joinFromBack(operand, result, 0);
      return Error::success();
    default:
      return makeError("expects a movement that keeps dimensions whole");
    }
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
      return makeError("expects a reshape that neither splits nor joins "
                       "dimensions");
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

  /// One tensor's dimensions differ, and so do those that a matmul walks.
  Error checkDistinct(const Node &operation, const DimensionNames &names) {
    auto check = [&](ArrayRef<NameId> list) -> Error {
      NameSet seen = 0;
      for (NameId name : list) {
        if (name != kNoName && contains(seen, name))
          return makeError("expects dimensions that nothing makes equal, got "
                           "two of one tensor that are walked together");
        if (name != kNoName)
          seen |= toSet(name);
      }
      return Error::success();
    };
    for (ValueId value :
         llvm::concat<const ValueId>(operation.operands, operation.results))
      if (Error error = check(names.ofValues[value]))
        return error;
    if (operation.opcode != Opcode::Matmul)
      return Error::success();
    DimensionList walked = names.ofValues[operation.results[0]];
    walked.push_back(names.ofValues[operation.operands[0]].back());
    return check(walked);
  }

  const Graph &graph;
  SmallVector<unsigned> firstDimension; ///< by value
  unsigned numDimensions = 0;
  llvm::IntEqClasses classes;
};
} // namespace

llvm::Expected<DimensionNames>
mlir::mirage::search::nameDimensions(const Graph &graph) {
  return Namer(graph).run();
}

Graph mlir::mirage::search::resize(const Graph &graph,
                                   const DimensionNames &names,
                                   ArrayRef<int64_t> extents) {
  auto getType = [&](ValueId value) {
    return TensorSpec{DimensionNames::getShape(names.ofValues[value], extents),
                      graph.getType(value).element};
  };
  Graph resized;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    resized.addInput(getType(input), graph.getInputName(input));
  for (const Node &operation : graph.getNodes()) {
    Attributes attributes = operation.attributes;
    if (attributes.count != 0) {
      NameSet reduced = toSet(names.ofValues[operation.operands[0]]) &
                        ~toSet(names.ofValues[operation.results[0]]);
      attributes.count = 1;
      for (NameId name : toList(reduced))
        attributes.count *= extents[name];
    }
    resized.add(operation.opcode, operation.operands,
                getType(operation.results[0]), attributes);
  }
  for (ValueId output : graph.getOutputs())
    resized.addOutput(output);
  return resized;
}
