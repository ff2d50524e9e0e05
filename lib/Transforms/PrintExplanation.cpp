//===- PrintExplanation.cpp - Kernels explained, as text and JSON ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/TileForms.h"
#include "Mirage/Transforms/ExplainKernels.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::mirage;
using llvm::formatv;
using llvm::json::Array;
using llvm::json::Object;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// "1 block", "2 blocks"
static std::string count(int64_t number, StringRef what) {
  return (Twine(number) + " " + what + (number == 1 ? "" : "s")).str();
}

static std::string formatBytes(double bytes) {
  if (bytes < 1024)
    return formatv("{0:f0} B", bytes).str();
  if (bytes < 1024 * 1024)
    return formatv("{0:f1} KiB", bytes / 1024).str();
  return formatv("{0:f1} MiB", bytes / 1024 / 1024).str();
}

static std::string formatUs(double us) { return formatv("{0:f2}", us).str(); }

/// "8x512xf16"
static std::string formatType(const TensorSpec &type) {
  std::string text;
  for (int64_t size : type.shape)
    text += std::to_string(size) + "x";
  return text + getElementTypeName(type.element).str();
}

/// The first place in a file that a location speaks of: "softmax.mlir:8:10".
static std::string nameLocation(Location location) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto place = location->findInstanceOf<FileLineColLoc>())
    os << place.getFilename().getValue() << ":" << place.getLine() << ":"
       << place.getColumn();
  else
    os << location;
  return text;
}

static std::string formatExtents(ArrayRef<int64_t> extents) {
  if (extents.empty())
    return "1";
  return llvm::join(
      llvm::map_range(extents,
                      [](int64_t extent) { return std::to_string(extent); }),
      " x ");
}

