//===- KernelTimeTest.cpp - The parts of a kernel's predicted time --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/BlockTime.h"
#include "Mirage/Search/CostModel.h"
#include "Mirage/Search/KernelWork.h"
#include "gtest/gtest.h"
#include <memory>

using namespace mlir::mirage;
using namespace mlir::mirage::search;

namespace {
/// C = A B, in blocks of so many rows and columns.
struct Matmul {
  TileGraph kernel;
  llvm::SmallVector<TensorSpec> operands, results;

  Matmul(int64_t m, int64_t n, int64_t k, int64_t rows = 64,
         int64_t columns = 64, ElementType element = ElementType::F16) {
    constexpr int64_t kTile = 64; // of an iteration
    auto makeType = [&](Shape shape) { return TensorSpec{shape, element}; };
    operands = {makeType({m, k}), makeType({k, n})};
    results = {makeType({m, n})};
    kernel.grid = {n / columns, m / rows};
    kernel.loop = k / kTile;
    kernel.stages = std::min<int64_t>(kernel.loop, 3);
    ValueId a = kernel.addInput(makeType({rows, kTile})),
            b = kernel.addInput(makeType({kTile, columns}));
    kernel.tileInputs = {{{kReplicated, 0}, 1}, {{1, kReplicated}, 0}};
    TensorSpec sums{{rows, columns}, ElementType::F32};
    Attributes attributes;
    attributes.reduction = Opcode::Sum;
    kernel.addOutput(kernel.add(Opcode::Accumulate,
                                {kernel.add(Opcode::Matmul, {a, b}, sums)},
                                sums, attributes));
    kernel.tileOutputs = {{{1, 0}}};
  }

  KernelTime predict(const Target &target) const {
    return AnalyticCostModel(target).predictKernel(kernel, operands, results);
  }
};
} // namespace

TEST(KernelTime, OneOfThreeIsRaisedUntilAllTakeAsLong) {
  EXPECT_NEAR(getOverlappedUs(raiseToOverlap(1, 2, 3, 10), 2, 3), 10, 1e-9);
  EXPECT_EQ(raiseToOverlap(20, 2, 3, 10), 20);
  EXPECT_EQ(raiseToOverlap(1, 2, 3, 2.5), 1); // two take more
}

static Target h200() { return llvm::cantFail(getTarget("sm_90a")); }

/// The parts are those of the number that candidates are ranked by.
TEST(KernelTime, IsWhatTheSearchGoesBy) {
  for (int64_t size : {64, 512, 4096}) {
    Matmul matmul(size, size, size);
    KernelTime time = matmul.predict(h200());
    EXPECT_EQ(time.getUs(), AnalyticCostModel(h200()).estimateKernelUs(
                                matmul.kernel, matmul.operands, matmul.results))
        << size;
    const BlockTimeShares &shares = time.blockShares;
    EXPECT_NEAR(shares.latencyUs + shares.loadUs + shares.computeUs,
                time.blocksUs, 1e-9 * time.blocksUs)
        << size;
  }
}

TEST(KernelTime, WhatIsSlowestBounds) {
  Matmul large(4096, 4096, 4096), small(64, 64, 64);
  EXPECT_EQ(small.predict(h200()).getBound(), KernelBound::Launch);
  Target slow = h200();
  slow.tensorFlopsPerUsSM /= 10;
  EXPECT_EQ(large.predict(slow).getBound(), KernelBound::Arithmetic);
  slow = h200();
  slow.memoryBytesPerUs /= 1000;
  EXPECT_EQ(large.predict(slow).getBound(), KernelBound::DeviceMemory);
  slow = h200();
  slow.cacheBytesPerUs /= 1000;
  EXPECT_EQ(large.predict(slow).getBound(), KernelBound::Cache);
  slow = h200();
  slow.loadBytesPerUsSM /= 1000;
  EXPECT_EQ(large.predict(slow).getBound(), KernelBound::Loads);
  slow = h200();
  slow.loadLatencyUs *= 1000;
  EXPECT_EQ(large.predict(slow).getBound(), KernelBound::Latency);
}

/// Shares of blocks are no parts beside them: together they may be more than
/// device memory where each is less.
TEST(KernelTime, BlocksCompeteAsAWhole) {
  KernelTime time;
  time.memoryUs = 5;
  time.blocksUs = 6;
  time.blockShares = {3, 2, 1};
  EXPECT_EQ(time.getBound(), KernelBound::Latency);
  time.joinUs = 7;
  EXPECT_EQ(time.getBound(), KernelBound::Join);
}

static double getBytes(llvm::ArrayRef<TensorSpec> tensors) {
  double bytes = 0;
  for (const TensorSpec &tensor : tensors)
    bytes += double(tensor.getSizeBytes());
  return bytes;
}

