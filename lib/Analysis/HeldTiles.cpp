//===- HeldTiles.cpp - Values that a block holds in registers -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Analysis/RunningScale.h"
#include "Mirage/Graph/LevelRules.h"
#include "Mirage/Layout/HeldTiles.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::mirage;

bool mlir::mirage::isHeld(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->hasAttr(kHeldAttr) &&
         (isa<thread::GraphOp>(op) || isHeldMask(op) || isCarriedSum(value));
}

bool mlir::mirage::isSharedByRows(Operation *op) {
  return op->hasAttr(kWholeRowsAttr) || op->hasAttr(kWholeColumnsAttr);
}

bool mlir::mirage::isHeldMask(Operation *op) {
  if (!isa<block::MaskOp, block::CausalMaskOp>(op) || !op->hasAttr(kHeldAttr))
    return false;
  Operation *masked = op->getOperand(0).getDefiningOp();
  return masked && masked->hasAttr(kHeldAttr) &&
         (isa<thread::GraphOp>(masked) || isHeldMask(masked));
}

bool mlir::mirage::isCarriedSum(Value value) {
  auto accumulate = value.getDefiningOp<block::AccumulateOp>();
  return accumulate && isHeld(accumulate.getOperand());
}

static TileGraph getHeader(thread::GraphOp graph) {
  return cast<TileGraphOpInterface>(graph.getOperation()).getHeader();
}

/// How the items of a thread graph, which is a step of a block, come to its
/// warps; none if several warps share an item.
static std::optional<ShareDeal> findDeal(thread::GraphOp graph) {
  auto block = graph->getParentOfType<block::GraphOp>();
  if (!block || graph.getThreads() != 1 << kLaneBits)
    return std::nullopt;
  unsigned numWarps = block.getThreads() >> kLaneBits;
  return llvm::isPowerOf2_32(numWarps) && !graph->hasAttr(kHeldSharesAttr)
             ? dealWarps(numWarps)
             : dealShares(graph.getGrid(), numWarps);
}

SmallVector<int64_t> mlir::mirage::getHeldExtents(thread::GraphOp graph) {
  std::optional<ShareDeal> deal = findDeal(graph);
  return countExtents(graph.getGrid(), deal ? *deal : dealWarps(1));
}

/// Whether more items along the axes, up to powers of two, leave those that
/// there are where they were: not if a slower axis counts them.
static bool canRoundUp(thread::GraphOp graph) {
  TileGraph header = getHeader(graph);
  auto isKept = [&](ArrayRef<int> dims) {
    for (unsigned slower = 0; slower < dims.size(); ++slower)
      for (unsigned axis = slower + 1; axis < dims.size(); ++axis)
        if (dims[slower] >= 0 && dims[slower] == dims[axis] &&
            !llvm::isPowerOf2_64(header.grid[axis]))
          return false;
    return true;
  };
  // Masks count axes of one dimension as well.
  bool areAllPowers = llvm::all_of(
      header.grid, [](int64_t extent) { return llvm::isPowerOf2_64(extent); });
  for (auto mask : graph.getBody().getOps<thread::MaskOp>())
    if (!areAllPowers && readOperatorAttributes(mask).axes.size() > 1)
      return false;
  return llvm::all_of(
             header.tileInputs,
             [&](const TileInput &input) { return isKept(input.gridMap); }) &&
         llvm::all_of(header.tileOutputs, [&](const TileOutput &output) {
           return isKept(output.gridMap);
         });
}

thread::StoreOp mirage::getStore(thread::GraphOp graph, unsigned result) {
  return graph.getBody()
      .front()
      .getTerminator()
      ->getOperand(result)
      .getDefiningOp<thread::StoreOp>();
}

