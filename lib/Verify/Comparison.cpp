//===- Comparison.cpp - Outputs of two graphs, side by side ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comparison.h"
#include "ComponentSlice.h"
#include "GraphEvaluator.h"
#include "TileCopies.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace mlir::mirage;

namespace {
/// Evaluates one graph in all components.
class ComponentWalk {
public:
  using EvaluateIn = llvm::function_ref<Outputs(GraphEvaluator &, unsigned)>;

  ComponentWalk(const Graph &graph, const FieldBatch &batch, unsigned height)
      : graph(graph), batch(batch), height(height) {}

  bool multiplicativeRoots = false;
  /// In component 0 too, arguments of exponentials included.
  bool isWhole = false;
  /// Is told the exponents of a component.
  llvm::function_ref<void(unsigned, const ExponentTape &)> noteExponents =
      nullptr;

  /// From the last component on, whose exponentials have no values.
  Outputs run(EvaluateIn evaluateIn) const {
    ExponentTape tape;
    std::optional<ComponentSlice> exponents, outputs;
    if (height > 1) {
      exponents.emplace(graph, ComponentSlice::Exponents);
      if (!isWhole)
        outputs.emplace(graph, ComponentSlice::Outputs);
    }
    for (unsigned component = height; component-- > 0;) {
      FieldArithmetic arithmetic(batch, component, std::move(tape));
      if (multiplicativeRoots)
        arithmetic.setMultiplicativeRoots();
      GraphEvaluator evaluator(arithmetic);
      const auto &slice = component > 0 ? exponents : outputs;
      evaluator.setSlice(slice ? &*slice : nullptr);
      Outputs values = evaluateIn(evaluator, component);
      if (component == 0)
        return values;
      tape = arithmetic.takeTape();
      if (noteExponents)
        noteExponents(component - 1, tape);
    }
    return {};
  }

private:
  const Graph &graph;
  const FieldBatch &batch;
  unsigned height;
};
} // namespace

static Outputs evaluateOn(const ComponentWalk &walk, const Graph &graph,
                          llvm::ArrayRef<std::vector<uint32_t>> inputs,
                          unsigned words) {
  return walk.run([&](GraphEvaluator &evaluator, unsigned component) {
    llvm::SmallVector<const uint32_t *> starts;
    const uint32_t *next = inputs[component].data();
    for (unsigned input = 0; input < graph.getNumInputs(); ++input) {
      starts.push_back(next);
      next += graph.getType(input).getNumElements() * words;
    }
    return evaluator.evaluate(graph, starts);
  });
}

Outputs
mlir::mirage::evaluateInFields(const Graph &graph, const FieldBatch &batch,
                               llvm::ArrayRef<std::vector<uint32_t>> inputs,
                               unsigned height) {
  return evaluateOn(ComponentWalk(graph, batch, height), graph, inputs,
                    batch.words);
}

Outputs
mlir::mirage::evaluateAndRemember(const Graph &graph, FieldBatch &batch,
                                  llvm::ArrayRef<std::vector<uint32_t>> inputs,
                                  unsigned height) {
  ComponentWalk walk(graph, batch, height);
  auto remember = [&](unsigned component, const ExponentTape &exponents) {
    batch.remember(component, exponents);
  };
  walk.noteExponents = remember;
  return evaluateOn(walk, graph, inputs, batch.words);
}

Outputs mlir::mirage::evaluateInFields(const Graph &graph,
                                       const FieldBatch &batch,
                                       llvm::ArrayRef<DrawnInputs> inputs,
                                       bool multiplicativeRoots,
                                       const Sample *sample) {
  ComponentWalk walk(graph, batch, inputs.size());
  walk.multiplicativeRoots = multiplicativeRoots;
  walk.isWhole = sample != nullptr;
  return walk.run([&](GraphEvaluator &evaluator, unsigned component) {
    return evaluator.evaluate(graph, inputs[component], sample);
  });
}

static std::vector<Region> listWholeOutputs(const Graph &graph) {
  std::vector<Region> regions;
  for (ValueId output : graph.getOutputs())
    regions.push_back(makeWholeRegion(graph.getType(output).shape));
  return regions;
}

Comparison::Comparison(const Graph &graph)
    : Comparison(graph, listWholeOutputs(graph)) {}

Comparison::Comparison(const Graph &graph, llvm::ArrayRef<Region> regions)
    : sampled(regions) {
  size_t total = 0;
  for (auto [output, region] : llvm::zip_equal(graph.getOutputs(), regions)) {
    shapes.push_back(graph.getType(output).shape);
    sizes.push_back(countElements(getShape(region)));
    total += sizes.back();
  }
  counted.resize(total);
  countedLast.resize(total);
  undefinedOnce.resize(total);
}

std::pair<unsigned, int64_t> Comparison::getPlace(size_t element) const {
  unsigned output = 0;
  for (; element >= static_cast<size_t>(sizes[output]); ++output)
    element -= sizes[output];
  const Shape &shape = shapes[output];
  Strides strides = getRowMajorStrides(shape);
  int64_t index = 0;
  for (size_t dim = shape.size(); dim-- > 0;) {
    const IndexSet &set = sampled[output][dim];
    index += set[element % set.size()] * strides[dim];
    element /= set.size();
  }
  return {output, index};
}

size_t Comparison::getLeastCounted() const {
  return llvm::min_element(counted) - counted.begin();
}

void Comparison::compare(size_t element, uint32_t lhs, uint32_t rhs) {
  if (lhs == kernels::kNonSquare || rhs == kernels::kNonSquare)
    return;
  bool lhsUndefined = lhs == kernels::kUndefined;
  bool rhsUndefined = rhs == kernels::kUndefined;
  if (lhsUndefined && rhsUndefined)
    return;
  if (lhsUndefined || rhsUndefined) {
    if (undefinedOnce[element] && !oneSided)
      oneSided = element;
    undefinedOnce[element] = true;
    return;
  }
  ++counted[element];
  ++countedLast[element];
  if (lhs != rhs && !disagreement)
    disagreement = element;
}

void Comparison::add(const Outputs &lhs, const Outputs &rhs, unsigned words) {
  llvm::fill(countedLast, 0);
  size_t element = 0;
  for (auto [output, size] : llvm::enumerate(sizes)) {
    const uint32_t *x = lhs[output].data(), *y = rhs[output].data();
    if (kernels::areSameValues(x, y, size * words)) {
      for (size_t end = element + size; element < end; ++element) {
        counted[element] += words;
        countedLast[element] = words;
      }
      continue;
    }
    for (size_t end = element + size; element < end; ++element)
      for (unsigned word = 0; word < words; ++word)
        compare(element, *x++, *y++);
  }
}

static bool isValue(uint32_t word) { return word < kernels::kUndefined; }

bool mlir::mirage::disagree(const Outputs &lhs, const Outputs &rhs) {
  return llvm::any_of(llvm::zip_equal(lhs, rhs), [](auto pair) {
    const auto &[x, y] = pair;
    if (kernels::areSameValues(x.data(), y.data(), x.size()))
      return false;
    return llvm::any_of(llvm::zip_equal(x, y), [](auto words) {
      auto [a, b] = words;
      return a != b && isValue(a) && isValue(b);
    });
  });
}
