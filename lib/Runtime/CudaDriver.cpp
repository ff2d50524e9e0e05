//===- CudaDriver.cpp - The CUDA driver, opened at run time ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"
#include <dlfcn.h>

using namespace mlir::mirage::cuda;

llvm::Error Driver::check(CUresult result, const llvm::Twine &what) const {
  if (result == 0)
    return llvm::Error::success();
  const char *name = nullptr, *explanation = nullptr;
  getErrorName(result, &name);
  getErrorString(result, &explanation);
  return llvm::createStringError(
      what + ": " + (name ? name : "CUDA error " + std::to_string(result)) +
      (explanation ? std::string(": ") + explanation : ""));
}

llvm::Expected<Driver> Driver::open() {
  // Stays open: the driver cannot be unloaded while contexts may live.
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return llvm::createStringError(
        "expects a CUDA driver, but libcuda.so.1 cannot be opened (" +
        llvm::Twine(dlerror()) + ")");
  Driver driver;
#define MIRAGE_CUDA_FIND(function, name, parameters)                           \
  driver.function =                                                            \
      reinterpret_cast<CUresult(*) parameters>(dlsym(library, name));
#define MIRAGE_CUDA_LOAD(function, name, parameters)                           \
  MIRAGE_CUDA_FIND(function, name, parameters)                                 \
  if (!driver.function)                                                        \
    return llvm::createStringError("expects a CUDA driver of version 12 or "   \
                                   "newer, but libcuda.so.1 lacks " name);
  MIRAGE_CUDA_FUNCTIONS(MIRAGE_CUDA_LOAD)
  MIRAGE_CUDA_NEWER_FUNCTIONS(MIRAGE_CUDA_FIND)
#undef MIRAGE_CUDA_LOAD
#undef MIRAGE_CUDA_FIND
  if (llvm::Error error =
          driver.check(driver.init(0), "the CUDA driver cannot start"))
    return std::move(error);
  return driver;
}
