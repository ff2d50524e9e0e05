//===- TileWalk.cpp - Evaluates a tile graph block by block ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileWalk.h"
#include "Accumulator.h"
#include "Mirage/Graph/Phases.h"
#include "Mirage/Reference/ParallelFor.h"
#include "TileCopy.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <array>

using namespace mlir::mirage;

static bool hasPhase(llvm::ArrayRef<Phase> executionPhases, Phase phase) {
  return llvm::is_contained(executionPhases, phase);
}

/// What blocks hold on to until all of them have come to the joins of a phase:
/// what is read in it, or later.
static llvm::BitVector findReadFrom(const TileGraph &graph, Phase first,
                                    llvm::ArrayRef<Phase> executionPhases) {
  llvm::BitVector isRead(graph.getNumValues());
  for (ValueId output : graph.getOutputs())
    isRead.set(output);
  for (auto [operation, phase] :
       llvm::zip_equal(graph.getNodes(), executionPhases))
    if (phase >= first)
      for (ValueId operand : operation.operands)
        isRead.set(operand);
  return isRead;
}

int64_t mlir::mirage::countHeldElements(const TileGraph &graph) {
  llvm::SmallVector<Phase> executionPhases = computeExecutionPhases(graph);
  llvm::SmallVector<Phase> phases = computePhases(graph);
  bool joinsBefore = hasPhase(executionPhases, Phase::Joined);
  bool joins = joinsBefore || hasPhase(executionPhases, Phase::AfterGrid);
  auto count = [&](Phase joins) {
    llvm::BitVector isRead = findReadFrom(graph, joins, executionPhases);
    int64_t elements = 0;
    for (unsigned value : isRead.set_bits())
      if (phases[value] <= joins)
        elements += graph.getType(value).getNumElements();
    return elements;
  };
  return std::max(joinsBefore ? count(Phase::Joined) : 0,
                  joins ? count(Phase::AfterGrid) : 0);
}

namespace {
/// One thread block: where it stands and what it holds.
struct Block {
  std::array<int64_t, 3> coordinates = {};
  std::vector<Tensor> values; ///< by ValueId
};

/// Blocks that are independent are walked one by one. Where an accumulation
/// joins blocks in mid-kernel, before the loop or behind it, each is walked up
/// to there, and then all go on in step.
class TileWalk {
public:
  TileWalk(const TileGraph &graph, llvm::ArrayRef<Tensor> operands,
           llvm::ArrayRef<TensorSpec> types, const EvaluationOptions &options)
      : graph(graph), operands(operands), options(options),
        phases(computePhases(graph)),
        executionPhases(computeExecutionPhases(graph)) {
    for (const TensorSpec &type : types)
      results.push_back(Tensor::fill(type.shape, 0));
  }

  std::vector<Tensor> run() {
    if (hasPhase(executionPhases, Phase::Joined) ||
        hasPhase(executionPhases, Phase::AfterGrid))
      runInStep();
    else
      runOneByOne();
    return std::move(results);
  }

private:
  using PieceBody =
      llvm::function_ref<void(int64_t number, const EvaluationOptions &own)>;

  /// Calls `body` for each of some independent pieces of work. Where there is
  /// one alone, all threads are its own.
  void forEachPiece(int64_t count, PieceBody body) const {
    EvaluationOptions own =
        options.withThreads(count == 1 ? options.threads : 1);
    parallelFor(options.threads, count, 1,
                [&](int64_t number, int64_t) { body(number, own); });
  }

  /// Whether an output adds up the blocks along an axis.
  bool isSummed(size_t axis) const {
    return llvm::any_of(graph.tileOutputs, [&](const TileOutput &output) {
      return output.gridMap[axis] == kSummed;
    });
  }

  /// Blocks along summed axes are walked in order by one thread, so that the
  /// sums are the same for any number of threads.
  void runOneByOne() {
    std::array<int64_t, 3> outer = {1, 1, 1}, inner = {1, 1, 1};
    for (size_t axis = 0; axis < graph.grid.size(); ++axis)
      (isSummed(axis) ? inner : outer)[axis] = graph.grid[axis];
    int64_t groups = outer[0] * outer[1] * outer[2];
    int64_t members = inner[0] * inner[1] * inner[2];
    forEachPiece(groups, [&](int64_t group, const EvaluationOptions &own) {
      for (int64_t member = 0; member < members; ++member) {
        Block block;
        for (size_t axis = 0; axis < 3; ++axis)
          block.coordinates[axis] = getCoordinate(group, outer, axis) +
                                    getCoordinate(member, inner, axis);
        runBeforeLoop(block, own);
        runLoopAndBehind(block, own);
        storeTiles(block);
      }
    });
  }

