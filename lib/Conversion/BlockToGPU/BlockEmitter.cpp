//===- BlockEmitter.cpp - What a kernel's code is built with --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockEmitter.h"
#include "Mirage/Analysis/AheadProducts.h"
#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Conversion/BlockToGPU.h"
#include "Mirage/Graph/TileMemory.h"
#include "Mirage/Layout/LinearLayout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::mirage;

Value mlir::mirage::emitI32(ImplicitLocOpBuilder &builder, int32_t value) {
  return arith::ConstantIntOp::create(builder, builder.getI32Type(), value);
}

Value mlir::mirage::emitIsThread(ImplicitLocOpBuilder &builder,
                                 int64_t number) {
  return arith::CmpIOp::create(
      builder, arith::CmpIPredicate::eq,
      gpu::ThreadIdOp::create(builder, gpu::Dimension::x),
      arith::ConstantIndexOp::create(builder, number));
}

/// What a loop carries, down to LLVM, of which so many iterations are to follow
/// each other; with one it is to stay as it is.
static LLVM::LoopAnnotationAttr makeUnrolling(Builder builder, int count) {
  bool isKept = count == 1;
  auto unroll = LLVM::LoopUnrollAttr::get(
      builder.getContext(),
      /*disable=*/isKept ? builder.getBoolAttr(true) : BoolAttr(),
      /*count=*/isKept ? IntegerAttr() : builder.getI32IntegerAttr(count),
      /*runtimeDisable=*/{}, /*full=*/{}, /*followupUnrolled=*/{},
      /*followupRemainder=*/{}, /*followupAll=*/{});
  return LLVM::LoopAnnotationAttr::get(
      builder.getContext(), /*disableNonforced=*/{}, /*vectorize=*/{},
      /*interleave=*/{}, unroll, /*unrollAndJam=*/{}, /*licm=*/{},
      /*distribute=*/{}, /*pipeline=*/{}, /*peeled=*/{}, /*unswitch=*/{},
      /*mustProgress=*/{}, /*isVectorized=*/{}, /*startLoc=*/{}, /*endLoc=*/{},
      /*parallelAccesses=*/{});
}

void mlir::mirage::setUnrolling(scf::ForOp loop, int count) {
  loop->setAttr("loop_annotation",
                makeUnrolling(Builder(loop.getContext()), count));
}

BlockEmitter::BlockEmitter(ImplicitLocOpBuilder builder, block::GraphOp graph)
    : builder(builder),
      header(cast<TileGraphOpInterface>(graph.getOperation()).getHeader()),
      graph(graph), earlyEnd(findEarlyEnd(graph)) {
  for (Operation &op : graph.getBody().front()) {
    if (op.hasAttr(kStartsAheadAttr) || op.hasAttr(kWaitsLateAttr))
      iterationsAtOnce = 2;
    if (op.hasAttr(kStartsAheadAttr))
      leastIterations = graph.getStages();
  }
}

Value BlockEmitter::getIndex(int64_t value) {
  return arith::ConstantIndexOp::create(builder, value);
}

/// A memref descriptor over the external symbol: upstream has no operation that
/// takes the address of an LLVM global as a memref.
static Value buildSharedMemory(ImplicitLocOpBuilder &builder, int64_t bytes) {
  MLIRContext *context = builder.getContext();
  auto pointer = LLVM::LLVMPointerType::get(context, kSharedSpace);
  Type i64 = builder.getI64Type(), list = LLVM::LLVMArrayType::get(i64, 1);
  auto descriptorType = LLVM::LLVMStructType::getLiteral(
      context, {pointer, pointer, i64, list, list});
  Value address = LLVM::AddressOfOp::create(
      builder, pointer, FlatSymbolRefAttr::get(context, kSharedMemorySymbol));
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(builder, builder.getI64IntegerAttr(value));
  };
  Value descriptor = LLVM::PoisonOp::create(builder, descriptorType);
  auto insert = [&](Value value, ArrayRef<int64_t> position) {
    descriptor =
        LLVM::InsertValueOp::create(builder, descriptor, value, position);
  };
  insert(address, {0});
  insert(address, {1});
  insert(constant(0), {2});
  insert(constant(bytes), {3, 0});
  insert(constant(1), {4, 0});
  auto memref = MemRefType::get({bytes}, builder.getI8Type(), AffineMap(),
                                builder.getI64IntegerAttr(kSharedSpace));
  return UnrealizedConversionCastOp::create(builder, memref, descriptor)
      .getResult(0);
}

