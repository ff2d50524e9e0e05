//===- GraphLowering.cpp - Thread graphs as code of a lane ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphLowering.h"
#include "Mirage/Analysis/FragmentLayout.h"
#include "Mirage/Conversion/ScalarToArith.h"
#include "TileAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::mirage;

GraphLowering::GraphLowering(OpBuilder &builder, thread::GraphOp graph,
                             const LanePosition &position)
    : builder(builder), location(graph.getLoc()), graph(graph),
      position(position),
      header(cast<TileGraphOpInterface>(graph.getOperation()).getHeader()),
      ops(builder, location, position), coordinates(4) {
  phases = computePhases(cast<TileGraphOpInterface>(graph.getOperation()));
  for (Operation &op : graph.getBody().front().without_terminator()) {
    if (auto accumulate = dyn_cast<thread::AccumulateOp>(op))
      accumulates.push_back(accumulate);
  }
}

/// What the code below takes for granted.
LogicalResult GraphLowering::check() {
  for (Value tile : graph->getOperands()) {
    auto type = dyn_cast<MemRefType>(tile.getType());
    if (!type || !type.hasStaticShape())
      return graph.emitOpError()
             << "expects tiles that are memrefs of static shape, got "
             << tile.getType();
  }
  for (const TileOutput &output : header.tileOutputs)
    if (llvm::is_contained(output.gridMap, kSummed))
      return graph.emitOpError()
             << "expects outputs that no axis of the items adds up";
  auto checkType = [&](Value value) -> LogicalResult {
    if (mirage::getFragmentLayout(value.getType()))
      return success();
    return graph.emitOpError()
           << "expects fragments with a #mirage_thread.layout, got "
           << value.getType();
  };
  for (Value argument : graph.getBody().getArguments())
    if (failed(checkType(argument)))
      return failure();
  for (Operation &op : graph.getBody().front().without_terminator())
    if (failed(checkType(op.getResult(0))))
      return failure();
  for (thread::AccumulateOp op : accumulates)
    if (op.getAxis() != AxisKind::Loop)
      return op.emitOpError()
             << "expects to accumulate over the loop, got axis "
             << stringifyAxisKind(op.getAxis());
  return success();
}

LogicalResult GraphLowering::lower() {
  if (failed(check()))
    return failure();
  OpBuilder::InsertionGuard guard(builder);
  Value numItems = emitIndex(builder, location, header.getNumBlocks());
  auto loop = scf::ForOp::create(builder, location, position.warp, numItems,
                                 position.numWarps);
  builder.setInsertionPointToStart(loop.getBody());
  return lowerItem(loop.getInductionVar());
}

LogicalResult GraphLowering::lowerItem(Value item) {
  decodeItem(item);
  loadInputs(Phase::Invariant);
  if (failed(lowerPhase(Phase::Invariant)) || failed(lowerLoop()))
    return failure();
  finishAccumulators();
  if (failed(lowerPhase(Phase::After)))
    return failure();
  storeOutputs();
  return success();
}

/// Items count the last axis fastest.
void GraphLowering::decodeItem(Value item) {
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
    if (before > 1)
      item = arith::DivUIOp::create(builder, location, item, size);
  }
}

