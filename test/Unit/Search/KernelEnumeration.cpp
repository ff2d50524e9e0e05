//===- KernelEnumeration.cpp - Structures of one kernel -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEnumeration.h"
#include "Mirage/Search/RewrittenProgram.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

TargetProgram mlir::mirage::test::makeProgram(const Graph &graph) {
  return llvm::cantFail(
      makeTargetProgram(llvm::cantFail(rewriteForSearch(graph)).body));
}

static EnumerationLimits makeLimits(const KernelSpace &options) {
  EnumerationLimits limits;
  limits.maxStates = 10000000;
  limits.joins = options.joins;
  limits.off = options.off;
  return limits;
}

/// \returns the states of the pass with the most operators.
static uint64_t
enumerateSite(EnumerationSpace &space, const KernelSite &site,
              const KernelSpace &options,
              llvm::function_ref<void(const KernelStructure &)> found) {
  std::vector<KernelChoice> choices = enumerateKernelChoices(
      space.getProgram(), site, options.maxGridAxes, options.joins);
  EnumerationLimits limits = makeLimits(options);
  uint64_t states = 0;
  for (unsigned size = 1; size <= options.maxOperators; ++size) {
    limits.numOperators = size;
    EnumerationCounts counts;
    for (const KernelChoice &choice : choices)
      EXPECT_TRUE(Enumerator(space, limits, counts)
                      .run(site, choice,
                           [&](const KernelStructure &structure, auto results) {
                             EXPECT_EQ(results.empty(), site.isLast());
                             found(structure);
                           }));
    states = counts.states;
  }
  return states;
}

FoundKernels mlir::mirage::test::enumerateKernels(const Graph &graph,
                                                  AtomReading reading,
                                                  const KernelSpace &options) {
  TargetProgram program = makeProgram(graph);
  EnumerationSpace space(program, reading);
  EXPECT_TRUE(space.isSearchable());
  FoundKernels found;
  found.states = enumerateSite(space, makeWholeSite(space), options,
                               [&](const KernelStructure &structure) {
                                 found.structures.push_back(structure);
                               });
  return found;
}

std::vector<KernelStructure> mlir::mirage::test::enumerateFirstKernels(
    const Graph &graph, AtomReading reading, const KernelSpace &options) {
  TargetProgram program = makeProgram(graph);
  EnumerationSpace space(program, reading);
  std::vector<DeviceTensor> inputs = makeWholeSite(space).inputs;
  std::vector<KernelStructure> found;
  for (unsigned subset = 1; subset < 1u << inputs.size(); ++subset) {
    KernelSite site;
    for (unsigned i = 0; i < inputs.size(); ++i)
      if (subset >> i & 1)
        site.inputs.push_back(inputs[i]);
    enumerateSite(space, site, options, [&](const KernelStructure &structure) {
      found.push_back(structure);
      found.back().results.clear(); // all that is not read, in any order
    });
  }
  return found;
}

namespace {
/// Writes tensors as terms of what they are computed of.
class Describer {
public:
  Describer(const KernelStructure &structure, llvm::ArrayRef<std::string> names)
      : structure(structure), names(names) {}

  std::string run() {
    for (unsigned input : structure.inputs)
      tensors.push_back("%" + std::to_string(input));
    std::multiset<std::string> operators;
    for (const StructureOperator &op : structure.operators) {
      tensors.push_back(describe(op));
      operators.insert(tensors.back());
    }
    std::multiset<std::string> axes;
    for (NameId name : structure.gridNames)
      axes.insert(getText(name));
    std::string text = "loop " + getText(structure.loopName) + " grid";
    for (const std::string &axis : axes)
      text += " " + axis;
    for (const std::string &op : operators)
      text += "; " + op;
    text += "; results";
    for (unsigned result : structure.results)
      text += " " + tensors[result];
    return text;
  }

private:
  std::string getText(NameId name) const {
    if (name == kNoName)
      return "-";
    return name < names.size() ? names[name] : std::to_string(name);
  }

  std::string describe(const StructureOperator &op) const {
    const OperatorInfo &row = getOperatorInfo(op.opcode);
    std::vector<std::string> operands;
    for (unsigned operand : op.operands)
      operands.push_back(tensors[operand]);
    if (row.commutes || row.kind == OperatorKind::Contraction)
      llvm::sort(operands);
    std::string text = row.name.str();
    if (op.opcode == Opcode::Accumulate)
      text += " " + getOperatorInfo(op.reduction).name.str();
    if (op.over != kNoName)
      text += " over " + getText(op.over);
    if (op.gridAxis)
      text += " across " + getText(structure.gridNames[*op.gridAxis]);
    if (op.mask)
      text += " of " + getText(op.mask->rows) + " " + getText(op.mask->columns);
    for (double scalar : op.scalars)
      text += " " + std::to_string(scalar);
    text += "(";
    for (const std::string &operand : operands)
      text += operand + ",";
    return text + ")";
  }

  const KernelStructure &structure;
  llvm::ArrayRef<std::string> names;
  std::vector<std::string> tensors;
};
} // namespace

std::string mlir::mirage::test::describe(const KernelStructure &structure,
                                         llvm::ArrayRef<std::string> names) {
  return Describer(structure, names).run();
}

std::multiset<std::string>
mlir::mirage::test::describeAll(llvm::ArrayRef<KernelStructure> structures,
                                llvm::ArrayRef<std::string> names) {
  std::multiset<std::string> all;
  for (const KernelStructure &structure : structures)
    all.insert(describe(structure, names));
  return all;
}
