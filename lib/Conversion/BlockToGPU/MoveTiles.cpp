//===- MoveTiles.cpp - Between device and shared memory -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MoveTiles.h"
#include "Mirage/Conversion/SwizzledTiles.h"
#include "Mirage/Graph/DeviceTraffic.h"
#include "Mirage/Layout/AccessPatterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::mirage;

namespace {
/// A tile as a window of a tensor in device memory.
struct Window {
  Value tensor;
  Value tile; ///< in shared memory; if it is swizzled, as `emitFlatTile` has it
  std::optional<BoxedTile> swizzled; ///< how it lies then
  SmallVector<Value> origin;         ///< by dimension
  SmallVector<int64_t> tileShape;
  SmallVector<bool, 4> mayLeave; ///< whether a tile may end beyond it
  CopyPattern pattern;
  Value view; ///< the tensor, its dimensions in that order
  /// Of one run: how many elements behind the start of a sector it begins, of
  /// type index; null where each tile begins with one.
  Value intoSector;

  MemRefType getType() const { return cast<MemRefType>(tensor.getType()); }
  unsigned getRank() const { return tileShape.size(); }
  /// Elements of the tensor that a sector has.
  int64_t getSectorElements() const {
    return kSectorBytes * 8 / getType().getElementTypeBitWidth();
  }
};
} // namespace

static Value permute(BlockEmitter &emitter, Value tensor,
                     ArrayRef<unsigned> order) {
  if (llvm::is_sorted(order))
    return tensor;
  AffineMap map = AffineMap::getPermutationMap(order, tensor.getContext());
  return memref::TransposeOp::create(emitter.builder, tensor,
                                     AffineMapAttr::get(map));
}

static CopiedTile describeCopy(const Window &window) {
  auto tileType = cast<MemRefType>(window.tile.getType());
  ArrayRef<int64_t> shape = tileType.getShape();
  auto [strides, offset] = window.getType().getStridesAndOffset();
  CopiedTile copied;
  llvm::append_range(copied.shape, shape);
  copied.pitch = shape.size() < 2
                     ? shape.back()
                     : tileType.getStridesAndOffset().first[shape.size() - 2];
  llvm::append_range(copied.tensorShape, window.getType().getShape());
  llvm::append_range(copied.tensorStrides, strides);
  copied.tensorOffset = offset;
  copied.elementBytes = tileType.getElementTypeBitWidth() / 8;
  copied.tensorElementBytes = window.getType().getElementTypeBitWidth() / 8;
  return copied;
}

/// All elements of a memref, which lie side by side, along one dimension.
static Value flatten(BlockEmitter &emitter, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t offset = type.getStridesAndOffset().second;
  auto layout = StridedLayoutAttr::get(type.getContext(), offset, {1});
  auto flat = MemRefType::get({type.getNumElements()}, type.getElementType(),
                              layout, type.getMemorySpace());
  return memref::ReinterpretCastOp::create(
      emitter.builder, flat, memref, offset,
      ArrayRef<int64_t>{type.getNumElements()}, ArrayRef<int64_t>{1});
}

/// Makes of a window that is one run, of so many one behind the other, a window
/// of one dimension.
static void joinRows(BlockEmitter &emitter, Window &window, int64_t numTiles) {
  int64_t rowElements =
      ShapedType::getNumElements(ArrayRef(window.tileShape).drop_front());
  window.origin = {arith::MulIOp::create(emitter.builder, window.origin.front(),
                                         emitter.getIndex(rowElements))};
  window.tileShape = {ShapedType::getNumElements(window.tileShape)};
  window.mayLeave.truncate(1);
  window.tensor = flatten(emitter, window.tensor);
  window.tile = flatten(emitter, window.tile);
  int64_t sector = window.getSectorElements();
  int64_t offset = window.getType().getStridesAndOffset().second;
  if ((numTiles == 1 || window.tileShape.front() % sector == 0) &&
      offset % sector == 0)
    return;
  Value begin = arith::AddIOp::create(emitter.builder, window.origin.front(),
                                      emitter.getIndex(offset));
  window.intoSector =
      arith::RemUIOp::create(emitter.builder, begin, emitter.getIndex(sector));
}

