//===- ExplainKernels.cpp - What is known of a program's kernels ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Transforms/ExplainKernels.h"
#include "Mirage/Analysis/AheadProducts.h"
#include "Mirage/Analysis/BankTraffic.h"
#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Analysis/BypassingTiles.h"
#include "Mirage/Analysis/CausalLoop.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Analysis/KernelResources.h"
#include "Mirage/Analysis/LoadingWarps.h"
#include "Mirage/Analysis/Multicast.h"
#include "Mirage/Analysis/PersistentBlocks.h"
#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Dialect/Operator/LibraryMatmulAttribute.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Graph/DefaultTileGraph.h"
#include "Mirage/Graph/DeviceTraffic.h"
#include "Mirage/Graph/TileMemory.h"
#include "Mirage/Search/CostModel.h"
#include "Mirage/Transforms/PredictedTime.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::mirage;

//===----------------------------------------------------------------------===//
// What follows from the parts
//===----------------------------------------------------------------------===//

int64_t ExplainedKernel::getNumBlocks() const {
  return ShapedType::getNumElements(grid);
}

double ExplainedKernel::getReadBytes() const {
  double bytes = 0;
  for (const ExplainedTensor &tensor : tensors)
    bytes += tensor.isWritten ? 0 : tensor.trafficBytes;
  return bytes;
}

double ExplainedKernel::getCacheReadBytes() const {
  double bytes = 0;
  for (const ExplainedTensor &tensor : tensors)
    bytes += tensor.isWritten ? 0 : tensor.trafficBytes / tensor.numSharers;
  return bytes;
}

double ExplainedKernel::getWrittenBytes() const {
  double bytes = 0;
  for (const ExplainedTensor &tensor : tensors)
    bytes += tensor.isWritten ? tensor.trafficBytes : 0;
  return bytes;
}

int64_t ExplainedKernel::getNumRegisters() const {
  return numRegisters.value_or(resources.getRegisters());
}

Occupancy ExplainedKernel::getOccupancy(const Target &target) const {
  // Registers are dealt out to warps in units of 256.
  constexpr int64_t kRegisterUnit = 8;
  return mirage::getOccupancy(
      resources, llvm::alignTo(getNumRegisters(), kRegisterUnit), target);
}

std::optional<double> ExplainedFunction::getPredictedUs() const {
  double us = 0;
  for (const ExplainedKernel &kernel : kernels) {
    if (!kernel.time)
      return std::nullopt;
    us += kernel.time->getUs();
  }
  return kernels.empty() || !operators.empty() ? std::nullopt
                                               : std::optional<double>(us);
}

//===----------------------------------------------------------------------===//
// One kernel
//===----------------------------------------------------------------------===//

/// A value of a block graph as people find it in the report.
static std::string nameValue(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return "input " + std::to_string(argument.getArgNumber());
  Operation *op = value.getDefiningOp();
  if (auto reshape = dyn_cast<block::ReshapeOp>(op))
    return nameValue(reshape.getOperand());
  if (auto step = op->getAttrOfType<IntegerAttr>(kStepAttr))
    return "step " + std::to_string(step.getInt());
  return "a " + op->getName().stripDialect().str();
}

/// "x -> 0, loop -> 1"
static std::string nameMaps(ArrayRef<int> gridMap, int loopMap) {
  SmallVector<std::string> maps;
  for (auto [axis, dim] : llvm::enumerate(gridMap))
    if (dim != kReplicated)
      maps.push_back(
          (getAxisName(static_cast<Axis>(axis)) + " -> " +
           (dim == kSummed ? std::string("sum") : std::to_string(dim)))
              .str());
  if (loopMap != kReplicated)
    maps.push_back("loop -> " + std::to_string(loopMap));
  return maps.empty() ? "whole" : llvm::join(maps, ", ");
}

namespace {
class KernelExplainer {
public:
  KernelExplainer(block::GraphOp op, const Target &target)
      : op(op), target(target), kernel(op.getLoc()) {}

