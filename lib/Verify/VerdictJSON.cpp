//===- VerdictJSON.cpp - Verdicts for people and programs -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Verify/VerdictJSON.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir::mirage;
using llvm::formatv;

static llvm::json::Value writeLog2(double log2) {
  return std::isinf(log2) ? llvm::json::Value("-inf") : llvm::json::Value(log2);
}

static llvm::json::Value writeNumber(double number) {
  return std::isfinite(number)
             ? llvm::json::Value(number)
             : llvm::json::Value(formatv("{0}", number).str());
}

template <typename Number>
static void addPairs(llvm::json::Object &object, llvm::StringRef key,
                     const std::map<Number, Number> &pairs) {
  llvm::json::Array array;
  for (auto [number, smaller] : pairs)
    array.push_back(llvm::json::Array{number, smaller});
  if (!pairs.empty())
    object[key] = std::move(array);
}

static void addReplaced(llvm::json::Object &object,
                        const ReplacedNumbers &replaced) {
  addPairs(object, "literals", replaced.literals);
  addPairs(object, "maskOffsets", replaced.maskOffsets);
  if (replaced.keepsNumbers)
    object["keepsNumbers"] = true;
}

static llvm::json::Value writeProof(const ExactProof &proof) {
  llvm::json::Object object{{"proved", proof.outcome == ExactProof::Proved},
                            {"tooLarge", proof.outcome == ExactProof::TooLarge},
                            {"sizes", proof.sizes},
                            {"work", int64_t(proof.work)}};
  addReplaced(object, proof.replaced);
  if (!proof.reason.empty())
    object["reason"] = proof.reason;
  return object;
}

static llvm::json::Value writeOwnSizes(const OwnSizeTrials &ownSizes) {
  llvm::json::Object object{{"trials", int64_t(ownSizes.trials)},
                            {"sampled", ownSizes.isSampled()}};
  llvm::json::Array samples;
  for (const SampledShape &sample : ownSizes.samples)
    samples.push_back(
        llvm::json::Object{{"tried", llvm::json::Array(sample.tried)},
                           {"of", llvm::json::Array(sample.whole)}});
  if (ownSizes.isSampled())
    object["outputs"] = std::move(samples);
  return object;
}

static void addOtherSizes(llvm::json::Object &object,
                          const OtherSizeTrials &others) {
  llvm::json::Object written;
  if (!others.sizes.empty()) {
    written["sizes"] = llvm::json::Array(others.sizes);
    written["trials"] = int64_t(others.trials);
    written["mayMiss"] = others.areFew;
  }
  if (!others.problem.empty())
    written["problem"] = others.problem;
  if (!others.whyNone.empty())
    written["whyNone"] = others.whyNone;
  if (!written.empty())
    object["otherSizes"] = std::move(written);
}

llvm::json::Value mlir::mirage::toJSON(const Verdict &verdict) {
  llvm::json::Object object{
      {"verdict", getVerdictName(verdict.kind)},
      {"provedLog2", writeLog2(verdict.bound.provedLog2)},
      {"conjecturedLog2", writeLog2(verdict.bound.conjecturedLog2)},
      {"trials", int64_t(verdict.bound.trials)},
      {"towers", int64_t(verdict.bound.towers)}};
  if (verdict.kind == Verdict::Equal) {
    object["askedLog2"] = -int64_t(verdict.askedBits);
    object["meetsBound"] = verdict.meetsBound();
  }
  if (!verdict.whyWeaker.empty())
    object["whyWeaker"] = verdict.whyWeaker;
  if (!verdict.sizes.empty())
    object["sizes"] = verdict.sizes;
  if (verdict.pieces > 0)
    object["pieces"] = int64_t(verdict.pieces);
  addReplaced(object, verdict.replaced);
  if (verdict.ownSizes.trials > 0)
    object["ownSizes"] = writeOwnSizes(verdict.ownSizes);
  addOtherSizes(object, verdict.otherSizes);
  if (verdict.exactProof)
    object["exact"] = writeProof(*verdict.exactProof);
  if (!verdict.reason.empty())
    object["reason"] = verdict.reason;
  if (verdict.whereBothDefined)
    object["whereBothDefined"] = true;
  if (verdict.isSameGraph)
    object["sameGraph"] = true;
  if (verdict.hasFreeFunctions)
    object["freeFunctions"] = true;
  if (verdict.witness)
    object["witness"] =
        llvm::json::Object{{"seed", verdict.witness->seed},
                           {"output", int64_t(verdict.witness->output)},
                           {"element", verdict.witness->element},
                           {"before", writeNumber(verdict.witness->lhs)},
                           {"after", writeNumber(verdict.witness->rhs)}};
  return object;
}

/// " in 5 pieces, the weakest at 2x8".
static std::string describePieces(const Verdict &verdict) {
  if (verdict.pieces == 0)
    return "";
  return formatv(" in {0} pieces, the weakest", verdict.pieces);
}

std::string mlir::mirage::describeReplaced(const ReplacedNumbers &replaced) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [literal, smaller] : replaced.literals)
    os << (text.empty() ? "" : " and ") << llvm::format("%.9g", smaller)
       << " for the literal " << llvm::format("%.17g", literal);
  for (auto [offset, smaller] : replaced.maskOffsets)
    os << (text.empty() ? "" : " and ") << smaller << " for the mask's offset "
       << offset;
  if (replaced.keepsNumbers)
    os << (text.empty() ? "" : " and ") << "literals and counts as they are";
  return text;
}

