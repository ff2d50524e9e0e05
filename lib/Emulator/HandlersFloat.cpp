//===- HandlersFloat.cpp - f32 and f64 arithmetic -------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostKernels.h"
#include "LaneLoop.h"
#include "Numbers.h"
#include "OpcodeTable.h"

using namespace mlir::mirage::emulator;
using llvm::StringRef;

namespace {

//===----------------------------------------------------------------------===//
// f32
//===----------------------------------------------------------------------===//

struct Add {
  static float apply(float a, float b) { return a + b; }
};
struct Sub {
  static float apply(float a, float b) { return a - b; }
};
struct Mul {
  static float apply(float a, float b) { return a * b; }
};
struct Div {
  static float apply(float a, float b) { return a / b; }
};
/// div.approx: beyond 2^126 the quotient is 0 (or NaN for an infinity).
struct DivApprox {
  static float apply(float a, float b) {
    bool isHuge = std::fabs(b) > 0x1p126f && std::fabs(b) <= 0x1.fffffep127f;
    float tooFar = std::fabs(a) == std::numeric_limits<float>::infinity()
                       ? asFloat(nanF32)
                       : std::copysign(0.0f, a) * std::copysign(1.0f, b);
    return isHuge ? tooFar : a / b;
  }
};
struct Fma {
  static float apply(float a, float b, float c) {
    return fusedMultiplyAdd(a, b, c);
  }
};
struct Reciprocal {
  static float apply(float a) { return 1.0f / a; }
};
struct SquareRoot {
  static float apply(float a) { return std::sqrt(a); }
};
struct Rsqrt {
  static float apply(float a) { return approximateRsqrt(a); }
};
struct Exp2 {
  static float apply(float a) { return approximateExp2(a); }
};
struct Log2 {
  static float apply(float a) { return approximateLog2(a); }
};
struct Sine {
  static float apply(float a) { return approximateSin(a); }
};
struct Cosine {
  static float apply(float a) { return approximateCos(a); }
};
struct Tanh {
  static float apply(float a) { return approximateTanh(a); }
};
struct Negate {
  static float apply(float a) { return -a; }
};
struct Absolute {
  static float apply(float a) { return std::fabs(a); }
};
template <bool propagatesNaN>
struct Minimum {
  static float apply(float a, float b) { return minimum<propagatesNaN>(a, b); }
};
template <bool propagatesNaN>
struct Maximum {
  static float apply(float a, float b) { return maximum<propagatesNaN>(a, b); }
};

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

/// How many sources an operation has, to pick the handler's shape.
template <unsigned arity, typename Operation>
Handler shape() {
  if constexpr (arity == 1)
    return unaryHandler<Operation>;
  else if constexpr (arity == 2)
    return binaryHandler<Operation>;
  else
    return ternaryHandler<Operation>;
}

template <unsigned arity, typename Operation>
Handler modified(const Form &form) {
  bool flushes = form.has("ftz"), saturates = form.has("sat");
  if (flushes && saturates)
    return shape<arity, Modified<Operation, true, true>>();
  if (flushes)
    return shape<arity, Modified<Operation, true, false>>();
  if (saturates)
    return shape<arity, Modified<Operation, false, true>>();
  return shape<arity, Modified<Operation, false, false>>();
}

/// One operation of f64 on the exact f32 operands, rounded in a direction. Sums
/// and fused ones go through round-to-odd, products of two f32 are exact.
template <Rounding rounding>
float roundDirected(double oddSum) {
  return canonical(
      static_cast<float>(roundToFormat(oddSum, formatF32, rounding)));
}
template <typename Operation, Rounding rounding>
struct Directed;
template <Rounding rounding>
struct Directed<Add, rounding> {
  using Result = float;
  using Source = float;
  static float apply(float a, float b) {
    return roundDirected<rounding>(addRoundToOdd(a, b));
  }
};
template <Rounding rounding>
struct Directed<Sub, rounding> {
  using Result = float;
  using Source = float;
  static float apply(float a, float b) {
    return roundDirected<rounding>(addRoundToOdd(a, -double(b)));
  }
};
template <Rounding rounding>
struct Directed<Mul, rounding> {
  using Result = float;
  using Source = float;
  static float apply(float a, float b) {
    return roundDirected<rounding>(double(a) * double(b));
  }
};
template <Rounding rounding>
struct Directed<Fma, rounding> {
  using Result = float;
  using Source = float;
  static float apply(float a, float b, float c) {
    return roundDirected<rounding>(addRoundToOdd(double(a) * double(b), c));
  }
};

template <unsigned arity, typename Operation>
Handler directed(const Form &form) {
  if (!form.has("rz") && !form.has("rm") && !form.has("rp"))
    return modified<arity, Operation>(form);
  if (form.has("ftz") || form.has("sat"))
    return nullptr;
  if (form.has("rz"))
    return shape<arity, Directed<Operation, Rounding::Zero>>();
  if (form.has("rm"))
    return shape<arity, Directed<Operation, Rounding::Down>>();
  return shape<arity, Directed<Operation, Rounding::Up>>();
}

Handler selectArithmetic(const Form &form, Instruction &) {
  if (form.mnemonic() == "add")
    return directed<2, Add>(form);
  if (form.mnemonic() == "sub")
    return directed<2, Sub>(form);
  return directed<2, Mul>(form);
}

/// fma.rn.f32 without modifiers.
Outcome fusedLanes(ExecutionState &state, const Instruction &instruction) {
  float value[warpSize];
  host::fusedMultiplyAdd(value, state.lanes<float>(instruction.slots[1]),
                         state.lanes<float>(instruction.slots[2]),
                         state.lanes<float>(instruction.slots[3]));
  mapLanes(
      state.active, state.lanes<float>(instruction.slots[0]),
      [](float a) { return a; }, value);
  return Outcome::Next;
}

/// ex2.approx.f32 without `.ftz`.
Outcome exp2Lanes(ExecutionState &state, const Instruction &instruction) {
  float value[warpSize];
  host::exp2Lanes(value, state.lanes<float>(instruction.slots[1]));
  mapLanes(
      state.active, state.lanes<float>(instruction.slots[0]),
      [](float a) { return a; }, value);
  return Outcome::Next;
}

Handler selectFma(const Form &form, Instruction &) {
  if (form.has("rn") && !form.has("ftz") && !form.has("sat"))
    return fusedLanes;
  return directed<3, Fma>(form);
}

Handler selectDivision(const Form &form, Instruction &) {
  return form.has("approx") ? modified<2, DivApprox>(form)
                            : modified<2, Div>(form);
}

/// rcp and sqrt, rounded to nearest or approximate: both are computed exactly
/// here, which lies inside of the approximate ones' bound.
Handler selectRoot(const Form &form, Instruction &) {
  return form.mnemonic() == "rcp" ? modified<1, Reciprocal>(form)
                                  : modified<1, SquareRoot>(form);
}

Handler selectSpecial(const Form &form, Instruction &) {
  StringRef name = form.mnemonic();
  if (name == "ex2")
    return form.has("ftz") ? modified<1, Exp2>(form) : exp2Lanes;
  if (name == "lg2")
    return modified<1, Log2>(form);
  if (name == "sin")
    return modified<1, Sine>(form);
  if (name == "cos")
    return modified<1, Cosine>(form);
  if (name == "tanh")
    return modified<1, Tanh>(form);
  return modified<1, Rsqrt>(form);
}

Handler selectSign(const Form &form, Instruction &) {
  return form.mnemonic() == "neg" ? modified<1, Negate>(form)
                                  : modified<1, Absolute>(form);
}

Handler selectMinMax(const Form &form, Instruction &) {
  if (form.mnemonic() == "min")
    return form.has("NaN") ? modified<2, Minimum<true>>(form)
                           : modified<2, Minimum<false>>(form);
  return form.has("NaN") ? modified<2, Maximum<true>>(form)
                         : modified<2, Maximum<false>>(form);
}

/// copysign d, a, b: the sign of a, the magnitude of b (9.7.3).
template <typename Bits, Bits signBit>
struct CopySign {
  using Result = Bits;
  using Source = Bits;
  static Bits apply(Bits a, Bits b) {
    return (a & signBit) | (b & Bits(~signBit));
  }
};

Handler selectCopySign(const Form &form, Instruction &) {
  return form.type() == ScalarType::F32
             ? binaryHandler<CopySign<uint32_t, 0x80000000u>>
             : binaryHandler<CopySign<uint64_t, uint64_t(1) << 63>>;
}

/// testp: a predicate for a class of numbers.
Outcome testNumber(ExecutionState &state, const Instruction &instruction) {
  const uint32_t *source = state.lanes<uint32_t>(instruction.slots[1]);
  uint16_t test = instruction.variant;
  uint32_t bits = testLanes(
      [test](uint32_t value) {
        uint32_t magnitude = value & 0x7fffffff;
        switch (test) {
        case 0:
          return magnitude < 0x7f800000; // finite
        case 1:
          return magnitude == 0x7f800000; // infinite
        case 2:
          return magnitude <= 0x7f800000; // number
        case 3:
          return magnitude > 0x7f800000; // notanumber
        case 4:
          return magnitude >= 0x00800000 && magnitude < 0x7f800000; // normal
        default:
          return magnitude < 0x00800000; // subnormal; zero counts (9.7.3.2)
        }
      },
      source);
  setPredicate(state, instruction.slots[0], bits);
  return Outcome::Next;
}

Handler selectTest(const Form &form, Instruction &instruction) {
  const char *names[] = {"finite",     "infinite", "number",
                         "notanumber", "normal",   "subnormal"};
  for (unsigned i = 0; i < 6; ++i)
    if (form.has(names[i]))
      instruction.variant = i;
  return testNumber;
}

//===----------------------------------------------------------------------===//
// f64
//===----------------------------------------------------------------------===//

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
    {"add|sub|mul[.rn|rz|rm|rp][.ftz][.sat].f32", "=T T T",
     InstructionClass::Float32, selectArithmetic},
    {"fma.rn|rz|rm|rp[.ftz][.sat].f32", "=T T T T", InstructionClass::Float32,
     selectFma},
    {"div.approx|full[.ftz].f32", "=T T T", InstructionClass::Special,
     selectDivision},
    {"div.rn[.ftz].f32", "=T T T", InstructionClass::Sequence, selectDivision},
    {"rcp|sqrt.approx[.ftz].f32", "=T T", InstructionClass::Special,
     selectRoot},
    {"rcp|sqrt.rn[.ftz].f32", "=T T", InstructionClass::Sequence, selectRoot},
    {"ex2|lg2|sin|cos|rsqrt.approx[.ftz].f32", "=T T",
     InstructionClass::Special, selectSpecial},
    {"tanh.approx.f32", "=T T", InstructionClass::Special, selectSpecial},
    {"neg|abs[.ftz].f32", "=T T", InstructionClass::Float32, selectSign},
    {"min|max[.ftz][.NaN].f32", "=T T T", InstructionClass::Float32,
     selectMinMax},
    {"copysign.f32|f64", "=T T T", InstructionClass::Float32, selectCopySign},
    {"testp.finite|infinite|number|notanumber|normal|subnormal.f32", "=pred T",
     InstructionClass::Float32, selectTest},
    {"add|sub|mul[.rn].f64", "=T T T", InstructionClass::Float64, select64},
    {"fma.rn.f64", "=T T T T", InstructionClass::Float64, select64},
    {"div.rn.f64", "=T T T", InstructionClass::Float64, select64},
    {"rcp|sqrt.rn.f64", "=T T", InstructionClass::Float64, select64},
    {"rcp|rsqrt.approx.ftz.f64", "=T T", InstructionClass::Float64, select64},
    {"neg|abs.f64", "=T T", InstructionClass::Float64, select64},
    {"min|max.f64", "=T T T", InstructionClass::Float64, select64},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::floatRows() { return rows; }
