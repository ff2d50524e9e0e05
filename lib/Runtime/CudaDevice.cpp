//===- CudaDevice.cpp - A GPU ---------------------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Runtime/CudaDevice.h"
#include "CudaDriver.h"

using namespace mlir::mirage;
using namespace mlir::mirage::cuda;

CudaDevice::CudaDevice() = default;

CudaDevice::~CudaDevice() {
  // Where that fails nobody can be told.
  if (!retired.empty())
    llvm::consumeError(runCurrent([&] {
      llvm::Error error = synchronize();
      retired.clear();
      return error;
    }));
  if (isRetained)
    driver->primaryCtxRelease(device);
}

llvm::Error CudaDevice::makeCurrent() const {
  return driver->check(driver->ctxSetCurrent(static_cast<CUcontext>(context)),
                       "the context of " + name + " cannot be made current");
}

llvm::Error
CudaDevice::runCurrent(llvm::function_ref<llvm::Error()> run) const {
  CUcontext current = nullptr;
  if (driver->ctxGetCurrent(&current) == 0 && current == context)
    return run();
  if (llvm::Error error =
          driver->check(driver->ctxPushCurrent(static_cast<CUcontext>(context)),
                        "the context of " + name + " cannot be made current"))
    return error;
  llvm::Error error = run();
  CUcontext popped;
  driver->ctxPopCurrent(&popped); // what was pushed, whatever `run` has done
  return error;
}

llvm::Error CudaDevice::synchronize() const {
  return driver->check(driver->ctxSynchronize(), "waiting for " + name);
}

void CudaDevice::retire(const CudaProgram &program,
                        std::shared_ptr<void> owner) {
  auto free = [&]() -> llvm::Error {
    BesideCaptures beside(*driver);
    if (program.finish()) {
      owner.reset();
      return llvm::Error::success();
    }
    std::lock_guard<std::mutex> lock(retiredMutex);
    retired.push_back(std::move(owner));
    return llvm::Error::success();
  };
  // Without a context there is nothing left to be freed.
  llvm::consumeError(runCurrent(free));
}

llvm::Error CudaDevice::freeRetired() {
  std::lock_guard<std::mutex> lock(retiredMutex);
  if (retired.empty())
    return llvm::Error::success();
  return runCurrent([&] {
    llvm::Error error = synchronize();
    if (!error)
      retired.clear();
    return error;
  });
}

llvm::Expected<bool> CudaDevice::isCapturing(void *stream) const {
  auto *handle = static_cast<CUstream>(stream);
  if (!handle || handle == getLegacyStream()) // which cannot be captured
    return false;
  int status = kNotCapturing;
  CUresult result = driver->streamGetCaptureInfo(handle, &status, nullptr,
                                                 nullptr, nullptr, nullptr);
  if (llvm::Error error = driver->check(result, "a stream cannot be asked"))
    return std::move(error);
  return status != kNotCapturing;
}

llvm::Expected<std::unique_ptr<CudaDevice>> CudaDevice::open(int ordinal) {
  llvm::Expected<Driver> opened = Driver::open();
  if (!opened)
    return opened.takeError();
  std::unique_ptr<CudaDevice> self(new CudaDevice());
  self->driver = std::make_unique<Driver>(*opened);
  const Driver &driver = *self->driver;
  int count = 0;
  if (llvm::Error error =
          driver.check(driver.deviceGetCount(&count), "counting devices"))
    return std::move(error);
  if (ordinal < 0 || ordinal >= count)
    return llvm::createStringError("expects a CUDA device with number " +
                                   llvm::Twine(ordinal) + ", got " +
                                   llvm::Twine(count) + " devices");
  CUcontext context = nullptr;
  char name[256] = {};
  int version = 0, major = 0, minor = 0, l2Bytes = 0, sharedBytes = 0,
      registers = 0;
  auto attribute = [&](int *value, DeviceAttribute which) {
    return driver.deviceGetAttribute(value, which, self->device);
  };
  CUresult result = driver.deviceGet(&self->device, ordinal);
  if (result == 0)
    result = driver.deviceGetName(name, sizeof(name) - 1, self->device);
  if (result == 0)
    result = driver.driverGetVersion(&version);
  if (result == 0)
    result = attribute(&major, kComputeCapabilityMajor);
  if (result == 0)
    result = attribute(&minor, kComputeCapabilityMinor);
  if (result == 0)
    result = attribute(&l2Bytes, kL2CacheSize);
  if (result == 0)
    result = attribute(&sharedBytes, kMaxSharedMemoryPerBlockOptin);
  if (result == 0)
    result = attribute(&registers, kMaxRegistersPerBlock);
  if (result == 0)
    result = driver.primaryCtxRetain(&context, self->device);
  self->isRetained = result == 0;
  if (llvm::Error error = driver.check(
          result, "device " + llvm::Twine(ordinal) + " cannot be used"))
    return std::move(error);
  self->context = context;
  self->name = name;
  self->computeCapability = 10 * major + minor;
  self->driverVersion = version;
  self->l2Bytes = l2Bytes;
  self->sharedBytes = sharedBytes;
  self->registers = registers;
  return self;
}
