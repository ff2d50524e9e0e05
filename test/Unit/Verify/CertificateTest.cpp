//===- CertificateTest.cpp - A proof that can be repeated -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Verify/Certificate.h"
#include "Mirage/Graph/ComposedOperators.h"
#include "Mirage/Verify/VerdictJSON.h"
#include "Programs.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

namespace {
/// Graphs, and the certificate that one is the other.
struct Certified {
  Graph program, result;
  Certificate certificate;

  Certified(Graph left, Graph right, uint64_t seed = 0)
      : program(std::move(left)), result(std::move(right)) {
    certificate = makeCertificate(program, result, seed, /*errorBoundBits=*/64);
    Verdict verdict =
        llvm::cantFail(proveCertified(certificate, program, result));
    EXPECT_EQ(verdict.kind, Verdict::Equal) << toString(verdict);
    setFigures(verdict, certificate);
    certificate.ownSize = verdict.isLarge ? "too large to be tried"
                                          : getOwnSizeStatement(verdict);
    seal(certificate);
  }

  /// As whoever wrote the certificate would have done.
  static void seal(Certificate &certificate) {
    certificate.digest = computeDigest(certificate);
  }

  std::string getFlaw() const { return getFlaw(certificate, program, result); }
  static std::string getFlaw(const Certificate &certificate,
                             const Graph &program, const Graph &result) {
    return llvm::cantFail(findFlaw(certificate, program, result)).value_or("");
  }
};

/// (|x| + max(x, y))·w, of which no term shows that it is what it is, so that
/// the bound depends on the draws.
Graph maximum(bool isSwapped) {
  Graph graph;
  Builder b(graph);
  ValueId x = b.input({3, 5}), y = b.input({3, 5}), w = b.input({5, 4});
  ValueId max = b.op(Opcode::Maximum, {x, y});
  ValueId abs = b.op(Opcode::Abs, {x});
  ValueId left = b.op(Opcode::Matmul, {max, w});
  ValueId right = b.op(Opcode::Matmul, {abs, w});
  ValueId joined = b.op(Opcode::Matmul, {b.op(Opcode::Add, {max, abs}), w});
  b.output(isSwapped ? joined : b.op(Opcode::Add, {left, right}));
  return graph;
}
} // namespace

TEST(Certificate, HoldsForTheGraphsThatItIsOf) {
  EXPECT_EQ(
      Certified(rmsLinear(8, 4096, 6144), rmsLinearFused(8, 4096, 6144, 64, 32))
          .getFlaw(),
      "");
  EXPECT_EQ(Certified(gatedMlp(8, 500, 130), gatedMlpFused(8, 500, 130, 64, 32))
                .getFlaw(),
            "");
  EXPECT_EQ(Certified(maximum(false), maximum(true)).getFlaw(), "");
}

TEST(Certificate, ComposedOperatorsAreWhatTheyStandFor) {
  Graph program = gatedMlp(8, 500, 130);
  Certified certified(program, gatedMlpFused(8, 500, 130, 64, 32));
  EXPECT_EQ(Certified::getFlaw(certified.certificate, expandComposed(program),
                               expandComposed(certified.result)),
            "");
}

/// What no memory holds is proved at smaller sizes, and tried at no other.
TEST(Certificate, OwnSizesAreNotTried) {
  Certified certified(rmsLinear(1 << 20, 1 << 22, 1 << 20),
                      rmsLinearFused(1 << 20, 1 << 22, 1 << 20, 64, 32));
  EXPECT_LT(certified.certificate.bound.provedLog2, -64);
  EXPECT_EQ(certified.getFlaw(), "");
}

