//===- BoxCopies.cpp - Tiles that the copy engine loads -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoxCopies.h"
#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Conversion/BlockToGPU.h"
#include "Mirage/Layout/LinearLayout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::mirage;

/// The engine counts in 32 bits.
static Value toI32(ImplicitLocOpBuilder &builder, Value index) {
  return arith::IndexCastOp::create(builder, builder.getI32Type(), index);
}

static NVVM::MemScopeKindAttr getBlockScope(Builder &builder) {
  return NVVM::MemScopeKindAttr::get(builder.getContext(),
                                     NVVM::MemScopeKind::CTA);
}

Value BoxCopies::getPointer(Value offsetBytes) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto type = LLVM::LLVMPointerType::get(builder.getContext(), kSharedSpace);
  Value base = LLVM::AddressOfOp::create(
      builder, type,
      FlatSymbolRefAttr::get(builder.getContext(), kSharedMemorySymbol));
  return LLVM::GEPOp::create(
      builder, type, builder.getI8Type(), base,
      ArrayRef<LLVM::GEPArg>{toI32(builder, offsetBytes)});
}

Value BoxCopies::getBarrier(Barrier barrier, Value place) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value distance = arith::MulIOp::create(builder, place,
                                         emitter.getIndex(kCopyBarrierBytes));
  int64_t first = barrier == Barrier::IsThere
                      ? barriersOffset
                      : barriersOffset + numPlaces * kCopyBarrierBytes;
  return getPointer(
      arith::AddIOp::create(builder, emitter.getIndex(first), distance));
}

/// A memref that is a parameter lowers to its pointer.
static Value getMapAddress(ImplicitLocOpBuilder &builder, Value memref) {
  MLIRContext *context = builder.getContext();
  auto pointer = LLVM::LLVMPointerType::get(context);
  Type i64 = builder.getI64Type();
  Type list = LLVM::LLVMArrayType::get(
      i64, cast<MemRefType>(memref.getType()).getRank());
  auto descriptorType = LLVM::LLVMStructType::getLiteral(
      context, {pointer, pointer, i64, list, list});
  Value descriptor =
      UnrealizedConversionCastOp::create(builder, descriptorType, memref)
          .getResult(0);
  return LLVM::ExtractValueOp::create(builder, descriptor, 1);
}

/// What this thread has read and written comes before what the engine writes.
static void emitProxyFence(ImplicitLocOpBuilder &builder) {
  MLIRContext *context = builder.getContext();
  NVVM::FenceProxyOp::create(
      builder, NVVM::ProxyKindAttr::get(context, NVVM::ProxyKind::async_shared),
      NVVM::SharedSpaceAttr::get(context, NVVM::SharedSpace::shared_cta));
}

void BoxCopies::emitByThread(int64_t number, llvm::function_ref<void()> body) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto guard = scf::IfOp::create(builder, emitIsThread(builder, number),
                                 /*withElseRegion=*/false);
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToStart(guard.thenBlock());
  body();
}

void BoxCopies::emitByLoadingThread(llvm::function_ref<void()> body) {
  emitByThread(hasLoadingWarps ? emitter.header.threads : 0, body);
}

void BoxCopies::forEachBarrier(
    llvm::function_ref<void(Barrier, Value)> action) {
  for (Barrier barrier : {Barrier::IsThere, Barrier::IsFree})
    if (barrier == Barrier::IsThere || handsBack)
      for (unsigned place = 0; place < numPlaces; ++place)
        action(barrier, getBarrier(barrier, emitter.getIndex(place)));
}

void BoxCopies::emitInit() {
  ImplicitLocOpBuilder &builder = emitter.builder;
  // Of a kernel before, whose tiles lay where boxes come.
  emitProxyFence(emitter.builder);
  emitByThread(0, [&] {
    forEachBarrier([&](Barrier barrier, Value pointer) {
      int64_t numWarps = emitter.header.threads >> kLaneBits;
      int64_t numArrivals = barrier == Barrier::IsThere ? 1 : numWarps;
      NVVM::MBarrierInitOp::create(builder, pointer,
                                   emitI32(builder, numArrivals),
                                   /*predicate=*/Value());
    });
    NVVM::FenceMbarrierInitOp::create(builder);
  });
  emitter.emitBarrier();
}

