//===- MoveTiles.cpp - Between device and shared memory -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MoveTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <limits>
#include <numeric>

using namespace mlir;
using namespace mlir::mirage;

namespace {
/// A tile as a window of a tensor in device memory.
struct Window {
  Value tensor;
  SmallVector<Value> origin; ///< by dimension
  SmallVector<int64_t> tileShape;
  SmallVector<bool, 4> mayLeave; ///< whether a tile may end beyond it
  /// Dimensions as elements lie in the tensor, neighbours along the last one.
  SmallVector<unsigned, 4> order;
  int64_t width = 1; ///< neighbours that one access takes
  Value view;        ///< the tensor, its dimensions in that order
  /// Whether neighbouring threads take one row of the tile each.
  bool goesAcrossRows = false;

  MemRefType getType() const { return cast<MemRefType>(tensor.getType()); }
  unsigned getRank() const { return tileShape.size(); }
  unsigned getInnermost() const { return order.back(); }
  /// Whether neighbours in the tensor are neighbours in the tile.
  bool keepsOrder() const { return getInnermost() + 1 == getRank(); }
};
} // namespace

/// Far dimensions first. Those of one element, or that show one place again and
/// again, have no neighbours and lead.
static SmallVector<unsigned, 4> orderByStride(MemRefType type,
                                              ArrayRef<int64_t> tileShape) {
  auto [strides, offset] = type.getStridesAndOffset();
  auto getDistance = [&, strides = ArrayRef(strides)](unsigned dim) {
    return tileShape[dim] == 1 || strides[dim] == 0
               ? std::numeric_limits<int64_t>::max()
               : strides[dim];
  };
  auto order = llvm::to_vector<4>(llvm::seq<unsigned>(0, type.getRank()));
  llvm::sort(order, [&](unsigned a, unsigned b) {
    int64_t distance = getDistance(a), other = getDistance(b);
    return distance != other ? distance > other : a < b;
  });
  return order;
}

/// How many neighbours one access may take: up to 16 bytes, if rows of the
/// tensor and of the tile are multiples of that, and rows of the tensor begin
/// at multiples as well. All origins are multiples of the tile, and tensors
/// start at multiples of 16.
static int64_t getVectorWidth(const Window &window, Value tile) {
  MemRefType type = window.getType();
  auto [strides, offset] = type.getStridesAndOffset();
  unsigned innermost = window.getInnermost();
  if (strides[innermost] != 1)
    return 1;
  int64_t bytes =
      std::max(type.getElementTypeBitWidth(),
               cast<MemRefType>(tile.getType()).getElementTypeBitWidth()) /
      8;
  int64_t common =
      std::gcd(window.tileShape[innermost], type.getDimSize(innermost));
  common = std::gcd(common, offset);
  for (auto [dim, stride] : llvm::enumerate(strides))
    if (dim != innermost && type.getDimSize(dim) > 1)
      common = std::gcd(common, stride);
  return std::gcd(common, 16 / bytes);
}

/// Eight accesses of 16 bytes are one pass through shared memory if they lie in
/// different banks: those of eight rows with bytes between them do, for which
/// they are left free, and those along one row, if they do not go on in the
/// next, where bytes were left out.
static bool shouldGoAcrossRows(const Window &window, MemRefType tile) {
  constexpr int64_t kPassBytes = 128, kAccesses = 8;
  unsigned rank = window.getRank();
  if (rank < 2 || !window.keepsOrder() || window.order[rank - 2] != rank - 2)
    return false;
  int64_t elementBytes = tile.getElementTypeBitWidth() / 8;
  auto [strides, offset] = tile.getStridesAndOffset();
  return window.width * elementBytes * kAccesses == kPassBytes &&
         strides[rank - 2] > tile.getDimSize(rank - 1) &&
         tile.getDimSize(rank - 1) * elementBytes % kPassBytes != 0 &&
         tile.getDimSize(rank - 2) % kAccesses == 0;
}

static Value permute(BlockEmitter &emitter, Value tensor,
                     ArrayRef<unsigned> order) {
  if (llvm::is_sorted(order))
    return tensor;
  AffineMap map = AffineMap::getPermutationMap(order, tensor.getContext());
  return memref::TransposeOp::create(emitter.builder, tensor,
                                     AffineMapAttr::get(map));
}

