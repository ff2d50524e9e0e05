//===- HandlersPacked.cpp - f16 and bf16 arithmetic -----------------------===//
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
using llvm::StringRef;

namespace {

/// The two 16-bit formats, as f32 and back.
struct F16 {
  static float widen(uint16_t value) { return halfToFloat(value); }
  static uint16_t narrow(float value) { return floatToHalf(value); }
  static constexpr uint16_t infinity = 0x7c00;
};
struct BF16 {
  static float widen(uint16_t value) { return bfloatToFloat(value); }
  static uint16_t narrow(float value) { return floatToBfloat(value); }
  static constexpr uint16_t infinity = 0x7f80;
};

/// Sums of 16-bit numbers are rounded once although f32 rounds too: 24 bits are
/// twice 11 and two more. Products go through round-to-odd for bf16's
/// subnormals.
template <typename Format>
struct Add {
  static uint16_t apply(uint16_t a, uint16_t b) {
    return Format::narrow(Format::widen(a) + Format::widen(b));
  }
};
template <typename Format>
struct Sub {
  static uint16_t apply(uint16_t a, uint16_t b) {
    return Format::narrow(Format::widen(a) - Format::widen(b));
  }
};
template <typename Format>
struct Mul {
  static uint16_t apply(uint16_t a, uint16_t b) {
    return Format::narrow(
        toFloatRoundToOdd(double(Format::widen(a)) * double(Format::widen(b))));
  }
};
template <typename Format>
struct Fma {
  static uint16_t apply(uint16_t a, uint16_t b, uint16_t c) {
    return Format::narrow(
        fusedForRounding(Format::widen(a), Format::widen(b), Format::widen(c)));
  }
};
template <typename Format>
struct FmaRelu {
  static uint16_t apply(uint16_t a, uint16_t b, uint16_t c) {
    uint16_t result = Fma<Format>::apply(a, b, c);
    return result == nan16 || !(result & 0x8000) ? result : 0;
  }
};
template <typename Format, bool propagatesNaN>
struct Min {
  static uint16_t apply(uint16_t a, uint16_t b) {
    return Format::narrow(
        minimum<propagatesNaN>(Format::widen(a), Format::widen(b)));
  }
};
template <typename Format, bool propagatesNaN>
struct Max {
  static uint16_t apply(uint16_t a, uint16_t b) {
    return Format::narrow(
        maximum<propagatesNaN>(Format::widen(a), Format::widen(b)));
  }
};
/// Signs change without arithmetic, but a NaN becomes the one NaN.
template <typename Format>
struct Neg {
  static uint16_t apply(uint16_t a) {
    return (a & 0x7fff) > Format::infinity ? nan16 : a ^ 0x8000;
  }
};
template <typename Format>
struct Abs {
  static uint16_t apply(uint16_t a) {
    return (a & 0x7fff) > Format::infinity ? nan16 : a & 0x7fff;
  }
};
template <typename Format>
struct Exp2 {
  static uint16_t apply(uint16_t a) {
    return Format::narrow(approximateExp2(Format::widen(a)));
  }
};
template <typename Format>
struct Tanh {
  static uint16_t apply(uint16_t a) {
    return Format::narrow(approximateTanh(Format::widen(a)));
  }
};

template <typename Operation>
struct Single {
  using Result = uint16_t;
  using Source = uint16_t;
  template <typename... Values>
  static uint16_t apply(Values... values) {
    return Operation::apply(values...);
  }
};
template <typename Operation>
using Pair = Paired<Single<Operation>>;

template <template <typename> class Shape, typename Format>
Handler selectFor(const Form &form) {
  StringRef name = form.mnemonic();
  bool nan = form.has("NaN");
  if (name == "add")
    return binaryHandler<Shape<Add<Format>>>;
  if (name == "sub")
    return binaryHandler<Shape<Sub<Format>>>;
  if (name == "mul")
    return binaryHandler<Shape<Mul<Format>>>;
  if (name == "fma")
    return form.has("relu") ? ternaryHandler<Shape<FmaRelu<Format>>>
                            : ternaryHandler<Shape<Fma<Format>>>;
  if (name == "min")
    return nan ? binaryHandler<Shape<Min<Format, true>>>
               : binaryHandler<Shape<Min<Format, false>>>;
  if (name == "max")
    return nan ? binaryHandler<Shape<Max<Format, true>>>
               : binaryHandler<Shape<Max<Format, false>>>;
  if (name == "neg")
    return unaryHandler<Shape<Neg<Format>>>;
  if (name == "abs")
    return unaryHandler<Shape<Abs<Format>>>;
  if (name == "tanh")
    return unaryHandler<Shape<Tanh<Format>>>;
  return unaryHandler<Shape<Exp2<Format>>>;
}

Handler select(const Form &form, Instruction &) {
  switch (form.type()) {
  case ScalarType::F16:
    return selectFor<Single, F16>(form);
  case ScalarType::BF16:
    return selectFor<Single, BF16>(form);
  case ScalarType::F16x2:
    return selectFor<Pair, F16>(form);
  case ScalarType::BF16x2:
    return selectFor<Pair, BF16>(form);
  default:
    return nullptr;
  }
}

const Row rows[] = {
    {"add|sub|mul[.rn].f16|f16x2|bf16|bf16x2", "=T T T",
     InstructionClass::Packed16, select, "sm_53 4.2; bf16|bf16x2: sm_90 7.8"},
    {"fma.rn[.relu].f16|f16x2|bf16|bf16x2", "=T T T T",
     InstructionClass::Packed16, select, "sm_53 4.2"},
    {"min|max[.NaN].f16|f16x2|bf16|bf16x2", "=T T T",
     InstructionClass::Packed16, select, "sm_80 7.0"},
    {"neg|abs.f16|f16x2|bf16|bf16x2", "=T T", InstructionClass::Packed16,
     select, "sm_53 6.0"},
    {"ex2.approx.f16|f16x2", "=T T", InstructionClass::Special, select,
     "sm_75 7.0"},
    {"ex2.approx.ftz.bf16|bf16x2", "=T T", InstructionClass::Special, select,
     "sm_90 7.8"},
    {"tanh.approx.f16|f16x2|bf16|bf16x2", "=T T", InstructionClass::Special,
     select, "sm_75 7.0; bf16|bf16x2: sm_90 7.8"},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::packedRows() { return rows; }
