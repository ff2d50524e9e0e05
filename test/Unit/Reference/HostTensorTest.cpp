//===- HostTensorTest.cpp - Tests of rounding to element types ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Reference/HostTensor.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>

using namespace mlir::mirage;

/// The bits that a value is rounded to.
static uint32_t round(double value, ElementType element) {
  HostTensor tensor = encode({{1}, element}, {value});
  uint32_t bits = 0;
  std::memcpy(&bits, tensor.bytes.data(), tensor.bytes.size());
  return bits;
}

static double decodeOne(uint32_t bits, ElementType element) {
  HostTensor tensor{{{1}, element},
                    std::vector<uint8_t>(getSizeBytes(element))};
  std::memcpy(tensor.bytes.data(), &bits, tensor.bytes.size());
  return decode(tensor)[0];
}

constexpr ElementType kSmallTypes[] = {ElementType::F16, ElementType::BF16,
                                       ElementType::F8E4M3FN,
                                       ElementType::F8E5M2};

TEST(HostTensor, EveryPatternSurvives) {
  for (ElementType element : kSmallTypes) {
    uint32_t patterns = 1u << (8 * getSizeBytes(element));
    for (uint32_t bits = 0; bits < patterns; ++bits) {
      double value = decodeOne(bits, element);
      if (std::isfinite(value))
        ASSERT_EQ(round(value, element), bits)
            << getElementTypeName(element).str() << " " << value;
    }
  }
}

/// Between neighbours: the nearer one, and the even one of two as near.
TEST(HostTensor, RoundsToNearestEven) {
  for (ElementType element : kSmallTypes) {
    const FloatFormat &format = getFloatFormat(element);
    for (uint32_t bits = 0; bits < format.largestFinite; ++bits) {
      double below = decodeOne(bits, element);
      double above = decodeOne(bits + 1, element);
      double middle = (below + above) / 2;
      ASSERT_EQ(round(middle, element), bits % 2 == 0 ? bits : bits + 1);
      ASSERT_EQ(round(std::nextafter(middle, 0), element), bits);
      ASSERT_EQ(round(std::nextafter(middle, 1e9 * above), element), bits + 1);
    }
  }
}

TEST(HostTensor, F32AgreesWithTheMachine) {
  for (double value : {0.1, -1.0 / 3, 1e-40, 3.4028235e38, 3.5e38, 1.5e-45,
                       0.7e-45, -0.0, 16777217.0}) {
    float single = static_cast<float>(value);
    uint32_t bits;
    std::memcpy(&bits, &single, sizeof(bits));
    EXPECT_EQ(round(value, ElementType::F32), bits) << value;
    EXPECT_EQ(decodeOne(bits, ElementType::F32), single);
  }
}

TEST(HostTensor, OverflowAndSpecialValues) {
  EXPECT_EQ(round(65519.9, ElementType::F16), 0x7bffu);
  EXPECT_EQ(round(65520, ElementType::F16), 0x7c00u);
  EXPECT_EQ(round(-1e300, ElementType::F16), 0xfc00u);
  EXPECT_EQ(round(-INFINITY, ElementType::BF16), 0xff80u);
  EXPECT_EQ(round(1e6, ElementType::F8E4M3FN), 0x7eu); // 448
  EXPECT_EQ(round(-INFINITY, ElementType::F8E5M2), 0xfbu);
  EXPECT_EQ(decodeOne(0x7e, ElementType::F8E4M3FN), 448);
  EXPECT_EQ(decodeOne(0x7c, ElementType::F8E5M2), INFINITY);
  for (ElementType element :
       {ElementType::F16, ElementType::BF16, ElementType::F32,
        ElementType::F8E4M3FN, ElementType::F8E5M2})
    EXPECT_TRUE(std::isnan(decodeOne(round(NAN, element), element)));
  EXPECT_EQ(decodeOne(0x0001, ElementType::F16), std::ldexp(1.0, -24));
  EXPECT_EQ(getFloatFormat(ElementType::F16).getSmallestSubnormal(),
            std::ldexp(1.0, -24));
}

TEST(HostTensor, ThreadsDoNotMatter) {
  TensorSpec type{{300000}, ElementType::BF16};
  std::vector<double> values(300000);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(i) * i;
  HostTensor one = encode(type, values, 1), many = encode(type, values, 8);
  EXPECT_EQ(one.bytes, many.bytes);
  EXPECT_EQ(decode(one, 1), decode(many, 8));
}
