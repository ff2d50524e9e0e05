//===- KernelSite.cpp - Which kernels are enumerated ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Enumerator.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;
using llvm::SmallVector;

KernelSite mlir::mirage::search::makeWholeSite(const EnumerationSpace &space) {
  const TargetProgram &program = space.getProgram();
  KernelSite site;
  for (ValueId input : program.inputs)
    site.inputs.push_back(space.getInput(input));
  for (unsigned i = 0; i < program.graph.getOutputs().size(); ++i)
    site.outputs.push_back(i);
  return site;
}

static void addGridChoices(ArrayRef<NameId> loops, ArrayRef<NameId> names,
                           unsigned maxGridAxes, KernelChoice &choice,
                           std::vector<KernelChoice> &choices) {
  for (NameId loop : loops) {
    choices.push_back(choice);
    choices.back().loopName = loop;
  }
  choices.push_back(choice);
  if (choice.gridNames.size() == maxGridAxes)
    return;
  for (size_t next = 0; next < names.size(); ++next) {
    choice.gridNames.push_back(names[next]);
    addGridChoices(loops, names.drop_front(next + 1), maxGridAxes, choice,
                   choices);
    choice.gridNames.pop_back();
  }
}

std::vector<KernelChoice> mlir::mirage::search::enumerateKernelChoices(
    const TargetProgram &program, const KernelSite &site, unsigned maxGridAxes,
    GridJoins joins) {
  NameSet read = 0, written = 0;
  for (const DeviceTensor &input : site.inputs)
    read |= input.names & ~program.getPartNames();
  for (unsigned output : site.outputs)
    written |= program.getNames(program.graph.getOutputs()[output]);
  bool needsNames = site.isLast() && !joins.any();
  std::vector<KernelChoice> choices;
  KernelChoice choice;
  addGridChoices(toList(read & program.reducedNames),
                 toList(needsNames ? read & written : read), maxGridAxes,
                 choice, choices);
  return choices;
}
