//===- WrittenGraph.cpp - A graph's outputs written out as terms ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WrittenGraph.h"
#include "GraphEvaluator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::mirage;

size_t mlir::mirage::countInputElements(const Graph &graph) {
  size_t count = 0;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    count += graph.getType(input).getNumElements();
  return count;
}

static std::string printShape(const TensorSpec &type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(type.shape, os, "x");
  return text;
}

std::string mlir::mirage::printInputSizes(const Graph &graph) {
  std::string text;
  for (ValueId input = 0; input < graph.getNumInputs(); ++input)
    text += (input ? ", " : "") + printShape(graph.getType(input));
  return text;
}

std::optional<std::vector<TermId>>
mlir::mirage::writeOut(const Graph &graph, TermTable &table, size_t maxCost) {
  if (countInputElements(graph) > maxCost)
    return std::nullopt;
  std::vector<std::vector<uint32_t>> inputs;
  llvm::SmallVector<const uint32_t *> starts;
  uint32_t next = 0;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input) {
    std::vector<uint32_t> terms(graph.getType(input).getNumElements());
    for (uint32_t &term : terms)
      term = table.getInput(next++);
    inputs.push_back(std::move(terms));
    starts.push_back(inputs.back().data());
  }
  TermArithmetic arithmetic(table, maxCost);
  std::vector<TermId> outputs;
  for (const auto &output : GraphEvaluator(arithmetic).evaluate(graph, starts))
    llvm::append_range(outputs, output);
  if (arithmetic.overflowed())
    return std::nullopt;
  return outputs;
}
