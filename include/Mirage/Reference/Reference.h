//===- Reference.h - What a µGraph computes, in float64 ------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference says what the numbers of a compiled program should be. It walks
// a µGraph as it is written, in double precision: at kernel level one operation
// after the other; in a tile graph block by block and iteration by iteration,
// with tiles cut out of the tensors, zeros beyond their edges, masks,
// accumulators and output maps. Where blocks join in mid-kernel, all of them
// are taken as far before any goes on. It shares the operator table with the
// verifier and no evaluation code.
//
// Element types play no part unless asked for: casts change nothing, and only
// inputs have been rounded. With the declared rounding each operation is still
// computed in float64 and its result is then rounded to the element type that
// the graph states, once it is complete; an accumulator after every iteration
// or block that it adds, as it is an f32 for that long.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_REFERENCE_REFERENCE_H
#define MIRAGE_REFERENCE_REFERENCE_H

#include "Mirage/Graph/Graph.h"
#include "Mirage/Reference/HostTensor.h"
#include "llvm/Support/Error.h"

namespace mlir::mirage {

enum class Rounding : uint8_t {
  Exact,    ///< none: float64 throughout
  Declared, ///< of each result, to the element type of its value
};

struct ReferenceOptions {
  unsigned threads = 0; ///< 0: as many as the machine has
  /// Compute `ReferenceOutput::scales` as well, at the price of a second
  /// matmul.
  bool scales = true;
  Rounding rounding = Rounding::Exact;
};

struct ReferenceOutput {
  TensorSpec type;
  std::vector<double> values; ///< row-major
  /// Where the output is the result of a matmul (seen through movements): by
  /// element, the sum of |a·b| over the products that it adds, against which
  /// rounding errors are judged. Else empty.
  std::vector<double> scales;
  /// The types in which the output and the results that it is computed from are
  /// stored, each once. A program says by these how exact it is.
  std::vector<ElementType> storedTypes = {};
  /// Whether it is computed from a product, of a graph that lets tensor cores
  /// round operands of products to tf32. The numbers here are not rounded so.
  bool mayBeRoundedToTF32 = false;
};

/// Whether a graph is well-formed and of sizes that the reference takes: up to
/// 2^31 elements in a tensor, 2^26 in a tile of a tile graph. What allocates
/// inputs of a graph from outside asks first.
llvm::Error checkEvaluable(const Graph &graph);

/// The least number of bytes that an evaluation takes beside its inputs: for
/// these, or the outputs, in float64.
double countReferenceBytes(const Graph &graph);

/// Evaluates a graph. The result does not depend on the number of
/// threads.
/// \param inputs  one for each input of the graph.
/// \returns one output for each of the graph's, or an error that says which
/// input or value is the matter: another type than the graph's, what
/// `checkEvaluable` finds, or what memory cannot hold.
llvm::Expected<std::vector<ReferenceOutput>>
evaluateReference(const Graph &graph, llvm::ArrayRef<HostTensor> inputs,
                  const ReferenceOptions &options = {});

} // namespace mlir::mirage

#endif // MIRAGE_REFERENCE_REFERENCE_H
