//===- DeviceTraffic.cpp - What maps imply of device memory ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/DeviceTraffic.h"
#include "Mirage/Graph/Strides.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace mlir::mirage;
using llvm::ArrayRef;

static bool isRead(const TileGraph &kernel, unsigned input) {
  return llvm::is_contained(kernel.getOutputs(), input) ||
         llvm::any_of(kernel.getNodes(), [&](const Node &op) {
           return llvm::is_contained(op.operands, input);
         });
}

/// How often blocks read each tile of an input that is read.
static double countReaders(const TileGraph &kernel, unsigned input) {
  double times = 1;
  for (auto [extent, dim] :
       llvm::zip_equal(kernel.grid, kernel.tileInputs[input].gridMap))
    if (dim == kReplicated)
      times *= double(extent);
  return times;
}

/// How often blocks write each tile of an output.
static double countWriters(const TileGraph &kernel, unsigned output) {
  double times = 1;
  for (auto [extent, dim] :
       llvm::zip_equal(kernel.grid, kernel.tileOutputs[output].gridMap))
    if (dim == kSummed)
      times *= double(extent);
  return times;
}

double mlir::mirage::countWrittenBytes(const TileGraph &kernel, unsigned output,
                                       const TensorSpec &result) {
  return double(result.getSizeBytes()) * countWriters(kernel, output);
}

namespace {
/// How often blocks read each tile of an input, where they end their loops.
class TileReaders {
public:
  TileReaders(const TileGraph &kernel, unsigned input, unsigned rank,
              BlockIterations iterations)
      : kernel(kernel) {
    int64_t numTiles = 1;
    for (unsigned dim = 0; dim < rank; ++dim) {
      axes.push_back(kernel.getCuttingAxes(input, dim));
      numTiles *= kernel.getExtent(axes.back());
    }
    times.resize(numTiles);
    // A block keeps a tile that the loop does not cut.
    bool isCut = kernel.tileInputs[input].loopMap != kReplicated;
    forEachBlock([&](ArrayRef<int64_t> block) {
      int64_t end = isCut ? iterations(block) : 1;
      for (int64_t iteration = 0; iteration < end; ++iteration)
        ++times[getTile(block, iteration)];
    });
  }

  /// \param numbers  of the tile, by dimension.
  int64_t get(ArrayRef<int64_t> numbers) const {
    int64_t tile = 0;
    for (auto [ofDim, number] : llvm::zip_equal(axes, numbers))
      tile = tile * kernel.getExtent(ofDim) + number;
    return times[tile];
  }

private:
  void forEachBlock(llvm::function_ref<void(ArrayRef<int64_t>)> visit) const {
    llvm::SmallVector<int64_t, 3> block(kernel.grid.size());
    for (int64_t number = 0; number < kernel.getNumBlocks(); ++number) {
      int64_t rest = number;
      for (auto [coordinate, extent] : llvm::zip_equal(block, kernel.grid)) {
        coordinate = rest % extent;
        rest /= extent;
      }
      visit(block);
    }
  }

  int64_t getTile(ArrayRef<int64_t> block, int64_t iteration) const {
    int64_t tile = 0;
    for (ArrayRef<Axis> ofDim : axes)
      for (Axis axis : ofDim)
        tile = tile * kernel.getExtent(axis) +
               (axis == Axis::Loop ? iteration
                                   : block[static_cast<unsigned>(axis)]);
    return tile;
  }

  const TileGraph &kernel;
  llvm::SmallVector<llvm::SmallVector<Axis, 2>, 4> axes; ///< by dimension
  std::vector<int64_t> times;                            ///< by tile
};

/// How often a tile is moved, by its numbers along the dimensions.
using TileTimes = llvm::function_ref<double(ArrayRef<int64_t>)>;

/// Walks through the tiles that a tensor is cut into, in the order of memory.
class TileWalk {
public:
  TileWalk(const TensorSpec &tensor, ArrayRef<int64_t> strides, int64_t offset)
      : elementBytes(getSizeBytes(tensor.element)), offset(offset) {
    for (unsigned dim = 0; dim < tensor.getRank(); ++dim)
      if (tensor.shape[dim] > 1)
        cuts.push_back({strides[dim], tensor.shape[dim], 0, dim});
    llvm::sort(cuts, [](const Cut &lhs, const Cut &rhs) {
      return std::pair(lhs.stride, lhs.dim) > std::pair(rhs.stride, rhs.dim);
    });
  }

