//===- HandlersFloat.cpp - f32 arithmetic, one or two in a register -------===//
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

struct Add {
  static float apply(float a, float b) { return a + b; }
};
struct Sub {
  static float apply(float a, float b) { return a - b; }
};
struct Mul {
  static float apply(float a, float b) { return a * b; }
};
struct Fma {
  static float apply(float a, float b, float c) {
    return fusedMultiplyAdd(a, b, c);
  }
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

/// Of three numbers, as targets from sm_100 on have it.
template <typename Operation>
struct OfThree {
  static float apply(float a, float b, float c) {
    return Operation::apply(Operation::apply(a, b), c);
  }
};

/// `.ftz` makes zeros of results that are below the least normal number once
/// they are rounded to 24 bits, whatever their exponent (measured on an H100);
/// f32 itself has fewer bits there. Only products come so close to it.
float roundAndFlush(double value) {
  constexpr double least = 0x1p-126 - 0x1p-151; // to even: up
  return static_cast<float>(std::fabs(value) < least ? std::copysign(0.0, value)
                                                     : value);
}
struct FlushedMul {
  static float apply(float a, float b) {
    return roundAndFlush(double(a) * double(b));
  }
};
struct FlushedFma {
  static float apply(float a, float b, float c) {
    return roundAndFlush(addRoundToOdd(double(a) * double(b), double(c)));
  }
};

/// One operation of f64 on the exact f32 operands, rounded in a direction. Sums
/// and fused ones go through round-to-odd, products of two f32 are exact.
template <Rounding rounding>
float roundDirected(double odd) {
  return canonical(static_cast<float>(roundToFormat(odd, formatF32, rounding)));
}
/// Downwards, numbers that cancel leave -0 (IEEE 754-2008, 6.3).
template <Rounding rounding>
float addDirected(double a, double b) {
  double sum = addRoundToOdd(a, b);
  bool isNegativeZero = rounding == Rounding::Down && sum == 0 &&
                        (std::signbit(a) || std::signbit(b));
  return roundDirected<rounding>(isNegativeZero ? -0.0 : sum);
}
/// `.ftz` as roundAndFlush has it: the exponent is moved away from subnormals.
template <Rounding rounding>
float flushDirected(double odd) {
  constexpr double least = 0x1p-126, up = 0x1p64;
  bool isLess =
      std::fabs(odd) < 2 * least &&
      std::fabs(roundToFormat(odd * up, formatF32, rounding)) < least * up;
  return isLess ? static_cast<float>(std::copysign(0.0, odd))
                : roundDirected<rounding>(odd);
}
template <typename Operation, Rounding rounding>
struct Directed;
template <Rounding rounding>
struct Directed<Add, rounding> {
  using Result = float;
  using Source = float;
  static float apply(float a, float b) { return addDirected<rounding>(a, b); }
};
template <Rounding rounding>
struct Directed<Sub, rounding> {
  using Result = float;
  using Source = float;
  static float apply(float a, float b) {
    return addDirected<rounding>(a, -double(b));
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
    return addDirected<rounding>(double(a) * double(b), c);
  }
};

template <Rounding rounding>
struct Directed<FlushedMul, rounding> {
  static float apply(float a, float b) {
    return flushDirected<rounding>(double(a) * double(b));
  }
};
template <Rounding rounding>
struct Directed<FlushedFma, rounding> {
  static float apply(float a, float b, float c) {
    double sum = addRoundToOdd(double(a) * double(b), double(c));
    return sum == 0 ? addDirected<rounding>(double(a) * double(b), c)
                    : flushDirected<rounding>(sum);
  }
};

template <unsigned arity, typename Operation, template <typename> class Shape>
Handler directed(const Form &form) {
  if (form.has("rz"))
    return modified<arity, Directed<Operation, Rounding::Zero>, Shape>(form);
  if (form.has("rm"))
    return modified<arity, Directed<Operation, Rounding::Down>, Shape>(form);
  if (form.has("rp"))
    return modified<arity, Directed<Operation, Rounding::Up>, Shape>(form);
  return modified<arity, Operation, Shape>(form);
}

/// fma.rn without modifiers: as many f32 as the registers of a warp hold.
template <typename Register>
Outcome fusedLanes(ExecutionState &state, const Instruction &instruction) {
  constexpr unsigned count = warpSize * (sizeof(Register) / sizeof(float));
  auto floats = [&](unsigned i) {
    return state.lanes<float>(instruction.slots[i]);
  };
  computeLanes(state.active, state.lanes<Register>(instruction.slots[0]),
               [&](Register *result) {
                 host::fusedMultiplyAdd(reinterpret_cast<float *>(result),
                                        floats(1), floats(2), floats(3), count);
               });
  return Outcome::Next;
}

template <template <typename> class Shape>
Handler arithmeticOf(const Form &form) {
  StringRef name = form.mnemonic();
  if (name == "add")
    return directed<2, Add, Shape>(form);
  if (name == "sub")
    return directed<2, Sub, Shape>(form);
  bool flushes = form.has("ftz");
  if (name == "mul")
    return flushes ? directed<2, FlushedMul, Shape>(form)
                   : directed<2, Mul, Shape>(form);
  return flushes ? directed<3, FlushedFma, Shape>(form)
                 : directed<3, Fma, Shape>(form);
}

Handler selectArithmetic(const Form &form, Instruction &) {
  bool isPaired = form.type() == ScalarType::F32x2;
  if (form.mnemonic() == "fma" && form.has("rn") && !form.has("ftz") &&
      !form.has("sat"))
    return isPaired ? fusedLanes<uint64_t> : fusedLanes<uint32_t>;
  return isPaired ? arithmeticOf<Paired>(form) : arithmeticOf<Alone>(form);
}

/// Mixed precision: the last operand is f32, those before it have 16 bits.
template <float (*widen)(uint16_t), unsigned arity>
struct Mixed {
  template <typename Operation>
  struct Shape {
    using Result = float;
    template <unsigned index>
    using At = std::conditional_t<index + 1 == arity, float, uint16_t>;

