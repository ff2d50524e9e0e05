//===- RealTermsTest.cpp - Tests of terms that are equal over the reals ---===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RealTerms.h"
#include "JudgeGraphs.h"
#include "Mirage/Algebra/Random.h"
#include "Programs.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <limits>
#include <numeric>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

namespace {

constexpr size_t kMaxCost = 1 << 16;

class RealTermsTest : public testing::Test {
protected:
  TermId exp(TermId term) { return table.apply(TermKind::Exp, term); }
  TermId sqrt(TermId term) { return table.apply(TermKind::Sqrt, term); }
  TermId max(TermId lhs, TermId rhs) {
    return table.pick(TermKind::Max, {lhs, rhs});
  }
  TermId add(TermId lhs, TermId rhs) { return table.add({lhs, rhs}); }
  TermId sub(TermId lhs, TermId rhs) { return add(lhs, scale(-1, rhs)); }
  TermId mul(TermId lhs, TermId rhs) { return table.mul(lhs, rhs); }
  TermId div(TermId lhs, TermId rhs) { return table.div(lhs, rhs); }
  TermId scale(double factor, TermId term) {
    return mul(table.getConstant(factor), term);
  }

  void expectEqual(TermId lhs, TermId rhs) {
    EXPECT_NE(lhs, rhs) << "no law is needed";
    EXPECT_TRUE(RealTerms(table, kMaxCost).areEqual(lhs, rhs));
  }
  void expectNotEqual(TermId lhs, TermId rhs) {
    EXPECT_FALSE(RealTerms(table, kMaxCost).areEqual(lhs, rhs));
  }

