//===- CudaEvent.cpp - A place in a stream --------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Runtime/CudaEvent.h"
#include "CudaDriver.h"

using namespace mlir::mirage;
using namespace mlir::mirage::cuda;

llvm::Expected<std::unique_ptr<CudaEvent>>
CudaEvent::make(const CudaDevice &device) {
  std::unique_ptr<CudaEvent> self(new CudaEvent(device.getDriver()));
  CUevent event = nullptr;
  CUresult result = self->driver.eventCreate(&event, kNoTiming);
  self->event = event;
  if (llvm::Error error = self->driver.check(result, "an event cannot be made"))
    return std::move(error);
  return self;
}

CudaEvent::~CudaEvent() {
  if (event)
    driver.eventDestroy(static_cast<CUevent>(event));
}

llvm::Error CudaEvent::record(void *stream) {
  return driver.check(driver.eventRecord(static_cast<CUevent>(event),
                                         static_cast<CUstream>(stream)),
                      "an event cannot be recorded");
}

llvm::Error CudaEvent::makeWait(void *stream) const {
  return driver.check(driver.streamWaitEvent(static_cast<CUstream>(stream),
                                             static_cast<CUevent>(event), 0),
                      "a stream cannot wait");
}

llvm::Expected<bool> CudaEvent::hasPassed() const {
  BesideCaptures beside(driver); // asking ends none
  CUresult result = driver.eventQuery(static_cast<CUevent>(event));
  if (result == kCudaNotReady)
    return false;
  if (llvm::Error error = driver.check(result, "an event cannot be asked"))
    return std::move(error);
  return true;
}