    static float toFloat(float value) { return value; }
    static float toFloat(uint16_t value) { return widen(value); }
    template <typename... Values>
    static float apply(Values... values) {
      return Operation::apply(toFloat(values)...);
    }
  };
};

template <float (*widen)(uint16_t)>
Handler mixedOf(const Form &form) {
  StringRef name = form.mnemonic();
  if (name == "add")
    return directed<2, Add, Mixed<widen, 2>::template Shape>(form);
  if (name == "sub")
    return directed<2, Sub, Mixed<widen, 2>::template Shape>(form);
  return directed<3, Fma, Mixed<widen, 3>::template Shape>(form);
}

Handler selectMixed(const Form &form, Instruction &) {
  return form.has("f16") ? mixedOf<halfToFloat>(form)
                         : mixedOf<bfloatToFloat>(form);
}

Handler selectSign(const Form &form, Instruction &) {
  return form.mnemonic() == "neg" ? modified<1, Negate>(form)
                                  : modified<1, Absolute>(form);
}

template <template <bool> class Operation>
Handler minMax(const Form &form) {
  return form.has("NaN") ? modified<2, Operation<true>>(form)
                         : modified<2, Operation<false>>(form);
}

template <template <bool> class Operation>
Handler minMaxOfThree(const Form &form) {
  return form.has("NaN") ? modified<3, OfThree<Operation<true>>>(form)
                         : modified<3, OfThree<Operation<false>>>(form);
}

Handler selectMinMax(const Form &form, Instruction &) {
  StringRef name = form.mnemonic();
  if (name == "min")
    return minMax<Minimum>(form);
  if (name == "max")
    return minMax<Maximum>(form);
  return name == "min%three" ? minMaxOfThree<Minimum>(form)
                             : minMaxOfThree<Maximum>(form);
}

const Row rows[] = {
    {"add|sub|mul[.rn|rz|rm|rp][.ftz][.sat].f32", "=T T T",
     InstructionClass::Float32, selectArithmetic},
    {"fma.rn|rz|rm|rp[.ftz][.sat].f32", "=T T T T", InstructionClass::Float32,
     selectArithmetic},
    {"add|sub|mul[.rn|rz|rm|rp][.ftz].f32x2", "=T T T",
     InstructionClass::Float32, selectArithmetic, "sm_100 8.6"},
    {"fma.rn|rz|rm|rp[.ftz].f32x2", "=T T T T", InstructionClass::Float32,
     selectArithmetic, "sm_100 8.6"},
    {"add|sub[.rn|rz|rm|rp][.sat].f32.f16|bf16", "=f32 b16 f32",
     InstructionClass::Float32, selectMixed, "sm_100 8.6"},
    {"fma.rn|rz|rm|rp[.sat].f32.f16|bf16", "=f32 b16 b16 f32",
     InstructionClass::Float32, selectMixed, "sm_100 8.6"},
    {"neg|abs[.ftz].f32", "=T T", InstructionClass::Float32, selectSign},
    {"min|max[.ftz][.NaN].f32", "=T T T", InstructionClass::Float32,
     selectMinMax},
    {"min%three|max%three[.ftz][.NaN].f32", "=T T T T",
     InstructionClass::Float32, selectMinMax, "sm_100 8.8"},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::floatRows() { return rows; }
