//===- SplitProducts.cpp - Warps share the sums of a product --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product of few rows and columns has fewer items than a block has warps, or
// many small ones, each of which reads all of one operand:
//
//   %p = mirage_block.matmul %a, %b : 8x512, 512x16     1 item, 8 warps
//   %s = mirage_block.accumulate %p over loop sum
//
// As it is summed over the loop, it matters to nobody before the end of that
// which warp has added what:
//
//   %q = mirage_thread.graph items(x = 8) ...           8x8x16, an eighth of k
//   %t = mirage_block.accumulate %q over loop sum       each
//   %s = mirage_block.sum %t dims [0]
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Layout/WorkFragments.h"
#include "Mirage/Planning/RegisterBudget.h"
#include "StepBuilders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::mirage;

/// The product that an accumulation sums up, and nobody else reads.
static block::MatmulOp findProduct(const StepFusion &fusion,
                                   block::AccumulateOp op) {
  auto product = op.getOperand().getDefiningOp<block::MatmulOp>();
  bool isSum = product && growsSum(fusion, product) &&
               op.getReduction() == ReductionKind::Sum;
  return isSum ? product : nullptr;
}

namespace {
/// What products of a block may take for parts. Behind the loop these lie where
/// its tiles lay, so that a plan that fits without parts fits with them; and
/// they grow in registers, or are of no use.
struct Budget {
  int64_t bytes = 0;
  int64_t registers = 0;

  explicit Budget(block::GraphOp graph)
      : registers(
            RegisterBudget(graph.getThreads()).getForSums(SumSource::Others)) {
    for (BlockArgument input : graph.getBody().getArguments())
      bytes += convertTensor(input.getType()).getSizeBytes();
  }
};

struct ChosenParts {
  ProductParts parts;
  int64_t bytes, registers;
};
} // namespace

/// Parts of so many steps, where there are warps for `most`. Of numbers that
/// are no power of two the least that leaves no part longer.
static int64_t countParts(int64_t most, int64_t numSteps) {
  if (most < 1 || llvm::isPowerOf2_64(most))
    return most;
  return llvm::divideCeil(numSteps, llvm::divideCeil(numSteps, most));
}

/// Items as wide as may be that give every warp one, so that they read little
/// of the other operand. None where no sum is shared.
static std::optional<ChosenParts> chooseParts(const StepContext &context,
                                              block::MatmulOp product,
                                              const Budget &budget) {
  TensorSpec type = convertTensor(product.getType());
  for (int64_t columns = getMostMmaColumns(type.shape.back()); columns > 0;
       columns /= 2) {
    StepCore core = makeMatmulCore(context, product, {{columns, 1}});
    int64_t numItems = llvm::PowerOf2Ceil(core.split.countItems());
    int64_t count =
        countParts(context.numWarps / numItems, core.split.getNumSteps());
    int64_t bytes = count * type.getSizeBytes();
    int64_t registers = core.layout.getNumRegisters();
    if (count > 1 && count <= core.split.getNumSteps() &&
        bytes <= budget.bytes && registers <= budget.registers)
      return ChosenParts{{columns, count}, bytes, registers};
  }
  return std::nullopt;
}

static void splitProduct(const StepContext &context, block::MatmulOp product,
                         block::AccumulateOp accumulate, Budget &budget) {
  RewriterBase &rewriter = context.rewriter;
  std::optional<ChosenParts> chosen = chooseParts(context, product, budget);
  if (!chosen)
    return;
  StepCore core = makeMatmulCore(context, product, chosen->parts);
  if (!core.split.isShareable())
    return;
  budget.bytes -= chosen->bytes;
  budget.registers -= chosen->registers;
  rewriter.setInsertionPoint(product);
  FragmentBuilder builder(context, product.getLoc(), core.split);
  auto type = cast<RankedTensorType>(product.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin(), chosen->parts.count);
  Value parts = builder.getGraph().finish(core.emit(builder), core.dims,
                                          type.clone(shape));
  rewriter.setInsertionPoint(accumulate);
  Location location = accumulate.getLoc();
  Value sums = block::AccumulateOp::create(
      rewriter, location, parts, /*rescale=*/Value(), AxisKind::Loop,
      ReductionKind::Sum, /*dims=*/nullptr, /*count=*/nullptr);
  Value sum =
      block::SumOp::create(rewriter, location, sums,
                           rewriter.getDenseI64ArrayAttr(0), /*count=*/nullptr);
  rewriter.replaceOpWithNewOp<block::ReshapeOp>(accumulate, type, sum);
  rewriter.eraseOp(product);
}

void mlir::mirage::splitProducts(RewriterBase &rewriter, block::GraphOp graph) {
  if (graph.getLoop() == 1)
    return;
  StepFusion fusion(graph); // of which operands of products are no part
  StepContext context(rewriter, fusion, graph);
  Budget budget(graph);
  for (auto op : llvm::make_early_inc_range(
           graph.getBody().getOps<block::AccumulateOp>()))
    if (block::MatmulOp product = findProduct(fusion, op))
      splitProduct(context, product, op, budget);
}
