//===- KernelResources.cpp - What a kernel's blocks take ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/KernelResources.h"
#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Analysis/HeldTiles.h"

using namespace mlir;
using namespace mlir::mirage;

FailureOr<int64_t> mlir::mirage::readRowRegisters(block::GraphOp graph,
                                                  const Target &target) {
  auto attribute = graph->getAttrOfType<IntegerAttr>(kRowRegistersAttr);
  int64_t registers = attribute ? attribute.getInt() : 0;
  if (registers >= 0 && registers <= target.registersPerThread)
    return registers;
  return graph.emitError() << "expects 0 to " << target.registersPerThread
                           << " as '" << kRowRegistersAttr << "', got "
                           << registers;
}

FailureOr<BlockResources> mlir::mirage::readResources(block::GraphOp kernel,
                                                      const Target &target) {
  FailureOr<int64_t> sharedBytes = readSharedBytes(kernel, target);
  if (failed(sharedBytes))
    return failure();
  FailureOr<int64_t> rowRegisters = readRowRegisters(kernel, target);
  if (failed(rowRegisters))
    return failure();
  return BlockResources{static_cast<int64_t>(kernel.getThreads()), *sharedBytes,
                        *rowRegisters, findGrowingSums(kernel).registers};
}

FailureOr<BlockResources>
mlir::mirage::readResources(ArrayRef<block::GraphOp> kernels,
                            const Target &target) {
  BlockResources most;
  for (block::GraphOp kernel : kernels) {
    FailureOr<BlockResources> own = readResources(kernel, target);
    if (failed(own))
      return failure();
    most.threads = std::max(most.threads, own->threads);
    most.sharedBytes = std::max(most.sharedBytes, own->sharedBytes);
    most.rowRegisters = std::max(most.rowRegisters, own->rowRegisters);
    most.sumRegisters = std::max(most.sumRegisters, own->sumRegisters);
  }
  return most;
}

static int64_t countCarriedRegisters(block::GraphOp kernel) {
  int64_t registers = 0;
  for (auto op : kernel.getBody().front().getOps<block::AccumulateOp>())
    if (isCarriedSum(op.getResult()))
      if (RankedTensorType held = getHeldType(op.getResult()))
        registers +=
            thread::countRegisters(held); // a plan may state what cannot be
  return registers;
}

/// Of what grows over the steps of a graph, and is none of the block's sums.
static int64_t countStepRegisters(thread::GraphOp graph) {
  bool growsOn = llvm::any_of(graph->getUsers(), [](Operation *user) {
    auto sum = dyn_cast<block::AccumulateOp>(user);
    return sum && isCarriedSum(sum.getResult()) && growsWithParts(sum);
  });
  int64_t registers = 0;
  if (graph.getLoop() > 1 && !growsOn)
    for (auto op : graph.getBody().front().getOps<thread::AccumulateOp>())
      registers += thread::countRegisters(
          cast<RankedTensorType>(op.getResult().getType()));
  return registers;
}

GrowingSums mlir::mirage::findGrowingSums(block::GraphOp kernel) {
  DenseMap<Value, Phase> phases =
      computePhases(cast<TileGraphOpInterface>(kernel.getOperation()));
  int64_t carried = countCarriedRegisters(kernel);
  GrowingSums most{kernel, carried};
  for (auto graph : kernel.getBody().front().getOps<thread::GraphOp>()) {
    int64_t ofSteps = countStepRegisters(graph);
    bool isBeside = getExecutionPhase(graph, phases) == Phase::Loop;
    int64_t registers = ofSteps + (isBeside ? carried : 0);
    if (ofSteps > 0 && registers > most.registers)
      most = {graph, registers};
  }
  return most;
}
