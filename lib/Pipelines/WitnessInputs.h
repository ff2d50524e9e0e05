//===- WitnessInputs.h - Inputs that may tell graphs apart ------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_PIPELINES_WITNESSINPUTS_H
#define MIRAGE_LIB_PIPELINES_WITNESSINPUTS_H

#include "Mirage/Graph/Graph.h"
#include "Mirage/Reference/HostTensor.h"

namespace mlir::mirage {

/// Inputs for two graphs, one set after the other: random ones, of both signs
/// and of one, large, small and sorted; and, where the graphs have literals,
/// such as limits that they clamp to, numbers near these and beyond.
class WitnessInputs {
public:
  WitnessInputs(const Graph &lhs, const Graph &rhs, uint64_t seed);

  /// How many sets there are.
  unsigned size() const;
  /// A set, made from `seed` + `attempt`: a tensor for each input.
  std::vector<HostTensor> make(unsigned attempt) const;
  /// Whether elements of a set depend on all others of their input.
  static bool isOrdered(unsigned attempt);
  /// Elements of an input of a set that is not ordered, row-major from `first`
  /// on, as `make` has them: of inputs that are too large to be made.
  void read(unsigned attempt, unsigned input, size_t first,
            llvm::MutableArrayRef<double> values) const;

private:
  void change(llvm::MutableArrayRef<double> values, unsigned attempt,
              unsigned input, size_t first) const;

  const Graph &graph;
  /// Absolute values of the literals, not 0, each once, in ascending order; of
  /// many some.
  std::vector<double> literals;
  std::vector<double> deviations; ///< by input
  uint64_t seed;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_PIPELINES_WITNESSINPUTS_H
