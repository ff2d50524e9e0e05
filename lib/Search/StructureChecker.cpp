//===- StructureChecker.cpp - Whether a structure can be built ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StructureChecker.h"
#include "Mirage/Graph/Phases.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::Error;

namespace {
class StructureChecker {
public:
  StructureChecker(const TargetProgram &program, const Structure &structure)
      : program(program), structure(structure) {
    for (ValueId input = 0; input < program.graph.getNumInputs(); ++input)
      device.push_back(program.getStored(input));
    numStored = device.size();
    llvm::append_range(device, structure.results);
  }

  /// What is wrong, as "expects ..., got ..."; nothing if nothing is.
  std::string run() {
    if (structure.kernels.size() > program.getMaxKernels())
      expect("at most " + llvm::Twine(program.getMaxKernels()) + " kernels",
             structure.kernels.size());
    for (; position < structure.kernels.size() && problem.empty(); ++position)
      checkKernel(structure.kernels[position]);
    if (numStored != device.size())
      expect(
          "as many results as kernels store, " +
              llvm::Twine(uint64_t(numStored - program.graph.getNumInputs())),
          structure.results.size());
    checkOutputs();
    return problem;
  }

private:
  /// The first problem is kept.
  void expect(const llvm::Twine &what, const llvm::Twine &got) {
    if (problem.empty())
      problem = ("expects " + what + ", got " + got).str();
  }
  void expect(const llvm::Twine &what, uint64_t got) {
    expect(what, llvm::Twine(got));
  }

  void checkKernel(const KernelStructure &kernel) {
    llvm::SmallVector<NameSet> names; // by tensor of the kernel
    for (unsigned input : kernel.inputs) {
      if (input >= numStored)
        return expect("inputs that an earlier kernel stores",
                      "%" + llvm::Twine(input));
      names.push_back(toSet(device[input].layout));
    }
    checkAxes(kernel, names);
    checkPhases(kernel, names);
    for (const StructureOperator &op : kernel.operators) {
      NameSet all = 0;
      for (unsigned operand : op.operands) {
        all |= names[operand];
        if (op.over != kNoName && !contains(names[operand], op.over))
          return expect("a name to reduce that each operand has", op.over);
      }
      if (op.mask && (op.mask->getNames() & ~all))
        return expect("a mask of rows and columns that the operand has",
                      "one of others");
      names.push_back(op.over == kNoName ? all : all & ~toSet(op.over));
    }
    for (unsigned result : kernel.results)
      checkStored(kernel, names[result]);
  }

  /// Axes share out something, and the loop what is reduced.
  void checkAxes(const KernelStructure &kernel,
                 llvm::ArrayRef<NameSet> inputs) {
    NameSet split = toSet(kernel.gridNames), all = 0;
    if (kernel.loopName != kNoName)
      split |= toSet(kernel.loopName);
    for (NameSet names : inputs)
      all |= names;
    for (NameId name : toList(split & ~all))
      expect("axes and a loop over names that some input has", name);
  }

  /// By the rule for tile graphs, of which this will be one.
  void checkPhases(const KernelStructure &kernel,
                   llvm::ArrayRef<NameSet> inputs) {
    bool hasLoop = kernel.loopName != kNoName;
    TileGraph header;
    header.grid.assign(kernel.gridNames.size(), 2);
    header.loop = hasLoop ? 2 : 1;
    llvm::SmallVector<Phase> phases; // by tensor of the kernel
    for (NameSet names : inputs)
      phases.push_back(hasLoop && contains(names, kernel.loopName)
                           ? Phase::Loop
                           : Phase::Invariant);
    for (const StructureOperator &op : kernel.operators) {
      Attributes attributes;
      attributes.axis =
          op.gridAxis ? static_cast<Axis>(*op.gridAxis) : Axis::Loop;
      llvm::SmallVector<Phase> operands;
      for (unsigned operand : op.operands)
        operands.push_back(phases[operand]);
      llvm::SmallVector<TensorSpec> types(op.operands.size(), {{1, 1}});
      if (Error error = checkInTileGraph(op.opcode, attributes, operands, types,
                                         header)) {
        if (problem.empty())
          problem = llvm::toString(std::move(error));
        else
          llvm::consumeError(std::move(error));
      }
      phases.push_back(inferPhase(op.opcode, attributes, operands));
    }
    for (unsigned result : kernel.results)
      if (phases[result] == Phase::Loop)
        expect("results from after the loop", "one of the loop");
  }

  /// The next of the tensors that are stored: what was computed, and parts of
  /// names that the kernel's blocks share out.
  void checkStored(const KernelStructure &kernel, NameSet computed) {
    if (numStored == device.size())
      return expect("a result for each tensor that is stored", "fewer");
    NameSet stored = toSet(device[numStored++].layout), parts = 0;
    for (NameId name : toList(stored)) {
      std::optional<TargetProgram::Part> part = program.getPart(name);
      if (part && part->kernel == position &&
          llvm::is_contained(kernel.gridNames, part->of))
        parts |= toSet(name);
    }
    if (kernel.loopName != kNoName && contains(computed, kernel.loopName))
      expect("a loop over a name that no result has", kernel.loopName);
    if ((stored & ~parts) != computed)
      expect("results of the names that are computed", "others");
  }

  /// As the program stores them.
  void checkOutputs() {
    llvm::ArrayRef<ValueId> outputs = program.graph.getOutputs();
    if (structure.outputs.size() != outputs.size())
      return expect(llvm::Twine(uint64_t(outputs.size())) + " outputs",
                    structure.outputs.size());
    for (auto [tensor, output] : llvm::zip(structure.outputs, outputs))
      if (tensor >= device.size() ||
          !(device[tensor] == program.getStored(output)))
        expect("outputs as the program stores them", "others");
  }

  const TargetProgram &program;
  const Structure &structure;
  std::vector<StoredTensor> device; ///< by device tensor
  size_t numStored = 0;             ///< of these, by kernels before this one
  unsigned position = 0;            ///< of this kernel
  std::string problem;
};
} // namespace

std::string
mlir::mirage::search::explainBadStructure(const TargetProgram &program,
                                          const Structure &structure) {
  return StructureChecker(program, structure).run();
}
