//===- LinalgToKernel.h - Import of linalg programs -------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From tensor programs in upstream dialects to `mirage_kernel.graph`, in three
// steps that can be used one by one:
//
//   1. each op that we understand becomes a kernel graph of its own, built from
//      the op's indexing maps and the ops of its body, never from its name:
//        linalg.generic { mul, add } over (m, n, k)  ->  mirage_kernel.matmul
//   2. kernel graphs that feed each other are merged into maximal convex ones;
//   3. each graph is tidied: casts become the element types that values are
//      stored in, a sum times 1 / (number of elements) becomes a mean.
//
// What is kept exactly: which element of which operand meets which, every
// constant by the bits of its literal, and what an op accumulates on.
// Rounding inside a body is kept only as element types of results. Operators
// that treat NaN in their own way (arith.maxnumf) are taken only where they
// state that there is none. docs/rationale/Import.md says what is read more
// freely than it is written, and why.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_CONVERSION_LINALGTOKERNEL_H
#define MIRAGE_CONVERSION_LINALGTOKERNEL_H

#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <string>

namespace mlir::mirage {

/// Replaces one op on tensors by a kernel graph that computes its results: a
/// structured op of linalg, linalg.softmax, an elementwise op of arith or math
/// on tensors, a reshape, slice, concat, insertion or pad of tensor, or an op
/// that says itself how it is written
/// (Mirage/Dialect/Kernel/IR/ExpressibleOpInterface.h). Results that nothing
/// uses are dropped; one whose elements are all one number becomes a constant
/// of arith.
/// \param reason  set on failure: what was expected and found, fit to follow
///                "stays outside: ". The op is then unchanged.
/// \returns the graph; null where nothing was left for one to compute.
FailureOr<kernel::GraphOp> convertOpToKernelGraph(RewriterBase &rewriter,
                                                  Operation *op,
                                                  std::string &reason);

/// Merges those of `graphs` that stand in one block, feed each other or share
/// an operand, into as few as possible, so that no value leaves a merged graph
/// and comes back to it. Values that nothing outside uses are no results any
/// more; a graph without results is erased.
/// \param graphs  graphs of one block, in the block's order.
/// \returns what stands now in their place, in the block's order.
SmallVector<kernel::GraphOp>
mergeKernelGraphs(RewriterBase &rewriter, ArrayRef<kernel::GraphOp> graphs);

/// Step 1 as patterns, one match per op; for other conversions to build on.
void populateLinalgToKernelPatterns(RewritePatternSet &patterns);

/// Step 3: rewrites of ops inside kernel graphs that change no value but for
/// rounding to element types, which they keep where a value is stored.
void populateKernelGraphTidyingPatterns(RewritePatternSet &patterns);

/// All three steps on a function, after ops on tensors that nothing reads were
/// erased. Ops that are not understood stay as they are, each with a remark
/// that names it and says why.
LogicalResult convertLinalgToKernel(FunctionOpInterface function);

} // namespace mlir::mirage

#endif // MIRAGE_CONVERSION_LINALGTOKERNEL_H
