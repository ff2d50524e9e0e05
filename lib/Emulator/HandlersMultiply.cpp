//===- HandlersMultiply.cpp - mma.sync ------------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"
#include "HostKernels.h"
#include "LaneLoop.h"
#include "Numbers.h"

using namespace mlir::mirage::emulator;

namespace {

/// How elements of a type sit in 32-bit registers; `unpack` takes those of 32
/// lanes to [lane][element].
struct ElementF16 {
  static constexpr unsigned perRegister = 2;
  using Value = float;
  static void unpack(const uint32_t *lanes, float *values) {
    host::widenHalves(values, reinterpret_cast<const uint16_t *>(lanes), 64);
  }
};
/// One by one, by a function of the register and the element's number.
template <typename Derived, typename V, unsigned per>
struct ElementByElement {
  static constexpr unsigned perRegister = per;
  using Value = V;
  static void unpack(const uint32_t *lanes, V *values) {
    for (unsigned lane = 0; lane < warpSize; ++lane)
      for (unsigned i = 0; i < per; ++i)
        values[lane * per + i] = Derived::read(lanes[lane], i);
  }
};
/// The low 13 bits of the register do not take part.
struct ElementTF32 : ElementByElement<ElementTF32, float, 1> {
  static float read(uint32_t bits, unsigned) {
    return asFloat(bits & 0xffffe000);
  }
};
struct ElementS8 : ElementByElement<ElementS8, int32_t, 4> {
  static int32_t read(uint32_t bits, unsigned i) {
    return int8_t(bits >> (8 * i));
  }
};
struct ElementU8 : ElementByElement<ElementU8, int32_t, 4> {
  static int32_t read(uint32_t bits, unsigned i) {
    return uint8_t(bits >> (8 * i));
  }
};
struct ElementE4M3 : ElementByElement<ElementE4M3, float, 4> {
  static float read(uint32_t bits, unsigned i) {
    return float(decodeE4M3(bits >> (8 * i)));
  }
};
struct ElementE5M2 : ElementByElement<ElementE5M2, float, 4> {
  static float read(uint32_t bits, unsigned i) {
    return float(decodeE5M2(bits >> (8 * i)));
  }
};

/// The fragment layouts. Four lanes share a row of A (a column of B) and hold
/// its elements in turn, `perRegister` each; further registers hold row + 8
/// and, after that, the second half of k. So for all types:
///   A(row, col): lane = row % 8 * 4 + col % half / per,
///                register = (row >= 8) + 2 * (col >= half)
///   B(k, n):     lane = n * 4 + k % half / per, register = (k >= half)
///   C(row, col): lane = row % 8 * 4 + col / 2, element 2 * (row >= 8) + col %
///   2
/// with half = 4 * per, the k that one register of four lanes covers.
template <typename Element, unsigned k>
struct Fragments {
  static constexpr unsigned per = Element::perRegister;
  static constexpr unsigned half = 4 * per;
  static constexpr unsigned halves = k / half;
  static constexpr unsigned numA = 2 * halves, numB = halves;
  using Value = typename Element::Value;

