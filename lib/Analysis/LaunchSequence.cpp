//===- LaunchSequence.cpp - A program as a list of launches ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/LaunchSequence.h"
#include "Mirage/Analysis/LoadingWarps.h"
#include "Mirage/Analysis/Multicast.h"
#include "Mirage/Analysis/PersistentBlocks.h"
#include "Mirage/Dialect/Operator/DeadOps.h"
#include "Mirage/Dialect/Operator/LibraryMatmulAttribute.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/Sequence.h"
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
// Kernels that share a launch
//===----------------------------------------------------------------------===//

bool Launch::has(LaunchBarrier barrier) const {
  return llvm::any_of(shared, [&](const SharedLaunch &link) {
    return link.barrier == barrier;
  });
}

ArrayRef<int64_t> Launch::getCluster() {
  if (!has(LaunchBarrier::Cluster))
    return getMulticastCluster(kernels.front());
  return *kernels.front().getCluster();
}

SmallVector<int64_t, 3> Launch::getLaunchedCluster() {
  ArrayRef<int64_t> cluster = getCluster();
  if (cluster.empty())
    return {};
  if (isPersistent())
    return {ShapedType::getNumElements(cluster)};
  return llvm::map_to_vector<3>(getGridOrder(),
                                [&](int64_t axis) { return cluster[axis]; });
}

SmallVector<int64_t, 3> Launch::getGridOrder() const {
  block::GraphOp first = kernels.front();
  if (auto order = first->getAttrOfType<DenseI64ArrayAttr>(kGridOrderAttr))
    return SmallVector<int64_t, 3>(order.asArrayRef());
  return llvm::to_vector<3>(llvm::seq<int64_t>(0, first.getGrid().size()));
}

bool Launch::isPersistent() {
  return kernels.front()->hasAttr(kPersistentBlocksAttr);
}

/// Whether a block of `reader` reads of an operand what a block of `writer`
/// with the same coordinate along a grid axis wrote, as a result, and no other.
static bool staysAlong(unsigned axis, const TileGraph &writer, unsigned result,
                       ShapedType written, const TileGraph &reader,
                       unsigned operand, ShapedType read) {
  if (writer.grid[axis] == 1)
    return true;
  int dim = writer.tileOutputs[result].gridMap[axis];
  if (dim < 0 || reader.tileInputs[operand].gridMap[axis] != dim ||
      written.getDimSize(dim) != read.getDimSize(dim))
    return false;
  SmallVector<Axis, 2> alone = {static_cast<Axis>(axis)};
  return writer.getJoinedAxes(result, dim) == alone &&
         reader.getCuttingAxes(operand, dim) == alone;
}

/// Whether all axes of a grid but one have the extents of another one's, and
/// that one has its extent or one block.
static bool joinsAlong(unsigned axis, ArrayRef<int64_t> grid,
                       ArrayRef<int64_t> joined) {
  for (unsigned other = 0; other < grid.size(); ++other)
    if (joined[other] != grid[other] && (other != axis || joined[other] != 1))
      return false;
  return grid[axis] > 1;
}

std::optional<unsigned> LaunchSequence::findJoinedAxis(unsigned number) const {
  if (number == 0)
    return std::nullopt;
  block::GraphOp before = kernels[number - 1], kernel = kernels[number];
  // A library does whole launches.
  if (before->hasAttr(kLibraryMatmulAttr) ||
      kernel->hasAttr(kLibraryMatmulAttr))
    return std::nullopt;
  if (before.getGrid().size() != kernel.getGrid().size())
    return std::nullopt;
  auto header = [](block::GraphOp graph) {
    return cast<TileGraphOpInterface>(graph.getOperation()).getHeader();
  };
  const TileGraph writer = header(before), reader = header(kernel);
  OperandRange tiles = before.getBody().front().getTerminator()->getOperands();
  SmallVector<std::pair<unsigned, unsigned>> reads; // result, operand
  for (auto [operand, tensor] : llvm::enumerate(kernel.getInputs()))
    for (auto [result, left] : llvm::enumerate(before->getResults())) {
      if (getRoot(left) != getRoot(tensor))
        continue;
      if (left != tensor)
        return std::nullopt;
      reads.emplace_back(result, operand);
    }
  if (reads.empty())
    return std::nullopt;
  auto stays = [&](unsigned axis) {
    return llvm::all_of(reads, [&](auto read) {
      return staysAlong(
          axis, writer, read.first,
          cast<ShapedType>(tiles[read.first].getType()), reader, read.second,
          cast<ShapedType>(
              kernel.getBody().getArgument(read.second).getType()));
    });
  };
  std::optional<unsigned> joined;
  for (unsigned axis = 0; axis < writer.grid.size(); ++axis)
    if (joinsAlong(axis, before.getGrid(), kernel.getGrid()) &&
        llvm::all_of(
            llvm::seq<unsigned>(0, writer.grid.size()),
            [&](unsigned other) { return other == axis || stays(other); }) &&
        (!joined || writer.grid[axis] < writer.grid[*joined]))
      joined = axis;
  return joined;
}