static Window makeWindow(BlockEmitter &emitter, Value tensor, Value tile,
                         ArrayRef<SmallVector<Axis, 2>> cuttingAxes) {
  Window window;
  window.tensor = tensor;
  window.tile = tile;
  ArrayRef<int64_t> shape = cast<MemRefType>(tile.getType()).getShape();
  window.tileShape.assign(shape.begin(), shape.end());
  window.origin = emitter.getOrigin(cuttingAxes, shape);
  for (auto [dim, axes] : llvm::enumerate(cuttingAxes))
    window.mayLeave.push_back(emitter.header.getExtent(axes) * shape[dim] >
                              window.getType().getDimSize(dim));
  // Where blocks are cut along whole rows, all but one have nothing.
  bool areRowsWhole =
      !llvm::is_contained(ArrayRef(window.mayLeave).drop_front(), true);
  CopiedTile copied = describeCopy(window);
  if (areRowsWhole && isOneRun(copied)) {
    copied = mirage::joinRows(copied);
    joinRows(emitter, window, emitter.header.getExtent(cuttingAxes.front()));
  }
  window.pattern = chooseCopyPattern(copied);
  window.view = permute(emitter, window.tensor, window.pattern.order);
  return window;
}

/// Runs `body` where a condition holds; everywhere if it is null.
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

/// Threads take elements as if the run began with its first sector: so each
/// access of a warp is whole sectors. The first of them have none.
static void forEachOfRun(BlockEmitter &emitter, const Window &window,
                         llvm::function_ref<void(ValueRange)> body) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  int64_t width = window.pattern.width, numElements = window.tileShape.front();
  int64_t numChunks = (numElements + window.getSectorElements()) / width - 1;
  emitter.forEachElement({numChunks}, /*width=*/1, [&](ValueRange chunk) {
    Value place =
        arith::MulIOp::create(builder, chunk.front(), emitter.getIndex(width));
    Value element = arith::SubIOp::create(builder, place, window.intoSector);
    Value isInRun =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, element,
                              emitter.getIndex(numElements));
    emitIf(emitter, isInRun, [&] { body(element); });
  });
}

/// Shares the elements of a tile out over the threads, neighbours in the tensor
/// to neighbouring threads, and calls `body` with coordinates in the tile.
static void forEachNeighbours(BlockEmitter &emitter, const Window &window,
                              llvm::function_ref<void(ValueRange)> body) {
  if (window.intoSector)
    return forEachOfRun(emitter, window, body);
  ArrayRef<CopyPattern::Walk> walks = window.pattern.walks;
  SmallVector<int64_t> shape;
  for (const CopyPattern::Walk &walk : walks)
    shape.push_back(walk.size);
  ImplicitLocOpBuilder &builder = emitter.builder;
  emitter.forEachElement(shape, /*width=*/1, [&](ValueRange steps) {
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
  for (unsigned dim : window.pattern.order)
    ordered.push_back(position[dim]);
  return ordered;
}

/// Coordinates in the tile as indices into it.
static SmallVector<Value> toTile(BlockEmitter &emitter, const Window &window,
                                 ArrayRef<Value> coordinates) {
  if (!window.swizzled)
    return SmallVector<Value>(coordinates);
  return {emitSwizzledNumber(emitter.builder, emitter.builder.getLoc(),
                             *window.swizzled, window.tileShape, coordinates)};
}

/// Coordinates of the neighbour number `number` of an element.
static SmallVector<Value> getNeighbour(BlockEmitter &emitter,
                                       const Window &window,
                                       ValueRange coordinates, int64_t number) {
  SmallVector<Value> moved(coordinates);
  Value &along = moved[window.pattern.getInnermost()];
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
                        Value values, ArrayRef<Value> coordinates) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  if (window.pattern.keepsOrder) {
    vector::StoreOp::create(builder, values, window.tile,
                            toTile(emitter, window, coordinates),
                            /*nontemporal=*/false,
                            getAlignment(cast<VectorType>(values.getType())));
    return;
  }
  for (int64_t number = 0; number < window.pattern.width; ++number)
    memref::StoreOp::create(
        builder, vector::ExtractOp::create(builder, values, number),
        window.tile,
        toTile(emitter, window,
               getNeighbour(emitter, window, coordinates, number)));
}

/// Neighbours in the tensor, from the tile.
static Value loadFromTile(BlockEmitter &emitter, const Window &window,
                          ValueRange coordinates) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto type =
      VectorType::get({window.pattern.width},
                      cast<MemRefType>(window.tile.getType()).getElementType());
  if (window.pattern.keepsOrder)
    return vector::LoadOp::create(builder, type, window.tile, coordinates,
                                  /*nontemporal=*/false, getAlignment(type));
  SmallVector<Value> elements;
  for (int64_t number = 0; number < window.pattern.width; ++number)
    elements.push_back(memref::LoadOp::create(
        builder, window.tile,
        getNeighbour(emitter, window, coordinates, number)));
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
                              Value tensor, Value tile, TileForm form) {
  auto type = cast<MemRefType>(tile.getType());
  Window window =
      makeWindow(emitter, tensor, tile,
                 getCuttingAxes(emitter.header, input, type.getRank()));
  window.swizzled = form.findSwizzled(type);
  if (!window.swizzled)
    return window;
  window.tile = emitFlatTile(emitter.builder, emitter.builder.getLoc(),
                             *window.swizzled, tile);
  return window;
}