void BlockEmitter::emitPrologue() {
  threadId = gpu::ThreadIdOp::create(builder, gpu::Dimension::x);
  iteration = getIndex(0);
  int64_t bytes = graph->getAttrOfType<IntegerAttr>(kSharedBytesAttr).getInt();
  if (bytes > 0)
    sharedMemory = buildSharedMemory(builder, bytes);
}

/// Rows with free bytes behind them are parts of longer rows.
Value BlockEmitter::buildTile(RankedTensorType tensor, Value offsetBytes,
                              int64_t rowPadding) {
  SmallVector<int64_t> shape(tensor.getShape());
  if (rowPadding > 0)
    shape.back() += rowPadding * 8 / tensor.getElementTypeBitWidth();
  auto memref = MemRefType::get(shape, tensor.getElementType(), AffineMap(),
                                builder.getI64IntegerAttr(kSharedSpace));
  Value whole = memref::ViewOp::create(builder, memref, sharedMemory,
                                       offsetBytes, ValueRange());
  if (rowPadding == 0)
    return whole;
  // The same part by memref.subview is nothing that converts to LLVM at once.
  auto [strides, offset] = memref.getStridesAndOffset();
  auto layout = StridedLayoutAttr::get(builder.getContext(), offset, strides);
  auto part = MemRefType::get(tensor.getShape(), tensor.getElementType(),
                              layout, memref.getMemorySpace());
  return memref::ReinterpretCastOp::create(builder, part, whole, offset,
                                           tensor.getShape(), strides);
}

void BlockEmitter::selectPlace(Value tile, TilePlace ring, Value number) {
  auto tensor = cast<RankedTensorType>(tile.getType());
  int64_t stride = BlockSteps::getPlaceStride(tile, ring.form);
  Value distance = arith::MulIOp::create(builder, number, getIndex(stride));
  Value offset =
      arith::AddIOp::create(builder, getIndex(ring.offsetBytes), distance);
  tiles[tile] = {buildTile(tensor, offset, ring.form.rowPadding)};
}

void BlockEmitter::addTile(Value tile, TilePlace place) {
  auto tensor = cast<RankedTensorType>(tile.getType());
  int64_t padding = place.form.rowPadding;
  int64_t bytes = getTileBytes(convertTensor(tensor), padding);
  int64_t end = place.offsetBytes + BlockSteps::getPlaceBytes(tile, padding);
  for (int64_t offset = place.offsetBytes; offset < end; offset += bytes)
    tiles[tile].push_back(buildTile(tensor, getIndex(offset), padding));
}

void BlockEmitter::emitZeros(int64_t offsetBytes, int64_t numBytes) {
  emitGuarded(threadId, numBytes, [&](Value inside) {
    Value zero =
        arith::ConstantIntOp::create(builder, builder.getI8Type(), /*value=*/0);
    Value position =
        arith::AddIOp::create(builder, getIndex(offsetBytes), inside);
    memref::StoreOp::create(builder, zero, sharedMemory, position);
  });
}

Value BlockEmitter::getTileNumber(ArrayRef<Axis> axes) {
  Value number;
  for (Axis axis : axes) {
    Value coordinate =
        axis == Axis::Loop ? iteration : blockIds[static_cast<unsigned>(axis)];
    if (number)
      coordinate = arith::AddIOp::create(
          builder,
          arith::MulIOp::create(builder, number,
                                getIndex(header.getExtent(axis))),
          coordinate);
    number = coordinate;
  }
  return number ? number : getIndex(0);
}

