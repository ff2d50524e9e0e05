//===- TensorOperations.h - Operators on whole tensors ----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_REFERENCE_TENSOROPERATIONS_H
#define MIRAGE_LIB_REFERENCE_TENSOROPERATIONS_H

#include "Mirage/Graph/Graph.h"
#include "Mirage/Graph/Strides.h"
#include "Mirage/Reference/Reference.h"
#include <memory>

namespace mlir::mirage {

/// Row-major doubles. Copies share the elements, which are written only while
/// the tensor is being made.
struct Tensor {
  Shape shape;
  std::shared_ptr<double[]> data;

  /// Elements have no value yet.
  static Tensor allocate(llvm::ArrayRef<int64_t> shape);
  static Tensor fill(llvm::ArrayRef<int64_t> shape, double value);
  int64_t getNumElements() const;
  bool isNull() const { return !data; }
};

/// How an evaluation goes about it.
struct EvaluationOptions {
  unsigned threads = 1;
  Rounding rounding = Rounding::Exact;

  EvaluationOptions withThreads(unsigned number) const {
    return {number, rounding};
  }
};

/// A value as one of an element type: itself, or rounded if that is asked for.
Tensor roundAsStored(const Tensor &value, ElementType type,
                     const EvaluationOptions &options);
/// An operation's result, likewise. A movement that keeps the element type has
/// nothing to round.
Tensor roundResult(const Graph &graph, const Node &operation,
                   unsigned numResult, const Tensor &value,
                   const EvaluationOptions &options);

/// Applies a definition to each element, with NumPy broadcasting to `shape`.
Tensor applyElementwise(const ScalarDefinition &definition,
                        llvm::ArrayRef<Tensor> operands,
                        llvm::ArrayRef<double> parameters, double size,
                        llvm::ArrayRef<int64_t> shape, unsigned threads);
/// The same, into a tensor that is there. It may be one of the operands, if
/// that has the result's shape: elements are read before they are written.
void applyElementwiseInto(Tensor &result, const ScalarDefinition &definition,
                          llvm::ArrayRef<Tensor> operands,
                          llvm::ArrayRef<double> parameters, double size,
                          unsigned threads);

/// Joins the elements of `operand` into those of `result`, whose sizes are the
/// operand's or 1.
void combineInto(Tensor &result, const Tensor &operand, Combiner combiner,
                 unsigned threads);

/// `result` += the first step of a reduction (Rms: squares), joined over the
/// dimensions in which `result` has size 1.
void reduceInto(Tensor &result, const Tensor &operand, Opcode reduction,
                unsigned threads);
/// The last step of a reduction over `size` elements (Mean: the quotient).
Tensor finishReduction(const Tensor &joined, Opcode reduction, double size,
                       unsigned threads);

/// Result dimension i walks operand dimension dims[i].
Tensor transpose(const Tensor &operand, llvm::ArrayRef<int64_t> dims,
                 unsigned threads);
Tensor broadcast(const Tensor &operand, llvm::ArrayRef<int64_t> shape,
                 unsigned threads);

/// Batched product with broadcast of leading dimensions. (Matmul.cpp)
Tensor multiply(const Tensor &lhs, const Tensor &rhs,
                llvm::ArrayRef<int64_t> shape, unsigned threads);

/// Movements that do not ask where a tile lies: all but Mask and CausalMask.
Tensor applyMovement(const Node &operation, llvm::ArrayRef<Tensor> operands,
                     llvm::ArrayRef<int64_t> shape, unsigned threads);

/// Any operation that needs no tile graph around it: all but Mask, CausalMask,
/// Accumulate and Graph.
Tensor applyOperation(const Node &operation, llvm::ArrayRef<Tensor> operands,
                      llvm::ArrayRef<int64_t> shape, unsigned threads);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_REFERENCE_TENSOROPERATIONS_H