static RankedTensorType getHeldResult(thread::GraphOp graph) {
  std::optional<ShareDeal> deal = findDeal(graph);
  if (!deal || deal->getNumBits() > thread::kMostShareBits ||
      graph->getNumResults() != 1)
    return nullptr;
  thread::StoreOp op = getStore(graph);
  if (!op)
    return nullptr;
  TileGraph header = getHeader(graph);
  ArrayRef<int> dims = header.tileOutputs[0].gridMap;
  if (llvm::is_contained(dims, kSummed))
    return nullptr;
  std::optional<LinearLayout> layout =
      holdWindows(*thread::getFragmentLayout(op.getOperand().getType()),
                  {header.grid, dims}, 1u << deal->getNumBits());
  constexpr uint64_t kMostElements = 1u << kMaxRegisterBits;
  if (!layout || uint64_t(layout->getNumRegisters()) * deal->getNumRounds() >
                     kMostElements)
    return nullptr;
  return thread::getFragmentType(
      *layout, cast<RankedTensorType>(op.getType()).getElementType(), *deal);
}

/// Whether coordinates are sums of what registers, and lanes and warps, have in
/// them.
static bool areApart(const LinearLayout &layout) {
  for (unsigned dim = 0; dim < layout.getRank(); ++dim) {
    int64_t ofRegisters = 0, ofThreads = 0;
    for (const Coordinates &base : layout.getBases(LayoutInput::Register))
      ofRegisters |= base[dim];
    for (LayoutInput input : {LayoutInput::Lane, LayoutInput::Warp})
      for (const Coordinates &base : layout.getBases(input))
        ofThreads |= base[dim];
    if (ofRegisters & ofThreads)
      return false;
  }
  return true;
}

/// The graph whose items hold a value.
static thread::GraphOp findHolder(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto graph = dyn_cast<thread::GraphOp>(op))
    return graph;
  return findHolder(op->getOperand(0));
}

/// What the items cover that hold a value, which has a held type: the tile, and
/// what of their windows lies behind its edges.
static SmallVector<int64_t> getCoveredShape(Value value) {
  thread::GraphOp graph = findHolder(value);
  TileGraph header = getHeader(graph);
  header.grid = getHeldExtents(graph);
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(getStore(graph).getType()).getShape());
  for (auto [dim, size] : llvm::enumerate(shape))
    size *= header.getExtent(header.getJoinedAxes(/*output=*/0, dim));
  return shape;
}

/// Of a mask: where its operand is held, as it is, in f32.
static RankedTensorType getMaskedType(Operation *mask) {
  RankedTensorType held = getHeldType(mask->getOperand(0));
  auto tile = cast<RankedTensorType>(mask->getResult(0).getType());
  bool isWhole =
      held && held.getElementType().isF32() && tile.getElementType().isF32() &&
      llvm::equal(tile.getShape(), getCoveredShape(mask->getOperand(0)));
  return isWhole && areApart(*thread::getFragmentLayout(held))
             ? held
             : RankedTensorType();
}

RankedTensorType mlir::mirage::getHeldType(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto graph = dyn_cast_or_null<thread::GraphOp>(op))
    return getHeldResult(graph);
  if (op && isHeldMask(op))
    return getMaskedType(op);
  auto accumulate = dyn_cast_or_null<block::AccumulateOp>(op);
  if (accumulate && canCarry(accumulate) && isCarriedSum(value))
    return getHeldType(accumulate.getOperand());
  return nullptr;
}

/// The sums that are relative to a maximum while they grow.
static SmallVector<block::AccumulateOp>
findRelativeSums(block::AccumulateOp maximum) {
  return llvm::filter_to_vector(
      maximum->getBlock()->getOps<block::AccumulateOp>(),
      [&](block::AccumulateOp sum) {
        return findRunningMaximum(sum) == maximum;
      });
}

static LinearLayout stretch(const LinearLayout &fragment,
                            ArrayRef<int64_t> shape) {
  auto dims = llvm::to_vector(llvm::seq<int>(0, shape.size()));
  for (auto [dim, size] : llvm::enumerate(shape))
    if (size == 1)
      dims[dim] = kReplicated;
  return fragment.project(dims);
}