/// The copy engine reads tensors at the rate of device memory.
TEST(KernelTime, RingsOfBoxesAreReadAtTheFullRate) {
  Matmul matmul(4096, 4096, 4096);
  double bytes = getBytes(matmul.operands) + getBytes(matmul.results);
  EXPECT_DOUBLE_EQ(matmul.predict(h200()).memoryUs,
                   bytes / h200().memoryBytesPerUs);
}

/// Where threads load, as they do with one stage, or what the engine could not,
/// kernels took 1.16 to 1.21 times as long on an H100, which were loads for the
/// most part. What is stored, or is loaded once, takes no longer.
TEST(KernelTime, ThreadsReadRingsAtALowerRate) {
  auto countBytes = [](const Matmul &matmul) {
    return matmul.predict(h200()).memoryUs * h200().memoryBytesPerUs -
           getBytes(matmul.results);
  };
  auto expectSlower = [](double ratio) {
    EXPECT_GT(ratio, 1.16);
    EXPECT_LT(ratio, 1.21);
  };
  Matmul alone(4096, 4096, 4096);
  alone.kernel.stages = 1;
  expectSlower(countBytes(alone) / getBytes(alone.operands));
  Matmul uneven(4096, 4096, 4096); // rows that begin at multiples of 8 bytes
  uneven.operands[1].shape.back() += 4;
  double boxed = getBytes(uneven.operands[0]),
         copied = getBytes(uneven.operands[1]);
  expectSlower((countBytes(uneven) - boxed) / copied);
  Matmul once(4096, 4096, 4096);
  once.kernel.loop = 1;
  once.kernel.stages = 1;
  for (TileInput &input : once.kernel.tileInputs)
    input.loopMap = kReplicated;
  EXPECT_NEAR(countBytes(once) / getBytes(once.operands), 1, 1e-9);
}

/// Before sm_90 there is no engine to fall short of.
TEST(KernelTime, WithoutAnEngineThreadsReadAtTheFullRate) {
  Target target = llvm::cantFail(getTarget("sm_80"));
  for (unsigned stages : {1, 3}) {
    Matmul matmul(4096, 4096, 4096);
    matmul.kernel.stages = stages;
    double bytes = getBytes(matmul.operands) + getBytes(matmul.results);
    EXPECT_DOUBLE_EQ(matmul.predict(target).memoryUs,
                     bytes / target.memoryBytesPerUs)
        << stages;
  }
}

/// On an H200 two warpgroups take 219 to 222 us, cold L2, and four of them,
/// each with half as many sums, 222 to 230.
TEST(KernelTime, WarpgroupsWaitForEachOther) {
  Matmul matmul(4096, 4096, 4096, 256, 128);
  auto getUs = [&](unsigned threads) {
    matmul.kernel.threads = threads;
    return matmul.predict(h200()).getUs();
  };
  EXPECT_LT(getUs(256), getUs(512));
  EXPECT_NEAR(getUs(256), 220, 22);
  EXPECT_NEAR(getUs(512), 226, 23);
}

/// On an H200 1335 and 33.4 us, cold L2: within a fifth.
TEST(KernelTime, ProductsInTF32) {
  auto getUs = [](int64_t size, int64_t rows, int64_t columns, unsigned threads,
                  int64_t stages) {
    Matmul matmul(size, size, size, rows, columns, ElementType::F32);
    matmul.kernel.f32Products = F32Products::TF32;
    matmul.kernel.threads = threads;
    matmul.kernel.stages = stages;
    return matmul.predict(h200()).getUs();
  };
  EXPECT_NEAR(getUs(4096, 256, 128, 512, 2), 1335, 267);
  EXPECT_NEAR(getUs(1024, 128, 64, 256, 3), 33.4, 6.7);
}

/// Four blocks of 32 columns load the left operand four times, where one of 128
/// loads it once: 128 x 64 elements, 128 bytes in a clock. Of f16, which
/// ldmatrix loads, products alone count.
TEST(KernelTime, FewColumnsLoadLeftOperandsOften) {
  auto getClocks = [](int64_t columns, ElementType element) {
    Matmul matmul(1024, 1024, 1024, 128, columns, element);
    matmul.kernel.f32Products = F32Products::TF32;
    matmul.kernel.threads = 256;
    KernelWork work = getWork(matmul.kernel, matmul.operands, matmul.results);
    EXPECT_GT(work.rowRegisters, 0);
    return BlockWork(work, h200()).getTime({256, 1}).iteration.computeUs *
           h200().clockMHz;
  };
  EXPECT_NEAR(4 * getClocks(32, ElementType::F32) -
                  getClocks(128, ElementType::F32),
              3 * 128 * 64 * 4 / 128, 1e-6);
  EXPECT_NEAR(4 * getClocks(32, ElementType::F16),
              getClocks(128, ElementType::F16), 1e-6);
}
