//===- HandlersBytes.cpp - prmt, dp4a, dp2a, fns --------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerTypes.h"
#include "LaneLoop.h"
#include "OpcodeTable.h"

using namespace mlir::mirage::emulator;

namespace {

/// prmt in its default mode: each nibble of the selector picks one byte of
/// (b:a); its bit 3 copies that byte's sign instead.
struct Permute : Same<uint32_t> {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t selector) {
    uint64_t both = uint64_t(b) << 32 | a;
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      uint32_t choice = selector >> (4 * i);
      uint8_t byte = both >> (8 * (choice & 7));
      if (choice & 8)
        byte = byte & 0x80 ? 0xff : 0;
      result |= uint32_t(byte) << (8 * i);
    }
    return result;
  }
};

/// The selectors that the other modes of prmt stand for, by the low two bits of
/// the operand (PTX ISA 9.7.8, prmt).
constexpr uint32_t forward4[] = {0x3210, 0x4321, 0x5432, 0x6543};
constexpr uint32_t backward4[] = {0x5670, 0x6701, 0x7012, 0x0123};
constexpr uint32_t replicate8[] = {0x0000, 0x1111, 0x2222, 0x3333};
constexpr uint32_t clampLeft[] = {0x3210, 0x3211, 0x3222, 0x3333};
constexpr uint32_t clampRight[] = {0x0000, 0x1110, 0x2210, 0x3210};
constexpr uint32_t replicate16[] = {0x1010, 0x3232, 0x1010, 0x3232};

template <const uint32_t (&selectors)[4]>
struct PermuteMode : Same<uint32_t> {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t mode) {
    return Permute::apply(a, b, selectors[mode & 3]);
  }
};

/// dp4a: four products of bytes, added.
template <bool aIsSigned, bool bIsSigned>
struct DotProduct4 : Same<uint32_t> {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    for (unsigned i = 0; i < 4; ++i) {
      uint8_t x = a >> (8 * i), y = b >> (8 * i);
      c += uint32_t((aIsSigned ? int8_t(x) : int(x)) *
                    (bIsSigned ? int8_t(y) : int(y)));
    }
    return c;
  }
};

/// dp2a: two products of 16 bits and a byte, of the low or the high two bytes.
template <bool aIsSigned, bool bIsSigned, bool isHigh>
struct DotProduct2 : Same<uint32_t> {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    for (unsigned i = 0; i < 2; ++i) {
      uint16_t x = a >> (16 * i);
      uint8_t y = b >> (8 * i + (isHigh ? 16 : 0));
      c += uint32_t((aIsSigned ? int16_t(x) : int(x)) *
                    (bIsSigned ? int8_t(y) : int(y)));
    }
    return c;
  }
};

/// fns: the n-th set bit of the mask from `base` on, upwards for n > 0 and
/// downwards for n < 0; for n = 0 the bit at `base` itself. ~0: there is none.
struct FindSetBit : Same<uint32_t> {
  static uint32_t apply(uint32_t mask, uint32_t base, uint32_t offset) {
    int32_t n = offset;
    int64_t step = n < 0 ? -1 : 1;
    uint64_t left = n == 0 ? 1 : n < 0 ? uint64_t(-int64_t(n)) : uint64_t(n);
    uint32_t bits = mask;
    if (n == 0)
      bits = base < 32 ? mask & (uint32_t(1) << base) : 0;
    for (int64_t at = base; at >= 0 && at < 32; at += step)
      if ((bits >> at & 1) && --left == 0)
        return at;
    return ~0u;
  }
};

Handler selectPermute(const Form &form, Instruction &) {
  return llvm::StringSwitch<Handler>(form.pieces[2])
      .Case("f4e", ternaryHandler<PermuteMode<forward4>>)
      .Case("b4e", ternaryHandler<PermuteMode<backward4>>)
      .Case("rc8", ternaryHandler<PermuteMode<replicate8>>)
      .Case("ecl", ternaryHandler<PermuteMode<clampLeft>>)
      .Case("ecr", ternaryHandler<PermuteMode<clampRight>>)
      .Case("rc16", ternaryHandler<PermuteMode<replicate16>>)
      .Default(ternaryHandler<Permute>);
}

template <bool aIsSigned, bool bIsSigned>
Handler selectDotOf(const Form &form) {
  if (form.mnemonic() == "dp4a")
    return ternaryHandler<DotProduct4<aIsSigned, bIsSigned>>;
  return form.has("hi")
             ? ternaryHandler<DotProduct2<aIsSigned, bIsSigned, true>>
             : ternaryHandler<DotProduct2<aIsSigned, bIsSigned, false>>;
}

Handler selectDot(const Form &form, Instruction &) {
  bool a = isSigned(form.types[0]), b = isSigned(form.types[1]);
  if (a)
    return b ? selectDotOf<true, true>(form) : selectDotOf<true, false>(form);
  return b ? selectDotOf<false, true>(form) : selectDotOf<false, false>(form);
}

Handler selectFindSetBit(const Form &, Instruction &) {
  return ternaryHandler<FindSetBit>;
}

const Row rows[] = {
    {"prmt.b32[.f4e|b4e|rc8|ecl|ecr|rc16]", "=T T T T",
     InstructionClass::Integer, selectPermute},
    {"dp4a.u32|s32.u32|s32", "=b32 b32 b32 b32", InstructionClass::Integer,
     selectDot, "sm_61 5.0"},
    {"dp2a.lo|hi.u32|s32.u32|s32", "=b32 b32 b32 b32",
     InstructionClass::Integer, selectDot, "sm_61 5.0"},
    {"fns.b32", "=T T T T", InstructionClass::Integer, selectFindSetBit,
     "any 6.0"},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::byteRows() { return rows; }
