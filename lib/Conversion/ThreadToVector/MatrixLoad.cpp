//===- MatrixLoad.cpp - Fragments by ldmatrix -----------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ldmatrix reads 8x8 matrices of 16-bit elements. Lane l points to row l % 8 of
// matrix l / 8, eight elements that lie side by side; it receives two elements
// of each matrix, as in FragmentKind::Matrix8x8 or its transpose. So a fragment
// whose lanes and lowest register bit are these is read by it, and its next
// register bits, which tell the matrices apart, are the highest lane bits of
// the addresses.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Layout/MatrixDescriptor.h"
#include "TileAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::mirage;

/// Elements of a row, which must be aligned as a whole.
static constexpr int64_t kRowSize = 8;

bool TileAccess::hasMatrixRows() const {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!nvgpu::NVGPUDialect::hasSharedMemoryAddressSpace(type) ||
      failed(type.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamic(offset) || offset % kRowSize != 0)
    return false;
  auto isAligned = [&](unsigned dim) {
    return strides[dim] % kRowSize == 0 || type.getDimSize(dim) == 1;
  };
  unsigned last = strides.size() - 1;
  return strides[last] == 1 && type.getDimSize(last) % kRowSize == 0 &&
         llvm::all_of(llvm::seq<unsigned>(0, last), isAligned);
}

SmallVector<Value> TileAccess::getMatrixRow(const MatrixLoad &load,
                                            ArrayRef<Value> laneParts,
                                            unsigned registerNumber) {
  unsigned rank = layout.getRank(), column = rank - 1;
  SmallVector<Value> indices;
  for (unsigned dim = 0; dim < rank; ++dim) {
    Value index =
        emitCoordinate(builder, location, load.addresses, dim, origin[dim],
                       laneParts[dim], layout.apply(registerNumber)[dim]);
    int64_t last = type.getDimSize(dim) - (dim == column ? kRowSize : 1);
    if (overhangs[dim])
      index = arith::MinUIOp::create(builder, location, index,
                                     emitIndex(builder, location, last));
    indices.push_back(index);
  }
  return indices;
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
  int64_t pitch = boxed.getPitchElements();
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
Value TileAccess::emitBoxedNumber(ArrayRef<Value> indices) {
  auto constant = [&](int64_t value) {
    return emitIndex(builder, location, value);
  };
  BoxedPosition position =
      emitBoxedPosition(builder, location, *boxed, type.getShape(), indices);
  constexpr int64_t kPatternBytes = 128;
  int64_t span = getSpanBytes(boxed->swizzle);
  Value pattern = position.row;
  if (span < kPatternBytes)
    pattern = arith::DivUIOp::create(builder, location, pattern,
                                     constant(kPatternBytes / span));
  pattern = arith::RemUIOp::create(builder, location, pattern,
                                   constant(span / kMatrixPieceBytes));
  Value distance =
      arith::MulIOp::create(builder, location, pattern,
                            constant(kMatrixPieceBytes / boxed->elementBytes));
  Value swizzled =
      arith::XOrIOp::create(builder, location, position.column, distance);
  return arith::AddIOp::create(builder, location, position.rowStart, swizzled);
}

Value TileAccess::emitFlat() {
  int64_t numElements = boxed->getBytes() / boxed->elementBytes;
  auto flat =
      MemRefType::get({numElements}, type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  return memref::ReinterpretCastOp::create(
      builder, location, flat, tile, /*offset=*/0,
      ArrayRef<int64_t>{numElements}, ArrayRef<int64_t>{1});
}

Fragment TileAccess::loadMatrices(const MatrixLoad &load) {
  SmallVector<Value> rowParts;
  for (unsigned dim = 0; dim < layout.getRank(); ++dim)
    rowParts.push_back(
        emitLaneCoordinate(builder, location, load.addresses, dim, lane));
  auto loadedType =
      VectorType::get({load.numMatrices, 2}, type.getElementType());
  Value zero = arith::ConstantOp::create(
      builder, location, builder.getZeroAttr(type.getElementType()));
  Fragment fragment{layout, {}};
  for (unsigned first = 0; first < layout.getNumRegisters();
       first += 2 * load.numMatrices) {
    SmallVector<Value> indices = getMatrixRow(load, rowParts, first);
    if (boxed)
      indices = {emitBoxedNumber(indices)};
    Value loaded = nvgpu::LdMatrixOp::create(
        builder, location, loadedType, boxed ? view : tile, indices,
        load.isTransposed, load.numMatrices);
    for (unsigned i = 0; i < 2 * load.numMatrices; ++i) {
      Value element = vector::ExtractOp::create(
          builder, location, loaded, ArrayRef<int64_t>{i / 2, i % 2});
      if (Value inBounds = emitInBounds(getIndices(first + i)))
        element =
            arith::SelectOp::create(builder, location, inBounds, element, zero);
      fragment.registers.push_back(element);
    }
  }
  return fragment;
}
