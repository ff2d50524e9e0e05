//===- Runtime.cpp - The C API of the runtime -----------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage-c/Runtime.h"
#include "ElementTypes.h"
#include "Mirage/Graph/MachineMemory.h"
#include "Mirage/Runtime/CudaDevice.h"
#include "Mirage/Runtime/CudaEvent.h"
#include "Mirage/Runtime/EmulatorRun.h"
#include "Mirage/Runtime/TensorBytes.h"
#include "Status.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace mlir::mirage;

struct MirageDevice {
  std::string name;
  std::shared_ptr<CudaDevice> cuda; ///< null: the emulator
};

struct MirageEvent {
  std::shared_ptr<CudaDevice> device;
  std::unique_ptr<CudaEvent> cuda;
};

struct MirageProgram {
  std::shared_ptr<CudaDevice> device;
  Artifact artifact;
  std::unique_ptr<CudaProgram> cuda; ///< null: the emulator
};

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

MirageStatus mirageDeviceOpen(MirageDeviceKind kind, int ordinal,
                              MirageDevice **device) {
  if (!device)
    return refuse("expects a place for the device, got null");
  *device = nullptr;
  if (kind == MirageDeviceEmulator) {
    if (ordinal != 0)
      return refuse("expects the emulator with number 0, got " +
                    llvm::Twine(ordinal));
    *device = new MirageDevice{"emulator", nullptr};
    return MirageSuccess;
  }
  if (kind != MirageDeviceCuda)
    return refuse("expects a MirageDeviceKind, got " +
                  llvm::Twine(static_cast<int>(kind)));
  llvm::Expected<std::unique_ptr<CudaDevice>> opened =
      CudaDevice::open(ordinal);
  if (!opened)
    return report(opened.takeError());
  std::string name = (*opened)->getName().str();
  *device = new MirageDevice{std::move(name), std::move(*opened)};
  return MirageSuccess;
}

void mirageDeviceClose(MirageDevice *device) { delete device; }

const char *mirageDeviceGetName(const MirageDevice *device) {
  return device ? device->name.c_str() : "";
}

MirageStatus mirageFindDevice(uint64_t address, int *ordinal) {
  if (!ordinal)
    return refuse("expects a place for the number, got null");
  llvm::Expected<int> found = findCudaDevice(address);
  *ordinal = found ? *found : -1;
  return report(found.takeError());
}

int mirageDeviceGetComputeCapability(const MirageDevice *device) {
  return device && device->cuda ? device->cuda->getComputeCapability() : 0;
}

