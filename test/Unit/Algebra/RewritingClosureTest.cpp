//===- RewritingClosureTest.cpp - The laws as rewrites, at random ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The normal form against the definition it stands for: random terms are
// rewritten by the laws themselves, in both directions. Every term on the way
// must have the form of the first one, and each of its subterms must pass the
// subexpression test.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Algebra/Subexpression.h"
#include "gtest/gtest.h"
#include <memory>
#include <random>

using namespace mlir::mirage;

namespace {

enum class Op { Input, Add, Mul, Div, Sum, Exp, Sqrt };

struct Term;
using TermRef = std::shared_ptr<const Term>;
struct Term {
  Op op;
  unsigned leaf; // Input: which; Sum: the name
  TermRef a, b;
};

TermRef make(Op op, TermRef a, TermRef b = nullptr) {
  return std::make_shared<Term>(Term{op, 0, std::move(a), std::move(b)});
}
TermRef makeSum(unsigned name, TermRef a) {
  return std::make_shared<Term>(Term{Op::Sum, name, std::move(a), nullptr});
}

class RewritingClosureTest : public testing::Test {
protected:
  ExpressionContext context;
  NameId names[2] = {context.addName("i"), context.addName("j")};
  std::vector<std::vector<NameId>> inputs = {
      {names[0]}, {names[1]}, {names[0], names[1]}, {}};
  std::mt19937 random{20250714};

  unsigned pick(unsigned count) { return random() % count; }

  TermRef makeInput() {
    unsigned which = pick(inputs.size());
    return std::make_shared<Term>(Term{Op::Input, which, nullptr, nullptr});
  }

  bool dependsOn(const TermRef &t, unsigned name) {
    if (!t)
      return false;
    if (t->op == Op::Input) {
      for (NameId n : inputs[t->leaf])
        if (n == names[name])
          return true;
      return false;
    }
    if (t->op == Op::Sum && t->leaf == name)
      return false;
    return dependsOn(t->a, name) || dependsOn(t->b, name);
  }

  TermRef makeTerm(unsigned size) {
    if (size <= 1)
      return makeInput();
    switch (pick(8)) {
    case 0:
    case 1: {
      unsigned name = pick(2);
      TermRef inner = makeTerm(size - 1);
      return dependsOn(inner, name) ? makeSum(name, inner) : inner;
    }
    case 2:
      return make(Op::Exp, makeTerm(size - 1));
    case 3:
      return make(Op::Sqrt, makeTerm(size - 1));
    default:
      Op op = std::array{Op::Add, Op::Mul, Op::Mul, Op::Div}[pick(4)];
      unsigned left = 1 + pick(size - 1);
      return make(op, makeTerm(left), makeTerm(size - left));
    }
  }

  FormId toForm(const TermRef &t) {
    switch (t->op) {
    case Op::Input:
      return context.input(t->leaf, inputs[t->leaf]);
    case Op::Add:
      return context.add(toForm(t->a), toForm(t->b));
    case Op::Mul:
      return context.mul(toForm(t->a), toForm(t->b));
    case Op::Div:
      return context.div(toForm(t->a), toForm(t->b));
    case Op::Sum:
      return context.sum(toForm(t->a), names[t->leaf]);
    case Op::Exp:
      return context.exp(toForm(t->a));
    case Op::Sqrt:
      return context.sqrt(toForm(t->a));
    }
    return FormId::None;
  }

  /// All results of one law applied at the root of `t`.
  std::vector<TermRef> rewriteRoot(const TermRef &t);
  TermRef rewriteSomewhere(const TermRef &t);
  void expectSubtermsContained(SubexpressionTest &test, const TermRef &t);