static Window makeWindow(BlockEmitter &emitter, Value tensor, Value tile,
                         ArrayRef<SmallVector<Axis, 2>> cuttingAxes) {
  Window window;
  window.tensor = tensor;
  ArrayRef<int64_t> shape = cast<MemRefType>(tile.getType()).getShape();
  window.tileShape.assign(shape.begin(), shape.end());
  window.origin = emitter.getOrigin(cuttingAxes, shape);
  for (auto [dim, axes] : llvm::enumerate(cuttingAxes))
    window.mayLeave.push_back(emitter.header.getExtent(axes) * shape[dim] >
                              window.getType().getDimSize(dim));
  window.order = orderByStride(window.getType(), shape);
  window.width = getVectorWidth(window, tile);
  window.view = permute(emitter, tensor, window.order);
  window.goesAcrossRows =
      shouldGoAcrossRows(window, cast<MemRefType>(tile.getType()));
  return window;
}

namespace {
/// `size` steps along a dimension.
struct Walk {
  unsigned dim;
  int64_t size, step;
};
} // namespace

/// What neighbouring threads take one after the other of what lies across the
/// rows of a tile: one whole sector. Threads beside them take neighbours in a
/// row of the tile, which lie in other banks of shared memory. On an H200 an
/// unsearched RMSNorm and product with transposed weights (8 x 1024 x 512) took
/// 116 us with runs of 32 bytes, 124 with 64 and 145 with 128.
static constexpr int64_t kRunBytes = 32;

/// Walks that take an access of eight rows each, then the next of these rows.
static SmallVector<Walk> walkAcrossRows(const Window &window) {
  constexpr int64_t kRows = 8;
  unsigned last = window.getRank() - 1;
  SmallVector<Walk> walks;
  for (unsigned dim : ArrayRef(window.order).drop_back(2))
    walks.push_back({dim, window.tileShape[dim], 1});
  walks.append({{last - 1, window.tileShape[last - 1] / kRows, kRows},
                {last, window.tileShape[last] / window.width, window.width},
                {last - 1, kRows, 1}});
  return walks;
}

/// Dimensions in the order in which threads are shared out, the last one first.
static SmallVector<Walk> chooseWalks(const Window &window) {
  if (window.goesAcrossRows)
    return walkAcrossRows(window);
  SmallVector<Walk> walks;
  unsigned innermost = window.getInnermost(), last = window.getRank() - 1;
  int64_t size = window.tileShape[innermost];
  int64_t run =
      std::gcd(size, kRunBytes * 8 / window.getType().getElementTypeBitWidth());
  bool isCut = !window.keepsOrder() && run % window.width == 0 && run < size;
  for (unsigned dim : window.order)
    if (!isCut || (dim != innermost && dim != last))
      walks.push_back({dim, window.tileShape[dim], 1});
  if (isCut)
    walks.append({{innermost, size / run, run},
                  {last, window.tileShape[last], 1},
                  {innermost, run, 1}});
  return walks;
}

/// Shares the elements of a tile out over the threads, neighbours in the tensor
/// to neighbouring threads, and calls `body` with coordinates in the tile.
static void forEachNeighbours(BlockEmitter &emitter, const Window &window,
                              llvm::function_ref<void(ValueRange)> body) {
  SmallVector<Walk> walks = chooseWalks(window);
  SmallVector<int64_t> shape;
  for (const Walk &walk : walks)
    shape.push_back(walk.size);
  ImplicitLocOpBuilder &builder = emitter.builder;
  int64_t width = window.goesAcrossRows ? 1 : window.width;
  emitter.forEachElement(shape, width, [&](ValueRange steps) {
    SmallVector<Value> coordinates(window.getRank());
    for (auto [walk, step] : llvm::zip_equal(walks, steps)) {
      Value &sum = coordinates[walk.dim];
      Value distance = walk.step == 1
                           ? step
                           : arith::MulIOp::create(builder, step,
                                                   emitter.getIndex(walk.step))
                                 .getResult();
      sum = sum ? arith::AddIOp::create(builder, sum, distance).getResult()
                : distance;
    }
    body(coordinates);
  });
}

/// Coordinates in the tensor as those of the view.
static SmallVector<Value> toView(const Window &window, ValueRange position) {
  SmallVector<Value> ordered;
  for (unsigned dim : window.order)
    ordered.push_back(position[dim]);
  return ordered;
}

