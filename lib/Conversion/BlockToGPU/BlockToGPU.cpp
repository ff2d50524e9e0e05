//===- BlockToGPU.cpp - Block graphs as a kernel --------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Conversion/BlockToGPU.h"
#include "BlockEmitter.h"
#include "EmitSchedule.h"
#include "LaunchBarriers.h"
#include "Mirage/Analysis/AheadProducts.h"
#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Analysis/BypassingTiles.h"
#include "Mirage/Analysis/CausalLoop.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Analysis/Multicast.h"
#include "Mirage/Analysis/PersistentBlocks.h"
#include "Mirage/Analysis/RunningScale.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::mirage;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// The grid's y and z axes are counted in 16 bits by the hardware.
static LogicalResult checkGrid(Launch &launch, block::GraphOp graph) {
  if (launch.isPersistent())
    return success();
  for (auto [position, axis] : llvm::enumerate(launch.getGridOrder())) {
    int64_t extent = graph.getGrid()[axis], limit = kMaxGridExtents[position];
    if (extent > limit)
      return graph.emitError()
             << "expects at most " << limit << " blocks along "
             << getAxisName(static_cast<Axis>(axis)) << ", got " << extent;
  }
  return success();
}

static LogicalResult checkOps(block::GraphOp graph) {
  for (Attribute omap : graph.getOmaps())
    if (llvm::is_contained(cast<DenseI64ArrayAttr>(omap).asArrayRef(), kSummed))
      return graph.emitError("expects no sum over the grid; "
                             "--mirage-split-grid-sums makes a kernel of it");
  for (auto op : graph.getBody().getOps<block::AccumulateOp>()) {
    if (op.getAxis() != AxisKind::Loop)
      return op.emitError()
             << "expects an accumulation over the loop, got one over "
             << stringifyAxisKind(op.getAxis())
             << "; --mirage-split-grid-joins makes two kernels of it";
    if (op.getRescale() && !findRunningMaximum(op))
      return op.emitError("expects a running maximum behind a sum that is "
                          "rescaled; --mirage-keep-running-maxima makes one");
  }
  return success();
}

/// Values that are said to stay in registers are such as can.
static LogicalResult checkHeld(block::GraphOp graph) {
  for (Operation &op : graph.getBody().front().without_terminator()) {
    if (!op.hasAttr(kHeldAttr))
      continue;
    for (Value result : op.getResults())
      if (llvm::Error error = verifyHeld(result))
        return op.emitError()
               << "expects, where '" << kHeldAttr << "' is stated, "
               << llvm::toString(std::move(error));
  }
  auto check = [](thread::GraphOp op, StringRef name, auto verify) {
    if (!op->hasAttr(name))
      return success();
    llvm::Error error = verify(op);
    if (!error)
      return success();
    return LogicalResult(op.emitError()
                         << "expects, where '" << name << "' is stated, "
                         << llvm::toString(std::move(error)));
  };
  auto verifyShares = [](thread::GraphOp op) {
    return op->hasAttr(kHeldAttr) || llvm::any_of(op.getInputs(), isHeld)
               ? llvm::Error::success()
               : llvm::createStringError("a result that warps hold ('" +
                                         kHeldAttr + "'), or an operand");
  };
  for (auto op : graph.getBody().getOps<thread::GraphOp>())
    if (failed(check(op, kHeldSharesAttr, verifyShares)) ||
        failed(check(op, kStartsAheadAttr, verifyStartsAhead)) ||
        failed(check(op, kWaitsLateAttr, verifyWaitsLate)))
      return failure();
  for (auto op : graph.getBody().getOps<block::AccumulateOp>())
    if (hasRunningScale(op) && !canHaveRunningScale(op))
      return op.emitError()
             << "expects, where '" << kRunningScaleAttr
             << "' is stated, a maximum that warps carry, with all sums "
                "that are relative to it, and of what it accumulates no "
                "other use than they take back";
  return success();
}

/// Values that are said to have no tile are such as need none.
static LogicalResult checkBypassing(block::GraphOp graph) {
  SmallVector<Value> values;
  if (auto numbers =
          graph->getAttrOfType<DenseI64ArrayAttr>(kBypassingInputsAttr)) {
    int64_t numInputs = graph.getInputs().size();
    if (llvm::any_of(numbers.asArrayRef(), [&](int64_t number) {
          return number < 0 || number >= numInputs;
        }))
      return graph.emitError()
             << "expects numbers of its " << numInputs << " inputs as '"
             << kBypassingInputsAttr << "', got " << numbers;
    // What nobody reads any more needs nothing.
    for (int64_t number : numbers.asArrayRef())
      if (Value input = graph.getBody().getArgument(number); !input.use_empty())
        values.push_back(input);
  }
  for (auto op : graph.getBody().getOps<thread::GraphOp>())
    if (op->hasAttr(kBypassesAttr))
      llvm::append_range(values, op.getResults());
  for (Value value : values)
    if (llvm::Error error = verifyBypassing(value)) {
      Operation *op = value.getDefiningOp();
      InFlightDiagnostic diagnostic = (op ? op : graph)->emitError("expects, ");
      if (op)
        diagnostic << "where '" << kBypassesAttr << "' is stated, ";
      else
        diagnostic << "of input " << cast<BlockArgument>(value).getArgNumber()
                   << ", which '" << kBypassingInputsAttr << "' names, ";
      return diagnostic << llvm::toString(std::move(error));
    }
  return success();
}

