//===- DefaultTileGraph.cpp - A block graph for any operator --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/DefaultTileGraph.h"
#include "Mirage/Graph/ExchangeSteps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <numeric>

using namespace mlir::mirage;

namespace {
/// The loops of one operation, as linalg would state them: result dimensions
/// first, then reduced ones, and which of them walks each dimension of each
/// operand (kReplicated where the operand has size 1 and the loop has not).
struct IterationSpace {
  Shape extents;
  unsigned numParallel = 0;
  llvm::SmallVector<llvm::SmallVector<int, 4>, 2> operandDims;
};

/// Which iteration dimensions are cut, and into tiles of which size.
struct Tiling {
  Shape tile;
  llvm::SmallVector<int, 3> gridDims; ///< iteration dimension by grid axis
  int loopDim = kReplicated;          ///< iteration dimension of the loop
};
} // namespace

/// Maps operand dimensions to result dimensions by NumPy's rule.
static llvm::SmallVector<int, 4> alignDims(const TensorSpec &operand,
                                           llvm::ArrayRef<int64_t> result) {
  llvm::SmallVector<int, 4> dims;
  assert(operand.getRank() <= int64_t(result.size()) &&
         "operands have no more dimensions than the result");
  unsigned offset = result.size() - operand.getRank();
  for (unsigned dim = 0; dim < operand.getRank(); ++dim)
    dims.push_back(operand.shape[dim] == 1 && result[dim + offset] != 1
                       ? kReplicated
                       : static_cast<int>(dim + offset));
  return dims;
}

static IterationSpace getMatmulSpace(llvm::ArrayRef<TensorSpec> operands,
                                     const TensorSpec &result) {
  IterationSpace space{result.shape, result.getRank(), {}};
  int contracted = result.getRank(), columns = contracted - 1;
  space.extents.push_back(operands[0].shape.back());
  for (auto [position, operand] : llvm::enumerate(operands)) {
    TensorSpec batch = operand;
    batch.shape.resize(batch.getRank() - 2);
    llvm::SmallVector<int, 4> dims =
        alignDims(batch, llvm::ArrayRef(result.shape).drop_back(2));
    dims.push_back(position == 0 ? columns - 1 : contracted);
    dims.push_back(position == 0 ? contracted : columns);
    space.operandDims.push_back(std::move(dims));
  }
  return space;
}

static IterationSpace getReductionSpace(const TensorSpec &operand,
                                        llvm::ArrayRef<int64_t> reduced,
                                        const TensorSpec &result) {
  IterationSpace space{result.shape, result.getRank(), {{}}};
  for (unsigned dim = 0; dim < operand.getRank(); ++dim) {
    bool isReduced = llvm::is_contained(reduced, dim);
    space.operandDims[0].push_back(isReduced ? space.extents.size() : dim);
    if (isReduced)
      space.extents.push_back(operand.shape[dim]);
  }
  return space;
}

static IterationSpace getSpace(const Node &operation,
                               llvm::ArrayRef<TensorSpec> operands,
                               const TensorSpec &result) {
  switch (getOperatorInfo(operation.opcode).kind) {
  case OperatorKind::Contraction:
    return getMatmulSpace(operands, result);
  case OperatorKind::Reduction:
    return getReductionSpace(operands[0], operation.attributes.dims, result);
  default:
    break;
  }
  IterationSpace space{result.shape, result.getRank(), {}};
  for (const TensorSpec &operand : operands)
    space.operandDims.push_back(alignDims(operand, result.shape));
  return space;
}

