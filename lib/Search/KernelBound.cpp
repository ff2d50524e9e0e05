//===- KernelBound.cpp - What kernels of one tiling take at least ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/KernelBound.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir::mirage;
using namespace mlir::mirage::search;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static double multiplyExtents(NameSet names, llvm::ArrayRef<int64_t> extents) {
  double product = 1;
  for (NameId name : toList(names))
    product *= double(extents[name]);
  return product;
}

ProductCounts
mlir::mirage::search::countProducts(const KernelPlan &plan,
                                    llvm::ArrayRef<int64_t> extents) {
  const KernelStructure &kernel = plan.kernel;
  std::vector<NameSet> names; // by tensor
  for (unsigned input = 0; input < kernel.inputs.size(); ++input)
    names.push_back(toSet(plan.inputs[input].stored.layout));
  ProductCounts counts;
  for (const StructureOperator &op : kernel.operators) {
    NameSet all = 0;
    for (unsigned operand : op.operands)
      all |= names[operand];
    if (getOperatorInfo(op.opcode).kind == OperatorKind::Contraction) {
      unsigned lhs = op.operands[0], rhs = op.operands[1];
      bool isOfInputs = std::max(lhs, rhs) < kernel.inputs.size();
      bool isOnTensorCores =
          isOfInputs && getTensorCoreElement(plan.inputs[lhs].stored.element,
                                             plan.inputs[rhs].stored.element);
      (isOnTensorCores ? counts.onTensorCores : counts.others) +=
          multiplyExtents(all, extents);
    }
    names.push_back(op.over == kNoName ? all : all & ~toSet(op.over));
  }
  return counts;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

llvm::SmallVector<OperationWalk, 12>
mlir::mirage::search::listOperations(const KernelPlan &plan) {
  const KernelStructure &kernel = plan.kernel;
  struct TensorWalk {
    NameSet names;
    bool isOfLoop;
  };
  std::vector<TensorWalk> tensors;
  for (unsigned input = 0; input < kernel.inputs.size(); ++input) {
    NameSet names = toSet(plan.inputs[input].stored.layout);
    tensors.push_back({names, kernel.loopName != kNoName &&
                                  contains(names, kernel.loopName)});
  }
  llvm::SmallVector<OperationWalk, 12> walks;
  for (const StructureOperator &op : kernel.operators) {
    OperationWalk walk;
    for (unsigned operand : op.operands) {
      walk.names |= tensors[operand].names;
      walk.isInLoop |= tensors[operand].isOfLoop;
    }
    walk.isProduct =
        getOperatorInfo(op.opcode).kind == OperatorKind::Contraction;
    walks.push_back(walk);
    bool leavesLoop = op.opcode == Opcode::Accumulate && !op.gridAxis;
    NameSet reduced = op.over == kNoName ? 0 : toSet(op.over);
    tensors.push_back({walk.names & ~reduced, walk.isInLoop && !leavesLoop});
  }
  return walks;
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

double mlir::mirage::search::overlap(double a, double b, double c) {
  double sum = a * a * a * a + b * b * b * b + c * c * c * c;
  return std::sqrt(std::sqrt(sum)); // exact roots, so that machines agree
}

/// Of the phases of a block, wherever the products are in them: together they
/// are no shorter than what one block does one after the other, products and
/// all other operations included, than the products of
/// all that share the SM, and than what there is without products.
double KernelBound::getBlocksUs(const BlockTime &block, const OwnWork &work,
                                int64_t blocksPerSM) const {
  double ownUs = work.productsUs / double(numBlocks);
  double busyUs = block.outside.busyUs +
                  double(block.numIterations) * block.iteration.busyUs +
                  work.stepsUs;
  double us = std::max(
      {busyUs + ownUs, double(blocksPerSM) * ownUs, block.getUs(blocksPerSM)});
  return double(llvm::divideCeil(numBlocks, numSMs * blocksPerSM)) * us;
}

/// Operations add tiles, so that fewer blocks fit; how many do is left open,
/// since fewer may mean fewer in the last wave.
double KernelBound::getBlocksUs(const Blocks &blocks,
                                const OwnWork &work) const {
  double us = getBlocksUs(blocks.time, work, 1);
  for (int64_t perSM = blocks.mostPerSM; perSM > 1; --perSM)
    us = std::min(us, getBlocksUs(blocks.time, work, perSM));
  return us;
}

double KernelBound::getUs(double productsUs, double stepsUs) const {
  OwnWork work{productsUs, stepsUs};
  double blocksUs = getBlocksUs(atOnce, work);
  if (ahead)
    blocksUs = std::min(blocksUs, getBlocksUs(*ahead, work));
  return otherUs + overlap(blocksUs, memoryUs, cacheUs);
}