/// Coordinates of the neighbour number `number` of an element.
static SmallVector<Value> getNeighbour(BlockEmitter &emitter,
                                       const Window &window,
                                       ValueRange coordinates, int64_t number) {
  SmallVector<Value> moved(coordinates);
  Value &along = moved[window.getInnermost()];
  if (number > 0)
    along =
        arith::AddIOp::create(emitter.builder, along, emitter.getIndex(number));
  return moved;
}

static SmallVector<Value> addOrigin(BlockEmitter &emitter, const Window &window,
                                    ValueRange coordinates) {
  SmallVector<Value> sums;
  for (auto [origin, coordinate] : llvm::zip_equal(window.origin, coordinates))
    sums.push_back(arith::AddIOp::create(emitter.builder, origin, coordinate));
  return sums;
}

/// \returns an i1, or nothing where every element lies inside. The first
/// element of an access stands for all: widths divide the tensor's rows.
static Value isInside(BlockEmitter &emitter, const Window &window,
                      ValueRange position) {
  Value inside;
  for (auto [dim, mayLeave] : llvm::enumerate(window.mayLeave)) {
    if (!mayLeave)
      continue;
    Value below = arith::CmpIOp::create(
        emitter.builder, arith::CmpIPredicate::ult, position[dim],
        emitter.getIndex(window.getType().getDimSize(dim)));
    inside =
        inside
            ? arith::AndIOp::create(emitter.builder, inside, below).getResult()
            : below;
  }
  return inside;
}

static llvm::MaybeAlign getAlignment(VectorType type) {
  uint64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  return llvm::Align(std::min<uint64_t>(bytes, 16));
}

static Value loadInside(BlockEmitter &emitter, const Window &window,
                        ValueRange position, VectorType type) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto load = [&]() -> Value {
    // Neighbours of a view may lie apart, in which case it is one element.
    SmallVector<Value> ordered = toView(window, position);
    if (!cast<MemRefType>(window.view.getType()).isLastDimUnitStride())
      return vector::BroadcastOp::create(
          builder, type, memref::LoadOp::create(builder, window.view, ordered));
    return vector::LoadOp::create(builder, type, window.view, ordered,
                                  /*nontemporal=*/false, getAlignment(type));
  };
  Value inside = isInside(emitter, window, position);
  if (!inside)
    return load();
  auto guard = scf::IfOp::create(builder, TypeRange(type), inside,
                                 /*addElseBlock=*/true);
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToStart(guard.thenBlock());
  scf::YieldOp::create(builder, load());
  builder.setInsertionPointToStart(guard.elseBlock());
  Value zero = arith::ConstantOp::create(builder, builder.getZeroAttr(type));
  scf::YieldOp::create(builder, zero);
  return guard.getResult(0);
}

/// Neighbours in the tensor, into the tile.
static void storeInTile(BlockEmitter &emitter, const Window &window,
                        Value values, Value tile, ValueRange coordinates) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  if (window.keepsOrder()) {
    vector::StoreOp::create(builder, values, tile, coordinates,
                            /*nontemporal=*/false,
                            getAlignment(cast<VectorType>(values.getType())));
    return;
  }
  for (int64_t number = 0; number < window.width; ++number)
    memref::StoreOp::create(
        builder, vector::ExtractOp::create(builder, values, number), tile,
        getNeighbour(emitter, window, coordinates, number));
}

/// Neighbours in the tensor, from the tile.
static Value loadFromTile(BlockEmitter &emitter, const Window &window,
                          Value tile, ValueRange coordinates) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto type = VectorType::get(
      {window.width}, cast<MemRefType>(tile.getType()).getElementType());
  if (window.keepsOrder())
    return vector::LoadOp::create(builder, type, tile, coordinates,
                                  /*nontemporal=*/false, getAlignment(type));
  SmallVector<Value> elements;
  for (int64_t number = 0; number < window.width; ++number)
    elements.push_back(memref::LoadOp::create(
        builder, tile, getNeighbour(emitter, window, coordinates, number)));
  return vector::FromElementsOp::create(builder, type, elements);
}

using AxesByDim = SmallVector<SmallVector<Axis, 2>>;

/// \param getAxes  of a dimension.
static AxesByDim
listAxes(unsigned rank, llvm::function_ref<SmallVector<Axis, 2>(int)> getAxes) {
  return AxesByDim(llvm::map_range(llvm::seq<int>(rank), getAxes));
}

/// The axes that cut each dimension of an input.
static AxesByDim getCuttingAxes(const TileGraph &header, unsigned input,
                                unsigned rank) {
  return listAxes(rank,
                  [&](int dim) { return header.getCuttingAxes(input, dim); });
}