static void loadTile(BlockEmitter &emitter, const Window &window) {
  auto vectorType =
      VectorType::get({window.pattern.width},
                      cast<MemRefType>(window.tile.getType()).getElementType());
  forEachNeighbours(emitter, window, [&](ValueRange coordinates) {
    SmallVector<Value> position = addOrigin(emitter, window, coordinates);
    Value values = loadInside(emitter, window, position, vectorType);
    storeInTile(emitter, window, values, llvm::to_vector(coordinates));
  });
}

void mlir::mirage::emitLoad(BlockEmitter &emitter, unsigned input, Value tensor,
                            Value tile, TileForm form) {
  loadTile(emitter, makeInputWindow(emitter, input, tensor, tile, form));
}

//===----------------------------------------------------------------------===//
// Copies that go on while a block computes
//===----------------------------------------------------------------------===//

static int64_t getAccessBytes(const Window &window) {
  return window.pattern.width * window.getType().getElementTypeBitWidth() / 8;
}

/// What cp.async can take (PTX ISA, "cp.async"); it converts nothing.
static bool canCopyAsync(const Window &window) {
  constexpr int64_t kSizes[] = {4, 8, 16};
  return window.pattern.keepsOrder &&
         cast<MemRefType>(window.view.getType()).isLastDimUnitStride() &&
         window.getType().getElementType() ==
             cast<MemRefType>(window.tile.getType()).getElementType() &&
         llvm::is_contained(kSizes, getAccessBytes(window));
}

/// Of an access beyond the tensor nothing is read: the copy fills with zeros.
static void copyNeighbours(BlockEmitter &emitter, const Window &window,
                           ValueRange coordinates) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  SmallVector<Value> position = addOrigin(emitter, window, coordinates);
  Value count;
  if (Value inside = isInside(emitter, window, position))
    count = arith::SelectOp::create(builder, inside,
                                    emitter.getIndex(window.pattern.width),
                                    emitter.getIndex(0));
  // Those of 16 bytes pass by L1, which a tile that is read once would fill.
  UnitAttr bypassL1 =
      getAccessBytes(window) == 16 ? builder.getUnitAttr() : UnitAttr();
  nvgpu::DeviceAsyncCopyOp::create(
      builder, nvgpu::DeviceAsyncTokenType::get(builder.getContext()),
      window.tile, toTile(emitter, window, llvm::to_vector(coordinates)),
      window.view, toView(window, position),
      builder.getIndexAttr(window.pattern.width), count, bypassL1);
}

void mlir::mirage::emitLoadAhead(BlockEmitter &emitter, unsigned input,
                                 Value tensor, Value tile, TileForm form) {
  Window window = makeInputWindow(emitter, input, tensor, tile, form);
  if (!canCopyAsync(window))
    return loadTile(emitter, window);
  forEachNeighbours(emitter, window, [&](ValueRange coordinates) {
    copyNeighbours(emitter, window, coordinates);
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
        Value values = loadFromTile(emitter, window, coordinates);
        storeInTensor(emitter, window, values, position);
      });
    });
  });
}
