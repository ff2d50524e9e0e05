//===- FakeKernels.cpp - Kernels of the fake driver -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"
#include "Mirage/Emulator/Launch.h"
#include "Mirage/Emulator/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>

using namespace fake;
namespace emulator = mlir::mirage::emulator;

namespace {
struct FakeModule {
  std::unique_ptr<emulator::Module> code;
  int device;
};

struct FakeFunction {
  const FakeModule *module;
  const emulator::KernelInfo *info;
};
} // namespace

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// Puts a message where the caller wants the log.
static void writeLog(llvm::StringRef message, unsigned count, int *options,
                     void **values) {
  char *buffer = nullptr;
  size_t size = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == kErrorLogBuffer)
      buffer = static_cast<char *>(values[i]);
    if (options[i] == kErrorLogBufferSizeBytes)
      size = reinterpret_cast<size_t>(values[i]);
  }
  if (buffer && size > 0)
    std::strncpy(buffer, message.str().c_str(), size - 1);
}

FAKE CUresult cuModuleLoadDataEx(CUmodule *module, const void *text,
                                 unsigned count, int *options, void **values) {
  Guard guard;
  if (CUresult result = checkContext())
    return result;
  auto code =
      emulator::parsePTX(static_cast<const char *>(text), "kernels.ptx");
  if (!code) {
    writeLog(llvm::toString(code.takeError()), count, options, values);
    return kInvalidPtx;
  }
  keep(module, new FakeModule{std::move(*code), getDevice()});
  return kSuccess;
}

FAKE CUresult cuModuleUnload(CUmodule module) {
  Guard guard;
  if (CUresult result = checkContext())
    return result;
  if (CUresult result = checkUnsafe())
    return result;
  failWork();
  return giveBack<FakeModule>(module);
}

FAKE CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                                  const char *name) {
  Guard guard;
  auto *fake = reinterpret_cast<FakeModule *>(module);
  const emulator::KernelInfo *info = fake->code->findKernel(name);
  if (!info)
    return kNotFound;
  // As long as the process: the driver has no call that gives one back.
  static std::map<const void *, FakeFunction> functions;
  *function = reinterpret_cast<CUfunction>(&(functions[info] = {fake, info}));
  return kSuccess;
}

FAKE CUresult cuFuncSetAttribute(CUfunction, int, int) { return kSuccess; }

FAKE CUresult cuFuncGetAttribute(int *value, int attribute,
                                 CUfunction function) {
  const auto *info = reinterpret_cast<FakeFunction *>(function)->info;
  if (attribute == kSharedSizeBytes)
    *value = info->staticSharedBytes;
  else if (attribute == kNumRegisters)
    *value = getNumberOf("registers", info->name, 32);
  else
    return kInvalidValue;
  return kSuccess;
}

FAKE CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                          CUfunction, int,
                                                          size_t) {
  *blocks = 1;
  return kSuccess;
}

