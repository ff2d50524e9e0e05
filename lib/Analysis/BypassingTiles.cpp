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
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::mirage;

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

/// Whether lanes would have less than a word at a time of rows that have more
/// for them.
static bool takesLessThanWords(const LinearLayout &layout, const TileEdge &row,
                               int64_t elementBytes) {
  constexpr int64_t kWordBytes = 4;
  int64_t word = std::max<int64_t>(kWordBytes / elementBytes, 1);
  int64_t run = int64_t(1) << layout.getContiguousBits(layout.getRank() - 1);
  return run < word && row.getDivisor() % word == 0;
}

static unsigned getBytes(Type elementType) {
  return elementType.getIntOrFloatBitWidth() / 8;
}

namespace {
/// A tile whose accesses are looked at.
struct MovedTile {
  block::GraphOp graph;
  SmallVector<TileEdge> edges;
  TensorView view;
  Type tensorElement, element;

  MovedTile(block::GraphOp graph, Value tile, Value tensor)
      : graph(graph), edges(findTileEdges(tile)), view(*findView(tensor)),
        tensorElement(getElementTypeOrSelf(tensor)),
        element(getElementTypeOrSelf(tile)) {}

  /// Where tiles begin, from the start of a sector, in elements: of the first
  /// ones along all dimensions, until places come again.
  SmallVector<int64_t> listPlacesInSector() const {
    int64_t sector = kSectorBytes / getBytes(tensorElement);
    int64_t distance = 0, numTiles = 1;
    for (auto [edge, stride] : llvm::zip_equal(edges, view.strides))
      if (edge.numTiles > 1) {
        distance += edge.tile * stride;
        numTiles = std::max(numTiles, edge.numTiles);
      }
    SmallVector<int64_t> places;
    int64_t period = sector / std::gcd(distance, sector);
    for (int64_t number : llvm::seq(std::min(numTiles, period)))
      places.push_back((view.offset + number * distance) % sector);
    return places;
  }
};
} // namespace

/// Sectors of the tiles of a block, of all inputs in all iterations and of all
/// outputs, where they lie side by side.
static double countSectorsOfTiles(block::GraphOp graph) {
  double bytes = 0;
  auto add = [&](Value tile, Value tensor, int64_t times) {
    bytes += double(cast<ShapedType>(tile.getType()).getNumElements()) *
             getBytes(getElementTypeOrSelf(tensor)) * times;
  };
  for (auto [tile, tensor, loopMap] : llvm::zip_equal(
           graph.getBody().getArguments(), graph.getInputs(), graph.getFmaps()))
    add(tile, tensor, loopMap == kReplicated ? 1 : graph.getLoop());
  for (auto [tile, tensor] :
       llvm::zip_equal(graph.getBody().front().getTerminator()->getOperands(),
                       graph->getResults()))
    add(tile, tensor, 1);
  return bytes / kSectorBytes;
}

/// Sectors that a tile may draw in vain, so that no barrier has to be waited
/// for: a tenth of those that it lies in; or, of one that is a small part of
/// what the block draws, as what rows are reduced to, a fourteenth of that.
static double countSpareSectors(block::GraphOp graph, int64_t sectors) {
  double ofSmallTile = countSectorsOfTiles(graph) / 14;
  return sectors < ofSmallTile ? ofSmallTile : 0.1 * double(sectors);
}

/// Of threads that copy a tile between device and shared memory.
static int64_t countCopiedSectors(const MovedTile &tile, int64_t intoSector) {
  CopiedTile copied;
  for (const TileEdge &edge : tile.edges) {
    copied.shape.push_back(edge.getElements());
    copied.tensorShape.push_back(edge.size);
  }
  copied.pitch = copied.shape.back();
  llvm::append_range(copied.tensorStrides, tile.view.strides);
  copied.tensorOffset = tile.view.offset;
  copied.elementBytes = getBytes(tile.element);
  copied.tensorElementBytes = getBytes(tile.tensorElement);
  copied.intoSector = intoSector;
  return mirage::countCopiedSectors(copied);
}

