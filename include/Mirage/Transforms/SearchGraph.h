//===- SearchGraph.h - Superoptimizing a kernel graph -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TRANSFORMS_SEARCHGRAPH_H
#define MIRAGE_TRANSFORMS_SEARCHGRAPH_H

#include "Mirage/Artifact/MeasuredTime.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Search/Search.h"
#include "Mirage/Verify/Certificate.h"
#include "Mirage/Verify/Verify.h"
#include "mlir/IR/BuiltinOps.h"
#include <functional>

namespace mlir::mirage {

struct SearchGraphOptions {
  search::SearchOptions search;
  /// The final test goes on until its proved error is below 2^-errorBoundBits,
  /// where a theorem allows that.
  unsigned errorBoundBits = 64;
  /// Times of one device, of the search's target. Where there are any, only
  /// candidates that were measured and are right are taken, the fastest first,
  /// and they have to beat the baseline that was measured.
  std::vector<MeasuredTime> times;
  /// Whether, where no candidate was measured, `times` do not count: those of a
  /// cache, which nobody has asked for.
  bool ignoresForeignTimes = false;
  /// Whether candidates that pass the final test beside the one that is taken
  /// are wanted as well.
  bool keepsCandidates = false;
  /// Measures those that pass the final test, which are functions of a module
  /// (CandidateEvaluator.h), and takes the place of `times`; for graphs in a
  /// func.func that is a program, and that checkKeepsCandidates takes. Null:
  /// `times` or predictions say which is the fastest.
  std::function<llvm::Expected<std::vector<MeasuredTime>>(ModuleOp)> measure;
};

/// What checkOptions says, and the same of the members that are not the
/// search's own.
llvm::Error checkOptions(const SearchGraphOptions &options);

/// The sizes of a kernel, for reports.
struct KernelSizes {
  int64_t blocks = 1, threads = 0, loop = 1, stages = 1;
  bool isLibrary = false; ///< left to a library, which has its own sizes
};

/// A µGraph that passed the final test.
struct TestedCandidate {
  Graph graph;
  Certificate certificate;
  double predictedUs = 0;
};

/// What became of one kernel graph.
struct SearchGraphResult {
  search::SearchResult search;
  /// Whether a µGraph that was found now stands in the graph's place; if not,
  /// the graph is as it was, and `whyNot` says why.
  bool isReplaced = false;
  SmallVector<KernelSizes> kernels; ///< of the µGraph in place
  double predictedUs = 0; ///< of it; `search` has what the cheapest takes
  /// Of it, cold; none where it was not measured.
  std::optional<double> measuredUs;
  /// Of the program without a search, cold; likewise.
  std::optional<double> measuredBaselineUs;
  std::vector<MeasuredTime> times; ///< of what `measure` measured
  /// All that passed, the one in place first, if they were wanted.
  std::vector<TestedCandidate> candidates;
  std::string whyNot;
  /// Of the µGraph in place: the final tests at small sizes, joined, and the
  /// test at the program's own. The latter is Unknown, with the reason, where
  /// these are so large that it would take minutes.
  Verdict smallSizes, fullSize;
};

/// Replaces the body of `op` by the cheapest equal µGraph found, if one is
/// cheaper than every operator as a kernel of its own and passes the final
/// test. The result carries the attribute `mirage.certificate`. Fails after a
/// diagnostic where the options are no good (checkOptions, a target that is no
/// GPU); a graph that cannot be searched is left alone, as is one for a GPU of
/// unknown rates.
FailureOr<SearchGraphResult> searchGraph(kernel::GraphOp op,
                                         const SearchGraphOptions &options);

/// Puts a µGraph into the place of the body of `op`, with its certificate.
void replaceBody(kernel::GraphOp op, const Graph &graph,
                 const Certificate &certificate);

/// The result as a member of the report that `report=` writes.
llvm::json::Value toJSON(const SearchGraphResult &result);

} // namespace mlir::mirage

#endif // MIRAGE_TRANSFORMS_SEARCHGRAPH_H
