//===- TilePlacement.cpp - How a block's tiles lie in shared memory -------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Analysis/TensorView.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Graph/TileMemory.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <functional>
#include <limits>

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
/// product, or is loaded as operands are.
static bool isMultiplied(Value value) {
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<thread::LdmatrixOp>(user))
      return true;
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

/// Whether lanes write a tile that have pairs of its elements in eight rows, as
/// accumulators of tensor cores are spread (Mirage/Graph/TileMemory.h has it
/// that those are in different banks). Of 16 bits each, so that with what stays
/// free it is no larger than in f32, which the search has reckoned with.
static bool isLeftByRows(Value value) {
  auto step = value.getDefiningOp<thread::GraphOp>();
  return step && step->hasAttr(kWholeRowsAttr) &&
         cast<RankedTensorType>(value.getType()).getElementTypeBitWidth() == 16;
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// Whether steps of warps are all that reads a tile, one of them by
/// instructions of tensor cores or ldmatrix.
static bool isReadAsMatrices(Value tile) {
  auto isOfMatrix = [](OpOperand &use) {
    BlockArgument window = cast<thread::GraphOp>(use.getOwner())
                               .getBody()
                               .getArgument(use.getOperandNumber());
    return thread::isReadByWgmma(window) ||
           llvm::any_of(window.getUsers(), llvm::IsaPred<thread::LdmatrixOp>);
  };
  return llvm::all_of(tile.getUsers(), llvm::IsaPred<thread::GraphOp>) &&
         llvm::any_of(tile.getUses(), isOfMatrix);
}

std::optional<TileBoxes> mlir::mirage::findInputBoxes(block::GraphOp graph,
                                                      unsigned input) {
  BlockArgument argument = graph.getBody().getArgument(input);
  TileGraph header =
      cast<TileGraphOpInterface>(graph.getOperation()).getHeader();
  if (getNumPlaces(header, input) < 2 || !isReadAsMatrices(argument))
    return std::nullopt;
  auto tile = cast<RankedTensorType>(argument.getType());
  Value operand = graph.getInputs()[input];
  auto tensor = cast<RankedTensorType>(operand.getType());
  std::optional<TensorView> view = findView(operand);
  unsigned elementBytes = tile.getElementTypeBitWidth() / 8;
  if (!view || tensor.getElementType() != tile.getElementType() ||
      view->offset * elementBytes % kTensorAlignBytes != 0)
    return std::nullopt;
  return findTileBoxes(tensor.getShape(), view->strides, tile.getShape(),
                       elementBytes);
}

/// Whether four warps together read a tile, where it lies.
static bool isReadByWgmma(Value tile) {
  return llvm::any_of(tile.getUses(), [](OpOperand &use) {
    auto reader = dyn_cast<thread::GraphOp>(use.getOwner());
    return reader && thread::isReadByWgmma(
                         reader.getBody().getArgument(use.getOperandNumber()));
  });
}

static std::optional<BoxedTile> findBoxed(ShapedType tile,
                                          bool isLoadedByThreads) {
  unsigned elementBytes = tile.getElementTypeBitWidth() / 8;
  return isLoadedByThreads
             ? BoxedTile::findOfThreads(tile.getShape(), elementBytes)
             : BoxedTile::find(tile.getShape(), elementBytes);
}

bool mlir::mirage::canSwizzleByThreads(block::GraphOp graph, unsigned input) {
  BlockArgument argument = graph.getBody().getArgument(input);
  return llvm::all_of(argument.getUsers(), llvm::IsaPred<thread::GraphOp>) &&
         !isReadByWgmma(argument) &&
         findBoxed(cast<RankedTensorType>(argument.getType()),
                   /*isLoadedByThreads=*/true);
}

std::optional<BoxedTile> TileForm::findSwizzled(ShapedType tile) const {
  std::optional<BoxedTile> boxed =
      isSwizzled() ? findBoxed(tile, isLoadedByThreads) : std::nullopt;
  bool isSpan = boxed && getSpanBytes(boxed->swizzle) == swizzleBytes;
  return isSpan ? boxed : std::nullopt;
}

/// \param tile  that can be loaded so.
static TileForm getSwizzledForm(RankedTensorType tile, bool isLoadedByThreads) {
  BoxedTile boxed = *findBoxed(tile, isLoadedByThreads);
  return {boxed.getRowPadding(), getSpanBytes(boxed.swizzle),
          isLoadedByThreads};
}

SmallVector<TileForm> BlockSteps::getReckonedForms(bool hasCopyEngine) const {
  SmallVector<TileForm> forms(tiles.size());
  auto getType = [](Value value) { return convertTensor(value.getType()); };
  forEachHeld([&](Value value, unsigned tile) {
    if (isMultiplied(value) || isLeftByRows(value))
      forms[tile].rowPadding = getRowPadding(getType(tiles[tile]));
  });
  forEachHeld([&](Value value, unsigned tile) {
    if (!keepsRows(getType(tiles[tile]), getType(value)))
      forms[tile].rowPadding = 0;
  });
  if (!hasCopyEngine)
    return forms;
  for (auto [tile, form] : llvm::zip_equal(tiles, forms))
    if (auto input = dyn_cast<BlockArgument>(tile);
        input && findInputBoxes(graph, input.getArgNumber()))
      form = getSwizzledForm(cast<RankedTensorType>(tile.getType()),
                             /*isLoadedByThreads=*/false);
  return forms;
}

SmallVector<SmallVector<TileForm>>
BlockSteps::listForms(bool hasCopyEngine) const {
  constexpr int64_t kStep = 16, kBanksBytes = 128;
  auto getType = [](Value value) { return convertTensor(value.getType()); };
  llvm::BitVector canHavePaddings(tiles.size());
  for (auto [number, tile] : llvm::enumerate(tiles)) {
    TensorSpec type = getType(tile);
    canHavePaddings[number] =
        type.getRank() > 0 && type.getNumElements() > type.shape.back();
  }
  forEachHeld([&](Value value, unsigned tile) {
    if (!keepsRows(getType(tiles[tile]), getType(value)))
      canHavePaddings.reset(tile);
  });
  SmallVector<SmallVector<TileForm>> forms(tiles.size());
  for (auto [number, tile] : llvm::enumerate(tiles)) {
    auto input = dyn_cast<BlockArgument>(tile);
    if (hasCopyEngine && input && findInputBoxes(graph, input.getArgNumber())) {
      forms[number].push_back(
          getSwizzledForm(cast<RankedTensorType>(tile.getType()),
                          /*isLoadedByThreads=*/false));
      if (isReadByWgmma(tile))
        continue;
    }
    int64_t most = canHavePaddings[number] ? kBanksBytes : kStep;
    for (int64_t padding = 0; padding < most; padding += kStep)
      forms[number].push_back({padding, /*swizzleBytes=*/0});
    if (input && canSwizzleByThreads(graph, input.getArgNumber()))
      forms[number].push_back(
          getSwizzledForm(cast<RankedTensorType>(tile.getType()),
                          /*isLoadedByThreads=*/true));
  }
  return forms;
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

/// The inputs of which an attribute states a swizzle.
static SmallVector<unsigned> getSwizzledInputs(block::GraphOp graph,
                                               StringRef name) {
  SmallVector<unsigned> inputs;
  if (auto swizzles = graph->getAttrOfType<DenseI64ArrayAttr>(name))
    for (unsigned input = 0; input < graph.getInputs().size() &&
                             input < static_cast<unsigned>(swizzles.size());
         ++input)
      if (swizzles[input] > 0)
        inputs.push_back(input);
  return inputs;
}

SmallVector<unsigned> mlir::mirage::getBoxedInputs(block::GraphOp graph) {
  return getSwizzledInputs(graph, kInputSwizzlesAttr);
}

llvm::Expected<SmallVector<TileForm>> BlockSteps::readStatedForms() const {
  for (StringRef name : {kInputSwizzlesAttr, kThreadSwizzlesAttr})
    for (unsigned input : getSwizzledInputs(graph, name))
      if (!getTile(getGraph().getBody().getArgument(input)))
        return llvm::createStringError(llvm::formatv(
            "input {0}, which has no tile in shared memory, has '{1}'", input,
            name));
  SmallVector<TileForm> forms;
  for (Value tile : tiles) {
    TileForm &form = forms.emplace_back();
    llvm::Expected<int64_t> padding =
        readNumber(graph, tile, kRowPaddingsAttr, kInputRowPaddingsAttr,
                   /*otherwise=*/0);
    if (!padding)
      return padding.takeError();
    form.rowPadding = *padding;
    if (tile.getDefiningOp())
      continue;
    for (StringRef name : {kInputSwizzlesAttr, kThreadSwizzlesAttr}) {
      llvm::Expected<int64_t> swizzle =
          readNumber(graph, tile, StringRef(), name, /*otherwise=*/0);
      if (!swizzle)
        return swizzle.takeError();
      if (*swizzle == 0)
        continue;
      if (form.swizzleBytes != 0)
        return llvm::createStringError(
            llvm::formatv("input {0} has both '{1}' and '{2}'",
                          cast<BlockArgument>(tile).getArgNumber(),
                          kInputSwizzlesAttr, kThreadSwizzlesAttr));
      form.swizzleBytes = *swizzle;
      form.isLoadedByThreads = name == kThreadSwizzlesAttr;
    }
  }
  return forms;
}

llvm::Expected<SmallVector<TileForm>> BlockSteps::readForms() const {
  llvm::Expected<SmallVector<TileForm>> forms = readStatedForms();
  if (!forms)
    return forms;
  llvm::Error error = llvm::Error::success();
  forEachHeld([&](Value value, unsigned tile) {
    if (!error)
      error = checkForm(value, tiles[tile], (*forms)[tile]);
  });
  if (error)
    return error;
  return forms;
}

static llvm::Error checkSwizzledForm(block::GraphOp graph, BlockArgument tile,
                                     TileForm form) {
  auto type = cast<RankedTensorType>(tile.getType());
  unsigned input = tile.getArgNumber();
  if (!form.isLoadedByThreads && !findInputBoxes(graph, input))
    return llvm::createStringError(
        llvm::formatv("input {0} has '{1}', but no boxes that the copy engine "
                      "could load, or no reader that is ldmatrix or wgmma, or "
                      "one that is no step of warps",
                      input, kInputSwizzlesAttr));
  if (form.isLoadedByThreads && !canSwizzleByThreads(graph, input))
    return llvm::createStringError(
        llvm::formatv("input {0} has '{1}', but rows that have no swizzle, or "
                      "a reader that is wgmma, or no step of warps",
                      input, kThreadSwizzlesAttr));
  TileForm right = getSwizzledForm(type, form.isLoadedByThreads);
  if (form == right)
    return llvm::Error::success();
  return llvm::createStringError(llvm::formatv(
      "rows of input {0} have a swizzle of {1} bytes and {2} bytes behind "
      "them, got {3} and {4}",
      input, right.swizzleBytes, right.rowPadding, form.swizzleBytes,
      form.rowPadding));
}

/// Accesses of 16 bytes stay aligned, and reshapes are the same bytes.
llvm::Error BlockSteps::checkForm(Value value, Value tile,
                                  TileForm form) const {
  constexpr int64_t kAccessBytes = 16, kMostBytes = 1 << 16;
  if (form.swizzleBytes != 0)
    return checkSwizzledForm(graph, cast<BlockArgument>(tile), form);
  int64_t padding = form.rowPadding;
  if (padding == 0)
    return llvm::Error::success();
  TensorSpec held = convertTensor(tile.getType());
  TensorSpec type = convertTensor(value.getType());
  std::string problem;
  llvm::raw_string_ostream os(problem);
  if (padding < 0 || padding > kMostBytes || padding % kAccessBytes != 0)
    os << padding << " bytes behind the rows of " << held
       << " are no multiple of " << kAccessBytes << " up to " << kMostBytes;
  else if (held.getRank() == 0 || !keepsRows(held, type))
    os << held << " has bytes between rows that " << type << " does not keep";
  if (problem.empty())
    return llvm::Error::success();
  return llvm::createStringError(problem);
}

/// A number of bytes that a graph states, from 0 to `most`.
static llvm::Expected<int64_t> readBytes(block::GraphOp graph, StringRef name,
                                         int64_t most) {
  auto bytes = graph->getAttrOfType<IntegerAttr>(name);
  if (!bytes)
    return makeError(name, graph);
  if (bytes.getInt() >= 0 && bytes.getInt() <= most)
    return bytes.getInt();
  return llvm::createStringError("expects 0 to " + Twine(most) + " as '" +
                                 name + "', got " + Twine(bytes.getInt()));
}

FailureOr<int64_t> mlir::mirage::readSharedBytes(block::GraphOp graph,
                                                 const Target &target) {
  if (!graph->hasAttr(kSharedBytesAttr))
    return graph.emitError()
           << "expects a block graph with a plan of shared memory; "
              "--mirage-plan-shared-memory makes one ('"
           << kSharedBytesAttr << "' is missing)";
  llvm::Expected<int64_t> bytes =
      readBytes(graph, kSharedBytesAttr, target.sharedBytesPerBlock);
  if (!bytes)
    return graph.emitError()
           << llvm::toString(bytes.takeError()) << " for " << target.name;
  return *bytes;
}

llvm::Expected<StoragePlan>
BlockSteps::readPlan(ArrayRef<TileForm> forms) const {
  StoragePlan plan;
  // What a launch can be told; who knows the target has a closer limit.
  constexpr int64_t kMostBytes = std::numeric_limits<int32_t>::max();
  llvm::Expected<int64_t> bytes =
      readBytes(graph, kSharedBytesAttr, kMostBytes);
  if (!bytes)
    return bytes.takeError();
  plan.sizeBytes = *bytes;
  for (Value tile : tiles) {
    llvm::Expected<int64_t> offset =
        readNumber(graph, tile, kOffsetsAttr, kInputOffsetsAttr,
                   /*otherwise=*/std::nullopt);
    if (!offset)
      return offset.takeError();
    plan.offsets.push_back(*offset);
  }
  if (llvm::none_of(forms, std::mem_fn(&TileForm::isBoxed)))
    return plan;
  llvm::Expected<int64_t> barriers =
      readBytes(graph, kCopyBarriersAttr, plan.sizeBytes);
  if (!barriers)
    return barriers.takeError();
  plan.offsets.push_back(*barriers);
  return plan;
}

void BlockSteps::statePlan(const StoragePlan &plan) const {
  Builder builder(getGraph().getContext());
  auto setOffsets = [&](Operation *op, ValueRange values, StringRef name) {
    auto offsets = llvm::map_to_vector(values, [&](Value value) -> int64_t {
      std::optional<unsigned> tile = getTile(value);
      return tile ? plan.offsets[*tile] : -1;
    });
    op->setAttr(name, builder.getDenseI64ArrayAttr(offsets));
  };
  Region &body = getGraph().getBody();
  for (Operation &op : body.front().without_terminator())
    setOffsets(&op, op.getResults(), kOffsetsAttr);
  block::GraphOp stated = getGraph();
  setOffsets(stated, body.getArguments(), kInputOffsetsAttr);
  stated->setAttr(kSharedBytesAttr, builder.getI64IntegerAttr(plan.sizeBytes));
  stated->removeAttr(kCopyBarriersAttr);
  bool hasBarriers = plan.offsets.size() > tiles.size();
  if (hasBarriers)
    stated->setAttr(kCopyBarriersAttr,
                    builder.getI64IntegerAttr(plan.offsets.back()));
}
