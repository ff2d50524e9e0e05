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

#include "TileAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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
    if (swizzled)
      indices = toView(indices);
    Value loaded = nvgpu::LdMatrixOp::create(
        builder, location, loadedType, swizzled ? view : tile, indices,
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
