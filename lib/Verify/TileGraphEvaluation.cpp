//===- TileGraphEvaluation.cpp - Tiles, masks and phases ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphEvaluator.h"
#include "Mirage/Graph/Phases.h"
#include "TileCopies.h"
#include "llvm/ADT/STLExtras.h"
#include <array>
#include <cstring>

using namespace mlir::mirage;

void GraphEvaluator::evaluateMask(Frame &frame, const Node &operation) {
  const Attributes &attributes = operation.attributes;
  ValueId operand = operation.operands[0], value = operation.results[0];
  llvm::ArrayRef<int64_t> shape = frame.graph.getType(value).shape;
  int64_t dim = attributes.dims[0], tile = shape[dim];
  size_t outer = countElements(shape.take_front(dim));
  size_t inner = countElements(shape.drop_front(dim + 1));
  AxisSet axes = frame.getAxes(value);
  uint32_t *result = allocate(frame, value);
  WordArena::Mark mark = arena.mark();
  std::memcpy(result, stretch(frame, getTiles(frame, operand), shape, axes),
              countWords(frame, value) * sizeof(uint32_t));
  arena.release(mark);
  uint32_t constant[Arithmetic::kConstantWords];
  arithmetic.constant(constant, attributes.scalars[0]);
  for (size_t instance = 0; instance < frame.countInstances(axes); ++instance) {
    int64_t position = frame.getPosition(instance, axes, attributes.axes);
    int64_t kept =
        std::clamp<int64_t>(attributes.extent - position * tile, 0, tile);
    for (size_t o = 0; o < outer; ++o) {
      uint32_t *row =
          result + ((instance * outer + o) * tile + kept) * inner * words;
      for (size_t i = 0; i < (tile - kept) * inner; ++i)
        std::memcpy(row + i * words, constant, words * sizeof(uint32_t));
    }
  }
}

void GraphEvaluator::evaluateCausalMask(Frame &frame, const Node &operation) {
  const Attributes &attributes = operation.attributes;
  ValueId operand = operation.operands[0], value = operation.results[0];
  llvm::ArrayRef<int64_t> shape = frame.graph.getType(value).shape;
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  size_t batch = countElements(shape.drop_back(2));
  AxisSet axes = frame.getAxes(value);
  uint32_t *result = allocate(frame, value);
  WordArena::Mark mark = arena.mark();
  std::memcpy(result, stretch(frame, getTiles(frame, operand), shape, axes),
              countWords(frame, value) * sizeof(uint32_t));
  arena.release(mark);
  for (size_t instance = 0; instance < frame.countInstances(axes); ++instance) {
    // How many columns of the tile its first row keeps.
    int64_t first =
        1 + attributes.offset +
        rows * frame.getPosition(instance, axes, attributes.axes) -
        columns * frame.getPosition(instance, axes, attributes.columnAxes);
    hideColumns(result + instance * batch * rows * columns * words, batch, rows,
                columns, [&](int64_t row) {
                  return std::clamp<int64_t>(first + row, 0, columns);
                });
  }
}

static bool isReadInLoop(const TileGraph &tiles, unsigned input) {
  return tiles.tileInputs[input].loopMap != kReplicated;
}

void GraphEvaluator::hideColumns(
    uint32_t *elements, size_t matrices, int64_t rows, int64_t columns,
    llvm::function_ref<int64_t(int64_t row)> countKept) {
  uint32_t lowest[Arithmetic::kConstantWords];
  arithmetic.constant(lowest, getNeutral(Combiner::Max));
  for (size_t matrix = 0; matrix < matrices; ++matrix)
    for (int64_t row = 0; row < rows; ++row) {
      uint32_t *line = elements + (matrix * rows + row) * columns * words;
      for (int64_t column = countKept(row); column < columns; ++column)
        std::memcpy(line + column * words, lowest, words * sizeof(uint32_t));
    }
}

namespace {
/// Where the tiles of one input begin, in what there is of the tensor.
class TileOrigins {
public:
  /// \param kept  what there is of it; null for all.
  TileOrigins(const TileGraph &tiles, const BlockSet &blocks, unsigned input,
              const Region *kept = nullptr)
      : blocks(blocks), tile(tiles.getType(input).shape), kept(kept) {
    for (unsigned dim = 0; dim < tile.size(); ++dim)
      axes.push_back(tiles.getCuttingAxes(input, dim));
  }

