//===- MatrixInstructions.cpp - Fragments of matrix instructions ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Layout/MatrixInstructions.h"
#include "Mirage/Layout/Fragments.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir::mirage;

/// A fragment of tf32 with k, its dimension `dim`, in the order that the header
/// shows: bits of k, from the lowest, become the next higher one, and the
/// highest the lowest.
static LinearLayout reorderK(const LinearLayout &fragment, unsigned dim) {
  auto reorder = [&](llvm::ArrayRef<Coordinates> bases) {
    llvm::SmallVector<Coordinates, 8> reordered(bases);
    for (Coordinates &image : reordered)
      image[dim] = image[dim] == 4 ? 1 : 2 * image[dim];
    return reordered;
  };
  return {fragment.getShape(),
          reorder(fragment.getBases(LayoutInput::Register)),
          reorder(fragment.getBases(LayoutInput::Lane))};
}

std::optional<MatrixInstruction>
mlir::mirage::findMmaInstruction(llvm::ArrayRef<int64_t> shape,
                                 unsigned elementBits) {
  struct Known {
    int64_t k;
    unsigned elementBits;
    FragmentKind a, b;
  };
  static constexpr Known kKnown[] = {
      {8, 16, FragmentKind::MmaM16N8K8A, FragmentKind::MmaM16N8K8B},
      {16, 16, FragmentKind::MmaM16N8K16A, FragmentKind::MmaM16N8K16B},
      {32, 8, FragmentKind::MmaM16N8K32A, FragmentKind::MmaM16N8K32B}};
  LinearLayout d = getFragmentLayout(FragmentKind::MmaM16N8D);
  if (shape == llvm::ArrayRef<int64_t>({16, 8, 8}) && elementBits == 32)
    return MatrixInstruction{
        reorderK(getFragmentLayout(FragmentKind::MmaM16N8K8TF32A), 1),
        reorderK(getFragmentLayout(FragmentKind::MmaM16N8K8TF32B), 0), d};
  for (const Known &known : kKnown)
    if (shape == llvm::ArrayRef<int64_t>({16, 8, known.k}) &&
        elementBits == known.elementBits)
      return MatrixInstruction{getFragmentLayout(known.a),
                               getFragmentLayout(known.b), d};
  return std::nullopt;
}

/// Each warp holds 16 rows as the left operand of mma.sync has them.
LinearLayout mlir::mirage::getWgmmaLhsLayout(unsigned elementBits) {
  assert((elementBits == 8 || elementBits == 16) && "no such instruction");
  LinearLayout warp =
      getFragmentLayout(elementBits == 16 ? FragmentKind::MmaM16N8K16A
                                          : FragmentKind::MmaM16N8K32A);
  return {{64, warp.getShape()[1]},
          warp.getBases(LayoutInput::Register),
          warp.getBases(LayoutInput::Lane),
          {{16, 0}, {32, 0}}};
}

//===----------------------------------------------------------------------===//
// Tiles of a fragment
//===----------------------------------------------------------------------===//

/// An element of a fragment by its last two coordinates.
static Coordinates getElement(const LinearLayout &fragment, int64_t row,
                              int64_t column) {
  Coordinates element(fragment.getRank(), 0);
  element.end()[-2] = row;
  element.back() = column;
  return element;
}

