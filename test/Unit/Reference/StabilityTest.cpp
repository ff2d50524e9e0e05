//===- StabilityTest.cpp - Softmax on hard inputs -------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Wrong stabilisers of all kinds are in test/Unit/Verify/StabilityTest.cpp.

#include "Mirage/Reference/Stability.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir::mirage;

namespace {
/// Adds operations on rows of four elements.
struct RowGraph {
  explicit RowGraph(ElementType element) : element(element) {
    x = graph.addInput({{3, 4}, element});
  }

  ValueId op(Opcode opcode, llvm::ArrayRef<ValueId> operands,
             Attributes attributes = {},
             ElementType element = ElementType::F32) {
    Shape shape = llvm::cantFail(
        inferShape(opcode, attributes, graph.getTypes(operands)));
    return graph.add(opcode, operands, {shape, element}, attributes);
  }
  ValueId reduce(Opcode opcode, ValueId operand) {
    Attributes attributes;
    attributes.dims = {1};
    return op(opcode, {operand}, attributes);
  }
  Graph finish(ValueId numerator, ValueId denominator) {
    graph.addOutput(op(Opcode::Div, {numerator, denominator}, {}, element));
    return graph;
  }

  Graph graph;
  ElementType element;
  ValueId x;
};
} // namespace

static Graph makeSoftmax(ElementType element, bool isSafe) {
  RowGraph rows(element);
  ValueId shifted = rows.x;
  if (isSafe)
    shifted = rows.op(Opcode::Sub, {rows.x, rows.reduce(Opcode::Max, rows.x)});
  ValueId e = rows.op(Opcode::Exp, {shifted});
  return rows.finish(e, rows.reduce(Opcode::Sum, e));
}

/// x / sqrt(Σ x²), or with the square of the norm in `squares`.
static Graph makeNormalised(ElementType squares) {
  RowGraph rows(ElementType::F16);
  ValueId square = rows.op(Opcode::Square, {rows.x}, {}, squares);
  ValueId norm = rows.op(Opcode::Sqrt, {rows.reduce(Opcode::Sum, square)});
  return rows.finish(rows.x, norm);
}

static std::optional<Instability> search(const Graph &program,
                                         const Graph &candidate) {
  return llvm::cantFail(findInstability(program, candidate));
}

TEST(Stability, OfEveryElementType) {
  for (ElementType element :
       {ElementType::F16, ElementType::BF16, ElementType::F32}) {
    Graph safe = makeSoftmax(element, true);
    EXPECT_FALSE(search(safe, safe));
    std::optional<Instability> found =
        search(safe, makeSoftmax(element, false));
    ASSERT_TRUE(found);
    EXPECT_GT(found->candidate.newNonFinite, 0);
    EXPECT_TRUE(found->program.pass);
    std::string text = toString(*found, safe);
    EXPECT_TRUE(llvm::StringRef(text).starts_with("on large inputs of seed 0, "
                                                  "output 0 is wrong"))
        << text;
  }
}

/// 100² is no f16, nor is the square of 2^-13; that of both is an f32.
TEST(Stability, OfNorms) {
  Graph inF32 = makeNormalised(ElementType::F32);
  EXPECT_FALSE(search(inF32, inF32));
  EXPECT_TRUE(search(inF32, makeNormalised(ElementType::F16)));
}

TEST(Stability, AProgramWithoutNumbersTellsLittle) {
  Graph unsafe = makeSoftmax(ElementType::F32, false);
  EXPECT_TRUE(search(unsafe, unsafe)) << "exp(100) is a float64, and no f32";
  EXPECT_FALSE(search(unsafe, makeSoftmax(ElementType::F32, true)));
}

/// Softmax without its maximum has no numbers for large x. That counts against
/// it as a candidate for the safe one, and not for itself where only losses
/// count.
TEST(Stability, OfLossesAlone) {
  Graph plain = makeSoftmax(ElementType::F16, false);
  Graph safe = makeSoftmax(ElementType::F16, true);
  StabilityOptions options;
  options.onlyLosses = true;
  auto isStable = [&](const Graph &program, const Graph &candidate) {
    return !llvm::cantFail(findInstability(program, candidate, options));
  };
  EXPECT_TRUE(search(plain, plain));
  EXPECT_TRUE(isStable(plain, plain));
  EXPECT_TRUE(isStable(plain, safe));
  EXPECT_TRUE(isStable(safe, safe));
  EXPECT_FALSE(isStable(safe, plain));
}

/// The square of 500 is no f16. That counts where the result is a small number,
/// and not where it is 500 itself: what is little larger is too large anyway.
TEST(Stability, OfLossesFarFromTheLargestNumber) {
  StabilityOptions options;
  options.onlyLosses = true;
  auto makeScaledNorm = [](ElementType squares, double scale) {
    RowGraph rows(ElementType::F16);
    ValueId square = rows.op(Opcode::Square, {rows.x}, {}, squares);
    Attributes scaled;
    scaled.scalars = {scale};
    rows.graph.addOutput(rows.op(Opcode::Scale,
                                 {rows.op(Opcode::Sqrt, {square})}, scaled,
                                 ElementType::F16));
    return rows.graph;
  };
  for (double scale : {1.0, 0x1p-10}) {
    Graph program = makeScaledNorm(ElementType::F32, scale);
    Graph candidate = makeScaledNorm(ElementType::F16, scale);
    EXPECT_TRUE(search(program, candidate));
    EXPECT_EQ(llvm::cantFail(findInstability(program, candidate, options))
                  .has_value(),
              scale < 1);
  }
}

TEST(Stability, InputsAreWhatTheirNamesSay) {
  Graph program = makeSoftmax(ElementType::F32, true);
  auto make = [&](InputClass inputClass, uint64_t seed) {
    return decode(makeHardInputs(program, inputClass, seed)[0]);
  };
  std::vector<double> ascending = make(InputClass::Ascending, 1);
  EXPECT_TRUE(llvm::is_sorted(ascending));
  EXPECT_GT(ascending.back() - ascending.front(), 88);
  std::vector<double> spots = make(InputClass::OneHot, 1);
  EXPECT_EQ(llvm::count(spots, 200), 3);
  EXPECT_EQ(llvm::count(spots, 0), 9);
  EXPECT_NE(spots, make(InputClass::OneHot, 2));
  for (double value : make(InputClass::Tiny, 1))
    EXPECT_GT(value * value, 0);
  EXPECT_GT(make(InputClass::AllHigh, 1)[0], 400);
  EXPECT_LT(make(InputClass::AllLow, 1)[0], -400);
  EXPECT_EQ(make(InputClass::Zeros, 1), std::vector<double>(12, 0.0));
  EXPECT_EQ(getInputClassName(InputClass::Zeros), "zeros");
}
