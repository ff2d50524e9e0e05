//===- ExpressionsOffTest.cpp - What pruning by expressions leaves out ----===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small spaces are enumerated without a look at expressions, and everything
// that has the output's names is judged by the verifier. What is right is what
// the search finds with expressions, or equals the program in a way that the
// laws do not know: by a cancellation (docs/Expressions.md, "Limits"). Those
// are counted, and proved by canonical forms (Mirage/Verify/ExactProof.h).
//
//===----------------------------------------------------------------------===//

#include "../TestSizes.h"
#include "BruteForce.h"
#include "Mirage/Algebra/ExpressionTree.h"
#include "Mirage/Reference/RandomInputs.h"
#include "Mirage/Reference/Reference.h"
#include "Mirage/Search/TestPairs.h"
#include "Mirage/Verify/ExactProof.h"
#include "Mirage/Verify/Verify.h"
#include "Programs.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {

constexpr AtomReading kAtoms = AtomReading::Function;
constexpr AtomReading kWrittenOut = AtomReading::WrittenOut;

struct SmallSpace {
  Graph graph;
  AtomReading reading = kWrittenOut;
  unsigned maxOperators = 4, maxGridAxes = 0;
  /// Right ones that need a cancellation, and how many of them have a proved
  /// bound. All have an exact proof.
  unsigned numCancelling = 0, numProved = 0;
};

//===----------------------------------------------------------------------===//
// Judging
//===----------------------------------------------------------------------===//

/// Judges structures of one kernel at small sizes, with a proved bound and by
/// exact proofs.
class Judge {
public:
  explicit Judge(const TargetProgram &program) : program(program) {}

  bool isRight(const KernelStructure &kernel) {
    ValueId output = program.graph.getOutputs()[0];
    Structure structure;
    structure.kernels = {kernel};
    structure.results = {program.getStored(output)};
    structure.outputs = {program.graph.getNumInputs()};
    std::optional<std::vector<KernelPlan>> plans =
        planKernels(program, structure);
    EXPECT_TRUE(plans.has_value()) << toString(structure);
    if (!plans)
      return false;
    std::vector<TestPair> pairs = buildTestPairs(program, structure, *plans);
    ++numJudged;
    isProved = true;
    if (llvm::any_of(
            pairs, [&](const TestPair &pair) { return filter.rejects(pair); }))
      return false;
    return llvm::all_of(pairs, [&](const TestPair &pair) {
      return isEqual(pair, toString(structure));
    });
  }

  unsigned numJudged = 0;
  /// Pairs with an exact proof, and what these took.
  unsigned numExact = 0;
  size_t work = 0;
  /// Of the last that was right: the bound needs no conjecture. It does where
  /// exponents are quotients (docs/Verification.md).
  bool isProved = true;

private:
  /// What passes the quick test has to be settled: by a bound that is met, by a
  /// trial that tells them apart, or, where fields have no say (a denominator
  /// that is 0, exponentials nested too deeply), by an input.
  bool isEqual(const TestPair &pair, const std::string &text) {
    VerifyOptions options;
    options.seed = hashToSeed("expressions off");
    Verdict verdict =
        llvm::cantFail(verifyEqual(pair.program, pair.candidate, options));
    if (verdict.disagreement ||
        (verdict.kind == Verdict::Unknown && differsInFloat(pair)))
      return false;
    EXPECT_TRUE(verdict.kind == Verdict::Equal) << verdict.reason << "\n"
                                                << text;
    EXPECT_LE(verdict.bound.conjecturedLog2, -64) << text;
    isProved &= verdict.meetsBound();
    ExactProof proof = proveEqual(pair.program, pair.candidate);
    EXPECT_EQ(proof.outcome, ExactProof::Proved) << proof.reason << "\n"
                                                 << text;
    numExact += proof.outcome == ExactProof::Proved;
    work += proof.work;
    return verdict.kind == Verdict::Equal;
  }

  static bool differsInFloat(const TestPair &pair) {
    std::vector<HostTensor> inputs = makeRandomInputs(pair.program, /*seed=*/0);
    auto evaluate = [&](const Graph &graph) {
      return llvm::cantFail(evaluateReference(graph, inputs))[0].values;
    };
    return llvm::any_of(
        llvm::zip(evaluate(pair.program), evaluate(pair.candidate)),
        [](const auto &values) {
          auto [wanted, got] = values;
          return !(std::fabs(wanted - got) <= 1e-6 * std::fabs(wanted));
        });
  }

  const TargetProgram &program;
  TestPairFilter filter{/*seed=*/0};
};

//===----------------------------------------------------------------------===//
// Enumerating
//===----------------------------------------------------------------------===//

using Kernels = std::vector<KernelStructure>;

struct Enumerated {
  uint64_t states = 0;
  Kernels kernels;
};