  void runInStep() {
    std::array<int64_t, 3> extents = {graph.getExtent(Axis::X),
                                      graph.getExtent(Axis::Y),
                                      graph.getExtent(Axis::Z)};
    std::vector<Block> blocks(graph.getNumBlocks());
    for (auto [number, block] : llvm::enumerate(blocks))
      for (size_t axis = 0; axis < 3; ++axis)
        block.coordinates[axis] = getCoordinate(number, extents, axis);
    bool joinsBefore = hasPhase(executionPhases, Phase::Joined);
    if (joinsBefore) {
      runToJoins(blocks, Phase::Joined,
                 [&](Block &block, const EvaluationOptions &own) {
                   runBeforeLoop(block, own);
                 });
      runJoins(blocks, Phase::Joined);
    }
    runToJoins(blocks, Phase::AfterGrid,
               [&](Block &block, const EvaluationOptions &own) {
                 if (!joinsBefore)
                   runBeforeLoop(block, own);
                 runLoopAndBehind(block, own);
               });
    runJoins(blocks, Phase::AfterGrid);
    for (const Block &block : blocks)
      storeTiles(block);
  }

  /// Takes all blocks to the joins of a phase, and drops what is not read from
  /// there on.
  void
  runToJoins(llvm::MutableArrayRef<Block> blocks, Phase joins,
             llvm::function_ref<void(Block &, const EvaluationOptions &)> run) {
    llvm::BitVector isRead = findReadFrom(graph, joins, executionPhases);
    forEachPiece(blocks.size(),
                 [&](int64_t number, const EvaluationOptions &own) {
                   Block &block = blocks[number];
                   run(block, own);
                   for (ValueId value = 0; value < block.values.size(); ++value)
                     if (!isRead[value])
                       block.values[value] = Tensor();
                 });
  }

  static int64_t getCoordinate(int64_t number,
                               const std::array<int64_t, 3> &extents,
                               size_t axis) {
    for (size_t before = 0; before < axis; ++before)
      number /= extents[before];
    return number % extents[axis];
  }

  void runBeforeLoop(Block &block, const EvaluationOptions &own) {
    block.values.resize(graph.getNumValues());
    loadTiles(block, Phase::Invariant, 0);
    runPhase(block, Phase::Invariant, 0, own);
  }

  void runLoopAndBehind(Block &block, const EvaluationOptions &own) {
    runLoop(block, own);
    runPhase(block, Phase::After, graph.loop - 1, own);
  }

  void runLoop(Block &block, const EvaluationOptions &own) {
    std::vector<std::pair<const Node *, Accumulator>> accumulators;
    for (const Node &operation : graph.getNodes())
      if (joinsIterations(operation))
        accumulators.emplace_back(&operation, Accumulator(graph, operation));
    for (int64_t iteration = 0; iteration < graph.loop; ++iteration) {
      loadTiles(block, Phase::Loop, iteration);
      runPhase(block, Phase::Loop, iteration, own);
      for (auto &[operation, accumulator] : accumulators)
        accumulator.add(getOperands(block, *operation), own);
    }
    for (auto &[operation, accumulator] : accumulators)
      block.values[operation->results[0]] = accumulator.finish(own);
  }

  void loadTiles(Block &block, Phase phase, int64_t iteration) {
    for (unsigned input = 0; input < graph.getNumInputs(); ++input) {
      if (phases[input] != phase)
        continue;
      const Shape &shape = graph.getType(input).shape;
      Shape origin;
      for (unsigned dim = 0; dim < shape.size(); ++dim)
        origin.push_back(
            shape[dim] *
            getLinear(graph.getCuttingAxes(input, dim), block, iteration));
      block.values[input] = cutTile(operands[input], origin, shape);
    }
  }

  /// The number of a tile along a dimension that `axes` cut, outermost first.
  int64_t getLinear(llvm::ArrayRef<Axis> axes, const Block &block,
                    int64_t iteration) const {
    int64_t linear = 0;
    for (Axis axis : axes)
      linear =
          linear * graph.getExtent(axis) +
          (axis == Axis::Loop ? iteration
                              : block.coordinates[static_cast<unsigned>(axis)]);
    return linear;
  }

  static llvm::SmallVector<Tensor, 2> getOperands(const Block &block,
                                                  const Node &operation) {
    return llvm::map_to_vector<2>(
        operation.operands, [&](ValueId value) { return block.values[value]; });
  }

  /// All but accumulations, which are joined between the phases.
  void runPhase(Block &block, Phase phase, int64_t iteration,
                const EvaluationOptions &own) {
    for (auto [operation, due] :
         llvm::zip_equal(graph.getNodes(), executionPhases))
      if (due == phase && operation.opcode != Opcode::Accumulate)
        runOperation(block, operation, iteration, own);
  }

