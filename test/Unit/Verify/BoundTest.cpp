//===- BoundTest.cpp - Observed false accepts stay under the bound --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Pairs of graphs that differ a little are tried
//
// - trial by trial over one tower of 8-bit primes, of which random field
//   elements are often enough zeros of a difference, and
// - batch by batch over many towers of 11 to 16 bits, where what a whole tower
//   or batch has in common shows: signs, primes, maxima in exponents.
//
// How often they agree is compared with what the bound allows.
//
//===----------------------------------------------------------------------===//

#include "../TestSizes.h"
#include "BoundedPair.h"
#include "NearMisses.h"
#include "Programs.h"
#include "gtest/gtest.h"
#include <array>
#include <cmath>
#include <set>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

using Primes = llvm::ArrayRef<uint32_t>;

//===----------------------------------------------------------------------===//
// Trial by trial
//===----------------------------------------------------------------------===//

/// By height: the tower that pairs are tried over, and one to compare with.
struct SmallTowers {
  Primes own, other;
};
static SmallTowers getSmallTowers(unsigned height) {
  // No tower of four levels has 8 bits, and few of three levels have.
  static const uint32_t kTwo[] = {167, 83}, kOtherTwo[] = {263, 131};
  static const uint32_t kThree[] = {139, 23, 11},
                        kOtherThree[] = {719, 359, 179};
  static const uint32_t kFour[] = {383, 191, 19, 3},
                        kOtherFour[] = {431, 43, 7, 3};
  if (height <= 2)
    return {Primes(kTwo).take_front(height),
            Primes(kOtherTwo).take_front(height)};
  if (height == 3)
    return {kThree, kOtherThree};
  return {kFour, kOtherFour};
}

/// That any of 2^17 pairs comes out so in one of its four looks, by chance, has
/// a chance of 2^-20 at most.
static constexpr double kImpossibleLog2 = -40;

namespace {
/// What trials said of one pair.
struct Observation {
  unsigned trials = 0, agreements = 0;
  AllowedAgreements allowed;

  /// \param certified  a batch that shows that signs are independent.
  void add(BoundedPair &pair, const TrialBatch &certified,
           const TrialBatch &batch) {
    BatchClaim claim = pair.getClaim(certified, batch);
    if (claim.getTotal() == 1 && !pair.dependsOnPicks())
      return; // its points do not show that exponents are independent
    BoundedPair::Count count = pair.count(batch);
    trials += count.trials;
    agreements += count.agreements;
    allowed.add(count.trials, claim, pair.dependsOnPicks());
  }
  bool isAboveMean() const { return agreements > allowed.getMean(); }
  bool isClaimed() const { return allowed.getMean() < trials; }
};

/// Pairs that agree more often than is expected at most are tried again.
constexpr unsigned kLooks = 4;

/// One pair over one small tower.
class SmallPrimeTrials {
public:
  SmallPrimeTrials(BoundedPair &pair, Primes primes, const Seed &seed)
      : pair(pair), primes(primes), seed(seed) {}

  /// Draws until the judge claims something of a batch, and a trial disagrees,
  /// so that the difference does not vanish modulo the primes. What is drawn
  /// here counts for nothing else.
  void prepare() {
    std::vector<std::unique_ptr<TrialBatch>> batches;
    for (unsigned number = 0; number < kPreparations; ++number) {
      batches.emplace_back(
          new TrialBatch(pair.draw(primes, deriveSeed(seed, "first", number))));
      TrialBatch &batch = *batches.back();
      if (!batch.hasFixedRoots())
        return;
      BoundedPair::Count count = pair.count(batch);
      isSeen |= count.agreements < count.trials;
      if (!isCertified && pair.getBound(batch, 1) < 1)
        isCertified = true, std::swap(batches.front(), batches.back());
      if (isCertified && isSeen && !pair.dependsOnPicks())
        break;
    }
    if (!isCertified)
      return;
    for (const std::unique_ptr<TrialBatch> &batch : batches)
      first.add(pair, *batches.front(), *batch);
    certified = std::move(batches.front());
  }

  /// Whether the judge says anything.
  bool isClaimed() const { return certified && first.isClaimed(); }
  /// Whether a trial disagreed.
  bool tellsApart() const { return isSeen; }
  /// If none did: the chance of that, if the difference is not zero.
  double getSilenceLog2() const {
    return first.allowed.getTailLog2(first.agreements);
  }
  bool hasSmallCoefficients() { return pair.hasSmallCoefficients(*certified); }