Enumerated enumerate(const TargetProgram &program, const SmallSpace &small,
                     const PrunerChoice &pruner, const KernelChoice &choice) {
  EnumerationSpace space(program, small.reading, pruner);
  EXPECT_TRUE(space.isSearchable());
  Enumerated found;
  for (unsigned size = 1; size <= small.maxOperators; ++size) {
    EnumerationCounts counts;
    EnumerationLimits limits{size, /*maxStates=*/100000000};
    EXPECT_TRUE(Enumerator(space, limits, counts)
                    .run(makeWholeSite(space), choice,
                         [&](const KernelStructure &kernel, auto) {
                           found.kernels.push_back(kernel);
                         }));
    found.states += counts.states;
  }
  return found;
}

std::vector<KernelChoice> listChoices(const TargetProgram &program,
                                      const SmallSpace &small) {
  EnumerationSpace space(program, small.reading);
  return enumerateKernelChoices(program, makeWholeSite(space),
                                small.maxGridAxes, {});
}

/// Compares the structures of a program with expressions and without.
class WithAndWithout {
public:
  explicit WithAndWithout(const SmallSpace &small)
      : small(small), program(llvm::cantFail(makeTargetProgram(small.graph))),
        judge(program) {}

  void run() {
    for (const KernelChoice &choice : listChoices(program, small))
      compare(choice);
    EXPECT_GT(numFound, 0u);
    EXPECT_GT(numStates, numStatesWith);
    EXPECT_EQ(numCancelling, small.numCancelling);
    EXPECT_EQ(numProved, small.numProved);
    std::printf("  %s\n", report().c_str());
  }

private:
  std::string report() const {
    return std::to_string(numStates) + " states, " +
           std::to_string(numStatesWith) + " with expressions; " +
           std::to_string(judge.numJudged) + " judged; " +
           std::to_string(numFound) + " found, " +
           std::to_string(numCancelling) + " need a cancellation, " +
           std::to_string(numProved) + " of them with a proved bound; " +
           std::to_string(judge.numExact) + " pairs proved exactly by " +
           std::to_string(judge.work) + " operations on terms";
  }

  void compare(const KernelChoice &choice) {
    Enumerated with = enumerate(program, small, {}, choice);
    Enumerated without =
        enumerate(program, small, {"none", {}, /*keepsAll=*/true}, choice);
    numStatesWith += with.states;
    numStates += without.states;
    TermTable table(program, small.reading, choice);
    std::set<BruteKernel> found;
    for (const KernelStructure &kernel : with.kernels)
      found.insert(toTerms(table, kernel));
    std::set<FormId> wrong;
    for (const KernelStructure &kernel : without.kernels)
      consider(table, kernel, found, wrong);
    EXPECT_TRUE(found.empty())
        << "only with expressions: " << toString(table, *found.begin());
  }

  /// \param left   what has been found with expressions and not without.
  /// \param wrong  forms of outputs that were judged wrong: equal forms have
  ///               equal values.
  void consider(TermTable &table, const KernelStructure &kernel,
                std::set<BruteKernel> &left, std::set<FormId> &wrong) {
    BruteKernel terms = toTerms(table, kernel);
    bool isFound = left.erase(terms);
    numFound += isFound;
    FormId form = table.getForm(terms.output);
    if (!isFound && wrong.count(form))
      return;
    bool isRight = judge.isRight(kernel);
    if (isFound) {
      EXPECT_TRUE(isRight && judge.isProved)
          << "wrong: " << toString(table, terms);
      return;
    }
    if (!isRight) {
      wrong.insert(form);
      return;
    }
    EXPECT_FALSE(table.isOutput(terms.output))
        << "lost, though equal by the laws: " << toString(table, terms);
    ++numCancelling;
    numProved += judge.isProved;
  }

  const SmallSpace &small;
  TargetProgram program;
  Judge judge;
  unsigned numFound = 0, numCancelling = 0, numProved = 0;
  uint64_t numStates = 0, numStatesWith = 0;
};

void expectNothingLost(const SmallSpace &small) { WithAndWithout(small).run(); }

//===----------------------------------------------------------------------===//
// Expressions off
//===----------------------------------------------------------------------===//

TEST(ExpressionsOffTest, MatmulThenExponential) {
  expectNothingLost({expMatmul(8, 64, 48), kWrittenOut, 4, 1, 0});
}

/// Two operators above the shortest: x²/x for x.
TEST(ExpressionsOffTest, SoftmaxRows) {
  expectNothingLost({softmaxRows(8, 64), kWrittenOut, 5, 1, 214, 214});
}

/// 1/(1+e⁻ˣ), of which eˣ/(1+eˣ) is the shorter way.
TEST(ExpressionsOffTest, Sigmoid) {
  ProgramBuilder b;
  ValueId x = b.input({8, 64});
  ValueId e = b.apply(Opcode::Exp, {b.apply(Opcode::Neg, {x})});
  Graph graph = b.finish(
      {b.apply(Opcode::Reciprocal, {b.apply(Opcode::Offset, {e}, 1.0)})});
  expectNothingLost({graph, kWrittenOut, 4, 0, 598, 598});
}