  static void readA(const ExecutionState &state, const uint32_t *slots,
                    Value (&a)[16][k]) {
    Value values[warpSize * per];
    for (unsigned r = 0; r < numA; ++r) {
      Element::unpack(state.lanes<uint32_t>(slots[r]), values);
      for (unsigned row = 0; row < 8; ++row)
        std::memcpy(&a[row + 8 * (r % 2)][half * (r / 2)], &values[row * half],
                    half * sizeof(Value));
    }
  }
  static void readB(const ExecutionState &state, const uint32_t *slots,
                    Value (&b)[k][8]) {
    Value values[warpSize * per];
    for (unsigned r = 0; r < numB; ++r) {
      Element::unpack(state.lanes<uint32_t>(slots[r]), values);
      for (unsigned i = 0; i < half; ++i)
        for (unsigned col = 0; col < 8; ++col)
          b[i + half * r][col] = values[col * half + i];
    }
  }
};

/// Accumulators in 32-bit registers.
template <typename T>
struct Accumulator32 {
  using Value = T;
  static constexpr unsigned count = 4;
  static void read(const ExecutionState &state, const uint32_t *slots,
                   T (&c)[16][8]) {
    for (unsigned e = 0; e < 4; ++e)
      for (unsigned lane = 0; lane < warpSize; ++lane)
        c[lane / 4 + 8 * (e / 2)][lane % 4 * 2 + e % 2] =
            state.lanes<T>(slots[e])[lane];
  }
  static T clean(float value) { return canonical(value); }
  static T clean(int32_t value) { return value; }
  static void write(const ExecutionState &state, const uint32_t *slots,
                    const T (&d)[16][8]) {
    for (unsigned e = 0; e < 4; ++e)
      for (unsigned lane = 0; lane < warpSize; ++lane)
        state.lanes<T>(slots[e])[lane] =
            clean(d[lane / 4 + 8 * (e / 2)][lane % 4 * 2 + e % 2]);
  }
};

/// f16 accumulators, two in a register.
struct AccumulatorF16 {
  using Value = float;
  static constexpr unsigned count = 2;
  static void read(const ExecutionState &state, const uint32_t *slots,
                   float (&c)[16][8]) {
    for (unsigned e = 0; e < 4; ++e)
      for (unsigned lane = 0; lane < warpSize; ++lane)
        c[lane / 4 + 8 * (e / 2)][lane % 4 * 2 + e % 2] = halfToFloat(
            state.lanes<uint32_t>(slots[e / 2])[lane] >> (16 * (e % 2)));
  }
  static void write(const ExecutionState &state, const uint32_t *slots,
                    const float (&d)[16][8]) {
    for (unsigned e = 0; e < 2; ++e)
      for (unsigned lane = 0; lane < warpSize; ++lane) {
        const float *pair = &d[lane / 4 + 8 * e][lane % 4 * 2];
        state.lanes<uint32_t>(slots[e])[lane] =
            uint32_t(floatToHalf(pair[1])) << 16 | floatToHalf(pair[0]);
      }
  }
};

template <unsigned k>
void multiplyTile(float (&d)[16][8], const float (&a)[16][k],
                  const float (&b)[k][8], bool) {
  host::multiplyRows(&d[0][0], &a[0][0], &b[0][0], 16, 8, k);
}
template <unsigned k>
void multiplyTile(int32_t (&d)[16][8], const int32_t (&a)[16][k],
                  const int32_t (&b)[k][8], bool saturates) {
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned col = 0; col < 8; ++col) {
      int64_t sum = d[row][col];
      for (unsigned i = 0; i < k; ++i)
        sum += a[row][i] * b[i][col];
      if (saturates)
        sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
      d[row][col] = int32_t(sum);
    }
}

/// Instruction::variant: integer sums stop at the ends of s32.
enum : uint16_t { saturates = 1 };

/// Products are exact; sums are rounded to f32 one after the other. The
/// hardware adds in an order of its own: compare results with a bound.
template <typename ElementA, typename ElementB, unsigned k,
          typename Accumulator>
Outcome multiply(ExecutionState &state, const Instruction &instruction) {
  Outcome outcome = Outcome::Next;
  if (!requireWholeWarp(state, "mma.sync", outcome))
    return outcome;
  using A = Fragments<ElementA, k>;
  using B = Fragments<ElementB, k>;
  typename A::Value a[16][k];
  typename B::Value b[k][8];
  typename Accumulator::Value d[16][8];
  const uint32_t *slots = instruction.slots;
  A::readA(state, slots + Accumulator::count, a);
  B::readB(state, slots + Accumulator::count + A::numA, b);
  Accumulator::read(state, slots + Accumulator::count + A::numA + B::numB, d);
  multiplyTile<k>(d, a, b, instruction.variant == saturates);
  Accumulator::write(state, slots, d);
  state.worker->counters.matrixFlops += 2 * 16 * 8 * k;
  state.warp->clock.meetLanes();
  return Outcome::Next;
}

/// The same of f16 and bf16 with sums of f32, which most are.
template <auto widen, unsigned k>
Outcome multiplyHalves(ExecutionState &state, const Instruction &instruction) {
  Outcome outcome = Outcome::Next;
  if (!requireWholeWarp(state, "mma.sync", outcome))
    return outcome;
  constexpr unsigned halves = k / 8, perRegister = 64;
  alignas(64) float a[2 * halves * perRegister], b[halves * perRegister];
  float *d[4];
  const float *c[4];
  const uint32_t *slots = instruction.slots;
  auto read = [&](float *values, unsigned registers) {
    for (unsigned i = 0; i < registers; ++i)
      widen(values + i * perRegister, state.lanes<uint16_t>(*slots++),
            perRegister);
  };
  for (float *&lanes : d)
    lanes = state.lanes<float>(*slots++);
  read(a, 2 * halves);
  read(b, halves);
  for (const float *&lanes : c)
    lanes = state.lanes<float>(*slots++);
  host::multiplyFragments(d, a, b, c, halves);
  state.worker->counters.matrixFlops += 2 * 16 * 8 * k;
  state.warp->clock.meetLanes();
  return Outcome::Next;
}

