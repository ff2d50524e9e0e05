//===- ScalarType.h - The types that opcode suffixes name -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_SCALARTYPE_H
#define MIRAGE_LIB_EMULATOR_SCALARTYPE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

#include <cstdint>

namespace mlir::mirage::emulator {

enum class ScalarType : uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  BF16,
  F32,
  F64,
  TF32,
  F16x2,
  BF16x2,
  U16x2,
  S16x2,
  F32x2,
  E4M3x2,
  E5M2x2,
};

inline ScalarType parseScalarType(llvm::StringRef name) {
  using T = ScalarType;
  return llvm::StringSwitch<ScalarType>(name)
      .Case("pred", T::Pred)
      .Case("b8", T::B8)
      .Case("b16", T::B16)
      .Case("b32", T::B32)
      .Case("b64", T::B64)
      .Case("b128", T::B128)
      .Case("u8", T::U8)
      .Case("u16", T::U16)
      .Case("u32", T::U32)
      .Case("u64", T::U64)
      .Case("s8", T::S8)
      .Case("s16", T::S16)
      .Case("s32", T::S32)
      .Case("s64", T::S64)
      .Case("f16", T::F16)
      .Case("bf16", T::BF16)
      .Case("f32", T::F32)
      .Case("f64", T::F64)
      .Case("tf32", T::TF32)
      .Case("f16x2", T::F16x2)
      .Case("bf16x2", T::BF16x2)
      .Case("u16x2", T::U16x2)
      .Case("s16x2", T::S16x2)
      .Case("f32x2", T::F32x2)
      .Case("e4m3x2", T::E4M3x2)
      .Case("e5m2x2", T::E5M2x2)
      .Default(T::None);
}

/// Bytes of one value; predicates count as none, they live in lane masks.
inline unsigned sizeBytes(ScalarType type) {
  using T = ScalarType;
  switch (type) {
  case T::None:
  case T::Pred:
    return 0;
  case T::B8:
  case T::U8:
  case T::S8:
    return 1;
  case T::B16:
  case T::U16:
  case T::S16:
  case T::F16:
  case T::BF16:
  case T::E4M3x2:
  case T::E5M2x2:
    return 2;
  case T::B32:
  case T::U32:
  case T::S32:
  case T::F32:
  case T::TF32:
  case T::F16x2:
  case T::BF16x2:
  case T::U16x2:
  case T::S16x2:
    return 4;
  case T::B64:
  case T::U64:
  case T::S64:
  case T::F64:
  case T::F32x2:
    return 8;
  case T::B128:
    return 16;
  }
  return 0;
}

inline bool isSigned(ScalarType type) {
  using T = ScalarType;
  return type == T::S8 || type == T::S16 || type == T::S32 || type == T::S64;
}
inline bool isFloat(ScalarType type) {
  using T = ScalarType;
  return type == T::F16 || type == T::BF16 || type == T::F32 || type == T::F64;
}

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_SCALARTYPE_H
