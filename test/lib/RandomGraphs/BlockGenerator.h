//===- BlockGenerator.h - Random block graphs -------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A random block graph is valid by construction: dimensions and what cuts them
// come first (Dimensions.h), operands are tensors over some of them, and an
// operation is drawn with operands that it takes, brought to shapes that fit
// and into ranges in which it loses no digits. Phases follow from the rules of
// the project: a stage draws from the values that are known in it.
//
//   before the loop  what it does not change, and joins over axes of that
//   in the loop      operations, of tiles and what does not change
//   after it         what accumulations over the loop left
//   after the grid   what accumulations over its axes left
//
// At the end everything that has no use is an output, or goes into one.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_LIB_RANDOMGRAPHS_BLOCKGENERATOR_H
#define MIRAGE_TEST_LIB_RANDOMGRAPHS_BLOCKGENERATOR_H

#include "Feature.h"
#include "TileWriter.h"

namespace mlir::mirage::test {

/// A tensor in device memory and between which numbers its elements are.
struct RangedTensor {
  TensorSpec type;
  ValueRange range;
  bool hasRoots = false; ///< as TileValue has it
  unsigned expDepth = 0;
};

/// Five standard deviations, and none is drawn beyond.
constexpr ValueRange kInputRange = {-5, 5};

struct GeneratedBlock {
  TileGraph tiles; ///< with masks, verified
  /// Those that were given first.
  llvm::SmallVector<RangedTensor> operands, results;
};

/// \param given   tensors that the graph reads, besides others.
/// \param wanted  operators that it should have.
/// \returns none where the tensors lead to tiles that are too large, and an
/// error where the graph is not valid, which is a fault of the generator or of
/// the rules that it follows.
llvm::Expected<std::optional<GeneratedBlock>>
generateBlock(Draw &draw, llvm::ArrayRef<RangedTensor> given,
              llvm::ArrayRef<Feature> wanted);

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_LIB_RANDOMGRAPHS_BLOCKGENERATOR_H