StretchedWindow::StretchedWindow(const LinearLayout &fragment,
                                 ArrayRef<int64_t> omap,
                                 ArrayRef<int64_t> shape)
    : fragment(stretch(fragment, shape)) {
  for (int64_t dim : omap)
    imap.push_back(dim < 0 || shape[dim] == 1 ? kReplicated : dim);
}

/// Whether the lanes that hold a sum's parts hold what rescales them, if that
/// is held.
static bool holdsAlike(block::AccumulateOp sum) {
  auto graph = sum.getOperand().getDefiningOp<thread::GraphOp>();
  RankedTensorType scale = getHeldType(sum.getRescale());
  if (!scale || !(findDeal(graph) == thread::getShareDeal(scale)))
    return false;
  StretchedWindow window(
      *thread::getFragmentLayout(getStore(graph).getOperand().getType()),
      cast<DenseI64ArrayAttr>(graph.getOmaps()[0]), scale.getShape());
  LinearLayout held = *thread::getFragmentLayout(scale);
  SmallVector<int> dims(window.imap.begin(), window.imap.end());
  std::optional<LinearLayout> windows =
      holdWindows(window.fragment, {graph.getGrid(), dims},
                  1u << held.getBases(LayoutInput::Warp).size());
  return windows &&
         findHeldWindow(held, *windows, Coordinates(held.getRank(), 0));
}

bool mlir::mirage::growsWithParts(block::AccumulateOp op) {
  bool isCorrected =
      op.getRescale() && !hasRunningScale(findRunningMaximum(op));
  return !isCorrected && op.getOperand().hasOneUse() &&
         findRelativeSums(op).empty();
}

static bool isF32(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType().isF32();
}

bool mlir::mirage::joinsElements(block::AccumulateOp op) {
  return op.getAxis() == AxisKind::Loop && isF32(op.getOperand()) &&
         isF32(op.getResult()) &&
         accumulatesElements(readOperatorAttributes(op), /*numOperands=*/1);
}

bool mlir::mirage::canCarry(block::AccumulateOp op) {
  if (!joinsElements(op) || !op.getOperand().getDefiningOp<thread::GraphOp>())
    return false;
  if (op.getRescale()) {
    block::AccumulateOp maximum = findRunningMaximum(op);
    RankedTensorType parts = getHeldType(op.getOperand());
    if (!maximum || !parts || !isF32(op.getRescale()) ||
        parts.getRank() != op.getRescale().getType().getRank())
      return false;
    bool areMaximaHeld = isHeld(op.getRescale());
    return areMaximaHeld == isCarriedSum(maximum.getResult()) &&
           (!areMaximaHeld || holdsAlike(op));
  }
  return llvm::all_of(findRelativeSums(op), [](block::AccumulateOp sum) {
    return isCarriedSum(sum.getResult());
  });
}

std::optional<SmallVector<unsigned>>
mlir::mirage::findHeldWindow(thread::GraphOp reader, unsigned input,
                             RankedTensorType held, int64_t step) {
  std::optional<LinearLayout> layout = thread::getFragmentLayout(held);
  BlockArgument window = reader.getBody().getArgument(input);
  if (!window.hasOneUse())
    return std::nullopt;
  Operation *load = *window.user_begin();
  if (!isa<thread::LoadOp, thread::LdmatrixOp>(load))
    return std::nullopt;
  LinearLayout fragment =
      *thread::getFragmentLayout(load->getResult(0).getType());
  TileGraph header = getHeader(reader);
  const TileInput &map = header.tileInputs[input];
  std::optional<LinearLayout> windows = holdWindows(
      fragment, {header.grid, map.gridMap, header.loop, map.loopMap},
      1u << layout->getBases(LayoutInput::Warp).size());
  if (!windows || windows->getRank() != layout->getRank())
    return std::nullopt;
  Coordinates origin(layout->getRank(), 0);
  if (map.loopMap >= 0)
    origin[map.loopMap] = step * fragment.getShape()[map.loopMap];
  return findHeldWindow(*layout, *windows, origin);
}

