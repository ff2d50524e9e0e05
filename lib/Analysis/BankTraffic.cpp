//===- BankTraffic.cpp - Passes through shared memory's banks -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/BankTraffic.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Analysis/TensorView.h"
#include "Mirage/Analysis/WarpWindows.h"
#include "Mirage/Graph/TileMemory.h"
#include "Mirage/Layout/MatrixInstructions.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::mirage;

static constexpr unsigned kLanes = 1u << kLaneBits;
/// Of a copy, as many warps stand for all: their patterns come again and again.
static constexpr int64_t kMostWarps = 16;

static unsigned getElementBytes(RankedTensorType type) {
  return type.getElementTypeBitWidth() / 8;
}

/// The number of an element in row-major order.
static int64_t linearize(ArrayRef<int64_t> coordinates,
                         ArrayRef<int64_t> shape) {
  int64_t number = 0;
  for (auto [coordinate, size] : llvm::zip_equal(coordinates, shape))
    number = number * size + coordinate;
  return number;
}

static SmallVector<int64_t, 4> delinearize(int64_t number,
                                           ArrayRef<int64_t> shape) {
  SmallVector<int64_t, 4> coordinates(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    coordinates[dim] = number % shape[dim];
    number /= shape[dim];
  }
  return coordinates;
}

//===----------------------------------------------------------------------===//
// What steps touch
//===----------------------------------------------------------------------===//

BankTraffic::BankTraffic(const BlockSteps &steps) : steps(steps) {
  for (Value tile : steps.getTiles())
    tiles.emplace_back().type = cast<RankedTensorType>(tile.getType());
  for (BlockArgument argument : steps.getGraph().getBody().getArguments())
    if (steps.getTile(argument))
      addInput(argument);
  for (const BlockStep &step : steps.getSteps())
    addStep(step);
}

void BankTraffic::addStep(const BlockStep &step) {
  int64_t times = step.scheduled.phase == StepPhase::Loop
                      ? int64_t(steps.getGraph().getLoop())
                      : 1;
  switch (step.kind) {
  case BlockStep::Kind::Fill:
  case BlockStep::Kind::Load:
  case BlockStep::Kind::Refill:
    return; // inputs, added before
  case BlockStep::Kind::Store:
    return addOutputs(step.op);
  case BlockStep::Kind::Init:
  case BlockStep::Kind::Update:
  case BlockStep::Kind::Finish:
    if (!isCarriedSum(step.tile))
      return addAccumulation(step, times);
    if (step.kind == BlockStep::Kind::Finish)
      addCarriedSum(cast<block::AccumulateOp>(step.op));
    return;
  case BlockStep::Kind::Compute:
    if (auto graph = dyn_cast<thread::GraphOp>(step.op))
      return addItems(graph, times);
    addOperands(step.op, times);
    for (Value result : step.op->getResults())
      addElements(step.op, result, SharedAccess::Store, times);
  }
}

/// What it carries is read and written, but for the first time.
void BankTraffic::addAccumulation(const BlockStep &step, int64_t times) {
  if (step.kind == BlockStep::Kind::Update)
    addOperands(step.op, times);
  if (step.kind != BlockStep::Kind::Init)
    addElements(step.op, step.tile, SharedAccess::Load, times);
  addElements(step.op, step.tile, SharedAccess::Store, times);
}

void BankTraffic::addInput(BlockArgument argument) {
  block::GraphOp graph = steps.getGraph();
  TileGraph header =
      cast<TileGraphOpInterface>(graph.getOperation()).getHeader();
  int64_t times =
      isLoadedInLoop(header, argument.getArgNumber()) ? header.loop : 1;
  addCopy(argument, graph.getInputs()[argument.getArgNumber()],
          SharedAccess::Store, times);
  tiles[*steps.getTile(argument)].copiedBytes =
      times * convertTensor(argument.getType()).getSizeBytes();
}

