//===- WitnessInputs.cpp - Inputs that may tell graphs apart --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WitnessInputs.h"
#include "Mirage/Graph/Literals.h"
#include "Mirage/Reference/RandomInputs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

using namespace mlir::mirage;

//===----------------------------------------------------------------------===//
// Literals
//===----------------------------------------------------------------------===//

/// The largest always: it takes the largest numbers to get beyond it.
static std::vector<double> thinOut(const std::set<double> &all) {
  constexpr size_t kMaxLiterals = 16;
  std::vector<double> literals(all.rbegin(), all.rend()), kept;
  size_t step = 1 + literals.size() / kMaxLiterals;
  for (size_t i = 0; i < literals.size(); i += step)
    kept.push_back(literals[i]);
  std::reverse(kept.begin(), kept.end());
  return kept;
}

WitnessInputs::WitnessInputs(const Graph &lhs, const Graph &rhs, uint64_t seed)
    : graph(lhs), seed(seed) {
  std::set<double> found;
  for (const Graph *each : {&lhs, &rhs})
    forEachLiteral(*each, [&](double literal) {
      if (std::isfinite(literal) && literal != 0)
        found.insert(std::fabs(literal));
    });
  literals = thinOut(found);
  for (unsigned input = 0; input < lhs.getNumInputs(); ++input)
    deviations.push_back(getTypicalDeviation(lhs, input));
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

namespace {
/// What elements have to do with literals c of the graphs.
enum class Literals : uint8_t {
  None,
  Near,  ///< each is ±c, a neighbour of it, half or twice of it, or 0
  Beyond ///< the absolute value of each is at least twice the largest c
};

/// How the inputs of one attempt are made of random numbers.
struct InputKind {
  /// Whether all elements of an input have one sign: of even inputs, of odd.
  std::optional<bool> areNegative[2] = {};
  double scale = 1; ///< beyond limits that clamp, say
  /// Elements ascend (1) or descend (-1) in row-major order: what a tile at an
  /// edge leaves out is then the largest.
  int order = 0;
  Literals literals[2] = {Literals::None, Literals::None}; ///< even, odd
};
} // namespace

/// Both signs first; one sign tells max x from max(x, 0).
static const InputKind kPlainKinds[] = {
    {},
    {{true, false}},
    {{}, /*scale=*/64},
    {{}, 1, /*order=*/1},
    {{}, 1, -1},
    {{false, true}},
    {{true, true}},
    {{false, false}},
    {{}, /*scale=*/4096},
    {{}, /*scale=*/0x1p-12},
};

/// A limit may be one of what is clamped alone, beside inputs that are larger
/// than that or would hide it: so some stay as they are.
static const InputKind kLiteralKinds[] = {
    {{}, 1, 0, {Literals::Near, Literals::Near}},
    {{false, false}, 1, 0, {Literals::Beyond, Literals::Beyond}},
    {{false, {}}, 1, 0, {Literals::Beyond, Literals::None}},
    {{{}, false}, 1, 0, {Literals::None, Literals::Beyond}},
    {{true, true}, 1, 0, {Literals::Beyond, Literals::Beyond}},
    {{}, 1, 0, {Literals::Near, Literals::None}},
    {{}, 1, 0, {Literals::None, Literals::Near}},
};

unsigned WitnessInputs::size() const {
  return std::size(kPlainKinds) +
         (literals.empty() ? 0 : std::size(kLiteralKinds));
}

static const InputKind &getKind(unsigned attempt) {
  return attempt < std::size(kPlainKinds)
             ? kPlainKinds[attempt]
             : kLiteralKinds[attempt - std::size(kPlainKinds)];
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

static void putNearLiterals(llvm::MutableArrayRef<double> values, size_t first,
                            llvm::ArrayRef<double> literals, uint64_t seed) {
  // A neighbour that differs by more than literals may be rounded.
  constexpr double kFactors[] = {1, 1 - 0x1p-9, 1 + 0x1p-9, 0.5, 2, 0};
  for (auto [place, value] : llvm::enumerate(values)) {
    // So that any element can be had without those before it.
    uint64_t key[] = {seed, first + place};
    uint64_t bits = llvm::xxh3_64bits(llvm::ArrayRef<uint8_t>(
        reinterpret_cast<const uint8_t *>(key), sizeof(key)));
    double literal = literals[(bits >> 8) % literals.size()];
    value = std::copysign(literal * kFactors[(bits >> 1) % std::size(kFactors)],
                          bits & 1 ? 1.0 : -1.0);
  }
}

static void putBeyondLiterals(llvm::MutableArrayRef<double> values,
                              double largest) {
  for (double &value : values)
    value = std::copysign((2 + std::fabs(value)) * largest, value);
}

/// Makes of random elements, from `first` on, what a set has.
void WitnessInputs::change(llvm::MutableArrayRef<double> values,
                           unsigned attempt, unsigned input,
                           size_t first) const {
  const InputKind &kind = getKind(attempt);
  if (kind.literals[input % 2] == Literals::Near)
    putNearLiterals(values, first, literals,
                    seed + attempt + (uint64_t(input) << 32));
  if (kind.literals[input % 2] == Literals::Beyond)
    putBeyondLiterals(values, literals.back());
  // What an element type cannot hold is no input of the graphs.
  double largest =
      getFloatFormat(graph.getType(input).element).getLargestFinite();
  for (double &value : values) {
    value = std::clamp(value * kind.scale, -largest, largest);
    if (std::optional<bool> isNegative = kind.areNegative[input % 2])
      value = *isNegative ? -std::fabs(value) : std::fabs(value);
  }
}

std::vector<HostTensor> WitnessInputs::make(unsigned attempt) const {
  std::vector<HostTensor> inputs = makeRandomInputs(graph, seed + attempt);
  for (auto [number, input] : llvm::enumerate(inputs)) {
    std::vector<double> values = decode(input);
    change(values, attempt, number, /*first=*/0);
    if (getKind(attempt).order > 0)
      llvm::sort(values);
    else if (getKind(attempt).order < 0)
      llvm::sort(values, std::greater<double>());
    input = encode(input.type, values);
  }
  return inputs;
}

bool WitnessInputs::isOrdered(unsigned attempt) {
  return getKind(attempt).order != 0;
}

void WitnessInputs::read(unsigned attempt, unsigned input, size_t first,
                         llvm::MutableArrayRef<double> values) const {
  assert(!isOrdered(attempt) && "elements have no places of their own");
  ElementType type = graph.getType(input).element;
  readNormalElements(type, deviations[input], seed + attempt, input, first,
                     values);
  change(values, attempt, input, first);
  roundTo(type, values);
}
