//===- LaunchSequence.cpp - A function as a list of launches --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/LaunchSequence.h"
#include "Mirage/Dialect/Operator/DeadOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::mirage;

/// What TMA wants of a tensor's address, and more than any vector load does.
static constexpr int64_t kBufferAlignment = 256;

FailureOr<LaunchSequence> LaunchSequence::read(func::FuncOp function) {
  LaunchSequence sequence(function);
  if (failed(sequence.readBody()) || failed(sequence.readResults()))
    return failure();
  return sequence;
}

LogicalResult LaunchSequence::readBody() {
  if (!function.getBody().hasOneBlock())
    return function.emitError("expects a function of one block");
  for (BlockArgument argument : function.getArguments())
    roots[argument] = argument;
  Block &body = function.getBody().front();
  DenseSet<Operation *> dead = findDeadOps(body);
  for (Operation &op : body.without_terminator()) {
    if (isa<tensor::EmptyOp>(op) || dead.contains(&op))
      continue;
    auto graph = dyn_cast<kernel::GraphOp>(op);
    if (!graph)
      return op.emitError()
             << "expects nothing but kernel graphs in a function "
                "that is compiled, got '"
             << op.getName() << "'";
    if (failed(readGraph(graph)))
      return failure();
  }
  return success();
}

LogicalResult LaunchSequence::readGraph(kernel::GraphOp graph) {
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
      roots[reshape.getResult()] = getRoot(reshape.getOperand());
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
    roots[result] = getRoot(yielded);
  return success();
}

LogicalResult LaunchSequence::readResults() {
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    auto root = roots.find(value);
    if (root == roots.end() || isa<BlockArgument>(root->second) ||
        !resultIndex.try_emplace(root->second, index).second)
      return terminator->emitError()
             << "expects each result to be written by a kernel of its own "
                "(--mirage-materialize-results), result "
             << index << " is not";
  }
  for (block::GraphOp launch : launches)
    llvm::copy_if(launch->getResults(), std::back_inserter(intermediates),
                  [&](Value result) { return !resultIndex.count(result); });
  return success();
}

StorageProblem LaunchSequence::makeStorageProblem() const {
  DenseMap<Value, unsigned> written, lastUse;
  for (auto [number, launch] : llvm::enumerate(launches)) {
    for (Value operand : launch->getOperands())
      lastUse[getRoot(operand)] = number;
    for (Value result : launch->getResults())
      written[result] = lastUse[result] = number;
  }
  StorageProblem problem(kBufferAlignment);
  for (Value tensor : intermediates)
    problem.add({convertTensor(tensor.getType()).getSizeBytes(),
                 written.at(tensor), lastUse.at(tensor) + 1});
  return problem;
}

void LaunchSequence::annotate(const StoragePlan &plan) {
  DenseMap<Value, int64_t> offsets;
  for (auto [tensor, offset] : llvm::zip_equal(intermediates, plan.offsets))
    offsets[tensor] = offset;
  Builder builder(function.getContext());
  auto getOffset = [&](Value result) -> int64_t {
    auto offset = offsets.find(result);
    return offset == offsets.end() ? -1 : offset->second;
  };
  for (block::GraphOp launch : launches)
    launch->setAttr(kWorkspaceOffsetsAttr,
                    builder.getDenseI64ArrayAttr(
                        llvm::map_to_vector(launch->getResults(), getOffset)));
  function->setAttr(kWorkspaceBytesAttr,
                    builder.getI64IntegerAttr(plan.sizeBytes));
}

FailureOr<StoragePlan> LaunchSequence::readPlan() const {
  StoragePlan plan;
  auto bytes =
      func::FuncOp(function)->getAttrOfType<IntegerAttr>(kWorkspaceBytesAttr);
  if (!bytes)
    return func::FuncOp(function).emitError()
           << "expects a function with a plan of device memory; "
              "--mirage-plan-device-memory makes one ('"
           << kWorkspaceBytesAttr << "' is missing)";
  plan.sizeBytes = bytes.getInt();
  for (block::GraphOp launch : launches) {
    auto offsets =
        launch->getAttrOfType<DenseI64ArrayAttr>(kWorkspaceOffsetsAttr);
    if (!offsets || offsets.size() != launch->getNumResults())
      return launch.emitError()
             << "expects a kernel with places for its results in device "
                "memory; "
                "--mirage-plan-device-memory makes them ('"
             << kWorkspaceOffsetsAttr << "' is missing or of another length)";
    for (auto [result, offset] :
         llvm::zip_equal(launch->getResults(), offsets.asArrayRef()))
      if (!resultIndex.count(result))
        plan.offsets.push_back(offset);
  }
  if (llvm::Error error = verify(makeStorageProblem(), plan))
    return func::FuncOp(function).emitError()
           << "expects a plan of device memory that holds: "
           << llvm::toString(std::move(error));
  return plan;
}

DeviceBuffer LaunchSequence::getBuffer(Value tensor,
                                       const StoragePlan &plan) const {
  Value root = getRoot(tensor);
  if (auto argument = dyn_cast<BlockArgument>(root))
    return {DeviceBuffer::Role::Input, argument.getArgNumber(), 0};
  if (auto returned = resultIndex.find(root); returned != resultIndex.end())
    return {DeviceBuffer::Role::Output, returned->second, 0};
  const Value *found = llvm::find(intermediates, root);
  assert(found != intermediates.end() && "a tensor of another function");
  return {DeviceBuffer::Role::Workspace, 0,
          plan.offsets[found - intermediates.begin()]};
}