/// Whether the items of a reader come to warps as what is held has: in its
/// block, or where it is placed and its extents are powers of two.
static bool hasShares(thread::GraphOp reader, const ShareDeal &held) {
  if (std::optional<ShareDeal> planned = findDeal(reader))
    return *planned == held;
  return held.isOneEach() || findExtents(reader.getGrid(), held);
}

bool mlir::mirage::canReadHeld(thread::GraphOp reader, unsigned input,
                               RankedTensorType held) {
  if (reader.getThreads() != 1 << kLaneBits ||
      !hasShares(reader, thread::getShareDeal(held)))
    return false;
  TileGraph header = getHeader(reader);
  int64_t steps = header.tileInputs[input].loopMap < 0 ? 1 : header.loop;
  return llvm::all_of(llvm::seq<int64_t>(0, steps), [&](int64_t step) {
    return findHeldWindow(reader, input, held, step).has_value();
  });
}

namespace {
/// What a reader makes of elements behind the edges of a tile that is held,
/// which are anything: nothing, if what depends on them is not stored, or is
/// masked. Each dimension has an edge of its own: of rows that are reduced,
/// what lies behind the last row stays there.
class EdgeReader {
public:
  EdgeReader(thread::GraphOp reader, unsigned input)
      : reader(reader), header(getHeader(reader)), input(input),
        held(getCoveredShape(reader.getInputs()[input])),
        tile(cast<RankedTensorType>(reader.getInputs()[input].getType())) {}

  bool ignoresWhatIsBehind() {
    if (held.size() != tile.getShape().size())
      return false;
    return llvm::all_of(llvm::seq<int64_t>(0, tile.getRank()), [&](int64_t d) {
      dim = d;
      return held[dim] == tile.getDimSize(dim) || isIgnored();
    });
  }

private:
  bool isIgnored() {
    return llvm::all_of(
        reader.getBody().getArgument(input).getUsers(),
        [&](Operation *load) { return areUsersSafe(load->getResult(0)); });
  }

  bool areUsersSafe(Value fragment) {
    return llvm::all_of(fragment.getUsers(), [&](Operation *user) {
      return isSafe(user, fragment);
    });
  }

  bool isSafe(Operation *user, Value fragment) {
    if (isa<thread::StoreOp>(user))
      return isLeftOut(user->getResult(0));
    if (auto mask = dyn_cast<thread::MaskOp>(user))
      if (isMasked(mask))
        return true;
    return keepsApart(user, cast<RankedTensorType>(fragment.getType())) &&
           areUsersSafe(user->getResult(0));
  }

  /// Whether nothing from behind the edge gets before it.
  bool keepsApart(Operation *user, RankedTensorType fragment) {
    auto row = dyn_cast<OperatorOpInterface>(user);
    if (!row)
      return false;
    OperatorKind kind = getOperatorInfo(row.getTableOpcode()).kind;
    if (kind == OperatorKind::Elementwise ||
        isa<thread::CastOp, thread::MaskOp>(user))
      return true;
    if (kind != OperatorKind::Reduction && kind != OperatorKind::Accumulate)
      return false;
    bool isStepped = header.loop > 1 && header.tileInputs[input].loopMap == dim;
    bool isReduced =
        isStepped || llvm::is_contained(readOperatorAttributes(user).dims, dim);
    // Windows may all lie on one side of the edge.
    return !isReduced ||
           (!isStepped && tile.getDimSize(dim) % fragment.getDimSize(dim) == 0);
  }

