//===- CudaProgram.cpp - Artifacts on a GPU -------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BindingCheck.h"
#include "CudaProgramImpl.h"
#include "Mirage/Runtime/TensorBytes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::cuda;

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// Whether code for `target` ("sm_90", "sm_90a") runs on a device. What ends in
/// "a" uses features that only this architecture has, "f" some that all of its
/// major version have from there on; machine code runs within a major version,
/// and PTX on all that come later.
static bool runsOn(llvm::StringRef target, int capability, bool isMachineCode) {
  int number = 0;
  if (!target.consume_front("sm_") || target.consumeInteger(10, number))
    return false;
  if (target == "a")
    return number == capability;
  bool isOfFamily = isMachineCode || target == "f";
  return number <= capability &&
         (!isOfFamily || number / 10 == capability / 10);
}

/// The newest cubin that the device takes; null if there is none.
static const std::vector<uint8_t> *findCubin(const Artifact &artifact,
                                             int capability) {
  for (const auto &[arch, bytes] : llvm::reverse(artifact.cubins))
    if (runsOn(arch, capability, /*isMachineCode=*/true))
      return &bytes;
  return nullptr;
}

/// A message of several lines as a part of one sentence.
static std::string joinLines(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.trim().split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return llvm::join(lines, "; ");
}

llvm::Error CudaProgram::Impl::loadModule() {
  const std::vector<uint8_t> *cubin =
      findCubin(artifact, device.getComputeCapability());
  if (!cubin && !runsOn(artifact.target, device.getComputeCapability(), false))
    return llvm::createStringError("the artifact is for " + artifact.target +
                                   ", but the device, " + device.getName() +
                                   ", is sm_" +
                                   llvm::Twine(device.getComputeCapability()));
  char log[4096] = {};
  int options[] = {kErrorLogBuffer, kErrorLogBufferSizeBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log) - 1)};
  const void *code = cubin ? static_cast<const void *>(cubin->data())
                           : static_cast<const void *>(artifact.ptx.c_str());
  CUresult result =
      driver.moduleLoadDataEx(module.receive(), code, 2, options, values);
  std::string text = joinLines(log);
  return driver.check(result, llvm::Twine(cubin ? "the cubin" : "kernels.ptx") +
                                  " cannot be loaded" +
                                  (text.empty() ? "" : " (" + text + ")"));
}

/// Whether the device has a place for a whole cluster of a launch.
llvm::Error
CudaProgram::Impl::checkCluster(unsigned number,
                                const DriverLaunch &described) const {
  const KernelLaunch &launch = artifact.launches[number];
  if (launch.cluster == std::array<int64_t, 3>{1, 1, 1})
    return llvm::Error::success();
  int clusters = 0;
  CUresult result = driver.occupancyMaxActiveClusters(
      &clusters, described.getFunction(), &described.getConfig());
  if (llvm::Error error = driver.check(result, name(number)))
    return error;
  if (clusters > 0)
    return llvm::Error::success();
  return llvm::createStringError(
      name(number) + " has clusters of " +
      llvm::Twine(launch.cluster[0] * launch.cluster[1] * launch.cluster[2]) +
      " blocks, and the device has no place for one; compile with "
      "merge-launches=false if its kernels join blocks, with multicast=never "
      "if blocks load together");
}

llvm::Error CudaProgram::Impl::checkSharedBytes(unsigned number,
                                                CUfunction function) const {
  int staticBytes = 0;
  CUresult result =
      driver.funcGetAttribute(&staticBytes, kSharedSizeBytes, function);
  if (llvm::Error error = driver.check(result, name(number)))
    return error;
  int64_t demand =
      artifact.launches[number].getLaunchedSharedBytes() + staticBytes;
  if (demand <= device.getSharedBytes())
    return llvm::Error::success();
  return llvm::createStringError(name(number) + " needs " +
                                 llvm::Twine(demand) +
                                 " bytes of shared memory, the device has " +
                                 llvm::Twine(device.getSharedBytes()));
}

