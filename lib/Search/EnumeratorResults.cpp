//===- EnumeratorResults.cpp - What complete kernels leave ----------------===//
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

/// Whether the tensor, put together over the grid, is the program's output.
bool Enumerator::isOutput(const Tensor &tensor, unsigned output) {
  if (tensor.phase == Phase::Loop)
    return false;
  FormId form = tensor.form;
  for (auto [axis, name] : llvm::enumerate(structure.gridNames)) {
    if (!(tensor.axes >> axis & 1) || contains(tensor.names, name))
      continue;
    if (!limits.joins.inOutputs)
      return false;
    form =
        space.context.multiplySymbol(form, getGridSymbol(name, site->position));
  }
  return space.isOutput(form, tensor.names, output);
}

/// The tensors that are outputs of the program. \returns false if one is
/// missing, or if something else is open.
bool Enumerator::collectOutputs() {
  for (unsigned output : site->outputs) {
    // Blocks that have summands of an output may go on to add them up: what is
    // open goes before what is read.
    auto find = [&](bool isOpen) {
      return llvm::find_if(tensors, [&](const Tensor &tensor) {
        return (tensor.numUses == 0) == isOpen && isOutput(tensor, output);
      });
    };
    auto it = find(/*isOpen=*/true);
    if (it == tensors.end())
      it = find(/*isOpen=*/false);
    if (it == tensors.end())
      return false;
    structure.results.push_back(it - tensors.begin());
  }
  for (auto [number, tensor] : llvm::enumerate(tensors))
    if ((tensor.numUses == 0 || isToBeShared(tensor)) &&
        !llvm::is_contained(structure.results, number))
      return false;
  return true;
}

/// The names of what is stored: blocks along an axis that leave parts leave
/// them side by side.
NameSet Enumerator::getStoredNames(const Tensor &tensor) const {
  NameSet names = tensor.names;
  for (auto [axis, name] : llvm::enumerate(structure.gridNames))
    if ((tensor.axes >> axis & 1) && !contains(tensor.names, name))
      names |= toSet(space.program.getPartName(site->position, name));
  return names;
}

/// What is open is left to the next kernel. \returns false if something is in
/// the loop, an input, or too much.
bool Enumerator::collectResults() {
  results.clear();
  for (auto [number, tensor] : llvm::enumerate(tensors)) {
    if (isToBeShared(tensor))
      return false;
    if (tensor.numUses > 0)
      continue;
    if (tensor.phase == Phase::Loop || number < site->inputs.size())
      return false;
    structure.results.push_back(number);
    results.push_back({tensor.form, getStoredNames(tensor)});
  }
  return results.size() <= site->maxResults;
}

/// \returns whether what there is is a kernel.
bool Enumerator::checkComplete() {
  structure.results.clear();
  if (!(site->isLast() ? collectOutputs() : collectResults()))
    return false;
  structure.operators.clear();
  size_t numInputs = tensors.size() - steps.size();
  for (auto [number, step] : llvm::enumerate(steps)) {
    const Tensor &result = tensors[numInputs + number];
    structure.operators.push_back(makeOperator(step));
    structure.operators.back().stored =
        space.getStored(result.form, result.names).element;
  }
  found(structure, results);
  return true;
}