TEST(ExpressionsOffTest, GatedMlp) {
  expectNothingLost({gatedMlp(8, 64, 48), kAtoms, 4, 1, 0});
}

TEST(ExpressionsOffTest, RmsThenMatmul) {
  ProgramBuilder b;
  ValueId x = b.input({8, 64}), w = b.input({64, 48});
  Graph graph = b.finish({b.matmul(addRms(b, x), w)});
  expectNothingLost({graph, kAtoms, 4, 1, 0});
}

TEST(ExpressionsOffTest, Lora) {
  expectNothingLost({lora(8, 64, 4, 48), kWrittenOut, 4, 0, 0});
}

TEST(ExpressionsOffTest, Attention) {
  if (!isFullSize())
    GTEST_SKIP() << "for MIRAGE_TEST_SIZES=full";
  expectNothingLost({attention(2, 8, 64, 16), kWrittenOut, 5, 0, 0});
}

//===----------------------------------------------------------------------===//
// The index rule off
//===----------------------------------------------------------------------===//

/// Asks the same with sums that bind nothing: inputs have no indices, so what
/// was summed over k may be multiplied by what depends on k.
class PrunerWithoutIndices : public Pruner {
public:
  PrunerWithoutIndices(const TargetProgram &program, ExpressionContext &context,
                       llvm::ArrayRef<FormId> targets)
      : context(context) {
    declareNames(plain, program);
    llvm::SmallVector<FormId> plainTargets;
    for (FormId target : targets)
      plainTargets.push_back(*erase(target));
    test.emplace(plain, plainTargets);
  }

  /// What no tree reads is kept.
  bool contains(FormId candidate) override {
    std::optional<FormId> erased = erase(candidate);
    return !erased || test->contains(*erased);
  }

private:
  static Expression erase(const Expression &expression) {
    ExpressionNode node = *expression;
    if (node.kind == ExpressionKind::Input)
      node.names.clear();
    for (Expression &operand : node.operands)
      operand = erase(operand);
    return std::make_shared<const ExpressionNode>(node);
  }
  std::optional<FormId> erase(FormId form) {
    std::optional<Expression> tree = toExpression(context, form);
    if (!tree)
      return std::nullopt;
    return toForm(plain, erase(*tree));
  }

  ExpressionContext &context;
  ExpressionContext plain;
  std::optional<SubexpressionTest> test;
};

void expectIndexRuleLosesNothing(const SmallSpace &small) {
  TargetProgram program = llvm::cantFail(makeTargetProgram(small.graph));
  PrunerChoice off = {"without indices", [&](ExpressionContext &context,
                                             llvm::ArrayRef<FormId> targets) {
                        return std::make_unique<PrunerWithoutIndices>(
                            program, context, targets);
                      }};
  uint64_t statesOn = 0, statesOff = 0;
  size_t numFound = 0;
  for (const KernelChoice &choice : listChoices(program, small)) {
    Enumerated with = enumerate(program, small, {}, choice),
               without = enumerate(program, small, off, choice);
    TermTable table(program, small.reading, choice);
    std::set<BruteKernel> found, all;
    for (const KernelStructure &kernel : with.kernels)
      found.insert(toTerms(table, kernel));
    for (const KernelStructure &kernel : without.kernels)
      all.insert(toTerms(table, kernel));
    EXPECT_EQ(found, all);
    numFound += found.size();
    statesOn += with.states;
    statesOff += without.states;
  }
  EXPECT_GT(numFound, 0u);
  EXPECT_GT(statesOff, statesOn) << "the rule refused nothing";
}

TEST(IndexRuleOffTest, RmsNormLinear) {
  expectIndexRuleLosesNothing({rmsNormLinear(8, 64, 48), kWrittenOut, 6, 1});
}
TEST(IndexRuleOffTest, GatedMlp) {
  expectIndexRuleLosesNothing({gatedMlp(8, 64, 48), kAtoms, 8, 2});
}
TEST(IndexRuleOffTest, Lora) {
  expectIndexRuleLosesNothing({lora(8, 64, 4, 48), kWrittenOut, 6, 1});
}
TEST(IndexRuleOffTest, Attention) {
  expectIndexRuleLosesNothing({attention(2, 8, 64, 16), kWrittenOut, 7, 1});
}
/// The denominator sums over keys, and the norm of the keys varies with them.
TEST(IndexRuleOffTest, AttentionOnNormedQueriesAndKeys) {
  expectIndexRuleLosesNothing({qkNormAttention(2, 8, 64, 16), kAtoms, 9, 0});
}

} // namespace
