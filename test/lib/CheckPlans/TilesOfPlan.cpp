//===- TilesOfPlan.cpp - Where a plan has tiles ---------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TilesOfPlan.h"
#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Analysis/BypassingTiles.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Analysis/TileForms.h"
#include "Mirage/Graph/TileMemory.h"

using namespace mlir;
using namespace mlir::mirage;
using namespace mlir::mirage::test;

/// Of an array of numbers that an op carries; none where it has none, or fewer.
static std::optional<int64_t> readNumber(Operation *op, StringRef name,
                                         unsigned index) {
  auto numbers = op->getAttrOfType<DenseI64ArrayAttr>(name);
  if (!numbers || index >= static_cast<unsigned>(numbers.size()))
    return std::nullopt;
  return numbers[index];
}

/// Rows with what stays free behind each.
static int64_t countRowsBytes(RankedTensorType type, int64_t rowPadding) {
  int64_t rowLength = type.getRank() == 0 ? 1 : type.getShape().back();
  int64_t rowBytes = rowLength * type.getElementTypeBitWidth() / 8;
  return type.getNumElements() / rowLength * (rowBytes + rowPadding);
}

static int64_t getSwizzle(block::GraphOp graph, unsigned input) {
  return readNumber(graph, kInputSwizzlesAttr, input).value_or(0);
}

static llvm::Error makeError(StringRef name, Operation *op) {
  return llvm::createStringError("expects a plan, and '" + name +
                                 "' is missing at '" +
                                 op->getName().getStringRef() + "'");
}

std::string mlir::mirage::test::getStepName(Operation *op) {
  auto number = op->getAttrOfType<IntegerAttr>(kStepAttr);
  std::string step =
      number ? "step " + std::to_string(number.getInt()) : "a step";
  return step + " (" + op->getName().getStringRef().str() + ")";
}

TilesOfPlan::TilesOfPlan(block::GraphOp graph)
    : graph(graph),
      phases(computePhases(cast<TileGraphOpInterface>(graph.getOperation()))) {}

llvm::Expected<TilesOfPlan> TilesOfPlan::read(block::GraphOp graph) {
  TilesOfPlan result(graph);
  Block &body = graph.getBody().front();
  for (BlockArgument input : body.getArguments())
    if (!input.use_empty() && !bypassesSharedMemory(input))
      if (llvm::Error error = result.addInput(input))
        return error;
  for (Operation &op : body.without_terminator())
    if (!isa<block::ReshapeOp>(op))
      for (OpResult value : op.getResults())
        if (llvm::Error error = result.addResult(value))
          return error;
  if (llvm::Error error = result.addBarriers())
    return error;
  return result;
}

bool TilesOfPlan::isRing(BlockArgument input) const {
  return block::GraphOp(graph).getStages() > 1 &&
         phases.lookup(input) == Phase::Loop;
}

bool TilesOfPlan::isBoxed(BlockArgument input) const {
  return getSwizzle(graph, input.getArgNumber()) > 0;
}

llvm::Error TilesOfPlan::addInput(BlockArgument input) {
  unsigned number = input.getArgNumber();
  std::optional<int64_t> offset = readNumber(graph, kInputOffsetsAttr, number);
  if (!offset)
    return makeError(kInputOffsetsAttr, graph);
  PlannedTile tile{("input " + Twine(number)).str(), *offset};
  auto type = cast<RankedTensorType>(input.getType());
  int64_t padding =
      readNumber(graph, kInputRowPaddingsAttr, number).value_or(0);
  tile.placeBytes = countRowsBytes(type, padding);
  int64_t span = getSwizzle(graph, number);
  if (span > 0) {
    tile.alignment = BoxedTile::kPatternRows * span;
    auto boxed =
        BoxedTile::find(type.getShape(), type.getElementTypeBitWidth() / 8);
    if (!boxed)
      return llvm::createStringError("expects boxes of input " + Twine(number));
    tile.placeBytes = boxed->getBytes();
  }
  if (isRing(input))
    tile.numPlaces = graph.getStages();
  add(input, std::move(tile));
  return llvm::Error::success();
}

llvm::Error TilesOfPlan::addResult(OpResult result) {
  if (!hasTile(result))
    return llvm::Error::success();
  Operation *op = result.getOwner();
  unsigned number = result.getResultNumber();
  std::optional<int64_t> offset = readNumber(op, kOffsetsAttr, number);
  if (!offset)
    return makeError(kOffsetsAttr, op);
  PlannedTile tile{getStepName(op), *offset};
  tile.placeBytes =
      countRowsBytes(cast<RankedTensorType>(result.getType()),
                     readNumber(op, kRowPaddingsAttr, number).value_or(0));
  if (isa<block::AccumulateOp>(op))
    tile.placeBytes *=
        getOperatorInfo(readOperatorAttributes(op).reduction).getNumCarried();
  add(result, std::move(tile));
  return llvm::Error::success();
}

llvm::Error TilesOfPlan::addBarriers() {
  if (getBoxedInputs(graph).empty())
    return llvm::Error::success();
  auto offset = graph->getAttrOfType<IntegerAttr>(kCopyBarriersAttr);
  if (!offset)
    return makeError(kCopyBarriersAttr, graph);
  PlannedTile tile{"barriers of the rings", offset.getInt()};
  tile.placeBytes =
      kCopyBarriersOfPlace * kCopyBarrierBytes * int64_t(graph.getStages());
  add(Value(), std::move(tile));
  return llvm::Error::success();
}

void TilesOfPlan::add(Value value, PlannedTile tile) {
  tile.alignment = std::max(tile.alignment, kTileAlignment);
  tile.stride = getRingStride(tile.placeBytes);
  tileOf[value] = tiles.size();
  tiles.push_back(std::move(tile));
}

/// Reshapes are the same bytes.
static Value findHolder(Value value) {
  while (auto reshape =
             value ? value.getDefiningOp<block::ReshapeOp>() : nullptr)
    value = reshape.getOperand();
  return value;
}

bool TilesOfPlan::hasTile(Value value) const {
  Value holder = findHolder(value);
  return !isHeld(holder) && !bypassesSharedMemory(holder);
}

Touched TilesOfPlan::touch(Value value, int64_t iteration) const {
  Touched touched{tileOf.at(findHolder(value))};
  const PlannedTile &tile = tiles[touched.tile];
  touched.begin = tile.offset;
  if (tile.numPlaces > 1) {
    touched.begin += iteration % tile.numPlaces * tile.stride;
    touched.version = iteration;
  }
  touched.end = touched.begin + tile.placeBytes;
  return touched;
}