Value BlockEmitter::getBegin(ArrayRef<Axis> axes, int64_t size) {
  return arith::MulIOp::create(builder, getTileNumber(axes), getIndex(size));
}

void BlockEmitter::setBlockCoordinates(ValueRange coordinates) {
  blockIds.assign(coordinates.begin(), coordinates.end());
  if (!earlyEnd || !launchesLastFirst || coordinates.empty())
    return;
  for (Axis axis : earlyEnd->rowAxes) {
    Value &id = blockIds[static_cast<unsigned>(axis)];
    id = arith::SubIOp::create(builder, getIndex(header.getExtent(axis) - 1),
                               id);
  }
}

/// CausalLoop::countIterations, in code, as many as follow each other at once:
/// LLVM leaves no remainder of a loop in which warps meet.
Value BlockEmitter::emitNumIterations() {
  Value all = getIndex(header.loop);
  if (!earlyEnd || header.loop % iterationsAtOnce != 0)
    return all;
  // As columns less those of the iterations before: signed, as they may be
  // fewer than none.
  Value end = arith::AddIOp::create(
      builder, getBegin(earlyEnd->rowAxes, earlyEnd->rows),
      getIndex(earlyEnd->rows + earlyEnd->offset));
  Value begin = getBegin(earlyEnd->columnAxes, header.loop * earlyEnd->columns);
  Value columns = arith::SubIOp::create(builder, end, begin);
  int64_t least = (leastIterations - 1) * earlyEnd->columns + 1;
  columns = arith::MaxSIOp::create(builder, columns, getIndex(least));
  int64_t atOnce = iterationsAtOnce * earlyEnd->columns;
  Value rounded = arith::AddIOp::create(builder, columns, getIndex(atOnce - 1));
  Value number = arith::MulIOp::create(
      builder, arith::DivUIOp::create(builder, rounded, getIndex(atOnce)),
      getIndex(iterationsAtOnce));
  return arith::MinUIOp::create(builder, number, all);
}

SmallVector<Value>
BlockEmitter::getOrigin(ArrayRef<SmallVector<Axis, 2>> cuttingAxes,
                        ArrayRef<int64_t> tileShape) {
  SmallVector<Value> origin;
  for (auto [axes, size] : llvm::zip_equal(cuttingAxes, tileShape))
    origin.push_back(getBegin(axes, size));
  return origin;
}

void BlockEmitter::emitGuarded(Value chunk, int64_t numChunks,
                               llvm::function_ref<void(Value)> body) {
  if (numChunks % header.threads == 0)
    return body(chunk);
  Value isInside = arith::CmpIOp::create(builder, arith::CmpIPredicate::ult,
                                         chunk, getIndex(numChunks));
  auto guard = scf::IfOp::create(builder, isInside, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToStart(guard.thenBlock());
  body(chunk);
}

/// The coordinates of a chunk of `width` elements.
static SmallVector<Value> delinearizeChunk(ImplicitLocOpBuilder &builder,
                                           Value chunk, ArrayRef<int64_t> shape,
                                           int64_t width) {
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, value);
  };
  SmallVector<Value> coordinates(shape.size());
  Value rest = chunk;
  for (unsigned dim = shape.size(); dim-- > 0;) {
    bool isLast = dim + 1 == shape.size();
    Value size = index(isLast ? shape[dim] / width : shape[dim]);
    coordinates[dim] =
        dim == 0 ? rest : arith::RemUIOp::create(builder, rest, size);
    if (dim > 0)
      rest = arith::DivUIOp::create(builder, rest, size);
    if (isLast && width > 1)
      coordinates[dim] =
          arith::MulIOp::create(builder, coordinates[dim], index(width));
  }
  return coordinates;
}