/// Halves the largest tile size that may be cut: result dimensions while the
/// grid has axes left, one reduced dimension. \returns false if none is left.
static bool cutOnce(const IterationSpace &space, Tiling &tiling) {
  int best = -1;
  for (int dim = 0, e = space.extents.size(); dim < e; ++dim) {
    bool mayCut = dim < static_cast<int>(space.numParallel)
                      ? llvm::is_contained(tiling.gridDims, dim) ||
                            tiling.gridDims.size() < 3
                      : tiling.loopDim == kReplicated || tiling.loopDim == dim;
    if (mayCut && tiling.tile[dim] > 1 &&
        (best < 0 || tiling.tile[dim] > tiling.tile[best]))
      best = dim;
  }
  if (best < 0)
    return false;
  // Powers of two, so that tiles are aligned whatever the extent is.
  tiling.tile[best] = llvm::PowerOf2Ceil(tiling.tile[best]) / 2;
  if (best >= static_cast<int>(space.numParallel))
    tiling.loopDim = best;
  else if (!llvm::is_contained(tiling.gridDims, best))
    tiling.gridDims.push_back(best);
  return true;
}

/// A tile in a type that stores infinities. Tiles that are moved keep theirs.
static ValueId addInfinities(TileGraph &graph, ValueId tile) {
  TensorSpec type = graph.getType(tile);
  if (getSizeBytes(type.element) > 1)
    return tile;
  type.element = ElementType::F32;
  return graph.add(Opcode::Cast, {tile}, type, {});
}

/// Builds the tile graph for a tiling of an operation.
static TileGraph buildTileGraph(const Graph &program, const Node &operation,
                                const IterationSpace &space,
                                const Tiling &tiling) {
  llvm::SmallVector<TensorSpec> operands = program.getTypes(operation.operands);
  const TensorSpec &result = program.getType(operation.results[0]);
  TileGraph graph;
  graph.f32Products = program.f32Products;
  auto countTiles = [&](int dim) {
    return llvm::divideCeil(space.extents[dim], tiling.tile[dim]);
  };
  for (int dim : tiling.gridDims)
    graph.grid.push_back(countTiles(dim));
  if (tiling.loopDim != kReplicated)
    graph.loop = countTiles(tiling.loopDim);

  llvm::SmallVector<ValueId, 2> tiles;
  for (auto [operand, dims] : llvm::zip_equal(operands, space.operandDims)) {
    TensorSpec tile = operand;
    TileInput map{llvm::SmallVector<int, 3>(graph.grid.size(), kReplicated)};
    for (auto [dim, iteration] : llvm::enumerate(dims)) {
      if (iteration == kReplicated)
        continue;
      tile.shape[dim] = tiling.tile[iteration];
      auto *axis = llvm::find(tiling.gridDims, iteration);
      if (axis != tiling.gridDims.end())
        map.gridMap[axis - tiling.gridDims.begin()] = dim;
      if (iteration == tiling.loopDim)
        map.loopMap = dim;
    }
    tiles.push_back(graph.addInput(tile));
    graph.tileInputs.push_back(map);
  }

  if (operation.opcode == Opcode::CausalMask)
    tiles[0] = addInfinities(graph, tiles[0]);

  bool isReduction =
      getOperatorInfo(operation.opcode).kind == OperatorKind::Reduction;
  Attributes attributes = operation.attributes;
  if (getOperatorInfo(operation.opcode).averages())
    attributes.count = getAveragedCount(attributes, operands[0].shape);
  TensorSpec tile{
      Shape(llvm::ArrayRef(tiling.tile).take_front(space.numParallel)),
      inferTileElement(operation.opcode, graph.getTypes(tiles))};
  if (operation.opcode == Opcode::Cast)
    tile.element = ElementType::F32;
  if (operation.opcode == Opcode::CausalMask) {
    unsigned columns = result.getRank() - 1;
    attributes.axes = graph.getCuttingAxes(0, columns - 1);
    attributes.columnAxes = graph.getCuttingAxes(0, columns);
  }
  bool loops = tiling.loopDim != kReplicated;
  ValueId value;
  if (isReduction && loops) {
    attributes.reduction = operation.opcode;
    value = graph.add(Opcode::Accumulate, tiles, tile, attributes);
  } else {
    value = graph.add(operation.opcode, tiles, tile, attributes);
    if (loops)
      value = graph.add(Opcode::Accumulate, {value}, tile, {});
  }
  graph.addOutput(value);
  graph.tileOutputs.push_back({llvm::SmallVector<int, 3>(
      tiling.gridDims.begin(), tiling.gridDims.end())});
  return graph;
}