int64_t mlir::mirage::getStatedResidentBlocks(block::GraphOp kernel) {
  auto blocks = kernel->getAttrOfType<IntegerAttr>(kResidentBlocksAttr);
  return blocks ? blocks.getInt() : 1;
}

int64_t mlir::mirage::getRequestedSharedBytes(block::GraphOp kernel) {
  auto bytes = kernel->getAttrOfType<IntegerAttr>(kRequestedSharedBytesAttr);
  return bytes ? bytes.getInt() : 0;
}

void mlir::mirage::forgetEarlyLaunches(Operation *root) {
  root->walk([](block::GraphOp kernel) {
    kernel->removeAttr(kAdmitsNextLaunchAttr);
    kernel->removeAttr(kRequestedSharedBytesAttr);
  });
}

static LogicalResult checkResidentBlocks(block::GraphOp kernel) {
  constexpr int64_t kMostBlocks = 32; // of any GPU that we compile for
  int64_t number = getStatedResidentBlocks(kernel);
  if (number >= 1 && number <= kMostBlocks)
    return success();
  return kernel.emitError() << "expects 1 to " << kMostBlocks << " as '"
                            << kResidentBlocksAttr << "', got " << number;
}

/// An order names each axis once. Clusters whose blocks are joined are of
/// neighbours along an axis, in the order of x, y and z.
static LogicalResult checkGridOrder(Launch &launch) {
  block::GraphOp kernel = launch.kernels.front();
  auto order = kernel->getAttrOfType<DenseI64ArrayAttr>(kGridOrderAttr);
  if (!order)
    return success();
  SmallVector<int64_t> sorted(order.asArrayRef());
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, launch.getGrid().size())))
    return kernel.emitError()
           << "expects each of " << launch.getGrid().size()
           << " grid axes once in '" << kGridOrderAttr << "', got " << order;
  if (launch.has(LaunchBarrier::Cluster))
    return kernel.emitError() << "expects no '" << kGridOrderAttr
                              << "' where blocks of clusters are joined";
  return success();
}

/// Clusters for loading are such of the grid, and, where others are there, the
/// same: a block is in one cluster. Who lowers it has to see to the rest.
static LogicalResult checkMulticast(Launch &launch) {
  block::GraphOp kernel = launch.kernels.front();
  FailureOr<ArrayRef<int64_t>> cluster = readMulticastCluster(kernel);
  if (failed(cluster))
    return failure();
  if (cluster->empty() || *cluster == launch.getCluster())
    return success();
  return kernel.emitError()
         << "expects as '" << kMulticastClusterAttr
         << "' the clusters whose blocks are joined in this launch";
}

bool LaunchSequence::readsFurtherUp(unsigned first, unsigned number) const {
  for (unsigned other = first; other + 1 < number; ++other)
    for (Value left : kernels[other]->getResults())
      for (Value tensor : kernels[number]->getOperands())
        if (getRoot(left) == getRoot(tensor))
          return true;
  return false;
}

LogicalResult LaunchSequence::readLaunches() {
  for (auto [number, kernel] : llvm::enumerate(kernels)) {
    if (failed(checkResidentBlocks(kernel)))
      return failure();
    if (auto barrier = kernel->getAttrOfType<StringAttr>(kLaunchBarrierAttr)) {
      if (failed(addToLaunch(number, barrier)))
        return failure();
    } else {
      launches.push_back({{kernel}, {}});
    }
  }
  for (auto [number, launch] : llvm::enumerate(launches))
    if (failed(checkGridOrder(launch)) || failed(checkMulticast(launch)) ||
        failed(readDependence(number)))
      return failure();
  for (unsigned number = 0; number < launches.size(); ++number)
    if (failed(readAdmission(number)))
      return failure();
  return success();
}

