//===- PointerPlace.cpp - On which GPU an address lies --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"
#include "Mirage/Runtime/CudaDevice.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::cuda;

/// Opened once: asking for an address is no time to look for a library.
static llvm::Expected<const Driver *> getDriver() {
  static std::mutex mutex;
  static std::unique_ptr<const Driver> driver;
  std::lock_guard<std::mutex> lock(mutex);
  if (driver)
    return driver.get();
  llvm::Expected<Driver> opened = Driver::open();
  if (!opened)
    return opened.takeError();
  driver = std::make_unique<const Driver>(*opened);
  return driver.get();
}

/// Asks in a context of the process that there is; none is made.
static CUresult askInAnyContext(const Driver &driver,
                                llvm::function_ref<CUresult()> ask) {
  int count = 0;
  CUresult result = driver.deviceGetCount(&count);
  for (int ordinal = 0; result == 0 && ordinal < count; ++ordinal) {
    CUdevice device = 0;
    unsigned flags = 0;
    int isActive = 0;
    CUcontext context = nullptr;
    if (driver.deviceGet(&device, ordinal) != 0 ||
        driver.primaryCtxGetState(device, &flags, &isActive) != 0 ||
        !isActive || driver.primaryCtxRetain(&context, device) != 0)
      continue;
    driver.ctxPushCurrent(context);
    CUresult asked = ask();
    driver.ctxPopCurrent(&context);
    driver.primaryCtxRelease(device);
    return asked;
  }
  return kCudaInvalidContext;
}

llvm::Expected<int> mlir::mirage::findCudaDevice(uint64_t address) {
  llvm::Expected<const Driver *> opened = getDriver();
  if (!opened)
    return opened.takeError();
  const Driver &driver = **opened;
  int type = 0, isManaged = 0, ordinal = 0;
  auto ask = [&] {
    CUresult result = driver.pointerGetAttribute(&type, kMemoryType, address);
    if (result == 0 && type != kMemoryOfDevice)
      result = driver.pointerGetAttribute(&isManaged, kIsManaged, address);
    if (result == 0)
      result = driver.pointerGetAttribute(&ordinal, kDeviceOrdinal, address);
    return result;
  };
  CUresult result = ask();
  // Some drivers need a context for it.
  if (result == kCudaInvalidContext)
    result = askInAnyContext(driver, ask);
  std::string hex = "0x" + llvm::utohexstr(address, /*LowerCase=*/true);
  if (llvm::Error error = driver.check(
          result, "expects an address of a GPU's memory, got " + hex))
    return std::move(error);
  if (type != kMemoryOfDevice && !isManaged)
    return llvm::createStringError(
        "expects an address of a GPU's memory, got " + hex +
        " in memory of the host");
  return ordinal;
}