/// A loop that is said to end early may, for each block by itself.
static LogicalResult checkEarlyEnd(block::GraphOp graph) {
  if (!graph->hasAttr(kEndsEarlyAttr) ||
      (findEarlyEnd(graph) && getMulticastCluster(graph).empty()))
    return success();
  return graph.emitError()
         << "expects, where '" << kEndsEarlyAttr
         << "' is stated, a causal mask whose columns the loop cuts, sums and "
            "maxima over it to which what that hides adds nothing, and no "
            "cluster that loads together";
}

/// What attributes state, which has to hold however it came here.
static FailureOr<TilePlacement> readPlacement(const BlockSteps &steps) {
  block::GraphOp graph = steps.getGraph();
  llvm::Expected<SmallVector<TileForm>> forms = steps.readForms();
  if (!forms)
    return graph.emitError() << "expects rows of tiles that can lie as stated: "
                             << llvm::toString(forms.takeError());
  llvm::Expected<StoragePlan> plan = steps.readPlan(*forms);
  if (!plan)
    return graph.emitError() << "expects a block graph with a plan; "
                                "--mirage-plan-shared-memory makes one ("
                             << llvm::toString(plan.takeError()) << ")";
  Schedule schedule = steps.readSchedule();
  if (llvm::Error error = verify(steps.makeScheduleProblem(), schedule))
    return graph.emitError() << "expects a schedule that holds: "
                             << llvm::toString(std::move(error));
  if (llvm::Error error =
          verify(steps.makeStorageProblem(schedule, *forms), *plan))
    return graph.emitError() << "expects a plan of shared memory that holds: "
                             << llvm::toString(std::move(error));
  auto handBack = steps.readHandBack(schedule, *forms);
  if (!handBack)
    return graph.emitError()
           << "expects " << llvm::toString(handBack.takeError());
  if (ArrayRef<int64_t> cluster = getMulticastCluster(graph); !cluster.empty())
    if (llvm::Error error = verifyMulticast(cluster, graph))
      return graph.emitError()
             << "expects, where '" << kMulticastClusterAttr << "' is stated, "
             << llvm::toString(std::move(error));
  auto loadingWarps = readLoadingWarps(graph, handBack->has_value());
  if (!loadingWarps)
    return graph.emitError() << llvm::toString(loadingWarps.takeError());
  return TilePlacement{std::move(*forms), std::move(*plan), *handBack,
                       *loadingWarps};
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

static void declareSharedMemory(gpu::GPUModuleOp module) {
  if (module.lookupSymbol(kSharedMemorySymbol))
    return;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
  // 1024: what tiles with a 128-byte swizzle need of the base.
  LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/false,
                         LLVM::Linkage::External, kSharedMemorySymbol,
                         Attribute(), /*alignment=*/1024, kSharedSpace);
}

namespace {
/// Builds a kernel of one or several block graphs.
class KernelEmitter {
public:
  KernelEmitter(Launch &launch, gpu::GPUModuleOp module, StringRef name,
                ArrayRef<MemRefType> buffers)
      : launch(launch), module(module), name(name), buffers(buffers),
        builder(launch.kernels.front().getLoc(), module.getContext()) {}

  FailureOr<gpu::GPUFuncOp> run() {
    for (block::GraphOp graph : launch.kernels)
      if (failed(readPlan(graph)))
        return failure();
    if (failed(checkParameters()))
      return failure();
    declareSharedMemory(module);
    createKernel();
    SmallVector<KernelContext, 3> contexts = shareOutArguments();
    for (auto [number, graph] : llvm::enumerate(launch.kernels)) {
      if (number > 0)
        emitBarrier(number);
      auto &[steps, placement] = planned[number];
      builder.setLoc(graph.getLoc());
      describe(contexts[number], number);
      emitSchedule(builder, steps, placement, contexts[number]);
      if (placement.loadingWarps.number > 0)
        barrierOfThreads = BlockBarrier(graph.getThreads());
    }
    builder.setInsertionPointToEnd(&kernel.getBody().front());
    gpu::ReturnOp::create(builder);
    return kernel;
  }

private:
  struct PlannedGraph {
    BlockSteps steps;
    TilePlacement placement;
  };

