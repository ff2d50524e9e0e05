//===- GraphLowering.cpp - Thread graphs as code of a lane ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphLowering.h"
#include "Mirage/Analysis/AheadProducts.h"
#include "Mirage/Analysis/HeldItems.h"
#include "Mirage/Analysis/WarpWindows.h"
#include "Mirage/Conversion/ScalarToArith.h"
#include "Mirage/Layout/FragmentRules.h"
#include "OperandForms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::mirage;

GraphLowering::GraphLowering(OpBuilder &builder, thread::GraphOp graph,
                             const LanePosition &position,
                             std::optional<int64_t> numThreads)
    : builder(builder), location(graph.getLoc()), graph(graph),
      position(position),
      header(cast<TileGraphOpInterface>(graph.getOperation()).getHeader()),
      ops(builder, location, position), coordinates(4), numThreads(numThreads),
      heldResults(graph->getNumResults()) {
  if (std::optional<HeldItems> held = findHeldItems(graph)) {
    deal = held->deal;
    header = held->items;
  }
  phases = computePhases(cast<TileGraphOpInterface>(graph.getOperation()));
  for (Operation &op : graph.getBody().front().without_terminator()) {
    if (auto accumulate = dyn_cast<thread::AccumulateOp>(op))
      accumulates.push_back(accumulate);
  }
}

/// Operators that have no code yet, and what has it instead.
static LogicalResult checkHasCode(Operation *op) {
  if (isa<thread::CpAsyncOp, thread::TmaLoadOp, thread::TmaStoreOp>(op))
    return op->emitOpError()
           << "expects loads and stores, for which there is code: a block's "
              "tiles are copied before its steps";
  auto accumulate = dyn_cast<thread::AccumulateOp>(op);
  if (accumulate && accumulate.getAxis() != AxisKind::Loop)
    return op->emitOpError() << "expects to accumulate over the loop, got axis "
                             << stringifyAxisKind(accumulate.getAxis());
  if (accumulate && accumulate.getRescale())
    return op->emitOpError()
           << "expects an accumulation that rescales nothing, "
              "for which there is code";
  return success();
}

/// What the code below takes for granted.
LogicalResult GraphLowering::check() {
  for (Type type : llvm::concat<const Type>(graph->getOperandTypes(),
                                            graph->getResultTypes())) {
    auto memref = dyn_cast<MemRefType>(type);
    bool isPlaced = memref ? memref.hasStaticShape()
                           : thread::getFragmentLayout(type).has_value();
    if (!isPlaced)
      return graph.emitOpError()
             << "expects tiles that are memrefs of static shape, or tensors "
                "with a layout, got "
             << type;
  }
  if (graph.getThreads() != 1 << kLaneBits)
    return graph.emitOpError()
           << "expects items of a warp, for which there is code, got threads("
           << graph.getThreads() << ")";
  for (const TileOutput &output : header.tileOutputs)
    if (llvm::is_contained(output.gridMap, kSummed))
      return graph.emitOpError()
             << "expects outputs that no axis of the items adds up";
  if (failed(checkSwizzles(graph)))
    return failure();
  Block &body = graph.getBody().front();
  for (Operation &op : body.without_terminator())
    if (failed(checkHasCode(&op)))
      return failure();
  for (auto op : body.getOps<thread::WgmmaOp>())
    if (failed(checkWarpgroupProduct(op)))
      return failure();
  for (Value window : body.getTerminator()->getOperands())
    if (!window.getDefiningOp<thread::StoreOp>())
      return body.getTerminator()->emitOpError()
             << "expects windows that a store has written";
  if (graph->hasAttr(kInFlightAttr) && failed(checkInFlight()))
    return failure();
  return checkHeldTiles();
}

LogicalResult GraphLowering::lower() {
  if (failed(check()))
    return failure();
  if (deal)
    return lowerHeldItems();
  OpBuilder::InsertionGuard guard(builder);
  Value numItems = emitIndex(builder, location, header.getNumBlocks());
  auto loop = scf::ForOp::create(builder, location, position.warp, numItems,
                                 position.numWarps);
  builder.setInsertionPointToStart(loop.getBody());
  return lowerItem(loop.getInductionVar());
}

