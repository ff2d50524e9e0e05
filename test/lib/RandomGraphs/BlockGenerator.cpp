//===- BlockGenerator.cpp - Random block graphs ---------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockGenerator.h"
#include "Mirage/Graph/TileMemory.h"
#include "OperationDrawer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

/// Of a block on the smallest GPU that we assemble for, with room for what the
/// compiler keeps beside the tiles.
constexpr int64_t kSharedBytes = 88 << 10;
constexpr int64_t kMostBlocks = 24;
/// Of all blocks and iterations, so that emulation takes a moment.
constexpr int64_t kMostFlops = 4000000;

namespace {
class BlockGenerator {
public:
  BlockGenerator(Draw &draw, llvm::ArrayRef<RangedTensor> given,
                 llvm::ArrayRef<Feature> wanted)
      : draw(draw), wanted(wanted.begin(), wanted.end()),
        dimensions(draw, block.tiles), writer(draw, block.tiles, dimensions),
        operations(draw, block.tiles, dimensions, writer) {
    block.operands.assign(given.begin(), given.end());
    if (draw.chance(50))
      this->wanted.push_back({Opcode::Matmul});
    mayHide = draw.chance(10) || llvm::any_of(wanted, hidesValues);
    writer.mayClamp = mayHide;
  }

  llvm::Expected<std::optional<GeneratedBlock>> run();

private:
  void chooseHeader();
  bool addInputs();
  bool addGivenInputs();
  void addFreshInput(bool isLooped);
  DimList drawInputDims(bool isLooped);
  void addOperations(unsigned count);
  void addWanted(Stage stage);
  void leaveLoop();
  void joinBeforeLoop();
  void joinBlocks();
  void joinOne();
  void addOutputs();
  void addOutput(ValueId value);
  llvm::SmallVector<ValueId> collectUnused(bool isOfLoop);
  void combineUntil(bool isOfLoop, unsigned most);
  bool isSmall() const;
  llvm::Error finish();

  Draw &draw;
  llvm::SmallVector<Feature> wanted;
  /// Whether there may be operators that hide values from the judge.
  bool mayHide = false;
  GeneratedBlock block;
  Dimensions dimensions;
  TileWriter writer;
  OperationDrawer operations;
};
} // namespace

//===----------------------------------------------------------------------===//
// Extents and operands
//===----------------------------------------------------------------------===//

void BlockGenerator::chooseHeader() {
  TileGraph &tiles = block.tiles;
  static const int64_t kExtents[] = {1, 2, 2, 3, 3, 4, 5};
  unsigned numAxes = draw.between(1, 3);
  for (unsigned axis = 0; axis < numAxes; ++axis) {
    int64_t extent = draw.oneOf(kExtents);
    tiles.grid.push_back(tiles.getNumBlocks() * extent <= kMostBlocks ? extent
                                                                      : 1);
  }
  static const int64_t kLoops[] = {1, 1, 2, 2, 3, 4, 5, 6};
  tiles.loop = draw.oneOf(kLoops);
  tiles.stages = draw.between(1, std::min<int64_t>(tiles.loop, 4));
  static const unsigned kWarps[] = {1, 2, 3, 4, 4, 4, 5, 8, 8, 12, 16};
  tiles.threads = 32 * draw.oneOf(kWarps);
  if (!draw.chance(25))
    return;
  // Of up to eight blocks, which every GPU with clusters has.
  int64_t room = 8;
  for (int64_t extent : tiles.grid) {
    int64_t shared = draw.chance(60) && extent <= room ? extent : 1;
    tiles.cluster.push_back(shared);
    room /= shared;
  }
}

