//===- ExchangeLanes.cpp - Elements from lane to lane ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A conversion asks, for every register and lane of the new layout, which
// register of which lane of the old one holds the element. Both are linear maps
// of bits, so the answer is one as well:
//
//   source register = A · register ^ B · lane
//   source lane     = C · register ^ D · lane
//
// A shuffle sends one register of each lane. Where B is zero, one shuffle for
// each new register is enough; else a lane asks for one of as many registers as
// B has values, each is sent, and the lane picks its own.
//
//===----------------------------------------------------------------------===//

#include "FragmentOps.h"
#include "Mirage/Layout/FragmentRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::mirage;

static constexpr int64_t kLanes = 1 << kLaneBits;

/// Shuffles move 32 bits; the bits of narrower floats go as the lowest of them.
static Value emitShuffle(OpBuilder &builder, Location location, Value element,
                         Value offset, gpu::ShuffleMode mode) {
  Type type = element.getType(), i32 = builder.getI32Type();
  Type bits = builder.getIntegerType(type.getIntOrFloatBitWidth());
  if (bits != i32)
    element = arith::ExtUIOp::create(
        builder, location, i32,
        arith::BitcastOp::create(builder, location, bits, element));
  Value width = arith::ConstantOp::create(builder, location,
                                          builder.getI32IntegerAttr(kLanes));
  Value received =
      gpu::ShuffleOp::create(builder, location, element, offset, width, mode)
          .getShuffleResult();
  if (bits == i32)
    return received;
  return arith::BitcastOp::create(
      builder, location, type,
      arith::TruncIOp::create(builder, location, bits, received));
}

Fragment FragmentOps::shuffle(const Fragment &fragment, unsigned mask) {
  Value offset = arith::ConstantOp::create(
      builder, location, builder.getI32IntegerAttr(static_cast<int32_t>(mask)));
  Fragment result{fragment.layout, {}};
  for (Value element : fragment.registers)
    result.registers.push_back(
        emitShuffle(builder, location, element, offset, gpu::ShuffleMode::XOR));
  return result;
}

namespace {
/// Where a new layout's elements are in the old one.
class LaneExchange {
public:
  LaneExchange(const LinearLayout &from, const LinearLayout &to)
      : registerBits(from.getBases(LayoutInput::Register).size()),
        newRegisterBits(to.getBases(LayoutInput::Register).size()),
        target(to.toMatrix()) {
    // Bits that count elements, once each; the others replicate.
    BitMatrix source = from.toMatrix();
    uint64_t independent = source.getIndependentColumns();
    SmallVector<uint64_t> columns;
    for (auto [bit, column] : llvm::enumerate(source.getColumns()))
      if (independent >> bit & 1) {
        bits.push_back(bit);
        columns.push_back(column);
      }
    inverse = BitMatrix(source.getNumRows(), columns).invert();
    assert(inverse && "a layout holds every element");
  }

  /// Register and lane, packed as the old layout packs them.
  uint64_t find(unsigned newRegister, unsigned newLane) const {
    uint64_t element =
        target.apply(newRegister | uint64_t(newLane) << newRegisterBits);
    uint64_t packed = inverse->apply(element), place = 0;
    for (auto [number, bit] : llvm::enumerate(bits))
      place |= (packed >> number & 1) << bit;
    return place;
  }
  unsigned findRegister(unsigned newRegister, unsigned newLane) const {
    return find(newRegister, newLane) & ((1u << registerBits) - 1);
  }
  unsigned findLane(unsigned newRegister, unsigned newLane) const {
    return find(newRegister, newLane) >> registerBits;
  }

  /// B or D as the layout of a number of `size` values over the lanes.
  LinearLayout getLaneMap(int64_t size,
                          unsigned (LaneExchange::*find)(unsigned, unsigned)
                              const) const {
    SmallVector<Coordinates> images;
    for (unsigned bit = 0; bit < kLaneBits; ++bit)
      images.push_back({static_cast<int64_t>((this->*find)(0, 1u << bit))});
    return LinearLayout({size}, {}, images);
  }

private:
  unsigned registerBits, newRegisterBits;
  BitMatrix target;
  SmallVector<unsigned> bits; ///< of the old layout's registers and lanes
  std::optional<BitMatrix> inverse;
};
} // namespace

Fragment FragmentOps::convertLayout(const Fragment &fragment,
                                    const LinearLayout &layout) {
  auto all = llvm::to_vector(llvm::seq<int>(layout.getRank()));
  if (llvm::Error error = checkLanesAgree(fragment.layout, layout, all))
    llvm::consumeError(std::move(error));
  else
    return rearrange(fragment, layout, all);

  LaneExchange exchange(fragment.layout, layout);
  auto emitMap = [&](const LinearLayout &map) {
    Value mapped = emitLaneCoordinate(builder, location, map, 0, position.lane);
    return mapped ? mapped : emitIndex(builder, location, 0);
  };
  LinearLayout registerMap = exchange.getLaneMap(
      fragment.layout.getNumRegisters(), &LaneExchange::findRegister);
  Value ownRegister = emitMap(registerMap);
  Value ownLane = emitMap(exchange.getLaneMap(kLanes, &LaneExchange::findLane));
  llvm::SetVector<unsigned> offsets;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    offsets.insert(exchange.findRegister(0, lane));

  Fragment result{layout, {}};
  for (unsigned number = 0; number < layout.getNumRegisters(); ++number) {
    Value from = arith::XOrIOp::create(
        builder, location, ownLane,
        emitIndex(builder, location, exchange.findLane(number, 0)));
    from = arith::IndexCastOp::create(builder, location, builder.getI32Type(),
                                      from);
    Value picked;
    for (unsigned offset : offsets) {
      unsigned sent = exchange.findRegister(number, 0) ^ offset;
      Value received = emitShuffle(builder, location, fragment.registers[sent],
                                   from, gpu::ShuffleMode::IDX);
      if (!picked) {
        picked = received;
        continue;
      }
      Value isOwn = arith::CmpIOp::create(builder, location,
                                          arith::CmpIPredicate::eq, ownRegister,
                                          emitIndex(builder, location, offset));
      picked =
          arith::SelectOp::create(builder, location, isOwn, received, picked);
    }
    result.registers.push_back(picked);
  }
  return result;
}
