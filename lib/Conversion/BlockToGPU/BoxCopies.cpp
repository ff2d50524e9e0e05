//===- BoxCopies.cpp - Tiles that the copy engine loads -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoxCopies.h"
#include "LaunchBarriers.h"
#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Analysis/Multicast.h"
#include "Mirage/Conversion/BlockToGPU.h"
#include "Mirage/Layout/LinearLayout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"

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
  int64_t first =
      barrier == Barrier::IsThere
          ? places.barriersOffset
          : places.barriersOffset + places.number * kCopyBarrierBytes;
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
  emitByThread(places.hasLoadingWarps ? emitter.header.threads : 0, body);
}

void BoxCopies::forEachBarrier(
    llvm::function_ref<void(Barrier, Value)> action) {
  for (Barrier barrier : {Barrier::IsThere, Barrier::IsFree})
    if (barrier == Barrier::IsThere || places.areHandedBack)
      for (unsigned place = 0; place < places.number; ++place)
        action(barrier, getBarrier(barrier, emitter.getIndex(place)));
}

int64_t BoxCopies::getNumSharers(const BoxedInput &input) const {
  return areShared()
             ? countBlocksAlong(places.cluster.getExtents(), input.sameAlong)
             : 1;
}

bool BoxCopies::loadsFor(int64_t rank, int64_t other) const {
  return llvm::any_of(inputs, [&](const BoxedInput &input) {
    return getNumSharers(input) > 1 &&
           places.cluster.differAlong(input.sameAlong, rank, other);
  });
}

/// That of one thread, or those of all warps that read what a block loads, as
/// many for each block.
int64_t BoxCopies::countArrivals(Barrier barrier) const {
  if (barrier == Barrier::IsThere)
    return 1;
  int64_t numWarps = emitter.header.threads >> kLaneBits;
  if (!areShared())
    return numWarps;
  return numWarps * llvm::count_if(llvm::seq(places.cluster.getNumBlocks()),
                                   [&](int64_t other) {
                                     return loadsFor(/*rank=*/0, other);
                                   });
}

void BoxCopies::emitInit() {
  ImplicitLocOpBuilder &builder = emitter.builder;
  // Of a kernel before, whose tiles lay where boxes come.
  emitProxyFence(emitter.builder);
  emitByThread(0, [&] {
    forEachBarrier([&](Barrier barrier, Value pointer) {
      NVVM::MBarrierInitOp::create(builder, pointer,
                                   emitI32(builder, countArrivals(barrier)),
                                   /*predicate=*/Value());
    });
    NVVM::FenceMbarrierInitOp::create(builder);
  });
  if (areShared())
    emitClusterBarrier(builder);
  else
    emitter.emitBarrier();
}

/// Of the first box, the innermost dimension first.
SmallVector<Value> BoxCopies::getFirstCoordinates(const BoxedInput &input) {
  auto tile = cast<RankedTensorType>(input.tile);
  SmallVector<SmallVector<Axis, 2>> cuttingAxes;
  for (int64_t dim = 0; dim < tile.getRank(); ++dim)
    cuttingAxes.push_back(emitter.header.getCuttingAxes(input.input, dim));
  SmallVector<Value> origin = emitter.getOrigin(cuttingAxes, tile.getShape());
  return llvm::map_to_vector(llvm::reverse(origin), [&](Value coordinate) {
    return toI32(emitter.builder, coordinate);
  });
}

namespace {
/// One box of a tile, by its number, an i32, which is known or is not.
struct Box {
  const TileBoxes &boxes;
  Value number;

  /// Moves the coordinates of the tile's first box to it.
  SmallVector<Value> emitCoordinates(ImplicitLocOpBuilder &builder,
                                     ArrayRef<Value> first) const;
  /// Bytes from the start of the tile, of type index.
  Value emitOffset(ImplicitLocOpBuilder &builder) const;
};
} // namespace

SmallVector<Value> Box::emitCoordinates(ImplicitLocOpBuilder &builder,
                                        ArrayRef<Value> first) const {
  Value numParts = emitI32(builder, boxes.numParts);
  Value steps[] = {arith::DivUIOp::create(builder, number, numParts),
                   arith::RemUIOp::create(builder, number, numParts)};
  SmallVector<Value> coordinates(first);
  for (unsigned dim : {0, 1}) {
    Value distance = arith::MulIOp::create(
        builder, steps[dim], emitI32(builder, boxes.map.box[dim]));
    coordinates[dim] =
        arith::AddIOp::create(builder, coordinates[dim], distance);
  }
  return coordinates;
}

Value Box::emitOffset(ImplicitLocOpBuilder &builder) const {
  Value bytes = arith::MulIOp::create(
      builder, number, emitI32(builder, boxes.map.getSharedBytes()));
  return arith::IndexCastOp::create(builder, builder.getIndexType(), bytes);
}

