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
#include "llvm/Support/FormatVariadic.h"

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

llvm::Expected<Verdict>
mlir::mirage::proveCertified(const Certificate &certificate,
                             const Graph &program, const Graph &result,
                             unsigned share) {
  VerifyOptions options;
  options.seed = getSeed(certificate);
  options.errorBoundBits = certificate.errorBoundBits;
  options.maxWork /= share;
  options.triesOwnSizes = false;
  return verifyEqual(program, result, options);
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
    return flaw(llvm::formatv("expects version {0}, got {1}, whose proofs are "
                              "not repeated",
                              kCertificateVersion, certificate.version));
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
  if (!verdict)
    return verdict.takeError();
  if (verdict->kind != Verdict::Equal)
    return flaw(
        llvm::formatv("repeated, its trials say {0}", toString(*verdict)));
  setFigures(*verdict, own);
  for (auto [here, there] :
       llvm::zip_equal(listFigures(own), listFigures(certificate)))
    if (here.value != there.value)
      return flaw(llvm::formatv("repeated, its {0} comes out as {1}, not {2}",
                                here.name, here.value, there.value));
  return std::optional<std::string>();
}
