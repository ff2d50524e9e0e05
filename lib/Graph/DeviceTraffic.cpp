//===- DeviceTraffic.cpp - What maps imply of device memory ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/DeviceTraffic.h"
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

/// How often blocks read each tile of an input; 0 if nothing reads it.
static double countReaders(const TileGraph &kernel, unsigned input) {
  if (!isRead(kernel, input))
    return 0;
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

double mlir::mirage::countReadBytes(const TileGraph &kernel, unsigned input,
                                    const TensorSpec &operand) {
  return double(operand.getSizeBytes()) * countReaders(kernel, input);
}

double mlir::mirage::countWrittenBytes(const TileGraph &kernel, unsigned output,
                                       const TensorSpec &result) {
  return double(result.getSizeBytes()) * countWriters(kernel, output);
}

//===----------------------------------------------------------------------===//
// Sectors
//===----------------------------------------------------------------------===//

namespace {
/// Walks through the tiles that a tensor is cut into, in the order of memory.
class SectorCounter {
public:
  SectorCounter(const TensorSpec &tensor, ArrayRef<int64_t> strides,
                int64_t offset)
      : elementBytes(getSizeBytes(tensor.element)), offset(offset) {
    for (unsigned dim = 0; dim < tensor.getRank(); ++dim)
      if (tensor.shape[dim] > 1)
        cuts.push_back({strides[dim], tensor.shape[dim], 0, dim});
    llvm::sort(cuts, [](const Cut &lhs, const Cut &rhs) {
      return std::pair(lhs.stride, lhs.dim) > std::pair(rhs.stride, rhs.dim);
    });
  }

  /// \param tile       of the tensor's rank.
  /// \param numTiles   by dimension; those beyond its end hold nothing.
  double count(ArrayRef<int64_t> tile,
               llvm::function_ref<int64_t(unsigned)> numTiles) {
    for (Cut &cut : cuts)
      cut.tile = numTiles(cut.dim) > 1 ? tile[cut.dim] : cut.size;
    numSectors = 0;
    Starts starts(cuts.size());
    countTiles(0, starts);
    return numSectors;
  }

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

  void countTiles(unsigned number, Starts &starts) {
    if (number == cuts.size()) {
      lastSector = -1;
      return countRuns(0, offset, starts);
    }
    for (int64_t start = 0; start < cuts[number].size;
         start += cuts[number].tile) {
      starts[number] = start;
      countTiles(number + 1, starts);
    }
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
    numSectors += double(std::max<int64_t>(last - first + 1, 0));
    lastSector = std::max(lastSector, last);
  }

  int64_t elementBytes, offset;
  llvm::SmallVector<Cut, 4> cuts; ///< from the farthest apart on
  int64_t lastSector = -1;        ///< of the present tile
  double numSectors = 0;
};
} // namespace

double mlir::mirage::countReadSectors(const TileGraph &kernel, unsigned input,
                                      const TensorSpec &operand,
                                      ArrayRef<int64_t> strides,
                                      int64_t offset) {
  double times = countReaders(kernel, input);
  if (times == 0)
    return 0;
  return times *
         SectorCounter(operand, strides, offset)
             .count(kernel.getType(input).shape, [&](unsigned dim) {
               return kernel.getExtent(kernel.getCuttingAxes(input, dim));
             });
}

double mlir::mirage::countWrittenSectors(const TileGraph &kernel,
                                         unsigned output,
                                         const TensorSpec &result,
                                         ArrayRef<int64_t> strides,
                                         int64_t offset) {
  return countWriters(kernel, output) *
         SectorCounter(result, strides, offset)
             .count(kernel.getType(kernel.getOutputs()[output]).shape,
                    [&](unsigned dim) {
                      return kernel.getExtent(
                          kernel.getJoinedAxes(output, dim));
                    });
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
