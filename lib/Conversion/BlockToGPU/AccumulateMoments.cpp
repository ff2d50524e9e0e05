//===- AccumulateMoments.cpp - Variances over the loop --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccumulateMoments.h"
#include "Mirage/Conversion/ScalarToArith.h"
#include "MoveElements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::mirage;

bool mlir::mirage::carriesMoments(block::AccumulateOp op) {
  Opcode reduction = readOperatorAttributes(op).reduction;
  return getOperatorInfo(reduction).combiner == Combiner::Moments;
}

namespace {
struct Moments {
  Value squares, mean, count;
};

/// Builds the steps of one accumulation, which give each thread the same
/// elements, so that no barrier is needed between them.
class MomentsEmitter {
public:
  MomentsEmitter(BlockEmitter &emitter, block::AccumulateOp op)
      : emitter(emitter), builder(emitter.builder),
        operand(emitter.getTile(op.getOperand())),
        carried(emitter.getCarried(op.getResult())),
        dims(readOperatorAttributes(op).dims),
        extents(llvm::map_to_vector(
            dims, [&](int64_t dim) { return getTileShape(operand)[dim]; })),
        numJoined(ShapedType::getNumElements(extents)), lanes(chooseLanes()) {}

  void emitInit() {
    forEachElement([&](ValueRange coordinates, Value, Value isWriter) {
      emitIf(isWriter, [&] {
        write(coordinates, {constant(0), constant(0), constant(0)});
      });
    });
  }

  void emitUpdate() {
    forEachElement([&](ValueRange coordinates, Value lane, Value isWriter) {
      Moments part = emitPart(coordinates, lane);
      emitIf(isWriter,
             [&] { write(coordinates, emitJoined(read(coordinates), part)); });
    });
  }

  void emitFinish() {
    forEachElement([&](ValueRange coordinates, Value, Value isWriter) {
      emitIf(isWriter, [&] {
        Moments all = read(coordinates);
        emitter.writeElement(carried[0], coordinates,
                             divide(all.squares, all.count));
      });
    });
  }

private:
  /// As many as find work, but no more than leave a few elements of the result
  /// to each group: an element has its costs whatever its lanes do.
  int64_t chooseLanes() const {
    constexpr int64_t kWarp = 32, kElementsOfGroup = 8;
    int64_t numResults = ShapedType::getNumElements(getTileShape(carried[0]));
    int64_t number = std::min<int64_t>(kWarp, llvm::PowerOf2Ceil(numJoined));
    while (number > 1 &&
           numResults * number > kElementsOfGroup * emitter.header.threads)
      number /= 2;
    return number;
  }

  /// `body` gets the coordinates of an element of the result, the lane's number
  /// among those that share it, and whether it is the one that writes it.
  void forEachElement(llvm::function_ref<void(ValueRange, Value, Value)> body) {
    emitter.forEachElementOfGroups(
        getTileShape(carried[0]), lanes,
        [&](ValueRange coordinates, Value lane, Value isOwn) {
          Value isFirst = arith::CmpIOp::create(
              builder, arith::CmpIPredicate::eq, lane, emitter.getIndex(0));
          body(coordinates, lane,
               arith::AndIOp::create(builder, isOwn, isFirst));
        });
  }

