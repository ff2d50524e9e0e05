//===- CudaEvent.h - A place in a stream --------------------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_RUNTIME_CUDAEVENT_H
#define MIRAGE_RUNTIME_CUDAEVENT_H

#include "Mirage/Runtime/CudaDevice.h"

namespace mlir::mirage {

/// A place in a stream, behind what has been put into it. For those who have to
/// know when memory is free again, or let one stream wait for another, and call
/// no CUDA themselves. The device's context has to be current; streams are
/// CUstreams of it.
class CudaEvent {
public:
  static llvm::Expected<std::unique_ptr<CudaEvent>>
  make(const CudaDevice &device);
  ~CudaEvent();

  /// Takes the place at the end of a stream, which is in no capture.
  llvm::Error record(void *stream);
  /// What is put into a stream from now on waits until the place is reached.
  llvm::Error makeWait(void *stream) const;
  /// Whether all is done that stood before it; true as long as it has no place.
  llvm::Expected<bool> hasPassed() const;

private:
  CudaEvent(const cuda::Driver &driver) : driver(driver) {}

  const cuda::Driver &driver;
  void *event = nullptr;
};

} // namespace mlir::mirage

#endif // MIRAGE_RUNTIME_CUDAEVENT_H