  LogicalResult readPlan(block::GraphOp graph);
  SmallVector<KernelContext, 3> shareOutArguments();
  void describe(KernelContext &context, unsigned number);

  LogicalResult checkCluster(block::GraphOp graph) {
    if (!graph.getCluster() ||
        (launch.has(LaunchBarrier::Cluster) && graph == launch.kernels.front()))
      return success();
    return graph.emitError("expects no cluster but before a kernel that joins "
                           "its blocks in the same launch; "
                           "--mirage-merge-launches drops others");
  }

  LogicalResult checkPersistent(block::GraphOp graph) {
    auto blocks = readPersistentBlocks(graph);
    if (!blocks)
      return graph.emitError() << llvm::toString(blocks.takeError());
    if (!*blocks || launch.kernels.size() == 1)
      return success();
    return graph.emitError()
           << "expects no '" << kPersistentBlocksAttr
           << "' of a kernel that shares its launch with another one";
  }

  int64_t countTensorMaps() const;
  LogicalResult checkParameters() const;
  void createKernel();
  void setTensorMapParameters();
  void addCoordinates();
  void emitBarrier(unsigned number);
  void enterIf(Value condition);

  Launch &launch;
  gpu::GPUModuleOp module;
  StringRef name;
  ArrayRef<MemRefType> buffers;
  ImplicitLocOpBuilder builder;
  SmallVector<PlannedGraph, 3> planned;
  BlockBarrier barrierOfThreads; ///< that come to the next graph
  gpu::GPUFuncOp kernel;
  SmallVector<SmallVector<Value, 3>, 3> coordinates; ///< by graph
};
} // namespace

LogicalResult KernelEmitter::readPlan(block::GraphOp graph) {
  if (failed(checkPersistent(graph)) || failed(checkGrid(launch, graph)) ||
      failed(checkOps(graph)) || failed(checkCluster(graph)) ||
      failed(checkHeld(graph)) || failed(checkBypassing(graph)) ||
      failed(checkEarlyEnd(graph)))
    return failure();
  BlockSteps steps(graph);
  FailureOr<TilePlacement> placement = readPlacement(steps);
  if (failed(placement))
    return failure();
  planned.push_back({std::move(steps), std::move(*placement)});
  return success();
}

/// Buffers of all graphs come before the tensor maps of any.
SmallVector<KernelContext, 3> KernelEmitter::shareOutArguments() {
  ValueRange arguments = kernel.getArguments();
  auto take = [&](unsigned numArguments) {
    ValueRange taken = arguments.take_front(numArguments);
    arguments = arguments.drop_front(numArguments);
    return taken;
  };
  SmallVector<KernelContext, 3> contexts(launch.kernels.size());
  for (auto [graph, context] : llvm::zip_equal(launch.kernels, contexts))
    context.buffers = take(graph->getNumOperands() + graph->getNumResults());
  for (auto [graph, context] : llvm::zip_equal(launch.kernels, contexts))
    context.maps = take(getBoxedInputs(graph).size());
  return contexts;
}

/// What a graph has to know of the launch that it is a part of.
void KernelEmitter::describe(KernelContext &context, unsigned number) {
  block::GraphOp graph = launch.kernels[number];
  context.coordinates = coordinates[number];
  if (launch.isPersistent())
    context.persistent = {*launch.numPersistent, launch.getGridOrder(),
                          SmallVector<int64_t, 3>(getMulticastCluster(graph))};
  if (graph->hasAttr(kMulticastClusterAttr))
    context.cluster =
        ClusterRanks(getMulticastCluster(graph), launch.getGridOrder());
  // Others of the launch count blocks as they are launched.
  context.longestFirst = launch.kernels.size() == 1;
  context.isLast = number + 1 == launch.kernels.size();
  context.waitsForLaunch = launch.isDependent && number == 0;
  context.admitsNextLaunch = launch.admitsNext && number == 0;
  context.barrier = barrierOfThreads;
}

int64_t KernelEmitter::countTensorMaps() const {
  int64_t number = 0;
  for (block::GraphOp graph : launch.kernels)
    number += getBoxedInputs(graph).size();
  return number;
}

LogicalResult KernelEmitter::checkParameters() const {
  // PTX ISA, section "Kernel Function Parameters", of 8.1 and later.
  constexpr int64_t kMostBytes = 32764;
  int64_t maps = countTensorMaps(), pointers = buffers.size() - maps;
  int64_t bytes =
      llvm::alignTo(pointers * sizeof(uint64_t), kTensorMapAlignBytes) +
      maps * kTensorMapBytes;
  if (bytes <= kMostBytes)
    return success();
  return launch.kernels.front().emitError()
         << "expects at most " << kMostBytes
         << " bytes of parameters of a kernel, got " << bytes << ": "
         << pointers << " pointers and " << maps << " tensor maps of "
         << kTensorMapBytes << " bytes";
}

