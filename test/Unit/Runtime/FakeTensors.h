//===- FakeTensors.h - Tensors of the played driver ----------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_RUNTIME_FAKETENSORS_H
#define MIRAGE_TEST_UNIT_RUNTIME_FAKETENSORS_H

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <dlfcn.h>

namespace mlir::mirage {

/// What the tests ask of the driver themselves.
struct Driver {
  Driver() {
    void *library =
        dlopen(MIRAGE_FAKE_CUDA "/driver/libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    auto load = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(
          dlsym(library, name));
    };
    load(allocate, "cuMemAlloc_v2");
    load(free, "cuMemFree_v2");
    load(copyIn, "cuMemcpyHtoD_v2");
    load(copyOut, "cuMemcpyDtoH_v2");
    load(createStream, "cuStreamCreate");
    load(destroyStream, "cuStreamDestroy_v2");
    load(beginCapture, "cuStreamBeginCapture_v2");
    load(endCapture, "cuStreamEndCapture");
    load(instantiate, "cuGraphInstantiateWithFlags");
    load(launchGraph, "cuGraphLaunch");
    load(destroyGraph, "cuGraphDestroy");
    load(destroyExecutable, "cuGraphExecDestroy");
  }
  int (*allocate)(uint64_t *, size_t);
  int (*free)(uint64_t);
  int (*copyIn)(uint64_t, const void *, size_t);
  int (*copyOut)(void *, uint64_t, size_t);
  int (*createStream)(void **, unsigned);
  int (*destroyStream)(void *);
  int (*beginCapture)(void *, int);
  int (*endCapture)(void *, void **);
  int (*instantiate)(void **, void *, unsigned long long);
  int (*launchGraph)(void *, void *);
  int (*destroyGraph)(void *);
  int (*destroyExecutable)(void *);
};

/// An input of f32 with one number everywhere, and an output of the same size.
struct Tensors {
  Tensors(const Driver &driver, float number, size_t elements = 910)
      : driver(driver), number(number), elements(elements) {
    EXPECT_EQ(driver.allocate(&input, getBytes()), 0);
    EXPECT_EQ(driver.allocate(&output, getBytes()), 0);
    std::vector<float> values(elements, number);
    EXPECT_EQ(driver.copyIn(input, values.data(), getBytes()), 0);
  }
  Tensors(const Tensors &) = delete;
  ~Tensors() {
    isRight(); // waits for who may still use them
    driver.free(input);
    driver.free(output);
  }
  size_t getBytes() const { return elements * sizeof(float); }
  bool holds(float expected) const {
    std::vector<float> values(elements);
    EXPECT_EQ(driver.copyOut(values.data(), output, getBytes()), 0);
    return llvm::all_of(values, [&](float value) { return value == expected; });
  }
  /// Of programs whose result is their input.
  bool isRight() const { return holds(number); }

  const Driver &driver;
  float number;
  size_t elements;
  uint64_t input = 0, output = 0;
};

} // namespace mlir::mirage

#endif // MIRAGE_TEST_UNIT_RUNTIME_FAKETENSORS_H
