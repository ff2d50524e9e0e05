//===- SeparateRoles.cpp - One tensor with several names for a dimension --===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/NameSets.h"
#include "Mirage/Search/RewrittenProgram.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::SmallVector;

namespace {
/// A graph some of whose inputs are one tensor of the program.
struct SharedInputs {
  Graph graph;
  SmallVector<unsigned> sources; ///< by input of the graph, of the program
};

/// Copies operations of one graph, with other operands.
class Copier {
public:
  Copier(const Graph &from, Graph &to) : from(from), to(to) {}

  /// \param map  values of `to`, by value of `from`.
  ValueId copy(const Node &operation, llvm::ArrayRef<ValueId> map) {
    auto operands = llvm::map_to_vector(
        operation.operands, [&](ValueId operand) { return map[operand]; });
    return to.add(operation.opcode, operands,
                  from.getType(operation.results[0]), operation.attributes);
  }

private:
  const Graph &from;
  Graph &to;
};
} // namespace

static bool isDistinct(const Graph &graph) {
  llvm::Expected<DimensionNames> names = nameDimensions(graph);
  if (names)
    return !findMeetingDimensions(graph, *names);
  llvm::consumeError(names.takeError());
  return false;
}

/// The first operation after which a dimension meets another one of the same
/// tensor.
static std::optional<unsigned> findConflict(const Graph &graph) {
  if (isDistinct(graph))
    return std::nullopt;
  Graph prefix;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    prefix.addInput(graph.getType(input));
  for (auto [number, operation] : llvm::enumerate(graph.getNodes())) {
    prefix.add(operation.opcode, operation.operands,
               graph.getType(operation.results[0]), operation.attributes);
    if (!isDistinct(prefix))
      return number;
  }
  return std::nullopt;
}

/// What a value depends on, itself among it.
static llvm::BitVector findAncestors(const Graph &graph, ValueId value) {
  llvm::BitVector ancestors(graph.getNumValues());
  ancestors.set(value);
  for (const Node &operation : llvm::reverse(graph.getNodes()))
    if (ancestors[operation.results[0]])
      for (ValueId operand : operation.operands)
        ancestors.set(operand);
  return ancestors;
}

/// The graph in which the last operand of one operation is computed once more,
/// from inputs of its own.
static SharedInputs repeatOperand(const SharedInputs &from, unsigned number) {
  const Graph &graph = from.graph;
  const Node &user = graph.getNodes()[number];
  llvm::BitVector repeated = findAncestors(graph, user.operands.back());
  SharedInputs result;
  result.graph.f32Products = graph.f32Products;
  result.sources = from.sources;
  SmallVector<ValueId> map, again;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    map.push_back(
        result.graph.addInput(graph.getType(input), graph.getInputName(input)));
  again = map;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    if (repeated[input]) {
      again[input] = result.graph.addInput(graph.getType(input),
                                           graph.getInputName(input));
      result.sources.push_back(from.sources[input]);
    }
  Copier copier(graph, result.graph);
  for (const Node &operation : graph.getNodes()) {
    ValueId value = operation.results[0];
    if (&operation == &user) {
      SmallVector<ValueId> mixed = map;
      Node changed = operation;
      changed.operands.back() = mixed.size();
      mixed.push_back(again[operation.operands.back()]);
      map.push_back(copier.copy(changed, mixed));
    } else {
      map.push_back(copier.copy(operation, map));
    }
    again.push_back(repeated[value] ? copier.copy(operation, again) : 0);
  }
  for (ValueId output : graph.getOutputs())
    result.graph.addOutput(map[output]);
  return result;
}

/// The graph in which input `to` takes the place of `from`, and no operation
/// stands twice.
static SharedInputs mergeInputs(const SharedInputs &shared, unsigned from,
                                unsigned to) {
  const Graph &graph = shared.graph;
  SharedInputs result;
  result.graph.f32Products = graph.f32Products;
  SmallVector<ValueId> map;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input) {
    if (input == from) {
      map.push_back(map[to]);
      continue;
    }
    map.push_back(
        result.graph.addInput(graph.getType(input), graph.getInputName(input)));
    result.sources.push_back(shared.sources[input]);
  }
  for (const Node &operation : graph.getNodes()) {
    auto operands = llvm::map_to_vector<2>(
        operation.operands, [&](ValueId operand) { return map[operand]; });
    const TensorSpec &type = graph.getType(operation.results[0]);
    auto same = llvm::find_if(result.graph.getNodes(), [&](const Node &other) {
      return other.opcode == operation.opcode &&
             other.attributes == operation.attributes &&
             other.operands == operands &&
             result.graph.getType(other.results[0]) == type;
    });
    map.push_back(same != result.graph.getNodes().end()
                      ? same->results[0]
                      : result.graph.add(operation.opcode, operands, type,
                                         operation.attributes));
  }
  for (ValueId output : graph.getOutputs())
    result.graph.addOutput(map[output]);
  return result;
}

/// Inputs that were repeated with others and have the same names all the same.
static void mergeWherePossible(SharedInputs &shared, unsigned numInputs) {
  for (unsigned input = shared.sources.size(); input-- > numInputs;)
    for (unsigned other = 0; other < input; ++other) {
      if (shared.sources[other] != shared.sources[input])
        continue;
      SharedInputs merged = mergeInputs(shared, input, other);
      if (!isDistinct(merged.graph))
        continue;
      shared = std::move(merged);
      break;
    }
}

/// Each time one operation fewer has operands that meet; what is computed once
/// more has none that do.
llvm::Expected<RewrittenProgram>
mlir::mirage::search::separateRoles(const Graph &program) {
  unsigned numInputs = program.getNumInputs();
  SharedInputs shared{program, {}};
  for (unsigned input = 0; input < numInputs; ++input)
    shared.sources.push_back(input);
  while (std::optional<unsigned> number = findConflict(shared.graph)) {
    const Node &operation = shared.graph.getNodes()[*number];
    if (operation.operands.size() < 2 ||
        shared.sources.size() > numInputs + kMaxNames)
      return llvm::createStringError(
          "operation " + llvm::Twine(*number) + " (" +
          getOperatorInfo(operation.opcode).name +
          "): expects few operations in which dimensions of one tensor meet");
    shared = repeatOperand(shared, *number);
  }
  mergeWherePossible(shared, numInputs);
  RewrittenProgram result;
  for (unsigned input = 0; input < numInputs; ++input)
    result.inputs.addInput(program.getType(input), program.getInputName(input));
  for (unsigned source : shared.sources)
    result.inputs.addOutput(source);
  for (ValueId output : program.getOutputs())
    result.outputs.addOutput(result.outputs.addInput(program.getType(output)));
  result.body = std::move(shared.graph);
  return result;
}