void BankTraffic::addOutputs(Operation *yield) {
  for (auto [value, output] :
       llvm::zip_equal(yield->getOperands(), steps.getGraph()->getResults()))
    addCopy(value, output, SharedAccess::Load, 1);
}

void BankTraffic::addCopy(Value value, Value tensor, SharedAccess kind,
                          int64_t times) {
  std::optional<unsigned> tile = steps.getTile(value);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  auto tensorType = dyn_cast<RankedTensorType>(tensor.getType());
  if (!tile || !type || !tensorType || type.getRank() == 0)
    return;
  Copy copy;
  copy.kind = kind;
  copy.times = times;
  llvm::append_range(copy.tile.shape, type.getShape());
  llvm::append_range(copy.tile.tensorShape, tensorType.getShape());
  std::optional<TensorView> view = findView(tensor);
  Strides strides =
      view ? view->strides : getRowMajorStrides(tensorType.getShape());
  llvm::append_range(copy.tile.tensorStrides, strides);
  copy.tile.tensorOffset = view ? view->offset : 0;
  copy.tile.elementBytes = getElementBytes(type);
  copy.tile.tensorElementBytes = getElementBytes(tensorType);
  tiles[*tile].copies.push_back(std::move(copy));
}

//===----------------------------------------------------------------------===//
// Items of warps
//===----------------------------------------------------------------------===//

/// By dimension: whether fragments may reach beyond a tile that axes of items
/// and steps cut.
/// \param getAxes  of a dimension.
static SmallVector<bool>
findOverhangs(const TileGraph &items, Value value, const LinearLayout &fragment,
              llvm::function_ref<SmallVector<Axis, 2>(unsigned)> getAxes) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<bool> overhangs;
  for (auto [dim, size] : llvm::enumerate(fragment.getShape()))
    overhangs.push_back(
        !items.areWhole(getAxes(dim), size, type.getDimSize(dim)));
  return overhangs;
}

namespace {
/// How often the items of a step are carried out.
class ItemCount {
public:
  explicit ItemCount(thread::GraphOp graph)
      : items(cast<TileGraphOpInterface>(graph.getOperation()).getHeader()),
        numWarps(graph->getParentOfType<block::GraphOp>().getThreads() >>
                 kLaneBits) {
    bool isAnyHeld = llvm::any_of(graph.getResults(), isHeld) ||
                     llvm::any_of(graph.getInputs(), isHeld);
    if (!isAnyHeld)
      return;
    items.grid = getHeldExtents(graph);
    isInRegisters = true;
    repeats = llvm::isPowerOf2_64(numWarps) && !graph->hasAttr(kHeldSharesAttr);
    bool isExact = !graph.getBody().getOps<thread::MatmulOp>().empty();
    readsSharedOnce = isExact ? keepsSharedOfProduct(graph, items, numWarps)
                              : hasRoomForShared(graph, items, numWarps);
  }

  /// Of the steps' tiles, of an input or of what all steps read.
  int64_t countLoads(unsigned input) const {
    bool isCut = items.tileInputs[input].loopMap >= 0;
    int64_t numSteps = isCut ? items.loop : 1;
    if (!isInRegisters)
      return items.getNumBlocks() * numSteps;
    int64_t loads = 0;
    for (int64_t warp = 0; warp < numWarps; ++warp)
      loads += isCut && !readsSharedOnce ? countItems(warp)
                                         : countWindows(input, warp);
    return loads * numSteps;
  }

private:
  int64_t getFirst(int64_t warp) const {
    return repeats ? warp % items.getNumBlocks() : warp;
  }
  int64_t countItems(int64_t warp) const {
    int64_t behind = items.getNumBlocks() - getFirst(warp);
    return behind > 0 ? llvm::divideCeil(behind, numWarps) : 0;
  }
  int64_t countWindows(unsigned input, int64_t warp) const {
    return countWindowsOfWarp(items, input, numWarps, getFirst(warp));
  }

