//===- HandlersSpecial.cpp - f32 functions and classes of numbers ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FloatModifiers.h"
#include "HostKernels.h"

using namespace mlir::mirage::emulator;
using llvm::StringRef;

namespace {

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

/// ex2.approx.f32 without `.ftz`.
Outcome exp2Lanes(ExecutionState &state, const Instruction &instruction) {
  computeLanes(state.active, state.lanes<float>(instruction.slots[0]),
               [source = state.lanes<float>(instruction.slots[1])](
                   float *result) { host::exp2Lanes(result, source); });
  return Outcome::Next;
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

const Row rows[] = {
    {"div.approx|full[.ftz].f32", "=T T T", InstructionClass::Special,
     selectDivision},
    {"div.rn[.ftz].f32", "=T T T", InstructionClass::Sequence, selectDivision},
    {"rcp|sqrt.approx[.ftz].f32", "=T T", InstructionClass::Special,
     selectRoot},
    {"rcp|sqrt.rn[.ftz].f32", "=T T", InstructionClass::Sequence, selectRoot},
    {"ex2|lg2|sin|cos|rsqrt.approx[.ftz].f32", "=T T",
     InstructionClass::Special, selectSpecial},
    {"tanh.approx.f32", "=T T", InstructionClass::Special, selectSpecial,
     "sm_75 7.0"},
    {"copysign.f32|f64", "=T T T", InstructionClass::Float32, selectCopySign},
    {"testp.finite|infinite|number|notanumber|normal|subnormal.f32", "=pred T",
     InstructionClass::Float32, selectTest},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::specialRows() { return rows; }
