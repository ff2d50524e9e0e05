//===- BypassingTiles.cpp - Tiles without shared memory -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/BypassingTiles.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Analysis/TensorView.h"
#include "Mirage/Graph/DeviceTraffic.h"
#include "Mirage/Layout/AccessPatterns.h"
#include "Mirage/Layout/MemoryTraffic.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::mirage;

/// What memory gives at a time.

bool mlir::mirage::bypassesSharedMemory(Value value) {
  if (Operation *op = value.getDefiningOp())
    return isa<thread::GraphOp>(op) && op->hasAttr(kBypassesAttr);
  auto argument = cast<BlockArgument>(value);
  auto numbers =
      argument.getOwner()->getParentOp()->getAttrOfType<DenseI64ArrayAttr>(
          kBypassingInputsAttr);
  return numbers && llvm::is_contained(numbers.asArrayRef(),
                                       int64_t(argument.getArgNumber()));
}

template <typename GraphOp>
static TileGraph getHeader(GraphOp graph) {
  return cast<TileGraphOpInterface>(graph.getOperation()).getHeader();
}

static llvm::Error makeError(const Twine &expected) {
  return llvm::createStringError(expected);
}

/// Whether those that an axis counts, along which nothing is cut, have the
/// same.
static bool isRepeated(ArrayRef<int64_t> grid, ArrayRef<int> map) {
  return llvm::any_of(llvm::zip_equal(grid, map), [](const auto &axis) {
    return std::get<0>(axis) > 1 && std::get<1>(axis) < 0;
  });
}

/// \param getAxes  that cut a dimension.
static SmallVector<TileEdge>
findEdges(block::GraphOp graph, Value tile, Value tensor,
          llvm::function_ref<SmallVector<Axis, 2>(unsigned)> getAxes) {
  TileGraph header = getHeader(graph);
  SmallVector<TileEdge> edges;
  for (auto [dim, sizes] : llvm::enumerate(
           llvm::zip_equal(cast<ShapedType>(tile.getType()).getShape(),
                           cast<ShapedType>(tensor.getType()).getShape()))) {
    auto [tileSize, tensorSize] = sizes;
    SmallVector<Axis, 2> axes = getAxes(dim);
    edges.push_back({axes, header.getExtent(axes), tileSize, tensorSize});
  }
  return edges;
}

SmallVector<TileEdge> mlir::mirage::findInputEdges(block::GraphOp graph,
                                                   unsigned input) {
  TileGraph header = getHeader(graph);
  return findEdges(
      graph, graph.getBody().getArgument(input), graph.getInputs()[input],
      [&](unsigned dim) { return header.getCuttingAxes(input, dim); });
}

SmallVector<TileEdge> mlir::mirage::findOutputEdges(block::GraphOp graph,
                                                    unsigned output) {
  TileGraph header = getHeader(graph);
  return findEdges(
      graph, graph.getBody().front().getTerminator()->getOperand(output),
      graph->getResult(output),
      [&](unsigned dim) { return header.getJoinedAxes(output, dim); });
}

SmallVector<TileEdge> mlir::mirage::findTileEdges(Value value) {
  auto graph = cast<block::GraphOp>(value.getParentBlock()->getParentOp());
  if (auto argument = dyn_cast<BlockArgument>(value))
    return findInputEdges(graph, argument.getArgNumber());
  return findOutputEdges(graph, value.use_begin()->getOperandNumber());
}

/// Elements that one access may take of the rows of tiles.
static int64_t getRun(const TileEdge &row, Type elementType) {
  return std::gcd(row.getDivisor(),
                  kMostAccessBytes * 8 /
                      int64_t(elementType.getIntOrFloatBitWidth()));
}