  /// Goes through all tiles.
  /// \param tile       of the tensor's rank.
  /// \param numTiles   by dimension; those beyond its end hold nothing.
  void run(ArrayRef<int64_t> tile,
           llvm::function_ref<int64_t(unsigned)> numTiles, TileTimes times) {
    for (Cut &cut : cuts)
      cut.tile = numTiles(cut.dim) > 1 ? tile[cut.dim] : cut.size;
    llvm::SmallVector<int64_t, 4> numbers(tile.size());
    Starts starts(cuts.size());
    visitTiles(0, starts, numbers, times);
  }

  double getBytes() const { return numElements * double(elementBytes); }
  double getSectors() const { return numSectors; }

private:
  struct Cut {
    int64_t stride, size, tile;
    unsigned dim;
  };
  using Starts = llvm::SmallVector<int64_t, 4>; ///< of a tile, by cut

  /// Along a stride of 0 all elements of a tile are one.
  int64_t getSize(unsigned number, int64_t start) const {
    const Cut &cut = cuts[number];
    return cut.stride == 0 ? 1 : std::min(cut.tile, cut.size - start);
  }

  void visitTiles(unsigned number, Starts &starts,
                  llvm::MutableArrayRef<int64_t> numbers, TileTimes times) {
    if (number == cuts.size())
      return countTile(starts, times(numbers));
    const Cut &cut = cuts[number];
    for (int64_t start = 0; start < cut.size; start += cut.tile) {
      starts[number] = start;
      numbers[cut.dim] = start / cut.tile;
      visitTiles(number + 1, starts, numbers, times);
    }
  }

  void countTile(Starts &starts, double times) {
    double elements = 1;
    for (auto [cut, start] : llvm::zip_equal(cuts, starts))
      elements *= double(std::min(cut.tile, cut.size - start));
    numElements += times * elements;
    lastSector = -1;
    sectorsOfTile = 0;
    countRuns(0, offset, starts);
    numSectors += times * double(sectorsOfTile);
  }

  /// Consecutive elements from a dimension on, of one tile; 0 if there are
  /// gaps.
  int64_t getRun(unsigned number, ArrayRef<int64_t> starts) const {
    int64_t run = 1;
    for (unsigned inner = cuts.size(); inner-- > number;) {
      if (cuts[inner].stride == 0)
        continue;
      if (cuts[inner].stride != run)
        return 0;
      run *= getSize(inner, starts[inner]);
    }
    return run;
  }

  void countRuns(unsigned number, int64_t begin, Starts &starts) {
    if (int64_t run = getRun(number, starts)) {
      for (unsigned inner = number; inner < cuts.size(); ++inner)
        begin += starts[inner] * cuts[inner].stride;
      return addRun(begin, run);
    }
    for (int64_t i = 0, size = getSize(number, starts[number]); i < size; ++i)
      countRuns(number + 1, begin + (starts[number] + i) * cuts[number].stride,
                starts);
  }

  /// Runs of a tile come one behind the other.
  void addRun(int64_t begin, int64_t elements) {
    int64_t first = begin * elementBytes / kSectorBytes,
            last = ((begin + elements) * elementBytes - 1) / kSectorBytes;
    first = std::max(first, lastSector + 1);
    sectorsOfTile += std::max<int64_t>(last - first + 1, 0);
    lastSector = std::max(lastSector, last);
  }

  int64_t elementBytes, offset;
  llvm::SmallVector<Cut, 4> cuts;             ///< from the farthest apart on
  int64_t lastSector = -1, sectorsOfTile = 0; ///< of the present tile
  double numElements = 0, numSectors = 0;
};
} // namespace