/// Fresh operands have a dimension in common with others, so that something can
/// be contracted.
DimList BlockGenerator::drawInputDims(bool isLooped) {
  llvm::SmallVector<DimId> choices;
  for (DimId dim = 0; dim < DimId(dimensions.getNumCreated()); ++dim)
    choices.push_back(dim);
  draw.shuffle(choices);
  auto isCutByLoop = [&](DimId dim) {
    return dimensions[dim].isCutBy(Axis::Loop);
  };
  if (isLooped)
    std::iter_swap(choices.begin(), llvm::find_if(choices, isCutByLoop));
  unsigned rank = draw.oneOf<unsigned>({1, 2, 2, 2, 2, 3, 3});
  DimList dims;
  bool hasLoop = false;
  for (DimId dim : choices) {
    DimList more = dims;
    more.push_back(dim);
    if (dims.size() >= rank || (hasLoop && isCutByLoop(dim)) ||
        !writer.fits(more))
      continue;
    hasLoop |= isCutByLoop(dim);
    dims = more;
  }
  if (dims.empty())
    dims = {kUnit};
  draw.shuffle(dims);
  if (dims.size() < 4 && draw.chance(15))
    dims.insert(dims.begin() + draw.below(dims.size() + 1), kUnit);
  return dims;
}

void BlockGenerator::addFreshInput(bool isLooped) {
  static const ElementType kElements[] = {
      ElementType::F16,   ElementType::F16,  ElementType::F16,
      ElementType::F16,   ElementType::BF16, ElementType::BF16,
      ElementType::F32,   ElementType::F32,  ElementType::F8E4M3FN,
      ElementType::F8E5M2};
  ElementType element = draw.oneOf(kElements);
  DimList dims = drawInputDims(isLooped);
  writer.addInput({element, kInputRange}, dims);
  block.operands.push_back(
      {{dimensions.getTensorShape(dims), element}, kInputRange});
}

bool BlockGenerator::addGivenInputs() {
  for (auto [number, operand] : llvm::enumerate(block.operands)) {
    const DimList &dims = dimensions.ofTensor(number);
    if (!writer.fits(dims))
      return false;
    writer.addInput({operand.type.element, operand.range, operand.hasRoots,
                     operand.expDepth},
                    dims);
  }
  return true;
}

