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

double mlir::mirage::countReadBytes(const TileGraph &kernel, unsigned input,
                                    const TensorSpec &operand) {
  if (!isRead(kernel, input))
    return 0;
  double bytes = double(operand.getSizeBytes());
  for (auto [extent, dim] :
       llvm::zip_equal(kernel.grid, kernel.tileInputs[input].gridMap))
    if (dim == kReplicated)
      bytes *= double(extent);
  return bytes;
}

double mlir::mirage::countWrittenBytes(const TileGraph &kernel, unsigned output,
                                       const TensorSpec &result) {
  double bytes = double(result.getSizeBytes());
  for (auto [extent, dim] :
       llvm::zip_equal(kernel.grid, kernel.tileOutputs[output].gridMap))
    if (dim == kSummed)
      bytes *= double(extent);
  return bytes;
}

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
