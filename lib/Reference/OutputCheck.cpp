//===- OutputCheck.cpp - Whether computed numbers are right ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Reference/OutputCheck.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cassert>
#include <cmath>

using namespace mlir::mirage;

double mlir::mirage::getTolerance(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return 2e-3;
  case ElementType::BF16:
    return 1.6e-2;
  case ElementType::F32:
    return 1e-4;
  case ElementType::F8E4M3FN:
    return 0.25;
  case ElementType::F8E5M2:
    return 0.5;
  }
  llvm_unreachable("all element types have a tolerance");
}

namespace {
/// Goes once over all elements.
class Comparison {
public:
  Comparison(const ReferenceOutput &reference, const HostTensor &computed,
             F32Products f32Products)
      : reference(reference), computed(decode(computed)),
        floor(getFloatFormat(computed.type.element).getSmallestSubnormal()),
        largestFinite(
            getFloatFormat(computed.type.element).getLargestFinite()) {
    result.tolerance = getTolerance(computed.type.element);
    for (ElementType type : reference.storedTypes)
      result.tolerance = std::max(result.tolerance, getTolerance(type));
    if (reference.mayBeRoundedToTF32 && f32Products == F32Products::TF32)
      result.tolerance =
          std::max(result.tolerance, getTolerance(ElementType::F16));
    result.numElements = reference.values.size();
    for (double value : reference.values)
      if (double stored = saturate(value); std::isfinite(stored))
        largest = std::max(largest, std::fabs(stored));
  }

  OutputCheck run() {
    for (int64_t i = 0; i < result.numElements; ++i)
      visit(i);
    double norm = squaredReference > 0 ? std::sqrt(squaredReference) : 1;
    result.relativeError = std::sqrt(squaredError) / norm;
    result.pass = result.relativeError <= result.tolerance && elementsPass &&
                  result.firstNonFinite < 0;
    return result;
  }

private:
  void visit(int64_t i) {
    double found = computed[i], expected = getExpected(i);
    if (!std::isfinite(expected) || !std::isfinite(found))
      return visitNonFinite(i, expected, found);
    ++result.numCompared;
    double difference = std::fabs(found - expected);
    squaredError += difference * difference;
    squaredReference += expected * expected;
    double scale = getScale(i);
    if (difference > result.tolerance * scale + floor)
      elementsPass = false;
    double error = difference == 0 ? 0 : difference / scale;
    if (error > result.worstError) {
      result.worstError = error;
      result.worstIndex = i;
    }
    if (result.worstIndex == i) {
      result.worstComputed = found;
      result.worstReference = expected;
    }
  }

  /// What storing makes of a number. NaN stays NaN.
  double saturate(double value) const {
    return storesInfinities(reference.type.element)
               ? value
               : std::clamp(value, -largestFinite, largestFinite);
  }

  double getExpected(int64_t i) const {
    double value = reference.values[i];
    bool isKept = std::isinf(value) && computed[i] == value;
    return isKept ? value : saturate(value);
  }

  void visitNonFinite(int64_t i, double expected, double found) {
    bool areSame = std::isnan(expected) ? std::isnan(found) : expected == found;
    if (areSame)
      return;
    ++(std::isfinite(expected) ? result.newNonFinite
       : std::isfinite(found)  ? result.missingNonFinite
                               : result.differentNonFinite);
    if (result.firstNonFinite < 0)
      result.firstNonFinite = i;
  }

  double getScale(int64_t i) const {
    double scale = reference.scales.empty() ? largest : reference.scales[i];
    if (largest == 0)
      return 1;
    return std::isfinite(scale) ? scale : largest;
  }

  const ReferenceOutput &reference;
  std::vector<double> computed;
  double floor;
  double largestFinite; ///< of the element type
  double largest = 0;   ///< |reference| where it is finite
  double squaredError = 0, squaredReference = 0;
  bool elementsPass = true;
  OutputCheck result;
};
} // namespace

OutputCheck mlir::mirage::checkOutput(const ReferenceOutput &reference,
                                      const HostTensor &computed,
                                      F32Products f32Products) {
  assert(reference.type == computed.type && "outputs of one type compare");
  return Comparison(reference, computed, f32Products).run();
}

/// Coordinates of a row-major index.
static std::string printIndex(int64_t index, llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t, 4> coordinates(shape.size());
  for (size_t dim = shape.size(); dim-- > 0; index /= shape[dim])
    coordinates[dim] = index % shape[dim];
  return mlir::mirage::toString(coordinates);
}

static void printErrors(llvm::raw_ostream &os, const OutputCheck &check,
                        llvm::ArrayRef<int64_t> shape) {
  os << ": relative error " << llvm::format("%.3g", check.relativeError)
     << ", worst element " << printIndex(check.worstIndex, shape) << " off by "
     << llvm::format("%.3g", check.worstError) << " of its scale ("
     << llvm::format("%.6g", check.worstComputed) << " for "
     << llvm::format("%.6g", check.worstReference) << "); at most "
     << llvm::format("%.3g", check.tolerance) << " is right";
}

std::string mlir::mirage::toString(const OutputCheck &check,
                                   llvm::ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << (check.pass ? "right" : "wrong");
  if (check.numCompared == 0)
    os << ": no element is finite both here and in the reference";
  else
    printErrors(os, check, shape);
  if (check.newNonFinite)
    os << "; " << check.newNonFinite
       << " elements are not finite where the reference is";
  if (check.missingNonFinite)
    os << "; " << check.missingNonFinite
       << " elements are finite where the reference is not";
  if (check.differentNonFinite)
    os << "; " << check.differentNonFinite
       << " elements are another of NaN, infinity and -infinity than in the "
          "reference";
  if (check.firstNonFinite >= 0)
    os << ", first at " << printIndex(check.firstNonFinite, shape);
  return text;
}