bool BlockGenerator::addInputs() {
  dimensions.create(llvm::map_to_vector(
      block.operands, [](const RangedTensor &tensor) { return tensor.type; }));
  if (!addGivenInputs())
    return false;
  bool needsLoop =
      block.tiles.loop > 1 &&
      llvm::none_of(block.tiles.tileInputs, [](const TileInput &map) {
        return map.loopMap != kReplicated;
      });
  unsigned count = draw.between(2, 4);
  while (block.operands.size() < count || needsLoop) {
    addFreshInput(needsLoop);
    needsLoop = false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void BlockGenerator::addOperations(unsigned count) {
  static const Opcode kOften[] = {Opcode::Matmul, Opcode::Matmul, Opcode::Mul,
                                  Opcode::Add,    Opcode::Sum,    Opcode::Exp};
  const std::vector<Feature> &features = listFeatures();
  while (count-- > 0) {
    Feature feature = draw.chance(40) ? Feature{draw.oneOf(kOften)}
                                      : draw.oneOf(llvm::ArrayRef(features));
    if (!mayHide && hidesValues(feature))
      continue;
    if (feature.opcode != Opcode::Accumulate || !feature.overGrid)
      operations.tryAdd(feature);
  }
}

/// What is wanted is tried where it may stand, with other operands each time.
void BlockGenerator::addWanted(Stage stage) {
  constexpr unsigned kTries = 8;
  llvm::erase_if(wanted, [&](const Feature &feature) {
    bool isJoin = feature.opcode == Opcode::Accumulate;
    if (isJoin && feature.overGrid != (stage == Stage::AfterGrid))
      return false;
    if (!isJoin && stage == Stage::InLoop && draw.chance(40))
      return false;
    for (unsigned i = 0; i < kTries; ++i)
      if (operations.tryAdd(feature))
        return true;
    return false;
  });
}

/// Values that nothing uses, of the loop or from behind it.
llvm::SmallVector<ValueId> BlockGenerator::collectUnused(bool isOfLoop) {
  llvm::SmallVector<ValueId> unused;
  for (ValueId value = 0; value < writer.getNumValues(); ++value)
    if (writer[value].numUses == 0 && operations.isKnown(value) &&
        (!isOfLoop || writer[value].phase == Phase::Loop))
      unused.push_back(value);
  return unused;
}

void BlockGenerator::combineUntil(bool isOfLoop, unsigned most) {
  while (true) {
    llvm::SmallVector<ValueId> unused = collectUnused(isOfLoop);
    if (unused.size() <= most)
      return;
    draw.shuffle(unused);
    operations.combine(unused[0], unused[1]);
  }
}

/// All that the loop computes is accumulated.
void BlockGenerator::leaveLoop() {
  combineUntil(/*isOfLoop=*/true, draw.between(1, 3));
  static const Opcode kReductions[] = {Opcode::Sum,  Opcode::Sum,
                                       Opcode::Sum,  Opcode::Mean,
                                       Opcode::Mean, Opcode::Variance};
  for (ValueId value : collectUnused(/*isOfLoop=*/true)) {
    bool isDone = false;
    for (unsigned i = 0; i < 4 && !isDone; ++i)
      isDone =
          operations.tryAccumulate(value, Axis::Loop, draw.oneOf(kReductions),
                                   /*isRescaled=*/mayHide && draw.chance(20));
    if (!isDone)
      operations.tryAccumulate(value, Axis::Loop, Opcode::Max,
                               /*isRescaled=*/false);
  }
}

/// What the loop reads, now and then.
void BlockGenerator::joinBeforeLoop() {
  operations.enter(Stage::BeforeLoop);
  addOperations(draw.between(0, 1));
  for (unsigned count = draw.between(1, 3); count > 0; --count) {
    joinOne();
    addOperations(draw.between(0, 1));
  }
  operations.enter(Stage::InLoop);
  auto find = [&](Phase phase) -> std::optional<ValueId> {
    for (ValueId value = writer.getNumValues(); value-- > 0;)
      if (writer[value].phase == phase)
        return value;
    return std::nullopt;
  };
  auto joined = find(Phase::Joined), looped = find(Phase::Loop);
  if (joined && looped && draw.chance(80))
    operations.combine(*looped, *joined);
}

void BlockGenerator::joinBlocks() {
  operations.enter(Stage::AfterGrid);
  addWanted(Stage::AfterGrid);
  if (draw.chance(25))
    joinOne();
}

void BlockGenerator::joinOne() {
  static const Opcode kReductions[] = {Opcode::Sum, Opcode::Sum, Opcode::Mean};
  if (auto value = operations.drawValue())
    operations.tryAccumulate(*value, Axis(draw.below(block.tiles.grid.size())),
                             draw.oneOf(kReductions),
                             mayHide && draw.chance(20));
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Along axes that cut a dimension of the value, tiles lie side by side in it;
/// where blocks hold different values for another reason, they do in some
/// dimension that is whole, or are summed.
void BlockGenerator::addOutput(ValueId value) {
  TileGraph &tiles = block.tiles;
  if (writer[value].dims.size() < 4 && draw.chance(15)) {
    DimList dims = writer[value].dims;
    dims.insert(dims.begin(), kUnit);
    value = writer.reshape(value, dims);
  }
  const TileValue tile = writer[value];
  Shape shape = writer.getShape(value);
  TileOutput map;
  map.gridMap.assign(tiles.grid.size(), kReplicated);
  llvm::SmallVector<int> whole;
  for (auto [position, dim] : llvm::enumerate(tile.dims)) {
    if (dim != kUnit)
      for (Axis axis : dimensions[dim].axes)
        if (axis != Axis::Loop)
          map.gridMap[unsigned(axis)] = position;
    if (!dimensions.isPartial(dim))
      whole.push_back(position);
  }
  ValueRange range = tile.range;
  for (unsigned axis = 0; axis < tiles.grid.size(); ++axis) {
    bool varies = tile.varying & toAxisSet(Axis(axis));
    if (map.gridMap[axis] != kReplicated || (!varies && !draw.chance(10)))
      continue;
    if (whole.empty() || draw.chance(40)) {
      map.gridMap[axis] = kSummed;
      range = range.times(tiles.grid[axis]);
    } else {
      map.gridMap[axis] = draw.oneOf(llvm::ArrayRef(whole));
    }
  }
  tiles.addOutput(value);
  tiles.tileOutputs.push_back(map);
  unsigned output = tiles.tileOutputs.size() - 1;
  for (auto [position, dim] : llvm::enumerate(tile.dims)) {
    if (dimensions.isPartial(dim)) {
      shape[position] = dimensions[dim].extent;
      continue;
    }
    auto axes = tiles.getJoinedAxes(output, position);
    int64_t size = shape[position];
    shape[position] *= tiles.getExtent(axes);
    // A result may end within its last tile.
    if (!axes.empty() && draw.chance(30))
      shape[position] -= draw.below(size);
  }
  static const ElementType kElements[] = {
      ElementType::F32,  ElementType::F32,      ElementType::F32,
      ElementType::F16,  ElementType::F16,      ElementType::F16,
      ElementType::BF16, ElementType::F8E4M3FN, ElementType::F8E5M2};
  ElementType element = draw.oneOf(kElements);
  // Not beyond what saturates.
  if (range.getMagnitude() > 400 && getSizeBytes(element) == 1)
    element = ElementType::F32;
  block.results.push_back(
      {{shape, element}, range, tile.hasRoots, tile.expDepth});
}

void BlockGenerator::addOutputs() {
  combineUntil(/*isOfLoop=*/false, draw.between(1, 3));
  for (ValueId value : collectUnused(/*isOfLoop=*/false))
    addOutput(value);
}

bool BlockGenerator::isSmall() const {
  const TileGraph &tiles = block.tiles;
  int64_t flops = 0;
  for (const Node &node : tiles.getNodes())
    flops +=
        countFlops(node.opcode, node.attributes, tiles.getTypes(node.operands),
                   tiles.getType(node.results[0]));
  return flops * tiles.loop * tiles.getNumBlocks() <= kMostFlops &&
         getSharedBytes(tiles) <= kSharedBytes &&
         llvm::all_of(block.results, [](const RangedTensor &result) {
           return result.range.getMagnitude() <= 8 * kLargestMagnitude;
         });
}

llvm::Error BlockGenerator::finish() {
  auto getTypes = [](llvm::ArrayRef<RangedTensor> tensors) {
    return llvm::map_to_vector(
        tensors, [](const RangedTensor &tensor) { return tensor.type; });
  };
  auto operands = getTypes(block.operands), results = getTypes(block.results);
  llvm::Expected<TileGraph> masked = maskPartialTiles(block.tiles, operands);
  if (!masked)
    return llvm::createStringError("no masks: " +
                                   llvm::toString(masked.takeError()));
  block.tiles = std::move(*masked);
  return verify(block.tiles, operands, results);
}

llvm::Expected<std::optional<GeneratedBlock>> BlockGenerator::run() {
  chooseHeader();
  if (!addInputs())
    return std::nullopt;
  if (draw.chance(25))
    joinBeforeLoop();
  addWanted(Stage::InLoop);
  addOperations(draw.between(1, 4));
  leaveLoop();
  operations.enter(Stage::AfterLoop);
  addWanted(Stage::AfterLoop);
  addOperations(draw.between(0, 3));
  joinBlocks();
  addOperations(draw.between(0, 2));
  addOutputs();
  if (llvm::Error error = finish())
    return std::move(error);
  if (!isSmall())
    return std::nullopt;
  return std::move(block);
}

llvm::Expected<std::optional<GeneratedBlock>>
mlir::mirage::test::generateBlock(Draw &draw,
                                  llvm::ArrayRef<RangedTensor> given,
                                  llvm::ArrayRef<Feature> wanted) {
  return BlockGenerator(draw, given, wanted).run();
}