/// The grid axes that are concatenated along each dimension of an output.
static AxesByDim getJoinedAxes(const TileGraph &header, unsigned output,
                               unsigned rank) {
  return listAxes(rank,
                  [&](int dim) { return header.getJoinedAxes(output, dim); });
}

static Window makeInputWindow(BlockEmitter &emitter, unsigned input,
                              Value tensor, Value tile) {
  unsigned rank = cast<MemRefType>(tile.getType()).getRank();
  return makeWindow(emitter, tensor, tile,
                    getCuttingAxes(emitter.header, input, rank));
}

static void loadTile(BlockEmitter &emitter, const Window &window, Value tile) {
  auto vectorType = VectorType::get(
      {window.width}, cast<MemRefType>(tile.getType()).getElementType());
  forEachNeighbours(emitter, window, [&](ValueRange coordinates) {
    SmallVector<Value> position = addOrigin(emitter, window, coordinates);
    Value values = loadInside(emitter, window, position, vectorType);
    storeInTile(emitter, window, values, tile, coordinates);
  });
}

void mlir::mirage::emitLoad(BlockEmitter &emitter, unsigned input, Value tensor,
                            Value tile) {
  loadTile(emitter, makeInputWindow(emitter, input, tensor, tile), tile);
}

//===----------------------------------------------------------------------===//
// Copies that go on while a block computes
//===----------------------------------------------------------------------===//

static int64_t getAccessBytes(const Window &window) {
  return window.width * window.getType().getElementTypeBitWidth() / 8;
}

/// What cp.async can take (PTX ISA, "cp.async"); it converts nothing.
static bool canCopyAsync(const Window &window, Value tile) {
  constexpr int64_t kSizes[] = {4, 8, 16};
  return window.keepsOrder() &&
         cast<MemRefType>(window.view.getType()).isLastDimUnitStride() &&
         window.getType().getElementType() ==
             cast<MemRefType>(tile.getType()).getElementType() &&
         llvm::is_contained(kSizes, getAccessBytes(window));
}

/// Of an access beyond the tensor nothing is read: the copy fills with zeros.
static void copyNeighbours(BlockEmitter &emitter, const Window &window,
                           Value tile, ValueRange coordinates) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  SmallVector<Value> position = addOrigin(emitter, window, coordinates);
  Value count;
  if (Value inside = isInside(emitter, window, position))
    count = arith::SelectOp::create(
        builder, inside, emitter.getIndex(window.width), emitter.getIndex(0));
  // Those of 16 bytes pass by L1, which a tile that is read once would fill.
  UnitAttr bypassL1 =
      getAccessBytes(window) == 16 ? builder.getUnitAttr() : UnitAttr();
  nvgpu::DeviceAsyncCopyOp::create(
      builder, nvgpu::DeviceAsyncTokenType::get(builder.getContext()), tile,
      coordinates, window.view, toView(window, position),
      builder.getIndexAttr(window.width), count, bypassL1);
}

void mlir::mirage::emitLoadAhead(BlockEmitter &emitter, unsigned input,
                                 Value tensor, Value tile) {
  Window window = makeInputWindow(emitter, input, tensor, tile);
  if (!canCopyAsync(window, tile))
    return loadTile(emitter, window, tile);
  forEachNeighbours(emitter, window, [&](ValueRange coordinates) {
    copyNeighbours(emitter, window, tile, coordinates);
  });
}

// By NVVM's ops, which count groups: nvgpu's pass tokens from copies to waits.

void mlir::mirage::emitCommitCopies(BlockEmitter &emitter) {
  NVVM::CpAsyncCommitGroupOp::create(emitter.builder);
}

void mlir::mirage::emitWaitForCopies(BlockEmitter &emitter,
                                     int64_t numPendingGroups) {
  NVVM::CpAsyncWaitGroupOp::create(
      emitter.builder, emitter.builder.getI32IntegerAttr(numPendingGroups));
}