FAKE CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction,
                                           const LaunchConfig *) {
  *clusters = 1;
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// What the driver's own encoding holds here: where to find the map.
struct FakeTensorMap {
  uint64_t number; ///< in the list of all
  CUdeviceptr address;
};
static std::deque<mlir::mirage::TensorMap> &getTensorMaps() {
  static std::deque<mlir::mirage::TensorMap> maps;
  return maps;
}

FAKE CUresult cuTensorMapEncodeTiled(
    TensorMapImage *image, int dataType, unsigned rank, CUdeviceptr address,
    const uint64_t *sizes, const uint64_t *strideBytes, const unsigned *box,
    const unsigned *elementStrides, int interleave, int swizzle, int promotion,
    int fill) {
  Guard guard;
  if (rank < 1 || rank > 5 || interleave != 0 || swizzle < 0 || swizzle > 3 ||
      promotion < 0 || promotion > 3 || fill != 0 ||
      reinterpret_cast<uintptr_t>(image) % 64 != 0 || address % 16 != 0)
    return kInvalidValue;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (elementStrides[dim] != 1)
      return kInvalidValue;
  mlir::mirage::TensorMap map;
  map.elementBytes = dataType == 4 ? 8 : 1u << dataType;
  map.sizes.assign(sizes, sizes + rank);
  map.strideBytes.assign(strideBytes, strideBytes + rank - 1);
  map.box.assign(box, box + rank);
  map.swizzle = static_cast<mlir::mirage::Swizzle>(swizzle);
  if (llvm::Error error = map.check()) {
    llvm::consumeError(std::move(error));
    return kInvalidValue;
  }
  FakeTensorMap fake{getTensorMaps().size(), address};
  getTensorMaps().push_back(std::move(map));
  std::memcpy(image, &fake, sizeof(fake));
  return kSuccess;
}

FAKE CUresult cuTensorMapReplaceAddress(TensorMapImage *image,
                                        CUdeviceptr address) {
  Guard guard;
  if (reinterpret_cast<uintptr_t>(image) % 64 != 0 || address % 16 != 0) {
    *image = {}; // nothing says that what is refused leaves a map as it was
    return kInvalidValue;
  }
  FakeTensorMap fake = {};
  std::memcpy(&fake, image, sizeof(fake));
  fake.address = address;
  std::memcpy(image, &fake, sizeof(fake));
  log("a tensor map's address is replaced");
  return kSuccess;
}

/// Adds the memory that an address points into, if it is not yet there.
/// \param map  of what lies there; null for a plain address.
static CUresult addArgument(CUdeviceptr address,
                            const mlir::mirage::TensorMap *map,
                            emulator::LaunchConfig &config) {
  auto &memory = getState().memory;
  auto found = memory.upper_bound(address);
  if (found == memory.begin())
    return kInvalidValue;
  --found;
  if (found->second.device != getDevice())
    return kInvalidValue;
  auto *data = reinterpret_cast<void *>(found->first);
  auto buffer =
      llvm::find_if(config.buffers, [&](const emulator::Buffer &buffer) {
        return buffer.data == data;
      });
  unsigned index = buffer - config.buffers.begin();
  if (index == config.buffers.size())
    config.buffers.push_back({"memory", data,
                              found->second.storage.size() - 256,
                              emulator::BufferKind::InOut});
  uint64_t offset = address - found->first;
  config.arguments.push_back(
      map ? emulator::Argument::tensorMap(index, *map, offset)
          : emulator::Argument::pointer(index, offset));
  return kSuccess;
}

static void spoilLastArgument(const emulator::LaunchConfig &config) {
  const emulator::Argument &last = config.arguments.back();
  const emulator::Buffer &buffer = config.buffers[last.bufferIndex()];
  // An exponent's bits, whatever the element type.
  auto *bytes = static_cast<uint8_t *>(buffer.data) + last.offsetBytes();
  bytes[3] ^= 0x3c;
  bytes[1] ^= 0x3c;
}

/// As printf of a kernel does: to standard output, when the device is waited
/// for.
static void playPrint(llvm::StringRef kernel) {
  std::string text = getSetting("print").value_or("");
  auto [printing, file] = llvm::StringRef(text).split(':');
  if (printing != kernel)
    return;
  if (auto printed = llvm::MemoryBuffer::getFile(file))
    llvm::outs() << (*printed)->getBuffer();
  llvm::outs().flush();
}

/// What is planted in a kernel; none of it: success.
static CUresult playFaults(llvm::StringRef kernel) {
  bool isFirst = getState().runs[kernel.str()] == 0;
  playPrint(kernel);
  if (plays("die", kernel) || (plays("late-die", kernel) && !isFirst))
    raise(SIGKILL);
  if (plays("hang", kernel))
    getState().hangs = true;
  if (plays("fault", kernel))
    getState().failure = kIllegalAddress;
  return getState().failure;
}

static void runKernel(const emulator::Module &code,
                      const emulator::LaunchConfig &config) {
  State &state = getState();
  auto result = emulator::launch(code, config);
  if (!result)
    llvm::errs() << llvm::toString(result.takeError()) << '\n';
  if (!result || !result->completed) {
    state.failure = kLaunchFailed;
    return;
  }
  constexpr double kLaunchUs = 1, kWarpInstructionUs = 1e-3;
  state.clockUs +=
      (kLaunchUs + kWarpInstructionUs * result->counters.warpInstructions) *
      getNumberOf("slow", config.kernel, 1);
  ++state.generation;
  bool isFirst = state.runs[config.kernel]++ == 0;
  if (plays("garbage", config.kernel) ||
      (plays("late-garbage", config.kernel) && !isFirst))
    spoilLastArgument(config);
}

/// Of what is launched; a graph's node and a launch have it in common.
static KernelNodeParameters describe(const LaunchConfig &launch,
                                     CUfunction function, void **parameters) {
  KernelNodeParameters node = {};
  node.function = function;
  llvm::copy(launch.grid, node.grid);
  llvm::copy(launch.block, node.block);
  node.dynamicSharedBytes = launch.dynamicSharedBytes;
  node.parameters = parameters;
  return node;
}

static CUresult checkFunction(CUfunction function) {
  if (CUresult result = checkContext())
    return result;
  return reinterpret_cast<FakeFunction *>(function)->module->device ==
                 getDevice()
             ? kSuccess
             : kInvalidHandle;
}

/// What parameters say now.
static CUresult readArguments(const emulator::KernelInfo &info,
                              void **parameters,
                              emulator::LaunchConfig &config) {
  for (unsigned i = 0; i < info.parameters.size(); ++i) {
    FakeTensorMap image = {};
    bool isMap = info.parameters[i].sizeBytes == sizeof(TensorMapImage);
    std::memcpy(isMap ? static_cast<void *>(&image) : &image.address,
                parameters[i], isMap ? sizeof(image) : sizeof(CUdeviceptr));
    if (isMap && image.number >= getTensorMaps().size())
      return kInvalidValue;
    if (CUresult result = addArgument(
            image.address, isMap ? &getTensorMaps()[image.number] : nullptr,
            config))
      return result;
  }
  return kSuccess;
}

/// \param cluster  is asked when the kernel runs.
static Kernel makeKernel(const KernelNodeParameters &node,
                         std::shared_ptr<const Cluster> cluster) {
  auto *fake = reinterpret_cast<FakeFunction *>(node.function);
  emulator::LaunchConfig config;
  config.kernel = fake->info->name;
  llvm::copy(node.grid, config.grid.begin());
  llvm::copy(node.block, config.block.begin());
  config.dynamicSharedBytes = node.dynamicSharedBytes;
  config.checks = emulator::Checks::None;
  if (readArguments(*fake->info, node.parameters, config) != kSuccess)
    return {config.kernel, nullptr};
  return {config.kernel, [fake, config, cluster]() mutable -> CUresult {
            llvm::copy(*cluster, config.cluster.begin());
            if (playFaults(config.kernel) == kSuccess)
              runKernel(*fake->module->code, config);
            // Who waits for a launch finds that it failed.
            return kSuccess;
          }};
}

CUresult fake::enqueueNode(CUstream handle, const Kernel &kernel) {
  if (plays("refuse", kernel.name))
    return kLaunchOutOfResources;
  if (const Stream *stream = findAnyStream(handle))
    log(kernel.name + " on " + stream->name);
  return enqueueAnywhere(
      handle, kernel.work ? kernel.work : []() -> CUresult {
        return getState().failure = kIllegalAddress;
      });
}

void fake::pauseBehindLaunch() {
  if (int64_t us = getNumber("pause", 0))
    std::this_thread::sleep_for(std::chrono::microseconds(us));
}

static CUresult launchKernel(const LaunchConfig &launch, CUfunction function,
                             void **parameters) {
  Guard guard;
  if (CUresult result = checkFunction(function))
    return result;
  auto cluster = std::make_shared<Cluster>(Cluster{1, 1, 1});
  for (const LaunchAttribute &attribute :
       llvm::ArrayRef(launch.attributes, launch.numAttributes))
    if (attribute.id == kClusterDimension)
      llvm::copy(attribute.value.clusterDimension, cluster->begin());
  Kernel kernel = makeKernel(describe(launch, function, parameters), cluster);
  if (!findStream(launch.stream))
    return kInvalidHandle;
  return kernel.work ? enqueueNode(launch.stream, kernel) : kInvalidValue;
}

FAKE CUresult cuLaunchKernelEx(const LaunchConfig *launch, CUfunction function,
                               void **parameters, void **) {
  CUresult result = launchKernel(*launch, function, parameters);
  pauseBehindLaunch();
  return result;
}

//===----------------------------------------------------------------------===//
// Launches of graphs
//===----------------------------------------------------------------------===//

fake::Graph::~Graph() {
  for (const std::unique_ptr<Node> &node : nodes)
    getState().objects.erase(node.get());
}

FAKE CUresult cuGraphCreate(CUgraph *graph, unsigned flags) {
  Guard guard;
  if (flags != 0)
    return kInvalidValue;
  keep(graph, new Graph());
  return kSuccess;
}

static Node *findNode(CUgraphNode handle) {
  auto *node = reinterpret_cast<Node *>(handle);
  return getState().objects.count(node) ? node : nullptr;
}

FAKE CUresult cuGraphAddKernelNode_v2(CUgraphNode *handle, CUgraph graph,
                                      const CUgraphNode *dependencies,
                                      size_t numDependencies,
                                      const KernelNodeParameters *parameters) {
  Guard guard;
  if (CUresult result = checkFunction(parameters->function))
    return result;
  auto node = std::make_unique<Node>();
  node->function = parameters->function;
  node->cluster = std::make_shared<Cluster>(Cluster{1, 1, 1});
  for (CUgraphNode dependency : llvm::ArrayRef(dependencies, numDependencies)) {
    if (!findNode(dependency))
      return kInvalidHandle;
    node->waitsFor.push_back(findNode(dependency));
  }
  node->kernel = makeKernel(*parameters, node->cluster);
  keep(handle, node.get());
  reinterpret_cast<Graph *>(graph)->nodes.push_back(std::move(node));
  return kSuccess;
}

FAKE CUresult cuGraphAddDependencies_v2(CUgraph, const CUgraphNode *from,
                                        const CUgraphNode *to,
                                        const GraphEdge *edges, size_t count) {
  Guard guard;
  if (getNumber("version", 13000) < 12030) // it is not there
    return kNotSupported;
  for (size_t i = 0; i < count; ++i) {
    Node *earlier = findNode(from[i]), *later = findNode(to[i]);
    if (!earlier || !later)
      return kInvalidHandle;
    constexpr int kDefault = 0, kProgrammatic = 1; // of ports and of types
    int type = edges[i].type;
    if (edges[i].fromPort != type || edges[i].toPort != 0 || type < kDefault ||
        type > kProgrammatic)
      return kInvalidValue;
    log(later->kernel.name +
        (type == kProgrammatic ? " may begin beside " : " waits for ") +
        earlier->kernel.name);
    later->waitsFor.push_back(earlier);
  }
  return kSuccess;
}

FAKE CUresult cuGraphKernelNodeSetAttribute(CUgraphNode handle, int attribute,
                                            const void *value) {
  Guard guard;
  Node *node = findNode(handle);
  if (!node || attribute != kClusterDimension)
    return kInvalidValue;
  llvm::copy(llvm::ArrayRef(static_cast<const unsigned *>(value), 3),
             node->cluster->begin());
  return kSuccess;
}

FAKE CUresult
cuGraphExecKernelNodeSetParams_v2(CUgraphExec handle, CUgraphNode nodeHandle,
                                  const KernelNodeParameters *parameters) {
  auto set = [&]() -> CUresult {
    Guard guard;
    auto *executable = reinterpret_cast<Executable *>(handle);
    const Node *node = findNode(nodeHandle);
    if (!node || node->function != parameters->function)
      return kInvalidValue;
    if (plays("stay", node->kernel.name))
      return kInvalidValue;
    for (auto &[known, kernel] : executable->kernels)
      if (known == node) {
        executable->generation = 0;
        log("parameters of " + kernel.name);
        kernel = makeKernel(*parameters, node->cluster);
        return kSuccess;
      }
    return kInvalidValue;
  };
  CUresult result = set();
  pauseBehindLaunch();
  return result;
}
