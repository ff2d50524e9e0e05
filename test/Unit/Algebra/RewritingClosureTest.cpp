//===- RewritingClosureTest.cpp - The laws as rewrites, at random ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The normal form against the definition it stands for: random expressions are
// rewritten by the laws themselves, in both directions. Every expression on the
// way must have the form of the first one, each of its subterms must pass the
// subexpression test, and any two of which neither is in the other the test for
// both.
//
//===----------------------------------------------------------------------===//

#include "../TestSizes.h"
#include "LawSupport.h"
#include "Mirage/Algebra/JointSubexpressions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

namespace {

constexpr unsigned kMaxTotal = 24, kMaxNodes = 40, kNumSteps = 60;

/// Laws that a search of strict signs does not know read backwards: 1·x = x
/// and what stands on signs.
bool isOfOneOrSign(const ExpressionLaw &law) {
  return llvm::StringRef(law.name).contains("One") ||
         llvm::StringRef(law.name).starts_with("Sign");
}

struct Closure {
  RandomExpressions::Shape shape;
  SubexpressionOptions options;
  std::vector<const ExpressionLaw *> laws;
  unsigned seed = 20250714;
};

class RewritingClosureTest : public testing::Test {
protected:
  /// \param forms  of the subterms, each before those in it.
  void expectBothContained(JointSubexpressionTest &joint,
                           llvm::ArrayRef<Expression> subterms,
                           llvm::ArrayRef<FormId> forms) {
    for (size_t i = 0; i < subterms.size(); ++i)
      for (size_t j = i + countNodes(subterms[i]); j < subterms.size(); ++j) {
        ++numPairs;
        EXPECT_TRUE(joint.mayContainBoth(forms[i], forms[j]))
            << toString(context, subterms[i]) << "\nand "
            << toString(context, subterms[j]) << "\nof "
            << toString(context, subterms[0]);
      }
  }

  /// \returns how many subterms were tested.
  uint64_t run(const Closure &closure, unsigned rounds) {
    RandomExpressions expressions(context, closure.seed, closure.shape);
    uint64_t numSubterms = 0;
    for (unsigned round = 0; round < rounds && !HasFailure(); ++round) {
      Expression term = expressions.make(3 + expressions.pick(8));
      FormId form = toForm(context, term);
      if (context.get(form).total > kMaxTotal)
        continue;
      SubexpressionTest test(context, {form}, closure.options);
      JointSubexpressionTest joint(context, {form}, closure.options);
      for (unsigned step = 0; step < kNumSteps && !HasFailure(); ++step) {
        EXPECT_EQ(toForm(context, term), form) << toString(context, term);
        std::vector<Expression> subterms = listSubterms(term);
        std::vector<FormId> parts;
        for (const Expression &subterm : subterms)
          parts.push_back(toForm(context, subterm));
        for (auto [subterm, part] : llvm::zip_equal(subterms, parts)) {
          if (isSignedMaximum(context, part))
            continue;
          ++numSubterms;
          EXPECT_TRUE(test.contains(part))
              << toString(context, subterm) << "\nof "
              << toString(context, term);
        }
        expectBothContained(joint, subterms, parts);
        term = expressions.rewrite(term, closure.laws, kMaxNodes);
      }
      if (HasFailure())
        ADD_FAILURE() << "target: " << context.toString(form);
    }
    llvm::outs() << rounds << " expressions, " << numSubterms
                 << " subterms of their closures, " << numPairs << " pairs\n";
    EXPECT_GT(numPairs, numSubterms);
    return numSubterms;
  }

  ExpressionContext context;
  uint64_t numPairs = 0;
};

TEST_F(RewritingClosureTest, EqualTermsHaveOneFormAndItContainsTheirSubterms) {
  Closure closure;
  closure.shape.hasSigns = false;
  for (const ExpressionLaw &law : getExpressionLaws())
    if (!isOfOneOrSign(law))
      closure.laws.push_back(&law);
  EXPECT_GT(run(closure, isFullSize() ? 8000 : 400), 100000u);
}

TEST_F(RewritingClosureTest, AllLawsWithCompleteSigns) {
  Closure closure;
  closure.options.strictSigns = false;
  closure.options.sizeOnlyQuotients = true;
  for (const ExpressionLaw &law : getExpressionLaws())
    closure.laws.push_back(&law);
  EXPECT_GT(run(closure, isFullSize() ? 8000 : 400), 100000u);
}

TEST_F(RewritingClosureTest, AllLawsWhereSumsAreSizes) {
  Closure closure;
  closure.shape.hasNames = false;
  closure.options.strictSigns = false;
  closure.options.sizeOnlyQuotients = true;
  for (const ExpressionLaw &law : getExpressionLaws())
    closure.laws.push_back(&law);
  EXPECT_GT(run(closure, isFullSize() ? 8000 : 400), 100000u);
}

} // namespace
