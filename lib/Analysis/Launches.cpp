//===- Launches.cpp - Which kernels are launched together -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a sequence of kernels: which of them share a launch, which launch may
// begin before another has ended, and whether what attributes say of that can
// be.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/LaunchSequence.h"
#include "Mirage/Analysis/LoadingWarps.h"
#include "Mirage/Analysis/Multicast.h"
#include "Mirage/Analysis/PersistentBlocks.h"
#include "Mirage/Dialect/Operator/LibraryMatmulAttribute.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::mirage;

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