TEST(Certificate, OtherGraphsAreToldApart) {
  Certified certified(rmsLinear(8, 4096, 6144),
                      rmsLinearFused(8, 4096, 6144, 64, 32));
  const Certificate &certificate = certified.certificate;
  auto startsWith = [](const std::string &text, llvm::StringRef start) {
    return llvm::StringRef(text).starts_with(start);
  };
  // Equal to what they stand for, too.
  EXPECT_TRUE(
      startsWith(Certified::getFlaw(certificate, certified.program,
                                    rmsLinearFused(8, 4096, 6144, 64, 64)),
                 "it is of another result: "));
  EXPECT_TRUE(startsWith(
      Certified::getFlaw(certificate, certified.result, certified.result),
      "it is of another program: "));
}

/// With the hash of a graph that is not equal, the trials are others, also if
/// the digest was made anew.
TEST(Certificate, AForgedHashDoesNotHelp) {
  auto product = [](bool isTransposed) {
    Graph graph;
    Builder b(graph);
    ValueId x = b.input({40, 40}), w = b.input({40, 40});
    b.output(b.op(Opcode::Matmul, {x, isTransposed ? b.transpose(w) : w}));
    return graph;
  };
  Certified certified(product(false), product(false));
  Certificate forged = makeCertificate(product(false), product(true), 0, 64);
  forged.bound = certified.certificate.bound;
  forged.ownSize = "trials agree";
  Certified::seal(forged);
  std::string flaw = Certified::getFlaw(forged, product(false), product(true));
  EXPECT_NE(flaw.find("repeated, its trials say unknown"), std::string::npos)
      << flaw;
}

namespace {
/// A change of one entry, by its name.
using Change = std::pair<const char *, void (*)(Certificate &)>;
const Change kChanges[] = {
    {"version", [](Certificate &c) { --c.version; }},
    {"program", [](Certificate &c) { c.program.back() ^= 1; }},
    {"result", [](Certificate &c) { c.result.front() ^= 1; }},
    {"seed", [](Certificate &c) { ++c.seed; }},
    {"error_bound", [](Certificate &c) { --c.errorBoundBits; }},
    {"proved_log2",
     [](Certificate &c) {
       c.bound.provedLog2 = std::nextafter(c.bound.provedLog2, 0);
     }},
    {"conjectured_log2",
     [](Certificate &c) { c.bound.conjecturedLog2 = -1.5; }},
    {"trials", [](Certificate &c) { ++c.bound.trials; }},
    {"towers", [](Certificate &c) { ++c.bound.towers; }},
    {"sizes", [](Certificate &c) { c.sizes += " "; }},
    {"literals", [](Certificate &c) { c.replaced.literals[0.5] = 2; }},
    {"mask_offsets", [](Certificate &c) { c.replaced.maskOffsets[100] = 1; }},
    {"keeps_numbers",
     [](Certificate &c) {
       c.replaced.keepsNumbers = !c.replaced.keepsNumbers;
     }},
    {"pieces", [](Certificate &c) { ++c.pieces; }},
    {"where_both_defined",
     [](Certificate &c) { c.whereBothDefined = !c.whereBothDefined; }},
    {"same_graph", [](Certificate &c) { c.isSameGraph = !c.isSameGraph; }},
    {"repeatable", [](Certificate &c) { c.isRepeatable = !c.isRepeatable; }},
    {"own_size", [](Certificate &c) { c.ownSize = "sampled trials agree"; }},
    {"digest", [](Certificate &c) { c.digest.back() ^= 1; }},
};
} // namespace

/// Whether or not the proof would come out the same, as it does with another
/// seed of what is proved outright.
TEST(Certificate, EveryEntryThatWasChangedIsNoticed) {
  for (const Certified &certified :
       {Certified(maximum(false), maximum(true)),
        Certified(rmsLinear(8, 4096, 6144),
                  rmsLinearFused(8, 4096, 6144, 64, 32))}) {
    EXPECT_EQ(certified.getFlaw(), "");
    for (auto [name, change] : kChanges) {
      Certificate other = certified.certificate;
      change(other);
      std::string flaw =
          Certified::getFlaw(other, certified.program, certified.result);
      llvm::StringRef expected = llvm::StringRef(name) == "version"
                                     ? "it is of version 5, older than 6"
                                     : "it was changed: ";
      EXPECT_TRUE(llvm::StringRef(flaw).starts_with(expected))
          << name << ": " << flaw;
    }
  }
}

