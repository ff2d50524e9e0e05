//===- ProgramParts.cpp - Cutting large programs --------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/ProgramParts.h"
#include "Mirage/Graph/Operators.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <map>
#include <set>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Movements of data are views, or become part of what reads them.
static bool isView(const Node &operation) {
  return getOperatorInfo(operation.opcode).kind == OperatorKind::Movement;
}

static bool rounds(const Graph &program, const Node &operation) {
  return operation.opcode == Opcode::Cast &&
         getSizeBytes(program.getType(operation.results[0]).element) <
             getSizeBytes(program.getType(operation.operands[0]).element);
}

unsigned mlir::mirage::search::countOperations(const Graph &program) {
  return llvm::count_if(program.getNodes(),
                        [](const Node &op) { return !isView(op); });
}

//===----------------------------------------------------------------------===//
// Enumeration
//===----------------------------------------------------------------------===//

namespace {
using OperationSet = std::set<unsigned>;

/// Grows the parts of one value from the operation that gives it, by taking in
/// operations that give what is read.
class PartGrower {
public:
  PartGrower(const Graph &program, const PartLimits &limits)
      : program(program), limits(limits), reaches(program.getNumValues()) {
    for (unsigned input = 0; input < program.getNumInputs(); ++input)
      reaches[input] = {input};
    for (const Node &operation : program.getNodes()) {
      if (limits.storesFactors &&
          getOperatorInfo(operation.opcode).kind == OperatorKind::Contraction)
        for (ValueId operand : operation.operands)
          factors.insert(skipViews(operand));
      for (ValueId result : operation.results) {
        reaches[result].insert(result);
        for (ValueId operand : operation.operands)
          reaches[result].insert(reaches[operand].begin(),
                                 reaches[operand].end());
      }
    }
  }

  /// By their sets of operations.
  const std::set<OperationSet> &grow(ValueId output) {
    seen.clear();
    grow({getOperation(output)}, output);
    return seen;
  }

  /// The values that a set of operations reads from elsewhere, ascending.
  SmallVector<ValueId> findInputs(const OperationSet &operations) const {
    std::set<ValueId> inputs;
    for (unsigned number : operations)
      for (ValueId operand : program.getNodes()[number].operands)
        if (program.isInput(operand) ||
            !operations.count(getOperation(operand)))
          inputs.insert(operand);
    return SmallVector<ValueId>(inputs.begin(), inputs.end());
  }

  bool isGood(const OperationSet &operations) const {
    return isConvex(operations) &&
           (count(operations) == 1 ||
            findInputs(operations).size() <= limits.maxInputs);
  }

  /// Nothing is gained by storing such a value. What nobody reads but rounded
  /// is stored so.
  bool mustBeInside(ValueId value) const {
    const Node *operation = program.getDefinition(value);
    if (!operation)
      return false;
    if (rounds(program, *operation))
      return !isWorthStoring(operation->operands[0]);
    return !isWorthStoring(value) || isOnlyRounded(value);
  }

private:
  /// Whether an operation computes a value, and not one elementwise operation
  /// of one other value, which may be part of what reads it.
  bool isWorthStoring(ValueId value) const {
    const Node *operation = program.getDefinition(value);
    if (!operation || isView(*operation))
      return false;
    bool isFunction =
        getOperatorInfo(operation->opcode).kind == OperatorKind::Elementwise &&
        operation->operands.size() == 1;
    return !isFunction || limits.storesAll || factors.count(value);
  }

  bool isOnlyRounded(ValueId value) const {
    bool isRounded = false;
    for (const Node &reader : program.getNodes())
      if (llvm::is_contained(reader.operands, value)) {
        if (!rounds(program, reader))
          return false;
        isRounded = true;
      }
    return isRounded && !llvm::is_contained(program.getOutputs(), value);
  }

  ValueId skipViews(ValueId value) const {
    const Node *operation = program.getDefinition(value);
    return operation && isView(*operation) ? skipViews(operation->operands[0])
                                           : value;
  }

  unsigned getOperation(ValueId value) const {
    return program.getDefinition(value) - program.getNodes().begin();
  }

  void takeInside(OperationSet &operations) const {
    for (bool changes = true; changes;) {
      changes = false;
      for (ValueId value : findInputs(operations))
        if (mustBeInside(value))
          changes |= operations.insert(getOperation(value)).second;
    }
  }

  unsigned count(const OperationSet &operations) const {
    return llvm::count_if(operations, [&](unsigned number) {
      return !isView(program.getNodes()[number]);
    });
  }

  /// Whether what is read depends on nothing that is computed inside.
  bool isConvex(const OperationSet &operations) const {
    for (ValueId input : findInputs(operations))
      for (unsigned number : operations)
        if (reaches[input].count(program.getNodes()[number].results[0]))
          return false;
    return true;
  }

  void grow(OperationSet operations, ValueId output) {
    unsigned before = count(operations);
    takeInside(operations);
    bool isSmall = before == 1 || count(operations) <= limits.maxOperations;
    if (!isSmall || !seen.insert(operations).second)
      return;
    for (ValueId value : findInputs(operations))
      if (!program.isInput(value)) {
        OperationSet more = operations;
        more.insert(getOperation(value));
        grow(std::move(more), output);
      }
  }

  const Graph &program;
  PartLimits limits;
  std::set<ValueId> factors;              ///< that may be stored
  std::vector<std::set<ValueId>> reaches; ///< by value: what it depends on
  std::set<OperationSet> seen;
};
} // namespace