int mirageDeviceGetDriverVersion(const MirageDevice *device) {
  return device && device->cuda ? device->cuda->getDriverVersion() : 0;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

static MirageStatus refuseDevice(const MirageDevice *device) {
  return refuse(llvm::Twine("expects a CUDA device, got ") +
                (device ? "the emulator" : "null"));
}

MirageStatus mirageDeviceIsCapturing(const MirageDevice *device, void *stream,
                                     int *isCapturing) {
  if (!isCapturing)
    return refuse("expects a place for the answer, got null");
  *isCapturing = 0;
  if (!device || !device->cuda)
    return refuseDevice(device);
  return report(device->cuda->runCurrent([&]() -> llvm::Error {
    llvm::Expected<bool> is = device->cuda->isCapturing(stream);
    *isCapturing = is && *is;
    return is.takeError();
  }));
}

MirageStatus mirageEventCreate(const MirageDevice *device,
                               MirageEvent **event) {
  if (!event)
    return refuse("expects a place for the event, got null");
  *event = nullptr;
  if (!device || !device->cuda)
    return refuseDevice(device);
  return report(device->cuda->runCurrent([&]() -> llvm::Error {
    auto made = CudaEvent::make(*device->cuda);
    if (made)
      *event = new MirageEvent{device->cuda, std::move(*made)};
    return made.takeError();
  }));
}

void mirageEventDestroy(MirageEvent *event) {
  if (event)
    llvm::consumeError(event->device->runCurrent([&] {
      event->cuda.reset();
      return llvm::Error::success();
    }));
  delete event;
}

MirageStatus mirageEventRecord(MirageEvent *event, void *stream) {
  if (!event)
    return refuse("expects an event, got null");
  return report(
      event->device->runCurrent([&] { return event->cuda->record(stream); }));
}

MirageStatus mirageEventMakeWait(const MirageEvent *event, void *stream) {
  if (!event)
    return refuse("expects an event, got null");
  return report(
      event->device->runCurrent([&] { return event->cuda->makeWait(stream); }));
}

MirageStatus mirageEventHasPassed(const MirageEvent *event, int *hasPassed) {
  if (!event || !hasPassed)
    return refuse(llvm::Twine("expects ") +
                  (event ? "a place for the answer" : "an event") +
                  ", got null");
  *hasPassed = 0;
  return report(event->device->runCurrent([&]() -> llvm::Error {
    llvm::Expected<bool> has = event->cuda->hasPassed();
    *hasPassed = has && *has;
    return has.takeError();
  }));
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static std::optional<LibraryUse> convert(MirageLibraryUse use) {
  switch (use) {
  case MirageLibraryAuto:
    return LibraryUse::Auto;
  case MirageLibraryNever:
    return LibraryUse::Never;
  case MirageLibraryAlways:
    return LibraryUse::Always;
  }
  return std::nullopt;
}

MirageStatus mirageProgramLoad(const MirageDevice *device, const char *folder,
                               MirageLibraryUse library,
                               MirageProgram **program) {
  if (!program)
    return refuse("expects a place for the program, got null");
  *program = nullptr;
  if (!device || !folder)
    return refuse(llvm::Twine("expects a ") + (device ? "folder" : "device") +
                  ", got null");
  std::optional<LibraryUse> use = convert(library);
  if (!use)
    return refuse("expects a MirageLibraryUse, got " +
                  llvm::Twine(static_cast<int>(library)));
  if (*use == LibraryUse::Always && !device->cuda)
    return refuse("expects a CUDA device for MirageLibraryAlways, got the "
                  "emulator");
  llvm::Expected<Artifact> artifact = readArtifact(folder);
  if (!artifact)
    return report(artifact.takeError());
  auto loaded = std::make_unique<MirageProgram>();
  loaded->artifact = std::move(*artifact);
  loaded->device = device->cuda;
  if (device->cuda) {
    auto load = [&]() -> llvm::Error {
      if (llvm::Error error = device->cuda->freeRetired())
        return error;
      auto cuda = CudaProgram::load(*device->cuda, loaded->artifact, *use);
      if (cuda)
        loaded->cuda = std::move(*cuda);
      return cuda.takeError();
    };
    if (llvm::Error error = device->cuda->runCurrent(load))
      return report(std::move(error));
  }
  *program = loaded.release();
  return MirageSuccess;
}

void mirageProgramDestroy(MirageProgram *program) {
  std::shared_ptr<MirageProgram> owner(program);
  if (!program || !program->cuda)
    return;
  // The device may have to keep the program, and nobody else the device.
  std::shared_ptr<CudaDevice> device = std::move(program->device);
  device->retire(*program->cuda, std::move(owner));
}

size_t mirageProgramGetNumInputs(const MirageProgram *program) {
  return program ? program->artifact.inputs.size() : 0;
}

size_t mirageProgramGetNumOutputs(const MirageProgram *program) {
  return program ? program->artifact.outputs.size() : 0;
}

int64_t mirageProgramGetWorkspaceBytes(const MirageProgram *program) {
  return program ? program->artifact.workspaceBytes : 0;
}

static MirageStatus describe(llvm::StringRef role,
                             llvm::ArrayRef<ArtifactTensor> tensors,
                             size_t number, MirageTensorInfo *info) {
  if (!info)
    return refuse("expects a place for the description, got null");
  if (number >= tensors.size())
    return refuse("expects the number of an " + role + " below " +
                  llvm::Twine(tensors.size()) + ", got " + llvm::Twine(number));
  const ArtifactTensor &tensor = tensors[number];
  *info = {tensor.name.c_str(),      convert(tensor.type.element),
           tensor.type.shape.size(), tensor.type.shape.data(),
           tensor.strides.data(),    tensor.getSizeBytes()};
  return MirageSuccess;
}

MirageStatus mirageProgramGetInput(const MirageProgram *program, size_t number,
                                   MirageTensorInfo *info) {
  if (!program)
    return refuse("expects a program, got null");
  return describe("input", program->artifact.inputs, number, info);
}

MirageStatus mirageProgramGetOutput(const MirageProgram *program, size_t number,
                                    MirageTensorInfo *info) {
  if (!program)
    return refuse("expects a program, got null");
  return describe("output", program->artifact.outputs, number, info);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// What is wrong with what the caller binds; empty if nothing is.
template <typename Place>
static std::string explainBadBinding(llvm::StringRef role,
                                     llvm::ArrayRef<ArtifactTensor> tensors,
                                     const Place *places, uint64_t alignment) {
  if (!places && !tensors.empty())
    return ("expects " + llvm::Twine(tensors.size()) + " " + role +
            "s, got null")
        .str();
  for (auto [number, tensor] : llvm::enumerate(tensors)) {
    auto address = (uint64_t)places[number];
    if (address == 0 || address % alignment != 0)
      return (role + " " + tensor.name + ": expects an address" +
              (alignment > 1
                   ? " that is a multiple of " + std::to_string(alignment)
                   : std::string()) +
              ", got " +
              (address ? std::to_string(address) : std::string("null")))
          .str();
  }
  return "";
}

template <typename InputPlace, typename OutputPlace>
static std::string
explainBadBindings(const MirageProgram *program, const InputPlace *inputs,
                   const OutputPlace *outputs, uint64_t alignment) {
  if (!program)
    return "expects a program, got null";
  std::string problem =
      explainBadBinding("input", program->artifact.inputs, inputs, alignment);
  return problem.empty()
             ? explainBadBinding("output", program->artifact.outputs, outputs,
                                 alignment)
             : problem;
}

MirageStatus mirageProgramEnqueue(const MirageProgram *program, void *stream,
                                  const uint64_t *inputs,
                                  const uint64_t *outputs) {
  std::string problem =
      explainBadBindings(program, inputs, outputs, kTensorAlignment);
  if (!problem.empty())
    return refuse(problem);
  if (!program->cuda)
    return refuse("expects a program on a CUDA device, got one on the "
                  "emulator, which has no streams");
  size_t numInputs = program->artifact.inputs.size(),
         numOutputs = program->artifact.outputs.size();
  return report(program->device->runCurrent([&] {
    return program->cuda->enqueue(stream, {inputs, numInputs},
                                  {outputs, numOutputs});
  }));
}

MirageStatus mirageProgramTrustStreams(const MirageProgram *program) {
  if (!program || !program->cuda)
    return refuse(llvm::Twine("expects a program on a CUDA device, got ") +
                  (program ? "one on the emulator" : "null"));
  program->cuda->trustStreams();
  return MirageSuccess;
}

MirageStatus mirageProgramMakeCurrent(const MirageProgram *program) {
  if (!program || !program->device)
    return refuse(llvm::Twine("expects a program on a CUDA device, got ") +
                  (program ? "one on the emulator" : "null"));
  return report(program->device->makeCurrent());
}

/// \param breaksRule  set where the error is that a kernel breaks a rule.
static llvm::Expected<std::vector<HostTensor>>
emulate(const Artifact &artifact, llvm::ArrayRef<HostTensor> inputs,
        bool &breaksRule) {
  llvm::Expected<EmulatorRun> run = runOnEmulator(artifact, inputs);
  if (!run)
    return run.takeError();
  for (const EmulatedLaunch &launch : run->launches)
    for (const emulator::Finding &finding : launch.result.findings)
      if (!emulator::isWarning(finding.kind)) {
        breaksRule = !emulator::isLimit(finding.kind);
        return llvm::createStringError("kernel " + launch.kernel + ": " +
                                       finding.str());
      }
  return std::move(run->outputs);
}

/// Leaves alone what lies between elements.
static void writeElements(const ArtifactTensor &tensor,
                          const HostTensor &values, void *place) {
  std::vector<uint8_t> bytes = scatter(tensor, values);
  auto *to = static_cast<uint8_t *>(place);
  uint64_t begin = 0;
  for (const emulator::ByteRange &gap : findGaps(tensor)) {
    std::memcpy(to + begin, bytes.data() + begin, gap.begin - begin);
    begin = gap.end;
  }
  std::memcpy(to + begin, bytes.data() + begin, bytes.size() - begin);
}

/// Of host memory that a run takes: inputs as they are handed over, outputs
/// before they are, and what is emulated.
static double countRunBytes(const MirageProgram &program) {
  double bytes = program.cuda ? 0 : countEmulatedBytes(program.artifact);
  for (const auto *tensors :
       {&program.artifact.inputs, &program.artifact.outputs})
    for (const ArtifactTensor &tensor : *tensors)
      bytes += tensor.getSizeBytes();
  return bytes;
}

MirageStatus mirageProgramRun(const MirageProgram *program,
                              const void *const *inputs, void *const *outputs) {
  std::string problem = explainBadBindings(program, inputs, outputs, 1);
  if (!problem.empty())
    return refuse(problem);
  const Artifact &artifact = program->artifact;
  if (llvm::Error error = checkMemory("inputs, outputs and workspace, with "
                                      "their copies,",
                                      countRunBytes(*program)))
    return report(std::move(error));
  std::vector<HostTensor> values;
  for (auto [number, tensor] : llvm::enumerate(artifact.inputs)) {
    const auto *bytes = static_cast<const uint8_t *>(inputs[number]);
    values.push_back(gather(tensor, {bytes, bytes + tensor.getSizeBytes()}));
  }
  std::vector<HostTensor> computed;
  bool breaksRule = false;
  auto run = [&]() -> llvm::Error {
    auto outputs = program->cuda ? program->cuda->run(values)
                                 : emulate(artifact, values, breaksRule);
    if (outputs)
      computed = std::move(*outputs);
    return outputs.takeError();
  };
  if (llvm::Error error =
          program->device ? program->device->runCurrent(run) : run())
    return breaksRule ? reportFault(llvm::toString(std::move(error)))
                      : report(std::move(error));
  for (auto [number, tensor] : llvm::enumerate(artifact.outputs))
    writeElements(tensor, computed[number], outputs[number]);
  return MirageSuccess;
}