LogicalResult LaunchSequence::readDependence(unsigned number) {
  Launch &launch = launches[number];
  for (auto [position, kernel] : llvm::enumerate(launch.kernels)) {
    if (!kernel->hasAttr(kDependentLaunchAttr))
      continue;
    if (number == 0 || position > 0)
      return kernel.emitError()
             << "expects '" << kDependentLaunchAttr
             << "' of the first kernel of a launch that follows another one, "
                "got it of kernel "
             << position << " of launch " << number;
    launch.isDependent = true;
  }
  return success();
}

/// Once it is known which launches are dependent.
LogicalResult LaunchSequence::readAdmission(unsigned number) {
  Launch &launch = launches[number];
  for (auto [position, kernel] : llvm::enumerate(launch.kernels)) {
    if (!kernel->hasAttr(kAdmitsNextLaunchAttr))
      continue;
    bool hasNext =
        number + 1 < launches.size() && launches[number + 1].isDependent;
    if (!hasNext || position > 0)
      return kernel.emitError()
             << "expects '" << kAdmitsNextLaunchAttr
             << "' of the first kernel of a launch that one with '"
             << kDependentLaunchAttr << "' follows, got it of kernel "
             << position << " of launch " << number;
    launch.admitsNext = true;
  }
  return success();
}

/// The attribute may have come here by any way: whether it can be so is seen
/// from the graphs.
LogicalResult LaunchSequence::addToLaunch(unsigned number, StringAttr name) {
  block::GraphOp kernel = kernels[number];
  std::optional<LaunchBarrier> barrier = parseLaunchBarrier(name);
  if (!barrier || *barrier == LaunchBarrier::Launch)
    return kernel.emitError() << "expects \"last_arrival\" or \"cluster\" as '"
                              << kLaunchBarrierAttr << "', got " << name;
  // Of the launch the first kernel says it, and nobody reads another one.
  for (StringRef ofFirst :
       {kResidentBlocksAttr, kGridOrderAttr, kLoadingWarpsAttr,
        kMulticastClusterAttr, kRequestedSharedBytesAttr})
    if (kernel->hasAttr(ofFirst))
      return kernel.emitError()
             << "expects no '" << ofFirst
             << "' of a kernel that shares the launch of another one";
  std::optional<unsigned> axis = findJoinedAxis(number);
  if (!axis)
    return kernel.emitError()
           << "expects a kernel that joins blocks of the kernel before it "
              "along one grid axis in order to share its launch ('"
           << kLaunchBarrierAttr << "')";
  block::GraphOp before = kernels[number - 1];
  if (before.getThreads() != kernel.getThreads())
    return kernel.emitError()
           << "expects as many threads as the kernel whose launch it shares, "
           << before.getThreads() << ", got " << kernel.getThreads();
  if (readsFurtherUp(number - launches.back().kernels.size(), number))
    return kernel.emitError("expects a kernel that reads of its launch what "
                            "the kernel before it wrote, got one that reads "
                            "what others before that did");
  SharedLaunch shared{*barrier, *axis};
  if (failed(checkBarrier(number, shared)))
    return failure();
  launches.back().kernels.push_back(kernel);
  launches.back().shared.push_back(shared);
  return success();
}

LogicalResult LaunchSequence::checkBarrier(unsigned number,
                                           SharedLaunch shared) {
  block::GraphOp kernel = kernels[number], before = kernels[number - 1];
  int64_t numJoined = before.getGrid()[shared.axis],
          numBlocks = kernel.getGrid()[shared.axis];
  if (shared.barrier == LaunchBarrier::LastArrival && numBlocks != 1)
    return kernel.emitError()
           << "expects one block to go on of those that are joined, got all "
           << numBlocks << " blocks along "
           << getAxisName(static_cast<Axis>(shared.axis));
  if (const Launch &launch = launches.back();
      !launch.shared.empty() &&
      !canFollow(launch.shared.back().barrier, shared.barrier))
    return kernel.emitError("expects no barrier of clusters where more than "
                            "two kernels share a launch");
  SmallVector<int64_t, 3> cluster(before.getGrid().size(), 1);
  cluster[shared.axis] = numJoined;
  std::optional<ArrayRef<int64_t>> stated = before.getCluster();
  if (shared.barrier == LaunchBarrier::Cluster && stated != ArrayRef(cluster))
    return kernel.emitError()
           << "expects a kernel before it whose clusters are the " << numJoined
           << " blocks along " << getAxisName(static_cast<Axis>(shared.axis));
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
