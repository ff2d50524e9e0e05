//===- LaunchSequence.h - A function as a list of launches ------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that is compiled is nothing but kernel graphs, one after the
// other, and each of these nothing but `mirage_block.graph`s, which are
// launched, and views (TensorView.h). What lies in device memory is the
// function's arguments, the results of launches and those of concats; every
// other tensor is a view of one of these.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ANALYSIS_LAUNCHSEQUENCE_H
#define MIRAGE_ANALYSIS_LAUNCHSEQUENCE_H

#include "Mirage/Analysis/TensorView.h"
#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Dialect/Operator/LaunchAttributes.h"
#include "Mirage/Planning/StorageProblem.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::mirage {

class LaunchSequence {
public:
  /// \returns failure after an error at the first op that is neither a kernel
  /// graph nor one that makes an empty tensor nor dead, or, inside a kernel
  /// graph, neither a block graph nor a view (--mirage-materialize-views makes
  /// copies of what cannot be one); and where a result of the function is not
  /// written by launches, or the same as another.
  static FailureOr<LaunchSequence> read(func::FuncOp function);

  func::FuncOp getFunction() const { return function; }
  ArrayRef<block::GraphOp> getLaunches() const { return launches; }
  /// The tensor in device memory that an operand or a result of a launch is a
  /// view of: an argument of the function or a result of a launch or a concat.
  Value getRoot(Value tensor) const { return views.at(tensor).root; }
  /// A buffer of the root's elements, seen as the tensor.
  MemRefType getBufferType(Value tensor) const;
  /// The buffers that the caller binds for the function's results.
  MemRefType getResultType(unsigned number) const;

  /// Places in the workspace for what lies between launches: results that the
  /// function does not return, in the order in which they are first written.
  /// Time is counted in launches: a tensor is live from the one that writes it
  /// to the last one that reads it.
  StorageProblem makeStorageProblem() const;
  /// Leaves a plan in attributes: `mirage.workspace_offsets` on each launch,
  /// for each result the offset in bytes of the tensor that it is, or is a part
  /// of, -1 where that is returned; and on the function
  /// `mirage.workspace_bytes`.
  void annotate(const StoragePlan &plan);
  /// The plan that attributes state, or failure after an error that says what
  /// is missing or does not hold.
  FailureOr<StoragePlan> readPlan() const;
  /// Where an operand or a result of a launch lies.
  DeviceBuffer getBuffer(Value tensor, const StoragePlan &plan) const;

private:
  explicit LaunchSequence(func::FuncOp function) : function(function) {}
  LogicalResult readBody();
  LogicalResult readGraph(kernel::GraphOp graph);
  LogicalResult readKernel(Operation &kernel);
  LogicalResult readView(Operation &view);
  LogicalResult checkParts(kernel::ConcatOp concat);
  LogicalResult readResults();

  func::FuncOp function;
  SmallVector<block::GraphOp> launches;
  SmallVector<Value> intermediates;
  DenseMap<Value, TensorView> views;
  DenseMap<Value, unsigned> resultIndex; ///< of the function, by root
};

inline constexpr llvm::StringLiteral kWorkspaceOffsetsAttr =
    "mirage.workspace_offsets";
inline constexpr llvm::StringLiteral kWorkspaceBytesAttr =
    "mirage.workspace_bytes";

} // namespace mlir::mirage

#endif // MIRAGE_ANALYSIS_LAUNCHSEQUENCE_H