/// None where the tile is not whole.
static std::optional<llvm::SmallVector<unsigned, 8>>
findTile(const LinearLayout &fragment, const LinearLayout &tile, int64_t row,
         int64_t column) {
  llvm::SmallVector<unsigned, 8> numbers;
  for (unsigned i = 0; i < tile.getNumRegisters(); ++i) {
    Coordinates inTile = tile.apply(i);
    std::optional<unsigned> number = fragment.findRegister(
        getElement(fragment, row * tile.getShape()[0] + inTile[0],
                   column * tile.getShape()[1] + inTile[1]));
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

static bool isSame(const Coordinates &image, const Coordinates &ofTile) {
  return llvm::all_of(llvm::ArrayRef(image).drop_back(2),
                      [](int64_t coordinate) { return coordinate == 0; }) &&
         image.end()[-2] == ofTile[0] && image.back() == ofTile[1];
}

llvm::Error mlir::mirage::checkTiles(const LinearLayout &fragment,
                                     const LinearLayout &tile) {
  int64_t rows = tile.getShape()[0], columns = tile.getShape()[1];
  auto error = [&](const llvm::Twine &found) {
    return llvm::createStringError(
        "expects a fragment of whole " + llvm::Twine(rows) + "x" +
        llvm::Twine(columns) + " tiles, got " + found);
  };
  llvm::ArrayRef<int64_t> shape = fragment.getShape();
  if (shape.size() < 2)
    return error("one of rank " + llvm::Twine(shape.size()));
  if (shape.end()[-2] % rows != 0 || shape.back() % columns != 0 ||
      llvm::any_of(shape.drop_back(2), [](int64_t size) { return size != 1; }))
    return error("one of " + llvm::Twine(shape.end()[-2]) + "x" +
                 llvm::Twine(shape.back()) + " or in a batch");
  for (LayoutInput input : {LayoutInput::Lane, LayoutInput::Warp}) {
    llvm::ArrayRef<Coordinates> have = fragment.getBases(input);
    llvm::ArrayRef<Coordinates> need = tile.getBases(input);
    bool isWarp = input == LayoutInput::Warp;
    if (have.size() != need.size())
      return error(llvm::Twine(have.size()) + " warp bits for " +
                   llvm::Twine(need.size()));
    for (unsigned bit = 0; bit < have.size(); ++bit)
      if (!isSame(have[bit], need[bit]))
        return error(llvm::Twine("one that the instruction has otherwise in ") +
                     (isWarp ? "warp" : "lane") + " bit " + llvm::Twine(bit));
  }
  for (int64_t row = 0; row < shape.end()[-2] / rows; ++row)
    for (int64_t column = 0; column < shape.back() / columns; ++column)
      if (!findTile(fragment, tile, row, column))
        return error("one whose registers the instruction has in other lanes");
  return llvm::Error::success();
}

llvm::SmallVector<unsigned, 8>
mlir::mirage::findTileRegisters(const LinearLayout &fragment,
                                const LinearLayout &tile, int64_t row,
                                int64_t column) {
  auto numbers = findTile(fragment, tile, row, column);
  assert(numbers && "checked by checkTiles");
  return *numbers;
}

//===----------------------------------------------------------------------===//
// ldmatrix
//===----------------------------------------------------------------------===//

/// Elements of a row of a matrix, and rows.
static constexpr int64_t kMatrixSize = 8;

/// Whether register pairs of a fragment are those of one matrix.
static bool startsWith(const LinearLayout &layout, const LinearLayout &matrix) {
  llvm::ArrayRef<Coordinates> registers =
      layout.getBases(LayoutInput::Register);
  return !registers.empty() &&
         registers[0] == matrix.getBases(LayoutInput::Register)[0] &&
         layout.getBases(LayoutInput::Lane) ==
             matrix.getBases(LayoutInput::Lane);
}

std::optional<MatrixLoad>
mlir::mirage::planMatrixLoad(const LinearLayout &fragment) {
  int rank = fragment.getRank();
  if (rank < 2 || !fragment.getBases(LayoutInput::Warp).empty() ||
      llvm::any_of(
          fragment.getShape().drop_back(2),
          [](int64_t size) { return size != 1; }))
    return std::nullopt;
  LinearLayout matrices = fragment.project({rank - 2, rank - 1});
  bool isPlain =
      startsWith(matrices, getFragmentLayout(FragmentKind::Matrix8x8));
  bool isTransposed = startsWith(
      matrices, getFragmentLayout(FragmentKind::Matrix8x8Transposed));
  if (!isPlain && !isTransposed)
    return std::nullopt;
  llvm::ArrayRef<Coordinates> registers =
      fragment.getBases(LayoutInput::Register);
  // Every matrix starts where 16 bytes do.
  for (const Coordinates &image : registers.drop_front())
    if (image.back() % kMatrixSize != 0)
      return std::nullopt;
  unsigned matrixBits = std::min<unsigned>(2, registers.size() - 1);
  llvm::SmallVector<Coordinates> lanes(kLaneBits, Coordinates(rank, 0));
  for (unsigned bit = 0; bit < 3; ++bit)
    lanes[bit][rank - 2] = int64_t(1) << bit;
  for (unsigned bit = 0; bit < matrixBits; ++bit)
    lanes[3 + bit] = registers[1 + bit];
  return MatrixLoad{1u << matrixBits, isTransposed,
                    LinearLayout(fragment.getShape(), registers, lanes)};
}