TEST(Certificate, LaterVersionsAreNewer) {
  Certified certified(maximum(false), maximum(true));
  ++certified.certificate.version;
  EXPECT_EQ(certified.getFlaw(),
            "it is of version 7, newer than 6, and the proofs of others are "
            "not repeated");
}

/// Texts that run into one another, and signs of zero.
TEST(Certificate, DigestsTellEntriesApart) {
  Certificate one, other;
  one.sizes = "4x6";
  one.ownSize = "";
  other.ownSize = "4x6";
  EXPECT_NE(computeDigest(one), computeDigest(other));
  Certificate positive, negative;
  positive.bound.provedLog2 = 0.0;
  negative.bound.provedLog2 = -0.0;
  EXPECT_NE(computeDigest(positive), computeDigest(negative));
  EXPECT_EQ(computeDigest(positive), computeDigest(Certificate()));
}

/// Of certificates whose digest was made anew.
TEST(Certificate, EveryFigureHasToComeOut) {
  Certified certified(maximum(false), maximum(true), /*seed=*/3);
  auto change = [&](auto edit) {
    Certificate other = certified.certificate;
    edit(other);
    Certified::seal(other);
    return Certified::getFlaw(other, certified.program, certified.result);
  };
  // With other draws another bound is proved.
  EXPECT_NE(change([](Certificate &c) {
              ++c.seed;
            }).find("its proved_log2 comes out as"),
            std::string::npos);
  EXPECT_NE(change([](Certificate &c) {
              c.bound.provedLog2 -= 1;
            }).find("its proved_log2 comes out as"),
            std::string::npos);
  EXPECT_NE(change([](Certificate &c) { c.bound.conjecturedLog2 -= 1; }), "");
  EXPECT_NE(change([](Certificate &c) { ++c.bound.trials; }), "");
  EXPECT_NE(change([](Certificate &c) { ++c.bound.towers; }), "");
  EXPECT_NE(change([](Certificate &c) { c.sizes = "3x5"; }), "");
  EXPECT_NE(change([](Certificate &c) { c.replaced.literals[0.5] = 2; }), "");
  EXPECT_NE(change([](Certificate &c) { c.replaced.maskOffsets[100] = 1; }),
            "");
  EXPECT_NE(change([](Certificate &c) { c.replaced.keepsNumbers = true; }), "");
  EXPECT_NE(change([](Certificate &c) { c.pieces = 2; }), "");
  EXPECT_NE(change([](Certificate &c) { c.whereBothDefined = true; }), "");
  EXPECT_NE(change([](Certificate &c) { c.isSameGraph = true; }), "");
  EXPECT_NE(change([](Certificate &c) { ++c.version; }), "");
  EXPECT_NE(change([](Certificate &c) { c.errorBoundBits = 300; }), "");
  EXPECT_NE(change([](Certificate &c) { c.ownSize = "what others tried"; }),
            "");
}

/// Of a proof that cannot be repeated digest and hashes are compared, and no
/// more.
TEST(Certificate, WhatIsNotRepeatableIsOfItsGraphs) {
  Certified certified(maximum(false), maximum(true));
  Certificate certificate = certified.certificate;
  certificate.isRepeatable = false;
  ++certificate.bound.trials;
  EXPECT_NE(
      Certified::getFlaw(certificate, certified.program, certified.result), "");
  Certified::seal(certificate);
  EXPECT_EQ(
      Certified::getFlaw(certificate, certified.program, certified.result), "");
  EXPECT_NE(Certified::getFlaw(certificate, certified.result, certified.result),
            "");
}

/// Draws follow from the seed: where a bound depends on them it is another.
TEST(Certificate, TheSeedCounts) {
  Certified first(maximum(false), maximum(true), 3);
  Certified second(maximum(false), maximum(true), 4);
  EXPECT_NE(first.certificate.bound.provedLog2,
            second.certificate.bound.provedLog2);
}
