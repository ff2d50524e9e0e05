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
                        *rowRegisters};
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
  }
  return most;
}