  /// Eight batches, and four times as many each time that it is asked again.
  Observation observe(unsigned look) {
    Observation seen;
    Seed own = deriveSeed(seed, "look", look);
    for (unsigned number = 0; number < 8u << 2 * look; ++number)
      seen.add(pair, *certified,
               pair.draw(primes, deriveSeed(own, "batch", number)));
    return seen;
  }

private:
  static constexpr unsigned kPreparations = 16;
  BoundedPair &pair;
  Primes primes;
  Seed seed;
  std::unique_ptr<TrialBatch> certified;
  bool isCertified = false, isSeen = false;
  Observation first;
};

/// Pairs of one kind.
class TrialByTrial {
public:
  explicit TrialByTrial(llvm::StringRef name) : name(name) {}

  /// Tries pairs of some heights until so many were counted.
  void run(DrawNearMiss draw, unsigned numPairs, unsigned leastHeight,
           unsigned height) {
    RandomStream random(hashToSeed(name));
    while (counted < numPairs) {
      std::optional<NearMiss> miss = draw(random);
      if (!miss || !isNew(*miss))
        continue;
      BoundedPair pair(miss->program, miss->mutant, miss->element);
      if (pair.isWritten() && pair.getHeight() >= leastHeight &&
          pair.getHeight() <= height)
        judge(pair, *miss);
    }
    print();
    EXPECT_LE(agreements, allowed) << name.str();
    EXPECT_GT(agreements, 0u) << name.str(); // primes are small enough for some
  }

  unsigned getCounted() const { return counted; }

private:
  bool isNew(const NearMiss &miss) {
    Seed hash = hashToSeed(toString(miss.program) + toString(miss.mutant));
    return seen.insert({hash[0], hash[1], hash[2]}).second;
  }

  void judge(BoundedPair &pair, const NearMiss &miss) {
    SmallTowers towers = getSmallTowers(pair.getHeight());
    Seed seed = deriveSeed(hashToSeed(name), "pair", number++);
    SmallPrimeTrials trials(pair, towers.own, seed);
    trials.prepare();
    if (!trials.isClaimed()) {
      ++unclaimed;
      return;
    }
    if (!trials.tellsApart())
      return judgeSilence(pair, trials, towers.other, miss);
    Observation first = look(trials, miss, 0);
    if (first.trials == 0)
      return;
    ++counted;
    numTrials += first.trials;
    agreements += first.agreements;
    allowed += first.allowed.getMean();
    Observation last = first;
    for (unsigned number = 1; number < kLooks && last.isAboveMean(); ++number) {
      ++again;
      last = look(trials, miss, number);
    }
  }

  /// New draws each time, so many in the end that what is above the claim by
  /// a part of it is seen.
  Observation look(SmallPrimeTrials &trials, const NearMiss &miss,
                   unsigned number) {
    Observation seen = trials.observe(number);
    EXPECT_GT(seen.allowed.getTailLog2(seen.agreements), kImpossibleLog2)
        << name.str() << ": " << seen.agreements << " agreed in " << seen.trials
        << ", allowed are " << seen.allowed.getMean() << "\n"
        << toString(miss.program) << toString(miss.mutant);
    return seen;
  }

  /// All trials agreed: the difference vanishes modulo the primes, as it may
  /// only if it has large coefficients, or they were few.
  void judgeSilence(BoundedPair &pair, SmallPrimeTrials &trials, Primes other,
                    const NearMiss &miss) {
    if (trials.getSilenceLog2() > kImpossibleLog2) {
      ++unclear;
      return;
    }
    ++vanishing;
    SmallPrimeTrials otherTrials(pair, other, hashToSeed("other tower"));
    otherTrials.prepare();
    EXPECT_TRUE(!trials.hasSmallCoefficients() && otherTrials.tellsApart())
        << name.str() << ": all trials agreed\n"
        << toString(miss.program) << toString(miss.mutant);
  }

  void print() const {
    std::printf(
        "  %s: %u pairs, %lu trials, %lu agreed, the bound allows %.0f; "
        "%u looks again\n    not counted: %u that vanish modulo "
        "the primes, %u that agreed in too few trials, %u of which "
        "nothing is claimed\n",
        name.str().c_str(), counted, (unsigned long)numTrials,
        (unsigned long)agreements, allowed, again, vanishing, unclear,
        unclaimed);
  }