  unsigned numSubterms = 0;
};

std::vector<TermRef> RewritingClosureTest::rewriteRoot(const TermRef &t) {
  std::vector<TermRef> results;
  auto give = [&](TermRef r) { results.push_back(std::move(r)); };
  const TermRef &a = t->a, &b = t->b;
  auto is = [](const TermRef &x, Op op) { return x && x->op == op; };
  if (t->op == Op::Add || t->op == Op::Mul) {
    give(make(t->op, b, a));
    if (is(a, t->op))
      give(make(t->op, a->a, make(t->op, a->b, b)));
  }
  if (t->op == Op::Mul) {
    if (is(b, Op::Add)) // a(c+d) = ac+ad
      give(make(Op::Add, make(Op::Mul, a, b->a), make(Op::Mul, a, b->b)));
    if (is(b, Op::Div)) // a(c/d) = ac/d
      give(make(Op::Div, make(Op::Mul, a, b->a), b->b));
    if (is(b, Op::Sum) && !dependsOn(a, b->leaf)) // a Σc = Σ ac
      give(makeSum(b->leaf, make(Op::Mul, a, b->a)));
    for (Op f : {Op::Exp, Op::Sqrt})
      if (is(a, f) && is(b, f))
        give(make(f, make(f == Op::Exp ? Op::Add : Op::Mul, a->a, b->a)));
  }
  if (t->op == Op::Add) {
    if (is(a, Op::Mul) && is(b, Op::Mul) && a->a == b->a)
      give(make(Op::Mul, a->a, make(Op::Add, a->b, b->b)));
    if (is(a, Op::Div) && is(b, Op::Div) && a->b == b->b)
      give(make(Op::Div, make(Op::Add, a->a, b->a), a->b));
    if (is(a, Op::Sum) && is(b, Op::Sum) && a->leaf == b->leaf)
      give(makeSum(a->leaf, make(Op::Add, a->a, b->a)));
  }
  if (t->op == Op::Div) {
    if (is(a, Op::Add))
      give(make(Op::Add, make(Op::Div, a->a, b), make(Op::Div, a->b, b)));
    if (is(a, Op::Mul))
      give(make(Op::Mul, a->a, make(Op::Div, a->b, b)));
    if (is(a, Op::Div))
      give(make(Op::Div, a->a, make(Op::Mul, a->b, b)));
    if (is(b, Op::Mul))
      give(make(Op::Div, make(Op::Div, a, b->a), b->b));
    if (is(a, Op::Sum) && !dependsOn(b, a->leaf))
      give(makeSum(a->leaf, make(Op::Div, a->a, b)));
  }
  if (t->op == Op::Sum) {
    if (is(a, Op::Sum) && a->leaf != t->leaf)
      give(makeSum(a->leaf, makeSum(t->leaf, a->a)));
    if (is(a, Op::Add))
      give(make(Op::Add, makeSum(t->leaf, a->a), makeSum(t->leaf, a->b)));
    if (is(a, Op::Mul) && !dependsOn(a->a, t->leaf))
      give(make(Op::Mul, a->a, makeSum(t->leaf, a->b)));
    if (is(a, Op::Div) && !dependsOn(a->b, t->leaf))
      give(make(Op::Div, makeSum(t->leaf, a->a), a->b));
  }
  if (t->op == Op::Exp && is(a, Op::Add))
    give(make(Op::Mul, make(Op::Exp, a->a), make(Op::Exp, a->b)));
  if (t->op == Op::Sqrt && is(a, Op::Mul))
    give(make(Op::Mul, make(Op::Sqrt, a->a), make(Op::Sqrt, a->b)));
  return results;
}

TermRef RewritingClosureTest::rewriteSomewhere(const TermRef &t) {
  if (!t || t->op == Op::Input)
    return t;
  if (pick(3) == 0) {
    std::vector<TermRef> here = rewriteRoot(t);
    if (!here.empty())
      return here[pick(here.size())];
  }
  Term copy = *t;
  TermRef &child = copy.b && pick(2) ? copy.b : copy.a;
  child = rewriteSomewhere(child);
  return std::make_shared<Term>(copy);
}

void RewritingClosureTest::expectSubtermsContained(SubexpressionTest &test,
                                                   const TermRef &t) {
  if (!t)
    return;
  ++numSubterms;
  FormId form = toForm(t);
  EXPECT_TRUE(test.contains(form)) << context.toString(form);
  expectSubtermsContained(test, t->a);
  expectSubtermsContained(test, t->b);
}

TEST_F(RewritingClosureTest, EqualTermsHaveOneFormAndItContainsTheirSubterms) {
  for (unsigned round = 0; round < 400; ++round) {
    TermRef term = makeTerm(3 + pick(8));
    FormId form = toForm(term);
    if (context.get(form).total > 24)
      continue;
    SubexpressionTest test(context, {form});
    for (unsigned step = 0; step < 60; ++step) {
      ASSERT_EQ(toForm(term), form)
          << context.toString(form) << "\n  " << context.toString(toForm(term));
      expectSubtermsContained(test, term);
      if (HasFailure())
        FAIL() << "target: " << context.toString(form);
      term = rewriteSomewhere(term);
    }
  }
  EXPECT_GT(numSubterms, 100000u);
}

} // namespace
