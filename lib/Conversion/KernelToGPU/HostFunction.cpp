//===- HostFunction.cpp - A function as a list of launches ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostFunction.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Planning/StorageProblem.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::mirage;

StringRef mlir::mirage::getRoleName(DeviceBuffer::Role role) {
  switch (role) {
  case DeviceBuffer::Role::Input:
    return "input";
  case DeviceBuffer::Role::Output:
    return "output";
  case DeviceBuffer::Role::Workspace:
    return "workspace";
  }
  llvm_unreachable("all roles are named");
}

FailureOr<HostFunction> HostFunction::read(func::FuncOp function) {
  HostFunction host(function);
  if (failed(host.readBody()) || failed(host.assignOutputs()))
    return failure();
  host.assignWorkspace();
  return host;
}

LogicalResult HostFunction::readBody() {
  if (!function.getBody().hasOneBlock())
    return function.emitError("expects a function of one block");
  for (BlockArgument argument : function.getArguments()) {
    roots[argument] = argument;
    buffers[argument] = {DeviceBuffer::Role::Input, argument.getArgNumber()};
  }
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (isa<tensor::EmptyOp>(op))
      continue;
    if (!isa<kernel::GraphOp>(op))
      return op.emitError()
             << "expects nothing but kernel graphs in a function "
                "that is compiled, got '"
             << op.getName() << "'";
    if (failed(readGraph(&op)))
      return failure();
  }
  return success();
}

LogicalResult HostFunction::readGraph(Operation *op) {
  auto graph = cast<kernel::GraphOp>(op);
  Block &body = graph.getBody().front();
  for (auto [inner, outer] :
       llvm::zip_equal(body.getArguments(), graph.getInputs())) {
    auto root = roots.find(outer);
    if (root == roots.end())
      return graph.emitError("expects inputs that are arguments of the "
                             "function or results of a kernel graph");
    roots[inner] = Value(root->second);
  }
  for (Operation &kernel : body.without_terminator()) {
    if (auto reshape = dyn_cast<kernel::ReshapeOp>(kernel)) {
      roots[reshape.getResult()] = Value(roots.at(reshape.getOperand()));
    } else if (auto block = dyn_cast<block::GraphOp>(kernel)) {
      launches.push_back(block);
      for (Value result : kernel.getResults())
        roots[result] = result;
    } else {
      return kernel.emitError()
             << "expects a block graph in place of each operator "
                "(--mirage-assign-default-blocks), got '"
             << kernel.getName() << "'";
    }
  }
  for (auto [result, yielded] :
       llvm::zip_equal(graph.getResults(), body.getTerminator()->getOperands()))
    roots[result] = Value(roots.at(yielded));
  return success();
}

LogicalResult HostFunction::assignOutputs() {
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    auto root = roots.find(value);
    if (root == roots.end() || buffers.count(root->second))
      return terminator->emitError()
             << "expects each result to be written by a kernel of its own, "
                "result "
             << index << " is not";
    buffers[root->second] = {DeviceBuffer::Role::Output,
                             static_cast<unsigned>(index)};
  }
  return success();
}

/// Time is counted in launches: a tensor is live from the one that writes it to
/// the last one that reads it.
void HostFunction::assignWorkspace() {
  StorageProblem problem(/*alignment=*/256);
  SmallVector<Value> tensors;
  DenseMap<Value, unsigned> lastUse;
  for (auto [number, launch] : llvm::enumerate(launches))
    for (Value operand : launch->getOperands())
      lastUse[roots.at(operand)] = number;
  for (auto [number, launch] : llvm::enumerate(launches))
    for (Value result : launch->getResults()) {
      if (buffers.count(result))
        continue;
      unsigned begin = number;
      unsigned end = std::max(lastUse.lookup(result), begin) + 1;
      tensors.push_back(result);
      problem.add({convertTensor(result.getType()).getSizeBytes(), begin, end});
    }
  StoragePlan plan = planStorage(problem);
  workspaceBytes = plan.sizeBytes;
  for (auto [tensor, offset] : llvm::zip_equal(tensors, plan.offsets))
    buffers[tensor] = {DeviceBuffer::Role::Workspace, 0, offset};
}
