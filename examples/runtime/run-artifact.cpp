//===- run-artifact.cpp - A program that runs what Mirage compiled --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads an artifact, binds tensors of zeros in host memory, and runs it:
//
//   mirage-opt examples/softmax.mlir --mirage-compile=artifact=out >/dev/null
//   export CPATH=<prefix>/include LIBRARY_PATH=<prefix>/lib
//   c++ -std=c++17 run-artifact.cpp -lMirageRuntimeC -o run-artifact
//   LD_LIBRARY_PATH=<prefix>/lib ./run-artifact out cuda
//
// A program with device memory and streams of its own calls
// mirageProgramEnqueue in place of mirageProgramRun.
//
//===----------------------------------------------------------------------===//

#include "Mirage-c/Runtime.h"
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {
struct Close {
  void operator()(MirageDevice *device) const { mirageDeviceClose(device); }
  void operator()(MirageProgram *program) const {
    mirageProgramDestroy(program);
  }
};
using Device = std::unique_ptr<MirageDevice, Close>;
using Program = std::unique_ptr<MirageProgram, Close>;
using Bytes = std::vector<unsigned char>;
} // namespace

static void check(MirageStatus status) {
  if (status != MirageSuccess)
    throw std::runtime_error(mirageGetLastError());
}

static Device openDevice(MirageDeviceKind kind) {
  MirageDevice *device = nullptr;
  check(mirageDeviceOpen(kind, /*ordinal=*/0, &device));
  return Device(device);
}

static Program loadProgram(const Device &device, const char *folder) {
  MirageProgram *program = nullptr;
  check(mirageProgramLoad(device.get(), folder, MirageLibraryAuto, &program));
  return Program(program);
}

static std::string printShape(const MirageTensorInfo &tensor) {
  std::string text;
  for (size_t dim = 0; dim < tensor.rank; ++dim)
    text += (dim ? "x" : "") + std::to_string(tensor.shape[dim]);
  return text;
}

static Bytes makeTensor(const char *role, const MirageTensorInfo &tensor) {
  std::printf("%s %s: %s, %lld bytes\n", role, tensor.name,
              printShape(tensor).c_str(),
              static_cast<long long>(tensor.sizeBytes));
  return Bytes(tensor.sizeBytes);
}

static void run(const char *folder, MirageDeviceKind kind) {
  Device device = openDevice(kind);
  Program program = loadProgram(device, folder);
  std::vector<Bytes> tensors;
  std::vector<const void *> inputs;
  std::vector<void *> outputs;
  MirageTensorInfo tensor;
  for (size_t i = 0; i < mirageProgramGetNumInputs(program.get()); ++i) {
    check(mirageProgramGetInput(program.get(), i, &tensor));
    tensors.push_back(makeTensor("input", tensor));
    inputs.push_back(tensors.back().data());
  }
  for (size_t i = 0; i < mirageProgramGetNumOutputs(program.get()); ++i) {
    check(mirageProgramGetOutput(program.get(), i, &tensor));
    tensors.push_back(makeTensor("output", tensor));
    outputs.push_back(tensors.back().data());
  }
  check(mirageProgramRun(program.get(), inputs.data(), outputs.data()));
  std::printf("ran on %s\n", mirageDeviceGetName(device.get()));
}

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: run-artifact FOLDER cuda|emulator\n");
    return 2;
  }
  try {
    bool onEmulator = std::string(argv[2]) == "emulator";
    run(argv[1], onEmulator ? MirageDeviceEmulator : MirageDeviceCuda);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