/// A copy that is for this block alone names its shared memory as such.
void BoxCopies::emitBoxes(const BoxedInput &input, Value place, Value barrier) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  SmallVector<Value> first = getFirstCoordinates(input);
  Value start = arith::AddIOp::create(
      builder, emitter.getIndex(input.ring.offsetBytes),
      arith::MulIOp::create(builder, place,
                            emitter.getIndex(input.placeStride)));
  Value address = getMapAddress(builder, input.map);
  int64_t numSharers = getNumSharers(input);
  Value own, mask;
  if (numSharers > 1) {
    Value rank = ClusterRanks::emitRank(builder);
    own = places.cluster.emitNumberAlong(builder, input.sameAlong, rank);
    mask = places.cluster.emitMaskAlong(builder, input.sameAlong, rank);
  }
  for (unsigned box = 0; box < input.boxes.getNumBoxes(); box += numSharers) {
    Value number = emitI32(builder, box);
    if (own)
      number = arith::AddIOp::create(builder, own, number);
    Box copied{input.boxes, number};
    SmallVector<Value> coordinates = copied.emitCoordinates(builder, first);
    Value target = getPointer(
        arith::AddIOp::create(builder, start, copied.emitOffset(builder)));
    if (mask)
      target = LLVM::AddrSpaceCastOp::create(
          builder,
          LLVM::LLVMPointerType::get(builder.getContext(), kClusterSharedSpace),
          target);
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        builder, target, address, coordinates, barrier,
        /*im2colOffsets=*/ValueRange(), mask,
        /*l2CacheHint=*/Value(), NVVM::TMALoadMode::TILE,
        /*isCTAOnly=*/!mask,
        /*group=*/NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
  }
}

/// What a place had before has the phase before: that one all warps complete
/// when they hand it back, and of the first it is complete from the start.
void BoxCopies::emitWaitUntilFree(Value place, Value parity) {
  if (places.areHandedBack)
    emitWaitFor(getBarrier(Barrier::IsFree, place),
                arith::XOrIOp::create(emitter.builder, parity,
                                      emitI32(emitter.builder, /*value=*/1)));
}

/// The bytes of all boxes, those of other blocks among them.
void BoxCopies::emitCopies(Value place, Value parity) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  int64_t numBytes = 0;
  for (const BoxedInput &input : inputs)
    numBytes += input.boxes.getNumBoxes() * input.boxes.map.getBoxBytes();
  emitWaitUntilFree(place, parity);
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
/// the others have read; in a cluster, one for each block.
void BoxCopies::emitHandBack(Value place) {
  if (!places.areHandedBack)
    return;
  ImplicitLocOpBuilder &builder = emitter.builder;
  emitReadFence();
  NVVM::SyncWarpOp::create(builder, emitI32(builder, -1));
  Value barrier = getBarrier(Barrier::IsFree, place);
  if (areShared())
    return emitArrivals(barrier);
  auto guard = scf::IfOp::create(builder, emitter.emitIsFirstLane(),
                                 /*withElseRegion=*/false);
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToStart(guard.thenBlock());
  NVVM::MBarrierArriveOp::create(builder, /*res=*/Type(), barrier,
                                 /*count=*/Value(), getBlockScope(builder),
                                 builder.getBoolAttr(false));
}

/// `loadsFor`, of values of type i32: an i1, or null where that is always so.
Value BoxCopies::emitLoadsFor(Value rank, Value other) {
  assert(llvm::any_of(inputs,
                      [&](const BoxedInput &input) {
                        return getNumSharers(input) > 1;
                      }) &&
         "blocks that share nothing load for nobody");
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value result;
  for (const BoxedInput &input : inputs) {
    if (getNumSharers(input) == 1)
      continue;
    Value isSame =
        places.cluster.emitDifferAlong(builder, input.sameAlong, rank, other);
    if (!isSame)
      return {};
    result = result ? arith::OrIOp::create(builder, result, isSame) : isSame;
  }
  return result;
}

/// The same number, of which LLVM knows nothing: what depends on it stays
/// behind the guard that it stands in.
static Value emitOpaque(ImplicitLocOpBuilder &builder, Value number) {
  return LLVM::InlineAsmOp::create(
             builder, number.getType(), number, /*asm_string=*/"",
             /*constraints=*/"=r,0", /*has_side_effects=*/true,
             /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
             LLVM::AsmDialectAttr(), ArrayAttr())
      .getResult(0);
}

/// Lane n arrives at the mbarrier of the block with rank n, if that one loads
/// for this block. Others may not ask where a block is that there is not.
void BoxCopies::emitArrivals(Value barrier) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value lane = toI32(builder, emitter.emitLane());
  Value arrives =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, lane,
                            emitI32(builder, places.cluster.getNumBlocks()));
  if (Value loadsFor = emitLoadsFor(ClusterRanks::emitRank(builder), lane))
    arrives = arith::AndIOp::create(builder, arrives, loadsFor);
  auto guard = scf::IfOp::create(builder, arrives, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToStart(guard.thenBlock());
  Value remote = NVVM::MapaOp::create(
      builder,
      LLVM::LLVMPointerType::get(builder.getContext(), kClusterSharedSpace),
      barrier, emitOpaque(builder, lane));
  NVVM::MBarrierArriveOp::create(builder, /*res=*/Type(), remote,
                                 /*count=*/Value(), getBlockScope(builder),
                                 builder.getBoolAttr(false));
}

void BoxCopies::emitReadFence() {
  if (places.areReadByThreads)
    emitProxyFence(emitter.builder);
}

void BoxCopies::emitInvalidate(llvm::function_ref<void()> prepare) {
  emitter.emitBarrier();
  emitByThread(0, [&] {
    prepare();
    forEachBarrier([&](Barrier, Value pointer) {
      NVVM::MBarrierInvalOp::create(emitter.builder, pointer);
    });
  });
}