/// All that is read of an input.
static TileWalk walkReads(const TileGraph &kernel, unsigned input,
                          const TensorSpec &operand, ArrayRef<int64_t> strides,
                          int64_t offset, BlockIterations iterations) {
  TileWalk walk(operand, strides, offset);
  if (!isRead(kernel, input))
    return walk;
  auto numTiles = [&](unsigned dim) {
    return kernel.getExtent(kernel.getCuttingAxes(input, dim));
  };
  ArrayRef<int64_t> tile = kernel.getType(input).shape;
  if (iterations) {
    TileReaders readers(kernel, input, operand.getRank(), iterations);
    walk.run(tile, numTiles, [&](ArrayRef<int64_t> numbers) {
      return double(readers.get(numbers));
    });
  } else {
    double times = countReaders(kernel, input);
    walk.run(tile, numTiles, [&](ArrayRef<int64_t>) { return times; });
  }
  return walk;
}

double mlir::mirage::countReadBytes(const TileGraph &kernel, unsigned input,
                                    const TensorSpec &operand,
                                    BlockIterations iterations) {
  if (!iterations)
    return isRead(kernel, input)
               ? double(operand.getSizeBytes()) * countReaders(kernel, input)
               : 0;
  return walkReads(kernel, input, operand, getRowMajorStrides(operand.shape),
                   /*offset=*/0, iterations)
      .getBytes();
}

double mlir::mirage::countReadSectors(const TileGraph &kernel, unsigned input,
                                      const TensorSpec &operand,
                                      ArrayRef<int64_t> strides, int64_t offset,
                                      BlockIterations iterations) {
  return walkReads(kernel, input, operand, strides, offset, iterations)
      .getSectors();
}

double mlir::mirage::countWrittenSectors(const TileGraph &kernel,
                                         unsigned output,
                                         const TensorSpec &result,
                                         ArrayRef<int64_t> strides,
                                         int64_t offset) {
  TileWalk walk(result, strides, offset);
  double times = countWriters(kernel, output);
  walk.run(
      kernel.getType(kernel.getOutputs()[output]).shape,
      [&](unsigned dim) {
        return kernel.getExtent(kernel.getJoinedAxes(output, dim));
      },
      [&](ArrayRef<int64_t>) { return times; });
  return walk.getSectors();
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

int64_t mlir::mirage::getWidestAccessBytes(const TensorSpec &tile,
                                           const TensorSpec &tensor,
                                           ArrayRef<int64_t> strides,
                                           int64_t offset) {
  constexpr int64_t kLargestAccessBytes = 16;
  int64_t elementBytes = getSizeBytes(tensor.element);
  int64_t width = std::gcd(kLargestAccessBytes / elementBytes, offset);
  // Consecutive elements, from the dimension where they lie closest outwards,
  // as far as tiles have whole ones and these lie one behind the other.
  llvm::SmallVector<unsigned, 4> dims;
  for (unsigned dim = 0; dim < tensor.getRank(); ++dim)
    if (tensor.shape[dim] > 1 && strides[dim] != 0) // 0: the same elements
      dims.push_back(dim);
  llvm::sort(dims, [&](unsigned lhs, unsigned rhs) {
    return std::pair(strides[lhs], lhs) < std::pair(strides[rhs], rhs);
  });
  int64_t run = 1;
  bool isInRun = true;
  for (unsigned dim : dims) {
    if (!isInRun || strides[dim] != run) {
      width = std::gcd(width, strides[dim]);
      isInRun = false;
      continue;
    }
    isInRun = tile.shape[dim] >= tensor.shape[dim];
    if (!isInRun) // runs begin at multiples of a tile, and end with it
      width = std::gcd(width, tile.shape[dim] * run);
    run *= tensor.shape[dim];
    if (!isInRun) // or with the tensor
      width = std::gcd(width, run);
  }
  return elementBytes * std::gcd(width, run);
}