  llvm::StringRef name;
  std::set<std::array<uint32_t, 3>> seen;
  uint64_t number = 0, numTrials = 0, agreements = 0;
  double allowed = 0;
  unsigned counted = 0, again = 0, vanishing = 0, unclear = 0, unclaimed = 0;
};
} // namespace

/// Near misses that are counted, over primes of 8 bits.
TEST(Bound, FalseAcceptsStayUnderIt) {
  struct Kind {
    const char *name;
    DrawNearMiss draw;
    unsigned numPairs, numFull;
  };
  const Kind kinds[] = {
      {"formulas", drawFormula, 2000, 60000},
      {"formulas with patterns and random functions", drawPatternFormula, 1000,
       25000},
      {"tiny programs", drawTinyProgram, 400, 12000},
      {"programs spelled anew", drawRespelledProgram, 50, 1500},
      {"programs in tiles", drawTiledProgram, 50, 1500},
      {"kernels", drawKernel, 100, 2000}};
  unsigned total = 0;
  for (const Kind &kind : kinds) {
    TrialByTrial trials(kind.name);
    trials.run(kind.draw, isFullSize() ? kind.numFull : kind.numPairs, 1, 2);
    total += trials.getCounted();
  }
  EXPECT_GE(total, isFullSize() ? 100000u : 3000u);
}

/// Over 139, 23 and 11, and over 383, 191, 19 and 3.
TEST(Bound, FalseAcceptsOfNestedExponentialsStayUnderIt) {
  unsigned times = isFullSize() ? 20 : 1;
  TrialByTrial("three levels").run(drawNestedFormula, 150 * times, 3, 3);
  TrialByTrial("four levels").run(drawNestedFormula, 50 * times, 4, 4);
}

//===----------------------------------------------------------------------===//
// Batch by batch
//===----------------------------------------------------------------------===//

using Tower = llvm::SmallVector<uint32_t, FieldTower::kMaxHeight>;

/// All towers of a height whose first prime has these bits and the last is not
/// one of 3, 5 and 7, which multiply primes as FieldTower::draw has it.
static std::vector<Tower> listTowers(unsigned height, unsigned fromBits,
                                     unsigned toBits) {
  auto isFit = [](uint32_t p) { return p % 4 == 3 && isPrime(p); };
  std::vector<Tower> towers;
  for (uint32_t prime = 11; prime < 1u << toBits; prime += 4)
    if (isFit(prime))
      towers.push_back({prime});
  for (unsigned level = 1; level < height; ++level) {
    std::vector<Tower> higher;
    for (const Tower &tower : towers)
      for (uint32_t m : {1, 3, 5, 7})
        if (uint32_t prime = 2 * m * tower[0] + 1;
            prime < 1u << toBits && isFit(prime)) {
          higher.push_back(tower);
          higher.back().insert(higher.back().begin(), prime);
        }
    towers = std::move(higher);
  }
  llvm::erase_if(towers,
                 [&](const Tower &tower) { return tower[0] < 1u << fromBits; });
  return towers;
}

/// Batches over fresh towers: a "trial" is a batch whose trials all agree.
static Observation observeBatches(BoundedPair &pair,
                                  llvm::ArrayRef<Tower> towers,
                                  RandomStream &random, const Seed &seed) {
  // The bound counts 28 bits of a coefficient for each prime, these have 10.
  double numTowers = towers.size() * 10 / 28.0;
  Observation observation;
  for (uint64_t i = 0; i < 24; ++i) {
    const Tower &tower = towers[random.uniform(towers.size())];
    TrialBatch batch = pair.draw(tower, deriveSeed(seed, "batch", i));
    if (!batch.hasFixedRoots())
      continue;
    BoundedPair::Count count = pair.count(batch);
    double bound = pair.getBound(batch, count.trials, numTowers);
    if (count.trials == 0 || (bound == 1 && !pair.dependsOnPicks()))
      continue;
    ++observation.trials;
    observation.agreements += count.agreements == count.trials;
    observation.allowed.add(1, {bound}, pair.dependsOnPicks());
  }
  return observation;
}

