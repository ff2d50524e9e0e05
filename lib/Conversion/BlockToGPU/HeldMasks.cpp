//===- HeldMasks.cpp - Masks of what warps hold ---------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeldMasks.h"
#include "Mirage/Conversion/ScalarToArith.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::mirage;

namespace {
/// Hides elements whose coordinate along `column`, less that along `row`, is
/// `limit` or more: of the tile, and signed.
struct HiddenElements {
  unsigned column;
  std::optional<unsigned> row;
  Value limit;
  double replacement;
};
} // namespace

static HiddenElements readMask(BlockEmitter &emitter, Operation *op,
                               ArrayRef<int64_t> tile) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Attributes attributes = readOperatorAttributes(op);
  if (cast<OperatorOpInterface>(op).getTableOpcode() == Opcode::Mask) {
    unsigned dim = attributes.dims.front();
    Value limit =
        arith::SubIOp::create(builder, emitter.getIndex(attributes.extent),
                              emitter.getBegin(attributes.axes, tile[dim]));
    return {dim, std::nullopt, limit, attributes.scalars.front()};
  }
  // A row keeps columns up to its own number and the offset.
  unsigned column = tile.size() - 1, row = column - 1;
  Value last = arith::AddIOp::create(
      builder, emitter.getBegin(attributes.axes, tile[row]),
      emitter.getIndex(attributes.offset + 1));
  Value limit = arith::SubIOp::create(
      builder, last, emitter.getBegin(attributes.columnAxes, tile[column]));
  return {column, row, limit, getNeutral(Combiner::Max)};
}

/// What the bits of a lane's, or a warp's, number add to a coordinate.
static Value emitPart(ImplicitLocOpBuilder &builder, Value part, Value number,
                      ArrayRef<Coordinates> bases, unsigned dim) {
  auto getIndex = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, value);
  };
  for (auto [bit, base] : llvm::enumerate(bases)) {
    if (base[dim] == 0)
      continue;
    Value isSet = arith::AndIOp::create(
        builder, arith::ShRUIOp::create(builder, number, getIndex(bit)),
        getIndex(1));
    part = arith::XOrIOp::create(
        builder, part,
        arith::MulIOp::create(builder, isSet, getIndex(base[dim])));
  }
  return part;
}

/// The coordinate of a thread's first register of a share.
static Value emitCoordinate(BlockEmitter &emitter, const LinearLayout &layout,
                            Value share, unsigned dim) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value coordinate = emitPart(builder, emitter.getIndex(0), emitter.emitLane(),
                              layout.getBases(LayoutInput::Lane), dim);
  return emitPart(builder, coordinate, share,
                  layout.getBases(LayoutInput::Warp), dim);
}

/// What is left of a limit behind a thread's first register, or more or less
/// than any register can be behind it: compared in 32 bits.
static Value emitRoom(ImplicitLocOpBuilder &builder, Value limit, Value first) {
  constexpr int64_t kFar = int64_t(1) << 30;
  auto getIndex = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, value);
  };
  Value room = arith::SubIOp::create(builder, limit, first);
  room = arith::MinSIOp::create(builder, room, getIndex(kFar));
  room = arith::MaxSIOp::create(builder, room, getIndex(-kFar));
  return arith::IndexCastOp::create(builder, builder.getI32Type(), room);
}

/// Each register of a share, or what stands in its place. Images of registers'
/// bits have none in common with those of lanes and warps (`getHeldType` sees
/// to it), so that they are added.
static SmallVector<Value> emitSelects(BlockEmitter &emitter,
                                      const LinearLayout &layout, Value share,
                                      const HiddenElements &hidden,
                                      ValueRange registers) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value first = emitCoordinate(emitter, layout, share, hidden.column);
  if (hidden.row)
    first = arith::SubIOp::create(
        builder, first, emitCoordinate(emitter, layout, share, *hidden.row));
  Value room = emitRoom(builder, hidden.limit, first);
  Value constant = emitConstant(builder, builder.getLoc(), hidden.replacement);
  SmallVector<Value> kept;
  for (auto [number, element] : llvm::enumerate(registers)) {
    Coordinates own = layout.apply(number);
    int64_t behind = own[hidden.column] - (hidden.row ? own[*hidden.row] : 0);
    Value isKept = arith::CmpIOp::create(builder, arith::CmpIPredicate::slt,
                                         emitI32(builder, behind), room);
    kept.push_back(arith::SelectOp::create(builder, isKept, element, constant));
  }
  return kept;
}

/// The number that the layout's bits count of the s-th share: digit by digit.
static Value emitShareNumber(BlockEmitter &emitter, const ShareDeal &deal,
                             Value share) {
  if (deal.extents.size() < 2)
    return share;
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value number = emitter.getIndex(0);
  int64_t stride = 1;
  for (int64_t extent : llvm::reverse(ArrayRef(deal.extents).drop_front())) {
    Value size = emitter.getIndex(extent);
    Value digit = arith::RemUIOp::create(builder, share, size);
    share = arith::DivUIOp::create(builder, share, size);
    number = arith::AddIOp::create(
        builder, number,
        arith::MulIOp::create(builder, digit, emitter.getIndex(stride)));
    stride *= llvm::PowerOf2Ceil(extent);
  }
  return arith::AddIOp::create(
      builder, number,
      arith::MulIOp::create(builder, share, emitter.getIndex(stride)));
}

/// The same of all shares of a warp, one after the other.
static SmallVector<Value> emitSelectsOfShares(BlockEmitter &emitter,
                                              RankedTensorType type,
                                              const HiddenElements &hidden,
                                              ValueRange registers) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  LinearLayout layout = *thread::getFragmentLayout(type);
  ShareDeal deal = thread::getShareDeal(type);
  SmallVector<Value> kept;
  for (unsigned round = 0; round < deal.getNumRounds(); ++round) {
    Value share = emitter.emitWarp();
    if (round > 0)
      share = arith::AddIOp::create(builder, share,
                                    emitter.getIndex(round * deal.numWarps));
    unsigned numRegisters = layout.getNumRegisters();
    Value number = emitShareNumber(emitter, deal, share);
    llvm::append_range(
        kept, emitSelects(emitter, layout, number, hidden,
                          registers.slice(round * numRegisters, numRegisters)));
  }
  return kept;
}

Value mlir::mirage::emitHeldMask(BlockEmitter &emitter, Operation *op,
                                 Value held) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto type = cast<RankedTensorType>(held.getType());
  ArrayRef<int64_t> tile =
      cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  HiddenElements hidden = readMask(emitter, op, tile);
  SmallVector<Type> types(thread::countElements(type), type.getElementType());
  ValueRange registers =
      UnrealizedConversionCastOp::create(builder, types, held).getResults();
  Value hidesSome =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, hidden.limit,
                            emitter.getIndex(tile[hidden.column]));
  auto choice = scf::IfOp::create(builder, types, hidesSome,
                                  /*addElseBlock=*/true);
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(builder,
                       emitSelectsOfShares(emitter, type, hidden, registers));
  builder.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(builder, registers);
  builder.setInsertionPointAfter(choice);
  return UnrealizedConversionCastOp::create(builder, type, choice.getResults())
      .getResult(0);
}
