//===- MoveTiles.cpp - Between device and shared memory -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MoveTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
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

  MemRefType getType() const { return cast<MemRefType>(tensor.getType()); }
};
} // namespace

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
  return window;
}

/// How many neighbours of the last dimension one access may take: up to 16
/// bytes, if rows of the tensor and of the tile are multiples of that, and the
/// rows of a view begin at multiples as well. All origins are multiples of the
/// tile, and tensors start at multiples of 16.
static int64_t getVectorWidth(const Window &window, Value tile) {
  MemRefType type = window.getType();
  auto [strides, offset] = type.getStridesAndOffset();
  if (strides.back() != 1)
    return 1;
  int64_t bytes =
      std::max(type.getElementTypeBitWidth(),
               cast<MemRefType>(tile.getType()).getElementTypeBitWidth()) /
      8;
  int64_t common = std::gcd(window.tileShape.back(), type.getShape().back());
  common = std::gcd(common, offset);
  for (int64_t pitch : ArrayRef(strides).drop_back())
    common = std::gcd(common, pitch);
  return std::gcd(common, 16 / bytes);
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
    if (!window.getType().isLastDimUnitStride())
      return vector::BroadcastOp::create(
          builder, type,
          memref::LoadOp::create(builder, window.tensor, position));
    return vector::LoadOp::create(builder, type, window.tensor, position,
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

void mlir::mirage::emitLoad(BlockEmitter &emitter, unsigned input, Value tensor,
                            Value tile) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto tileType = cast<MemRefType>(tile.getType());
  SmallVector<SmallVector<Axis, 2>> cuttingAxes;
  for (unsigned dim = 0; dim < tileType.getRank(); ++dim)
    cuttingAxes.push_back(emitter.header.getCuttingAxes(input, dim));
  Window window = makeWindow(emitter, tensor, tile, cuttingAxes);
  int64_t width = getVectorWidth(window, tile);
  auto vectorType = VectorType::get({width}, tileType.getElementType());
  emitter.forEachElement(
      tileType.getShape(), width, [&](ValueRange coordinates) {
        SmallVector<Value> position = addOrigin(emitter, window, coordinates);
        Value value = loadInside(emitter, window, position, vectorType);
        vector::StoreOp::create(builder, value, tile, coordinates,
                                /*nontemporal=*/false,
                                getAlignment(vectorType));
      });
}

/// The grid axes that are concatenated along each dimension of an output.
static SmallVector<SmallVector<Axis, 2>>
getJoinedAxes(const TileGraph &header, unsigned output, unsigned rank) {
  SmallVector<SmallVector<Axis, 2>> axes(rank);
  for (unsigned dim = 0; dim < rank; ++dim)
    axes[dim] = header.getJoinedAxes(output, dim);
  return axes;
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

void mlir::mirage::emitStore(BlockEmitter &emitter, unsigned output,
                             Value tensor, Value tile) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto tileType = cast<MemRefType>(tile.getType());
  emitIf(emitter, isWriter(emitter, output), [&] {
    Window window =
        makeWindow(emitter, tensor, tile,
                   getJoinedAxes(emitter.header, output, tileType.getRank()));
    int64_t width = getVectorWidth(window, tile);
    auto vectorType = VectorType::get({width}, tileType.getElementType());
    emitter.forEachElement(
        tileType.getShape(), width, [&](ValueRange coordinates) {
          SmallVector<Value> position = addOrigin(emitter, window, coordinates);
          emitIf(emitter, isInside(emitter, window, position), [&] {
            Value value = vector::LoadOp::create(
                builder, vectorType, tile, coordinates,
                /*nontemporal=*/false, getAlignment(vectorType));
            Value rounded =
                emitter.convert(value, window.getType().getElementType());
            vector::StoreOp::create(
                builder, rounded, tensor, position, /*nontemporal=*/false,
                getAlignment(cast<VectorType>(rounded.getType())));
          });
        });
  });
}
