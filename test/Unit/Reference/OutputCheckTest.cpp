//===- OutputCheckTest.cpp - Tests of what counts as right ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Reference/OutputCheck.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir::mirage;

static OutputCheck check(std::vector<double> reference,
                         std::vector<double> computed,
                         std::vector<double> scales = {},
                         ElementType element = ElementType::F32) {
  TensorSpec type{{static_cast<int64_t>(reference.size())}, element};
  return checkOutput({type, std::move(reference), std::move(scales)},
                     encode(type, computed));
}

TEST(OutputCheck, Tolerances) {
  EXPECT_EQ(getTolerance(ElementType::F16), 2e-3);
  EXPECT_EQ(getTolerance(ElementType::BF16), 1.6e-2);
  EXPECT_EQ(getTolerance(ElementType::F32), 1e-4);
}

/// What an f32 is computed from may be stored in f16.
TEST(OutputCheck, TheNarrowestStoredTypeCounts) {
  TensorSpec type{{1}, ElementType::F32};
  ReferenceOutput reference{type, {1.0}, {}, {ElementType::F32}};
  HostTensor computed = encode(type, {1.001});
  EXPECT_FALSE(checkOutput(reference, computed).pass);
  reference.storedTypes.push_back(ElementType::F16);
  EXPECT_TRUE(checkOutput(reference, computed).pass);
}

/// Where the program allows it and the code does it, of what is computed from
/// products alone.
TEST(OutputCheck, ProductsInTF32MayBeOffByMore) {
  Graph graph;
  TensorSpec type{{4, 4}, ElementType::F32};
  ValueId x = graph.addInput(type);
  ValueId product = graph.add(Opcode::Matmul, {x, x}, type);
  graph.addOutput(graph.add(Opcode::Exp, {product}, type));
  graph.addOutput(graph.add(Opcode::Exp, {x}, type));
  auto check = [&](F32Products taken) {
    std::vector<HostTensor> inputs = {encode(type, std::vector<double>(16, 0))};
    auto outputs = llvm::cantFail(evaluateReference(graph, inputs));
    HostTensor computed = encode(type, std::vector<double>(16, 1.001));
    return std::pair(checkOutput(outputs[0], computed, taken).pass,
                     checkOutput(outputs[1], computed, taken).pass);
  };
  EXPECT_EQ(check(F32Products::TF32), std::pair(false, false));
  graph.f32Products = F32Products::TF32;
  EXPECT_EQ(check(F32Products::TF32), std::pair(true, false));
  EXPECT_EQ(check(F32Products::Exact), std::pair(false, false));
}

TEST(OutputCheck, EqualNumbersAreRight) {
  OutputCheck result = check({1, -2, 0, 4}, {1, -2, 0, 4});
  EXPECT_TRUE(result.pass);
  EXPECT_EQ(result.relativeError, 0);
  EXPECT_EQ(result.worstError, 0);
}

TEST(OutputCheck, TheNormCountsEverySmallError) {
  // Each element is within its scale of 10, the whole is not.
  std::vector<double> reference(100, 1.0), computed(100, 1.0005);
  OutputCheck result =
      check(reference, computed, std::vector<double>(100, 10.0));
  EXPECT_LT(result.worstError, result.tolerance);
  EXPECT_NEAR(result.relativeError, 5e-4, 1e-6);
  EXPECT_FALSE(result.pass);
}

TEST(OutputCheck, OneElementCannotHideInTheNorm) {
  std::vector<double> reference(1000000, 1.0);
  std::vector<double> computed = reference;
  computed[777777] = 1.01;
  OutputCheck result = check(reference, computed);
  EXPECT_LT(result.relativeError, result.tolerance);
  EXPECT_FALSE(result.pass);
  EXPECT_EQ(result.worstIndex, 777777);
  EXPECT_NEAR(result.worstError, 0.01, 1e-6);
  EXPECT_NEAR(result.worstComputed, 1.01, 1e-6);
}

TEST(OutputCheck, CancellationIsJudgedByItsTerms) {
  // 1e-3 off, where terms of 100 cancel to 0.1.
  EXPECT_TRUE(check({0.1, 1000}, {0.101, 1000}, {100, 1000}).pass);
  EXPECT_FALSE(check({0.1, 1000}, {0.101, 1000}, {1, 1000}).pass);
}