/// Whether what a lane has side by side is one access, so that neighbours share
/// no sector, and as wide as rows allow, or half of what there is; or a word
/// that is all it has, so that with wider ones lanes would have nothing.
static bool hasWideRuns(Type fragment, ArrayRef<TileEdge> edges,
                        Type elementType) {
  std::optional<LinearLayout> layout = thread::getFragmentLayout(fragment);
  if (!layout || layout->getRank() != edges.size() || edges.empty())
    return false;
  constexpr int64_t kWordBytes = 4;
  int64_t run = int64_t(1) << layout->getContiguousBits(layout->getRank() - 1);
  int64_t bytes = run * elementType.getIntOrFloatBitWidth() / 8;
  int64_t most = getRun(edges.back(), elementType);
  return run == most ||
         (run < most &&
          (bytes >= kMostAccessBytes / 2 ||
           (bytes >= kWordBytes && run == layout->getNumRegisters())));
}

/// Elements that a lane takes at a time.
static unsigned getAccess(const LinearLayout &layout, ArrayRef<TileEdge> edges,
                          const TensorView &view, int64_t elementBytes) {
  SmallVector<bool> overhangs;
  SmallVector<int64_t> shape, divisors;
  for (auto [edge, fragment] : llvm::zip_equal(edges, layout.getShape())) {
    shape.push_back(edge.getElements());
    divisors.push_back(edge.getDivisor());
    overhangs.push_back(edge.isUneven() || shape.back() % fragment != 0);
  }
  FragmentedTile accessed;
  accessed.shape = shape;
  accessed.divisors = divisors;
  accessed.strides = view.strides;
  accessed.offsetDivisor = view.offset;
  accessed.overhangs = overhangs;
  accessed.elementBytes = elementBytes;
  return chooseFragmentRun(layout, accessed).getWidth();
}