  TileGraph items;
  int64_t numWarps;
  /// Whether those of a warp follow each other without a loop.
  bool isInRegisters = false;
  /// Whether warps that are left over repeat items of others.
  bool repeats = false;
  bool readsSharedOnce = false;
};
} // namespace

void BankTraffic::addItems(thread::GraphOp graph, int64_t times) {
  addWindows(graph, times);
  addResults(graph, times);
}

void BankTraffic::addWindows(thread::GraphOp graph, int64_t times) {
  TileGraph items =
      cast<TileGraphOpInterface>(graph.getOperation()).getHeader();
  ItemCount count(graph);
  for (BlockArgument window : graph.getBody().getArguments()) {
    unsigned input = window.getArgNumber();
    Value value = graph.getInputs()[input];
    if (!steps.getTile(value))
      continue;
    int64_t loads = times * count.countLoads(input);
    for (Operation *user : window.getUsers()) {
      if (!isa<thread::LoadOp, thread::LdmatrixOp>(user))
        continue;
      LinearLayout fragment =
          *thread::getFragmentLayout(user->getResult(0).getType());
      if (isa<thread::LdmatrixOp>(user))
        addMatrices(value, fragment, loads);
      else
        addFragment(value, fragment,
                    findOverhangs(items, value, fragment,
                                  [&](unsigned dim) {
                                    return items.getCuttingAxes(input, dim);
                                  }),
                    SharedAccess::Load, loads);
    }
  }
}

void BankTraffic::addResults(thread::GraphOp graph, int64_t times) {
  TileGraph items =
      cast<TileGraphOpInterface>(graph.getOperation()).getHeader();
  for (OpResult result : graph->getResults()) {
    unsigned number = result.getResultNumber();
    thread::StoreOp store = getStore(graph, number);
    if (!store || !steps.getTile(result))
      continue;
    // Of items that leave the same the first one writes it.
    int64_t stores = times * items.getNumBlocks();
    for (auto [extent, dim] :
         llvm::zip_equal(items.grid, items.tileOutputs[number].gridMap))
      stores /= dim == kReplicated ? extent : 1;
    LinearLayout fragment =
        *thread::getFragmentLayout(store.getOperand().getType());
    addFragment(result, fragment,
                findOverhangs(items, result, fragment,
                              [&](unsigned dim) {
                                return items.getJoinedAxes(number, dim);
                              }),
                SharedAccess::Store, stores);
  }
}

/// A sum that grew in registers leaves them as its parts would.
void BankTraffic::addCarriedSum(block::AccumulateOp sum) {
  auto graph = sum.getOperand().getDefiningOp<thread::GraphOp>();
  thread::StoreOp store = graph ? getStore(graph) : nullptr;
  auto fragment = store
                      ? thread::getFragmentLayout(store.getOperand().getType())
                      : std::nullopt;
  if (!fragment)
    return;
  TileGraph items =
      cast<TileGraphOpInterface>(graph.getOperation()).getHeader();
  addFragment(sum.getResult(), *fragment, /*overhangs=*/{}, SharedAccess::Store,
              items.getNumBlocks());
}

/// What lies beyond a tile is read at the nearest run inside of it.
/// \param width  elements of a run, along a dimension.
/// \returns whether it was inside.
static bool clampInto(Coordinates &coordinates, ArrayRef<int64_t> shape,
                      unsigned runDim, int64_t width) {
  bool isInside = true;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    isInside &= coordinates[dim] < size;
    int64_t last = size - (dim == runDim ? width : 1);
    coordinates[dim] = std::min(coordinates[dim], std::max<int64_t>(last, 0));
  }
  return isInside;
}

