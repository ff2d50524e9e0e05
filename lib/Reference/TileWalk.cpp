//===- TileWalk.cpp - Evaluates a tile graph block by block ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileWalk.h"
#include "Mirage/Graph/Phases.h"
#include "Mirage/Reference/ParallelFor.h"
#include "TileCopy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <array>

using namespace mlir::mirage;

namespace {
/// One thread block: where it stands and what it holds.
struct Block {
  std::array<int64_t, 3> coordinates = {};
  std::vector<Tensor> values; ///< by ValueId
};

/// Blocks that are independent are walked one by one. Where an accumulation
/// joins blocks in mid-kernel, all blocks are walked in step.
class TileWalk {
public:
  TileWalk(const TileGraph &graph, llvm::ArrayRef<Tensor> operands,
           llvm::ArrayRef<TensorSpec> types, unsigned threads)
      : graph(graph), operands(operands), threads(threads),
        phases(computePhases(graph)),
        executionPhases(computeExecutionPhases(graph)) {
    for (const TensorSpec &type : types)
      results.push_back(Tensor::fill(type.shape, 0));
  }

  std::vector<Tensor> run() {
    if (llvm::any_of(graph.getNodes(), joinsBlocks))
      runInStep();
    else
      runOneByOne();
    return std::move(results);
  }

private:
  static bool joinsBlocks(const Node &operation) {
    return operation.opcode == Opcode::Accumulate &&
           !joinsIterations(operation);
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
    parallelFor(threads, groups, 1, [&](int64_t group, int64_t) {
      for (int64_t member = 0; member < members; ++member) {
        Block block;
        for (size_t axis = 0; axis < 3; ++axis)
          block.coordinates[axis] = getCoordinate(group, outer, axis) +
                                    getCoordinate(member, inner, axis);
        runBlocks(block, /*threads=*/groups == 1 ? threads : 1);
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
    runBlocks(blocks, threads);
  }

  static int64_t getCoordinate(int64_t number,
                               const std::array<int64_t, 3> &extents,
                               size_t axis) {
    for (size_t before = 0; before < axis; ++before)
      number /= extents[before];
    return number % extents[axis];
  }

  /// Takes blocks in step through all phases.
  void runBlocks(llvm::MutableArrayRef<Block> blocks, unsigned threads) {
    for (Block &block : blocks)
      start(block);
    runPhase(blocks, Phase::Invariant, 0, threads);
    for (int64_t iteration = 0; iteration < graph.loop; ++iteration) {
      for (Block &block : blocks)
        loadTiles(block, Phase::Loop, iteration);
      runPhase(blocks, Phase::Loop, iteration, threads);
    }
    for (Block &block : blocks)
      finishAccumulators(block, threads);
    runPhase(blocks, Phase::After, graph.loop - 1, threads);
    for (const Block &block : blocks)
      storeTiles(block);
  }

  void start(Block &block) {
    block.values.resize(graph.getNumValues());
    loadTiles(block, Phase::Invariant, 0);
    for (const Node &operation : graph.getNodes())
      if (joinsIterations(operation))
        block.values[operation.results[0]] =
            Tensor::fill(graph.getType(operation.results[0]).shape,
                         getNeutral(getReduction(operation).combiner));
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

  void runPhase(llvm::MutableArrayRef<Block> blocks, Phase phase,
                int64_t iteration, unsigned threads) {
    for (auto [position, due] : llvm::enumerate(executionPhases)) {
      if (due != phase)
        continue;
      const Node &operation = graph.getNodes()[position];
      if (joinsBlocks(operation)) {
        joinBlocks(blocks, operation);
        continue;
      }
      parallelFor(threads, blocks.size(), 1, [&](int64_t number, int64_t) {
        runOperation(blocks[number], operation, iteration,
                     blocks.size() == 1 ? threads : 1);
      });
    }
  }

  void runOperation(Block &block, const Node &operation, int64_t iteration,
                    unsigned threads) {
    llvm::SmallVector<Tensor, 2> values = llvm::map_to_vector<2>(
        operation.operands, [&](ValueId value) { return block.values[value]; });
    ValueId result = operation.results[0];
    if (operation.body) {
      std::vector<Tensor> nested = walkTiles(
          *operation.body, values, graph.getTypes(operation.results), threads);
      for (auto [value, tensor] : llvm::zip_equal(operation.results, nested))
        block.values[value] = tensor;
    } else if (operation.opcode == Opcode::Accumulate) {
      reduceInto(block.values[result], values[0],
                 operation.attributes.reduction, threads);
    } else if (operation.opcode == Opcode::Mask) {
      block.values[result] = mask(block, operation, values[0], iteration);
    } else if (operation.opcode == Opcode::CausalMask) {
      block.values[result] = causalMask(block, operation, values[0], iteration);
    } else {
      block.values[result] = applyOperation(
          operation, values, graph.getType(result).shape, threads);
    }
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

  static const OperatorInfo &getReduction(const Node &operation) {
    return getOperatorInfo(operation.attributes.reduction);
  }

  /// How many elements each result of an accumulation averages.
  int64_t getCount(const Node &operation) const {
    const Attributes &attributes = operation.attributes;
    return getAveragedCount(attributes,
                            graph.getType(operation.operands[0]).shape,
                            graph.getExtent(attributes.axis));
  }

  void finishAccumulators(Block &block, unsigned threads) {
    for (const Node &operation : graph.getNodes())
      if (joinsIterations(operation)) {
        Tensor &joined = block.values[operation.results[0]];
        joined = finishReduction(joined, operation.attributes.reduction,
                                 getCount(operation), threads);
      }
  }

  /// Gives all blocks that differ only along the operation's axis the same
  /// result.
  void joinBlocks(llvm::MutableArrayRef<Block> blocks, const Node &operation) {
    unsigned axis = static_cast<unsigned>(operation.attributes.axis);
    ValueId operand = operation.operands[0], result = operation.results[0];
    int64_t stride = 1, extent = graph.getExtent(operation.attributes.axis);
    for (unsigned before = 0; before < axis; ++before)
      stride *= graph.getExtent(static_cast<Axis>(before));
    for (size_t first = 0; first < blocks.size(); ++first) {
      if (blocks[first].coordinates[axis] != 0)
        continue;
      Tensor joined =
          Tensor::fill(graph.getType(result).shape,
                       getNeutral(getReduction(operation).combiner));
      for (int64_t along = 0; along < extent; ++along)
        reduceInto(joined, blocks[first + along * stride].values[operand],
                   operation.attributes.reduction, 1);
      joined = finishReduction(joined, operation.attributes.reduction,
                               getCount(operation), 1);
      for (int64_t along = 0; along < extent; ++along)
        blocks[first + along * stride].values[result] = joined;
    }
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
  unsigned threads;
  llvm::SmallVector<Phase> phases;          ///< by value
  llvm::SmallVector<Phase> executionPhases; ///< by operation
  std::vector<Tensor> results;
};
} // namespace

std::vector<Tensor> mlir::mirage::walkTiles(const TileGraph &graph,
                                            llvm::ArrayRef<Tensor> operands,
                                            llvm::ArrayRef<TensorSpec> types,
                                            unsigned threads) {
  return TileWalk(graph, operands, types, threads).run();
}