  void emitIf(Value condition, llvm::function_ref<void()> body) {
    auto guard =
        scf::IfOp::create(builder, condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard insertion(builder);
    builder.setInsertionPointToStart(guard.thenBlock());
    body();
  }

  Moments read(ValueRange coordinates) {
    return {emitter.readElement(carried[0], coordinates),
            emitter.readElement(carried[1], coordinates),
            emitter.readElement(carried[2], coordinates)};
  }

  void write(ValueRange coordinates, const Moments &moments) {
    emitter.writeElement(carried[0], coordinates, moments.squares);
    emitter.writeElement(carried[1], coordinates, moments.mean);
    emitter.writeElement(carried[2], coordinates, moments.count);
  }

  /// The moments of what one tile brings to an element; all lanes have them.
  Moments emitPart(ValueRange coordinates, Value lane) {
    Value zero = constant(0), one = constant(1);
    SmallVector<Value> sums = emitSums(
        coordinates, lane, {zero, zero}, [&](Value element, Value isThere) {
          return SmallVector<Value>{select(isThere, one, zero),
                                    select(isThere, element, zero)};
        });
    Value count = sums[0];
    // Of no elements it is never used: they join with a share of 0.
    Value mean =
        divide(sums[1], arith::MaximumFOp::create(builder, count, one));
    Value squares =
        emitSums(coordinates, lane, zero, [&](Value element, Value isThere) {
          Value difference = arith::SubFOp::create(builder, element, mean);
          Value square = multiply(difference, difference);
          return SmallVector<Value>{select(isThere, square, zero)};
        }).front();
    return {squares, mean, count};
  }

  /// Adds up what `body` makes of each element, given whether it is there, over
  /// the elements of a lane, and then over the lanes.
  SmallVector<Value>
  emitSums(ValueRange coordinates, Value lane, ValueRange first,
           llvm::function_ref<SmallVector<Value>(Value, Value)> body) {
    auto loop = scf::ForOp::create(builder, lane, emitter.getIndex(numJoined),
                                   emitter.getIndex(lanes), first);
    {
      OpBuilder::InsertionGuard insertion(builder);
      builder.setInsertionPointToStart(loop.getBody());
      Value element = readOperand(coordinates, loop.getInductionVar());
      Value isThere =
          arith::CmpFOp::create(builder, arith::CmpFPredicate::UNE, element,
                                constant(getNeutral(Combiner::Moments)));
      SmallVector<Value> sums;
      for (auto [sum, term] :
           llvm::zip_equal(loop.getRegionIterArgs(), body(element, isThere)))
        sums.push_back(arith::AddFOp::create(builder, sum, term));
      scf::YieldOp::create(builder, sums);
    }
    return llvm::map_to_vector(loop.getResults(),
                               [&](Value sum) { return emitLaneSum(sum); });
  }

  /// \param number  of the element among those that meet in one of the result.
  Value readOperand(ValueRange coordinates, Value number) {
    SmallVector<Value> position(coordinates);
    if (!dims.empty())
      for (auto [dim, index] :
           llvm::zip_equal(dims, emitter.delinearize(number, extents)))
        position[dim] = index;
    return emitter.readElement(operand, position);
  }

  Value emitLaneSum(Value sum) {
    for (int64_t distance = 1; distance < lanes; distance *= 2) {
      Value other =
          gpu::ShuffleOp::create(builder, builder.getLoc(), sum, distance,
                                 /*width=*/32, gpu::ShuffleMode::XOR)
              .getShuffleResult();
      sum = arith::AddFOp::create(builder, sum, other);
    }
    return sum;
  }

  Moments emitJoined(const Moments &before, const Moments &part) {
    Value count = arith::AddFOp::create(builder, before.count, part.count);
    Value share = divide(
        part.count, arith::MaximumFOp::create(builder, count, constant(1)));
    Value difference = arith::SubFOp::create(builder, part.mean, before.mean);
    Value step = multiply(difference, share);
    Value between = multiply(multiply(difference, step), before.count);
    Value squares =
        arith::AddFOp::create(builder, before.squares, part.squares);
    return {arith::AddFOp::create(builder, squares, between),
            arith::AddFOp::create(builder, before.mean, step), count};
  }

  Value constant(double value) {
    return emitConstant(builder, builder.getLoc(), value);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(builder, condition, yes, no);
  }
  Value multiply(Value lhs, Value rhs) {
    return arith::MulFOp::create(builder, lhs, rhs);
  }
  Value divide(Value lhs, Value rhs) {
    return arith::DivFOp::create(builder, lhs, rhs);
  }

  BlockEmitter &emitter;
  ImplicitLocOpBuilder &builder;
  Value operand;
  ArrayRef<Value> carried; ///< squares, means, counts
  SmallVector<int64_t> dims, extents;
  int64_t numJoined; ///< elements of a tile that meet in one of the result
  int64_t lanes;     ///< that share an element of the result
};
} // namespace

void mlir::mirage::emitInitMoments(BlockEmitter &emitter,
                                   block::AccumulateOp op) {
  MomentsEmitter(emitter, op).emitInit();
}

void mlir::mirage::emitUpdateMoments(BlockEmitter &emitter,
                                     block::AccumulateOp op) {
  MomentsEmitter(emitter, op).emitUpdate();
}

void mlir::mirage::emitFinishMoments(BlockEmitter &emitter,
                                     block::AccumulateOp op) {
  MomentsEmitter(emitter, op).emitFinish();
}
