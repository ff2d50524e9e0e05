//===- KernelPlan.cpp - What a kernel of a structure loads and stores -----===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/KernelPlan.h"
#include "KernelBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;
using llvm::SmallVector;

static SmallVector<TensorSpec> getTypes(ArrayRef<KernelTensor> tensors,
                                        ArrayRef<int64_t> extents) {
  SmallVector<TensorSpec> types;
  for (const KernelTensor &tensor : tensors)
    types.push_back({DimensionNames::getShape(tensor.stored.layout, extents),
                     tensor.stored.element});
  return types;
}

SmallVector<TensorSpec>
KernelPlan::getInputTypes(ArrayRef<int64_t> extents) const {
  return getTypes(inputs, extents);
}

SmallVector<TensorSpec>
KernelPlan::getResultTypes(ArrayRef<int64_t> extents) const {
  return getTypes(results, extents);
}

namespace {
class Planner {
public:
  Planner(const TargetProgram &program, const Structure &structure)
      : program(program), structure(structure) {}

  std::optional<std::vector<KernelPlan>> run() {
    unsigned firstResult = program.graph.getNumInputs();
    for (const KernelStructure &kernel : structure.kernels) {
      KernelPlan &plan = plans.emplace_back();
      plan.position = plans.size() - 1;
      plan.kernel = kernel;
      addInputs(plan);
      for (unsigned i = 0; i < kernel.results.size(); ++i) {
        unsigned number = firstResult + i;
        plan.results.push_back(
            {structure.results[number - program.graph.getNumInputs()]});
        plan.isOutput.push_back(llvm::is_contained(structure.outputs, number));
      }
      firstResult += kernel.results.size();
      if (program.isStripped && !addScales(plan))
        return std::nullopt;
    }
    return std::move(plans);
  }

private:
  KernelPlan::Source findSource(unsigned tensor) const {
    unsigned numInputs = program.graph.getNumInputs();
    if (tensor < numInputs)
      return {std::nullopt, tensor};
    unsigned number = tensor - numInputs, kernel = 0;
    while (number >= structure.kernels[kernel].results.size())
      number -= structure.kernels[kernel++].results.size();
    return {kernel, number};
  }

  KernelTensor getTensor(const KernelPlan::Source &source) const {
    if (source.kernel)
      return plans[*source.kernel].results[source.number];
    return {program.getStored(source.number)};
  }

  /// Tensors that are relative to one scale load it once.
  void addInputs(KernelPlan &plan) {
    for (unsigned input : plan.kernel.inputs) {
      plan.sources.push_back(findSource(input));
      plan.inputs.push_back({getTensor(plan.sources.back()).stored});
    }
    std::map<std::pair<unsigned, unsigned>, unsigned> loaded;
    for (unsigned i = 0; i < plan.kernel.inputs.size(); ++i) {
      KernelPlan::Source source = plan.sources[i];
      std::optional<unsigned> scale = getTensor(source).scale;
      if (!scale)
        continue;
      source.number = *scale;
      auto [entry, isNew] =
          loaded.try_emplace({*source.kernel, *scale}, plan.inputs.size());
      plan.inputs[i].scale = entry->second;
      if (!isNew)
        continue;
      plan.sources.push_back(source);
      plan.inputs.push_back({getTensor(source).stored});
    }
  }

  /// What stands beside results follows from building the kernel once, at
  /// whatever sizes.
  bool addScales(KernelPlan &plan) {
    TestSizes sizes = getTestSizes(
        program, ArrayRef(structure.kernels).take_front(plans.size()), 0);
    auto built =
        KernelBuilder(program, plan, sizes.extents, sizes.tilings.back()).run();
    if (built)
      plan.results = std::move(built->results);
    return built.has_value();
  }

  const TargetProgram &program;
  const Structure &structure;
  std::vector<KernelPlan> plans;
};
} // namespace

std::optional<std::vector<KernelPlan>>
mlir::mirage::search::planKernels(const TargetProgram &program,
                                  const Structure &structure) {
  return Planner(program, structure).run();
}