  Shape get(size_t block, int64_t iteration) const {
    Shape origin(tile.size());
    for (unsigned dim = 0; dim < tile.size(); ++dim) {
      origin[dim] = tile[dim] * blocks.getPosition(block, iteration, axes[dim]);
      // Tiles are there as a whole, their elements side by side.
      if (kept)
        origin[dim] = (*kept)[dim].findPlace(origin[dim]);
    }
    return origin;
  }

  /// The runs (InputElements.h) of a tensor that blocks read in an iteration.
  llvm::BitVector findRuns(llvm::ArrayRef<int64_t> tensor,
                           int64_t iteration) const {
    constexpr size_t kRun = InputElements::kRun;
    llvm::BitVector runs((countElements(tensor) + kRun - 1) / kRun);
    for (size_t block = 0; block < blocks.size(); ++block)
      forEachTileRow(tile, tensor, get(block, iteration),
                     [&](size_t, size_t first, size_t length) {
                       runs.set(first / kRun, (first + length - 1) / kRun + 1);
                     });
    return runs;
  }

private:
  const BlockSet &blocks;
  const Shape &tile;
  const Region *kept;
  llvm::SmallVector<llvm::SmallVector<Axis, 2>, 4> axes;
};
} // namespace

/// Whether iterations that read their tiles as they need them read little more
/// than there is.
bool GraphEvaluator::isReadAboutOnce(const Graph &outer, const Node &operation,
                                     unsigned input) const {
  const TileGraph &tiles = *operation.body;
  BlockSet blocks(tiles);
  llvm::BitVector runs =
      TileOrigins(tiles, blocks, input)
          .findRuns(outer.getType(operation.operands[input]).shape,
                    /*iteration=*/0);
  int64_t times = isReadInLoop(tiles, input) ? tiles.loop : 1;
  return runs.count() * times <= 2 * runs.size();
}

namespace {
/// Runs of an input, those that are read side by side.
class RunsRead {
public:
  RunsRead(const InputElements &inputs, unsigned input,
           const llvm::BitVector &runs, size_t numElements, uint32_t *storage)
      : storage(storage), places(runs.size()) {
    size_t place = 0;
    for (unsigned run : runs.set_bits()) {
      places[run] = place++;
      size_t first = run * kRun, count = std::min(kRun, numElements - first);
      inputs.read(input, first, {storage + places[run] * kRun, count});
    }
  }

  /// Elements from an offset on, as far as runs have been read.
  const uint32_t *get(size_t first) const {
    return storage + places[first / kRun] * kRun + first % kRun;
  }

private:
  static constexpr size_t kRun = InputElements::kRun;
  const uint32_t *storage;
  std::vector<size_t> places;
};
} // namespace

namespace {
/// Rows of tiles that are copied in the order in which the input has them, so
/// that one run after the other is read, and none is kept.
class RowsInOrder {
public:
  /// What is noted of a row takes more than a short one has.
  static bool isFor(const Shape &tile) {
    return !tile.empty() && tile.back() >= 16;
  }

  void add(size_t first, size_t length, uint32_t *target) {
    rows.push_back({first, length, target});
  }

  void copy(const InputElements &inputs, unsigned input, size_t numElements) {
    llvm::sort(rows,
               [](const Row &a, const Row &b) { return a.first < b.first; });
    constexpr size_t kRun = InputElements::kRun;
    std::vector<uint32_t> elements(kRun);
    size_t number = ~size_t(0); // of the run that is there
    for (Row row : rows)
      while (row.length > 0) {
        size_t begin = row.first / kRun * kRun;
        if (std::exchange(number, begin) != begin)
          inputs.read(
              input, begin,
              llvm::MutableArrayRef(elements).take_front(numElements - begin));
        size_t count = std::min(row.length, begin + kRun - row.first);
        std::copy_n(elements.begin() + (row.first - begin), count, row.target);
        row = {row.first + count, row.length - count, row.target + count};
      }
  }

private:
  struct Row {
    size_t first, length;
    uint32_t *target;
  };
  std::vector<Row> rows;
};
} // namespace

