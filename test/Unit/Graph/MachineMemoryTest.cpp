//===- MachineMemoryTest.cpp - Tests of what there is to compute in -------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/MachineMemory.h"
#include "llvm/ADT/StringRef.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;

TEST(MachineMemory, BytesAreDescribed) {
  EXPECT_EQ(describeBytes(192 << 20), "192 MiB");
  EXPECT_EQ(describeBytes(8192.0 * (1 << 20)), "8192 MiB");
  EXPECT_EQ(describeBytes(64.0 * (1 << 30)), "64.0 GiB");
}

TEST(MachineMemory, WhatDoesNotFitIsSaid) {
  EXPECT_EQ(llvm::toString(checkMemory("tensors", 0)), "");
  EXPECT_EQ(llvm::toString(checkMemory("tensors", 16 << 20)), "");
  // Beyond any machine's, and beyond 64 bits.
  for (auto [bytes, text] :
       {std::pair(double(int64_t(1) << 50), "1048576.0 GiB"),
        {20 * double(int64_t(1) << 60), "21474836480.0 GiB"}}) {
    std::string message = llvm::toString(checkMemory("tensors", bytes));
    EXPECT_EQ(message.find("expects tensors to fit the "), 0u) << message;
    EXPECT_TRUE(llvm::StringRef(message).ends_with(
        std::string(" of memory that this process can have, got ") + text))
        << message;
  }
}