/// Whether lanes take whole sectors at a time: those of a reduction may have
/// elements far apart, and what else is in a sector is for another access, or
/// for other warps, which draw it once more.
static bool readsWholeSectors(Type fragment, ArrayRef<TileEdge> edges,
                              const TensorView &view, Type elementType) {
  LinearLayout layout = *thread::getFragmentLayout(fragment);
  int64_t elementBytes = elementType.getIntOrFloatBitWidth() / 8;
  unsigned bytes = getAccess(layout, edges, view, elementBytes) * elementBytes;
  SmallVector<uint64_t, 32> addresses;
  DenseSet<uint64_t> taken;
  uint32_t mask = 0;
  for (unsigned lane = 0; lane < 1u << kLaneBits; ++lane) {
    bool isInside = true;
    int64_t place = 0;
    for (auto [coordinate, edge, stride] : llvm::zip_equal(
             layout.apply(/*registerNumber=*/0, lane), edges, view.strides)) {
      isInside &= coordinate < edge.getElements();
      place += coordinate * stride;
    }
    addresses.push_back(place * elementBytes);
    mask |= uint32_t(isInside) << lane;
    if (isInside)
      taken.insert(addresses.back());
  }
  return countSectors(bytes, addresses, mask) ==
         llvm::divideCeil(taken.size() * bytes, kSectorBytes);
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Whether the tiles of an input are parts of its tensor as it lies, of which
/// each block has some.
static bool liesInTensor(block::GraphOp graph, BlockArgument tile) {
  Value operand = graph.getInputs()[tile.getArgNumber()];
  return findView(operand) &&
         getElementTypeOrSelf(operand) == getElementTypeOrSelf(tile) &&
         llvm::none_of(findTileEdges(tile), [](const TileEdge &edge) {
           return edge.hasEmptyTiles();
         });
}

bool mlir::mirage::liesInRows(block::GraphOp graph, unsigned input) {
  BlockArgument tile = graph.getBody().getArgument(input);
  if (!liesInTensor(graph, tile))
    return false;
  Value operand = graph.getInputs()[input];
  auto tensor = cast<ShapedType>(operand.getType());
  std::optional<TensorView> view = findView(operand);
  if (view->strides.back() != 1)
    return false;
  // Rows begin where accesses may.
  int64_t run = getRun(findTileEdges(tile).back(), tensor.getElementType());
  ArrayRef<int64_t> distances(view->strides);
  return view->offset % run == 0 &&
         llvm::all_of(llvm::zip_equal(distances.drop_back(),
                                      tensor.getShape().drop_back()),
                      [&](const auto &dim) {
                        return std::get<1>(dim) == 1 ||
                               std::get<0>(dim) % run == 0;
                      });
}

static llvm::Error verifyInput(block::GraphOp graph, BlockArgument tile) {
  if (!liesInTensor(graph, tile))
    return makeError(
        "tiles that begin inside its tensor, with elements of its type");
  for (OpOperand &use : tile.getUses()) {
    auto reader = dyn_cast<thread::GraphOp>(use.getOwner());
    if (!reader)
      return makeError("steps of warps as readers, got '" +
                       use.getOwner()->getName().getStringRef() + "'");
    BlockArgument window = reader.getBody().getArgument(use.getOperandNumber());
    for (Operation *load : window.getUsers())
      if (!isa<thread::LoadOp>(load))
        return makeError("loads as readers, got '" +
                         load->getName().getStringRef() + "'");
  }
  return llvm::Error::success();
}

/// Whether each element is loaded once, and no sector in parts.
static bool isWorthLoading(block::GraphOp graph, BlockArgument tile) {
  if (!tile.hasOneUse() || !liesInRows(graph, tile.getArgNumber()))
    return false;
  OpOperand &use = *tile.use_begin();
  auto reader = cast<thread::GraphOp>(use.getOwner());
  unsigned input = use.getOperandNumber();
  TileGraph header = getHeader(reader);
  // Each step would wait for device memory.
  if (header.loop > 1 ||
      isRepeated(header.grid, header.tileInputs[input].gridMap))
    return false;
  Type element = getElementTypeOrSelf(tile);
  SmallVector<TileEdge> edges = findTileEdges(tile);
  TensorView view = *findView(graph.getInputs()[tile.getArgNumber()]);
  return llvm::all_of(
      reader.getBody().getArgument(input).getUsers(), [&](Operation *load) {
        Type fragment = load->getResult(0).getType();
        return hasWideRuns(fragment, edges, element) &&
               readsWholeSectors(fragment, edges, view, element);
      });
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

static llvm::Error verifyResult(block::GraphOp graph, thread::GraphOp step) {
  if (step->getNumResults() != 1 || step->hasAttr(kHeldAttr))
    return makeError("one result, which is not held");
  Value result = step.getResult(0);
  Operation *yield = graph.getBody().front().getTerminator();
  if (!result.hasOneUse() || *result.user_begin() != yield)
    return makeError("one reader, the block's output");
  unsigned output = result.use_begin()->getOperandNumber();
  TileGraph header = getHeader(graph);
  if (isRepeated(header.grid, header.tileOutputs[output].gridMap))
    return makeError("blocks that write elements of their own");
  if (llvm::any_of(findTileEdges(result),
                   [](const TileEdge &edge) { return edge.hasEmptyTiles(); }))
    return makeError("tiles that begin inside the output");
  if (!getStore(step))
    return makeError("a result that a store has written");
  return llvm::Error::success();
}

static bool isWorthStoring(block::GraphOp graph, thread::GraphOp step) {
  Value result = step.getResult(0);
  unsigned output = result.use_begin()->getOperandNumber();
  auto tensor = cast<ShapedType>(graph->getResult(output).getType());
  return hasWideRuns(getStore(step).getOperand().getType(),
                     findTileEdges(result), tensor.getElementType());
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

llvm::Error mlir::mirage::verifyBypassing(Value value) {
  auto graph = dyn_cast<block::GraphOp>(value.getParentBlock()->getParentOp());
  if (!graph || graph.getLoop() > 1)
    return makeError("a block graph without a loop");
  if (auto argument = dyn_cast<BlockArgument>(value))
    return verifyInput(graph, argument);
  return verifyResult(graph, value.getDefiningOp<thread::GraphOp>());
}

bool mlir::mirage::isWorthBypassing(Value value) {
  if (llvm::errorToBool(verifyBypassing(value)))
    return false;
  auto graph = cast<block::GraphOp>(value.getParentBlock()->getParentOp());
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isWorthLoading(graph, argument);
  return isWorthStoring(graph, value.getDefiningOp<thread::GraphOp>());
}