void BoxCopies::emitBoxes(const BoxedInput &input, Value place, Value barrier) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  const TensorMap &map = input.boxes.map;
  auto tile = cast<RankedTensorType>(input.tile);
  SmallVector<SmallVector<Axis, 2>> cuttingAxes;
  for (int64_t dim = 0; dim < tile.getRank(); ++dim)
    cuttingAxes.push_back(emitter.header.getCuttingAxes(input.input, dim));
  SmallVector<Value> origin = emitter.getOrigin(cuttingAxes, tile.getShape());
  SmallVector<Value> first; // coordinates of the first box
  for (Value coordinate : llvm::reverse(origin))
    first.push_back(toI32(builder, coordinate));
  Value start = arith::AddIOp::create(
      builder, emitter.getIndex(input.ring.offsetBytes),
      arith::MulIOp::create(builder, place,
                            emitter.getIndex(input.placeStride)));
  Value address = getMapAddress(builder, input.map);
  auto advance = [&](Value coordinate, int64_t distance) -> Value {
    return arith::AddIOp::create(builder, coordinate,
                                 emitI32(builder, distance));
  };
  for (unsigned box = 0; box < input.boxes.getNumBoxes(); ++box) {
    unsigned panel = box / input.boxes.numParts,
             part = box % input.boxes.numParts;
    SmallVector<Value> coordinates(first);
    coordinates[0] = advance(coordinates[0], panel * map.box[0]);
    coordinates[1] = advance(coordinates[1], part * map.box[1]);
    Value offset = arith::AddIOp::create(
        builder, start, emitter.getIndex(box * map.getSharedBytes()));
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        builder, getPointer(offset), address, coordinates, barrier,
        /*im2colOffsets=*/ValueRange(), /*multicastMask=*/Value(),
        /*l2CacheHint=*/Value(), NVVM::TMALoadMode::TILE, /*isCTAOnly=*/true,
        /*group=*/NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
  }
}

/// What a place had before has the phase before: that one all warps complete
/// when they hand it back, and of the first it is complete from the start.
void BoxCopies::emitCopies(Value place, Value parity) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  int64_t numBytes = 0;
  for (const BoxedInput &input : inputs)
    numBytes += input.boxes.getNumBoxes() * input.boxes.map.getBoxBytes();
  if (handsBack)
    emitWaitFor(
        getBarrier(Barrier::IsFree, place),
        arith::XOrIOp::create(builder, parity, emitI32(builder, /*value=*/1)));
  Value barrier = getBarrier(Barrier::IsThere, place);
  NVVM::MBarrierArriveExpectTxOp::create(
      builder, /*res=*/Type(), barrier, emitI32(builder, numBytes),
      getBlockScope(builder), builder.getBoolAttr(false),
      /*predicate=*/Value());
  for (const BoxedInput &input : inputs)
    emitBoxes(input, place, barrier);
}

void BoxCopies::emitWait(Value place, Value parity) {
  emitWaitFor(getBarrier(Barrier::IsThere, place), parity);
}

void BoxCopies::emitWaitFor(Value barrier, Value parity) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto loop = scf::WhileOp::create(builder, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard insertion(builder);
  builder.createBlock(&loop.getBefore());
  Value isThere = NVVM::MBarrierTryWaitOp::create(
      builder, builder.getI1Type(), barrier, parity, /*ticks=*/Value(),
      getBlockScope(builder));
  Value isMissing = arith::XOrIOp::create(
      builder, isThere,
      arith::ConstantIntOp::create(builder, builder.getI1Type(), 1));
  scf::ConditionOp::create(builder, isMissing, ValueRange());
  builder.createBlock(&loop.getAfter());
  scf::YieldOp::create(builder);
}

/// One lane arrives for its warp, behind a barrier of the warp that orders what
/// the others have read.
void BoxCopies::emitHandBack(Value place) {
  if (!handsBack)
    return;
  ImplicitLocOpBuilder &builder = emitter.builder;
  emitReadFence();
  NVVM::SyncWarpOp::create(builder, emitI32(builder, -1));
  auto guard = scf::IfOp::create(builder, emitter.emitIsFirstLane(),
                                 /*withElseRegion=*/false);
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToStart(guard.thenBlock());
  NVVM::MBarrierArriveOp::create(
      builder, /*res=*/Type(), getBarrier(Barrier::IsFree, place),
      /*count=*/Value(), getBlockScope(builder), builder.getBoolAttr(false));
}

void BoxCopies::emitReadFence() {
  if (areReadByThreads)
    emitProxyFence(emitter.builder);
}

void BoxCopies::emitInvalidate() {
  emitter.emitBarrier();
  emitByThread(0, [&] {
    forEachBarrier([&](Barrier, Value pointer) {
      NVVM::MBarrierInvalOp::create(emitter.builder, pointer);
    });
  });
}
