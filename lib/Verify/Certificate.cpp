//===- Certificate.cpp - A proof that can be repeated ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Verify/Certificate.h"
#include "Mirage/Graph/CanonicalGraph.h"
#include "Mirage/Graph/ComposedOperators.h"
#include "Mirage/Verify/VerdictJSON.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"
#include <limits>

using namespace mlir::mirage;

static std::string hashCertified(const Graph &graph) {
  return hashGraph(expandComposed(graph));
}

Certificate mlir::mirage::makeCertificate(const Graph &program,
                                          const Graph &result, uint64_t seed,
                                          unsigned errorBoundBits) {
  Certificate certificate;
  certificate.program = hashCertified(program);
  certificate.result = hashCertified(result);
  certificate.seed = seed;
  certificate.errorBoundBits = errorBoundBits;
  return certificate;
}

Seed mlir::mirage::getSeed(const Certificate &certificate) {
  return hashToSeed(llvm::formatv("certificate {0} {1} {2} {3}",
                                  certificate.seed, certificate.errorBoundBits,
                                  certificate.program, certificate.result)
                        .str());
}

void mlir::mirage::setFigures(const Verdict &verdict,
                              Certificate &certificate) {
  certificate.bound = verdict.bound;
  certificate.sizes = verdict.sizes;
  certificate.replaced = verdict.replaced;
  certificate.pieces = verdict.pieces;
  certificate.whereBothDefined = verdict.whereBothDefined;
  certificate.isSameGraph = verdict.isSameGraph;
}

//===----------------------------------------------------------------------===//
// The digest
//===----------------------------------------------------------------------===//

namespace {
/// Writes entries one after the other, each with its name and, if it is a text,
/// its length, so that no two certificates are written alike.
class DigestWriter {
public:
  explicit DigestWriter(llvm::raw_ostream &os) : os(os) {}

  void add(llvm::StringRef name, llvm::StringRef text) {
    os << name << ' ' << text.size() << ' ' << text << '\n';
  }
  void add(llvm::StringRef name, double number) {
    add(name, llvm::bit_cast<uint64_t>(number));
  }
  template <typename Number,
            typename = std::enable_if_t<std::is_integral_v<Number>>>
  void add(llvm::StringRef name, Number number) {
    os << name << ' ' << number << '\n';
  }
  template <typename Number>
  void add(llvm::StringRef name, const std::map<Number, Number> &numbers) {
    add(name, numbers.size());
    for (auto [number, smaller] : numbers) {
      add("of", number);
      add("is", smaller);
    }
  }

private:
  llvm::raw_ostream &os;
};
} // namespace

std::string mlir::mirage::computeDigest(const Certificate &certificate) {
  std::string text;
  llvm::raw_string_ostream os(text);
  DigestWriter writer(os);
  writer.add("certificate", certificate.version);
  writer.add("program", certificate.program);
  writer.add("result", certificate.result);
  writer.add("seed", certificate.seed);
  writer.add("error_bound", certificate.errorBoundBits);
  writer.add("proved_log2", certificate.bound.provedLog2);
  writer.add("conjectured_log2", certificate.bound.conjecturedLog2);
  writer.add("trials", certificate.bound.trials);
  writer.add("towers", certificate.bound.towers);
  writer.add("sizes", certificate.sizes);
  writer.add("literals", certificate.replaced.literals);
  writer.add("mask_offsets", certificate.replaced.maskOffsets);
  // Those that were made before there was this entry have none.
  if (certificate.replaced.keepsNumbers)
    writer.add("keeps_numbers", true);
  writer.add("pieces", certificate.pieces);
  writer.add("where_both_defined", certificate.whereBothDefined);
  writer.add("same_graph", certificate.isSameGraph);
  writer.add("repeatable", certificate.isRepeatable);
  writer.add("own_size", certificate.ownSize);
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)),
                     /*LowerCase=*/true);
}

//===----------------------------------------------------------------------===//
// Proofs
//===----------------------------------------------------------------------===//

static VerifyOptions getOptions(const Certificate &certificate) {
  VerifyOptions options;
  options.seed = getSeed(certificate);
  options.errorBoundBits = certificate.errorBoundBits;
  options.triesOwnSizes = false;
  return options;
}

llvm::Expected<Verdict> mlir::mirage::proveCertified(
    const Certificate &certificate, const Graph &program, const Graph &result,
    unsigned share, std::function<bool()> isCancelled) {
  VerifyOptions options = getOptions(certificate);
  options.maxWork /= share;
  options.isCancelled = std::move(isCancelled);
  return verifyEqual(program, result, options);
}