void GraphEvaluator::readTile(Frame &frame, const Frame &outer, unsigned input,
                              ValueId operand) {
  const TileGraph &tiles = *frame.tiles;
  Shape tensor = outer.getShape(operand);
  const Shape &tile = tiles.getType(input).shape;
  TileOrigins origins(tiles, frame.blocks, input,
                      outer.sample ? &outer.sample->regions[operand] : nullptr);
  AxisSet axes = frame.getAxes(input);
  size_t numInstances = frame.countInstances(axes);
  auto getOrigin = [&](size_t instance) {
    return origins.get(frame.getBlock(instance, axes), frame.iteration);
  };
  uint32_t zero[Arithmetic::kConstantWords];
  arithmetic.constant(zero, 0);
  size_t tileWords = countElements(tile) * words;
  size_t tensorWords = countElements(tensor) * words;
  auto copyTiles = [&](auto &&getRow) {
    for (size_t instance = 0; instance < numInstances; ++instance)
      copyTile(frame.values[input] + instance * tileWords, tile, tensor,
               getOrigin(instance), zero, words,
               [&](size_t offset) { return getRow(instance, offset); });
  };
  if (const uint32_t *source = outer.values[operand])
    return copyTiles([&](size_t instance, size_t offset) {
      size_t outside = outer.renumber(instance / frame.blocks.count(axes),
                                      frame.outerAxes, outer.getAxes(operand));
      return source + outside * tensorWords + offset * words;
    });
  if (RowsInOrder::isFor(tile)) {
    std::fill_n(frame.values[input], numInstances * tileWords, zero[0]);
    RowsInOrder rows;
    for (size_t instance = 0; instance < numInstances; ++instance)
      forEachTileRow(tile, tensor, getOrigin(instance),
                     [&](size_t tileRow, size_t tensorRow, size_t length) {
                       rows.add(tensorRow, length,
                                frame.values[input] + instance * tileWords +
                                    tileRow);
                     });
    return rows.copy(*outer.inputs, operand, tensorWords);
  }
  llvm::BitVector runs = origins.findRuns(tensor, frame.iteration);
  WordArena::Mark mark = arena.mark();
  RunsRead read(*outer.inputs, operand, runs, tensorWords,
                arena.allocate(runs.count() * InputElements::kRun));
  copyTiles([&](size_t, size_t offset) { return read.get(offset); });
  arena.release(mark);
}

void GraphEvaluator::writeTile(const Frame &frame, Frame &outer,
                               unsigned output, ValueId result) {
  const TileGraph &tiles = *frame.tiles;
  ValueId value = tiles.getOutputs()[output];
  Shape tensor = outer.getShape(result);
  const Shape &tile = tiles.getType(value).shape;
  llvm::ArrayRef<int> map = tiles.tileOutputs[output].gridMap;
  size_t tileWords = countElements(tile) * words;
  size_t tensorWords = countElements(tensor) * words;
  AxisSet all = frame.blocks.getAllAxes(), axes = frame.getAxes(value);
  size_t numBlocks = frame.blocks.size();
  for (size_t instance = 0; instance < frame.instances * numBlocks;
       ++instance) {
    Shape position(tile.size(), 0);
    bool writes = true, adds = false;
    for (auto [axis, dim] : llvm::enumerate(map)) {
      int64_t coordinate = frame.blocks.getCoordinate(instance % numBlocks, 0,
                                                      static_cast<Axis>(axis));
      if (dim >= 0)
        position[dim] = position[dim] * tiles.grid[axis] + coordinate;
      writes &= dim != kReplicated || coordinate == 0;
      adds |= dim == kSummed && coordinate != 0;
    }
    if (!writes)
      continue;
    for (unsigned dim = 0; dim < tile.size(); ++dim) {
      position[dim] *= tile[dim];
      if (outer.sample)
        position[dim] =
            outer.sample->regions[result][dim].findPlace(position[dim]);
    }
    uint32_t *target =
        outer.values[result] + instance / numBlocks * tensorWords;
    const uint32_t *source =
        frame.values[value] + frame.renumber(instance, all, axes) * tileWords;
    forEachTileRow(tile, tensor, position,
                   [&](size_t tileRow, size_t tensorRow, size_t length) {
                     uint32_t *to = target + tensorRow * words;
                     const uint32_t *from = source + tileRow * words;
                     if (adds)
                       arithmetic.apply(ScalarFunction::Add, to, {to}, {from},
                                        length * words);
                     else
                       std::memcpy(to, from, length * words * sizeof(uint32_t));
                   });
  }
}

