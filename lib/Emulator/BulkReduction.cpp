//===- BulkReduction.cpp - cp.reduce.async.bulk ---------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BulkReduction.h"

#include "AtomicUpdates.h"

#include "llvm/ADT/ArrayRef.h"

#include <cassert>
#include <cstring>

using namespace mlir::mirage::emulator;
using namespace mlir::mirage::emulator::updates;
using llvm::StringRef;

template <typename T, Update<T> update>
static void combine(uint8_t *to, const uint8_t *from, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; i += sizeof(T)) {
    T old, added;
    std::memcpy(&old, to + i, sizeof(T));
    std::memcpy(&added, from + i, sizeof(T));
    T value = update(old, added, added);
    std::memcpy(to + i, &value, sizeof(T));
  }
}

namespace {

struct Reduction {
  StringRef name;
  ScalarType type;
  Combine combine;
};

const Reduction reductions[] = {
    {"add", ScalarType::U32, combine<uint32_t, add>},
    {"add", ScalarType::S32, combine<uint32_t, add>},
    {"add", ScalarType::U64, combine<uint64_t, add>},
    {"add", ScalarType::F32, combine<uint32_t, addFloat>},
    {"add", ScalarType::F64, combine<uint64_t, addDouble>},
    {"add", ScalarType::F16, combine<uint16_t, addHalf>},
    {"add", ScalarType::BF16, combine<uint16_t, addBfloat>},
    {"min", ScalarType::U32, combine<uint32_t, lesser>},
    {"min", ScalarType::S32, combine<int32_t, lesser>},
    {"min", ScalarType::U64, combine<uint64_t, lesser>},
    {"min", ScalarType::S64, combine<int64_t, lesser>},
    {"min", ScalarType::F16,
     combine<uint16_t, chooseFloat16<halfToFloat, true>>},
    {"min", ScalarType::BF16,
     combine<uint16_t, chooseFloat16<bfloatToFloat, true>>},
    {"max", ScalarType::U32, combine<uint32_t, greater>},
    {"max", ScalarType::S32, combine<int32_t, greater>},
    {"max", ScalarType::U64, combine<uint64_t, greater>},
    {"max", ScalarType::S64, combine<int64_t, greater>},
    {"max", ScalarType::F16,
     combine<uint16_t, chooseFloat16<halfToFloat, false>>},
    {"max", ScalarType::BF16,
     combine<uint16_t, chooseFloat16<bfloatToFloat, false>>},
    {"inc", ScalarType::U32, combine<uint32_t, increment>},
    {"dec", ScalarType::U32, combine<uint32_t, decrement>},
    {"and", ScalarType::B32, combine<uint32_t, bitAnd>},
    {"and", ScalarType::B64, combine<uint64_t, bitAnd>},
    {"or", ScalarType::B32, combine<uint32_t, bitOr>},
    {"or", ScalarType::B64, combine<uint64_t, bitOr>},
    {"xor", ScalarType::B32, combine<uint32_t, bitXor>},
    {"xor", ScalarType::B64, combine<uint64_t, bitXor>},
};

} // namespace

unsigned mlir::mirage::emulator::findReduction(const Form &form) {
  if (!form.has("reduce"))
    return 0;
  for (const Reduction &one : reductions)
    if (form.has(one.name) && form.type() == one.type)
      return &one - reductions + 1;
  assert(false && "a form of the table names a reduction that there is not");
  return 0;
}

Combine mlir::mirage::emulator::getCombine(unsigned reduction) {
  return reduction == 0 ? nullptr : reductions[reduction - 1].combine;
}
