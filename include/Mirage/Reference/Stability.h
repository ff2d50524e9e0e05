//===- Stability.h - Does a graph keep its numbers? -------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Equality over fields says nothing about rounding and overflow. Softmax may
// subtract any number m from a row before it takes exponentials,
//
//   exp(x - m) / Σ exp(x - m) = exp(x) / Σ exp(x),
//
// and only where m is about the largest x does it have numbers for x = 1000:
// with m = 0 it is inf / inf, with m = 2000 it is 0 / 0. To the verifier all of
// these are one graph. So both graphs are evaluated in the order and with the
// element types that they state (Rounding::Declared), on inputs that are hard:
// large numbers of either sign, one large element in different places, ramps,
// rows far apart, tiny numbers, zeros.
//
// What a graph should give is what the program gives in float64, rounded once
// to the output's element type. The candidate is unstable if it
//
//   - is not finite where that is, whatever the program itself does when
//     rounded, or
//   - is wrong by OutputCheck.h, and off by more than `errorMultiple` times as
//     much as the rounded program, in norm or in its worst element.
//
// Elements of which float64 has no number say nothing. So the program should be
// one that subtracts its maxima; one that does not tells less.
//
// That is strict: the program is rounded once for each operation, however long
// its sums are, and exponents magnify what a sum in another order is off by. A
// search asks for less (`onlyLosses`): a candidate is unstable if an element is
// not finite that has a value, but for the infinity of its sign where that is
// near the largest number of its type, and the rounded program has none such.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_REFERENCE_STABILITY_H
#define MIRAGE_REFERENCE_STABILITY_H

#include "Mirage/Reference/OutputCheck.h"
#include <optional>
#include <string>

namespace mlir::mirage {

/// What inputs are hard for; x is a normal random number.
enum class InputClass : uint8_t {
  Normal,     ///< x
  Large,      ///< 100·x, whose products are some 10^4
  Huge,       ///< 10^4·x
  AllHigh,    ///< 500 + x: nothing is near zero
  AllLow,     ///< -500 + x
  Ascending,  ///< 100·x sorted in row-major order: later tiles are larger
  Descending, ///< the other way round: the first tile is the largest
  OneHot,   ///< zeros, and 200 at one place of each row, whose square is an f16
  ColdSpot, ///< zeros, and -200 at one place of each row
  Tiny,     ///< x·2^-44; x·2^-10 in f16 and in 8 bits
  Zeros,    ///< 0
};
constexpr unsigned kNumInputClasses = 11;
llvm::StringRef getInputClassName(InputClass inputClass); // "one-hot", ...

/// One tensor for each input of a program.
std::vector<HostTensor> makeHardInputs(const Graph &program,
                                       InputClass inputClass, uint64_t seed);

struct StabilityOptions {
  uint64_t seed = 0;
  unsigned draws = 2; ///< of each class
  /// How many times the error of the rounded program is allowed.
  double errorMultiple = 8;
  /// Errors do not matter, nor inputs on which the rounded program loses
  /// numbers itself, nor numbers near overflow.
  bool onlyLosses = false;
};

/// Where a candidate loses its numbers.
struct Instability {
  InputClass inputClass;
  uint64_t seed; ///< of `makeHardInputs`
  unsigned output;
  OutputCheck candidate; ///< with the worst element, or the first not finite
  OutputCheck program;   ///< when rounded
};

/// One sentence: inputs, output and errors.
std::string toString(const Instability &instability, const Graph &program);

/// Tries all classes of inputs.
/// \param candidate  has the program's inputs and outputs.
/// \returns the first input that shows an instability, none if there is none,
/// or an error of `evaluateReference`.
llvm::Expected<std::optional<Instability>>
findInstability(const Graph &program, const Graph &candidate,
                const StabilityOptions &options = {});

} // namespace mlir::mirage

#endif // MIRAGE_REFERENCE_STABILITY_H
