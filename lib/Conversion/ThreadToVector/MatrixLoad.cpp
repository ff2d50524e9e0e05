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

#include "Mirage/Layout/Fragments.h"
#include "TileAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::mirage;

/// Elements of a row, which must be aligned as a whole.
static constexpr int64_t kRowSize = 8;

/// Two dimensions of a fragment: rows in memory, and along them.
static std::optional<std::pair<int, int>> findMatrixDims(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamic(offset) || offset % kRowSize != 0 ||
      strides.size() < 2)
    return std::nullopt;
  int rank = strides.size();
  for (auto [row, column] :
       {std::pair(rank - 2, rank - 1), {rank - 1, rank - 2}}) {
    bool areRowsAligned = llvm::all_of(
        llvm::enumerate(strides), [&, column = column](auto stride) {
          return stride.value() % kRowSize == 0 ||
                 static_cast<int>(stride.index()) == column ||
                 type.getDimSize(stride.index()) == 1;
        });
    if (strides[column] == 1 && areRowsAligned &&
        type.getDimSize(column) % kRowSize == 0)
      return std::pair(row, column);
  }
  return std::nullopt;
}

/// Whether lanes and the lowest register bit are those of one matrix.
static bool isMatrix(const LinearLayout &layout, const LinearLayout &matrix) {
  ArrayRef<Coordinates> registers = layout.getBases(LayoutInput::Register);
  return !registers.empty() &&
         registers[0] == matrix.getBases(LayoutInput::Register)[0] &&
         layout.getBases(LayoutInput::Lane) ==
             matrix.getBases(LayoutInput::Lane);
}

std::optional<TileAccess::MatrixLoad> TileAccess::chooseMatrixLoad() const {
  if (type.getElementTypeBitWidth() != 16 ||
      !nvgpu::NVGPUDialect::hasSharedMemoryAddressSpace(type))
    return std::nullopt;
  std::optional<std::pair<int, int>> dims = findMatrixDims(type);
  if (!dims)
    return std::nullopt;
  auto [row, column] = *dims;
  for (int dim = 0; dim < static_cast<int>(layout.getRank()); ++dim)
    if (dim != row && dim != column && layout.getShape()[dim] != 1)
      return std::nullopt;
  LinearLayout inMemory = layout.project({row, column});
  bool isPlain = isMatrix(inMemory, getFragmentLayout(FragmentKind::Matrix8x8));
  bool isTransposed =
      isMatrix(inMemory, getFragmentLayout(FragmentKind::Matrix8x8Transposed));
  if (!isPlain && !isTransposed)
    return std::nullopt;
  ArrayRef<Coordinates> registers = layout.getBases(LayoutInput::Register);
  for (const Coordinates &image : registers.drop_front())
    if (image[column] % kRowSize != 0)
      return std::nullopt;
  unsigned matrixBits = std::min<unsigned>(2, registers.size() - 1);
  SmallVector<Coordinates> lanes(kLaneBits, Coordinates(layout.getRank(), 0));
  for (unsigned bit = 0; bit < 3; ++bit)
    lanes[bit][row] = int64_t(1) << bit;
  for (unsigned bit = 0; bit < matrixBits; ++bit)
    lanes[3 + bit] = registers[1 + bit];
  return MatrixLoad{1u << matrixBits, isTransposed,
                    LinearLayout(layout.getShape(), registers, lanes)};
}

Fragment TileAccess::loadMatrices(const MatrixLoad &load) {
  unsigned rank = layout.getRank(), column = findMatrixDims(type)->second;
  SmallVector<Value> rowParts;
  for (unsigned dim = 0; dim < rank; ++dim)
    rowParts.push_back(
        emitLaneCoordinate(builder, location, load.addresses, dim, lane));
  // The view has rows of memory in its last dimension.
  Value matrices = tile;
  if (column != rank - 1) {
    SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(rank));
    std::swap(order[rank - 2], order[rank - 1]);
    matrices = memref::TransposeOp::create(
        builder, location, tile,
        AffineMapAttr::get(
            AffineMap::getPermutationMap(order, builder.getContext())));
  }
  auto loadedType = VectorType::get({load.numTiles, 2}, type.getElementType());
  Value zero = arith::ConstantOp::create(
      builder, location, builder.getZeroAttr(type.getElementType()));
  Fragment fragment{layout, {}};
  for (unsigned first = 0; first < layout.getNumRegisters();
       first += 2 * load.numTiles) {
    SmallVector<Value> indices;
    for (unsigned dim = 0; dim < rank; ++dim) {
      Value index =
          emitCoordinate(builder, location, load.addresses, dim, origin[dim],
                         rowParts[dim], layout.apply(first)[dim]);
      int64_t last = type.getDimSize(dim) - (dim == column ? kRowSize : 1);
      if (overhangs[dim])
        index = arith::MinUIOp::create(builder, location, index,
                                       emitIndex(builder, location, last));
      indices.push_back(index);
    }
    if (column != rank - 1)
      std::swap(indices[rank - 2], indices[rank - 1]);
    Value loaded =
        nvgpu::LdMatrixOp::create(builder, location, loadedType, matrices,
                                  indices, load.isTransposed, load.numTiles);
    for (unsigned i = 0; i < 2 * load.numTiles; ++i) {
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