/// " at 3x4 with 0.25 for the literal 0.000244140625".
static std::string describeSizes(const std::string &sizes,
                                 const ReplacedNumbers &replaced) {
  if (sizes.empty())
    return "";
  std::string numbers = describeReplaced(replaced);
  return " at " + sizes + (numbers.empty() ? "" : " with " + numbers);
}

static std::string describeProof(const Verdict &verdict) {
  double log2 = verdict.bound.provedLog2;
  std::string at =
      describePieces(verdict) + describeSizes(verdict.sizes, verdict.replaced);
  std::string why = verdict.whyWeaker.empty() ? "" : ": " + verdict.whyWeaker;
  if (std::isinf(log2))
    return "; proved outright" + at;
  if (verdict.meetsBound())
    return formatv("; wrong with probability at most 2^{0:f0} (proved){1}",
                   log2, at);
  std::string proved =
      log2 == 0 ? "without a proved bound"
                : formatv("proved only up to an error of 2^{0:f1}", log2).str();
  // With a proof of another kind that is no limitation.
  return formatv("{0}{1}{2}, asked for 2^-{3}{4}",
                 verdict.exactProof ? "; by trials " : ", but ", proved, at,
                 verdict.askedBits, why);
}

/// "4 of 32 x 48 of 4096 elements".
static std::string describe(const SampledShape &sample) {
  std::string text;
  for (auto [tried, whole] : llvm::zip_equal(sample.tried, sample.whole))
    text +=
        (text.empty() ? "" : " x ") + formatv("{0} of {1}", tried, whole).str();
  return text;
}

/// "; at its own sizes 1 trial agrees, of 4 of 32 x 48 of 4096 elements". What
/// was written out has its trials at its own sizes in any case.
static std::string describeOwnSizes(const Verdict &verdict) {
  unsigned trials = verdict.ownSizes.trials;
  if (!verdict.isLarge || trials == 0)
    return "";
  std::string text = formatv("; at its own sizes {0} trial{1} agree{2}", trials,
                             trials == 1 ? "" : "s", trials == 1 ? "s" : "");
  llvm::StringRef separator = " on a sample, ";
  for (const SampledShape &sample : verdict.ownSizes.samples) {
    text += separator.str() + describe(sample) + " elements";
    separator = " and ";
  }
  return text;
}

/// "; at 7x8, 8x11 and at 9x16, 16x5 64 trials agree, too".
static std::string describeOtherSizes(const Verdict &verdict) {
  const OtherSizeTrials &others = verdict.otherSizes;
  if (!others.whyNone.empty())
    return "; no other small sizes were tried: " + others.whyNone;
  if (others.sizes.empty())
    return "";
  return formatv("; at {0} {1} trials agree, too{2}",
                 llvm::join(others.sizes, " and at "), others.trials,
                 others.areFew ? ", which may miss rare picks and signs" : "");
}

static std::string describeTrials(const Verdict &verdict) {
  if (verdict.bound.trials == 0)
    return "; trials alone decide nothing: " + verdict.whyWeaker +
           describeOtherSizes(verdict) + describeOwnSizes(verdict);
  if (verdict.hasFreeFunctions)
    return describeProof(verdict) +
           formatv("; {0} trial{1} with functions as symbols agree{2}",
                   verdict.bound.trials, verdict.bound.trials == 1 ? "" : "s",
                   verdict.bound.trials == 1 ? "s" : "")
               .str();
  return describeProof(verdict) +
         formatv("; all {0} trials over {1} towers of primes agree",
                 verdict.bound.trials, verdict.bound.towers)
             .str() +
         describeOtherSizes(verdict) + describeOwnSizes(verdict);
}

static std::string describeEqual(const Verdict &verdict) {
  if (verdict.isSameGraph)
    return "; both are the same graph";
  std::string text = verdict.whereBothDefined ? " where both are defined" : "";
  if (verdict.exactProof)
    text += "; proved exactly" + describeSizes(verdict.exactProof->sizes,
                                               verdict.exactProof->replaced);
  return text + describeTrials(verdict);
}

/// Two numbers with as few digits as tell them apart, 3 at least.
static std::string printPair(double x, double y) {
  for (unsigned digits = 2;; ++digits) {
    std::string left, right;
    llvm::raw_string_ostream(left) << llvm::format("%.*e", digits, x);
    llvm::raw_string_ostream(right) << llvm::format("%.*e", digits, y);
    if (left != right || digits == 16)
      return left + " and " + right;
  }
}

std::string mlir::mirage::toString(const Verdict &verdict) {
  std::string text = getVerdictName(verdict.kind).str();
  if (verdict.kind == Verdict::Equal)
    text += describeEqual(verdict);
  if (verdict.witness)
    text += formatv("; output {0}, element {1}: {2} on inputs of seed {3}",
                    verdict.witness->output, verdict.witness->element,
                    printPair(verdict.witness->lhs, verdict.witness->rhs),
                    verdict.witness->seed)
                .str();
  if (!verdict.reason.empty())
    text += "; " + verdict.reason;
  return text;
}