/// Warps get registers in units of 256 (CUDA C++ Programming Guide, "Compute
/// Capabilities", allocation granularity).
llvm::Error CudaProgram::Impl::checkRegisters(unsigned number,
                                              CUfunction function) const {
  const std::array<int64_t, 3> &block = artifact.launches[number].block;
  int perThread = 0;
  CUresult result =
      driver.funcGetAttribute(&perThread, kNumRegisters, function);
  if (llvm::Error error = driver.check(result, name(number)))
    return error;
  constexpr int64_t kWarp = 32, kUnit = 256;
  int64_t threads = block[0] * block[1] * block[2];
  int64_t demand = llvm::divideCeil(threads, kWarp) *
                   llvm::alignTo(perThread * kWarp, kUnit);
  if (demand <= device.getRegisters())
    return llvm::Error::success();
  return llvm::createStringError(
      name(number) + " needs " + llvm::Twine(demand) +
      " registers for blocks of " + llvm::Twine(threads) +
      " threads, the device has " + llvm::Twine(device.getRegisters()));
}

llvm::Error CudaProgram::Impl::loadFunctions() {
  for (auto [number, launch] : llvm::enumerate(artifact.launches)) {
    CUfunction function = nullptr;
    CUresult result = driver.moduleGetFunction(&function, module.get(),
                                               launch.kernel.c_str());
    if (llvm::Error error = driver.check(result, name(number)))
      return error;
    if (llvm::Error error = checkSharedBytes(number, function))
      return error;
    if (llvm::Error error = checkRegisters(number, function))
      return error;
    result = driver.funcSetAttribute(function, kMaxDynamicSharedSizeBytes,
                                     launch.getLaunchedSharedBytes());
    constexpr int64_t kPortableClusterBlocks = 8;
    if (result == 0 &&
        launch.cluster[0] * launch.cluster[1] * launch.cluster[2] >
            kPortableClusterBlocks)
      result =
          driver.funcSetAttribute(function, kNonPortableClusterSizeAllowed, 1);
    if (llvm::Error error = driver.check(result, name(number)))
      return error;
    auto described = std::make_unique<DriverLaunch>(launch, function);
    if (llvm::Error error = checkCluster(number, *described))
      return error;
    driverLaunches.push_back(std::move(described));
  }
  return llvm::Error::success();
}

llvm::Error cuda::allocate(const Driver &driver, int64_t bytes,
                           const llvm::Twine &what, Memory &memory) {
  if (bytes == 0)
    return llvm::Error::success();
  CUresult result = driver.memAlloc(memory.receive(), bytes);
  if (result != kCudaOutOfMemory)
    return driver.check(result, what);
  size_t free = 0, total = 0;
  driver.memGetInfo(&free, &total);
  return llvm::createStringError(what + " needs " + llvm::Twine(bytes) +
                                 " bytes of device memory, " +
                                 llvm::Twine(free) + " are free");
}

llvm::Error CudaProgram::Impl::planLibrary(LibraryUse use) {
  for (const KernelLaunch &launch : artifact.launches)
    launches.push_back({launch.kernel, "", ""});
  bool hasCall =
      llvm::any_of(artifact.launches, [](const KernelLaunch &launch) {
        return launch.libraryMatmul;
      });
  if (use == LibraryUse::Never)
    return llvm::Error::success();
  if (!hasCall)
    return use == LibraryUse::Always
               ? llvm::createStringError(
                     "expects a launch that a library can do, got an artifact "
                     "without one; library-kernels=always makes some")
               : llvm::Error::success();
  llvm::Expected<std::unique_ptr<LibraryLaunches>> opened =
      LibraryLaunches::open(driver);
  std::string missing = opened ? "" : llvm::toString(opened.takeError());
  for (auto [number, launch] : llvm::enumerate(artifact.launches)) {
    if (!launch.libraryMatmul)
      continue;
    std::string whyNot = missing;
    if (opened)
      if (llvm::Error error = (*opened)->plan(number, launch))
        whyNot = llvm::toString(std::move(error));
    if (!whyNot.empty() && use == LibraryUse::Always)
      return llvm::createStringError("expects a library for " + name(number) +
                                     ", but " + whyNot);
    launches[number].library = whyNot.empty() ? (*opened)->getName() : "";
    launches[number].whyNot = whyNot;
  }
  if (!opened)
    return llvm::Error::success();
  library = std::move(*opened);
  return library->allocateWorkspace();
}

void CudaProgram::Impl::makeGraph() {
  for (const CudaLaunch &launch : launches)
    if (!launch.library.empty()) {
      whyNoGraph =
          "calls of " + launch.library + " cannot be given other tensors later";
      return;
    }
  llvm::Expected<std::unique_ptr<LaunchGraph>> made =
      LaunchGraph::make(driver, driverLaunches);
  if (made)
    graph = std::move(*made);
  else
    whyNoGraph = llvm::toString(made.takeError());
}

