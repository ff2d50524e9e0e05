//===- Certificate.h - A proof that can be repeated -------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A µGraph that stands in a program's place carries a certificate: of which
// program and which µGraph it is, and what was proved of the two, with all that
// the proof depends on. So it can be repeated, and has to come out the same
// figure by figure:
//
//   - *Which graphs*: the hashes of both (Mirage/Graph/CanonicalGraph.h), with
//     composed operators written out. A graph that was changed has another.
//   - *Which draws*: those of a hash of both, of a seed and of what was
//     asked for. They are known only once the graphs are, so that no graph can
//     be made to suit them, and whoever changes the hash along with the graph
//     has other trials. (Whoever tries many seeds, though, has as many chances
//     to pass: a certificate is worth its bound times the number of them.)
//   - *What came out*: bound, trials, towers of primes, pieces, sizes and
//     what is another number at these. They are of the graphs as they are
//     written out, at smaller sizes if they are large: that takes no time,
//     whatever the graphs' own sizes are, and depends on no machine.
//   - *A digest* of all of this, and of what trials at the graphs' own sizes
//     came to, which nobody repeats. Another seed or bound may well prove the
//     same, so that the figures would not show that it was changed.
//
// What a certificate says is true of the draws that it names. Whoever does not
// trust these judges the graphs anew, with draws of his own (Verify.h).
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_VERIFY_CERTIFICATE_H
#define MIRAGE_VERIFY_CERTIFICATE_H

#include "Mirage/Verify/Verify.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::mirage {

/// Goes up whenever some pair of graphs has other draws or figures than before,
/// or another hash, and when there is another entry.
constexpr unsigned kCertificateVersion = 6;

/// What may be asked for.
constexpr unsigned kMaxErrorBoundBits = 4096;

struct Certificate {
  unsigned version = kCertificateVersion;
  std::string program, result; ///< hashes
  uint64_t seed = 0;
  /// Trials went on until the proved error was below 2^-errorBoundBits, where a
  /// theorem allows that.
  unsigned errorBoundBits = 64;

  /// What came out, as in Verdict.
  ErrorBound bound = {};
  std::string sizes = {};
  ReplacedNumbers replaced = {};
  unsigned pieces = 0;
  bool whereBothDefined = false;
  bool isSameGraph = false;

  /// False if the figures are sums over parts that a search cut the program
  /// into, and that the result does not show: nothing is proved of the whole.
  bool isRepeatable = true;
  /// What trials at the graphs' own sizes came to.
  std::string ownSize = {};

  /// computeDigest of the rest, once that is complete.
  std::string digest = {};
};

/// What `ownSize` says after this verdict on the graphs at their own sizes:
/// "trials agree", "sampled trials agree", "proved exactly", "the same graph",
/// or why there is nothing to say.
std::string getOwnSizeStatement(const Verdict &verdict);

/// The certificate of two verified graphs of one interface, with no figures
/// yet.
Certificate makeCertificate(const Graph &program, const Graph &result,
                            uint64_t seed, unsigned errorBoundBits);

/// What its draws come from.
Seed getSeed(const Certificate &certificate);

/// Sets the figures to those of a verdict.
void setFigures(const Verdict &verdict, Certificate &certificate);

/// SHA-256 of everything but the digest, entry by entry in the order of the
/// members, as 64 hexadecimal digits. Numbers count bit by bit; the graphs by
/// their hashes, which are of their canonical forms.
std::string computeDigest(const Certificate &certificate);

/// What the trials that a certificate names say of its graphs: nothing is tried
/// at own sizes that are too large to be written out.
/// \param share        of the usual work, one over so much.
/// \param isCancelled  of VerifyOptions: what it ends is Unknown.
/// \returns a verdict, or an error as verifyEqual has it.
llvm::Expected<Verdict> proveCertified(const Certificate &certificate,
                                       const Graph &program,
                                       const Graph &result, unsigned share = 1,
                                       std::function<bool()> isCancelled = {});

/// The same by canonical forms (ExactProof.h), for graphs of which trials
/// decide nothing, as where exponentials are nested too deep: at their own
/// sizes, or if these are large at smaller ones. The bound is minus infinity
/// then, and there are no trials.
/// \param isCancelled  as above.
llvm::Expected<Verdict>
proveCertifiedExactly(const Certificate &certificate, const Graph &program,
                      const Graph &result,
                      std::function<bool()> isCancelled = {});

/// Compares the digest with the other entries, the hashes with the graphs, and
/// repeats the proof if it is repeatable.
/// \returns what is wrong with the certificate, none if nothing is; or an error
/// as verifyEqual has it.
llvm::Expected<std::optional<std::string>>
findFlaw(const Certificate &certificate, const Graph &program,
         const Graph &result);

} // namespace mlir::mirage

#endif // MIRAGE_VERIFY_CERTIFICATE_H