llvm::Expected<Verdict>
mlir::mirage::proveCertifiedExactly(const Certificate &certificate,
                                    const Graph &program, const Graph &result,
                                    std::function<bool()> isCancelled) {
  VerifyOptions options = getOptions(certificate);
  options.isCancelled = std::move(isCancelled);
  options.wantsExactProof = true;
  llvm::Expected<Verdict> verdict = verifyEqual(program, result, options);
  // Whatever trials there were decided nothing.
  if (verdict && verdict->kind == Verdict::Equal && !verdict->isSameGraph) {
    verdict->bound = {};
    verdict->bound.provedLog2 = verdict->bound.conjecturedLog2 =
        -std::numeric_limits<double>::infinity();
    verdict->sizes = verdict->exactProof->sizes;
    verdict->replaced = verdict->exactProof->replaced;
  }
  return verdict;
}

std::string mlir::mirage::getOwnSizeStatement(const Verdict &verdict) {
  if (verdict.kind != Verdict::Equal)
    return verdict.reason;
  if (verdict.isSameGraph)
    return "the same graph";
  if (verdict.bound.trials == 0 && verdict.exactProof)
    return "proved exactly";
  return verdict.ownSizes.isSampled() ? "sampled trials agree" : "trials agree";
}

namespace {
struct Figure {
  llvm::StringLiteral name;
  std::string value;
};
} // namespace

static std::vector<Figure> listFigures(const Certificate &certificate) {
  auto print = [](auto value) { return llvm::formatv("{0}", value).str(); };
  auto printLog2 = [](double log2) {
    return llvm::formatv("{0:f6}", log2).str();
  };
  return {{"proved_log2", printLog2(certificate.bound.provedLog2)},
          {"conjectured_log2", printLog2(certificate.bound.conjecturedLog2)},
          {"trials", print(certificate.bound.trials)},
          {"towers", print(certificate.bound.towers)},
          {"sizes", certificate.sizes},
          {"replaced numbers", describeReplaced(certificate.replaced)},
          {"pieces", print(certificate.pieces)},
          {"where_both_defined", print(certificate.whereBothDefined)},
          {"same_graph", print(certificate.isSameGraph)}};
}

llvm::Expected<std::optional<std::string>>
mlir::mirage::findFlaw(const Certificate &certificate, const Graph &program,
                       const Graph &result) {
  auto flaw = [](const auto &text) {
    return std::optional<std::string>(text.str());
  };
  if (certificate.version != kCertificateVersion)
    return flaw(llvm::formatv(
        "it is of version {0}, {1} than {2}, and the proofs of others are not "
        "repeated",
        certificate.version,
        certificate.version < kCertificateVersion ? "older" : "newer",
        kCertificateVersion));
  if (std::string digest = computeDigest(certificate);
      digest != certificate.digest)
    return flaw(llvm::formatv("it was changed: its entries have the digest "
                              "{0}, and it says {1}",
                              digest, certificate.digest));
  Certificate own = makeCertificate(program, result, certificate.seed,
                                    certificate.errorBoundBits);
  if (own.program != certificate.program)
    return flaw(llvm::formatv("it is of another program: {0} here, {1} there",
                              own.program, certificate.program));
  if (own.result != certificate.result)
    return flaw(llvm::formatv("it is of another result: {0} here, {1} there",
                              own.result, certificate.result));
  if (!certificate.isRepeatable)
    return std::optional<std::string>();
  llvm::Expected<Verdict> verdict = proveCertified(own, program, result);
  if (verdict && verdict->kind == Verdict::Unknown)
    if (auto exact = proveCertifiedExactly(own, program, result);
        !exact || exact->kind == Verdict::Equal)
      verdict = std::move(exact);
  if (!verdict)
    return verdict.takeError();
  if (verdict->kind != Verdict::Equal)
    return flaw(
        llvm::formatv("repeated, its trials say {0}", toString(*verdict)));
  setFigures(*verdict, own);
  // What is no smaller size was tried at its own.
  std::string ownSize = getOwnSizeStatement(*verdict);
  if (!verdict->isLarge && certificate.ownSize != ownSize)
    return flaw(llvm::formatv("repeated, its own_size comes out as '{0}', not "
                              "'{1}'",
                              ownSize, certificate.ownSize));
  for (auto [here, there] :
       llvm::zip_equal(listFigures(own), listFigures(certificate)))
    if (here.value != there.value)
      return flaw(llvm::formatv("repeated, its {0} comes out as {1}, not {2}",
                                here.name, here.value, there.value));
  return std::optional<std::string>();
}