  /// \param sequence, plan  null before device memory is planned.
  FailureOr<ExplainedKernel> run(const LaunchSequence *sequence,
                                 const StoragePlan *plan) {
    FailureOr<TileGraph> read =
        readTileGraph(cast<TileGraphOpInterface>(op.getOperation()));
    if (failed(read))
      return failure();
    tiles = std::move(*read);
    addExtents();
    if (failed(addCluster()))
      return failure();
    for (auto [index, step] :
         llvm::enumerate(op.getBody().front().without_terminator()))
      if (!isa<block::ReshapeOp>(step))
        addStep(step, index);
    if (failed(addRegisters()) || failed(addSharedMemory()) ||
        failed(addTime()))
      return failure();
    addTensors(sequence, plan);
    return std::move(kernel);
  }

private:
  void addExtents();
  LogicalResult addCluster();
  void addTensors(const LaunchSequence *sequence, const StoragePlan *plan);
  void addPlace(ExplainedTensor &tensor, Value value, unsigned number,
                BlockIterations iterations);
  ExplainedTensor makeTensor(Value value, const LaunchSequence *sequence,
                             const StoragePlan *plan);
  void addStep(Operation &step, unsigned index);
  void addFragment(ExplainedStep &step, Operation &op, unsigned index,
                   thread::GraphOp graph);
  unsigned getLayout(Attribute layout);
  int64_t countIterationsAhead();
  LogicalResult addRegisters();
  LogicalResult addSharedMemory();
  void addPlaces(const BlockSteps &steps, ArrayRef<TileForm> forms,
                 const StoragePlan &plan);
  LogicalResult addWarpRoles(const BlockSteps &steps, ArrayRef<TileForm> forms);
  LogicalResult addTime();

  block::GraphOp op;
  const Target &target;
  TileGraph tiles;
  ExplainedKernel kernel;
};
} // namespace

/// Whether tensor cores round operands of a product: as thread graphs say or,
/// of what has none yet, as the kernel graph does.
static bool takesTF32(const TileGraph &tiles) {
  return llvm::any_of(tiles.getNodes(), [&](const Node &op) {
    if (op.body)
      return takesTF32(*op.body);
    if (getOperatorInfo(op.opcode).kind != OperatorKind::Contraction)
      return false;
    ElementType lhs = tiles.getType(op.operands[0]).element,
                rhs = tiles.getType(op.operands[1]).element;
    if (tiles.level == Level::Thread)
      return op.opcode == Opcode::Mma && lhs == ElementType::F32;
    return getTensorCoreElement(lhs, rhs, tiles.f32Products) ==
           ElementType::F32;
  });
}

void KernelExplainer::addExtents() {
  kernel.grid.assign(tiles.grid.begin(), tiles.grid.end());
  kernel.cluster.assign(tiles.cluster.begin(), tiles.cluster.end());
  llvm::append_range(kernel.gridOrder,
                     llvm::seq<int64_t>(0, tiles.grid.size()));
  kernel.threads = tiles.threads;
  kernel.loop = tiles.loop;
  kernel.stages = tiles.stages;
  kernel.isLeftToLibrary = op->hasAttr(kLibraryMatmulAttr);
  kernel.takesTF32 = takesTF32(tiles);
  kernel.resources.threads = tiles.threads;
}

LogicalResult KernelExplainer::addCluster() {
  FailureOr<ArrayRef<int64_t>> cluster = readMulticastCluster(op);
  if (failed(cluster) || cluster->empty())
    return cluster;
  kernel.cluster.assign(cluster->begin(), cluster->end());
  kernel.loadsByClusters = true;
  return success();
}

LogicalResult KernelExplainer::addRegisters() {
  FailureOr<int64_t> registers = readRowRegisters(op, target);
  if (failed(registers))
    return failure();
  kernel.resources.rowRegisters = *registers;
  kernel.resources.sumRegisters = findGrowingSums(op).registers;
  return success();
}