void GraphEvaluator::evaluateGraph(Frame &outer, const Node &operation,
                                   const BlockSet &blocks) {
  const TileGraph &tiles = *operation.body;
  for (ValueId result : operation.results)
    if (outer.isNeeded(result))
      allocate(outer, result);
  WordArena::Mark mark = arena.mark();
  AxisSet outerAxes = outer.getAxes(operation.results[0]);
  Frame frame{tiles, &tiles, outer.countInstances(outerAxes)};
  frame.blocks = blocks;
  frame.varying = computeVaryingAxes(tiles);
  frame.outerAxes = outerAxes;
  frame.values.resize(tiles.getNumValues());
  evaluateLoop(frame, outer, operation);
  for (auto [number, result] : llvm::enumerate(operation.results))
    if (outer.isNeeded(result) &&
        frame.values[tiles.getOutputs()[number]]) // not left out
      writeTile(frame, outer, number, result);
  arena.release(mark);
}

/// Those that operations read or that are outputs themselves.
llvm::BitVector GraphEvaluator::findInputsRead(const TileGraph &tiles) const {
  llvm::BitVector isRead(tiles.getNumInputs(), /*t=*/!slice);
  if (!slice)
    return isRead;
  auto add = [&](llvm::ArrayRef<ValueId> values) {
    for (ValueId value : values)
      if (tiles.isInput(value))
        isRead.set(value);
  };
  for (const Node &operation : tiles.getNodes()) {
    if (isLeftOut(operation) || !slice->readsOperands(operation))
      continue;
    if (!operation.body) {
      add(operation.operands);
      continue;
    }
    for (unsigned input : findInputsRead(*operation.body).set_bits())
      add(operation.operands[input]);
  }
  add(tiles.getOutputs());
  return isRead;
}

void GraphEvaluator::iterate(
    Frame &frame, const Frame &outer, const Node &operation,
    const llvm::BitVector &isRead, llvm::ArrayRef<const Node *> steps,
    llvm::function_ref<void(const Node &)> accumulate) {
  const TileGraph &tiles = *frame.tiles;
  // A value of the loop outlives its iteration only where there is no second.
  WordArena::Mark mark = arena.mark();
  for (frame.iteration = 0; frame.iteration < tiles.loop; ++frame.iteration) {
    arena.release(mark);
    for (unsigned input = 0; input < tiles.getNumInputs(); ++input)
      if (isReadInLoop(tiles, input) && isRead[input])
        readTile(frame, outer, input, operation.operands[input]);
    for (const Node *step : steps)
      joinsIterations(*step) ? accumulate(*step)
                             : evaluateOperation(frame, *step);
  }
}

void GraphEvaluator::evaluateLoop(Frame &frame, const Frame &outer,
                                  const Node &operation) {
  const TileGraph &tiles = *frame.tiles;
  llvm::BitVector isRead = findInputsRead(tiles);
  for (unsigned input : isRead.set_bits()) {
    allocate(frame, input);
    if (!isReadInLoop(tiles, input))
      readTile(frame, outer, input, operation.operands[input]);
  }
  std::array<llvm::SmallVector<const Node *>, 4> steps; // by phase
  for (auto [step, due] :
       llvm::zip_equal(tiles.getNodes(), computeExecutionPhases(tiles)))
    if (!isLeftOut(step))
      steps[static_cast<unsigned>(due)].push_back(&step);
  auto &[invariant, inLoop, after, afterGrid] = steps;
  for (const Node *step : invariant)
    evaluateOperation(frame, *step);
  for (const Node *step : inLoop)
    if (joinsIterations(*step))
      allocateAccumulators(frame, *step);
  if (llvm::any_of(inLoop,
                   [](const Node *step) { return joinsMoments(*step); }))
    evaluateMeans(frame, outer, operation, isRead, inLoop);
  iterate(frame, outer, operation, isRead, inLoop,
          [&](const Node &step) { accumulateIteration(frame, step); });
  for (const Node *step : inLoop)
    if (joinsIterations(*step))
      finishAccumulation(frame, *step);
  for (const Node *step : llvm::concat<const Node *>(after, afterGrid))
    evaluateOperation(frame, *step);
}