Value GraphLowering::emitOrigin(ArrayRef<Axis> axes, int64_t fragment) {
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

bool GraphLowering::overhangs(ArrayRef<Axis> axes, int64_t fragment,
                              int64_t size) const {
  return header.getExtent(axes) * fragment != size;
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

void GraphLowering::loadInputs(Phase phase) {
  for (auto [input, tile] : llvm::enumerate(graph.getInputs())) {
    Value argument = graph.getBody().getArgument(input);
    if (phases.lookup(argument) != phase || argument.use_empty())
      continue;
    LinearLayout layout = *mirage::getFragmentLayout(argument.getType());
    SmallVector<Value> origin;
    SmallVector<bool> overhang;
    for (auto [dim, fragment] : llvm::enumerate(layout.getShape())) {
      SmallVector<Axis, 2> axes = header.getCuttingAxes(input, dim);
      origin.push_back(emitOrigin(axes, fragment));
      overhang.push_back(overhangs(
          axes, fragment, cast<MemRefType>(tile.getType()).getDimSize(dim)));
    }
    TileAccess access(builder, location, tile, layout, origin, overhang,
                      position.lane);
    values.try_emplace(argument, access.load());
  }
}

/// Of the items that hold the same fragment of an output, the first writes it.
Value GraphLowering::emitOutputGuard(const TileOutput &output) {
  Value guard;
  for (auto [axis, dim] : llvm::enumerate(output.gridMap)) {
    if (dim != kReplicated || !coordinates[axis])
      continue;
    Value isFirst = arith::CmpIOp::create(
        builder, location, arith::CmpIPredicate::eq, coordinates[axis],
        emitIndex(builder, location, 0));
    guard = guard ? arith::AndIOp::create(builder, location, guard, isFirst)
                        .getResult()
                  : isFirst;
  }
  return guard;
}

void GraphLowering::storeOutputs() {
  Operation *yield = graph.getBody().front().getTerminator();
  for (auto [number, value] : llvm::enumerate(yield->getOperands())) {
    Value tile = graph.getInits()[number];
    const TileOutput &output = header.tileOutputs[number];
    const Fragment &fragment = get(value);
    SmallVector<Value> origin;
    SmallVector<bool> overhang;
    for (auto [dim, size] : llvm::enumerate(fragment.layout.getShape())) {
      SmallVector<Axis, 2> axes = header.getJoinedAxes(number, dim);
      origin.push_back(emitOrigin(axes, size));
      overhang.push_back(overhangs(
          axes, size, cast<MemRefType>(tile.getType()).getDimSize(dim)));
    }
    TileAccess access(builder, location, tile, fragment.layout, origin,
                      overhang, position.lane);
    access.store(fragment, emitOutputGuard(output));
  }
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

SmallVector<Value> GraphLowering::getInitialAccumulators() {
  SmallVector<Value> initial;
  for (thread::AccumulateOp op : accumulates) {
    Opcode reduction =
        readOperatorAttributes(Opcode::Accumulate, op->getAttrDictionary())
            .reduction;
    LinearLayout layout = *mirage::getFragmentLayout(op.getType());
    Value neutral = emitConstant(
        builder, location, getNeutral(getOperatorInfo(reduction).combiner));
    initial.append(layout.getNumRegisters(), neutral);
  }
  return initial;
}

void GraphLowering::setAccumulators(ValueRange registers) {
  for (thread::AccumulateOp op : accumulates) {
    LinearLayout layout = *mirage::getFragmentLayout(op.getType());
    accumulators.erase(op);
    Fragment accumulator{layout, {}};
    if (!registers.empty()) {
      llvm::append_range(accumulator.registers,
                         registers.take_front(layout.getNumRegisters()));
      registers = registers.drop_front(layout.getNumRegisters());
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
  loadInputs(Phase::Loop);
  if (failed(lowerPhase(Phase::Loop)))
    return failure();
  for (thread::AccumulateOp op : accumulates)
    if (failed(lowerAccumulate(op)))
      return failure();
  return success();
}

thread::MatmulOp GraphLowering::getFusedProduct(thread::AccumulateOp op) {
  auto product = op.getOperand().getDefiningOp<thread::MatmulOp>();
  bool addsUp = op.getReduction() == ReductionKind::Sum && !op.getDims();
  return product && addsUp && product->hasOneUse() ? product
                                                   : thread::MatmulOp();
}

LogicalResult GraphLowering::lowerAccumulate(thread::AccumulateOp op) {
  Fragment &accumulator = accumulators.find(op)->second;
  Attributes attributes =
      readOperatorAttributes(Opcode::Accumulate, op->getAttrDictionary());
  auto join = [&]() -> llvm::Expected<Fragment> {
    if (thread::MatmulOp product = getFusedProduct(op))
      return ops.multiply(get(product.getLhs()), get(product.getRhs()),
                          accumulator, accumulator.layout);
    return ops.reduceRegisters(getOperatorInfo(attributes.reduction),
                               get(op.getOperand()), attributes.dims,
                               accumulator.layout, accumulator);
  };
  llvm::Expected<Fragment> joined = join();
  if (!joined)
    return op.emitOpError() << llvm::toString(joined.takeError());
  accumulator.registers = joined->registers;
  return success();
}

void GraphLowering::finishAccumulators() {
  for (thread::AccumulateOp op : accumulates) {
    Attributes attributes =
        readOperatorAttributes(Opcode::Accumulate, op->getAttrDictionary());
    LinearLayout reduced =
        *mirage::getFragmentLayout(op.getOperand().getType());
    int64_t size = getAveragedCount(attributes, reduced.getShape(),
                                    header.getExtent(attributes.axis));
    values.try_emplace(op.getResult(),
                       ops.reduceLanes(getOperatorInfo(attributes.reduction),
                                       accumulators.find(op)->second,
                                       attributes.dims, reduced, size));
  }
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
  // Computed where it is added up.
  if (isa<thread::MatmulOp>(op) && op->hasOneUse())
    if (auto user = dyn_cast<thread::AccumulateOp>(*op->user_begin()))
      if (getFusedProduct(user))
        return success();
  LinearLayout layout = *mirage::getFragmentLayout(op->getResult(0).getType());
  llvm::Expected<Fragment> result =
      computeRow(op, cast<OperatorOpInterface>(op).getTableOpcode(), layout);
  if (!result)
    return op->emitOpError() << llvm::toString(result.takeError());
  Type elementType =
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  values.try_emplace(op->getResult(0), ops.cast(*result, elementType));
  return success();
}

llvm::Expected<Fragment> GraphLowering::computeRow(Operation *op, Opcode opcode,
                                                   const LinearLayout &layout) {
  const OperatorInfo &info = getOperatorInfo(opcode);
  Attributes attributes =
      readOperatorAttributes(opcode, op->getAttrDictionary());
  SmallVector<Fragment> operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand));
  switch (info.kind) {
  case OperatorKind::Elementwise:
    return ops.apply(opcode, attributes, operands, layout);
  case OperatorKind::Contraction:
    return ops.multiply(operands[0], operands[1], Fragment{layout, {}}, layout);
  case OperatorKind::Reduction: {
    llvm::Expected<Fragment> partial = ops.reduceRegisters(
        info, operands[0], attributes.dims, layout, Fragment{layout, {}});
    if (!partial)
      return partial.takeError();
    int64_t size = getAveragedCount(attributes, operands[0].layout.getShape());
    return ops.reduceLanes(info, *partial, attributes.dims, operands[0].layout,
                           size);
  }
  case OperatorKind::Movement:
    if (opcode == Opcode::Mask)
      return mask(cast<thread::MaskOp>(op));
    if (opcode == Opcode::Transpose) {
      SmallVector<int> dims(attributes.dims.size());
      for (auto [to, from] : llvm::enumerate(attributes.dims))
        dims[from] = to;
      return ops.rearrange(operands[0], layout, dims);
    }
    if (opcode == Opcode::Broadcast || opcode == Opcode::Cast)
      return ops.broadcast(operands[0], layout);
    break;
  case OperatorKind::Accumulate:
  case OperatorKind::Graph:
    break;
  }
  return llvm::createStringError(
      "expects an operation that a lane can carry out on its registers");
}

Fragment GraphLowering::mask(thread::MaskOp op) {
  Attributes attributes =
      readOperatorAttributes(Opcode::Mask, op->getAttrDictionary());
  const Fragment &operand = get(op.getOperand());
  unsigned dim = attributes.dims[0];
  return ops.mask(operand, dim,
                  emitOrigin(attributes.axes, operand.layout.getShape()[dim]),
                  attributes.extent, attributes.scalars[0]);
}
