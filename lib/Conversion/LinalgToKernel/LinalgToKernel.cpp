//===- LinalgToKernel.cpp - Import of linalg programs ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Conversion/LinalgToKernel.h"
#include "FindConstant.h"
#include "IndexPattern.h"
#include "Mirage/Conversion/Passes.h"
#include "Mirage/Dialect/Kernel/IR/ExpressibleOpInterface.h"
#include "Mirage/Dialect/Operator/ScalarTensors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_CONVERTLINALGTOMIRAGEKERNELPASS
#include "Mirage/Conversion/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

//===----------------------------------------------------------------------===//
// Which ops
//===----------------------------------------------------------------------===//

static bool isOnTensors(Operation *op) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  return llvm::any_of(op->getOperandTypes(), isTensor) ||
         llvm::any_of(op->getResultTypes(), isTensor);
}

/// Ops that compute with tensors, whether we can take them or not. What stands
/// between tensors of rank 0 and what they are in graphs computes nothing.
static bool isCandidate(Operation *op) {
  if (reshapesScalar(op))
    return false;
  if (isa<kernel::ExpressibleOpInterface>(op))
    return true;
  if (isa<linalg::LinalgOp>(op))
    return !isSource(op);
  if (isa<tensor::PadOp>(op))
    return true;
  return isOnTensors(op) && !isSource(op) && op->getNumRegions() == 0 &&
         !op->hasTrait<OpTrait::IsTerminator>();
}

/// The candidates of a function by block, in order; ops of Mirage and what is
/// in them are somebody's decision already.
static llvm::MapVector<Block *, SmallVector<Operation *>>
findCandidates(FunctionOpInterface function) {
  llvm::MapVector<Block *, SmallVector<Operation *>> candidates;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getName().getDialectNamespace().starts_with("mirage_"))
      return WalkResult::skip();
    if (isCandidate(op))
      candidates[op->getBlock()].push_back(op);
    return isa<linalg::LinalgOp, kernel::ExpressibleOpInterface>(op)
               ? WalkResult::skip()
               : WalkResult::advance();
  });
  return candidates;
}

//===----------------------------------------------------------------------===//
// The three steps
//===----------------------------------------------------------------------===//

/// Constants, fills and destinations that an op reads, those of its body too.
static void collectSources(Operation *op,
                           llvm::SetVector<Operation *> &sources) {
  op->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (Operation *definition = operand.getDefiningOp())
        if (isSource(definition) && !op->isAncestor(definition))
          sources.insert(definition);
  });
}

static void eraseDeadSources(RewriterBase &rewriter,
                             llvm::SetVector<Operation *> sources) {
  while (!sources.empty()) {
    Operation *op = sources.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    collectSources(op, sources);
    rewriter.eraseOp(op);
  }
}

/// Ops that compute nothing that anybody reads are no part of a program.
static void eraseDeadOps(RewriterBase &rewriter,
                         SmallVector<Operation *> &ops) {
  for (Operation *&op : llvm::reverse(ops)) {
    if (!isOpTriviallyDead(op))
      continue;
    llvm::SetVector<Operation *> read;
    collectSources(op, read);
    rewriter.eraseOp(op);
    op = nullptr;
    eraseDeadSources(rewriter, std::move(read));
  }
  llvm::erase(ops, nullptr);
}

/// One of several slices that are put into a tensor one after the other.
static bool isInsertedInto(Operation *op) {
  if (!isa<tensor::InsertSliceOp>(op) || !op->hasOneUse())
    return false;
  auto next = dyn_cast<tensor::InsertSliceOp>(*op->user_begin());
  return next && next.getDest() == op->getResult(0);
}

/// Ops that what reads them takes as parts of itself, where it can.
static bool awaitsReader(Operation *op) {
  return isInsertedInto(op) || statesPattern(op);
}

/// What an op alone read of sources goes with it, before graphs are merged: a
/// comparison would keep the values it compares alive.
static void convertOp(RewriterBase &rewriter, Operation *op,
                      SmallVectorImpl<kernel::GraphOp> &graphs) {
  llvm::SetVector<Operation *> read;
  collectSources(op, read);
  std::string reason;
  FailureOr<kernel::GraphOp> graph =
      convertOpToKernelGraph(rewriter, op, reason);
  if (failed(graph)) {
    op->emitRemark() << "'" << op->getName()
                     << "' op stays outside of a mirage_kernel.graph: "
                     << reason;
    return;
  }
  if (*graph)
    graphs.push_back(*graph);
  eraseDeadSources(rewriter, std::move(read));
}

