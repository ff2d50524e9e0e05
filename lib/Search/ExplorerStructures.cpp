//===- ExplorerStructures.cpp - Kernels become structures -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplorerState.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Tensors in an order of their own, so that equal sets are one boundary.
static void sortTensors(KernelStructure &kernel,
                        std::vector<BoundaryTensor> &tensors) {
  SmallVector<unsigned> order = llvm::to_vector(
      llvm::seq<unsigned>(0, static_cast<unsigned>(tensors.size())));
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::tie(tensors[a].form, tensors[a].names, kernel.results[a]) <
           std::tie(tensors[b].form, tensors[b].names, kernel.results[b]);
  });
  std::vector<BoundaryTensor> sorted;
  SmallVector<unsigned> results;
  for (unsigned i : order) {
    sorted.push_back(std::move(tensors[i]));
    results.push_back(kernel.results[i]);
  }
  tensors = std::move(sorted);
  kernel.results = std::move(results);
}

static std::string getKey(unsigned position, ArrayRef<BoundaryTensor> tensors,
                          unsigned numNew) {
  std::string key = std::to_string(position) + "/" + std::to_string(numNew);
  for (const BoundaryTensor &tensor : tensors)
    key += "/" + std::to_string(tensor.names) + ":" + tensor.form;
  return key;
}

void Explorer::addWay(const Item &item, const KernelStructure &kernel,
                      std::vector<BoundaryTensor> tensors,
                      unsigned numOperators) {
  const Boundary &from = *boundaries[item.boundary];
  Way way{item.boundary, kernel};
  sortTensors(way.kernel, tensors);
  unsigned numNew = tensors.size();
  llvm::append_range(tensors, from.tensors);
  std::string key = getKey(from.position + 1, tensors, numNew);
  auto [entry, isNew] = boundaryNumbers.try_emplace(key, boundaries.size());
  if (isNew) {
    boundaries.push_back(std::make_unique<Boundary>());
    Boundary &to = *boundaries.back();
    to.position = from.position + 1;
    if (!limits.records.empty())
      to.hash = hashToText(key);
    to.tensors = std::move(tensors);
    to.numNew = numNew;
    // An item that an earlier round cut may lead here now. Its ways with fewer
    // operators were above the limit, which never rises, so none is missing.
    to.minOperators = numOperators;
    to.inputsRead = getInputsRead(way);
    to.leastUs = std::numeric_limits<double>::infinity();
  }
  Boundary &to = *boundaries[entry->second];
  assert(to.inputsRead == getInputsRead(way) && "equal forms, equal inputs");
  if (limits.costModel)
    way.leastUs = boundWayUs(way, to);
  to.ways.push_back(std::move(way));
}

/// Puts a structure together: tensors get numbers of their own.
void Explorer::emitStructure(ArrayRef<const KernelStructure *> lastFirst,
                             const Boundary &last, double leastUs) {
  unsigned numInputs = program.graph.getNumInputs();
  Structure structure;
  SmallVector<unsigned> numbers; // of the boundary's tensors, as devices number
  unsigned nextNumber = numInputs;
  for (const KernelStructure *kernel : llvm::reverse(lastFirst)) {
    KernelStructure &placed = structure.kernels.emplace_back(*kernel);
    for (unsigned &input : placed.inputs)
      if (input >= numInputs)
        input = numbers[input - numInputs];
    SmallVector<unsigned> left;
    for (unsigned i = 0; i < kernel->results.size(); ++i)
      left.push_back(nextNumber++);
    llvm::append_range(left, numbers);
    numbers = std::move(left);
  }
  // `numbers` are those of the last kernel's results, then of the boundary.
  ArrayRef<ValueId> outputs = program.graph.getOutputs();
  SmallVector<unsigned> open = last.getOpenOutputs(outputs.size());
  structure.results.resize(nextNumber - numInputs);
  structure.outputs.resize(outputs.size());
  auto store = [&](unsigned number, const StoredTensor &stored) {
    structure.results[number - numInputs] = stored;
  };
  for (auto [position, output] : llvm::enumerate(open)) {
    structure.outputs[output] = numbers[position];
    store(numbers[position], program.getStored(outputs[output]));
  }
  for (auto [position, tensor] : llvm::enumerate(last.tensors)) {
    unsigned number = numbers[open.size() + position];
    store(number, tensor.stored);
    if (tensor.output)
      structure.outputs[*tensor.output] = number;
  }
  rounds.back().structures += found(structure, leastUs);
}

/// All structures of so many operators whose last kernel starts from the
/// boundary.
void Explorer::emitStructures(unsigned number, unsigned numOperators) {
  const Boundary &last = *boundaries[number];
  SmallVector<const KernelStructure *, kMaxKernels> chain; // last kernel first
  std::function<void(const Boundary &, unsigned, double)> emit =
      [&](const Boundary &boundary, unsigned left, double leastUs) {
        if (boundary.position == 0 && left == 0)
          emitStructure(chain, last, leastUs);
        for (const Way &way : boundary.ways) {
          unsigned size = way.kernel.operators.size();
          const Boundary &from = *boundaries[way.from];
          if (size + from.minOperators > left)
            continue;
          chain.push_back(&way.kernel);
          emit(from, left - size, leastUs + way.leastUs);
          chain.pop_back();
        }
      };
  for (const auto &[size, kernels] : last.lastKernels)
    for (const Boundary::LastKernel &lastKernel : kernels) {
      if (size + last.minOperators > numOperators)
        continue;
      chain = {&lastKernel.kernel};
      emit(last, numOperators - size, lastKernel.leastUs);
    }
}