LogicalResult GraphLowering::lowerItem(Value item, int64_t offset) {
  decodeItem(item, offset);
  if (failed(lowerPhase(Phase::Invariant)) || failed(lowerLoop()))
    return failure();
  finishAccumulators();
  if (failed(lowerPhase(Phase::After)))
    return failure();
  storeOutputs();
  return success();
}

/// Items count the last axis fastest.
void GraphLowering::decodeItem(Value item, int64_t offset) {
  for (int axis = header.grid.size(); axis-- > 0;) {
    int64_t extent = header.grid[axis];
    if (extent == 1)
      continue;
    int64_t before = 1;
    for (int64_t slower : ArrayRef(header.grid).take_front(axis))
      before *= slower;
    Value size = emitIndex(builder, location, extent);
    coordinates[axis] =
        before == 1 ? item
                    : arith::RemUIOp::create(builder, location, item, size);
    if (int64_t digit = before == 1 ? offset : offset % extent)
      coordinates[axis] =
          arith::AddIOp::create(builder, location, coordinates[axis],
                                emitIndex(builder, location, digit));
    if (before > 1)
      item = arith::DivUIOp::create(builder, location, item, size);
    offset /= extent;
  }
}

Value GraphLowering::emitOrigin(ArrayRef<Axis> axes, int64_t fragment,
                                ArrayRef<Value> coordinates) {
  Value linear;
  for (Axis axis : axes) {
    if (linear)
      linear = arith::MulIOp::create(
          builder, location, linear,
          emitIndex(builder, location, header.getExtent(axis)));
    Value coordinate = coordinates[static_cast<unsigned>(axis)];
    if (linear && coordinate)
      linear = arith::AddIOp::create(builder, location, linear, coordinate);
    else if (coordinate)
      linear = coordinate;
  }
  if (!linear || fragment == 1)
    return linear;
  return arith::MulIOp::create(builder, location, linear,
                               emitIndex(builder, location, fragment));
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

SmallVector<Value> GraphLowering::getInitialAccumulators() {
  SmallVector<Value> initial;
  for (thread::AccumulateOp op : accumulates) {
    if (auto joined = getJoinedSum(op)) {
      llvm::append_range(initial, get(joined->before).registers);
      continue;
    }
    Opcode reduction = readOperatorAttributes(op).reduction;
    LinearLayout layout = *thread::getFragmentLayout(op.getType());
    Value neutral = emitConstant(
        builder, location, getNeutral(getOperatorInfo(reduction).combiner));
    initial.append(layout.getNumRegisters(), neutral);
  }
  return initial;
}

void GraphLowering::setAccumulators(ValueRange registers) {
  for (thread::AccumulateOp op : accumulates) {
    LinearLayout layout = *thread::getFragmentLayout(op.getType());
    accumulators.erase(op);
    Fragment accumulator{layout, {}};
    if (!registers.empty()) {
      llvm::append_range(accumulator.registers,
                         registers.take_front(layout.getNumRegisters()));
      registers = registers.drop_front(layout.getNumRegisters());
    } else if (auto joined = getJoinedSum(op)) {
      accumulator.registers = get(joined->before).registers;
    }
    accumulators.try_emplace(op, std::move(accumulator));
  }
}

/// A loop of one step is no loop.
LogicalResult GraphLowering::lowerLoop() {
  if (header.loop == 1) {
    setAccumulators({});
    return lowerStep();
  }
  if (deal && keepsSharedOfProduct(graph, header, deal->numWarps))
    return lowerUnrolledLoop();
  for (auto [input, map] : llvm::enumerate(header.tileInputs))
    if (isHeld(input) && map.loopMap >= 0)
      return lowerUnrolledLoop();
  auto loop = scf::ForOp::create(
      builder, location, emitIndex(builder, location, 0),
      emitIndex(builder, location, header.loop),
      emitIndex(builder, location, 1), getInitialAccumulators());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    coordinates[static_cast<unsigned>(Axis::Loop)] = loop.getInductionVar();
    setAccumulators(loop.getRegionIterArgs());
    if (failed(lowerStep()))
      return failure();
    SmallVector<Value> joined;
    for (thread::AccumulateOp op : accumulates)
      llvm::append_range(joined, accumulators.find(op)->second.registers);
    if (!joined.empty())
      scf::YieldOp::create(builder, location, joined);
  }
  setAccumulators(loop.getResults());
  return success();
}