  /// Operations and joins in their order, each by all blocks before the next.
  void runJoins(llvm::MutableArrayRef<Block> blocks, Phase phase) {
    for (auto [operation, due] :
         llvm::zip_equal(graph.getNodes(), executionPhases)) {
      if (due != phase)
        continue;
      if (joinsBlocks(operation)) {
        joinAllBlocks(blocks, operation);
        continue;
      }
      const Node &step = operation;
      forEachPiece(blocks.size(),
                   [&](int64_t number, const EvaluationOptions &own) {
                     runOperation(blocks[number], step, graph.loop - 1, own);
                   });
    }
  }

  void runOperation(Block &block, const Node &operation, int64_t iteration,
                    const EvaluationOptions &own) {
    llvm::SmallVector<Tensor, 2> values = getOperands(block, operation);
    ValueId result = operation.results[0];
    if (operation.body) {
      std::vector<Tensor> nested = walkTiles(
          *operation.body, values, graph.getTypes(operation.results), own);
      for (auto [value, tensor] : llvm::zip_equal(operation.results, nested))
        block.values[value] = tensor;
    } else if (operation.opcode == Opcode::Mask) {
      block.values[result] = mask(block, operation, values[0], iteration);
    } else if (operation.opcode == Opcode::CausalMask) {
      block.values[result] = causalMask(block, operation, values[0], iteration);
    } else {
      block.values[result] = applyOperation(
          operation, values, graph.getType(result).shape, own.threads);
    }
    for (auto [number, value] : llvm::enumerate(operation.results))
      block.values[value] =
          roundResult(graph, operation, number, block.values[value], own);
  }

  Tensor mask(const Block &block, const Node &operation, const Tensor &tile,
              int64_t iteration) const {
    const Attributes &attributes = operation.attributes;
    unsigned dim = attributes.dims[0];
    int64_t begin =
        getLinear(attributes.axes, block, iteration) * tile.shape[dim];
    return maskFrom(tile, dim, attributes.extent - begin,
                    attributes.scalars[0]);
  }

  Tensor causalMask(const Block &block, const Node &operation,
                    const Tensor &tile, int64_t iteration) const {
    const Attributes &attributes = operation.attributes;
    int64_t row =
        getLinear(attributes.axes, block, iteration) * tile.shape.rbegin()[1];
    int64_t column =
        getLinear(attributes.columnAxes, block, iteration) * tile.shape.back();
    return maskAbove(tile, row + attributes.offset - column);
  }

  /// Gives all blocks that differ only along the operation's axis the same
  /// result.
  void joinAllBlocks(llvm::MutableArrayRef<Block> blocks,
                     const Node &operation) {
    unsigned axis = static_cast<unsigned>(operation.attributes.axis);
    int64_t stride = 1, extent = graph.getExtent(operation.attributes.axis);
    for (unsigned before = 0; before < axis; ++before)
      stride *= graph.getExtent(static_cast<Axis>(before));
    forEachPiece(blocks.size() / extent, [&](int64_t group,
                                             const EvaluationOptions &own) {
      Block *first = &blocks[group / stride * stride * extent + group % stride];
      Accumulator joined(graph, operation);
      for (int64_t along = 0; along < extent; ++along)
        joined.add(getOperands(first[along * stride], operation), own);
      Tensor result = joined.finish(own);
      for (int64_t along = 0; along < extent; ++along)
        first[along * stride].values[operation.results[0]] = result;
    });
  }

  void storeTiles(const Block &block) {
    for (size_t output = 0; output < results.size(); ++output) {
      const TileOutput &map = graph.tileOutputs[output];
      const Tensor &tile = block.values[graph.getOutputs()[output]];
      Shape linear(tile.shape.size(), 0);
      bool adds = false, writes = true;
      for (auto [axis, dim] : llvm::enumerate(map.gridMap)) {
        int64_t at = block.coordinates[axis];
        if (dim >= 0)
          linear[dim] = linear[dim] * graph.grid[axis] + at;
        adds |= dim == kSummed;
        writes &= dim != kReplicated || at == 0;
      }
      for (size_t dim = 0; dim < linear.size(); ++dim)
        linear[dim] *= tile.shape[dim];
      if (writes)
        pasteTile(tile, linear, adds, results[output]);
    }
  }

  const TileGraph &graph;
  llvm::ArrayRef<Tensor> operands;
  EvaluationOptions options;
  llvm::SmallVector<Phase> phases;          ///< by value
  llvm::SmallVector<Phase> executionPhases; ///< by operation
  std::vector<Tensor> results;
};
} // namespace

std::vector<Tensor> mlir::mirage::walkTiles(const TileGraph &graph,
                                            llvm::ArrayRef<Tensor> operands,
                                            llvm::ArrayRef<TensorSpec> types,
                                            const EvaluationOptions &options) {
  return TileWalk(graph, operands, types, options).run();
}