  /// Whether elements of the result lie behind an edge where those of the
  /// operand do that they depend on: stores leave those out.
  bool isLeftOut(Value window) {
    unsigned number = window.use_begin()->getOperandNumber();
    auto result = cast<ShapedType>(reader->getResult(number).getType());
    ArrayRef<int64_t> to = cast<ShapedType>(window.getType()).getShape();
    int64_t from = getWindow().getDimSize(dim), size = tile.getDimSize(dim);
    auto endsAlike = [&](int64_t joined) {
      bool isWhole =
          size % from == 0 && result.getDimSize(joined) % to[joined] == 0;
      return isWhole ? size / from == result.getDimSize(joined) / to[joined]
                     : size == result.getDimSize(joined) && from == to[joined];
    };
    return llvm::any_of(llvm::seq<int64_t>(0, result.getRank()),
                        [&](int64_t joined) {
                          return header.getJoinedAxes(number, joined) ==
                                     header.getCuttingAxes(input, dim) &&
                                 endsAlike(joined);
                        });
  }

  bool isMasked(thread::MaskOp mask) {
    Attributes attributes = readOperatorAttributes(mask);
    auto masked = cast<ShapedType>(mask.getType());
    return llvm::equal(attributes.dims, ArrayRef(dim)) &&
           masked.getDimSize(dim) == getWindow().getDimSize(dim) &&
           int64_t(attributes.extent) <= tile.getDimSize(dim) &&
           attributes.axes == header.getCuttingAxes(input, dim);
  }

  ShapedType getWindow() {
    return cast<ShapedType>(reader.getBody().getArgument(input).getType());
  }

  thread::GraphOp reader;
  TileGraph header;
  unsigned input;
  SmallVector<int64_t> held; ///< what items cover that hold the operand
  RankedTensorType tile;
  int64_t dim = 0; ///< whose edge is looked at
};
} // namespace

/// Whether a step leaves a tile as it has loaded it: zeros stand behind its
/// edges then, as they do behind those of what lies in memory.
static bool leavesZerosBehind(Value value) {
  auto step = value.getDefiningOp<thread::GraphOp>();
  thread::StoreOp store = step ? getStore(step) : thread::StoreOp();
  Operation *load = store ? store.getOperand().getDefiningOp() : nullptr;
  while (isa_and_nonnull<thread::CastOp>(load))
    load = load->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<thread::LoadOp, thread::LdmatrixOp>(load))
    return false;
  auto window = dyn_cast<BlockArgument>(load->getOperand(0));
  if (!window || step.getLoop() > 1)
    return false;
  unsigned input = window.getArgNumber();
  auto tile = cast<ShapedType>(step.getInputs()[input].getType());
  return !isHeld(step.getInputs()[input]) &&
         tile.getShape() == cast<ShapedType>(value.getType()).getShape() &&
         cast<ShapedType>(window.getType()).getShape() ==
             cast<ShapedType>(store.getType()).getShape() &&
         step.getImaps()[input] == step.getOmaps()[0];
}

llvm::Error mlir::mirage::verifyHeld(Value value) {
  RankedTensorType held = getHeldType(value);
  if (!held)
    return llvm::createStringError(
        "a result of items that warps hold as a linear layout, or an "
        "accumulation or a mask of one that is held");
  if (auto graph = value.getDefiningOp<thread::GraphOp>();
      graph && !canRoundUp(graph))
    return llvm::createStringError(
        "items whose extents can be rounded up to powers of two");
  for (OpOperand &use : value.getUses()) {
    if (auto accumulate = dyn_cast<block::AccumulateOp>(use.getOwner()))
      if (canCarry(accumulate) && (use.get() == accumulate.getOperand() ||
                                   isCarriedSum(accumulate.getResult())))
        continue;
    if (isHeldMask(use.getOwner()))
      continue;
    if (auto reader = dyn_cast<thread::GraphOp>(use.getOwner()))
      if (canRoundUp(reader) &&
          (leavesZerosBehind(value) ||
           EdgeReader(reader, use.getOperandNumber()).ignoresWhatIsBehind()) &&
          canReadHeld(reader, use.getOperandNumber(), held))
        continue;
    return llvm::createStringError(
        "users that read it where it is held, got '" +
        use.getOwner()->getName().getStringRef() + "'");
  }
  return llvm::Error::success();
}
