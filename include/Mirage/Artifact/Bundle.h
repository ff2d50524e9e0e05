//===- Bundle.h - Candidates to be measured elsewhere --------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bundle is what a search hands to the machine with the GPU: a folder with
// the best candidates of one program, compiled, and the program as it is
// without a search, which they have to beat:
//
//   bundle.json     written last, so that a folder that has one is whole
//   baseline/       an artifact (Mirage/Artifact/Artifact.h)
//   candidate-0/    an artifact; the one that the search took
//   candidate-1/    the one that it would have taken next, ...
//   times.jsonl     what `mirage-run --measure` says of them
//                   (Mirage/Artifact/MeasuredTime.h)
//
// bundle.json:
//
//   {"format": "mirage-bundle", "version": 1, "program": "5f0c...",
//    "target": "sm_90a", "seed": "1",
//    "baseline": {"folder": "baseline", "hash": "93a1...", "graph": "",
//                 "predictedUs": 30},
//    "candidates": [{"folder": "candidate-0", "hash": ...}, ...]}
//
// The order of candidates is that of Mirage/Transforms/CandidateFunctions.h:
// those with the proved bound that was asked for go before the others, and each
// kind by time, predicted or measured. One that cannot be compiled is left out.
//
// Hashes of µGraphs are those of Mirage/Graph/CanonicalGraph.h.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ARTIFACT_BUNDLE_H
#define MIRAGE_ARTIFACT_BUNDLE_H

#include "Mirage/Graph/Graph.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::mirage {

constexpr llvm::StringLiteral kBundleFile = "bundle.json";
constexpr llvm::StringLiteral kTimesFile = "times.jsonl";

/// One artifact of a bundle.
struct BundleEntry {
  std::string folder;     ///< in the bundle's, a plain name
  std::string hash;       ///< getArtifactHash
  std::string graph;      ///< hash of its µGraph; empty for the baseline
  double predictedUs = 0; ///< by the cost model that ranked it
};

struct Bundle {
  std::string program; ///< hashProgram
  std::string target;  ///< "sm_90a"
  uint64_t seed = 0;   ///< of the search
  std::optional<BundleEntry> baseline;
  std::vector<BundleEntry> candidates; ///< as they would be taken
};

/// Tells a program from others, however it is written: of its canonical form,
/// with composed operators written out.
std::string hashProgram(const Graph &program);

/// Tells an artifact from others: XXH3 of its manifest, which has the checksums
/// of its code; 16 hexadecimal digits. Fails where the folder has none.
llvm::Expected<std::string> getArtifactHash(llvm::StringRef directory);

/// Whether a folder is a bundle, or at least says so.
bool isBundle(llvm::StringRef directory);

/// Makes place for a bundle: creates `directory` if it is missing, and removes
/// what there is of an earlier bundle, which are bundle.json, the artifacts
/// that it names, and times.jsonl; other files stay. Fails, naming the file,
/// where the system refuses.
llvm::Error prepareBundleFolder(llvm::StringRef directory);

/// Writes bundle.json into `directory`, beside the artifacts that it names.
llvm::Error writeBundle(const Bundle &bundle, llvm::StringRef directory);

/// Reads bundle.json, which has to name a candidate, and looks whether its
/// artifacts are the ones it was made with. Errors are one sentence with the
/// file, the member, and what was expected and found.
llvm::Expected<Bundle> readBundle(llvm::StringRef directory);

} // namespace mlir::mirage

#endif // MIRAGE_ARTIFACT_BUNDLE_H
