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
  BlockSet::Positions positions = frame.listPositions(axes, attributes.axes);
  for (size_t instance = 0; instance < frame.countInstances(axes); ++instance) {
    int64_t position = positions[instance % positions.size()];
    int64_t kept =
        std::clamp<int64_t>(attributes.extent - position * tile, 0, tile);
    for (size_t o = 0; o < outer; ++o) {
      uint32_t *row =
          result + ((instance * outer + o) * tile + kept) * inner * words;
      copyRow(row, constant, (tile - kept) * inner, /*stride=*/0, words);
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
  BlockSet::Positions rowPositions = frame.listPositions(axes, attributes.axes);
  BlockSet::Positions columnPositions =
      frame.listPositions(axes, attributes.columnAxes);
  for (size_t instance = 0; instance < frame.countInstances(axes); ++instance) {
    // How many columns of the tile its first row keeps.
    int64_t first =
        1 + attributes.offset +
        rows * rowPositions[instance % rowPositions.size()] -
        columns * columnPositions[instance % columnPositions.size()];
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
/// Where the tiles of some blocks begin in a tensor, or in what there is of it.
class TileOrigins {
public:
  /// \param varying  along which axes blocks count one by one.
  /// \param cutting  by dimension, the axes that cut it.
  /// \param kept     what there is of the tensor; null for all.
  TileOrigins(const BlockSet &blocks, AxisSet varying, int64_t iteration,
              llvm::ArrayRef<int64_t> tile,
              llvm::function_ref<llvm::SmallVector<Axis, 2>(unsigned)> cutting,
              const Region *kept)
      : count(blocks.count(varying)), rank(tile.size()), starts(count * rank) {
    for (unsigned dim = 0; dim < rank; ++dim) {
      llvm::SmallVector<Axis, 2> axes = cutting(dim);
      if (axes.empty() && !kept)
        continue;
      auto positions = blocks.listPositions(varying, iteration, axes);
      for (auto [block, position] : llvm::enumerate(positions)) {
        int64_t first = position * tile[dim];
        // Tiles are there as a whole, their elements side by side.
        starts[block * rank + dim] =
            kept ? (*kept)[dim].findPlace(first) : first;
      }
    }
  }

  size_t size() const { return count; }
  llvm::ArrayRef<int64_t> operator[](size_t block) const {
    return llvm::ArrayRef(starts).slice(block * rank, rank);
  }

private:
  size_t count, rank;
  llvm::SmallVector<int64_t, 64> starts; ///< by block and dimension
};
} // namespace

static TileOrigins findOrigins(const TileGraph &tiles, const BlockSet &blocks,
                               unsigned input, int64_t iteration,
                               const Region *kept) {
  return TileOrigins(
      blocks, getVaryingAxes(tiles, input), iteration,
      tiles.getType(input).shape,
      [&](unsigned dim) { return tiles.getCuttingAxes(input, dim); }, kept);
}

/// The runs (InputElements.h) of a tensor that tiles have.
static llvm::BitVector findRuns(const TileOrigins &origins,
                                const TileRows &rows, size_t numElements) {
  constexpr size_t kRun = InputElements::kRun;
  llvm::BitVector runs((numElements + kRun - 1) / kRun);
  for (size_t block = 0; block < origins.size(); ++block)
    rows.forEach(origins[block], [&](size_t, size_t first, size_t length) {
      runs.set(first / kRun, (first + length - 1) / kRun + 1);
    });
  return runs;
}

/// Whether iterations that read their tiles as they need them read little more
/// than there is.
bool GraphEvaluator::isReadAboutOnce(const Graph &outer, const Node &operation,
                                     unsigned input) const {
  const TileGraph &tiles = *operation.body;
  BlockSet blocks(tiles);
  const Shape &tensor = outer.getType(operation.operands[input]).shape;
  llvm::BitVector runs = findRuns(
      findOrigins(tiles, blocks, input, /*iteration=*/0,
                  /*kept=*/nullptr),
      TileRows(tiles.getType(input).shape, tensor), countElements(tensor));
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

/// Whether every block has the whole operand as its tile.
bool GraphEvaluator::isReadWhole(const Frame &frame, const Frame &outer,
                                 unsigned input, ValueId operand) {
  AxisSet axes = frame.getAxes(input);
  return outer.values[operand] && !outer.sample && axes == 0 &&
         frame.outerAxes == outer.getAxes(operand) &&
         (frame.tiles->loop == 1 || !isReadInLoop(*frame.tiles, input)) &&
         frame.tiles->getType(input).shape ==
             outer.graph.getType(operand).shape;
}

const uint32_t *GraphEvaluator::getPadding() {
  if (!padding)
    arithmetic.constant(padding.emplace().data(), 0);
  return padding->data();
}

void GraphEvaluator::readTile(Frame &frame, const Frame &outer, unsigned input,
                              ValueId operand) {
  const uint32_t *zero = getPadding();
  if (isReadWhole(frame, outer, input, operand)) {
    frame.values[input] = outer.values[operand];
    return;
  }
  const TileGraph &tiles = *frame.tiles;
  Shape tensor = outer.getShape(operand);
  const Shape &tile = tiles.getType(input).shape;
  TileRows rows(tile, tensor);
  TileOrigins origins =
      findOrigins(tiles, frame.blocks, input, frame.iteration,
                  outer.sample ? &outer.sample->regions[operand] : nullptr);
  size_t tileWords = countElements(tile) * words;
  size_t tensorWords = countElements(tensor) * words;
  uint32_t *target = frame.values[input];
  if (const uint32_t *source = outer.values[operand]) {
    OffsetWalk tensors; // by instance of the graph around, which a block is of
    outer.addInstancesTo(tensors, frame.outerAxes, outer.getAxes(operand),
                         tensorWords);
    for (size_t instance = 0; instance < frame.instances; ++instance) {
      const uint32_t *from = source + tensors.getOffset();
      tensors.advance();
      for (size_t block = 0; block < origins.size(); ++block) {
        rows.copy(target, origins[block], zero, words,
                  [&](size_t offset) { return from + offset * words; });
        target += tileWords;
      }
    }
    return;
  }
  if (RowsInOrder::isFor(tile)) {
    std::fill_n(target, origins.size() * tileWords, zero[0]);
    RowsInOrder sorted;
    for (size_t block = 0; block < origins.size(); ++block)
      rows.forEach(
          origins[block], [&](size_t tileRow, size_t tensorRow, size_t length) {
            sorted.add(tensorRow, length, target + block * tileWords + tileRow);
          });
    return sorted.copy(*outer.inputs, operand, tensorWords);
  }
  llvm::BitVector runs = findRuns(origins, rows, tensorWords);
  WordArena::Mark mark = arena.mark();
  RunsRead read(*outer.inputs, operand, runs, tensorWords,
                arena.allocate(runs.count() * InputElements::kRun));
  for (size_t block = 0; block < origins.size(); ++block)
    rows.copy(target + block * tileWords, origins[block], zero, words,
              [&](size_t offset) { return read.get(offset); });
  arena.release(mark);
}

void GraphEvaluator::writeTile(const Frame &frame, Frame &outer,
                               unsigned output, ValueId result) {
  const TileGraph &tiles = *frame.tiles;
  ValueId value = tiles.getOutputs()[output];
  Shape tensor = outer.getShape(result);
  const Shape &tile = tiles.getType(value).shape;
  // Of blocks that hold the same one writes, and of those that add up all.
  AxisSet writing = 0;
  llvm::SmallVector<Axis, 3> summed;
  for (auto [number, dim] :
       llvm::enumerate(tiles.tileOutputs[output].gridMap)) {
    Axis axis = static_cast<Axis>(number);
    if (dim != kReplicated)
      writing |= toAxisSet(axis);
    if (dim == kSummed)
      summed.push_back(axis);
  }
  BlockSet::Positions summands =
      frame.blocks.listPositions(writing, /*iteration=*/0, summed);
  TileRows rows(tile, tensor);
  TileOrigins origins(
      frame.blocks, writing, /*iteration=*/0, tile,
      [&](unsigned dim) { return tiles.getJoinedAxes(output, dim); },
      outer.sample ? &outer.sample->regions[result] : nullptr);
  OffsetWalk sources;
  frame.addInstancesTo(sources, writing, frame.getAxes(value),
                       countElements(tile) * words);
  for (size_t instance = 0; instance < frame.instances; ++instance) {
    uint32_t *target =
        outer.values[result] + instance * countElements(tensor) * words;
    for (size_t block = 0; block < origins.size(); ++block) {
      const uint32_t *source = frame.values[value] + sources.getOffset();
      sources.advance();
      rows.forEach(origins[block],
                   [&](size_t tileRow, size_t tensorRow, size_t length) {
                     uint32_t *to = target + tensorRow * words;
                     const uint32_t *from = source + tileRow * words;
                     if (summands[block] != 0)
                       arithmetic.apply(ScalarFunction::Add, to, {to}, {from},
                                        length * words);
                     else
                       copyRow(to, from, length, /*stride=*/1, words);
                   });
    }
  }
}

void GraphEvaluator::evaluateGraph(Frame &outer, const Node &operation,
                                   BlockSet blocks) {
  const TileGraph &tiles = *operation.body;
  for (ValueId result : operation.results)
    if (outer.isNeeded(result))
      allocate(outer, result);
  WordArena::Mark mark = arena.mark();
  AxisSet outerAxes = outer.getAxes(operation.results[0]);
  Frame frame{tiles, &tiles, outer.countInstances(outerAxes)};
  frame.blocks = std::move(blocks);
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
    llvm::BitVector isReadInside = findInputsRead(*operation.body);
    for (unsigned input : isReadInside.set_bits())
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
    if (!isReadWhole(frame, outer, input, operation.operands[input]))
      allocate(frame, input);
    if (!isReadInLoop(tiles, input))
      readTile(frame, outer, input, operation.operands[input]);
  }
  std::array<llvm::SmallVector<const Node *>, 5> steps; // by phase
  for (auto [step, due] :
       llvm::zip_equal(tiles.getNodes(), computeExecutionPhases(tiles)))
    if (!isLeftOut(step))
      steps[static_cast<unsigned>(due)].push_back(&step);
  auto &[invariant, joined, inLoop, after, afterGrid] = steps;
  for (const Node *step : llvm::concat<const Node *>(invariant, joined))
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