void BankTraffic::addFragment(Value value, const LinearLayout &fragment,
                              ArrayRef<bool> overhangs, SharedAccess kind,
                              int64_t times) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<bool> beyond(overhangs);
  beyond.resize(fragment.getRank(), false);
  FragmentedTile tile;
  tile.shape = type.getShape();
  Strides strides = getRowMajorStrides(type.getShape());
  tile.strides = strides;
  tile.overhangs = beyond;
  tile.elementBytes = getElementBytes(type);
  FragmentRun run = chooseFragmentRun(fragment, tile);
  bool isStore = kind == SharedAccess::Store;
  unsigned redundantLanes =
      isStore ? fragment.getRedundantBits(LayoutInput::Lane) : 0;
  unsigned redundantRegisters =
      isStore ? fragment.getRedundantBits(LayoutInput::Register) : 0;
  for (unsigned number = 0; number < fragment.getNumRegisters();
       number += run.getWidth()) {
    if (number & redundantRegisters)
      continue;
    Access access{kind, run.getWidth() * tile.elementBytes, 0, times, {}};
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      Coordinates coordinates = fragment.apply(number, lane);
      bool isInside =
          clampInto(coordinates, type.getShape(), run.dim, run.getWidth());
      access.elements.push_back(linearize(coordinates, type.getShape()));
      if (!isStore || (isInside && !(lane & redundantLanes)))
        access.mask |= 1u << lane;
    }
    if (access.mask)
      tiles[*steps.getTile(value)].accesses.push_back(std::move(access));
  }
}

void BankTraffic::addMatrices(Value value, const LinearLayout &fragment,
                              int64_t times) {
  constexpr unsigned kRowsOfMatrix = 8, kRowElements = 8, kRowBytes = 16;
  std::optional<MatrixLoad> load = planMatrixLoad(fragment);
  if (!load)
    return;
  auto type = cast<RankedTensorType>(value.getType());
  unsigned numLanes = load->numMatrices * kRowsOfMatrix;
  for (unsigned first = 0; first < fragment.getNumRegisters();
       first += 2 * load->numMatrices) {
    Access access{SharedAccess::MatrixRows,
                  kRowBytes,
                  numLanes == kLanes ? ~0u : (1u << numLanes) - 1,
                  times,
                  {}};
    Coordinates start = fragment.apply(first);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      Coordinates coordinates = load->addresses.apply(0, lane);
      for (auto [coordinate, offset] : llvm::zip_equal(coordinates, start))
        coordinate ^= offset;
      clampInto(coordinates, type.getShape(), type.getRank() - 1, kRowElements);
      access.elements.push_back(linearize(coordinates, type.getShape()));
    }
    tiles[*steps.getTile(value)].accesses.push_back(std::move(access));
  }
}

//===----------------------------------------------------------------------===//
// Elements of threads
//===----------------------------------------------------------------------===//

/// Along what is reduced, stretched or summed over, the first element stands
/// for all.
void BankTraffic::addOperands(Operation *op, int64_t times) {
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  auto row = dyn_cast<OperatorOpInterface>(op);
  bool isProduct = row && getOperatorInfo(row.getTableOpcode()).kind ==
                              OperatorKind::Contraction;
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type)
      continue;
    int64_t terms = type.getNumElements() / result.getNumElements();
    if (isProduct)
      terms =
          cast<RankedTensorType>(op->getOperand(0).getType()).getShape().back();
    addElements(op, operand, SharedAccess::Load,
                times * std::max<int64_t>(terms, 1),
                isProduct ? number + 1 : 0);
  }
}

