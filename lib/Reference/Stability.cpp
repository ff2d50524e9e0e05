//===- Stability.cpp - Does a graph keep its numbers? ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Reference/Stability.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir::mirage;

namespace {
/// Compares one candidate with its program on one input after the other.
class StabilitySearch {
public:
  StabilitySearch(const Graph &program, const Graph &candidate,
                  const StabilityOptions &options)
      : program(program), candidate(candidate), options(options) {}

  llvm::Expected<std::optional<Instability>> tryInputs(InputClass inputClass,
                                                       uint64_t seed) const {
    std::vector<HostTensor> inputs = makeHardInputs(program, inputClass, seed);
    auto exact = evaluateReference(program, inputs, {/*threads=*/1});
    if (!exact)
      return exact.takeError();
    auto baseline = evaluateRounded(program, inputs);
    if (!baseline)
      return baseline.takeError();
    auto found = evaluateRounded(candidate, inputs);
    if (!found)
      return found.takeError();
    for (unsigned output = 0; output < exact->size(); ++output) {
      OutputCheck ours = check((*exact)[output], (*found)[output]);
      OutputCheck theirs = check((*exact)[output], (*baseline)[output]);
      // A program that loses some by itself would lose others, too.
      bool isUnstable =
          options.onlyLosses
              ? losesNumbers((*exact)[output], (*found)[output]) &&
                    !losesNumbers((*exact)[output], (*baseline)[output])
              : isWrong(ours, theirs);
      if (isUnstable)
        return Instability{inputClass, seed, output, ours, theirs};
    }
    return std::nullopt;
  }

private:
  static llvm::Expected<std::vector<ReferenceOutput>>
  evaluateRounded(const Graph &graph, llvm::ArrayRef<HostTensor> inputs) {
    ReferenceOptions options;
    options.threads = 1;
    options.scales = false;
    options.rounding = Rounding::Declared;
    return evaluateReference(graph, inputs, options);
  }

  /// Candidates may state another element type of an output. What is beyond its
  /// largest number is none that a graph should keep.
  static OutputCheck check(const ReferenceOutput &exact,
                           const ReferenceOutput &found) {
    ReferenceOutput reference = exact;
    reference.type = found.type;
    roundTo(found.type.element, reference.values);
    return checkOutput(reference, encode(found.type, found.values));
  }

  /// Whether an element is not finite where float64 has a number: anything but
  /// an infinity of its sign, or that where the number is far from the largest
  /// one of its type.
  static bool losesNumbers(const ReferenceOutput &exact,
                           const ReferenceOutput &found) {
    constexpr double kFar = 0x1p10;
    std::vector<double> kept = exact.values, enlarged = exact.values;
    for (double &value : enlarged)
      value *= kFar;
    roundTo(found.type.element, kept);
    roundTo(found.type.element, enlarged);
    return llvm::any_of(
        llvm::zip_equal(kept, enlarged, found.values), [](const auto &element) {
          auto [value, large, computed] = element;
          bool isOverflow = std::isinf(computed) && !std::isfinite(large) &&
                            std::signbit(computed) == std::signbit(value);
          return std::isfinite(value) && !std::isfinite(computed) &&
                 !isOverflow;
        });
  }

  bool isWrong(const OutputCheck &ours, const OutputCheck &theirs) const {
    if (ours.newNonFinite > 0)
      return true;
    auto isWorse = [&](double error, double allowed) {
      return error > ours.tolerance && error > options.errorMultiple * allowed;
    };
    return isWorse(ours.relativeError, theirs.relativeError) ||
           isWorse(ours.worstError, theirs.worstError);
  }

  const Graph &program, &candidate;
  const StabilityOptions &options;
};
} // namespace

llvm::Expected<std::optional<Instability>>
mlir::mirage::findInstability(const Graph &program, const Graph &candidate,
                              const StabilityOptions &options) {
  StabilitySearch search(program, candidate, options);
  for (unsigned kind = 0; kind < kNumInputClasses; ++kind)
    for (unsigned draw = 0; draw < options.draws; ++draw) {
      auto found =
          search.tryInputs(static_cast<InputClass>(kind), options.seed + draw);
      if (!found || *found)
        return found;
    }
  return std::nullopt;
}

std::string mlir::mirage::toString(const Instability &instability,
                                   const Graph &program) {
  const Shape &shape =
      program.getType(program.getOutputs()[instability.output]).shape;
  return ("on " + getInputClassName(instability.inputClass) +
          " inputs of seed " + std::to_string(instability.seed) + ", output " +
          std::to_string(instability.output) + " is " +
          toString(instability.candidate, shape) + "; the program is " +
          toString(instability.program, shape))
      .str();
}
