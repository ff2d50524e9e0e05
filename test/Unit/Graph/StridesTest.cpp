//===- StridesTest.cpp - Tests of Strides.h -------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/Strides.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir::mirage;

/// The places of all elements, in row-major order.
static std::vector<int64_t> listPlaces(const Shape &shape,
                                       const Strides &strides) {
  std::vector<int64_t> places = {0};
  for (auto [size, stride] : llvm::zip_equal(shape, strides)) {
    std::vector<int64_t> next;
    for (int64_t place : places)
      for (int64_t i = 0; i < size; ++i)
        next.push_back(place + i * stride);
    places = std::move(next);
  }
  return places;
}

TEST(Strides, RowMajor) {
  EXPECT_EQ(getRowMajorStrides({4, 1, 6}), (Strides{6, 6, 1}));
  EXPECT_TRUE(isRowMajor({4, 1, 6}, {6, 0, 1}));
  EXPECT_FALSE(isRowMajor({4, 6}, {8, 1}));
  EXPECT_FALSE(isRowMajor({4, 6}, {1, 4}));
  EXPECT_EQ(getSpan({4, 6}, {8, 1}), 30);
  EXPECT_EQ(getSpan({4, 6}, {0, 1}), 6);
}

TEST(Strides, BadOnes) {
  EXPECT_EQ(explainBadStrides({4, 6}, {6}, false),
            "expects a stride for each of 2 dimensions, got 1");
  EXPECT_EQ(explainBadStrides({4, 6}, {6, -1}, false),
            "expects a stride of at least 0 along dimension 1, got -1");
  EXPECT_EQ(explainBadStrides({4, 6}, {INT64_MAX, 1}, false),
            "expects elements within 2^50 of the first one, got strides "
            "[9223372036854775807, 1]");
  EXPECT_EQ(explainBadStrides({4, 6}, {0, 1}, false), std::nullopt);
  EXPECT_EQ(explainBadStrides({INT64_MIN, 6}, {6, 1}, false),
            "expects a size of at least 1 along dimension 0, got "
            "-9223372036854775808");
}

/// Of small strides, those that are said to keep elements apart do, and the
/// others that do interleave dimensions.
TEST(Strides, WrittenOnesDoNotOverlap) {
  const Shape shape = {3, 1, 4};
  for (int64_t rows = 0; rows < 14; ++rows)
    for (int64_t columns = 0; columns < 14; ++columns) {
      Strides strides = {rows, 0, columns};
      std::vector<int64_t> places = listPlaces(shape, strides);
      bool areApart =
          std::set<int64_t>(places.begin(), places.end()).size() == 12;
      bool isNested = columns > 2 * rows || rows > 3 * columns;
      EXPECT_EQ(!explainBadStrides(shape, strides, true), areApart && isNested)
          << rows << ", " << columns;
    }
}

/// All strides of a small tensor against trying.
TEST(Strides, ReshapesShowTheSameElements) {
  const Shape shape = {2, 3, 4};
  const Shape shapes[] = {{24}, {6, 4}, {2, 12}, {4, 6}, {2, 1, 3, 2, 2}};
  unsigned numFound = 0, numNone = 0;
  for (int64_t a : {0, 1, 2, 3, 4, 6, 12})
    for (int64_t b : {0, 1, 2, 4, 8, 12})
      for (int64_t c : {0, 1, 2, 3})
        for (const Shape &newShape : shapes) {
          std::vector<int64_t> places = listPlaces(shape, {a, b, c});
          std::optional<Strides> found =
              reshapeStrides(shape, {a, b, c}, newShape);
          // If any strides do, these are differences of places.
          Strides only(newShape.size());
          int64_t step = 1;
          for (size_t dim = newShape.size(); dim-- > 0;) {
            only[dim] = newShape[dim] > 1 ? places[step] : 0;
            step *= newShape[dim];
          }
          EXPECT_EQ(found.has_value(), listPlaces(newShape, only) == places);
          if (found) {
            EXPECT_EQ(listPlaces(newShape, *found), places);
          }
          ++(found ? numFound : numNone);
        }
  EXPECT_GT(numFound, 50u);
  EXPECT_GT(numNone, 50u);
}