/// Whether lanes find words and sectors of a tensor whole that load or store
/// its tiles: those of a reduction may have elements far apart, and what else
/// is in a sector is for another access, which draws it once more. The tile
/// goes through shared memory then, where threads copy rows; so it does where
/// they copy all of it as one run, if that saves sectors that are worth a
/// barrier.
static bool areAccessesWhole(Type fragment, const MovedTile &tile) {
  ArrayRef<TileEdge> edges = tile.edges;
  std::optional<LinearLayout> layout = thread::getFragmentLayout(fragment);
  if (!layout || layout->getRank() != edges.size() || edges.empty())
    return false;
  SmallVector<bool> overhangs;
  SmallVector<int64_t> shape, divisors;
  for (auto [edge, window] : llvm::zip_equal(edges, layout->getShape())) {
    shape.push_back(edge.getElements());
    divisors.push_back(edge.getDivisor());
    overhangs.push_back(edge.isUneven() || shape.back() % window != 0);
  }
  FragmentedTile accessed;
  accessed.shape = shape;
  accessed.divisors = divisors;
  accessed.strides = tile.view.strides;
  accessed.offsetDivisor = tile.view.offset;
  accessed.overhangs = overhangs;
  accessed.elementBytes = getBytes(tile.tensorElement);
  if (takesLessThanWords(*layout, edges.back(), accessed.elementBytes))
    return false;
  if (!countWindowTraffic(*layout, accessed).drawsWholeSectors())
    return false;
  double inVain = 0, spare = 0;
  for (int64_t place : tile.listPlacesInSector()) {
    accessed.intoSector = place;
    WindowTraffic traffic = countWindowTraffic(*layout, accessed);
    inVain += double(traffic.drawnSectors - countCopiedSectors(tile, place));
    spare += countSpareSectors(tile.graph, traffic.sectors);
  }
  return inVain < spare;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Whether the tiles of an input are parts of its tensor as it lies, of which
/// each block has some.
static bool liesInTensor(BlockArgument tile) {
  auto graph = cast<block::GraphOp>(tile.getOwner()->getParentOp());
  Value operand = graph.getInputs()[tile.getArgNumber()];
  return findView(operand) &&
         getElementTypeOrSelf(operand) == getElementTypeOrSelf(tile) &&
         llvm::none_of(findTileEdges(tile), [](const TileEdge &edge) {
           return edge.hasEmptyTiles();
         });
}

/// Fails unless a tile can be loaded from where its tensor lies, by loads of
/// these kinds.
template <typename... LoadOps>
static llvm::Error verifyInput(block::GraphOp graph, BlockArgument tile) {
  if (graph.getLoop() > 1)
    return makeError("a block graph without a loop, which has rings");
  if (!liesInTensor(tile))
    return makeError(
        "tiles that begin inside its tensor, with elements of its type");
  for (OpOperand &use : tile.getUses()) {
    auto reader = dyn_cast<thread::GraphOp>(use.getOwner());
    if (!reader)
      return makeError("steps of warps as readers, got '" +
                       use.getOwner()->getName().getStringRef() + "'");
    BlockArgument window = reader.getBody().getArgument(use.getOperandNumber());
    for (Operation *load : window.getUsers())
      if (!isa<LoadOps...>(load))
        return makeError("loads as readers, got '" +
                         load->getName().getStringRef() + "'");
  }
  return llvm::Error::success();
}

/// Whether each element is loaded once, and no sector in parts.
static bool isWorthLoading(block::GraphOp graph, BlockArgument tile) {
  if (!tile.hasOneUse())
    return false;
  OpOperand &use = *tile.use_begin();
  auto reader = cast<thread::GraphOp>(use.getOwner());
  unsigned input = use.getOperandNumber();
  TileGraph header = getHeader(reader);
  // Each step would wait for device memory.
  if (header.loop > 1 ||
      isRepeated(header.grid, header.tileInputs[input].gridMap))
    return false;
  MovedTile moved(graph, tile, graph.getInputs()[tile.getArgNumber()]);
  return llvm::all_of(
      reader.getBody().getArgument(input).getUsers(), [&](Operation *load) {
        return areAccessesWhole(load->getResult(0).getType(), moved);
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
  Value tensor = graph->getResult(output);
  return findView(tensor) &&
         areAccessesWhole(getStore(step).getOperand().getType(),
                          MovedTile(graph, result, tensor));
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

llvm::Error mlir::mirage::verifyBypassing(Value value) {
  auto graph = dyn_cast<block::GraphOp>(value.getParentBlock()->getParentOp());
  if (!graph)
    return makeError("a value of a block graph");
  if (auto argument = dyn_cast<BlockArgument>(value))
    return verifyInput<thread::LoadOp>(graph, argument);
  return verifyResult(graph, value.getDefiningOp<thread::GraphOp>());
}

/// Whether the threads of a block have registers for a tile at all: nobody
/// looks at the accesses of others, which may be many.
static bool mayBeHeld(block::GraphOp graph, Value tile) {
  constexpr int64_t kMostBytesOfThread = 255 * sizeof(uint32_t);
  return convertTensor(tile.getType()).getSizeBytes() <=
         int64_t(graph.getThreads()) * kMostBytesOfThread;
}

bool mlir::mirage::isWorthBypassing(Value value) {
  auto graph = dyn_cast<block::GraphOp>(value.getParentBlock()->getParentOp());
  if (!graph || !mayBeHeld(graph, value))
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return !llvm::errorToBool(verifyInput<thread::LoadOp, thread::LdmatrixOp>(
               graph, argument)) &&
           isWorthLoading(graph, argument);
  return !llvm::errorToBool(verifyBypassing(value)) &&
         isWorthStoring(graph, value.getDefiningOp<thread::GraphOp>());
}

/// \param isOne  asked of inputs, and of results of steps that have one.
static BypassingValues collect(block::GraphOp graph,
                               llvm::function_ref<bool(Value)> isOne) {
  BypassingValues values;
  for (BlockArgument input : graph.getBody().getArguments())
    if (isOne(input))
      values.insert(input);
  for (auto step : graph.getBody().getOps<thread::GraphOp>())
    if (step->getNumResults() == 1 && isOne(step.getResult(0)))
      values.insert(step.getResult(0));
  return values;
}

BypassingValues mlir::mirage::readBypassingValues(block::GraphOp graph) {
  return collect(graph, bypassesSharedMemory);
}

BypassingValues mlir::mirage::findBypassingValues(block::GraphOp graph) {
  return collect(graph, isWorthBypassing);
}