LogicalResult GraphLowering::lowerStep() {
  if (failed(lowerPhase(Phase::Loop)))
    return failure();
  for (thread::AccumulateOp op : accumulates)
    lowerAccumulate(op);
  return success();
}

Operation *GraphLowering::getFusedProduct(thread::AccumulateOp op) {
  Operation *product = op.getOperand().getDefiningOp();
  bool isProduct =
      isa_and_nonnull<thread::MatmulOp, thread::MmaOp, thread::WgmmaOp>(
          product);
  bool addsUp = op.getReduction() == ReductionKind::Sum && !op.getDims();
  return isProduct && addsUp && product->hasOneUse() ? product : nullptr;
}

void GraphLowering::lowerAccumulate(thread::AccumulateOp op) {
  Fragment &accumulator = accumulators.find(op)->second;
  if (Operation *product = getFusedProduct(op)) {
    accumulator = multiply(product, accumulator);
    return;
  }
  Attributes attributes = readOperatorAttributes(op);
  accumulator = ops.reduceRegisters(getOperatorInfo(attributes.reduction),
                                    get(op.getOperand()), attributes.dims,
                                    accumulator.layout, accumulator);
}

void GraphLowering::finishAccumulators() {
  for (thread::AccumulateOp op : accumulates) {
    Attributes attributes = readOperatorAttributes(op);
    LinearLayout reduced =
        *thread::getFragmentLayout(op.getOperand().getType());
    int64_t size = getAveragedCount(attributes, reduced.getShape(),
                                    header.getExtent(attributes.axis));
    if (getFusedProduct(op) && graph->getNumResults() == 0)
      keepWithAllLanes(accumulators.find(op)->second);
    set(op.getResult(), ops.reduceLanes(getOperatorInfo(attributes.reduction),
                                        accumulators.find(op)->second,
                                        attributes.dims, reduced, size));
  }
}

/// To LLVM an mma is arithmetic like any other, and may sink to where alone its
/// result is used: behind the guard of a store at a tile's edge, which only
/// some lanes pass. An empty statement that reads and writes the result stays
/// here.
void GraphLowering::keepWithAllLanes(Fragment &product) {
  auto dialect =
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT);
  for (Value &element : product.registers)
    element = LLVM::InlineAsmOp::create(
                  builder, location, element.getType(), element,
                  /*asm_string=*/"", /*constraints=*/"=f,0",
                  /*has_side_effects=*/true, /*is_align_stack=*/false,
                  LLVM::TailCallKind::None, dialect,
                  /*operand_attrs=*/ArrayAttr())
                  .getResult(0);
}

/// To LLVM memory may have changed here.
void GraphLowering::emitForgetLoads() {
  auto dialect =
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT);
  LLVM::InlineAsmOp::create(builder, location, TypeRange(), ValueRange(),
                            /*asm_string=*/"", /*constraints=*/"~{memory}",
                            /*has_side_effects=*/true, /*is_align_stack=*/false,
                            LLVM::TailCallKind::None, dialect,
                            /*operand_attrs=*/ArrayAttr());
}

