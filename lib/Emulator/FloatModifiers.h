//===- FloatModifiers.h - .ftz and .sat of f32 operations -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_FLOATMODIFIERS_H
#define MIRAGE_LIB_EMULATOR_FLOATMODIFIERS_H

#include "LaneLoop.h"
#include "Numbers.h"
#include "OpcodeTable.h"

namespace mlir::mirage::emulator {

/// An f32 operation with its modifiers.
template <typename Operation, bool flushes, bool saturates>
struct Modified {
  using Result = float;
  using Source = float;
  template <typename... Values>
  static float apply(Values... values) {
    float result = canonical(flushes ? flush(Operation::apply(flush(values)...))
                                     : Operation::apply(values...));
    return saturates ? saturate(result) : result;
  }
};

/// One value per register, where `Paired` has two.
template <typename Operation>
using Alone = Operation;

/// The handler of an f32 operation with the modifiers of a form.
template <unsigned arity, typename Operation,
          template <typename> class Shape = Alone>
Handler modified(const Form &form) {
  bool flushes = form.has("ftz"), saturates = form.has("sat");
  if (flushes && saturates)
    return laneHandler<Shape<Modified<Operation, true, true>>, arity>;
  if (flushes)
    return laneHandler<Shape<Modified<Operation, true, false>>, arity>;
  if (saturates)
    return laneHandler<Shape<Modified<Operation, false, true>>, arity>;
  return laneHandler<Shape<Modified<Operation, false, false>>, arity>;
}

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_FLOATMODIFIERS_H