/// Runs `body` in those blocks only that write the output, and where the
/// element lies inside of the tensor.
static void emitIf(BlockEmitter &emitter, Value condition,
                   llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  auto guard =
      scf::IfOp::create(emitter.builder, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard insertion(emitter.builder);
  emitter.builder.setInsertionPointToStart(guard.thenBlock());
  body();
}

/// \returns an i1, or nothing where every block writes.
static Value isWriter(BlockEmitter &emitter, unsigned output) {
  Value condition;
  for (auto [axis, dim] :
       llvm::enumerate(emitter.header.tileOutputs[output].gridMap)) {
    assert(dim != kSummed && "sums over the grid are split off before");
    if (dim != kReplicated || emitter.header.grid[axis] == 1)
      continue;
    Value first = arith::CmpIOp::create(
        emitter.builder, arith::CmpIPredicate::eq,
        emitter.getBlockCoordinate(axis), emitter.getIndex(0));
    condition = condition
                    ? arith::AndIOp::create(emitter.builder, condition, first)
                          .getResult()
                    : first;
  }
  return condition;
}

/// Neighbours, as the tensor's elements.
static void storeInTensor(BlockEmitter &emitter, const Window &window,
                          Value values, ValueRange position) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value rounded = emitter.convert(values, window.getType().getElementType());
  SmallVector<Value> ordered = toView(window, position);
  if (!cast<MemRefType>(window.view.getType()).isLastDimUnitStride()) {
    memref::StoreOp::create(builder,
                            vector::ExtractOp::create(builder, rounded, 0),
                            window.view, ordered);
    return;
  }
  vector::StoreOp::create(builder, rounded, window.view, ordered,
                          /*nontemporal=*/false,
                          getAlignment(cast<VectorType>(rounded.getType())));
}

void mlir::mirage::emitStore(BlockEmitter &emitter, unsigned output,
                             Value tensor, Value tile) {
  auto tileType = cast<MemRefType>(tile.getType());
  emitIf(emitter, isWriter(emitter, output), [&] {
    Window window =
        makeWindow(emitter, tensor, tile,
                   getJoinedAxes(emitter.header, output, tileType.getRank()));
    forEachNeighbours(emitter, window, [&](ValueRange coordinates) {
      SmallVector<Value> position = addOrigin(emitter, window, coordinates);
      emitIf(emitter, isInside(emitter, window, position), [&] {
        Value values = loadFromTile(emitter, window, tile, coordinates);
        storeInTensor(emitter, window, values, position);
      });
    });
  });
}

//===----------------------------------------------------------------------===//
// Tiles that stay in device memory
//===----------------------------------------------------------------------===//

/// \param cuttingAxes  by dimension.
static Value emitPlace(BlockEmitter &emitter, Value tensor,
                       ArrayRef<SmallVector<Axis, 2>> cuttingAxes,
                       ArrayRef<int64_t> tileShape) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto type = cast<MemRefType>(tensor.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  Value first = emitter.getIndex(offset);
  int64_t distances = offset; // of all that tiles begin at, what divides them
  SmallVector<Value> origin = emitter.getOrigin(cuttingAxes, tileShape);
  for (auto [dim, stride] : llvm::enumerate(strides)) {
    if (emitter.header.getExtent(cuttingAxes[dim]) == 1)
      continue;
    Value distance =
        arith::MulIOp::create(builder, origin[dim], emitter.getIndex(stride));
    first = arith::AddIOp::create(builder, first, distance);
    distances = std::gcd(distances, tileShape[dim] * stride);
  }
  auto layout = StridedLayoutAttr::get(builder.getContext(),
                                       ShapedType::kDynamic, strides);
  auto placeType = MemRefType::get(tileShape, type.getElementType(), layout,
                                   type.getMemorySpace());
  auto place = memref::ReinterpretCastOp::create(
      builder, placeType, tensor, OpFoldResult(first),
      getAsIndexOpFoldResult(builder.getContext(), tileShape),
      getAsIndexOpFoldResult(builder.getContext(), strides));
  // Tensors start at multiples of 16 bytes.
  int64_t elementBytes = type.getElementTypeBitWidth() / 8;
  int64_t alignment = std::gcd(distances * elementBytes, int64_t(16));
  return memref::AssumeAlignmentOp::create(builder, place, alignment);
}

Value mlir::mirage::emitInputPlace(BlockEmitter &emitter, unsigned input,
                                   Value tensor, ArrayRef<int64_t> tileShape) {
  return emitPlace(emitter, tensor,
                   getCuttingAxes(emitter.header, input, tileShape.size()),
                   tileShape);
}

Value mlir::mirage::emitOutputPlace(BlockEmitter &emitter, unsigned output,
                                    Value tensor, ArrayRef<int64_t> tileShape) {
  return emitPlace(emitter, tensor,
                   getJoinedAxes(emitter.header, output, tileShape.size()),
                   tileShape);
}
