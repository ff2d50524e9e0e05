//===- FormWarpgroups.cpp - Four warps multiply together ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Analysis/TileForms.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Graph/TileMemory.h"
#include "Mirage/Layout/Fragments.h"
#include "Mirage/Layout/MatrixInstructions.h"
#include "Mirage/Planning/Target.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

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
/// How a step loads an operand of its product.
struct LoadedOperand {
  thread::OperandWindow at;
  Operation *load = nullptr;
  /// What exchanges rows and columns of what is loaded; null if nothing does.
  thread::TransposeOp transpose;
};

/// A step of a block that multiplies by mma.sync, and could by wgmma.
struct Product {
  thread::GraphOp graph;
  thread::MmaOp mma;
  LoadedOperand lhs, rhs;
  /// Whether the left operand, too, is read where it lies.
  bool isLhsInPlace = false;

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
static std::optional<LoadedOperand> findLoaded(Value fragment, bool isLhs) {
  LoadedOperand operand;
  if (auto transpose = fragment.getDefiningOp<thread::TransposeOp>();
      transpose && transpose->hasOneUse() &&
      exchangesRowsAndColumns(transpose.getDims())) {
    operand.transpose = transpose;
    fragment = transpose.getOperand();
  }
  operand.load = fragment.getDefiningOp();
  if (!isa_and_nonnull<thread::LoadOp, thread::LdmatrixOp>(operand.load) ||
      !operand.load->hasOneUse())
    return std::nullopt;
  auto window = dyn_cast<BlockArgument>(operand.load->getOperand(0));
  if (!window || !window.hasOneUse())
    return std::nullopt;
  operand.at = {window, isLhs, bool(operand.transpose)};
  return operand;
}

static std::optional<Product> findProduct(thread::GraphOp graph) {
  Product product{graph, nullptr, {}, {}};
  for (auto mma : graph.getBody().getOps<thread::MmaOp>()) {
    if (product.mma)
      return std::nullopt;
    product.mma = mma;
  }
  // Elements have 16 bits then.
  if (!product.mma || product.mma.getShape().back() != kStep)
    return std::nullopt;
  auto lhs = findLoaded(product.mma.getLhs(), /*isLhs=*/true);
  auto rhs = findLoaded(product.mma.getRhs(), /*isLhs=*/false);
  if (!lhs || !rhs)
    return std::nullopt;
  product.lhs = *lhs;
  product.rhs = *rhs;
  return product;
}

/// Whether the tile of an operand is whole windows: what lies beyond a tile
/// wgmma would not read as zero. There are more items where these hold tiles.
static bool isCovered(thread::GraphOp graph, BlockArgument window) {
  TileGraph header =
      cast<TileGraphOpInterface>(graph.getOperation()).getHeader();
  if (graph->hasAttr(kHeldAttr) || llvm::any_of(graph.getInputs(), isHeld))
    header.grid = getHeldExtents(graph);
  unsigned input = window.getArgNumber();
  ArrayRef<int64_t> tile =
      cast<ShapedType>(graph.getInputs()[input].getType()).getShape();
  for (auto [dim, size] :
       llvm::enumerate(cast<ShapedType>(window.getType()).getShape()))
    if (!header.areWhole(header.getCuttingAxes(input, dim), size, tile[dim]))
      return false;
  return true;
}

/// Whether four neighbours among the items have one right operand. Left ones
/// they bring in their registers, whatever these are of.
static bool comesInFours(thread::GraphOp graph, const LoadedOperand &rhs) {
  ArrayRef<int64_t> grid = graph.getGrid();
  return !grid.empty() && grid.back() % kWarpsOfGroup == 0 &&
         getLastMap(graph, rhs.at.window) == kReplicated;
}

/// How an operand's tile lies, if all of it is whole windows and the copy
/// engine loads it.
static std::optional<BoxedTile>
findBoxed(block::GraphOp block, thread::GraphOp graph, BlockArgument window) {
  auto tile = dyn_cast<BlockArgument>(graph.getInputs()[window.getArgNumber()]);
  if (!tile || tile.getOwner() != &block.getBody().front() ||
      !llvm::is_contained(getBoxedInputs(block), tile.getArgNumber()) ||
      !isCovered(graph, window))
    return std::nullopt;
  auto type = cast<RankedTensorType>(tile.getType());
  return BoxedTile::find(type.getShape(), type.getElementTypeBitWidth() / 8);
}

/// Whether wgmma can read the right operand where it lies: rows of k that keep
/// to panels, of rows of columns whole panels.
static bool isRhsInPlace(block::GraphOp block, const Product &product) {
  const thread::OperandWindow &rhs = product.rhs.at;
  std::optional<BoxedTile> boxed = findBoxed(block, product.graph, rhs.window);
  int64_t columns =
      rhs.getSize(rhs.isKMajor() ? rhs.getKDim() : rhs.getOuterDim());
  return boxed &&
         (rhs.isKMajor()
              ? boxed->keepToPanels(columns * product.countJoinedSteps())
              : boxed->areWholePanels(columns));
}

/// The same of the left one, of which four neighbours have 64 rows that follow
/// each other. Where these lie along the tile's rows they are one panel: the
/// tile has a multiple of 64 then, in panels of 64.
static bool isLhsInPlace(block::GraphOp block, const Product &product) {
  const thread::OperandWindow &lhs = product.lhs.at;
  std::optional<BoxedTile> boxed = findBoxed(block, product.graph, lhs.window);
  if (!boxed || !followsLastAxis(product.graph, lhs.window, lhs.getOuterDim()))
    return false;
  return !lhs.isKMajor() || boxed->keepToPanels(lhs.getSize(lhs.getKDim()) *
                                                product.countJoinedSteps());
}

/// Of the instruction's rows and columns (C3 of `mirage_thread.wgmma`).
static bool hasSizes(ShapedType result) {
  int64_t columns = result.getShape().back();
  return result.getShape().end()[-2] == 16 && llvm::isPowerOf2_64(columns) &&
         columns >= 8 && columns <= 256;
}

static bool canMultiplyTogether(block::GraphOp block, const Product &product) {
  return block.getThreads() % (kWarpsOfGroup << kLaneBits) == 0 &&
         isRhsInPlace(block, product) &&
         (product.isLhsInPlace || !product.lhs.transpose);
}

/// A window with `factor` times as many elements along a dimension.
static RankedTensorType widen(Type type, unsigned dim, int64_t factor) {
  auto window = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(window.getShape());
  shape[dim] *= factor;
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

namespace {
/// Writes the same graph with fewer steps, in each of which four warps start
/// several instructions.
class TogetherWriter {
public:
  TogetherWriter(IRRewriter &rewriter, const Product &product)
      : rewriter(rewriter), product(product),
        joined(product.countJoinedSteps()) {}

  void run();

private:
  void addWindows(Block &from, Block &body);
  /// The operand of the instruction: what is loaded of the wider window, or the
  /// window itself.
  Value emitOperand(const LoadedOperand &operand, bool isInPlace);
  bool isOfOperand(Operation *op, const LoadedOperand &operand) const {
    return op == operand.load || (operand.transpose && op == operand.transpose);
  }

  IRRewriter &rewriter;
  Product product;
  int64_t joined;
  IRMapping values;
};
} // namespace

void TogetherWriter::addWindows(Block &from, Block &body) {
  for (BlockArgument window : from.getArguments()) {
    Type type = window.getType();
    for (const LoadedOperand *operand : {&product.lhs, &product.rhs})
      if (operand->at.window == window)
        type = widen(type, operand->at.getKDim(), joined);
    values.map(window, body.addArgument(type, window.getLoc()));
  }
}

Value TogetherWriter::emitOperand(const LoadedOperand &operand,
                                  bool isInPlace) {
  Value window = values.lookup(operand.at.window);
  if (!isInPlace) {
    Operation *load = rewriter.clone(*operand.load, values);
    load->getResult(0).setType(
        getJoinedFragment(cast<RankedTensorType>(window.getType())));
    return load->getResult(0);
  }
  thread::TransposeOp transpose = operand.transpose;
  if (!transpose)
    return window;
  auto type = cast<RankedTensorType>(window.getType());
  SmallVector<int64_t> shape(type.getShape());
  std::swap(shape.end()[-1], shape.end()[-2]);
  return thread::TransposeOp::create(
      rewriter, transpose.getLoc(),
      RankedTensorType::get(shape, type.getElementType()), window,
      transpose.getDims());
}

void TogetherWriter::run() {
  thread::GraphOp graph = product.graph;
  rewriter.setInsertionPoint(graph);
  auto together = cast<thread::GraphOp>(
      rewriter.cloneWithoutRegions(*graph.getOperation()));
  together.setLoop(graph.getLoop() / joined);
  Block &from = graph.getBody().front();
  Block *body = rewriter.createBlock(&together.getBody());
  addWindows(from, *body);
  for (Operation &op : from) {
    if (isOfOperand(&op, product.lhs) || isOfOperand(&op, product.rhs))
      continue;
    if (&op != product.mma) {
      rewriter.clone(op, values);
      continue;
    }
    Value lhs = emitOperand(product.lhs, product.isLhsInPlace);
    Value rhs = emitOperand(product.rhs, /*isInPlace=*/true);
    auto wgmma = thread::WgmmaOp::create(rewriter, op.getLoc(),
                                         op.getResult(0).getType(), lhs, rhs);
    values.map(op.getResult(0), wgmma.getResult());
  }
  rewriter.replaceOp(graph, together);
}

static void formWarpgroups(IRRewriter &rewriter, block::GraphOp block) {
  for (auto graph :
       llvm::make_early_inc_range(block.getBody().getOps<thread::GraphOp>()))
    if (std::optional<Product> product = findProduct(graph);
        product && hasSizes(product->mma.getType()) &&
        comesInFours(graph, product->rhs)) {
      product->isLhsInPlace = isLhsInPlace(block, *product);
      if (canMultiplyTogether(block, *product))
        TogetherWriter(rewriter, *product).run();
    }
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