  TermTable table;
  TermId x = table.getInput(0), y = table.getInput(1), z = table.getInput(2);
  TermId one = table.getConstant(1);
};

TEST_F(RealTermsTest, Roots) {
  expectEqual(mul(sqrt(x), sqrt(y)), sqrt(mul(x, y)));
  expectEqual(mul(sqrt(x), sqrt(x)), x);
  expectNotEqual(sqrt(mul(x, x)), x);
}

TEST_F(RealTermsTest, Exponentials) {
  expectEqual(exp(add(x, y)), mul(exp(x), exp(y)));
  expectEqual(exp(sub(x, y)), div(exp(x), exp(y)));
  expectEqual(exp(scale(-1, x)), div(one, exp(x)));
  expectEqual(exp(scale(0.5, sub(x, y))),
              div(exp(scale(0.5, x)), exp(scale(0.5, y))));
  expectEqual(exp(div(sub(x, y), z)), div(exp(div(x, z)), exp(div(y, z))));
  expectEqual(div(mul(x, exp(y)), exp(y)), x);
  expectEqual(div(x, div(y, exp(z))), div(mul(x, exp(z)), y));
  expectEqual(exp(sub(x, x)), one);
  expectNotEqual(exp(add(x, y)), add(exp(x), exp(y)));
  expectNotEqual(exp(mul(x, y)), mul(exp(x), exp(y)));
  expectNotEqual(exp(scale(-1, x)), exp(x));
  // Products of sums are not multiplied out: they may be very many.
  expectNotEqual(exp(mul(add(x, y), z)), mul(exp(mul(x, z)), exp(mul(y, z))));
  expectNotEqual(div(exp(x), exp(y)), div(exp(y), exp(x)));
}

/// What may be zero stays: x·y/y is not defined where y is zero.
TEST_F(RealTermsTest, NothingElseCancels) {
  expectNotEqual(div(mul(x, y), y), x);
  expectNotEqual(div(mul(x, max(y, z)), max(y, z)), x);
  expectNotEqual(div(x, div(y, z)), div(mul(x, z), y));
  expectNotEqual(table.apply(TermKind::Log, exp(x)), x);
}

TEST_F(RealTermsTest, MaximaLeaveSums) {
  TermId m = max(x, y);
  TermId safe = add(exp(sub(x, m)), exp(sub(y, m)));
  expectEqual(safe, div(add(exp(x), exp(y)), exp(m)));
  expectEqual(div(exp(sub(x, m)), safe), div(exp(x), add(exp(x), exp(y))));
  // With signs, and a maximum of each of two tiles that meet a third one.
  expectEqual(add(exp(sub(scale(-1, x), m)), exp(sub(scale(-1, y), m))),
              div(add(exp(scale(-1, x)), exp(scale(-1, y))), exp(m)));
  TermId all = max(m, z);
  expectEqual(add(mul(safe, exp(sub(m, all))), exp(sub(z, all))),
              div(add(add(exp(x), exp(y)), exp(z)), exp(all)));
  expectNotEqual(safe, add(exp(x), exp(y)));
  expectNotEqual(add(exp(sub(x, m)), exp(sub(y, all))),
                 div(add(exp(x), exp(y)), exp(m)));
}

/// A sum of sums with 2^n summands is no exponent to be cut.
TEST_F(RealTermsTest, ExponentsOfVeryManySummandsStay) {
  auto nest = [&](unsigned depth) {
    TermId sum = x;
    for (unsigned i = 0; i < depth; ++i)
      sum = add(scale(3, sum), scale(5, add(sum, y)));
    return sum;
  };
  expectEqual(exp(nest(4)), div(mul(exp(nest(4)), exp(nest(4))), exp(nest(4))));
  expectEqual(exp(add(nest(4), z)), mul(exp(nest(4)), exp(z)));
  expectNotEqual(exp(add(nest(40), z)), mul(exp(nest(40)), exp(z)));
  TermId chain = x; // one that is deep, and not wide
  for (unsigned i = 0; i < 100000; ++i)
    chain = scale(3, add(chain, y));
  expectNotEqual(exp(add(chain, z)), mul(exp(chain), exp(z)));
  EXPECT_LT(table.getCost(), size_t(1) << 20);
}

/// Where there are more terms than allowed only those that are one are equal.
TEST_F(RealTermsTest, CostIsLimited) {
  TermId lhs = exp(add(x, y)), rhs = mul(exp(x), exp(y));
  RealTerms real(table, /*maxCost=*/4);
  EXPECT_FALSE(real.areEqual(lhs, rhs));
  EXPECT_TRUE(real.areEqual(lhs, lhs));
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

using Number = long double;
constexpr Number kNone = std::numeric_limits<Number>::quiet_NaN();

Number evaluate(const Term &term, llvm::ArrayRef<Number> list,
                llvm::ArrayRef<Number> inputs) {
  switch (term.kind) {
  case TermKind::Input:
    return inputs[term.index];
  case TermKind::Constant:
    return term.value;
  case TermKind::Add:
    return std::accumulate(list.begin(), list.end(), Number(0));
  case TermKind::Mul:
    return std::accumulate(list.begin(), list.end(), Number(1),
                           std::multiplies<>());
  case TermKind::Max:
    return *std::max_element(list.begin(), list.end());
  case TermKind::Min:
    return *std::min_element(list.begin(), list.end());
  case TermKind::Div:
    return list[1] == 0 ? kNone : list[0] / list[1];
  case TermKind::Exp:
    return std::exp(list[0]);
  case TermKind::Sqrt:
    return list[0] < 0 ? kNone : std::sqrt(list[0]);
  case TermKind::Abs:
    return std::abs(list[0]);
  default:
    return kNone;
  }
}

/// None where an operand has none, as a maximum would pass by.
/// \param isTame  leaves out what is so large or small that digits are lost.
std::vector<Number> evaluate(const TermTable &table, bool isTame,
                             llvm::ArrayRef<Number> inputs) {
  std::vector<Number> values;
  for (TermId term = 0; term < table.size(); ++term) {
    llvm::SmallVector<Number> list;
    for (TermId operand : table.getOperands(term))
      list.push_back(values[operand]);
    Number value = llvm::any_of(list, [](Number v) { return std::isnan(v); })
                       ? kNone
                       : evaluate(table[term], list, inputs);
    Number size = std::abs(value);
    bool isLost = isTame && size != 0 && (size > 1e3 || size < 1e-3);
    values.push_back(isLost ? kNone : value);
  }
  return values;
}

/// Random operations on what was made before, exponentials and quotients above
/// all.
TermTable makeTerms(RandomStream &random, unsigned numInputs, unsigned count) {
  TermTable table;
  std::vector<TermId> made;
  for (unsigned i = 0; i < numInputs; ++i)
    made.push_back(table.getInput(i));
  for (double value : {-2.0, -1.0, -0.5, 3.0})
    made.push_back(table.getConstant(value));
  auto pick = [&] { return made[random.uniform(made.size())]; };
  constexpr TermKind kUnary[] = {TermKind::Exp, TermKind::Exp, TermKind::Exp,
                                 TermKind::Sqrt, TermKind::Abs};
  while (made.size() < count) {
    switch (random.uniform(6)) {
    case 0:
      made.push_back(table.add({pick(), pick()}));
      break;
    case 1:
      made.push_back(table.mul(pick(), pick()));
      break;
    case 2:
      made.push_back(table.div(pick(), pick()));
      break;
    case 3:
      made.push_back(table.pick(
          random.uniform(2) ? TermKind::Max : TermKind::Min, {pick(), pick()}));
      break;
    default:
      made.push_back(table.apply(kUnary[random.uniform(5)], pick()));
    }
  }
  return table;
}

/// Wherever a term is defined, it has the value of what it is by the laws.
TEST(RealTerms, HaveTheValuesOfTerms) {
  constexpr unsigned kTables = 3000, kInputs = 4, kTerms = 40;
  RandomStream random(hashToSeed("real terms"));
  unsigned numCompared = 0, numChanged = 0;
  for (unsigned round = 0; round < kTables; ++round) {
    TermTable table = makeTerms(random, kInputs, kTerms);
    TermTable real(TermTable::Laws::Reals);
    std::vector<TermId> ofTerms;
    for (TermId term = 0; term < table.size(); ++term) {
      llvm::SmallVector<TermId> list;
      for (TermId operand : table.getOperands(term))
        list.push_back(ofTerms[operand]);
      ofTerms.push_back(real.rebuild(table[term], list));
    }
    std::vector<Number> inputs;
    for (unsigned i = 0; i < kInputs; ++i)
      inputs.push_back(Number(random.next()) / 0x1p30L - 2);
    std::vector<Number> values = evaluate(table, /*isTame=*/true, inputs);
    std::vector<Number> realValues = evaluate(real, /*isTame=*/false, inputs);
    for (TermId term = 0; term < table.size(); ++term) {
      if (std::isnan(values[term]))
        continue;
      Number found = realValues[ofTerms[term]];
      EXPECT_LE(std::abs(found - values[term]),
                1e-6L * (1 + std::abs(values[term])))
          << "term " << term << " of round " << round;
      ++numCompared;
      numChanged += real[ofTerms[term]].kind != table[term].kind;
    }
  }
  std::printf("  %u values compared, %u of terms of another kind\n",
              numCompared, numChanged);
  EXPECT_GE(numChanged, 2000u);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// rms_norm of the softmax of rows.
Graph normOfSoftmax(bool isSafe) {
  Graph graph;
  Builder b(graph);
  ValueId p = softmaxOf(b, b.input({2, 3}), isSafe);
  ValueId mean = b.reduce(Opcode::Mean, b.op(Opcode::Square, {p}), 1);
  b.output(b.op(Opcode::Div, {p, b.op(Opcode::Sqrt, {mean})}));
  return graph;
}

/// By terms, and not by what trials are worth.
TEST(RealTerms, StabilisedPrograms) {
  struct Pair {
    const char *name;
    Graph lhs, rhs;
  } pairs[] = {
      {"softmax", softmax(3, 4, true), softmax(3, 4, false)},
      {"attention", attention(2, 6, 3, true), attentionFused(2, 6, 3, 2)},
      {"online", attention(2, 6, 3, true), attentionOnline(2, 6, 3, 2)},
      {"partial tile", attention(2, 5, 3, true), attentionOnline(2, 5, 3, 2)},
      {"blocks", attention(2, 8, 3, false), attentionOnline(2, 8, 3, 2, 2)},
      {"norm of softmax", normOfSoftmax(true), normOfSoftmax(false)}};
  for (const Pair &pair : pairs) {
    SCOPED_TRACE(pair.name);
    Verdict verdict = judge(pair.lhs, pair.rhs);
    EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
    EXPECT_EQ(verdict.bound.provedLog2, -HUGE_VAL);
    EXPECT_EQ(verdict.pieces, 0u);
  }
}

} // namespace