/// All of it but for its tile and maps.
ExplainedTensor KernelExplainer::makeTensor(Value value,
                                            const LaunchSequence *sequence,
                                            const StoragePlan *plan) {
  ExplainedTensor tensor;
  tensor.tensor = convertTensor(value.getType());
  if (sequence)
    tensor.buffer = sequence->getBuffer(value, *plan);
  return tensor;
}

/// What follows from where it lies, as far as that is known.
void KernelExplainer::addPlace(ExplainedTensor &tensor, Value value,
                               unsigned number, BlockIterations iterations) {
  std::optional<TensorView> view = findView(value);
  if (!view)
    return;
  tensor.widestAccessBytes = getWidestAccessBytes(tensor.tile, tensor.tensor,
                                                  view->strides, view->offset);
  tensor.trafficSectors =
      tensor.isWritten
          ? countWrittenSectors(tiles, number, tensor.tensor, view->strides,
                                view->offset)
          : countReadSectors(tiles, number, tensor.tensor, view->strides,
                             view->offset, iterations);
}

void KernelExplainer::addTensors(const LaunchSequence *sequence,
                                 const StoragePlan *plan) {
  int64_t loopBytes = 0, outsideBytes = 0;
  std::optional<CausalLoop> earlyEnd = findEarlyEnd(op);
  auto countIterations = [&](ArrayRef<int64_t> block) {
    return earlyEnd->countIterations(tiles, block);
  };
  kernel.endsEarly = earlyEnd.has_value();
  BlockIterations iterations;
  if (earlyEnd)
    iterations = countIterations;
  for (auto [number, value] : llvm::enumerate(op->getOperands())) {
    const TileInput &maps = tiles.tileInputs[number];
    ExplainedTensor tensor = makeTensor(value, sequence, plan);
    tensor.name = "input " + std::to_string(number);
    tensor.tile = tiles.getType(number);
    tensor.maps = nameMaps(maps.gridMap, maps.loopMap);
    tensor.trafficBytes =
        countReadBytes(tiles, number, tensor.tensor, iterations);
    tensor.isLoadedInLoop = isLoadedInLoop(tiles, number);
    addPlace(tensor, value, number, iterations);
    tensor.bypassesSharedMemory =
        bypassesSharedMemory(op.getBody().getArgument(number));
    if (tensor.trafficBytes > 0)
      (tensor.isLoadedInLoop ? loopBytes : outsideBytes) +=
          tensor.tile.getSizeBytes();
    kernel.tensors.push_back(std::move(tensor));
  }
  for (auto [number, value] : llvm::enumerate(op->getResults())) {
    ExplainedTensor tensor = makeTensor(value, sequence, plan);
    tensor.name = "output " + std::to_string(number);
    tensor.tile = tiles.getType(tiles.getOutputs()[number]);
    tensor.tile.element = tensor.tensor.element;
    tensor.maps = nameMaps(tiles.tileOutputs[number].gridMap, kReplicated);
    tensor.trafficBytes = countWrittenBytes(tiles, number, tensor.tensor);
    tensor.isWritten = true;
    addPlace(tensor, value, number, iterations);
    tensor.bypassesSharedMemory = bypassesSharedMemory(
        op.getBody().front().getTerminator()->getOperand(number));
    kernel.tensors.push_back(std::move(tensor));
  }
  if (kernel.loadsByClusters)
    for (const SharableTile &tile : getSharableTiles(op))
      kernel.tensors[tile.input].numSharers =
          tile.getNumSharers(kernel.cluster);
  kernel.flightBytes =
      loopBytes > 0 ? loopBytes * countIterationsAhead() : outsideBytes;
}

/// How many iterations are on their way, at the least.
int64_t KernelExplainer::countIterationsAhead() {
  int64_t behind = kernel.handBack.value_or(1);
  // Places are refilled when they are handed back.
  if (kernel.loadingWarps.number > 0)
    behind = llvm::any_of(op.getBody().getOps<thread::GraphOp>(),
                          [](thread::GraphOp step) {
                            return step->hasAttr(kWaitsLateAttr);
                          })
                 ? 2
                 : 1;
  return std::max<int64_t>(tiles.stages - behind, 1);
}