/// \returns how many agreed.
static unsigned expectBatchesUnderBound(llvm::StringRef name, DrawNearMiss draw,
                                        unsigned height, unsigned numPairs,
                                        llvm::ArrayRef<Tower> towers) {
  RandomStream random(hashToSeed(name));
  unsigned pairs = 0, batches = 0, agreements = 0;
  double allowed = 0;
  for (uint64_t number = 0; pairs < numPairs; ++number) {
    std::optional<NearMiss> miss = draw(random);
    if (!miss)
      continue;
    BoundedPair pair(miss->program, miss->mutant, miss->element);
    if (!pair.isWritten() || pair.getHeight() != height)
      continue;
    Observation seen = observeBatches(
        pair, towers, random, deriveSeed(hashToSeed(name), "pair", number));
    if (!seen.isClaimed())
      continue;
    ++pairs;
    batches += seen.trials;
    agreements += seen.agreements;
    allowed += seen.allowed.getMean();
    EXPECT_GT(seen.allowed.getTailLog2(seen.agreements), kImpossibleLog2)
        << toString(miss->program) << toString(miss->mutant) << "of "
        << seen.trials;
  }
  std::printf("  %s: %u pairs, %u batches, %u agreed, the bound allows %.0f\n",
              name.str().c_str(), pairs, batches, agreements, allowed);
  EXPECT_LE(agreements, allowed);
  return agreements;
}

TEST(Bound, FalseAcceptsOfBatchesStayUnderIt) {
  std::vector<Tower> one = listTowers(1, 10, 14), two = listTowers(2, 10, 14),
                     three = listTowers(3, 10, 16);
  std::printf("  %zu towers of two levels, %zu of three\n", two.size(),
              three.size());
  ASSERT_GT(two.size(), 100u);
  ASSERT_GT(three.size(), 100u);
  unsigned times = isFullSize() ? 10 : 1;
  unsigned agreements = 0;
  agreements += expectBatchesUnderBound(
      "batches of one level", drawPatternFormula, 1, 300 * times, one);
  agreements += expectBatchesUnderBound(
      "batches of two levels", drawPatternFormula, 2, 300 * times, two);
  agreements += expectBatchesUnderBound(
      "batches of three levels", drawNestedFormula, 3, 150 * times, three);
  EXPECT_GT(agreements, 0u); // the primes are small enough to see some
}

/// Pairs that a tower tells apart or not, in all trials at once.
TEST(Bound, WhatTowersDecideStaysUnderIt) {
  auto towers = listTowers(2, 10, 14);
  RandomStream random(hashToSeed("decided"));
  auto make = [](auto formula) {
    Graph graph;
    Builder b(graph);
    ValueId x = b.input({2}), y = b.input({2});
    b.output(b.reduce(Opcode::Sum, formula(b, x, y), 0));
    return graph;
  };
  auto rootOf = [](Builder &b, ValueId x, double value) {
    Attributes attributes;
    attributes.scalars = {value};
    return b.op(Opcode::Sqrt,
                {b.op(Opcode::Offset, {b.scale(x, 0)}, attributes)});
  };
  std::pair<Graph, Graph> pairs[] = {
      {make([](Builder &b, ValueId x, ValueId) {
         return b.op(Opcode::Abs, {b.scale(x, 5)});
       }),
       make([](Builder &b, ValueId x, ValueId) {
         return b.scale(b.op(Opcode::Abs, {x}), -5);
       })},
      {make([&](Builder &b, ValueId x, ValueId y) {
         return b.op(Opcode::Mul, {y, rootOf(b, x, 25)});
       }),
       make([](Builder &b, ValueId, ValueId y) { return b.scale(y, -5); })}};
  for (auto &[lhs, rhs] : pairs) {
    BoundedPair pair(lhs, rhs, /*element=*/0);
    double allowed = 0;
    unsigned accepts = 0;
    for (uint64_t number = 0; number < 200; ++number) {
      TrialBatch batch = pair.draw(towers[random.uniform(towers.size())],
                                   deriveSeed(Seed{}, "decided", number));
      BoundedPair::Count count = pair.count(batch);
      accepts += count.trials > 0 && count.trials == count.agreements;
      allowed += pair.getBound(batch, count.trials);
    }
    EXPECT_LE(accepts, allowed);
    EXPECT_GT(accepts, 20u);
  }
}
