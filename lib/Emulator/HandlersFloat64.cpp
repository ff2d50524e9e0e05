//===- HandlersFloat64.cpp - f64 arithmetic -------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneLoop.h"
#include "Numbers.h"
#include "OpcodeTable.h"

using namespace mlir::mirage::emulator;

namespace {

#define MIRAGE_F64_OPERATION(Name, parameters, expression)                     \
  struct Name {                                                                \
    using Result = double;                                                     \
    using Source = double;                                                     \
    static double apply parameters { return canonical(expression); }           \
  };
MIRAGE_F64_OPERATION(Add64, (double a, double b), a + b)
MIRAGE_F64_OPERATION(Sub64, (double a, double b), a - b)
MIRAGE_F64_OPERATION(Mul64, (double a, double b), a *b)
MIRAGE_F64_OPERATION(Div64, (double a, double b), a / b)
MIRAGE_F64_OPERATION(Fma64, (double a, double b, double c), std::fma(a, b, c))
MIRAGE_F64_OPERATION(Rcp64, (double a), 1.0 / a)
MIRAGE_F64_OPERATION(Sqrt64, (double a), std::sqrt(a))
MIRAGE_F64_OPERATION(Rsqrt64, (double a), 1.0 / std::sqrt(a))
MIRAGE_F64_OPERATION(Neg64, (double a), -a)
MIRAGE_F64_OPERATION(Abs64, (double a), std::fabs(a))
MIRAGE_F64_OPERATION(Min64, (double a, double b), std::fmin(a, b))
MIRAGE_F64_OPERATION(Max64, (double a, double b), std::fmax(a, b))
#undef MIRAGE_F64_OPERATION

Handler select64(const Form &form, Instruction &) {
  return llvm::StringSwitch<Handler>(form.mnemonic())
      .Case("add", binaryHandler<Add64>)
      .Case("sub", binaryHandler<Sub64>)
      .Case("mul", binaryHandler<Mul64>)
      .Case("div", binaryHandler<Div64>)
      .Case("min", binaryHandler<Min64>)
      .Case("max", binaryHandler<Max64>)
      .Case("fma", ternaryHandler<Fma64>)
      .Case("rcp", unaryHandler<Rcp64>)
      .Case("sqrt", unaryHandler<Sqrt64>)
      .Case("rsqrt", unaryHandler<Rsqrt64>)
      .Case("neg", unaryHandler<Neg64>)
      .Case("abs", unaryHandler<Abs64>)
      .Default(nullptr);
}

const Row rows[] = {
    {"add|sub|mul[.rn].f64", "=T T T", InstructionClass::Float64, select64},
    {"fma.rn.f64", "=T T T T", InstructionClass::Float64, select64},
    {"div.rn.f64", "=T T T", InstructionClass::Float64, select64},
    {"rcp|sqrt.rn.f64", "=T T", InstructionClass::Float64, select64},
    {"rcp|rsqrt.approx.ftz.f64", "=T T", InstructionClass::Float64, select64},
    {"neg|abs.f64", "=T T", InstructionClass::Float64, select64},
    {"min|max.f64", "=T T T", InstructionClass::Float64, select64},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::float64Rows() { return rows; }