/// \returns the graphs, in the block's order.
static SmallVector<kernel::GraphOp> convertOps(RewriterBase &rewriter,
                                               ArrayRef<Operation *> ops) {
  SmallVector<kernel::GraphOp> graphs;
  SmallVector<Operation *> waiting;
  for (Operation *op : ops)
    if (awaitsReader(op))
      waiting.push_back(op);
    else
      convertOp(rewriter, op, graphs);
  eraseDeadOps(rewriter, waiting);
  for (Operation *op : waiting)
    convertOp(rewriter, op, graphs);
  llvm::sort(graphs, [](kernel::GraphOp x, kernel::GraphOp y) {
    return x->isBeforeInBlock(y);
  });
  return graphs;
}

/// What an op gave as a tensor of rank 0 the next has read as one of [1].
static void eraseDeadScalarReshapes(RewriterBase &rewriter, Block &block) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(block.getOperations())))
    if (reshapesScalar(&op) && op.use_empty())
      rewriter.eraseOp(&op);
}

/// Equal ops become one before and after: two casts of one value would keep it
/// from being stored narrow, and rewrites make equal reshapes.
static LogicalResult tidy(RewriterBase &rewriter, kernel::GraphOp graph,
                          const FrozenRewritePatternSet &patterns) {
  DominanceInfo dominance;
  eliminateCommonSubExpressions(rewriter, dominance, graph);
  if (failed(applyPatternsGreedily(graph, patterns)))
    return graph.emitError("tidying does not come to an end");
  dominance.invalidate();
  eliminateCommonSubExpressions(rewriter, dominance, graph);
  return success();
}

LogicalResult
mlir::mirage::convertLinalgToKernel(FunctionOpInterface function) {
  IRRewriter rewriter(function.getContext());
  RewritePatternSet patterns(function.getContext());
  populateKernelGraphTidyingPatterns(patterns);
  FrozenRewritePatternSet tidying(std::move(patterns));
  auto candidates = findCandidates(function);
  for (auto &[block, ops] : llvm::reverse(candidates))
    eraseDeadOps(rewriter, ops);
  for (auto &[block, ops] : candidates) {
    SmallVector<kernel::GraphOp> graphs = convertOps(rewriter, ops);
    eraseDeadScalarReshapes(rewriter, *block);
    for (kernel::GraphOp graph : mergeKernelGraphs(rewriter, graphs))
      if (failed(tidy(rewriter, graph, tidying)))
        return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// As patterns and as a pass
//===----------------------------------------------------------------------===//

/// Whether all that an op computes from is stated in the program.
static bool readsSourcesOnly(Operation *op) {
  return llvm::all_of(op->getOperands(), [](Value operand) {
    Operation *producer = operand.getDefiningOp();
    return producer && (isSource(producer) || readsSourcesOnly(producer));
  });
}

/// Drivers visit ops in any order, and a number is one only once the op that
/// makes it was visited.
static bool awaitsNumbers(Operation *op) {
  return llvm::any_of(op->getOperands(), [](Value operand) {
    Operation *producer = operand.getDefiningOp();
    return producer && isCandidate(producer) && readsSourcesOnly(producer) &&
           !statesPattern(producer);
  });
}

namespace {
struct ConvertToKernelGraph : RewritePattern {
  explicit ConvertToKernelGraph(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isCandidate(op))
      return rewriter.notifyMatchFailure(op, "expects an op on tensors");
    if (awaitsNumbers(op))
      return rewriter.notifyMatchFailure(op, "expects operands visited before");
    if (statesPattern(op))
      return rewriter.notifyMatchFailure(op, "follows from indices alone");
    std::string reason;
    if (failed(convertOpToKernelGraph(rewriter, op, reason)))
      return rewriter.notifyMatchFailure(op, reason);
    return success();
  }
};

struct ConvertLinalgToMirageKernelPass
    : mirage::impl::ConvertLinalgToMirageKernelPassBase<
          ConvertLinalgToMirageKernelPass> {
  void runOnOperation() override {
    SmallVector<FunctionOpInterface> functions;
    getOperation()->walk<WalkOrder::PreOrder>(
        [&](FunctionOpInterface function) {
          functions.push_back(function);
          return WalkResult::skip();
        });
    for (FunctionOpInterface function : functions)
      if (failed(convertLinalgToKernel(function)))
        return signalPassFailure();
  }
};
} // namespace

void mlir::mirage::populateLinalgToKernelPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertToKernelGraph>(patterns.getContext());
}
