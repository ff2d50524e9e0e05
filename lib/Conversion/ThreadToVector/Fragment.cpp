//===- Fragment.cpp - A fragment as the registers of a lane ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fragment.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::mirage;

Value mlir::mirage::emitIndex(OpBuilder &builder, Location location,
                              int64_t value) {
  return arith::ConstantIndexOp::create(builder, location, value);
}

/// \p elementType for a scalar, else a vector of it.
static Type cloneType(Type type, Type elementType) {
  auto vectorType = dyn_cast<VectorType>(type);
  return vectorType ? vectorType.clone(elementType) : elementType;
}

Value mlir::mirage::emitFloatCast(OpBuilder &builder, Location location,
                                  Value value, Type type) {
  unsigned from = getElementTypeOrSelf(value).getIntOrFloatBitWidth();
  unsigned to = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  if (value.getType() == type)
    return value;
  if (from < to)
    return arith::ExtFOp::create(builder, location, type, value);
  if (from > to)
    return arith::TruncFOp::create(builder, location, type, value);
  Value wide = emitFloatCast(builder, location, value,
                             cloneType(type, builder.getF32Type()));
  return emitFloatCast(builder, location, wide, type);
}

/// As a vector 8-bit floats find partners: instructions convert two.
SmallVector<Value> mlir::mirage::emitFloatCasts(OpBuilder &builder,
                                                Location location,
                                                ValueRange values, Type type) {
  Type from = values.front().getType();
  bool comeInPairs =
      std::min(from.getIntOrFloatBitWidth(), type.getIntOrFloatBitWidth()) == 8;
  if (!comeInPairs || values.size() == 1 || from == type)
    return llvm::map_to_vector(values, [&](Value value) {
      return emitFloatCast(builder, location, value, type);
    });
  auto vectorType = VectorType::get(static_cast<int64_t>(values.size()), from);
  Value joined =
      vector::FromElementsOp::create(builder, location, vectorType, values);
  Value converted =
      emitFloatCast(builder, location, joined, vectorType.clone(type));
  return SmallVector<Value>(
      vector::ToElementsOp::create(builder, location, converted).getResults());
}

namespace {
/// Lane bits that stand for consecutive bits of a coordinate: one shift and one
/// mask move them all.
struct BitRun {
  unsigned laneBit, coordinateBit, numBits;
};
} // namespace

/// Runs whose exclusive or is the lane's part of the coordinate.
static SmallVector<BitRun> findRuns(const LinearLayout &layout, unsigned dim) {
  SmallVector<BitRun> runs;
  for (auto [laneBit, image] :
       llvm::enumerate(layout.getBases(LayoutInput::Lane)))
    for (unsigned bit = 0; image[dim] >> bit != 0; ++bit) {
      if (!(image[dim] >> bit & 1))
        continue;
      bool continues = !runs.empty() &&
                       runs.back().laneBit + runs.back().numBits == laneBit &&
                       runs.back().coordinateBit + runs.back().numBits == bit;
      if (continues)
        ++runs.back().numBits;
      else
        runs.push_back({static_cast<unsigned>(laneBit), bit, 1});
    }
  return runs;
}

Value mlir::mirage::emitLaneCoordinate(OpBuilder &builder, Location location,
                                       const LinearLayout &layout, unsigned dim,
                                       Value lane) {
  Value coordinate;
  for (const BitRun &run : findRuns(layout, dim)) {
    Value part = lane;
    if (run.laneBit > 0)
      part = arith::ShRUIOp::create(builder, location, part,
                                    emitIndex(builder, location, run.laneBit));
    int64_t mask = llvm::maskTrailingOnes<uint64_t>(run.numBits);
    part = arith::AndIOp::create(builder, location, part,
                                 emitIndex(builder, location, mask));
    if (run.coordinateBit > 0)
      part = arith::ShLIOp::create(
          builder, location, part,
          emitIndex(builder, location, run.coordinateBit));
    coordinate =
        coordinate ? arith::XOrIOp::create(builder, location, coordinate, part)
                         .getResult()
                   : part;
  }
  return coordinate;
}

/// Whether some bit of the coordinate depends on lanes and on registers.
static bool shareBits(const LinearLayout &layout, unsigned dim) {
  uint64_t bits[2] = {0, 0};
  for (LayoutInput input : {LayoutInput::Register, LayoutInput::Lane})
    for (const Coordinates &image : layout.getBases(input))
      bits[static_cast<unsigned>(input)] |= image[dim];
  return (bits[0] & bits[1]) != 0;
}

Value mlir::mirage::emitCoordinate(OpBuilder &builder, Location location,
                                   const LinearLayout &layout, unsigned dim,
                                   Value base, Value lanePart,
                                   int64_t registerPart) {
  auto add = [&](Value lhs, Value rhs) -> Value {
    if (!lhs || !rhs)
      return lhs ? lhs : rhs;
    return arith::AddIOp::create(builder, location, lhs, rhs);
  };
  Value constant =
      registerPart ? emitIndex(builder, location, registerPart) : Value();
  Value sum;
  if (lanePart && constant && shareBits(layout, dim))
    sum =
        add(base, arith::XOrIOp::create(builder, location, lanePart, constant));
  else
    sum = add(add(base, lanePart), constant);
  return sum ? sum : emitIndex(builder, location, 0);
}
