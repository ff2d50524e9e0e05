//===- HardInputs.cpp - Inputs on which floats go wrong -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Reference/RandomInputs.h"
#include "Mirage/Reference/Stability.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir::mirage;

llvm::StringRef mlir::mirage::getInputClassName(InputClass inputClass) {
  static constexpr llvm::StringLiteral kNames[kNumInputClasses] = {
      "normal",     "large",   "huge",      "all high", "all low", "ascending",
      "descending", "one-hot", "cold spot", "tiny",     "zeros"};
  return kNames[static_cast<unsigned>(inputClass)];
}

/// Squares of these are in range, sums of a few products too.
static double getTiny(ElementType type) {
  FloatFormat format = getFloatFormat(type);
  return format.exponentBits >= 8 ? 0x1p-44 : 0x1p-10;
}

/// `value` at one place of each row and 0 elsewhere. The place is another one
/// in each row, and with each seed.
static void fillOneSpot(llvm::MutableArrayRef<double> values, int64_t columns,
                        uint64_t seed, double value) {
  for (auto [i, element] : llvm::enumerate(values)) {
    int64_t row = i / columns, column = i % columns;
    element =
        column == static_cast<int64_t>((row + seed) % columns) ? value : 0;
  }
}

static double scaleOf(InputClass inputClass, ElementType type) {
  switch (inputClass) {
  case InputClass::Large:
  case InputClass::Ascending:
  case InputClass::Descending:
    return 100;
  case InputClass::Huge:
    return 1e4;
  case InputClass::Tiny:
    return getTiny(type);
  case InputClass::Zeros:
    return 0;
  default:
    return 1;
  }
}

/// \param values  normal random numbers.
static void makeHard(llvm::MutableArrayRef<double> values,
                     const TensorSpec &type, InputClass inputClass,
                     uint64_t seed) {
  double offset = inputClass == InputClass::AllHigh  ? 500
                  : inputClass == InputClass::AllLow ? -500
                                                     : 0;
  for (double &value : values)
    value = offset + scaleOf(inputClass, type.element) * value;
  if (inputClass == InputClass::Ascending)
    llvm::sort(values);
  if (inputClass == InputClass::Descending)
    llvm::sort(values, std::greater<double>());
  if (inputClass == InputClass::OneHot)
    fillOneSpot(values, type.shape.back(), seed, 200);
  if (inputClass == InputClass::ColdSpot)
    fillOneSpot(values, type.shape.back(), seed, -200);
}

std::vector<HostTensor> mlir::mirage::makeHardInputs(const Graph &program,
                                                     InputClass inputClass,
                                                     uint64_t seed) {
  std::vector<HostTensor> inputs;
  for (unsigned input = 0; input < program.getNumInputs(); ++input) {
    const TensorSpec &type = program.getType(input);
    // Through f32, which holds what 8 bits do not.
    std::vector<double> values = decode(
        makeNormalTensor({type.shape, ElementType::F32}, 1, seed, input));
    makeHard(values, type, inputClass, seed);
    inputs.push_back(encode(type, values));
  }
  return inputs;
}