/// "y", "x"
static SmallVector<StringRef, 3> nameAxes(ArrayRef<int64_t> axes) {
  SmallVector<StringRef, 3> names;
  for (int64_t axis : axes)
    names.push_back(getAxisName(static_cast<Axis>(axis)));
  return names;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {
/// The block of text of one kernel: a line for each subject, whose name stands
/// in a column of its own.
class KernelText {
public:
  KernelText(raw_ostream &os, const ExplainedKernel &kernel,
             const Target &target)
      : os(os), kernel(kernel), target(target) {}

  void print(StringRef function) {
    os << "kernel " << kernel.number << " of @" << function;
    if (!kernel.symbol.empty())
      os << ", " << kernel.symbol;
    os << ", at " << nameLocation(kernel.location) << "\n";
    printLaunch();
    printTensors();
    printSharedMemory();
    printSteps();
    printRegisters();
    printTime();
  }

private:
  raw_ostream &start(StringRef subject) {
    return os << llvm::formatv("  {0,-15} ", subject);
  }
  /// A line below a subject.
  raw_ostream &startDetail(StringRef subject) {
    return os << llvm::formatv("    {0,-13} ", subject);
  }

  void printLaunch();
  void printTensors();
  void printSharedMemory();
  void printSteps();
  void printFragment(const ExplainedFragment &fragment);
  void printRegisters();
  void printOccupancy();
  void printTime();

  raw_ostream &os;
  const ExplainedKernel &kernel;
  const Target &target;
};
} // namespace

void KernelText::printLaunch() {
  if (!kernel.isPlanned)
    start("launch") << "not planned yet (--mirage-plan-device-memory)\n";
  else if (kernel.barrier == LaunchBarrier::Launch)
    start("launch") << kernel.launch
                    << (kernel.isAdmitted
                            ? ", begins when the one before it has begun"
                        : kernel.isDependent
                            ? ", begins before the one before it has ended"
                            : "")
                    << "\n";
  else
    start("launch") << kernel.launch << ", behind a barrier: "
                    << getLaunchBarrierName(kernel.barrier) << "\n";
  if (kernel.isLeftToLibrary)
    start("library") << "does it instead, on a machine that has one\n";
  if (kernel.takesTF32)
    start("products") << "of f32 in tf32: operands are rounded to 11 bits\n";
  start("blocks") << formatExtents(kernel.grid);
  if (kernel.grid.size() > 1)
    os << " = " << kernel.getNumBlocks();
  os << ", of " << kernel.threads << " threads";
  if (kernel.loadingWarps.number > 0)
    os << " and " << count(kernel.loadingWarps.number, "warp") << " that "
       << (kernel.loadingWarps.number > 1 ? "load" : "loads");
  if (kernel.persistentBlocks)
    os << ", " << *kernel.persistentBlocks
       << " launched, each of which goes on with others";
  if (!kernel.cluster.empty())
    os << ", in clusters of " << formatExtents(kernel.cluster)
       << (kernel.loadsByClusters ? " that load together" : "");
  if (!llvm::is_sorted(kernel.gridOrder))
    os << ", counted along " << llvm::join(nameAxes(kernel.gridOrder), ", ");
  os << "\n";
  start("loop") << count(kernel.loop, "iteration") << ", "
                << count(kernel.stages, "stage");
  if (kernel.endsEarly)
    os << ", which blocks end early by a causal mask";
  if (kernel.handBack)
    os << ", whose places warps hand back";
  if (kernel.handBack && kernel.loadingWarps.number == 0)
    os << "; each iteration refills that of "
       << count(*kernel.handBack, "iteration") << " before";
  os << "\n";
}

void KernelText::printTensors() {
  for (const ExplainedTensor &tensor : kernel.tensors) {
    start(tensor.name) << "tiles " << formatType(tensor.tile) << " of "
                       << formatType(tensor.tensor) << ", " << tensor.maps
                       << "; " << formatBytes(tensor.trafficBytes)
                       << (tensor.isWritten ? " written" : " read");
    if (tensor.numSharers > 1)
      os << " by " << tensor.numSharers << " blocks at a time, "
         << formatBytes(tensor.trafficBytes / tensor.numSharers) << " from L2";
    if (tensor.widestAccessBytes)
      os << ", accesses of up to " << *tensor.widestAccessBytes << " B";
    if (tensor.bypassesSharedMemory)
      os << ", past shared memory";
    os << "\n";
  }
  start("device memory") << formatBytes(kernel.getReadBytes()) << " read and "
                         << formatBytes(kernel.getWrittenBytes())
                         << " written by all blocks, as the maps imply";
  if (kernel.loadsByClusters)
    os << "; " << formatBytes(kernel.getCacheReadBytes())
       << " come from L2 or further";
  os << "\n";
  // Little's law.
  double busyBytes = target.memoryBytesPerUs * target.loadLatencyUs;
  int64_t perSM = llvm::divideCeil(kernel.getNumBlocks(), target.numSMs);
  double resident = double(std::min(
      kernel.getNumBlocks(),
      std::min(perSM, kernel.getOccupancy(target).blocks) * target.numSMs));
  start("in flight") << formatBytes(double(kernel.flightBytes))
                     << " of a block, "
                     << formatBytes(double(kernel.flightBytes) * resident)
                     << " of the blocks that run at a time; "
                     << formatBytes(busyBytes) << " keep device memory busy\n";
}

void KernelText::printSharedMemory() {
  start("shared memory") << kernel.sharedBytes << " B of "
                         << target.sharedBytesPerBlock << " B";
  if (!kernel.isStorePlanned) {
    os << ", if no tiles share a place: not planned yet "
          "(--mirage-plan-shared-memory)\n";
    return;
  }
  os << "; threads of a block take " << kernel.wavefronts << " wavefronts\n";
  if (kernel.requestedSharedBytes > 0)
    startDetail("asked for")
        << kernel.requestedSharedBytes
        << " B, so that an SM holds no more blocks than its share\n";
  for (const ExplainedPlace &place : kernel.places) {
    startDetail(formatv("at {0} B", place.offsetBytes).str())
        << place.name << ", " << formatType(place.type) << ", ";
    if (place.numPlaces > 1)
      os << place.numPlaces << " places of ";
    os << place.sizeBytes << " B";
    if (place.rowPaddingBytes > 0)
      os << ", " << place.rowPaddingBytes << " B free behind each row";
    if (place.swizzleBytes > 0)
      os << ", loaded by " << (place.isBoxed ? "the copy engine" : "threads")
         << " with a swizzle of " << place.swizzleBytes << " B";
    os << "\n";
  }
  if (kernel.copyBarriersOffset)
    startDetail(formatv("at {0} B", *kernel.copyBarriersOffset).str())
        << "mbarriers of " << kernel.stages << " places, "
        << kernel.stages * kCopyBarriersOfPlace * kCopyBarrierBytes << " B\n";
}

void KernelText::printFragment(const ExplainedFragment &fragment) {
  os << "      " << fragment.operation;
  if (!fragment.value.empty())
    os << " " << fragment.value;
  os << ", " << formatType(fragment.type) << ", layout " << fragment.layout
     << ": " << count(fragment.numRegisters, "element") << " of a lane\n";
}

void KernelText::printSteps() {
  start("steps") << kernel.steps.size() << "\n";
  for (const ExplainedStep &step : kernel.steps) {
    startDetail(step.number ? "step " + std::to_string(*step.number)
                            : std::string("(no order)"))
        << step.operations;
    if (step.isThreadGraph)
      os << ": " << count(step.numItems, "item") << " of "
         << count(step.numSteps, "step");
    if (step.isHeld)
      os << ", held in registers";
    os << "\n";
    for (const ExplainedFragment &fragment : step.fragments)
      printFragment(fragment);
  }
  for (auto [number, layout] : llvm::enumerate(kernel.layouts))
    start("layout " + std::to_string(number)) << layout << "\n";
}

void KernelText::printRegisters() {
  start("registers");
  if (kernel.numRegisters)
    os << *kernel.numRegisters << " of a thread by ptxas, " << kernel.spillBytes
       << " B spilled; the plan reckons with ";
  const BlockResources &resources = kernel.resources;
  os << resources.getRegisters();
  if (!kernel.numRegisters)
    os << " of a thread, as the plan reckons";
  if (resources.rowRegisters > 0)
    os << ", " << resources.rowRegisters << " of them for rows";
  else if (resources.sumRegisters > 0)
    os << ", " << resources.sumRegisters << " of them for sums";
  if (const auto &shares = kernel.loadingWarps.shares)
    os << "; warps that load keep " << shares->ofLoading
       << ", so that others can have " << shares->ofComputing;
  os << "\n";
  printOccupancy();
}

void KernelText::printOccupancy() {
  Occupancy occupancy = kernel.getOccupancy(target);
  constexpr int64_t kWarp = 32;
  start("occupancy") << count(occupancy.blocks, "block") << " of an SM = "
                     << occupancy.blocks * kernel.resources.threads / kWarp
                     << " of " << count(target.threadsPerSM / kWarp, "warp")
                     << ", limited by "
                     << getOccupancyLimitName(occupancy.limit) << "; ";
  if (occupancy.blocks == 0) {
    os << "none has place\n";
    return;
  }
  int64_t atOnce = occupancy.blocks * target.numSMs;
  os << count(kernel.getNumBlocks(), "block") << " are "
     << count(llvm::divideCeil(kernel.getNumBlocks(), atOnce), "wave") << " on "
     << target.numSMs << " SMs\n";
}

void KernelText::printTime() {
  if (!kernel.time) {
    start("predicted") << "not at all: it has thread graphs, and no times from "
                          "before (--mirage-predict-times)\n";
    return;
  }
  const search::KernelTime &time = *kernel.time;
  start("predicted") << formatUs(time.getUs()) << " us = launch "
                     << formatUs(time.launchUs);
  if (time.joinUs > 0)
    os << " + join " << formatUs(time.joinUs);
  os << " + the longest of\n";
  startDetail("blocks") << formatUs(time.blocksUs) << " us, of which latency "
                        << "bounds " << formatUs(time.blockShares.latencyUs)
                        << ", loads " << formatUs(time.blockShares.loadUs)
                        << ", arithmetic "
                        << formatUs(time.blockShares.computeUs) << "\n";
  startDetail("device memory") << formatUs(time.memoryUs) << " us\n";
  startDetail("L2") << formatUs(time.cacheUs) << " us\n";
  start("bound by") << search::getKernelBoundName(time.getBound()) << "\n";
}

void mlir::mirage::print(raw_ostream &os, const ExplainedFunction &function) {
  for (const ExplainedKernel &kernel : function.kernels)
    KernelText(os, kernel, function.target).print(function.name);
  os << "@" << function.name << ": " << count(function.kernels.size(), "kernel")
     << " for " << function.target.name << " (" << function.target.gpu << ")";
  if (!function.operators.empty())
    os << ", and " << llvm::join(function.operators, ", ")
       << " without a kernel yet (--mirage-assign-default-blocks)";
  if (std::optional<double> us = function.getPredictedUs())
    os << ", " << formatUs(*us) << " us predicted";
  os << "; none takes less than " << formatUs(function.limitUs)
     << " us, for the launch and each input and output once\n";
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static Array makeArray(ArrayRef<int64_t> numbers) { return Array(numbers); }

static Object makeObject(const ExplainedTensor &tensor) {
  Object object{{"name", tensor.name},
                {"tile", formatType(tensor.tile)},
                {"tensor", formatType(tensor.tensor)},
                {"maps", tensor.maps},
                {"written", tensor.isWritten},
                {"bypassesSharedMemory", tensor.bypassesSharedMemory},
                {"trafficBytes", tensor.trafficBytes},
                {"sharers", tensor.numSharers}};
  if (tensor.widestAccessBytes)
    object["widestAccessBytes"] = *tensor.widestAccessBytes;
  if (tensor.trafficSectors)
    object["trafficSectors"] = *tensor.trafficSectors;
  if (tensor.buffer)
    object["buffer"] = Object{{"role", getRoleName(tensor.buffer->role)},
                              {"index", int64_t(tensor.buffer->index)},
                              {"offsetBytes", tensor.buffer->offsetBytes}};
  return object;
}

static Object makeObject(const ExplainedPlace &place) {
  return Object{{"name", place.name},
                {"tile", formatType(place.type)},
                {"offsetBytes", place.offsetBytes},
                {"sizeBytes", place.sizeBytes},
                {"places", place.numPlaces},
                {"rowPaddingBytes", place.rowPaddingBytes},
                {"swizzleBytes", place.swizzleBytes},
                {"loadedByCopyEngine", place.isBoxed}};
}

static Object makeObject(const ExplainedStep &step) {
  Object object{{"index", int64_t(step.index)},
                {"operations", step.operations},
                {"held", step.isHeld}};
  if (step.number)
    object["number"] = *step.number;
  if (!step.isThreadGraph)
    return object;
  object["items"] = step.numItems;
  object["steps"] = step.numSteps;
  Array fragments;
  for (const ExplainedFragment &fragment : step.fragments)
    fragments.push_back(
        Object{{"index", int64_t(fragment.index)},
               {"operation", fragment.operation},
               {"value", fragment.value},
               {"fragment", formatType(fragment.type)},
               {"elementsPerLane", int64_t(fragment.numRegisters)},
               {"layout", int64_t(fragment.layout)}});
  object["fragments"] = std::move(fragments);
  return object;
}

static Object makeObject(const search::KernelTime &time) {
  return Object{{"us", time.getUs()},
                {"boundBy", search::getKernelBoundName(time.getBound())},
                {"launchUs", time.launchUs},
                {"joinUs", time.joinUs},
                {"blocksUs", time.blocksUs},
                {"blocksLatencyUs", time.blockShares.latencyUs},
                {"blocksLoadsUs", time.blockShares.loadUs},
                {"blocksArithmeticUs", time.blockShares.computeUs},
                {"deviceMemoryUs", time.memoryUs},
                {"l2Us", time.cacheUs}};
}

template <typename T>
static Array makeObjects(const T &list) {
  Array array;
  for (const auto &element : list)
    array.push_back(makeObject(element));
  return array;
}

static Object makeRegisters(const ExplainedKernel &kernel) {
  Object registers{{"reckoned", kernel.resources.getRegisters()},
                   {"rows", kernel.resources.rowRegisters},
                   {"sums", kernel.resources.sumRegisters}};
  if (kernel.numRegisters) {
    registers["ptxas"] = *kernel.numRegisters;
    registers["spillBytes"] = kernel.spillBytes;
  }
  if (const auto &shares = kernel.loadingWarps.shares) {
    registers["loading"] = shares->ofLoading;
    registers["computing"] = shares->ofComputing;
  }
  return registers;
}

/// What is there of some kernels alone.
static void addDecisions(Object &object, const ExplainedKernel &kernel) {
  if (!kernel.symbol.empty())
    object["symbol"] = kernel.symbol;
  if (kernel.requestedSharedBytes > 0)
    object["requestedSharedBytes"] = kernel.requestedSharedBytes;
  if (kernel.handBack)
    object["handsBackPlaces"] = *kernel.handBack;
  if (kernel.copyBarriersOffset)
    object["copyBarriersOffsetBytes"] = *kernel.copyBarriersOffset;
  if (kernel.isPlanned) {
    object["launch"] = int64_t(kernel.launch);
    object["barrier"] = getLaunchBarrierName(kernel.barrier);
    object["dependent"] = kernel.isDependent;
    object["admitted"] = kernel.isAdmitted;
  }
  if (kernel.time)
    object["predicted"] = makeObject(*kernel.time);
}

static Object makeObject(const ExplainedKernel &kernel, const Target &target) {
  Occupancy occupancy = kernel.getOccupancy(target);
  Object object{{"number", int64_t(kernel.number)},
                {"location", nameLocation(kernel.location)},
                {"planned", kernel.isPlanned},
                {"sharedMemoryPlanned", kernel.isStorePlanned},
                {"library", kernel.isLeftToLibrary},
                {"tf32", kernel.takesTF32},
                {"grid", makeArray(kernel.grid)},
                {"gridOrder", Array(nameAxes(kernel.gridOrder))},
                {"cluster", makeArray(kernel.cluster)},
                {"multicast", kernel.loadsByClusters},
                {"threads", kernel.threads},
                {"loadingWarps", kernel.loadingWarps.number},
                {"persistentBlocks", kernel.persistentBlocks.value_or(0)},
                {"loop", kernel.loop},
                {"stages", kernel.stages},
                {"endsEarly", kernel.endsEarly},
                {"tensors", makeObjects(kernel.tensors)},
                {"readBytes", kernel.getReadBytes()},
                {"cacheReadBytes", kernel.getCacheReadBytes()},
                {"writtenBytes", kernel.getWrittenBytes()},
                {"inFlightBytes", kernel.flightBytes},
                {"sharedBytes", kernel.sharedBytes},
                {"wavefronts", kernel.wavefronts},
                {"places", makeObjects(kernel.places)},
                {"steps", makeObjects(kernel.steps)},
                {"layouts", Array(kernel.layouts)},
                {"registers", makeRegisters(kernel)},
                {"blocksPerSM", occupancy.blocks},
                {"limitedBy", getOccupancyLimitName(occupancy.limit)}};
  addDecisions(object, kernel);
  return object;
}

llvm::json::Value mlir::mirage::toJSON(const ExplainedFunction &function) {
  Array kernels;
  for (const ExplainedKernel &kernel : function.kernels)
    kernels.push_back(makeObject(kernel, function.target));
  Object object{{"function", function.name},
                {"target", function.target.name},
                {"gpu", function.target.gpu},
                {"kernels", std::move(kernels)},
                {"operatorsWithoutKernel", Array(function.operators)},
                {"limitUs", function.limitUs}};
  if (std::optional<double> us = function.getPredictedUs())
    object["predictedUs"] = *us;
  return llvm::json::Value(std::move(object));
}
