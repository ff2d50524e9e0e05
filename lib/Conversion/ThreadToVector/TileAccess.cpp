//===- TileAccess.cpp - Fragments to and from shared memory ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileAccess.h"
#include "Mirage/Conversion/SwizzledTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::mirage;

static Value skipClip(Value tile) {
  auto clip = tile.getDefiningOp<thread::ClipOp>();
  return clip ? clip.getTile() : tile;
}

/// \returns ShapedType::kDynamic where nothing is known.
static int64_t findOffsetDivisor(Value tile) {
  auto type = cast<MemRefType>(tile.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return ShapedType::kDynamic;
  auto aligned = tile.getDefiningOp<memref::AssumeAlignmentOp>();
  if (!ShapedType::isDynamic(offset) || !aligned)
    return offset;
  return aligned.getAlignment() * 8 / type.getElementTypeBitWidth();
}

/// The memref itself: an assumption would go as far as PTX.
static Value skipAssumption(Value tile) {
  auto aligned = tile.getDefiningOp<memref::AssumeAlignmentOp>();
  return aligned ? aligned.getMemref() : tile;
}

TileAccess::TileAccess(OpBuilder &builder, Location location, Value tile,
                       const LinearLayout &layout, ArrayRef<Value> origin,
                       ArrayRef<bool> overhangs, Value lane,
                       std::optional<SwizzledWindow> swizzled)
    : builder(builder), location(location),
      clip(tile.getDefiningOp<thread::ClipOp>()),
      tile(skipAssumption(skipClip(tile))),
      type(cast<MemRefType>(tile.getType())),
      offsetDivisor(findOffsetDivisor(skipClip(tile))), layout(layout),
      origin(origin), overhangs(overhangs), lane(lane), swizzled(swizzled),
      run(chooseRun()), view(emitView()) {
  for (unsigned dim = 0; dim < layout.getRank(); ++dim)
    laneParts.push_back(
        emitLaneCoordinate(builder, location, layout, dim, lane));
}

FragmentRun TileAccess::chooseRun() {
  static_assert(kUnknownDistance == ShapedType::kDynamic);
  SmallVector<int64_t> strides = type.getStridesAndOffset().first;
  SmallVector<int64_t> divisors(type.getShape());
  if (clip)
    for (auto [dim, multiple] :
         llvm::zip_equal(clip.getDims(), clip.getMultiples()))
      divisors[dim] = multiple;
  return chooseFragmentRun(layout,
                           {type.getShape(), strides, divisors, offsetDivisor,
                            overhangs, type.getElementTypeBitWidth() / 8});
}

/// Dimension `dim` behind the others of `rank`.
static SmallVector<unsigned> moveLast(unsigned dim, unsigned rank) {
  SmallVector<unsigned> permutation;
  for (unsigned other = 0; other < rank; ++other)
    if (other != dim)
      permutation.push_back(other);
  permutation.push_back(dim);
  return permutation;
}

/// Runs of a boxed tile are parts of its pieces.
Value TileAccess::emitView() {
  unsigned rank = layout.getRank();
  if (swizzled)
    return emitFlatTile(builder, location, swizzled->boxed, tile);
  if (run.bits == 0 || run.dim == rank - 1)
    return tile;
  AffineMap permutation = AffineMap::getPermutationMap(moveLast(run.dim, rank),
                                                       builder.getContext());
  return memref::TransposeOp::create(builder, location, tile,
                                     AffineMapAttr::get(permutation));
}

/// Steps along rows are a constant apart where they are whole spans, once the
/// loop is unrolled. Those of one piece are at other places in every step.
static bool tellsSpans(const SwizzledWindow &swizzled,
                       const LinearLayout &fragment) {
  const BoxedTile &boxed = swizzled.boxed;
  return swizzled.stepsAlongRows &&
         fragment.getShape().back() * boxed.elementBytes >
             BoxedTile::kPieceBytes;
}

SmallVector<Value> TileAccess::toView(SmallVector<Value> indices) {
  if (swizzled)
    return {emitSwizzledNumber(builder, location, swizzled->boxed,
                               type.getShape(), indices,
                               tellsSpans(*swizzled, layout))};
  if (view == tile)
    return indices;
  SmallVector<Value> permuted;
  for (unsigned dim : moveLast(run.dim, layout.getRank()))
    permuted.push_back(indices[dim]);
  return permuted;
}

SmallVector<Value> TileAccess::getIndices(unsigned registerNumber) {
  Coordinates coordinates = layout.apply(registerNumber);
  SmallVector<Value> indices;
  for (unsigned dim = 0; dim < layout.getRank(); ++dim)
    indices.push_back(emitCoordinate(builder, location, layout, dim,
                                     origin[dim], laneParts[dim],
                                     coordinates[dim]));
  return indices;
}

Value TileAccess::emitSize(unsigned dim) {
  if (std::optional<unsigned> number =
          clip ? clip.find(dim) : std::optional<unsigned>())
    return clip.getSizes()[*number];
  return emitIndex(builder, location, type.getDimSize(dim));
}

Value TileAccess::emitInBounds(ArrayRef<Value> indices) {
  Value inBounds;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    if (!overhangs[dim] || !index)
      continue;
    Value isBelow = arith::CmpIOp::create(
        builder, location, arith::CmpIPredicate::ult, index, emitSize(dim));
    inBounds = inBounds
                   ? arith::AndIOp::create(builder, location, inBounds, isBelow)
                         .getResult()
                   : isBelow;
  }
  return inBounds;
}

