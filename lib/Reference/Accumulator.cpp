//===- Accumulator.cpp - What an accumulation has joined so far -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Accumulator.h"
#include "Elementwise.h"
#include <cmath>

using namespace mlir::mirage;

static const OperatorInfo &getReduction(const Node &operation) {
  return getOperatorInfo(operation.attributes.reduction);
}

Accumulator::Accumulator(const TileGraph &graph, const Node &operation)
    : operation(operation),
      count(getAveragedCount(operation.attributes,
                             graph.getType(operation.operands[0]).shape,
                             graph.getExtent(operation.attributes.axis))),
      type(graph.getType(operation.results[0])),
      joined(Tensor::fill(type.shape,
                          getNeutral(getReduction(operation).combiner))) {
  if (operation.isRescaled())
    maximum = Tensor::fill(graph.getType(operation.operands[1]).shape,
                           getNeutral(Combiner::Max));
  if (getReduction(operation).combiner == Combiner::Moments)
    moments.emplace(type.shape);
}

/// value · exp(from - to), element by element, and 0 where `from` is minus
/// infinity, whatever the value is.
static Tensor rescale(const Tensor &value, const Tensor &from,
                      const Tensor &to) {
  Tensor result = Tensor::allocate(value.shape);
  StridedView starts = StridedView::broadcast(from, value.shape);
  StridedView ends = StridedView::broadcast(to, value.shape);
  for (int64_t i = 0, e = result.getNumElements(); i < e; ++i) {
    double start = starts.at(i);
    result.data[i] =
        start == -INFINITY ? 0 : value.data[i] * std::exp(start - ends.at(i));
  }
  return result;
}

void Accumulator::rescaleTo(const Tensor &larger,
                            const EvaluationOptions &options) {
  joined =
      roundAsStored(rescale(joined, maximum, larger), type.element, options);
  maximum = larger;
}

void Accumulator::add(llvm::ArrayRef<Tensor> operands,
                      const EvaluationOptions &options) {
  if (moments)
    return moments->add(operands[0], type.element, options);
  Tensor part = operands[0];
  if (operation.isRescaled()) {
    Tensor larger = Tensor::allocate(maximum.shape);
    std::copy_n(maximum.data.get(), maximum.getNumElements(),
                larger.data.get());
    combineInto(larger, operands[1], Combiner::Max, options.threads);
    rescaleTo(larger, options);
    part = rescale(part, operands[1], maximum);
  }
  reduceInto(joined, part, operation.attributes.reduction, options.threads);
  joined = roundAsStored(joined, type.element, options);
}

Tensor Accumulator::finish(const EvaluationOptions &options) const {
  Tensor finished =
      moments ? moments->getVariances()
              : finishReduction(joined, operation.attributes.reduction, count,
                                options.threads);
  return roundAsStored(finished, type.element, options);
}
