//===- BypassingTiles.cpp - Tiles without shared memory -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/BypassingTiles.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Analysis/TensorView.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::mirage;

/// What a lane reads or writes at a time, at most.
static constexpr int64_t kAccessBytes = 16;

bool mlir::mirage::bypassesSharedMemory(Value value) {
  if (Operation *op = value.getDefiningOp())
    return isa<thread::GraphOp>(op) && op->hasAttr(kBypassesAttr);
  auto argument = cast<BlockArgument>(value);
  auto numbers =
      argument.getOwner()->getParentOp()->getAttrOfType<DenseI64ArrayAttr>(
          kBypassingInputsAttr);
  return numbers && llvm::is_contained(numbers.asArrayRef(),
                                       int64_t(argument.getArgNumber()));
}

template <typename GraphOp>
static TileGraph getHeader(GraphOp graph) {
  return cast<TileGraphOpInterface>(graph.getOperation()).getHeader();
}

static llvm::Error makeError(const Twine &expected) {
  return llvm::createStringError(expected);
}

/// Whether those that an axis counts, along which nothing is cut, have the
/// same.
static bool isRepeated(ArrayRef<int64_t> grid, ArrayRef<int> map) {
  return llvm::any_of(llvm::zip_equal(grid, map), [](const auto &axis) {
    return std::get<0>(axis) > 1 && std::get<1>(axis) < 0;
  });
}

/// Elements that one access may take of the rows of a tile.
static int64_t getRun(int64_t rowElements, Type elementType) {
  return std::gcd(rowElements,
                  kAccessBytes * 8 /
                      int64_t(elementType.getIntOrFloatBitWidth()));
}

/// Whether what a lane has side by side is one access, so that neighbours share
/// no sector, and as wide as rows allow, or half of what there is.
static llvm::Error checkRuns(Type fragment, ArrayRef<int64_t> tile,
                             Type elementType) {
  std::optional<LinearLayout> layout = thread::getFragmentLayout(fragment);
  if (!layout || layout->getRank() != tile.size() || tile.empty())
    return makeError("fragments of the tile");
  int64_t run = int64_t(1) << layout->getContiguousBits(layout->getRank() - 1);
  int64_t bytes = run * elementType.getIntOrFloatBitWidth() / 8;
  int64_t most = getRun(tile.back(), elementType);
  if (bytes <= kAccessBytes && (run >= most || bytes >= kAccessBytes / 2))
    return llvm::Error::success();
  return makeError("lanes that have " + Twine(most) +
                   " elements side by side, got " + Twine(run));
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

bool mlir::mirage::liesInRows(block::GraphOp graph, unsigned input) {
  TileGraph header = getHeader(graph);
  Value operand = graph.getInputs()[input];
  auto tensor = cast<ShapedType>(operand.getType());
  auto tile = cast<ShapedType>(graph.getBody().getArgument(input).getType());
  std::optional<TensorView> view = findView(operand);
  if (!view || view->strides.back() != 1 ||
      tensor.getElementType() != tile.getElementType())
    return false;
  for (int64_t dim = 0; dim < tile.getRank(); ++dim)
    if (header.getExtent(header.getCuttingAxes(input, dim)) *
            tile.getDimSize(dim) !=
        tensor.getDimSize(dim))
      return false;
  // Rows begin where accesses may.
  int64_t run = getRun(tile.getShape().back(), tile.getElementType());
  ArrayRef<int64_t> distances(view->strides);
  return view->offset % run == 0 &&
         llvm::all_of(llvm::zip_equal(distances.drop_back(),
                                      tensor.getShape().drop_back()),
                      [&](const auto &dim) {
                        return std::get<1>(dim) == 1 ||
                               std::get<0>(dim) % run == 0;
                      });
}

static llvm::Error verifyInput(block::GraphOp graph, BlockArgument tile) {
  if (!tile.hasOneUse())
    return makeError("one reader");
  OpOperand &use = *tile.use_begin();
  auto reader = dyn_cast<thread::GraphOp>(use.getOwner());
  if (!reader)
    return makeError("a step of warps as the reader, got '" +
                     use.getOwner()->getName().getStringRef() + "'");
  unsigned input = use.getOperandNumber();
  TileGraph header = getHeader(reader);
  if (isRepeated(header.grid, header.tileInputs[input].gridMap))
    return makeError("items that read elements of their own");
  if (!liesInRows(graph, tile.getArgNumber()))
    return makeError("whole tiles of elements that lie side by side in rows");
  auto type = cast<RankedTensorType>(tile.getType());
  // Lanes of a reduction have elements far apart, of sectors that others read.
  if (type.getShape().back() == 1 && type.getNumElements() > 1)
    return makeError("rows of several elements");
  for (Operation *load : reader.getBody().getArgument(input).getUsers()) {
    if (!isa<thread::LoadOp>(load))
      return makeError("loads as readers, got '" +
                       load->getName().getStringRef() + "'");
    if (llvm::Error error = checkRuns(load->getResult(0).getType(),
                                      type.getShape(), type.getElementType()))
      return error;
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

static llvm::Error verifyResult(block::GraphOp graph, thread::GraphOp step) {
  if (step->getNumResults() != 1 || step->hasAttr(kHeldAttr))
    return makeError("one result, which is not held");
  Value result = step.getResult(0);
  Operation *yield = graph.getBody().front().getTerminator();
  if (!result.hasOneUse() || *result.user_begin() != yield)
    return makeError("one reader, the block's output");
  unsigned output = result.use_begin()->getOperandNumber();
  TileGraph header = getHeader(graph);
  auto tile = cast<RankedTensorType>(result.getType());
  auto tensor = cast<ShapedType>(graph->getResult(output).getType());
  if (isRepeated(header.grid, header.tileOutputs[output].gridMap))
    return makeError("blocks that write elements of their own");
  for (int64_t dim = 0; dim < tile.getRank(); ++dim)
    if (header.getExtent(header.getJoinedAxes(output, dim)) *
            tile.getDimSize(dim) !=
        tensor.getDimSize(dim))
      return makeError("tiles that end where the output does");
  thread::StoreOp store = getStore(step);
  if (!store)
    return makeError("a result that a store has written");
  return checkRuns(store.getOperand().getType(), tile.getShape(),
                   tensor.getElementType());
}

llvm::Error mlir::mirage::verifyBypassing(Value value) {
  auto graph = dyn_cast<block::GraphOp>(value.getParentBlock()->getParentOp());
  if (!graph || graph.getLoop() > 1)
    return makeError("a block graph without a loop");
  if (auto argument = dyn_cast<BlockArgument>(value))
    return verifyInput(graph, argument);
  return verifyResult(graph, value.getDefiningOp<thread::GraphOp>());
}