//===----------------------------------------------------------------------===//
// Steps and layouts
//===----------------------------------------------------------------------===//

/// The number of a layout in the kernel's list, where it is put if it is new.
unsigned KernelExplainer::getLayout(Attribute layout) {
  std::string text;
  llvm::raw_string_ostream(text) << layout;
  StringRef members = StringRef(text).split('<').second.drop_back();
  auto found = llvm::find(kernel.layouts, members);
  if (found == kernel.layouts.end()) {
    kernel.layouts.push_back(members.str());
    return kernel.layouts.size() - 1;
  }
  return found - kernel.layouts.begin();
}

/// What moves between memory and lanes, and what tensor cores multiply.
void KernelExplainer::addFragment(ExplainedStep &step, Operation &fragmentOp,
                                  unsigned index, thread::GraphOp graph) {
  bool isStore = isa<thread::StoreOp>(fragmentOp);
  bool isLoad = isa<thread::LoadOp, thread::LdmatrixOp>(fragmentOp);
  if (!isStore && !isLoad && !isa<thread::MmaOp, thread::WgmmaOp>(fragmentOp))
    return;
  Value held = isStore ? fragmentOp.getOperand(0) : fragmentOp.getResult(0);
  auto type = cast<RankedTensorType>(held.getType());
  auto layout = dyn_cast_or_null<thread::LayoutAttr>(type.getEncoding());
  if (!layout)
    return;
  ExplainedFragment fragment;
  fragment.index = index;
  fragment.operation = fragmentOp.getName().stripDialect().str();
  if (isStore)
    fragment.value = "result";
  else if (auto argument = dyn_cast<BlockArgument>(fragmentOp.getOperand(0));
           argument && isLoad)
    fragment.value = nameValue(graph->getOperand(argument.getArgNumber()));
  fragment.type = convertTensor(type);
  fragment.numRegisters =
      layout.getLinearLayout(type.getShape()).getNumRegisters();
  fragment.layout = getLayout(layout);
  step.fragments.push_back(std::move(fragment));
}

