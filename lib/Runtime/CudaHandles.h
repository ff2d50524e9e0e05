//===- CudaHandles.h - Owners of driver objects --------------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_RUNTIME_CUDAHANDLES_H
#define MIRAGE_LIB_RUNTIME_CUDAHANDLES_H

#include "CudaDriver.h"
#include <utility>

namespace mlir::mirage::cuda {

/// Owns one object of the driver and gives it back with the given function.
template <typename Object, CUresult (*Driver::*release)(Object)>
class Handle {
public:
  explicit Handle(const Driver &driver) : driver(&driver) {}
  Handle(Handle &&other)
      : driver(other.driver), object(std::exchange(other.object, Object())) {}
  Handle &operator=(Handle &&other) {
    std::swap(driver, other.driver);
    std::swap(object, other.object);
    return *this;
  }
  ~Handle() {
    if (object)
      (driver->*release)(object);
  }

  Object get() const { return object; }
  Object *receive() { return &object; } ///< for the driver to fill

private:
  const Driver *driver;
  Object object = Object();
};

using Memory = Handle<CUdeviceptr, &Driver::memFree>;
using Module = Handle<CUmodule, &Driver::moduleUnload>;
using Stream = Handle<CUstream, &Driver::streamDestroy>;
using Event = Handle<CUevent, &Driver::eventDestroy>;
using CapturedGraph = Handle<CUgraph, &Driver::graphDestroy>;
using GraphExec = Handle<CUgraphExec, &Driver::graphExecDestroy>;

} // namespace mlir::mirage::cuda

#endif // MIRAGE_LIB_RUNTIME_CUDAHANDLES_H
