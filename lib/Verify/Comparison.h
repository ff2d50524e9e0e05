//===- Comparison.h - Outputs of two graphs, side by side -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_COMPARISON_H
#define MIRAGE_LIB_VERIFY_COMPARISON_H

#include "FieldArithmetic.h"
#include "InputElements.h"
#include "Mirage/Graph/Graph.h"
#include "Sample.h"
#include <optional>

namespace mlir::mirage {

/// The outputs of a graph: by output, row-major, `words` words an element.
using Outputs = std::vector<std::vector<uint32_t>>;

/// Evaluates a graph in component 0, and in the others as far as that needs.
/// \param inputs  by component, all inputs one after the other.
Outputs evaluateInFields(const Graph &graph, const FieldBatch &batch,
                         llvm::ArrayRef<std::vector<uint32_t>> inputs,
                         unsigned height);
/// The same, after which the batch has the powers that this took at hand.
Outputs evaluateAndRemember(const Graph &graph, FieldBatch &batch,
                            llvm::ArrayRef<std::vector<uint32_t>> inputs,
                            unsigned height);
/// The same on inputs of which nobody has all elements.
/// \param inputs  by component.
/// \param sample  what to evaluate of the graph; null for all.
Outputs evaluateInFields(const Graph &graph, const FieldBatch &batch,
                         llvm::ArrayRef<DrawnInputs> inputs,
                         bool multiplicativeRoots,
                         const Sample *sample = nullptr);

/// Whether two graphs have values somewhere that are not the same: what a
/// Comparison finds, but not where.
bool disagree(const Outputs &lhs, const Outputs &rhs);

/// What trials have said about every output element. A trial counts for an
/// element if both graphs have a value there.
class Comparison {
public:
  Comparison() = default; ///< of no elements
  explicit Comparison(const Graph &graph);
  /// Of these elements of the outputs alone.
  Comparison(const Graph &graph, llvm::ArrayRef<Region> sampled);

  /// Adds the trials of a batch.
  void add(const Outputs &lhs, const Outputs &rhs, unsigned words);

  /// Elements are numbered over all outputs.
  size_t getNumElements() const { return counted.size(); }
  /// The output, and where in it as a whole.
  std::pair<unsigned, int64_t> getPlace(size_t element) const;
  unsigned getCounted(size_t element) const { return counted[element]; }
  /// Of the last batch alone.
  unsigned getCountedLast(size_t element) const { return countedLast[element]; }
  size_t getLeastCounted() const;

  std::optional<size_t> getDisagreement() const { return disagreement; }
  /// An element that was undefined in one graph alone in two trials or more.
  std::optional<size_t> getOneSided() const { return oneSided; }

private:
  void compare(size_t element, uint32_t lhs, uint32_t rhs);

  std::vector<int64_t> sizes;  ///< by output
  std::vector<Shape> shapes;   ///< by output, as a whole
  std::vector<Region> sampled; ///< by output
  std::vector<uint32_t> counted, countedLast;
  std::vector<uint8_t> undefinedOnce;
  std::optional<size_t> disagreement, oneSided;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_COMPARISON_H