void KernelExplainer::addStep(Operation &stepOp, unsigned index) {
  ExplainedStep step;
  step.index = index;
  if (auto number = stepOp.getAttrOfType<IntegerAttr>(kStepAttr))
    step.number = number.getInt();
  step.isHeld = stepOp.hasAttr(kHeldAttr);
  auto graph = dyn_cast<thread::GraphOp>(stepOp);
  step.isThreadGraph = !!graph;
  if (!graph) {
    step.operations = stepOp.getName().stripDialect().str();
    kernel.steps.push_back(std::move(step));
    return;
  }
  TileGraph header =
      cast<TileGraphOpInterface>(graph.getOperation()).getHeader();
  step.numItems = header.getNumBlocks();
  step.numSteps = header.loop;
  SmallVector<StringRef> operations;
  for (auto [number, op] :
       llvm::enumerate(graph.getBody().front().without_terminator())) {
    if (!isa<thread::LoadOp, thread::LdmatrixOp, thread::StoreOp>(op))
      operations.push_back(op.getName().stripDialect());
    addFragment(step, op, number, graph);
  }
  step.operations = operations.empty() ? "load" : llvm::join(operations, ", ");
  kernel.steps.push_back(std::move(step));
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

LogicalResult KernelExplainer::addSharedMemory() {
  kernel.isStorePlanned = op->hasAttr(kSharedBytesAttr);
  if (!kernel.isStorePlanned) {
    kernel.sharedBytes = getSharedBytes(tiles);
    kernel.resources.sharedBytes = kernel.sharedBytes;
    return success();
  }
  if (failed(readSharedBytes(op, target)))
    return failure();
  BlockSteps steps(op);
  llvm::Expected<SmallVector<TileForm>> forms = steps.readForms();
  if (!forms)
    return op.emitError() << llvm::toString(forms.takeError());
  llvm::Expected<StoragePlan> plan = steps.readPlan(*forms);
  if (!plan)
    return op.emitError() << llvm::toString(plan.takeError());
  addPlaces(steps, *forms, *plan);
  kernel.resources.threads = getLaunchedThreads(op);
  kernel.sharedBytes = plan->sizeBytes;
  kernel.resources.sharedBytes = kernel.sharedBytes;
  return addWarpRoles(steps, *forms);
}

void KernelExplainer::addPlaces(const BlockSteps &steps,
                                ArrayRef<TileForm> forms,
                                const StoragePlan &plan) {
  BankTraffic traffic(steps);
  for (auto [number, tile] : llvm::enumerate(steps.getTiles())) {
    kernel.wavefronts += traffic.count(number, forms[number]);
    ExplainedPlace place;
    place.name = nameValue(tile);
    place.type = convertTensor(tile.getType());
    place.offsetBytes = plan.offsets[number];
    place.rowPaddingBytes = forms[number].rowPadding;
    place.swizzleBytes = forms[number].swizzleBytes;
    place.isBoxed = forms[number].isBoxed();
    place.sizeBytes = BlockSteps::getPlaceBytes(tile, place.rowPaddingBytes);
    place.numPlaces = steps.getNumPlaces(number);
    kernel.places.push_back(std::move(place));
  }
  llvm::sort(kernel.places, [](const auto &lhs, const auto &rhs) {
    return std::tie(lhs.offsetBytes, lhs.name) <
           std::tie(rhs.offsetBytes, rhs.name);
  });
  if (llvm::any_of(forms, [](TileForm form) { return form.isBoxed(); }))
    kernel.copyBarriersOffset = plan.offsets.back();
}

/// Who refills places, and with which blocks' tiles.
LogicalResult KernelExplainer::addWarpRoles(const BlockSteps &steps,
                                            ArrayRef<TileForm> forms) {
  auto handBack = steps.readHandBack(steps.readSchedule(), forms);
  if (!handBack)
    return op.emitError() << "expects " << llvm::toString(handBack.takeError());
  kernel.handBack = *handBack;
  auto loadingWarps = readLoadingWarps(op, handBack->has_value());
  if (!loadingWarps)
    return op.emitError() << llvm::toString(loadingWarps.takeError());
  kernel.loadingWarps = *loadingWarps;
  auto persistent = readPersistentBlocks(op);
  if (!persistent)
    return op.emitError() << llvm::toString(persistent.takeError());
  kernel.persistentBlocks = getLaunchedBlocks(op, target);
  return success();
}

LogicalResult KernelExplainer::addTime() {
  FailureOr<std::optional<search::KernelTime>> time = predictTime(op, target);
  if (succeeded(time) && !*time)
    time = readPredictedTime(op, target);
  if (failed(time))
    return failure();
  kernel.time = *time;
  return success();
}

//===----------------------------------------------------------------------===//
// A function
//===----------------------------------------------------------------------===//

/// Kernels that share a launch take of an SM what the largest of them takes.
static void shareResources(std::vector<ExplainedKernel> &kernels) {
  for (ExplainedKernel &kernel : kernels)
    for (const ExplainedKernel &other : kernels) {
      if (other.launch != kernel.launch)
        continue;
      BlockResources &resources = kernel.resources;
      resources.threads = std::max(resources.threads, other.resources.threads);
      resources.sharedBytes =
          std::max({resources.sharedBytes, other.sharedBytes,
                    other.requestedSharedBytes});
      resources.rowRegisters =
          std::max(resources.rowRegisters, other.resources.rowRegisters);
      resources.sumRegisters =
          std::max(resources.sumRegisters, other.resources.sumRegisters);
    }
}

/// What stands before each kernel in place of a launch alone.
static void setLaunchTimes(ExplainedFunction &function) {
  for (ExplainedKernel &kernel : function.kernels) {
    if (!kernel.time || kernel.number == 0)
      continue;
    kernel.time->launchUs =
        kernel.barrier == LaunchBarrier::Launch
            ? function.target.nextLaunchUs
            : getLaunchBarrierUs(kernel.barrier, function.target);
  }
}

/// \param program  as a launch sequence has one, or a function that is none.
static LogicalResult addKernels(Operation *program,
                                ExplainedFunction &function) {
  // Launches are known once device memory is planned; before that, reading them
  // would complain of what is still to be done.
  std::optional<LaunchSequence> sequence;
  std::optional<StoragePlan> plan;
  if (program->hasAttr(kWorkspaceBytesAttr)) {
    FailureOr<LaunchSequence> read = LaunchSequence::read(program);
    if (failed(read))
      return failure();
    sequence = std::move(*read);
    FailureOr<StoragePlan> readPlan = sequence->readPlan();
    if (failed(readPlan))
      return failure();
    plan = std::move(*readPlan);
  }
  // Dead kernels are none of the sequence.
  SmallVector<block::GraphOp> kernels;
  if (sequence)
    llvm::append_range(kernels, sequence->getKernels());
  else
    program->walk([&](block::GraphOp kernel) { kernels.push_back(kernel); });
  const unsigned firstKernel = function.kernels.size();
  const unsigned firstLaunch =
      firstKernel == 0 ? 0 : function.kernels.back().launch + 1;
  for (block::GraphOp kernel : kernels) {
    FailureOr<ExplainedKernel> explained =
        KernelExplainer(kernel, function.target)
            .run(sequence ? &*sequence : nullptr, plan ? &*plan : nullptr);
    if (failed(explained))
      return failure();
    explained->number = function.kernels.size();
    explained->launch = firstLaunch + explained->number - firstKernel;
    explained->isPlanned = explained->isStorePlanned && sequence;
    function.kernels.push_back(std::move(*explained));
  }
  if (!sequence)
    return success();
  auto kernel = function.kernels.begin() + firstKernel;
  bool isAdmitted = false;
  for (auto [number, launch] : llvm::enumerate(sequence->getLaunches())) {
    for (unsigned i = 0; i < launch.kernels.size(); ++i, ++kernel) {
      kernel->launch = firstLaunch + number;
      kernel->gridOrder = launch.getGridOrder();
      // A library knows nothing of it.
      kernel->isDependent =
          launch.isDependent && i == 0 && !kernel->isLeftToLibrary;
      kernel->isAdmitted = isAdmitted && kernel->isDependent;
      kernel->requestedSharedBytes = getRequestedSharedBytes(launch.kernels[i]);
      if (i > 0)
        kernel->barrier = launch.shared[i - 1].barrier;
    }
    isAdmitted = launch.admitsNext && !std::prev(kernel)->isLeftToLibrary;
  }
  return success();
}

/// The program that a function is, or the graphs on memrefs that are in it;
/// itself where nobody could plan what it has.
static SmallVector<Operation *> findExplained(func::FuncOp function) {
  SmallVector<Operation *> programs = findPrograms(function);
  if (programs.empty() || programs.front() == function)
    return {function};
  return programs;
}

FailureOr<ExplainedFunction>
mlir::mirage::explainKernels(func::FuncOp op, const Target &target) {
  ExplainedFunction function;
  function.name = op.getName().str();
  function.target = target;
  for (Operation *program : findExplained(op))
    if (failed(addKernels(program, function)))
      return failure();
  shareResources(function.kernels);
  setLaunchTimes(function);
  op.walk<WalkOrder::PreOrder>([&](Operation *inner) {
    if (isa<TileGraphOpInterface>(inner))
      return WalkResult::skip();
    auto row = dyn_cast<OperatorOpInterface>(inner);
    if (row && hasDefaultTileGraph(row.getTableOpcode()))
      function.operators.push_back(inner->getName().stripDialect().str());
    return WalkResult::advance();
  });
  WalkResult walked = op.walk([&](kernel::GraphOp graph) {
    FailureOr<Graph> program = readKernelGraph(graph);
    if (failed(program))
      return WalkResult::interrupt();
    function.limitUs += search::getStreamingLimitUs(target, *program);
    return WalkResult::skip();
  });
  if (walked.wasInterrupted())
    return failure();
  return function;
}