/// How many elements a tile reduces. Of a product few, as both operands have to
/// be there. Of a reduction no fewer than there are iterations: sums are in
/// f32, and one that a million numbers are added to one by one keeps few
/// digits.
/// \param fewest  of any operation.
static int64_t getReducedElements(const IterationSpace &space,
                                  OperatorKind kind, int64_t fewest) {
  double length = 1;
  for (int64_t extent :
       llvm::ArrayRef(space.extents).drop_front(space.numParallel))
    length *= double(extent);
  if (kind != OperatorKind::Reduction || length <= double(fewest * fewest))
    return fewest;
  return llvm::PowerOf2Ceil(static_cast<uint64_t>(std::sqrt(length)));
}

static Tiling chooseTiling(const IterationSpace &space, int64_t maxElements,
                           int64_t reducedElements) {
  Tiling tiling;
  tiling.tile = space.extents;
  auto product = [&](unsigned from, unsigned to) {
    return std::accumulate(tiling.tile.begin() + from, tiling.tile.begin() + to,
                           int64_t(1), std::multiplies<int64_t>());
  };
  // Reduced dimensions first: their tiles need no place in the result.
  IterationSpace reducedOnly = space;
  reducedOnly.numParallel = 0;
  std::fill_n(reducedOnly.extents.begin(), space.numParallel, 1);
  Tiling reduced{reducedOnly.extents, {}, kReplicated};
  while (std::accumulate(reduced.tile.begin(), reduced.tile.end(), int64_t(1),
                         std::multiplies<int64_t>()) > reducedElements &&
         cutOnce(reducedOnly, reduced))
    ;
  for (unsigned dim = space.numParallel; dim < space.extents.size(); ++dim)
    tiling.tile[dim] = reduced.tile[dim];
  tiling.loopDim = reduced.loopDim;
  while (product(0, space.numParallel) > maxElements && cutOnce(space, tiling))
    ;
  return tiling;
}

bool mlir::mirage::hasDefaultTileGraph(Opcode opcode) {
  OperatorKind kind = getOperatorInfo(opcode).kind;
  return opcode != Opcode::Reshape && opcode != Opcode::Transpose &&
         opcode != Opcode::Slice && opcode != Opcode::Concat &&
         kind != OperatorKind::Composed && kind != OperatorKind::Accumulate &&
         kind != OperatorKind::Graph;
}

llvm::Expected<TileGraph>
mlir::mirage::buildDefaultTileGraph(const Graph &graph, const Node &operation,
                                    int64_t sharedBytes, DefaultTileSizes sizes,
                                    llvm::ArrayRef<unsigned> byColumns) {
  if (!hasDefaultTileGraph(operation.opcode))
    return llvm::createStringError(
        "expects an operation that is a kernel of its own, got " +
        getOperatorInfo(operation.opcode).name);
  llvm::SmallVector<TensorSpec> operands = graph.getTypes(operation.operands);
  const TensorSpec &result = graph.getType(operation.results[0]);
  IterationSpace space = getSpace(operation, operands, result);
  int64_t reduced = getReducedElements(
      space, getOperatorInfo(operation.opcode).kind, sizes.reduced);
  int64_t needed = 0;
  for (int64_t elements = sizes.result; elements >= 1; elements /= 2) {
    Tiling tiling = chooseTiling(space, elements, reduced);
    llvm::Expected<TileGraph> built = maskPartialTiles(
        buildTileGraph(graph, operation, space, tiling), operands);
    if (!built)
      return built.takeError();
    needed = getSharedBytesByColumns(*built, byColumns);
    if (needed <= sharedBytes)
      return built;
  }
  return llvm::createStringError(
      getOperatorInfo(operation.opcode).name +
      " has no tiling that fits: the smallest tried needs " +
      llvm::Twine(needed) + " bytes of shared memory, a block has " +
      llvm::Twine(sharedBytes));
}
