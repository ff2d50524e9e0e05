//===- NameSets.cpp - Tensors as sets of dimensions -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/NameSets.h"
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

/// Whether the dimensions of the result are those of the operand, whatever
/// their order.
static bool keepsDimensions(Opcode opcode) {
  return opcode == Opcode::Transpose || opcode == Opcode::Reshape ||
         opcode == Opcode::Broadcast || opcode == Opcode::Cast ||
         opcode == Opcode::CausalMask;
}

static Error checkKind(const Node &operation) {
  OperatorKind kind = getOperatorInfo(operation.opcode).kind;
  if (kind == OperatorKind::Accumulate || kind == OperatorKind::Graph)
    return llvm::createStringError("expects an operator of the kernel level");
  if (kind == OperatorKind::Movement && !keepsDimensions(operation.opcode))
    return llvm::createStringError(
        "expects a movement that keeps dimensions whole");
  if (operation.operands.empty())
    return llvm::createStringError("expects an operator with operands");
  return Error::success();
}

static bool isDistinct(ArrayRef<NameId> dimensions) {
  for (auto [dim, name] : llvm::enumerate(dimensions))
    if (name != kNoName && llvm::is_contained(dimensions.take_front(dim), name))
      return false;
  return true;
}

/// One tensor's dimensions differ, and so do those that a matmul walks.
static bool isDistinct(const Node &operation, const DimensionNames &names) {
  for (ValueId value :
       llvm::concat<const ValueId>(operation.operands, operation.results))
    if (!isDistinct(names.ofValues[value]))
      return false;
  if (operation.opcode != Opcode::Matmul)
    return true;
  DimensionList walked = names.ofValues[operation.results[0]];
  walked.push_back(names.ofValues[operation.operands[0]].back());
  return isDistinct(walked);
}

std::optional<unsigned>
mlir::mirage::search::findMeetingDimensions(const Graph &graph,
                                            const DimensionNames &names) {
  for (auto [number, operation] : llvm::enumerate(graph.getNodes()))
    if (!isDistinct(operation, names))
      return number;
  return std::nullopt;
}

static Error checkDistinct(const Node &operation, const DimensionNames &names) {
  if (isDistinct(operation, names))
    return Error::success();
  return llvm::createStringError(
      "expects dimensions that nothing makes equal, got two of one tensor that "
      "are walked together");
}

/// A mean divides by what there is, so that it is one at other sizes as well.
static Error checkCount(const Node &operation, const Graph &graph) {
  const Attributes &attributes = operation.attributes;
  if (attributes.count == 0)
    return Error::success();
  Attributes all = attributes;
  all.count = 0;
  int64_t there =
      getAveragedCount(all, graph.getType(operation.operands[0]).shape);
  if (attributes.count == there)
    return Error::success();
  return llvm::createStringError(
      "expects a mean of all elements that are there, " + llvm::Twine(there) +
      ", got a count of " + llvm::Twine(attributes.count));
}

/// Calls `check` with all operations. \returns its error, under the name of the
/// operation.
static Error checkOperations(const Graph &graph,
                             llvm::function_ref<Error(const Node &)> check) {
  for (auto [number, operation] : llvm::enumerate(graph.getNodes()))
    if (Error error = check(operation))
      return llvm::createStringError("operation " + llvm::Twine(number) + " (" +
                                     getOperatorInfo(operation.opcode).name +
                                     "): " + llvm::toString(std::move(error)));
  return Error::success();
}

llvm::Expected<DimensionNames>
mlir::mirage::search::nameProgram(const Graph &graph) {
  if (Error error = checkOperations(graph, checkKind))
    return std::move(error);
  if (Error error = checkOperations(graph, [&](const Node &operation) {
        return checkCount(operation, graph);
      }))
    return std::move(error);
  llvm::Expected<DimensionNames> names = nameDimensions(graph);
  if (!names)
    return names;
  shareNames(graph, *names);
  if (names->getNumNames() > kMaxProgramNames)
    return llvm::createStringError(
        "expects at most " + llvm::Twine(kMaxProgramNames) +
        " different dimensions, got " + llvm::Twine(names->getNumNames()));
  if (Error error = checkOperations(graph, [&](const Node &operation) {
        return checkDistinct(operation, *names);
      }))
    return std::move(error);
  return names;
}
