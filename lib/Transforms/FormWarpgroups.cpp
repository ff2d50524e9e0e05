//===- FormWarpgroups.cpp - Four warps multiply together ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Analysis/TileForms.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Layout/Fragments.h"
#include "Mirage/Layout/MatrixInstructions.h"
#include "Mirage/Planning/Target.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_FORMWARPGROUPSPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

/// Of k that one instruction takes.
static constexpr int64_t kStep = 16;
/// The most of these that are started at a time: the left operand's registers.
static constexpr int64_t kMostSteps = 8;

namespace {
/// A step of a block that multiplies by mma.sync, and could by wgmma.
struct Product {
  thread::GraphOp graph;
  thread::MmaOp mma;
  Operation *loadLhs = nullptr, *loadRhs = nullptr;

  BlockArgument getLhs() const {
    return cast<BlockArgument>(loadLhs->getOperand(0));
  }
  BlockArgument getRhs() const {
    return cast<BlockArgument>(loadRhs->getOperand(0));
  }
  /// Steps of the items that become one.
  int64_t countJoinedSteps() const;
};
} // namespace

int64_t Product::countJoinedSteps() const {
  int64_t steps = thread::GraphOp(graph).getLoop(), joined = 1;
  while (joined < kMostSteps && steps % (2 * joined) == 0)
    joined *= 2;
  return joined;
}

/// The load that makes a fragment of a window for the product alone.
static Operation *findLoad(Value fragment) {
  Operation *load = fragment.getDefiningOp();
  bool isLoad = isa_and_nonnull<thread::LoadOp, thread::LdmatrixOp>(load) &&
                load->hasOneUse() && isa<BlockArgument>(load->getOperand(0)) &&
                load->getOperand(0).hasOneUse();
  return isLoad ? load : nullptr;
}

static int64_t getSize(Value value, unsigned fromBack) {
  return cast<ShapedType>(value.getType())
      .getShape()
      .drop_back(fromBack)
      .back();
}

static std::optional<Product> findProduct(thread::GraphOp graph) {
  Product product{graph, nullptr};
  for (auto mma : graph.getBody().getOps<thread::MmaOp>()) {
    if (product.mma)
      return std::nullopt;
    product.mma = mma;
  }
  // Elements have 16 bits then.
  if (!product.mma || product.mma.getShape().back() != kStep)
    return std::nullopt;
  product.loadLhs = findLoad(product.mma.getLhs());
  product.loadRhs = findLoad(product.mma.getRhs());
  if (!product.loadLhs || !product.loadRhs)
    return std::nullopt;
  return product;
}

/// Whether the tile of an operand is whole windows along a dimension.
static bool isCovered(thread::GraphOp graph, BlockArgument window,
                      unsigned fromBack) {
  TileGraph header =
      cast<TileGraphOpInterface>(graph.getOperation()).getHeader();
  unsigned input = window.getArgNumber();
  unsigned dim = cast<ShapedType>(window.getType()).getRank() - 1 - fromBack;
  return header.getExtent(header.getCuttingAxes(input, dim)) *
             getSize(window, fromBack) ==
         getSize(graph.getInputs()[input], fromBack);
}

/// Whether four neighbours among the items have one right operand. Left ones
/// they bring in their registers, whatever these are of.
static bool comesInFours(const Product &product) {
  thread::GraphOp graph = product.graph;
  ArrayRef<int64_t> grid = graph.getGrid();
  if (grid.empty() || grid.back() % kWarpsOfGroup != 0)
    return false;
  auto imap = cast<DenseI64ArrayAttr>(
      graph.getImaps()[product.getRhs().getArgNumber()]);
  return imap.asArrayRef().back() == kReplicated;
}

