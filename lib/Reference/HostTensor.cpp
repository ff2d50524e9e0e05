//===- HostTensor.cpp - Tensors in host memory ----------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Reference/HostTensor.h"
#include "Mirage/Reference/ParallelFor.h"
#include "llvm/ADT/bit.h"
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir::mirage;

static_assert(llvm::endianness::native == llvm::endianness::little,
              "tensors are stored as a device sees them");

const FloatFormat &mlir::mirage::getFloatFormat(ElementType type) {
  static constexpr FloatFormat kF16{5, 10, 15, true, 0x7bff};
  static constexpr FloatFormat kBF16{8, 7, 127, true, 0x7f7f};
  static constexpr FloatFormat kF32{8, 23, 127, true, 0x7f7fffff};
  static constexpr FloatFormat kF8E4M3FN{4, 3, 7, false, 0x7e};
  static constexpr FloatFormat kF8E5M2{5, 2, 15, true, 0x7b};
  switch (type) {
  case ElementType::F16:
    return kF16;
  case ElementType::BF16:
    return kBF16;
  case ElementType::F32:
    return kF32;
  case ElementType::F8E4M3FN:
    return kF8E4M3FN;
  case ElementType::F8E5M2:
    return kF8E5M2;
  }
  llvm_unreachable("all element types have a format");
}

double FloatFormat::getSmallestSubnormal() const {
  return std::ldexp(1.0, 1 - bias - static_cast<int>(mantissaBits));
}

double FloatFormat::getLargestFinite() const {
  uint32_t fraction = largestFinite & ((1u << mantissaBits) - 1);
  int exponent = static_cast<int>(largestFinite >> mantissaBits) - bias;
  return std::ldexp(1 + std::ldexp(fraction, -static_cast<int>(mantissaBits)),
                    exponent);
}

/// 2^exponent, for exponents of normal doubles.
static double powerOfTwo(int exponent) {
  return llvm::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

static double decodeBits(uint32_t bits, const FloatFormat &format) {
  uint32_t width = format.exponentBits + format.mantissaBits;
  uint32_t magnitude = bits & ((1u << width) - 1);
  double sign = (bits >> width) & 1 ? -1.0 : 1.0;
  int exponent = magnitude >> format.mantissaBits;
  uint32_t mantissa = magnitude & ((1u << format.mantissaBits) - 1);
  if (magnitude > format.largestFinite)
    return format.hasInfinity && mantissa == 0
               ? sign * std::numeric_limits<double>::infinity()
               : std::numeric_limits<double>::quiet_NaN();
  if (exponent == 0)
    return sign * mantissa *
           powerOfTwo(1 - format.bias - static_cast<int>(format.mantissaBits));
  uint64_t wide = static_cast<uint64_t>(exponent - format.bias + 1023) << 52 |
                  static_cast<uint64_t>(mantissa) << (52 - format.mantissaBits);
  return sign * llvm::bit_cast<double>(wide);
}

/// Rounds once. The multiple of the last place's value that is nearest counts
/// up the bit patterns from the exponent's first one, also where it carries
/// over into the next exponent.
static uint32_t encodeBits(double value, const FloatFormat &format,
                           bool saturates) {
  uint32_t width = format.exponentBits + format.mantissaBits;
  uint32_t sign = std::signbit(value) ? 1u << width : 0;
  uint32_t infinity = ((1u << format.exponentBits) - 1) << format.mantissaBits;
  if (std::isnan(value))
    return sign |
           (format.hasInfinity ? infinity | 1u << (format.mantissaBits - 1)
                               : (1u << width) - 1);
  uint32_t overflow = saturates ? format.largestFinite : infinity;
  double magnitude = std::fabs(value);
  int mantissaBits = format.mantissaBits, largestExponent = format.bias + 1;
  if (magnitude >= powerOfTwo(largestExponent + 1))
    return sign | overflow;
  int exponent =
      static_cast<int>(llvm::bit_cast<uint64_t>(magnitude) >> 52) - 1023;
  exponent = std::max(exponent, 1 - format.bias);
  constexpr double kRound = 4503599627370496.0; // 2^52: no fraction bits left
  double units = magnitude * powerOfTwo(mantissaBits - exponent);
  units = (units + kRound) - kRound;
  uint32_t bits =
      (static_cast<uint32_t>(exponent + format.bias - 1) << mantissaBits) +
      static_cast<uint32_t>(units);
  return sign | (bits > format.largestFinite ? overflow : bits);
}

/// Elements that one thread converts at a time.
constexpr int64_t kGrain = 1 << 16;

template <typename Storage>
static void decodeAll(const HostTensor &tensor, double *values,
                      unsigned threads) {
  const FloatFormat &format = getFloatFormat(tensor.type.element);
  parallelFor(threads, tensor.type.getNumElements(), kGrain,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  Storage bits;
                  std::memcpy(&bits, &tensor.bytes[i * sizeof(bits)],
                              sizeof(bits));
                  values[i] = decodeBits(bits, format);
                }
              });
}

std::vector<double> mlir::mirage::decode(const HostTensor &tensor,
                                         unsigned threads) {
  assert(static_cast<int64_t>(tensor.bytes.size()) ==
             tensor.type.getSizeBytes() &&
         "a tensor has as many bytes as its type says");
  std::vector<double> values(tensor.type.getNumElements());
  switch (getSizeBytes(tensor.type.element)) {
  case 1:
    decodeAll<uint8_t>(tensor, values.data(), threads);
    break;
  case 2:
    decodeAll<uint16_t>(tensor, values.data(), threads);
    break;
  default:
    decodeAll<uint32_t>(tensor, values.data(), threads);
    break;
  }
  return values;
}

template <typename Storage>
static void encodeAll(llvm::ArrayRef<double> values, HostTensor &tensor,
                      unsigned threads) {
  const FloatFormat &format = getFloatFormat(tensor.type.element);
  bool saturates = sizeof(Storage) == 1;
  parallelFor(threads, values.size(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Storage bits = encodeBits(values[i], format, saturates);
      std::memcpy(&tensor.bytes[i * sizeof(bits)], &bits, sizeof(bits));
    }
  });
}

HostTensor mlir::mirage::encode(const TensorSpec &type,
                                llvm::ArrayRef<double> values,
                                unsigned threads) {
  assert(static_cast<int64_t>(values.size()) == type.getNumElements() &&
         "a value for each element");
  HostTensor tensor{type, std::vector<uint8_t>(type.getSizeBytes())};
  switch (getSizeBytes(type.element)) {
  case 1:
    encodeAll<uint8_t>(values, tensor, threads);
    break;
  case 2:
    encodeAll<uint16_t>(values, tensor, threads);
    break;
  default:
    encodeAll<uint32_t>(values, tensor, threads);
    break;
  }
  return tensor;
}

void mlir::mirage::roundTo(ElementType type,
                           llvm::MutableArrayRef<double> values,
                           unsigned threads) {
  const FloatFormat &format = getFloatFormat(type);
  bool saturates = getSizeBytes(type) == 1;
  parallelFor(threads, values.size(), kGrain, [&](int64_t begin, int64_t end) {
    if (type == ElementType::F32) { // the compiler knows this one
      for (int64_t i = begin; i < end; ++i)
        values[i] = static_cast<float>(values[i]);
      return;
    }
    for (int64_t i = begin; i < end; ++i)
      values[i] = decodeBits(encodeBits(values[i], format, saturates), format);
  });
}