void KernelEmitter::createKernel() {
  block::GraphOp first = launch.kernels.front();
  builder.setInsertionPointToEnd(module.getBody());
  SmallVector<Type> parameters(buffers.begin(), buffers.end());
  kernel = gpu::GPUFuncOp::create(builder, name,
                                  builder.getFunctionType(parameters, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                  builder.getUnitAttr());
  kernel.setKnownBlockSizeAttr(builder.getDenseI32ArrayAttr(
      {static_cast<int32_t>(getLaunchedThreads(first)), 1, 1}));
  if (getLaunchedThreads(first) != int64_t(first.getThreads()))
    kernel->setAttr(kComputingThreadsAttr,
                    builder.getI32IntegerAttr(first.getThreads()));
  SmallVector<int32_t, 3> cluster;
  llvm::append_range(cluster, launch.getLaunchedCluster());
  if (!cluster.empty()) {
    cluster.resize(3, 1);
    kernel.setKnownClusterSizeAttr(builder.getDenseI32ArrayAttr(cluster));
  }
  // What registers the assembler takes is for nobody else then, and no fewer
  // than there are: left alone it spills for the sake of blocks that nobody
  // waits for.
  if (auto blocks = first->getAttrOfType<IntegerAttr>(kResidentBlocksAttr))
    kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    builder.getI32IntegerAttr(blocks.getInt()));
  setTensorMapParameters();
  builder.setInsertionPointToStart(&kernel.getBody().front());
  addCoordinates();
}

/// Tensor maps come last. What they are is nothing that a memref says.
void KernelEmitter::setTensorMapParameters() {
  int32_t numMaps = countTensorMaps(), end = kernel.getNumArguments();
  if (numMaps > 0)
    kernel->setAttr(kTensorMapParametersAttr,
                    builder.getDenseI32ArrayAttr(
                        llvm::to_vector(llvm::seq(end - numMaps, end))));
}

/// A block that goes on alone of those that were joined is the first of them,
/// whichever it was.
void KernelEmitter::addCoordinates() {
  if (launch.isPersistent()) {
    coordinates.emplace_back();
    return;
  }
  constexpr gpu::Dimension kDimensions[] = {
      gpu::Dimension::x, gpu::Dimension::y, gpu::Dimension::z};
  auto &first = coordinates.emplace_back(launch.getGrid().size());
  for (auto [position, axis] : llvm::enumerate(launch.getGridOrder()))
    first[axis] = gpu::BlockIdOp::create(builder, kDimensions[position]);
  for (auto [number, shared] : llvm::enumerate(launch.shared)) {
    coordinates.push_back(coordinates.back());
    if (launch.kernels[number + 1].getGrid()[shared.axis] == 1)
      coordinates.back()[shared.axis] =
          arith::ConstantIndexOp::create(builder, 0);
  }
}

void KernelEmitter::enterIf(Value condition) {
  builder.setInsertionPointToStart(
      scf::IfOp::create(builder, condition, /*withElseRegion=*/false)
          .thenBlock());
}

/// What comes before a graph. Blocks that have no part in it have none in those
/// behind it either.
void KernelEmitter::emitBarrier(unsigned number) {
  auto [barrier, axis] = launch.shared[number - 1];
  if (!getBoxedInputs(launch.kernels[number]).empty())
    emitStoreFence(builder);
  ArrayRef<int64_t> grid = launch.kernels[number - 1].getGrid();
  ValueRange own = coordinates[number - 1];
  if (barrier == LaunchBarrier::LastArrival) {
    ArrivalCounter counter = addArrivalCounter(
        builder, kernel, name + "_arrivals_" + Twine(number), grid, axis, own);
    return enterIf(emitLastArrival(builder, counter, barrierOfThreads));
  }
  emitClusterBarrier(builder);
  if (launch.kernels[number].getGrid()[axis] > 1)
    return;
  // Blocks of one rank are on the same SMs: another rank in each cluster.
  Value chosen = arith::RemUIOp::create(
      builder, emitGroupNumber(builder, grid, axis, own),
      arith::ConstantIndexOp::create(builder, grid[axis]));
  enterIf(arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, own[axis],
                                chosen));
}

FailureOr<gpu::GPUFuncOp>
mlir::mirage::lowerLaunch(Launch &launch, gpu::GPUModuleOp module,
                          StringRef name, ArrayRef<MemRefType> buffers) {
  return KernelEmitter(launch, module, name, buffers).run();
}
