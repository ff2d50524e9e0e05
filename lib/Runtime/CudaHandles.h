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

/// Owns one object of a library, the driver for one, and gives it back with the
/// given function of the library. The table of functions must outlive it.
template <typename Functions, typename Object,
          int (*Functions::*release)(Object)>
class Handle {
public:
  explicit Handle(const Functions &functions) : functions(&functions) {}
  Handle(Handle &&other)
      : functions(other.functions),
        object(std::exchange(other.object, Object())) {}
  Handle &operator=(Handle &&other) {
    std::swap(functions, other.functions);
    std::swap(object, other.object);
    return *this;
  }
  ~Handle() {
    if (object)
      (functions->*release)(object);
  }

  Object get() const { return object; }
  Object *receive() { return &object; } ///< for the library to fill

private:
  const Functions *functions;
  Object object = Object();
};

using Memory = Handle<Driver, CUdeviceptr, &Driver::memFree>;
using Module = Handle<Driver, CUmodule, &Driver::moduleUnload>;
using Stream = Handle<Driver, CUstream, &Driver::streamDestroy>;
using Event = Handle<Driver, CUevent, &Driver::eventDestroy>;
using DriverGraph = Handle<Driver, CUgraph, &Driver::graphDestroy>;
using GraphExec = Handle<Driver, CUgraphExec, &Driver::graphExecDestroy>;

/// Device memory; none where no bytes are asked for. An error says what they
/// were for and how many are free.
llvm::Error allocate(const Driver &driver, int64_t bytes,
                     const llvm::Twine &what, Memory &memory);

} // namespace mlir::mirage::cuda

#endif // MIRAGE_LIB_RUNTIME_CUDAHANDLES_H
