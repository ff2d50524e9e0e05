//===- TilePlacement.cpp - How a block's tiles lie in shared memory -------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Graph/TileMemory.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::mirage;

void BlockSteps::forEachHeld(
    llvm::function_ref<void(Value, unsigned)> action) const {
  auto visit = [&](ValueRange values) {
    for (Value value : values)
      if (std::optional<unsigned> tile = getTile(value))
        action(value, *tile);
  };
  Block &body = getGraph().getBody().front();
  visit(body.getArguments());
  for (Operation &op : body.without_terminator())
    visit(op.getResults());
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Whether a tile, or a fragment that a lane makes of it, is an operand of a
/// product.
static bool isMultiplied(Value value) {
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto graph = dyn_cast<thread::GraphOp>(user)) {
      unsigned input = use.getOperandNumber();
      return input < graph.getInputs().size() &&
             isMultiplied(graph.getBody().getArgument(input));
    }
    auto row = dyn_cast<OperatorOpInterface>(user);
    if (!row)
      return false;
    switch (getOperatorInfo(row.getTableOpcode()).kind) {
    case OperatorKind::Contraction:
      return true;
    case OperatorKind::Copy:
    case OperatorKind::Elementwise:
    case OperatorKind::Movement:
      return isa<thread::GraphOp>(user->getParentOp()) &&
             isMultiplied(user->getResult(0));
    default:
      return false;
    }
  });
}

SmallVector<int64_t> BlockSteps::chooseRowPaddings() const {
  SmallVector<int64_t> paddings(tiles.size(), 0);
  auto getType = [](Value value) { return convertTensor(value.getType()); };
  forEachHeld([&](Value value, unsigned tile) {
    if (isMultiplied(value))
      paddings[tile] = getRowPadding(getType(tiles[tile]));
  });
  forEachHeld([&](Value value, unsigned tile) {
    if (!keepsRows(getType(tiles[tile]), getType(value)))
      paddings[tile] = 0;
  });
  return paddings;
}

//===----------------------------------------------------------------------===//
// What attributes state
//===----------------------------------------------------------------------===//

static llvm::Error makeError(StringRef name, Operation *op) {
  return llvm::createStringError("'" + name + "' is missing at '" +
                                 op->getName().getStringRef() +
                                 "' or of another length");
}

/// The number of a tile in an array that its op carries, or the graph for an
/// input.
/// \param otherwise  what it is without the array; none makes that an error.
static llvm::Expected<int64_t> readNumber(block::GraphOp graph, Value tile,
                                          StringRef name, StringRef inputName,
                                          std::optional<int64_t> otherwise) {
  Operation *op = tile.getDefiningOp();
  unsigned number = op ? cast<OpResult>(tile).getResultNumber()
                       : cast<BlockArgument>(tile).getArgNumber();
  Operation *owner = op ? op : graph.getOperation();
  StringRef stated = op ? name : inputName;
  if (otherwise && !owner->hasAttr(stated))
    return *otherwise;
  auto numbers = owner->getAttrOfType<DenseI64ArrayAttr>(stated);
  if (!numbers || number >= static_cast<unsigned>(numbers.size()))
    return makeError(stated, owner);
  return numbers[number];
}

llvm::Expected<SmallVector<int64_t>> BlockSteps::readRowPaddings() const {
  SmallVector<int64_t> paddings;
  for (Value tile : tiles) {
    llvm::Expected<int64_t> padding =
        readNumber(graph, tile, kRowPaddingsAttr, kInputRowPaddingsAttr,
                   /*otherwise=*/0);
    if (!padding)
      return padding.takeError();
    paddings.push_back(*padding);
  }
  if (llvm::Error error = checkRowPaddings(paddings))
    return error;
  return paddings;
}

/// Accesses of 16 bytes stay aligned, and reshapes are the same bytes.
llvm::Error BlockSteps::checkRowPaddings(ArrayRef<int64_t> paddings) const {
  constexpr int64_t kAccessBytes = 16, kMostBytes = 1 << 16;
  std::string problem;
  llvm::raw_string_ostream os(problem);
  forEachHeld([&](Value value, unsigned tile) {
    int64_t padding = paddings[tile];
    if (padding == 0 || !problem.empty())
      return;
    TensorSpec held = convertTensor(tiles[tile].getType());
    TensorSpec type = convertTensor(value.getType());
    if (padding < 0 || padding > kMostBytes || padding % kAccessBytes != 0)
      os << padding << " bytes behind the rows of " << held
         << " are no multiple of " << kAccessBytes << " up to " << kMostBytes;
    else if (held.getRank() == 0 || !keepsRows(held, type))
      os << held << " has bytes between rows that " << type << " does not keep";
  });
  if (problem.empty())
    return llvm::Error::success();
  return llvm::createStringError(problem);
}

llvm::Expected<StoragePlan> BlockSteps::readPlan() const {
  StoragePlan plan;
  auto bytes = getGraph()->getAttrOfType<IntegerAttr>(kSharedBytesAttr);
  if (!bytes)
    return makeError(kSharedBytesAttr, graph);
  plan.sizeBytes = bytes.getInt();
  for (Value tile : tiles) {
    llvm::Expected<int64_t> offset =
        readNumber(graph, tile, kOffsetsAttr, kInputOffsetsAttr,
                   /*otherwise=*/std::nullopt);
    if (!offset)
      return offset.takeError();
    plan.offsets.push_back(*offset);
  }
  return plan;
}
