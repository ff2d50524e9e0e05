//===- LaunchSequence.cpp - A program as a list of launches ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/LaunchSequence.h"
#include "Mirage/Analysis/Multicast.h"
#include "Mirage/Dialect/Operator/DeadOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::mirage;

SmallVector<Operation *> mlir::mirage::findPrograms(Operation *root) {
  auto isOnTensors = [](kernel::GraphOp graph) { return !graph.isOnBuffers(); };
  SmallVector<Operation *> programs;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto graph = dyn_cast<kernel::GraphOp>(op);
    auto function = dyn_cast<func::FuncOp>(op);
    if ((graph && graph.isOnBuffers()) ||
        (function &&
         llvm::any_of(function.getOps<kernel::GraphOp>(), isOnTensors)))
      programs.push_back(op);
    return graph ? WalkResult::skip() : WalkResult::advance();
  });
  return programs;
}

FailureOr<LaunchSequence> LaunchSequence::read(Operation *program,
                                               const Target *target) {
  LaunchSequence sequence(program);
  if (failed(sequence.readBody()) || failed(sequence.readResults()) ||
      failed(sequence.readLaunches()))
    return failure();
  if (target)
    for (Launch &launch : sequence.launches)
      launch.numPersistent = getLaunchedBlocks(launch.kernels.front(), *target);
  return sequence;
}

LogicalResult LaunchSequence::readBody() {
  if (auto function = dyn_cast<func::FuncOp>(program))
    return readFunction(function);
  return readGraph(cast<kernel::GraphOp>(program));
}

LogicalResult LaunchSequence::readFunction(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitError("expects a function of one block");
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || !type.hasStaticShape())
      return function.emitError()
             << "expects arguments that are tensors of static shape, got "
             << argument.getType() << " as argument "
             << argument.getArgNumber();
    views[argument] = *findView(argument);
  }
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
    if (graph.isOnBuffers()) {
      views[inner] = *findView(outer);
      continue;
    }
    auto view = views.find(outer);
    if (view == views.end())
      return graph.emitError("expects inputs that are arguments of the "
                             "function or results of a kernel graph");
    TensorView known = view->second;
    views[inner] = known;
  }
  for (Operation &kernel : body.without_terminator())
    if (failed(readKernel(kernel)))
      return failure();
  if (graph.isOnBuffers())
    return success();
  for (auto [result, yielded] : llvm::zip_equal(
           graph.getResults(), body.getTerminator()->getOperands())) {
    TensorView view = views.at(yielded);
    views[result] = view;
  }
  return success();
}

LogicalResult LaunchSequence::readKernel(Operation &kernel) {
  if (isView(&kernel))
    return readView(kernel);
  if (auto concat = dyn_cast<kernel::ConcatOp>(kernel)) {
    views[concat.getResult()] = *findView(concat.getResult());
    return checkParts(concat);
  }
  auto block = dyn_cast<block::GraphOp>(kernel);
  if (!block)
    return kernel.emitError()
           << "expects a block graph in place of each operator "
              "(--mirage-assign-default-blocks), got '"
           << kernel.getName() << "'";
  kernels.push_back(block);
  for (Value result : kernel.getResults())
    views[result] = *findView(result);
  return success();
}

LogicalResult LaunchSequence::readView(Operation &op) {
  if (getElementTypeOrSelf(op.getOperand(0)) !=
      getElementTypeOrSelf(op.getResult(0)))
    return op.emitError() << "expects a view that rounds nothing "
                             "(--mirage-materialize-views)";
  std::optional<TensorView> view = findView(op.getResult(0));
  if (!view)
    return op.emitError()
           << "expects a tensor whose elements lie one after the other "
              "(--mirage-materialize-views)";
  views[op.getResult(0)] = *view;
  return success();
}

/// A kernel writes each part where it belongs, and nobody else needs it.
LogicalResult LaunchSequence::checkParts(kernel::ConcatOp concat) {
  Type element = concat.getType().getElementType();
  for (Value part : concat.getParts())
    if (!isa_and_nonnull<block::GraphOp, kernel::ConcatOp>(
            part.getDefiningOp()) ||
        !part.hasOneUse() || getElementTypeOrSelf(part) != element)
      return concat.emitError()
             << "expects parts that kernels write for nothing else, as "
                "elements of the result's type (--mirage-materialize-views)";
  return success();
}

static MemRefType makeBufferType(RankedTensorType type, int64_t offset,
                                 ArrayRef<int64_t> strides) {
  if (offset == 0 && isRowMajor(type.getShape(), strides))
    return MemRefType::get(type.getShape(), type.getElementType());
  return MemRefType::get(
      type.getShape(), type.getElementType(),
      StridedLayoutAttr::get(type.getContext(), offset, strides));
}

MemRefType LaunchSequence::getBufferType(Value tensor) const {
  const TensorView &view = views.at(tensor);
  return makeBufferType(cast<RankedTensorType>(tensor.getType()), view.offset,
                        view.strides);
}

/// What returns or yields the program's results.
static Operation *getTerminator(Operation *program) {
  return program->getRegion(0).front().getTerminator();
}

