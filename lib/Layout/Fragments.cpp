//===- Fragments.cpp - Layouts that instructions prescribe ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Layout/Fragments.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::mirage;

/// Lane bits of an operand whose lanes run along rows of `perLane` elements:
/// two bits of columns, three of rows.
static llvm::SmallVector<Coordinates, 5> lanesAlongRows(int64_t perLane) {
  return {{0, perLane}, {0, 2 * perLane}, {1, 0}, {2, 0}, {4, 0}};
}

/// The same with rows and columns exchanged.
static llvm::SmallVector<Coordinates, 5> lanesAlongColumns(int64_t perLane) {
  return {{perLane, 0}, {2 * perLane, 0}, {0, 1}, {0, 2}, {0, 4}};
}

LinearLayout mlir::mirage::getFragmentLayout(FragmentKind kind) {
  switch (kind) {
  case FragmentKind::MmaM16N8K16A:
    return {{16, 16}, {{0, 1}, {8, 0}, {0, 8}}, lanesAlongRows(2)};
  case FragmentKind::MmaM16N8K16B:
    return {{16, 8}, {{1, 0}, {8, 0}}, lanesAlongColumns(2)};
  case FragmentKind::MmaM16N8K8A:
  case FragmentKind::MmaM16N8D:
    return {{16, 8}, {{0, 1}, {8, 0}}, lanesAlongRows(2)};
  case FragmentKind::MmaM16N8K8B:
  case FragmentKind::Matrix8x8Transposed:
    return {{8, 8}, {{1, 0}}, lanesAlongColumns(2)};
  case FragmentKind::MmaM16N8K8TF32A:
    return {{16, 8}, {{8, 0}, {0, 4}}, lanesAlongRows(1)};
  case FragmentKind::MmaM16N8K8TF32B:
    return {{8, 8}, {{4, 0}}, lanesAlongColumns(1)};
  case FragmentKind::MmaM16N8K32A:
    return {{16, 32}, {{0, 1}, {0, 2}, {8, 0}, {0, 16}}, lanesAlongRows(4)};
  case FragmentKind::MmaM16N8K32B:
    return {{32, 8}, {{1, 0}, {2, 0}, {16, 0}}, lanesAlongColumns(4)};
  case FragmentKind::Matrix8x8:
    return {{8, 8}, {{0, 1}}, lanesAlongRows(2)};
  }
  llvm_unreachable("unknown fragment");
}

LinearLayout mlir::mirage::getWgmmaAccumulatorLayout(int64_t numColumns) {
  assert(llvm::isPowerOf2_64(numColumns) && numColumns >= 8 &&
         numColumns <= 256 && "no such instruction");
  llvm::SmallVector<Coordinates, 8> registers = {{0, 1}, {8, 0}};
  for (int64_t column = 8; column < numColumns; column *= 2)
    registers.push_back({0, column});
  return {{64, numColumns}, registers, lanesAlongRows(2), {{16, 0}, {32, 0}}};
}

LinearLayout mlir::mirage::repeatFragment(const LinearLayout &tile,
                                          int64_t rows, int64_t columns) {
  assert(tile.getRank() == 2 && llvm::isPowerOf2_64(rows) &&
         llvm::isPowerOf2_64(columns) && "counts are powers of two");
  int64_t numRows = tile.getShape()[0], numColumns = tile.getShape()[1];
  llvm::SmallVector<Coordinates, 8> registers(
      tile.getBases(LayoutInput::Register));
  for (int64_t bit = 1; bit < columns; bit *= 2)
    registers.push_back({0, bit * numColumns});
  for (int64_t bit = 1; bit < rows; bit *= 2)
    registers.push_back({bit * numRows, 0});
  return {{rows * numRows, columns * numColumns},
          registers,
          tile.getBases(LayoutInput::Lane),
          tile.getBases(LayoutInput::Warp)};
}
