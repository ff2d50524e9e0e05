//===- LaunchBarriers.cpp - Blocks that wait for blocks -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchBarriers.h"
#include "BlockEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::mirage;

/// The memory model's scope of all blocks, by LLVM's name.
static constexpr llvm::StringLiteral kDeviceScope = "device";

/// Arrival releases and waiting acquires, unless they say otherwise.
void mlir::mirage::emitClusterBarrier(ImplicitLocOpBuilder &builder) {
  auto aligned = builder.getUnitAttr();
  NVVM::ClusterArriveOp::create(builder, aligned);
  NVVM::ClusterWaitOp::create(builder, aligned);
}

void mlir::mirage::emitStoreFence(ImplicitLocOpBuilder &builder) {
  NVVM::FenceProxyOp::create(
      builder,
      NVVM::ProxyKindAttr::get(builder.getContext(),
                               NVVM::ProxyKind::async_global),
      /*space=*/NVVM::SharedSpaceAttr());
}

/// Each counter has a line of L2 to itself, as arrivals at one line queue up.
static constexpr int64_t kCounterStride = 128 / sizeof(int32_t);

/// Counters that the driver sets to zero when it loads the module.
static LLVM::GlobalOp addCounters(ImplicitLocOpBuilder &builder,
                                  gpu::GPUFuncOp kernel, const Twine &name,
                                  int64_t numCounters) {
  int64_t number = numCounters * kCounterStride;
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPoint(kernel);
  Type element = builder.getI32Type();
  auto zeros = DenseElementsAttr::get(RankedTensorType::get(number, element),
                                      builder.getI32IntegerAttr(0));
  return LLVM::GlobalOp::create(
      builder, LLVM::LLVMArrayType::get(element, number), /*isConstant=*/false,
      LLVM::Linkage::Internal, name.str(), zeros, /*alignment=*/128,
      kGlobalSpace);
}

Value mlir::mirage::emitGroupNumber(ImplicitLocOpBuilder &builder,
                                    ArrayRef<int64_t> grid, unsigned axis,
                                    ValueRange coordinates) {
  Value group = arith::ConstantIndexOp::create(builder, 0);
  for (auto [other, extent] : llvm::enumerate(grid)) {
    if (other == axis)
      continue;
    Value scaled = arith::MulIOp::create(
        builder, group, arith::ConstantIndexOp::create(builder, extent));
    group = arith::AddIOp::create(builder, scaled, coordinates[other]);
  }
  return group;
}

ArrivalCounter mlir::mirage::addArrivalCounter(
    ImplicitLocOpBuilder &builder, gpu::GPUFuncOp kernel, const Twine &name,
    ArrayRef<int64_t> grid, unsigned axis, ValueRange coordinates) {
  int64_t numGroups = ShapedType::getNumElements(grid) / grid[axis];
  return {addCounters(builder, kernel, name, numGroups),
          emitGroupNumber(builder, grid, axis, coordinates), grid[axis]};
}

static Value getAddress(ImplicitLocOpBuilder &builder,
                        const ArrivalCounter &counter) {
  Value base = LLVM::AddressOfOp::create(builder, counter.variable);
  Value number = arith::MulIOp::create(
      builder, counter.group,
      arith::ConstantIndexOp::create(builder, kCounterStride));
  Value offset =
      arith::IndexCastOp::create(builder, builder.getI64Type(), number);
  return LLVM::GEPOp::create(builder, base.getType(), builder.getI32Type(),
                             base, ArrayRef<LLVM::GEPArg>{offset});
}

/// The first thread counts for its block. What the others wrote is before its
/// arrival by one barrier of the block, and what they read after it by the next
/// one, which also tells them. The counter wraps around to zero. Release and
/// acquire are fences, as LLVM prints atomics relaxed, whatever their order is.
Value mlir::mirage::emitLastArrival(ImplicitLocOpBuilder &builder,
                                    const ArrivalCounter &counter,
                                    const BlockBarrier &barrier) {
  Type i1 = builder.getI1Type();
  barrier.emit(builder);
  auto guard =
      scf::IfOp::create(builder, i1, emitIsThread(builder, /*number=*/0),
                        /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard insertion(builder);
    builder.setInsertionPointToStart(guard.thenBlock());
    Value most = emitI32(builder, counter.groupSize - 1);
    LLVM::FenceOp::create(builder, LLVM::AtomicOrdering::release, kDeviceScope);
    Value before = LLVM::AtomicRMWOp::create(
        builder, LLVM::AtomicBinOp::uinc_wrap, getAddress(builder, counter),
        most, LLVM::AtomicOrdering::monotonic, kDeviceScope);
    Value isLast =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, before, most);
    auto acquire = scf::IfOp::create(builder, isLast, /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard inner(builder);
      builder.setInsertionPointToStart(acquire.thenBlock());
      LLVM::FenceOp::create(builder, LLVM::AtomicOrdering::acquire,
                            kDeviceScope);
    }
    scf::YieldOp::create(builder, isLast);
    builder.setInsertionPointToStart(guard.elseBlock());
    scf::YieldOp::create(
        builder, arith::ConstantIntOp::create(builder, i1, 0).getResult());
  }
  return barrier.emitAny(builder, guard.getResult(0));
}

static void emitGridControl(ImplicitLocOpBuilder &builder, StringRef text,
                            StringRef constraints) {
  LLVM::InlineAsmOp::create(builder, /*resultTypes=*/TypeRange(),
                            /*operands=*/ValueRange(), text, constraints,
                            /*has_side_effects=*/true, /*is_align_stack=*/false,
                            LLVM::tailcallkind::TailCallKind::None,
                            LLVM::AsmDialectAttr(), ArrayAttr());
}

/// As inline assembly: what MLIR has is an intrinsic that LLVM takes to touch
/// no memory, and loads of what a kernel only reads could come before it.
void mlir::mirage::emitWaitForLaunch(ImplicitLocOpBuilder &builder) {
  emitGridControl(builder, "griddepcontrol.wait;", "~{memory}");
}

void mlir::mirage::emitAdmitNextLaunch(ImplicitLocOpBuilder &builder) {
  emitGridControl(builder, "griddepcontrol.launch_dependents;", "");
}