TEST(OutputCheck, NonFiniteElements) {
  OutputCheck result =
      check({1, 2, 70000}, {1, 2, 70000}, {}, ElementType::F16);
  EXPECT_FALSE(result.pass);
  EXPECT_EQ(result.newNonFinite, 1);
  EXPECT_EQ(result.firstNonFinite, 2);
  EXPECT_FALSE(check({1, 2}, {1, NAN}).pass);
  EXPECT_FALSE(check({1, INFINITY}, {1, 2}).pass);
  EXPECT_EQ(check({1, NAN}, {1, 2}).missingNonFinite, 1);
  EXPECT_TRUE(check({1, INFINITY, NAN}, {1, INFINITY, NAN}).pass);
}

TEST(OutputCheck, NonFiniteElementsAreComparedByClassAndSign) {
  for (float found : {NAN, -INFINITY}) {
    OutputCheck result = check({1, INFINITY}, {1, found});
    EXPECT_FALSE(result.pass);
    EXPECT_EQ(result.differentNonFinite, 1);
    EXPECT_EQ(result.firstNonFinite, 1);
  }
  EXPECT_FALSE(check({NAN}, {INFINITY}).pass);
  EXPECT_TRUE(check({-INFINITY, NAN}, {-INFINITY, -NAN}).pass);
}

/// What 8-bit types do not hold is stored as the largest number they do.
TEST(OutputCheck, EightBitsSaturate) {
  for (auto [element, largest] : {std::pair(ElementType::F8E4M3FN, 448.0),
                                  std::pair(ElementType::F8E5M2, 57344.0)}) {
    auto checkStored = [element = element](std::vector<double> reference,
                                           std::vector<double> computed) {
      return check(std::move(reference), std::move(computed), {}, element);
    };
    std::vector<double> reference = {1, 1e9, -1e9, INFINITY, -INFINITY, NAN};
    OutputCheck result =
        checkStored(reference, {1, largest, -largest, largest, -largest, NAN});
    EXPECT_TRUE(result.pass);
    EXPECT_EQ(result.relativeError, 0);
    EXPECT_EQ(result.numCompared, 5);
    EXPECT_FALSE(checkStored({1e9, largest}, {-largest, largest}).pass);
    EXPECT_FALSE(checkStored({1e9, largest}, {largest / 4, largest}).pass);
    EXPECT_FALSE(checkStored({1e9, NAN}, {largest, largest}).pass);
    EXPECT_FALSE(checkStored({1e9, largest}, {NAN, largest}).pass);
  }
}

/// An argument's infinity that is moved may stay one, and no finite number
/// becomes one.
TEST(OutputCheck, InfinitiesOfEightBitsMayBeKept) {
  TensorSpec type{{2}, ElementType::F8E5M2};
  HostTensor computed = encode(type, {1, 1});
  computed.bytes[1] = 0x7c;
  ASSERT_EQ(decode(computed)[1], INFINITY);
  EXPECT_TRUE(checkOutput({type, {1, INFINITY}, {}}, computed).pass);
  EXPECT_FALSE(checkOutput({type, {1, 1e9}, {}}, computed).pass);
  EXPECT_FALSE(checkOutput({type, {1, -INFINITY}, {}}, computed).pass);
}

TEST(OutputCheck, AnOutputWithoutAnyFiniteElementHasAnError) {
  OutputCheck result = check({1, 2}, {NAN, INFINITY});
  EXPECT_EQ(result.relativeError, 0);
  EXPECT_EQ(toString(result, {2}),
            "wrong: no element is finite both here and in the reference; 2 "
            "elements are not finite where the reference is, first at [0]");
}

TEST(OutputCheck, ZeroReferenceIsComparedAbsolutely) {
  EXPECT_TRUE(check({0, 0}, {0, 0}).pass);
  EXPECT_TRUE(check({0, 0}, {5e-5, 0}).pass);
  EXPECT_FALSE(check({0, 0}, {2e-4, 0}).pass);
}

TEST(OutputCheck, SubnormalResultsMayMissByOneStep) {
  double step = std::ldexp(1.0, -24);
  EXPECT_TRUE(check({1000, 1.4 * step}, {1000, step}, {1000, 1.4 * step},
                    ElementType::F16)
                  .pass);
}

TEST(OutputCheck, TheSentenceNamesTheElement) {
  TensorSpec type{{2, 3}, ElementType::F32};
  ReferenceOutput reference{type, {1, 1, 1, 1, 1, 2}, {}};
  OutputCheck result =
      checkOutput(reference, encode(type, {1, 1, 1, 1, 1.5, 2}));
  EXPECT_EQ(toString(result, type.shape),
            "wrong: relative error 0.167, worst element [1, 1] off by 0.25 of "
            "its scale (1.5 for 1); at most 0.0001 is right");
}