ElementPlaces LaunchSequence::getResultPlaces(unsigned number) const {
  if (auto graph = dyn_cast<kernel::GraphOp>(program))
    return getElementPlaces(
        cast<MemRefType>(graph.getInits()[number].getType()));
  return {0, getResultStrides(cast<func::FuncOp>(program), number)};
}

MemRefType LaunchSequence::getResultType(unsigned number) const {
  Type type = getTerminator(program)->getOperand(number).getType();
  ElementPlaces places = getResultPlaces(number);
  return makeBufferType(cast<RankedTensorType>(type), places.offset,
                        places.strides);
}

LogicalResult LaunchSequence::readResults() {
  Operation *terminator = getTerminator(program);
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    if (!views.count(value) || !canReturn(value, getResultPlaces(index)) ||
        !resultIndex.try_emplace(getRoot(value), index).second)
      return terminator->emitError()
             << "expects each result to be written by a kernel of its own "
                "(--mirage-materialize-results), result "
             << index << " is not";
  }
  for (block::GraphOp kernel : kernels)
    for (Value result : kernel->getResults())
      if (Value root = getRoot(result);
          !resultIndex.count(root) && !llvm::is_contained(intermediates, root))
        intermediates.push_back(root);
  return success();
}

//===----------------------------------------------------------------------===//
// Device memory
//===----------------------------------------------------------------------===//

StorageProblem LaunchSequence::makeStorageProblem() const {
  DenseMap<Value, unsigned> written, lastUse;
  for (auto [number, launch] : llvm::enumerate(launches))
    for (block::GraphOp kernel : launch.kernels) {
      for (Value operand : kernel->getOperands())
        lastUse[getRoot(operand)] = number;
      for (Value result : kernel->getResults()) {
        written.try_emplace(getRoot(result), number);
        lastUse[getRoot(result)] = number;
      }
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
  Builder builder(program->getContext());
  auto getOffset = [&](Value result) -> int64_t {
    auto offset = offsets.find(getRoot(result));
    return offset == offsets.end() ? -1 : offset->second;
  };
  for (block::GraphOp kernel : kernels)
    kernel->setAttr(kWorkspaceOffsetsAttr,
                    builder.getDenseI64ArrayAttr(
                        llvm::map_to_vector(kernel->getResults(), getOffset)));
  program->setAttr(kWorkspaceBytesAttr,
                   builder.getI64IntegerAttr(plan.sizeBytes));
}

FailureOr<StoragePlan> LaunchSequence::readPlan() const {
  StoragePlan plan;
  auto bytes = program->getAttrOfType<IntegerAttr>(kWorkspaceBytesAttr);
  if (!bytes)
    return program->emitError()
           << "expects a "
           << (isa<func::FuncOp>(program) ? "function" : "kernel graph")
           << " with a plan of device memory; "
              "--mirage-plan-device-memory makes one ('"
           << kWorkspaceBytesAttr << "' is missing)";
  plan.sizeBytes = bytes.getInt();
  DenseMap<Value, int64_t> known;
  for (block::GraphOp kernel : kernels) {
    auto offsets =
        kernel->getAttrOfType<DenseI64ArrayAttr>(kWorkspaceOffsetsAttr);
    if (!offsets || offsets.size() != kernel->getNumResults())
      return kernel.emitError()
             << "expects a kernel with places for its results in device "
                "memory; "
                "--mirage-plan-device-memory makes them ('"
             << kWorkspaceOffsetsAttr << "' is missing or of another length)";
    for (auto [result, offset] :
         llvm::zip_equal(kernel->getResults(), offsets.asArrayRef())) {
      Value root = getRoot(result);
      if (resultIndex.count(root))
        continue;
      auto [first, isFirst] = known.try_emplace(root, offset);
      if (isFirst)
        plan.offsets.push_back(offset);
      else if (first->second != offset)
        return kernel.emitError()
               << "expects the parts of a tensor in one place in device "
                  "memory, got offsets "
               << first->second << " and " << offset;
    }
  }
  if (llvm::Error error = verify(makeStorageProblem(), plan))
    return program->emitError()
           << "expects a plan of device memory that holds: "
           << llvm::toString(std::move(error));
  return plan;
}

DeviceBuffer LaunchSequence::getBuffer(Value tensor,
                                       const StoragePlan &plan) const {
  Value root = getRoot(tensor);
  if (isa<MemRefType>(root.getType())) {
    ValueRange inputs = cast<kernel::GraphOp>(program).getInputs();
    return {DeviceBuffer::Role::Input,
            static_cast<unsigned>(llvm::find(inputs, root) - inputs.begin()),
            0};
  }
  if (auto argument = dyn_cast<BlockArgument>(root))
    return {DeviceBuffer::Role::Input, argument.getArgNumber(), 0};
  if (auto returned = resultIndex.find(root); returned != resultIndex.end())
    return {DeviceBuffer::Role::Output, returned->second, 0};
  const Value *found = llvm::find(intermediates, root);
  assert(found != intermediates.end() && "a tensor of another program");
  return {DeviceBuffer::Role::Workspace, 0,
          plan.offsets[found - intermediates.begin()]};
}