/// Whether the right operand's tile is one that wgmma can read where it lies:
/// all of it by k, and of its columns whole panels.
static bool isReadInPlace(block::GraphOp block, const Product &product) {
  BlockArgument window = product.getRhs();
  thread::GraphOp graph = product.graph;
  auto tile = dyn_cast<BlockArgument>(graph.getInputs()[window.getArgNumber()]);
  if (!tile || tile.getOwner() != &block.getBody().front() ||
      !llvm::is_contained(getBoxedInputs(block), tile.getArgNumber()))
    return false;
  auto type = cast<RankedTensorType>(tile.getType());
  std::optional<BoxedTile> boxed =
      BoxedTile::find(type.getShape(), type.getElementTypeBitWidth() / 8);
  int64_t columns = getSize(window, 0);
  return boxed && isCovered(graph, window, 0) && isCovered(graph, window, 1) &&
         (columns == boxed->rowElements ||
          columns % boxed->getPitchElements() == 0);
}

static bool canMultiplyTogether(block::GraphOp block, Product product) {
  int64_t columns = getSize(product.mma.getResult(), 0);
  return block.getThreads() % (kWarpsOfGroup << kLaneBits) == 0 &&
         columns <= 256 && comesInFours(product) &&
         isReadInPlace(block, product);
}

/// A window with `factor` times as many elements along a dimension.
static RankedTensorType widen(Type type, unsigned fromBack, int64_t factor) {
  auto window = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(window.getShape());
  shape.end()[-1 - static_cast<int>(fromBack)] *= factor;
  return RankedTensorType::get(shape, window.getElementType());
}

/// The left operand's fragment of so many steps.
static RankedTensorType getJoinedFragment(RankedTensorType window) {
  LinearLayout tile = findMmaInstruction({16, 8, kStep}, 16)->a;
  LinearLayout fragment =
      repeatFragment(tile, 1, window.getShape().back() / kStep);
  SmallVector<int> dims(window.getRank() - 2, -1);
  dims.append({0, 1});
  return thread::getFragmentType(fragment.project(dims),
                                 window.getElementType());
}

/// The same graph with fewer steps, in each of which four warps start several
/// instructions.
static void multiplyTogether(IRRewriter &rewriter, Product product) {
  thread::GraphOp graph = product.graph;
  int64_t joined = product.countJoinedSteps();
  rewriter.setInsertionPoint(graph);
  auto together = cast<thread::GraphOp>(
      rewriter.cloneWithoutRegions(*graph.getOperation()));
  together.setLoop(graph.getLoop() / joined);
  Block &from = graph.getBody().front();
  Block *body = rewriter.createBlock(&together.getBody());
  IRMapping values;
  for (BlockArgument window : from.getArguments()) {
    Type type = window == product.getLhs() ? widen(window.getType(), 0, joined)
                : window == product.getRhs()
                    ? widen(window.getType(), 1, joined)
                    : window.getType();
    values.map(window, body->addArgument(type, window.getLoc()));
  }
  for (Operation &op : from) {
    if (&op == product.loadRhs)
      continue;
    if (&op == product.mma) {
      auto wgmma = thread::WgmmaOp::create(
          rewriter, op.getLoc(), op.getResult(0).getType(),
          values.lookup(product.mma.getLhs()), values.lookup(product.getRhs()));
      values.map(op.getResult(0), wgmma.getResult());
      continue;
    }
    Operation *copy = rewriter.clone(op, values);
    if (&op == product.loadLhs)
      copy->getResult(0).setType(getJoinedFragment(
          cast<RankedTensorType>(copy->getOperand(0).getType())));
  }
  rewriter.replaceOp(graph, together);
}

static void formWarpgroups(IRRewriter &rewriter, block::GraphOp block) {
  for (auto graph :
       llvm::make_early_inc_range(block.getBody().getOps<thread::GraphOp>()))
    if (std::optional<Product> product = findProduct(graph);
        product && canMultiplyTogether(block, *product))
      multiplyTogether(rewriter, *product);
}

namespace {
struct FormWarpgroupsPass
    : mirage::impl::FormWarpgroupsPassBase<FormWarpgroupsPass> {
  using FormWarpgroupsPassBase::FormWarpgroupsPassBase;

  void runOnOperation() override {
    FailureOr<std::string> name = resolveTarget(getOperation(), target);
    if (failed(name))
      return signalPassFailure();
    if (!llvm::cantFail(getTarget(*name)).hasWarpgroupProducts)
      return;
    IRRewriter rewriter(&getContext());
    getOperation()->walk(
        [&](block::GraphOp block) { formWarpgroups(rewriter, block); });
  }
};
} // namespace
