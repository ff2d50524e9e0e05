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

/// \param getFragment  of an accumulation of the graph, the fragment that holds
///                     its sum; null where none does.
template <typename AccumulateOp, typename GraphOp>
static GrowingSums
addUpSums(GraphOp graph,
          function_ref<RankedTensorType(AccumulateOp)> getFragment) {
  GrowingSums sums{graph};
  for (auto op : graph.getBody().front().template getOps<AccumulateOp>())
    if (RankedTensorType fragment = getFragment(op))
      sums.registers += thread::countRegisters(fragment);
  return sums;
}

GrowingSums mlir::mirage::findGrowingSums(block::GraphOp kernel) {
  GrowingSums most = addUpSums<block::AccumulateOp>(
      kernel, [](block::AccumulateOp op) -> RankedTensorType {
        return isCarriedSum(op.getResult()) ? getHeldType(op.getResult())
                                            : nullptr;
      });
  for (auto graph : kernel.getBody().front().getOps<thread::GraphOp>()) {
    if (graph.getLoop() == 1)
      continue;
    GrowingSums sums =
        addUpSums<thread::AccumulateOp>(graph, [](thread::AccumulateOp op) {
          return cast<RankedTensorType>(op.getResult().getType());
        });
    if (sums.registers > most.registers)
      most = sums;
  }
  return most;
}