/// Beyond the tile, the nearest run inside it is read instead: no branch.
SmallVector<Value> TileAccess::loadVector(unsigned registerNumber) {
  int64_t width = run.getWidth();
  SmallVector<Value> indices = getIndices(registerNumber);
  Value inBounds = emitInBounds(indices);
  for (auto [dim, index] : llvm::enumerate(indices))
    if (overhangs[dim]) {
      int64_t taken = dim == run.dim ? width : 1;
      Value last = arith::SubIOp::create(builder, location, emitSize(dim),
                                         emitIndex(builder, location, taken));
      index = arith::MinUIOp::create(builder, location, index, last);
    }
  Type elementType = type.getElementType();
  Type loadedType = elementType;
  Value loaded;
  if (width == 1) {
    loaded = memref::LoadOp::create(builder, location, view, toView(indices));
  } else {
    auto vectorType = VectorType::get(width, elementType);
    loadedType = vectorType;
    loaded = vector::LoadOp::create(
        builder, location, vectorType, view, toView(indices),
        /*nontemporal=*/false,
        llvm::MaybeAlign(width * type.getElementTypeBitWidth() / 8));
  }
  if (inBounds) {
    Value zero = arith::ConstantOp::create(builder, location,
                                           builder.getZeroAttr(loadedType));
    loaded = arith::SelectOp::create(builder, location, inBounds, loaded, zero);
  }
  if (width == 1)
    return {loaded};
  SmallVector<Value> elements;
  for (int64_t i = 0; i < width; ++i)
    elements.push_back(vector::ExtractOp::create(builder, location, loaded, i));
  return elements;
}

Fragment TileAccess::load() {
  Fragment fragment{layout, {}};
  for (unsigned number = 0; number < layout.getNumRegisters();
       number += run.getWidth())
    llvm::append_range(fragment.registers, loadVector(number));
  return fragment;
}

Fragment TileAccess::loadIfInside() {
  Value isInside = emitInBounds(origin);
  if (!isInside)
    return load();
  SmallVector<Type> types(layout.getNumRegisters(), type.getElementType());
  auto branch = scf::IfOp::create(builder, location, types, isInside,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, location, load().registers);
  builder.setInsertionPointToStart(branch.elseBlock());
  Value zero = arith::ConstantOp::create(
      builder, location, builder.getZeroAttr(type.getElementType()));
  scf::YieldOp::create(builder, location,
                       SmallVector<Value>(types.size(), zero));
  return {layout, SmallVector<Value>(branch.getResults())};
}

void TileAccess::storeVector(unsigned registerNumber,
                             ArrayRef<Value> elements) {
  SmallVector<Value> indices = getIndices(registerNumber);
  Value inBounds = emitInBounds(indices);
  OpBuilder::InsertionGuard guard(builder);
  if (inBounds) {
    auto branch = scf::IfOp::create(builder, location, inBounds);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  if (elements.size() == 1) {
    memref::StoreOp::create(builder, location, elements.front(), tile, indices);
    return;
  }
  auto vectorType = VectorType::get(static_cast<int64_t>(elements.size()),
                                    type.getElementType());
  Value joined =
      vector::FromElementsOp::create(builder, location, vectorType, elements);
  vector::StoreOp::create(
      builder, location, joined, view, toView(indices), /*nontemporal=*/false,
      llvm::MaybeAlign(elements.size() * type.getElementTypeBitWidth() / 8));
}

Value TileAccess::emitIsWriter() {
  unsigned redundant = layout.getRedundantBits(LayoutInput::Lane);
  if (redundant == 0)
    return {};
  Value bits = arith::AndIOp::create(builder, location, lane,
                                     emitIndex(builder, location, redundant));
  return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq,
                               bits, emitIndex(builder, location, 0));
}

void TileAccess::store(const Fragment &fragment, Value guard) {
  Value isWriter = emitIsWriter();
  if (guard && isWriter)
    isWriter = arith::AndIOp::create(builder, location, guard, isWriter);
  else if (guard)
    isWriter = guard;
  OpBuilder::InsertionGuard insertionGuard(builder);
  if (isWriter) {
    auto branch = scf::IfOp::create(builder, location, isWriter);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  unsigned width = run.getWidth();
  unsigned redundant = layout.getRedundantBits(LayoutInput::Register);
  for (unsigned number = 0; number < layout.getNumRegisters();
       number += width) {
    if (number & redundant)
      continue;
    storeVector(number, emitFloatCasts(
                            builder, location,
                            ArrayRef(fragment.registers).slice(number, width),
                            type.getElementType()));
  }
}
