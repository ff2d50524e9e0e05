//===- DriverLaunchTest.cpp - Tests of launches that are kept -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoxKernel.h"
#include "FakeTensors.h"
#include "Mirage/Runtime/CudaDevice.h"

using namespace mlir::mirage;

TEST(DriverLaunch, TensorMapsFollowTheirTensors) {
  Driver driver;
  auto device = llvm::cantFail(CudaDevice::open());
  llvm::cantFail(device->makeCurrent());
  Artifact artifact = makeBoxKernel();
  auto program = llvm::cantFail(CudaProgram::load(*device, artifact));
  constexpr size_t kElements = 30 * 32;
  Tensors two(driver, 2, kElements), three(driver, 3, kElements);
  for (const Tensors *tensors : {&two, &two, &three, &two}) {
    // Their input, and the other's output.
    const Tensors &other = tensors == &two ? three : two;
    llvm::cantFail(program->enqueue(nullptr, {tensors->input}, {other.output}));
    EXPECT_TRUE(other.holds(tensors->number * tensors->number));
  }
  // What the driver refuses changes nothing for who comes next.
  constexpr uint64_t kOdd = 8;
  llvm::Error error =
      program->enqueue(nullptr, {two.input + kOdd}, {two.output});
  EXPECT_NE(llvm::toString(std::move(error))
                .find("kernel boxes: a tensor map is refused"),
            std::string::npos);
  for (const Tensors *tensors : {&two, &three}) {
    llvm::cantFail(program->enqueue(nullptr, {tensors->input}, {two.output}));
    EXPECT_TRUE(two.holds(tensors->number * tensors->number));
  }
}