CudaProgram::CudaProgram(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
CudaProgram::~CudaProgram() = default;

llvm::Expected<std::unique_ptr<CudaProgram>>
CudaProgram::load(const CudaDevice &device, const Artifact &artifact,
                  LibraryUse use) {
  auto impl = std::make_unique<Impl>(device, artifact);
  if (llvm::Error error = impl->loadModule())
    return std::move(error);
  if (llvm::Error error = impl->loadFunctions())
    return std::move(error);
  if (llvm::Error error = allocate(impl->driver, artifact.workspaceBytes,
                                   "the workspace", impl->workspace))
    return std::move(error);
  if (llvm::Error error = impl->planLibrary(use))
    return std::move(error);
  impl->makeGraph();
  if (llvm::Error error = impl->order.start())
    return std::move(error);
  return std::unique_ptr<CudaProgram>(new CudaProgram(std::move(impl)));
}

llvm::ArrayRef<CudaLaunch> CudaProgram::getLaunches() const {
  return impl->launches;
}

llvm::StringRef CudaProgram::getWhyNoGraph() const { return impl->whyNoGraph; }

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

llvm::SmallVector<CUdeviceptr, 8>
CudaProgram::Impl::findAddresses(unsigned number,
                                 llvm::ArrayRef<CUdeviceptr> inputs,
                                 llvm::ArrayRef<CUdeviceptr> outputs) const {
  llvm::SmallVector<CUdeviceptr, 8> addresses;
  for (const LaunchArgument &argument : artifact.launches[number].arguments) {
    CUdeviceptr base =
        argument.role == BufferRole::Input    ? inputs[argument.index]
        : argument.role == BufferRole::Output ? outputs[argument.index]
                                              : workspace.get();
    addresses.push_back(base + argument.offsetBytes);
  }
  return addresses;
}

llvm::Error
CudaProgram::Impl::enqueueLaunch(unsigned number, CUstream stream,
                                 llvm::ArrayRef<CUdeviceptr> inputs,
                                 llvm::ArrayRef<CUdeviceptr> outputs) const {
  llvm::SmallVector<CUdeviceptr, 8> addresses =
      findAddresses(number, inputs, outputs);
  if (library && library->has(number))
    return library->enqueue(number, artifact.launches[number], addresses,
                            stream);
  DriverLaunch &launch = *driverLaunches[number];
  if (llvm::Error error = launch.place(driver, addresses))
    return error;
  return launch.enqueue(driver, stream);
}

bool CudaProgram::Impl::enqueueGraph(
    CUstream stream, llvm::ArrayRef<CUdeviceptr> inputs,
    llvm::ArrayRef<CUdeviceptr> outputs) const {
  if (!graph)
    return false;
  for (unsigned number = 0; number < driverLaunches.size(); ++number)
    graph->place(number, findAddresses(number, inputs, outputs));
  return graph->enqueue(stream);
}

llvm::Error CudaProgram::enqueue(void *handle, llvm::ArrayRef<uint64_t> inputs,
                                 llvm::ArrayRef<uint64_t> outputs) const {
  assert(inputs.size() == impl->artifact.inputs.size() &&
         outputs.size() == impl->artifact.outputs.size() &&
         "an address for each tensor");
  auto *stream = static_cast<CUstream>(handle);
  auto enqueueAll = [&](bool takesGraphs) -> llvm::Error {
    if (takesGraphs && impl->enqueueGraph(stream, inputs, outputs))
      return llvm::Error::success();
    for (unsigned number = 0; number < impl->driverLaunches.size(); ++number)
      if (llvm::Error error =
              impl->enqueueLaunch(number, stream, inputs, outputs))
        return error;
    return llvm::Error::success();
  };
  return impl->order.run(stream, enqueueAll);
}

void CudaProgram::trustStreams() const { impl->order.trustStreams(); }

bool CudaProgram::finish() const {
  // Giving the library back waits for the whole device (cuBLAS library,
  // cublasLtDestroy), which ends captures.
  return !impl->library && impl->order.finish();
}

llvm::Expected<CudaTensors>
CudaTensors::make(const CudaProgram::Impl &program,
                  llvm::ArrayRef<HostTensor> inputs) {
  if (llvm::Error error = checkBinding(program.artifact, inputs))
    return std::move(error);
  const Driver &driver = program.driver;
  CudaTensors tensors;
  auto add = [&](llvm::StringRef role, const ArtifactTensor &tensor,
                 std::vector<CUdeviceptr> &list) -> llvm::Error {
    Memory memory(driver);
    if (llvm::Error error = allocate(driver, tensor.getSizeBytes(),
                                     role + " " + tensor.name, memory))
      return error;
    list.push_back(memory.get());
    tensors.memory.push_back(std::move(memory));
    return llvm::Error::success();
  };
  for (auto [tensor, input] :
       llvm::zip_equal(program.artifact.inputs, inputs)) {
    if (llvm::Error error = add("input", tensor, tensors.inputs))
      return std::move(error);
    std::vector<uint8_t> bytes = scatter(tensor, input);
    if (llvm::Error error =
            driver.check(driver.memcpyToDevice(tensors.inputs.back(),
                                               bytes.data(), bytes.size()),
                         "copying input " + tensor.name))
      return std::move(error);
  }
  for (const ArtifactTensor &tensor : program.artifact.outputs)
    if (llvm::Error error = add("output", tensor, tensors.outputs))
      return std::move(error);
  if (llvm::Error error = tensors.clearOutputs(program))
    return std::move(error);
  return tensors;
}

llvm::Error CudaTensors::clearOutputs(const CudaProgram::Impl &program) const {
  const Driver &driver = program.driver;
  for (auto [tensor, address] :
       llvm::zip_equal(program.artifact.outputs, outputs))
    if (llvm::Error error = driver.check(
            driver.memset(address, kUndefinedByte, tensor.getSizeBytes()),
            "preparing output " + tensor.name))
      return error;
  // Copies and fills may still be under way, and other streams do not wait for
  // them (CUDA Driver API, "API synchronization behavior").
  return driver.check(driver.streamSynchronize(nullptr), "preparing tensors");
}

llvm::Expected<std::vector<HostTensor>>
CudaTensors::readOutputs(const CudaProgram::Impl &program) const {
  const Driver &driver = program.driver;
  std::vector<HostTensor> values;
  for (auto [tensor, address] :
       llvm::zip_equal(program.artifact.outputs, outputs)) {
    std::vector<uint8_t> bytes(tensor.getSizeBytes());
    if (llvm::Error error = driver.check(
            driver.memcpyToHost(bytes.data(), address, bytes.size()),
            "copying output " + tensor.name))
      return std::move(error);
    values.push_back(gather(tensor, std::move(bytes)));
  }
  return values;
}

llvm::Error CudaProgram::Impl::runOneByOne(
    const CudaTensors &tensors,
    llvm::function_ref<void(llvm::StringRef)> onLaunch) const {
  auto runAll = [&](bool /*takesGraphs*/) -> llvm::Error {
    for (unsigned number = 0; number < driverLaunches.size(); ++number) {
      onLaunch(artifact.launches[number].kernel);
      if (llvm::Error error = enqueueLaunch(
              number, nullptr, tensors.getInputs(), tensors.getOutputs()))
        return error;
      if (llvm::Error error = driver.check(driver.streamSynchronize(nullptr),
                                           name(number) + " failed"))
        return error;
    }
    return llvm::Error::success();
  };
  return order.run(nullptr, runAll);
}

llvm::Expected<std::vector<HostTensor>> CudaProgram::runOneByOne(
    llvm::ArrayRef<HostTensor> inputs,
    llvm::function_ref<void(llvm::StringRef)> onLaunch) const {
  llvm::Expected<CudaTensors> tensors = CudaTensors::make(*impl, inputs);
  if (!tensors)
    return tensors.takeError();
  if (llvm::Error error = impl->runOneByOne(*tensors, onLaunch))
    return std::move(error);
  return tensors->readOutputs(*impl);
}

llvm::Expected<std::vector<HostTensor>>
CudaProgram::run(llvm::ArrayRef<HostTensor> inputs) const {
  llvm::Expected<CudaTensors> tensors = CudaTensors::make(*impl, inputs);
  if (!tensors)
    return tensors.takeError();
  if (llvm::Error error = impl->runOneByOne(*tensors, [](llvm::StringRef) {}))
    return std::move(error);
  if (llvm::Error error = tensors->clearOutputs(*impl))
    return std::move(error);
  if (llvm::Error error =
          enqueue(nullptr, tensors->getInputs(), tensors->getOutputs()))
    return std::move(error);
  if (llvm::Error error =
          impl->driver.check(impl->driver.streamSynchronize(nullptr),
                             "the kernels together failed"))
    return std::move(error);
  return tensors->readOutputs(*impl);
}