/// Each thread takes an element of the result, and those of other values at the
/// same coordinates.
void BankTraffic::addElements(Operation *op, Value value, SharedAccess kind,
                              int64_t times, size_t summed) {
  std::optional<unsigned> tile = steps.getTile(value);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!tile || !type)
    return;
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  int64_t numElements = result.getNumElements();
  int64_t numWarps = llvm::divideCeil(numElements, int64_t(kLanes));
  int64_t numPlayed = std::min(numWarps, kMostWarps);
  ArrayRef<int64_t> shape = type.getShape();
  for (int64_t warp = 0; warp < numPlayed; ++warp) {
    Access access{kind,
                  getElementBytes(type),
                  0,
                  times * int64_t(llvm::divideCeil(numWarps, numPlayed)),
                  {}};
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      int64_t number = warp * kLanes + lane;
      if (number < numElements)
        access.mask |= 1u << lane;
      SmallVector<int64_t, 4> coordinates =
          delinearize(std::min(number, numElements - 1), result.getShape());
      int64_t element = 0;
      for (auto [dim, size] : llvm::enumerate(shape)) {
        size_t fromEnd = shape.size() - dim;
        bool hasPlace = fromEnd <= coordinates.size() && fromEnd != summed;
        int64_t coordinate =
            hasPlace ? coordinates[coordinates.size() - fromEnd] : 0;
        element = element * size + std::min(coordinate, size - 1);
      }
      access.elements.push_back(element);
    }
    tiles[*tile].accesses.push_back(std::move(access));
  }
}

//===----------------------------------------------------------------------===//
// Wavefronts
//===----------------------------------------------------------------------===//

/// Where an element lies, in bytes from the start of a tile.
static uint64_t getOffset(int64_t element, RankedTensorType type,
                          TileForm form) {
  int64_t columns = type.getRank() == 0 ? 1 : type.getShape().back();
  int64_t row = element / columns, column = element % columns;
  int64_t bytes = getElementBytes(type);
  if (std::optional<BoxedTile> swizzled = form.findSwizzled(type))
    return swizzled->getOffset(row, column);
  return row * (columns * bytes + form.rowPadding) + column * bytes;
}

int64_t BankTraffic::countCopy(const Copy &copy, const Tile &tile,
                               TileForm form) const {
  CopiedTile copied = copy.tile;
  copied.pitch = copied.shape.back() + form.rowPadding / copied.elementBytes;
  if (isOneRun(copied))
    copied = joinRows(copied);
  CopyPattern pattern = chooseCopyPattern(copied);
  SmallVector<int64_t, 5> sizes = llvm::map_to_vector<5>(
      pattern.walks, [](const CopyPattern::Walk &walk) { return walk.size; });
  int64_t numAccesses = ShapedType::getNumElements(sizes);
  int64_t numWarps = llvm::divideCeil(numAccesses, int64_t(kLanes));
  int64_t numPlayed = std::min(numWarps, kMostWarps);
  // Neighbours that are none in the tile go one after the other.
  int64_t width = pattern.keepsOrder ? pattern.width : 1;
  int64_t wavefronts = 0;
  for (int64_t warp = 0; warp < numPlayed; ++warp) {
    SmallVector<uint64_t, 32> addresses;
    uint32_t mask = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      int64_t number = warp * kLanes + lane;
      if (number < numAccesses)
        mask |= 1u << lane;
      SmallVector<int64_t, 4> coordinates(copied.shape.size());
      SmallVector<int64_t, 4> steps =
          delinearize(std::min(number, numAccesses - 1), sizes);
      for (auto [walk, step] : llvm::zip_equal(pattern.walks, steps))
        coordinates[walk.dim] += step * walk.step;
      addresses.push_back(
          getOffset(linearize(coordinates, copied.shape), tile.type, form));
    }
    wavefronts +=
        countWavefronts(copy.kind, width * copied.elementBytes, addresses, mask)
            .needed;
  }
  return wavefronts * (pattern.width / width) * numWarps / numPlayed *
         copy.times;
}

int64_t BankTraffic::count(unsigned number, TileForm form) const {
  const Tile &tile = tiles[number];
  int64_t wavefronts = 0;
  for (const Copy &copy : tile.copies)
    if (!form.isBoxed() || copy.kind == SharedAccess::Load)
      wavefronts += countCopy(copy, tile, form);
  for (const Access &access : tile.accesses) {
    auto addresses =
        llvm::map_to_vector<32>(access.elements, [&](int64_t element) {
          return getOffset(element, tile.type, form);
        });
    wavefronts += access.times * countWavefronts(access.kind, access.bytes,
                                                 addresses, access.mask)
                                     .needed;
  }
  return wavefronts;
}