using AccumulatorF32 = Accumulator32<float>;
using AccumulatorS32 = Accumulator32<int32_t>;

template <unsigned k>
Handler selectHalves(bool isBF16, bool isSumF16) {
  if (isSumF16)
    return multiply<ElementF16, ElementF16, k, AccumulatorF16>;
  return isBF16 ? multiplyHalves<host::widenBfloats, k>
                : multiplyHalves<host::widenHalves, k>;
}

Handler selectF16(const Form &form, Instruction &) {
  bool isSumF16 = form.resultType() == ScalarType::F16;
  bool isBF16 = form.has("bf16");
  return form.has("m16n8k16") ? selectHalves<16>(isBF16, isSumF16)
                              : selectHalves<8>(isBF16, isSumF16);
}

Handler selectTF32(const Form &form, Instruction &) {
  return form.has("m16n8k8")
             ? multiply<ElementTF32, ElementTF32, 8, AccumulatorF32>
             : multiply<ElementTF32, ElementTF32, 4, AccumulatorF32>;
}

template <typename A, typename B>
Handler bySize8(const Form &form) {
  return form.has("m16n8k32") ? multiply<A, B, 32, AccumulatorS32>
                              : multiply<A, B, 16, AccumulatorS32>;
}

Handler selectInteger(const Form &form, Instruction &instruction) {
  instruction.variant = form.has("satfinite") ? saturates : 0;
  bool a = isSigned(form.types[1]), b = isSigned(form.types[2]);
  if (a)
    return b ? bySize8<ElementS8, ElementS8>(form)
             : bySize8<ElementS8, ElementU8>(form);
  return b ? bySize8<ElementU8, ElementS8>(form)
           : bySize8<ElementU8, ElementU8>(form);
}

Handler selectFloat8(const Form &form, Instruction &) {
  bool a = form.pieces[7] == "e4m3", b = form.pieces[8] == "e4m3";
  if (a)
    return b ? multiply<ElementE4M3, ElementE4M3, 32, AccumulatorF32>
             : multiply<ElementE4M3, ElementE5M2, 32, AccumulatorF32>;
  return b ? multiply<ElementE5M2, ElementE4M3, 32, AccumulatorF32>
           : multiply<ElementE5M2, ElementE5M2, 32, AccumulatorF32>;
}

const Row rows[] = {
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
     "=f32*4 b32*4 b32*2 f32*4", InstructionClass::Matrix, selectF16,
     "sm_80 7.0"},
    {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
     "=f32*4 b32*4 b32*2 f32*4", InstructionClass::Matrix, selectF16,
     "sm_80 7.0"},
    {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
     "=b32*2 b32*4 b32*2 b32*2", InstructionClass::Matrix, selectF16,
     "sm_80 7.0"},
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32",
     "=f32*4 b32*2 b32*1 f32*4", InstructionClass::Matrix, selectF16,
     "sm_75 6.5"},
    {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32",
     "=f32*4 b32*2 b32*1 f32*4", InstructionClass::Matrix, selectF16,
     "sm_80 7.0"},
    {"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16",
     "=b32*2 b32*2 b32*1 b32*2", InstructionClass::Matrix, selectF16,
     "sm_75 6.5"},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
     "=f32*4 b32*4 b32*2 f32*4", InstructionClass::Matrix, selectTF32,
     "sm_80 7.0"},
    {"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32",
     "=f32*4 b32*2 b32*1 f32*4", InstructionClass::Matrix, selectTF32,
     "sm_80 7.0"},
    {"mma.sync.aligned.m16n8k32.row.col[.satfinite].s32.s8|u8.s8|u8.s32",
     "=b32*4 b32*4 b32*2 b32*4", InstructionClass::Matrix, selectInteger,
     "sm_80 7.0"},
    {"mma.sync.aligned.m16n8k16.row.col[.satfinite].s32.s8|u8.s8|u8.s32",
     "=b32*4 b32*2 b32*1 b32*4", InstructionClass::Matrix, selectInteger,
     "sm_80 7.0"},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3|e5m2.e4m3|e5m2.f32",
     "=f32*4 b32*4 b32*2 f32*4", InstructionClass::Matrix, selectFloat8,
     "sm_89 8.4"},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::multiplyRows() { return rows; }
