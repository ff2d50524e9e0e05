//===- Judge.h - Are the functions of two modules equal? --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_PIPELINES_JUDGE_H
#define MIRAGE_PIPELINES_JUDGE_H

#include "Mirage/Verify/Verify.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

namespace mlir::mirage {

struct JudgeOptions {
  /// Of the verifier's draws; none: from the operating system.
  std::optional<uint64_t> seed;
  unsigned errorBoundBits = 64;
  /// At least so many trials, also where a bound is met with fewer; at the
  /// functions' own sizes as well.
  unsigned minTrials = 0;
  /// Results are matched by what they are (Mirage/Verify/OutputOrder.h), and
  /// not by their places.
  bool matchesOutputs = false;
  /// Nothing is equal without a proof by canonical forms.
  bool wantsExactProof = false;
  /// The certificates of the second module's graphs
  /// (Mirage/Verify/Certificate.h) are compared with the graphs, and their
  /// proofs repeated, besides.
  bool repeatsCertificates = false;
  /// Multiply-adds of a function beyond which trials at the functions' own
  /// sizes evaluate a sample of the results' elements, of about as much work;
  /// none: only where they do not fit the memory.
  std::optional<uint64_t> maxWholeWork = {};
  /// How many float64 inputs are tried for the verdict Different, at most: ten,
  /// and where there are literals seven more, near them and beyond.
  unsigned witnessTries = 17;
};

/// What was found of a graph's certificate.
struct CertificateFinding {
  /// Without one, the graph is the program's own.
  bool isThere = false;
  bool isProof = false; ///< something is proved by it, if it holds
  /// False if its proof is of parts that the result does not show: no more than
  /// the graphs' hashes was compared.
  bool isRepeated = true;
  std::string flaw = {}; ///< why it does not hold; empty if it does
};

/// What was found of one function.
struct FunctionVerdict {
  std::string function;
  Verdict verdict;
  /// Arguments and results whose element types differ, "argument 1 (f16 and
  /// f32)": how a value is stored is no part of what is judged.
  std::vector<std::string> otherTypes = {};
  /// Which result of the second function each of the first was matched with;
  /// empty where that is the one at its place.
  llvm::SmallVector<unsigned> outputOrder = {};
  /// Of its `mirage_kernel.graph`s, in order, if they were asked for.
  std::vector<CertificateFinding> certificates = {};
};

/// Judges each function of `before` with a body against the one of the same
/// name in `after`; where both modules have but one, names do not matter.
/// Functions may hold linalg on tensors, µGraphs of any level, or both: what is
/// not yet a µGraph is imported, so both modules may change. Shares importer
/// and operator table with the search, and draws its own randomness. Fails
/// after a diagnostic where a function has no counterpart, of the same type, or
/// is no tensor program; and, where certificates are repeated, if the function
/// has other graphs than its counterpart and no certificate says why.
/// \param verdicts  gets one for each function of `before` that can be judged,
///                  in order; those of others also where one cannot be.
LogicalResult judgeModules(ModuleOp before, ModuleOp after,
                           const JudgeOptions &options,
                           std::vector<FunctionVerdict> &verdicts);

/// Looks for a float64 input on which two graphs differ by more than all
/// rounding on the way can explain (Mirage/Verify/RoundedEvaluation.h), in the
/// way that `VerifyOptions::findWitness` wants it. Whichever of its inputs
/// shows it, the witness has `seed`, with which it is found again.
FindWitness makeWitnessFinder(uint64_t seed, unsigned tries);
/// The same where nothing but some elements are evaluated.
FindWitnessAt makeElementWitnessFinder(uint64_t seed, unsigned tries);

/// Of all functions together: Different outweighs Unknown, and that Equal. A
/// graph whose certificate is another one's is different from what it is said
/// to be; of a proof that cannot be repeated nothing is known.
Verdict::Kind joinVerdicts(ArrayRef<FunctionVerdict> verdicts);

/// One line for people.
std::string toString(const FunctionVerdict &verdict);
/// {"functions": [...]}, an object for each.
llvm::json::Value toJSON(ArrayRef<FunctionVerdict> verdicts);

} // namespace mlir::mirage

#endif // MIRAGE_PIPELINES_JUDGE_H
