//===- Moments.cpp - Mean and variance of what comes in parts -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Moments.h"
#include "Elementwise.h"
#include <cmath>

using namespace mlir::mirage;

Moments Moments::of(double element) {
  return element == -INFINITY ? Moments() : Moments{1, element, 0};
}

void Moments::join(const Moments &part) {
  if (part.count == 0)
    return;
  double before = count, difference = part.mean - mean;
  count += part.count;
  double share = part.count / count;
  mean += difference * share;
  squares += part.squares + difference * difference * before * share;
}

MomentTensors::MomentTensors(llvm::ArrayRef<int64_t> shape)
    : counts(Tensor::fill(shape, 0)), means(Tensor::fill(shape, 0)),
      squares(Tensor::fill(shape, 0)) {}

Moments MomentTensors::get(int64_t element) const {
  return {counts.data[element], means.data[element], squares.data[element]};
}

void MomentTensors::set(int64_t element, const Moments &moments) {
  counts.data[element] = moments.count;
  means.data[element] = moments.mean;
  squares.data[element] = moments.squares;
}

void MomentTensors::add(const Tensor &part, ElementType stored,
                        const EvaluationOptions &options) {
  std::vector<Moments> own(counts.getNumElements());
  // Where an element of the part goes, by its number.
  Tensor numbers = Tensor::allocate(counts.shape);
  for (int64_t i = 0, e = own.size(); i < e; ++i)
    numbers.data[i] = double(i);
  StridedView target = StridedView::broadcast(numbers, part.shape);
  for (int64_t i = 0, e = part.getNumElements(); i < e; ++i)
    own[size_t(target.at(i))].join(Moments::of(part.data[i]));
  for (int64_t i = 0, e = own.size(); i < e; ++i) {
    Moments joined = get(i);
    joined.join(own[i]);
    set(i, joined);
  }
  for (Tensor *carried : {&counts, &means, &squares})
    *carried = roundAsStored(*carried, stored, options);
}

Tensor MomentTensors::getVariances() const {
  Tensor variances = Tensor::allocate(counts.shape);
  for (int64_t i = 0, e = variances.getNumElements(); i < e; ++i)
    variances.data[i] = get(i).getVariance();
  return variances;
}