void GraphLowering::set(Value value, Fragment fragment) {
  values.erase(value); // of another step
  values.try_emplace(value, std::move(fragment));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult GraphLowering::lowerPhase(Phase phase) {
  for (Operation &op : graph.getBody().front().without_terminator()) {
    if (isa<thread::AccumulateOp>(op) ||
        mirage::getExecutionPhase(&op, phases) != phase)
      continue;
    if (failed(lowerRow(&op)))
      return failure();
  }
  return success();
}

LogicalResult GraphLowering::lowerRow(Operation *op) {
  if (isa<thread::LoadOp, thread::LdmatrixOp>(op))
    return lowerLoad(op);
  // A store is carried out at the end, a product where it is added up.
  auto user = op->hasOneUse()
                  ? dyn_cast<thread::AccumulateOp>(*op->user_begin())
                  : thread::AccumulateOp();
  // Of windows nothing is moved.
  if (isa<thread::StoreOp>(op) || (user && getFusedProduct(user) == op) ||
      !thread::getFragmentLayout(op->getResult(0).getType()))
    return success();
  // A sum with what its accumulator started from is there.
  for (thread::AccumulateOp accumulate : accumulates)
    if (auto joined = getJoinedSum(accumulate); joined && joined->sum == op) {
      set(op->getResult(0), {*thread::getFragmentLayout(joined->sum.getType()),
                             get(accumulate).registers});
      return success();
    }
  LinearLayout layout = *thread::getFragmentLayout(op->getResult(0).getType());
  Fragment result =
      computeRow(op, cast<OperatorOpInterface>(op).getTableOpcode(), layout);
  Type elementType =
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  set(op->getResult(0), ops.cast(result, elementType));
  return success();
}

Fragment GraphLowering::multiply(Operation *product,
                                 const Fragment &accumulator) {
  LinearLayout layout =
      *thread::getFragmentLayout(product->getResult(0).getType());
  if (auto wgmma = dyn_cast<thread::WgmmaOp>(product))
    return multiplyTogether(wgmma, accumulator, layout);
  const Fragment &lhs = get(product->getOperand(0));
  const Fragment &rhs = get(product->getOperand(1));
  auto mma = dyn_cast<thread::MmaOp>(product);
  if (!mma)
    return ops.multiplyInLanes(lhs, rhs, accumulator, layout);
  unsigned bits = lhs.getElementType().getIntOrFloatBitWidth();
  return ops.multiplyTiles(*findMmaInstruction(mma.getShape(), bits), lhs, rhs,
                           accumulator, layout);
}

Fragment GraphLowering::reduce(Operation *op, const OperatorInfo &info,
                               const LinearLayout &layout) {
  Attributes attributes = readOperatorAttributes(op);
  const Fragment &operand = get(op->getOperand(0));
  Fragment partial = ops.reduceRegisters(info, operand, attributes.dims, layout,
                                         Fragment{layout, {}});
  return ops.reduceLanes(
      info, partial, attributes.dims, operand.layout,
      getAveragedCount(attributes, operand.layout.getShape()));
}

Fragment GraphLowering::move(Operation *op, const LinearLayout &layout) {
  const Fragment &operand = get(op->getOperand(0));
  if (auto masked = dyn_cast<thread::MaskOp>(op))
    return mask(masked);
  if (auto shuffle = dyn_cast<thread::ShuffleOp>(op))
    return ops.shuffle(operand, *findShuffleMask(layout, shuffle.getDims()));
  if (auto transpose = dyn_cast<thread::TransposeOp>(op)) {
    SmallVector<int> dims(transpose.getDims().size());
    for (auto [to, from] : llvm::enumerate(transpose.getDims()))
      dims[from] = to;
    return ops.rearrange(operand, layout, dims);
  }
  if (isa<thread::ReshapeOp>(op))
    return ops.rearrange(
        {operand.layout.reshape(layout.getShape()), operand.registers}, layout,
        llvm::to_vector(llvm::seq<int>(layout.getRank())));
  assert((isa<thread::BroadcastOp, thread::CastOp>(op)) &&
         "a movement without code");
  return ops.broadcast(operand, layout);
}

Fragment GraphLowering::computeRow(Operation *op, Opcode opcode,
                                   const LinearLayout &layout) {
  const OperatorInfo &info = getOperatorInfo(opcode);
  switch (info.kind) {
  case OperatorKind::Elementwise: {
    auto operands = llvm::map_to_vector(
        op->getOperands(), [&](Value operand) { return get(operand); });
    return ops.apply(opcode, readOperatorAttributes(op), operands, layout);
  }
  case OperatorKind::Contraction:
    return multiply(op, Fragment{layout, {}});
  case OperatorKind::Reduction:
    return reduce(op, info, layout);
  case OperatorKind::Movement:
    return move(op, layout);
  case OperatorKind::Copy:
    return ops.convertLayout(get(op->getOperand(0)), layout);
  case OperatorKind::Accumulate:
  case OperatorKind::Composed:
  case OperatorKind::Graph:
    break;
  }
  llvm_unreachable("no row of a thread graph");
}

Fragment GraphLowering::mask(thread::MaskOp op) {
  Attributes attributes = readOperatorAttributes(op);
  const Fragment &operand = get(op.getOperand());
  unsigned dim = attributes.dims[0];
  return ops.mask(operand, dim,
                  emitOrigin(attributes.axes, operand.layout.getShape()[dim]),
                  attributes.extent, attributes.scalars[0]);
}
