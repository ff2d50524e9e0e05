//===- HostFunction.h - A function as a list of launches --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_KERNELTOGPU_HOSTFUNCTION_H
#define MIRAGE_LIB_CONVERSION_KERNELTOGPU_HOSTFUNCTION_H

#include "Mirage/Dialect/Block/IR/Block.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::mirage {

/// A buffer of the caller, or a part of the workspace.
struct DeviceBuffer {
  enum class Role : uint8_t { Input, Output, Workspace };
  Role role = Role::Input;
  unsigned index = 0;      ///< among inputs or outputs
  int64_t offsetBytes = 0; ///< in the workspace
};
StringRef getRoleName(DeviceBuffer::Role role);

/// What a function of kernel graphs does: which kernels it launches, in which
/// order, and which buffers its tensors live in. Tensors between kernels share
/// the workspace where they are not live together.
class HostFunction {
public:
  /// \returns failure after an error at the first op that is neither a kernel
  /// graph nor one that makes an empty tensor, or, inside a kernel graph,
  /// neither a block graph nor a reshape.
  static FailureOr<HostFunction> read(func::FuncOp function);

  ArrayRef<block::GraphOp> getLaunches() const { return launches; }
  int64_t getWorkspaceBytes() const { return workspaceBytes; }
  /// Where an operand or a result of a launch lives.
  DeviceBuffer getBuffer(Value tensor) const {
    return buffers.at(roots.at(tensor));
  }

private:
  explicit HostFunction(func::FuncOp function) : function(function) {}
  LogicalResult readBody();
  LogicalResult readGraph(Operation *graph);
  LogicalResult assignOutputs();
  void assignWorkspace();

  func::FuncOp function;
  SmallVector<block::GraphOp> launches;
  /// For each tensor the one that it is a view of: an argument of the function
  /// or a result of a launch.
  DenseMap<Value, Value> roots;
  DenseMap<Value, DeviceBuffer> buffers; ///< by root
  int64_t workspaceBytes = 0;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_KERNELTOGPU_HOSTFUNCTION_H
