//===- ComposedOperators.h - Operators made of others -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A norm or a softmax is no operation of its own: it stands for a small graph
// of other rows of the table. RMSNorm over the last dimension, with a weight:
//
//   inputs %0: 8x64xf16, %1: 64xf16
//     %2 = square %0                         8x64xf32
//     %3 = mean %2 dims [1]                  8x1xf32
//     %4 = offset %3 scalars [epsilon]       8x1xf32
//     %5 = sqrt %4                           8x1xf32
//     %6 = div %0, %5                        8x64xf32
//     %7 = mul %6, %1                        8x64xf16    outputs %7
//
// Its shape rule, its meaning in fields and in doubles, its cost and its
// kernels are those of this graph; what walks graphs replaces it first and has
// no case of its own. Between the steps values are f32, so that nothing is
// rounded but the result, as by any other operator.
//
// A softmax subtracts the maximum first: exp(x - m) / sum(exp(x - m)) is the
// same for every m, and with the maximum no exponential overflows. Over fields
// m is arbitrary, and cancels.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_COMPOSEDOPERATORS_H
#define MIRAGE_GRAPH_COMPOSEDOPERATORS_H

#include "Mirage/Graph/Graph.h"

namespace mlir::mirage {

inline bool isComposed(Opcode opcode) {
  return getOperatorInfo(opcode).kind == OperatorKind::Composed;
}

/// What a composed operator stands for: a graph of kernel-level operators whose
/// inputs are the operands, with one output.
/// \param result  the type of the result; the shape is read by Repeat alone.
/// \returns the graph, or an error that says which attribute or operand is the
/// matter.
llvm::Expected<Graph> defineComposed(Opcode opcode,
                                     const Attributes &attributes,
                                     llvm::ArrayRef<TensorSpec> operands,
                                     const TensorSpec &result);

/// The same graph with each composed operation replaced by what it stands for.
/// \param graph  a verified graph.
Graph expandComposed(const Graph &graph);

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_COMPOSEDOPERATORS_H
