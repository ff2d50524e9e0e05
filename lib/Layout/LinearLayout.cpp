//===- LinearLayout.cpp - Who holds which element -------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Layout/LinearLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::mirage;

static bool isZero(llvm::ArrayRef<int64_t> image) {
  return llvm::all_of(image,
                      [](int64_t coordinate) { return coordinate == 0; });
}

LinearLayout::LinearLayout(llvm::ArrayRef<int64_t> shape,
                           llvm::ArrayRef<Coordinates> registers,
                           llvm::ArrayRef<Coordinates> lanes,
                           llvm::ArrayRef<Coordinates> warps)
    : shape(shape), bases{{registers.begin(), registers.end()},
                          {lanes.begin(), lanes.end()},
                          {warps.begin(), warps.end()}} {
  assert(lanes.size() == kLaneBits && "a warp has 32 lanes");
  assert(llvm::all_of(shape,
                      [](int64_t size) {
                        return size > 0 && llvm::isPowerOf2_64(size);
                      }) &&
         "fragments have sizes that are powers of two");
  for ([[maybe_unused]] const Coordinates &image :
       llvm::concat<const Coordinates>(registers, lanes, warps))
    assert(image.size() == shape.size() &&
           llvm::all_of_zip(image, shape,
                            [](int64_t coordinate, int64_t size) {
                              return coordinate >= 0 && coordinate < size;
                            }) &&
           "images lie in the fragment");
}

static void addImages(Coordinates &coordinates, unsigned number,
                      llvm::ArrayRef<Coordinates> images) {
  assert(number >> images.size() == 0 && "no such register, lane or warp");
  for (auto [bit, image] : llvm::enumerate(images))
    if (number >> bit & 1)
      for (auto [coordinate, part] : llvm::zip_equal(coordinates, image))
        coordinate ^= part;
}

Coordinates LinearLayout::apply(unsigned registerNumber, unsigned lane,
                                unsigned warp) const {
  Coordinates coordinates(getRank(), 0);
  addImages(coordinates, registerNumber, getBases(LayoutInput::Register));
  addImages(coordinates, lane, getBases(LayoutInput::Lane));
  addImages(coordinates, warp, getBases(LayoutInput::Warp));
  return coordinates;
}

std::optional<unsigned>
LinearLayout::findRegister(llvm::ArrayRef<int64_t> element) const {
  for (unsigned number = 0; number < getNumRegisters(); ++number)
    if (llvm::ArrayRef<int64_t>(apply(number)) == element)
      return number;
  return std::nullopt;
}

BitMatrix LinearLayout::toMatrix() const {
  unsigned numRows = 0;
  for (int64_t size : shape)
    numRows += llvm::Log2_64(size);
  llvm::SmallVector<uint64_t, 16> columns;
  for (llvm::ArrayRef<Coordinates> images : bases)
    for (const Coordinates &image : images) {
      uint64_t column = 0;
      for (auto [coordinate, size] : llvm::zip_equal(image, shape))
        column = column * size + coordinate;
      columns.push_back(column);
    }
  return {numRows, columns};
}

bool LinearLayout::isSurjective() const {
  BitMatrix matrix = toMatrix();
  return matrix.getRank() == matrix.getNumRows();
}

unsigned LinearLayout::getRedundantBits(LayoutInput input) const {
  unsigned before = 0;
  for (unsigned earlier = 0; earlier < static_cast<unsigned>(input); ++earlier)
    before += bases[earlier].size();
  uint64_t redundant = ~toMatrix().getIndependentColumns();
  return redundant >> before &
         llvm::maskTrailingOnes<uint64_t>(getBases(input).size());
}

unsigned LinearLayout::getContiguousBits(unsigned dim) const {
  llvm::ArrayRef<Coordinates> registers = getBases(LayoutInput::Register);
  auto countsAlong = [&](unsigned bit) {
    Coordinates unit(getRank(), 0);
    unit[dim] = int64_t(1) << bit;
    return registers[bit] == unit;
  };
  unsigned numBits = 0;
  while (numBits < registers.size() && countsAlong(numBits))
    ++numBits;
  for (const Coordinates &image : llvm::concat<const Coordinates>(
           registers.drop_front(numBits), getBases(LayoutInput::Lane),
           getBases(LayoutInput::Warp)))
    if (image[dim] != 0)
      numBits =
          std::min<unsigned>(numBits, llvm::countr_zero<uint64_t>(image[dim]));
  return numBits;
}

LinearLayout LinearLayout::project(llvm::ArrayRef<int> dims) const {
  auto projectImage = [&](const Coordinates &image) {
    Coordinates projected;
    for (int dim : dims)
      projected.push_back(dim < 0 ? 0 : image[dim]);
    return projected;
  };
  llvm::SmallVector<Coordinates, 5> projected[3];
  for (auto [images, from] : llvm::zip_equal(projected, bases))
    for (const Coordinates &image : from)
      images.push_back(projectImage(image));
  llvm::erase_if(projected[0],
                 [](const Coordinates &image) { return isZero(image); });
  llvm::SmallVector<int64_t, 2> sizes;
  for (int dim : dims)
    sizes.push_back(dim < 0 ? 1 : shape[dim]);
  return {sizes, projected[0], projected[1], projected[2]};
}

LinearLayout LinearLayout::reshape(llvm::ArrayRef<int64_t> to) const {
  auto reshapeImage = [&](const Coordinates &image) {
    int64_t number = 0;
    for (auto [coordinate, size] : llvm::zip_equal(image, shape))
      number = number * size + coordinate;
    Coordinates reshaped(to.size());
    for (size_t dim = to.size(); dim-- > 0; number /= to[dim])
      reshaped[dim] = number % to[dim];
    assert(number == 0 && "as many elements");
    return reshaped;
  };
  llvm::SmallVector<Coordinates, 5> reshaped[3];
  for (auto [images, from] : llvm::zip_equal(reshaped, bases))
    for (const Coordinates &image : from)
      images.push_back(reshapeImage(image));
  return {to, reshaped[0], reshaped[1], reshaped[2]};
}

bool LinearLayout::operator==(const LinearLayout &other) const {
  return shape == other.shape && llvm::equal(bases, other.bases);
}

std::optional<BitMatrix>
mlir::mirage::computeConversion(const LinearLayout &from,
                                const LinearLayout &to) {
  if (from.getShape() != to.getShape())
    return std::nullopt;
  std::optional<BitMatrix> inverse = to.toMatrix().invert();
  if (!inverse || !from.toMatrix().invert())
    return std::nullopt;
  return *inverse * from.toMatrix();
}

LinearLayout mlir::mirage::buildBlockedLayout(unsigned rank,
                                              llvm::ArrayRef<LayoutRun> runs) {
  llvm::SmallVector<int64_t, 2> shape(rank, 1);
  llvm::SmallVector<Coordinates, 5> bases[3];
  for (const LayoutRun &run : runs)
    for (unsigned bit = 0; bit < run.numBits; ++bit) {
      Coordinates image(rank, 0);
      image[run.dim] = shape[run.dim];
      shape[run.dim] *= 2;
      bases[static_cast<unsigned>(run.input)].push_back(image);
    }
  auto &lanes = bases[static_cast<unsigned>(LayoutInput::Lane)];
  assert(lanes.size() <= kLaneBits && "a warp has 32 lanes");
  lanes.resize(kLaneBits, Coordinates(rank, 0));
  return {shape, bases[0], bases[1], bases[2]};
}
