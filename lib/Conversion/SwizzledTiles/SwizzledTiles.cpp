//===- SwizzledTiles.cpp - Where elements of swizzled tiles lie -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Conversion/SwizzledTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::mirage;

static Value emitIndex(OpBuilder &builder, Location location, int64_t value) {
  return arith::ConstantIndexOp::create(builder, location, value);
}

BoxedPosition mlir::mirage::emitBoxedPosition(OpBuilder &builder,
                                              Location location,
                                              const BoxedTile &boxed,
                                              ArrayRef<int64_t> shape,
                                              ArrayRef<Value> indices) {
  auto constant = [&](int64_t value) {
    return emitIndex(builder, location, value);
  };
  auto multiply = [&](Value value, int64_t factor) -> Value {
    return arith::MulIOp::create(builder, location, value, constant(factor));
  };
  auto add = [&](Value lhs, Value rhs) -> Value {
    return arith::AddIOp::create(builder, location, lhs, rhs);
  };
  int64_t pitch = boxed.pitchElements;
  BoxedPosition position;
  position.row = constant(0);
  for (auto [index, size] :
       llvm::zip_equal(indices.drop_back(), shape.drop_back())) {
    position.row = multiply(position.row, size);
    if (index)
      position.row = add(position.row, index);
  }
  position.rowStart = multiply(position.row, pitch);
  position.column = indices.back() ? indices.back() : constant(0);
  if (boxed.getNumPanels() == 1 || !indices.back())
    return position;
  Value panel = arith::DivUIOp::create(builder, location, position.column,
                                       constant(pitch));
  position.rowStart =
      add(position.rowStart, multiply(panel, boxed.numRows * pitch));
  position.column = arith::RemUIOp::create(builder, location, position.column,
                                           constant(pitch));
  return position;
}

/// Bits of the row that a swizzle takes change with lanes alone, as a rule, and
/// what is added to the row is no part of what they change: so that the numbers
/// of rows further down are this one and a constant.
static Value emitDistance(OpBuilder &builder, Location location,
                          const BoxedTile &boxed, Value row) {
  auto constant = [&](int64_t value) {
    return emitIndex(builder, location, value);
  };
  if (boxed.getRowsOfOrder() > 1)
    row = arith::DivUIOp::create(builder, location, row,
                                 constant(boxed.getRowsOfOrder()));
  Value order = arith::RemUIOp::create(builder, location, row,
                                       constant(boxed.getNumOrders()));
  return arith::MulIOp::create(
      builder, location, order,
      constant(BoxedTile::kPieceBytes / boxed.elementBytes));
}

Value mlir::mirage::emitSwizzledNumber(OpBuilder &builder, Location location,
                                       const BoxedTile &boxed,
                                       ArrayRef<int64_t> shape,
                                       ArrayRef<Value> indices,
                                       bool tellsSpans) {
  BoxedPosition position =
      emitBoxedPosition(builder, location, boxed, shape, indices);
  Value distance = emitDistance(builder, location, boxed, position.row);
  Value start = position.rowStart, column = position.column;
  if (tellsSpans && boxed.pitchElements > boxed.getSpanElements()) {
    column = arith::RemUIOp::create(
        builder, location, column,
        emitIndex(builder, location, boxed.getSpanElements()));
    Value span =
        arith::SubIOp::create(builder, location, position.column, column);
    start = arith::AddIOp::create(builder, location, start, span);
  }
  Value swizzled = arith::XOrIOp::create(builder, location, column, distance);
  return arith::AddIOp::create(builder, location, start, swizzled);
}

Value mlir::mirage::emitFlatTile(OpBuilder &builder, Location location,
                                 const BoxedTile &boxed, Value tile) {
  auto type = cast<MemRefType>(tile.getType());
  int64_t numElements = boxed.getBytes() / boxed.elementBytes;
  auto flat =
      MemRefType::get({numElements}, type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  return memref::ReinterpretCastOp::create(
      builder, location, flat, tile, /*offset=*/0,
      ArrayRef<int64_t>{numElements}, ArrayRef<int64_t>{1});
}