void BlockEmitter::forEachElement(ArrayRef<int64_t> shape, int64_t width,
                                  llvm::function_ref<void(ValueRange)> body) {
  assert(shape.back() % width == 0 && "chunks must not straddle rows");
  int64_t numChunks = std::accumulate(shape.begin(), shape.end(), int64_t(1),
                                      std::multiplies<int64_t>()) /
                      width;
  int64_t rounds = llvm::divideCeil(numChunks, int64_t(header.threads));
  auto emit = [&](Value chunk) {
    emitGuarded(chunk, numChunks, [&](Value inside) {
      body(delinearizeChunk(builder, inside, shape, width));
    });
  };
  if (rounds == 1)
    return emit(threadId);
  auto loop =
      scf::ForOp::create(builder, getIndex(0), getIndex(rounds), getIndex(1));
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value start = arith::MulIOp::create(builder, loop.getInductionVar(),
                                      getIndex(header.threads));
  emit(arith::AddIOp::create(builder, start, threadId));
}

SmallVector<Value> BlockEmitter::delinearize(Value number,
                                             ArrayRef<int64_t> shape) {
  return delinearizeChunk(builder, number, shape, /*width=*/1);
}

void BlockEmitter::forEachElementOfGroups(
    ArrayRef<int64_t> shape, int64_t lanes,
    llvm::function_ref<void(ValueRange, Value, Value)> body) {
  int64_t numElements = ShapedType::getNumElements(shape);
  int64_t numGroups = header.threads / lanes;
  Value lane = arith::RemUIOp::create(builder, threadId, getIndex(lanes));
  Value group = arith::DivUIOp::create(builder, threadId, getIndex(lanes));
  auto loop = scf::ForOp::create(
      builder, getIndex(0), getIndex(llvm::divideCeil(numElements, numGroups)),
      getIndex(1));
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value start = arith::MulIOp::create(builder, loop.getInductionVar(),
                                      getIndex(numGroups));
  Value number = arith::AddIOp::create(builder, start, group);
  Value isOwn = arith::CmpIOp::create(builder, arith::CmpIPredicate::ult,
                                      number, getIndex(numElements));
  Value taken =
      arith::MinUIOp::create(builder, number, getIndex(numElements - 1));
  body(delinearize(taken, shape), lane, isOwn);
}

Value BlockEmitter::convert(Value value, Type elementType) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == elementType)
    return value;
  // What was only read and moved is what was read.
  if (auto widened = value.getDefiningOp<arith::ExtFOp>();
      widened && getElementTypeOrSelf(widened.getIn()) == elementType)
    return widened.getIn();
  Type type = elementType;
  if (auto vectorType = dyn_cast<VectorType>(value.getType()))
    type = vectorType.clone(elementType);
  if (from.getIntOrFloatBitWidth() < elementType.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(builder, type, value);
  if (from.getIntOrFloatBitWidth() > elementType.getIntOrFloatBitWidth())
    return arith::TruncFOp::create(builder, type, value);
  return convert(convert(value, builder.getF32Type()), elementType);
}

Value BlockEmitter::readElement(Value memref, ValueRange coordinates) {
  Value value = memref::LoadOp::create(builder, memref, coordinates);
  return convert(value, builder.getF32Type());
}

void BlockEmitter::writeElement(Value memref, ValueRange coordinates,
                                Value value) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  memref::StoreOp::create(builder, convert(value, element), memref,
                          coordinates);
}

Value BlockEmitter::emitWarp() {
  return arith::ShRUIOp::create(builder, threadId, getIndex(kLaneBits));
}

Value BlockEmitter::emitLane() {
  return arith::AndIOp::create(builder, threadId,
                               getIndex((1 << kLaneBits) - 1));
}

Value BlockEmitter::emitIsFirstLane() {
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, emitLane(),
                               getIndex(0));
}
