//===- ThreadToVector.cpp - Thread graphs as code of a lane ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphLowering.h"
#include "HeldTileConversion.h"
#include "Mirage/Analysis/HeldItems.h"
#include "Mirage/Conversion/BlockToGPU.h"
#include "Mirage/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_CONVERTTHREADTOVECTORPASS
#include "Mirage/Conversion/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

static constexpr int64_t kLanes = 1 << kLaneBits;

/// Threads of a block that share out items, where the function states the exact
/// number along x.
static std::optional<int64_t> getNumThreads(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  if (!function)
    return std::nullopt;
  if (auto number = function->getAttrOfType<IntegerAttr>(kComputingThreadsAttr))
    return number.getInt();
  for (StringRef name : {"known_block_size", "nvvm.reqntid"})
    if (auto size = function->getAttrOfType<DenseI32ArrayAttr>(name))
      return size.empty() ? 0 : size.asArrayRef().front();
  return std::nullopt;
}

static LanePosition emitPosition(OpBuilder &builder, thread::GraphOp graph) {
  Location location = graph.getLoc();
  Value thread = gpu::ThreadIdOp::create(builder, location, gpu::Dimension::x);
  Value shift = emitIndex(builder, location, kLaneBits);
  Value mask = emitIndex(builder, location, kLanes - 1);
  Value numWarps;
  if (std::optional<int64_t> numThreads = getNumThreads(graph)) {
    numWarps = emitIndex(builder, location, *numThreads / kLanes);
  } else {
    Value size = gpu::BlockDimOp::create(builder, location, gpu::Dimension::x);
    numWarps = arith::ShRUIOp::create(builder, location, size, shift);
  }
  return {arith::ShRUIOp::create(builder, location, thread, shift),
          arith::AndIOp::create(builder, location, thread, mask), numWarps};
}

/// LLVM and ptxas use what was read before no more behind that.
static void emitWarpWait(OpBuilder &builder, Location location) {
  Value all = arith::ConstantIntOp::create(builder, location, -1, 32);
  NVVM::SyncWarpOp::create(builder, location, all);
}

/// What was said of a tile for the sake of accesses, which know it now.
static void eraseStatements(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!isa_and_nonnull<thread::ClipOp, memref::AssumeAlignmentOp>(op) ||
      !op->use_empty())
    return;
  Value said = op->getOperand(0);
  op->erase();
  eraseStatements(said);
}

namespace {
struct ConvertThreadToVectorPass
    : mirage::impl::ConvertThreadToVectorPassBase<ConvertThreadToVectorPass> {
  void runOnOperation() override {
    SmallVector<thread::GraphOp> graphs;
    getOperation()->walk(
        [&](thread::GraphOp graph) { graphs.push_back(graph); });
    for (thread::GraphOp graph : graphs) {
      if (std::optional<int64_t> numThreads = getNumThreads(graph);
          numThreads && *numThreads < kLanes) {
        graph.emitOpError() << "expects a block of at least " << kLanes
                            << " threads, a warp, got " << *numThreads;
        return signalPassFailure();
      }
      OpBuilder builder(graph);
      if (graph->hasAttr(kReadsAnewAttr))
        emitWarpWait(builder, graph.getLoc());
      LanePosition position = emitPosition(builder, graph);
      if (failed(GraphLowering(builder, graph, position, getNumThreads(graph))
                     .lower()))
        return signalPassFailure();
      SmallVector<Value> tiles(graph->getOperands());
      graph.erase();
      for (Value tile : tiles)
        eraseStatements(tile);
    }
    if (failed(convertHeldTiles(getOperation())))
      return signalPassFailure();
    getOperation()->walk([](FunctionOpInterface function) {
      function->removeAttr(kComputingThreadsAttr);
    });
  }
};
} // namespace
