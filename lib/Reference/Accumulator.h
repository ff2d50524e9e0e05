//===- Accumulator.h - What an accumulation has joined so far -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_REFERENCE_ACCUMULATOR_H
#define MIRAGE_LIB_REFERENCE_ACCUMULATOR_H

#include "Moments.h"
#include <optional>

namespace mlir::mirage {

/// One accumulation of a tile graph, of iterations or of blocks, one after the
/// other. A rescaled sum is kept as a device keeps it: relative to the largest
/// rescaling value so far, by which it is corrected whenever that grows; so
/// nothing overflows that need not. With maxima 3 and then 5 of two parts x and
/// y:  sum = x, then x · exp(3 - 5) + y · exp(5 - 5).
class Accumulator {
public:
  Accumulator(const TileGraph &graph, const Node &operation);

  /// \param operands  the operation's, of the next iteration or block.
  void add(llvm::ArrayRef<Tensor> operands, const EvaluationOptions &options);
  Tensor finish(const EvaluationOptions &options) const;

private:
  void rescaleTo(const Tensor &maximum, const EvaluationOptions &options);

  const Node &operation;
  int64_t count; ///< of elements that each result averages
  TensorSpec type;
  Tensor joined;
  Tensor maximum; ///< of rescaling values; null where nothing is rescaled
  std::optional<MomentTensors> moments; ///< in place of `joined`
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_REFERENCE_ACCUMULATOR_H