static ProgramPart makePart(const Graph &program,
                            const OperationSet &operations,
                            ArrayRef<ValueId> inputs, ValueId output) {
  ProgramPart part;
  part.graph.f32Products = program.f32Products;
  part.operations.assign(operations.begin(), operations.end());
  part.inputs.assign(inputs.begin(), inputs.end());
  part.output = output;
  llvm::DenseMap<ValueId, ValueId> values;
  for (ValueId input : inputs)
    values[input] = part.graph.addInput(
        program.getType(input),
        program.isInput(input) ? program.getInputName(input) : "");
  for (unsigned number : operations) {
    const Node &operation = program.getNodes()[number];
    SmallVector<ValueId, 2> operands;
    for (ValueId operand : operation.operands)
      operands.push_back(values.at(operand));
    ValueId result = operation.results[0];
    values[result] =
        part.graph.add(operation.opcode, operands, program.getType(result),
                       operation.attributes);
  }
  part.graph.addOutput(values.at(output));
  return part;
}

std::vector<ProgramPart>
mlir::mirage::search::enumerateParts(const Graph &program,
                                     const PartLimits &limits) {
  std::vector<ProgramPart> parts;
  PartGrower grower(program, limits);
  for (const Node &operation : program.getNodes()) {
    ValueId value = operation.results[0];
    if (grower.mustBeInside(value) &&
        !llvm::is_contained(program.getOutputs(), value))
      continue;
    for (const OperationSet &operations : grower.grow(value))
      if (grower.isGood(operations))
        parts.push_back(makePart(program, operations,
                                 grower.findInputs(operations), value));
  }
  llvm::sort(parts, [](const ProgramPart &a, const ProgramPart &b) {
    return std::make_pair(a.operations.size(), a.operations) <
           std::make_pair(b.operations.size(), b.operations);
  });
  return parts;
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

namespace {
/// Dynamic programming over sets of values that are still to be had, and the
/// kernels left for them: the last value of a set is read by nothing that is
/// left, so how it is computed depends on these alone.
class PartChooser {
public:
  PartChooser(const Graph &program, ArrayRef<ProgramPart> parts,
              llvm::function_ref<std::optional<PartCost>(unsigned)> getCost)
      : program(program), parts(parts), getCost(getCost) {
    for (auto [number, part] : llvm::enumerate(parts))
      partsOf[part.output].push_back(number);
  }

  std::optional<PartChoice> run(std::optional<unsigned> maxKernels) {
    std::set<ValueId> wanted;
    for (ValueId output : program.getOutputs())
      want(wanted, output);
    std::optional<PartChoice> choice = choose(wanted, maxKernels);
    if (choice) // last ones were chosen first
      std::reverse(choice->parts.begin(), choice->parts.end());
    return choice;
  }

private:
  void want(std::set<ValueId> &wanted, ValueId value) const {
    if (!program.isInput(value))
      wanted.insert(value);
  }

  std::optional<PartChoice> choose(const std::set<ValueId> &wanted,
                                   std::optional<unsigned> kernelsLeft) {
    if (wanted.empty())
      return PartChoice();
    auto known = memo.find({wanted, kernelsLeft});
    if (known != memo.end())
      return known->second;
    ValueId last = *wanted.rbegin();
    std::optional<PartChoice> best;
    for (unsigned number : partsOf[last]) {
      std::optional<PartCost> cost = getCost(number);
      if (!cost || (kernelsLeft && cost->numKernels > *kernelsLeft))
        continue;
      std::set<ValueId> rest = wanted;
      rest.erase(last);
      for (ValueId input : parts[number].inputs)
        want(rest, input);
      std::optional<unsigned> kernelsBefore = kernelsLeft;
      if (kernelsBefore)
        *kernelsBefore -= cost->numKernels;
      std::optional<PartChoice> before = choose(rest, kernelsBefore);
      if (!before || (best && before->us + cost->us >= best->us))
        continue;
      best = PartChoice{{number}, before->us + cost->us};
      llvm::append_range(best->parts, before->parts);
    }
    memo[{wanted, kernelsLeft}] = best;
    return best;
  }

  const Graph &program;
  ArrayRef<ProgramPart> parts;
  llvm::function_ref<std::optional<PartCost>(unsigned)> getCost;
  std::map<ValueId, std::vector<unsigned>> partsOf; ///< by output
  std::map<std::pair<std::set<ValueId>, std::optional<unsigned>>,
           std::optional<PartChoice>>
      memo;
};
} // namespace

std::optional<PartChoice> mlir::mirage::search::chooseParts(
    const Graph &program, ArrayRef<ProgramPart> parts,
    llvm::function_ref<std::optional<PartCost>(unsigned)> getCost,
    std::optional<unsigned> maxKernels) {
  return PartChooser(program, parts, getCost).run(maxKernels);
}

Graph mlir::mirage::search::joinParts(
    const Graph &program, ArrayRef<ProgramPart> parts,
    ArrayRef<unsigned> chosen,
    llvm::function_ref<const Graph &(unsigned)> getGraph) {
  Graph graph;
  graph.f32Products = program.f32Products;
  llvm::DenseMap<ValueId, ValueId> values;
  for (unsigned input = 0; input < program.getNumInputs(); ++input)
    values[input] =
        graph.addInput(program.getType(input), program.getInputName(input));
  for (unsigned number : chosen) {
    const ProgramPart &part = parts[number];
    auto inputs = llvm::map_to_vector(
        part.inputs, [&](ValueId input) { return values.at(input); });
    values[part.output] = inlineGraph(getGraph(number), inputs, graph)[0];
  }
  for (ValueId output : program.getOutputs())
    graph.addOutput(values.at(output));
  return graph;
}
