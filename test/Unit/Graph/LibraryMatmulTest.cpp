//===- LibraryMatmulTest.cpp - Tests of matmuls that a library has --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/LibraryMatmul.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <map>

using namespace mlir::mirage;

constexpr ElementType kF16 = ElementType::F16, kBF16 = ElementType::BF16,
                      kF32 = ElementType::F32;

static PlacedTensor place(Shape shape, Strides strides = {}, int64_t offset = 0,
                          ElementType element = kF16) {
  if (strides.empty())
    strides = getRowMajorStrides(shape);
  return {{std::move(shape), element}, std::move(strides), offset};
}

/// The product of indices (operand element, operand element) that make up each
/// element of the result, by where they lie: what a library does with the
/// description, and what the tensors say.
using Terms = std::map<int64_t, std::multimap<int64_t, int64_t>>;

static int64_t locate(const LibraryMatrix &matrix, int64_t b, int64_t i,
                      int64_t j) {
  return matrix.offset + b * matrix.batchStride +
         (matrix.isTransposed ? i + j * matrix.leadingDimension
                              : i * matrix.leadingDimension + j);
}

static Terms listTerms(const LibraryMatmul &matmul) {
  Terms terms;
  for (int64_t b = 0; b < matmul.batch; ++b)
    for (int64_t i = 0; i < matmul.m; ++i)
      for (int64_t j = 0; j < matmul.n; ++j)
        for (int64_t k = 0; k < matmul.k; ++k) {
          int64_t lhs = locate(matmul.lhs, b, i, k);
          int64_t rhs = locate(matmul.rhs, b, k, j);
          if (matmul.lhs.argument == 1)
            std::swap(lhs, rhs);
          terms[locate(matmul.result, b, i, j)].emplace(lhs, rhs);
        }
  return terms;
}

static int64_t locate(const PlacedTensor &tensor, llvm::ArrayRef<int64_t> batch,
                      int64_t i, int64_t j) {
  int64_t at = tensor.offset, rank = tensor.type.getRank();
  for (int64_t dim = 0; dim + 2 < rank; ++dim) {
    int64_t index = batch[batch.size() - (rank - 2) + dim];
    at += (tensor.type.shape[dim] == 1 ? 0 : index) * tensor.strides[dim];
  }
  return at + i * tensor.strides[rank - 2] + j * tensor.strides[rank - 1];
}

static Terms listTerms(const PlacedTensor &lhs, const PlacedTensor &rhs,
                       const PlacedTensor &result) {
  Terms terms;
  llvm::ArrayRef<int64_t> shape = result.type.shape;
  llvm::SmallVector<int64_t> batch(shape.size() - 2, 0);
  while (true) {
    for (int64_t i = 0; i < shape[batch.size()]; ++i)
      for (int64_t j = 0; j < shape.back(); ++j)
        for (int64_t k = 0; k < lhs.type.shape.back(); ++k)
          terms[locate(result, batch, i, j)].emplace(locate(lhs, batch, i, k),
                                                     locate(rhs, batch, k, j));
    size_t dim = batch.size();
    while (dim > 0 && ++batch[dim - 1] == shape[dim - 1])
      batch[--dim] = 0;
    if (dim == 0)
      return terms;
  }
}

/// Finds the description and holds it against the tensors, element by element.
static std::optional<LibraryMatmul> find(const PlacedTensor &lhs,
                                         const PlacedTensor &rhs,
                                         const PlacedTensor &result) {
  std::optional<LibraryMatmul> matmul =
      findLibraryMatmul(lhs, rhs, result, F32Products::Exact);
  if (!matmul)
    return matmul;
  EXPECT_EQ(explainBadLibraryMatmul(*matmul), std::nullopt);
  Terms terms = listTerms(lhs, rhs, result);
  EXPECT_EQ(listTerms(*matmul), terms);
  // `end` is where the last element that is touched ends.
  EXPECT_EQ(getLibraryMatrixEnd(*matmul, matmul->result),
            terms.rbegin()->first + 1);
  return matmul;
}

TEST(LibraryMatmul, RowMajor) {
  auto matmul = find(place({3, 5}), place({5, 7}), place({3, 7}));
  ASSERT_TRUE(matmul);
  LibraryMatmul expected{1,
                         3,
                         7,
                         5,
                         kF16,
                         kF16,
                         {0, 0, false, 5, 0},
                         {1, 0, false, 7, 0},
                         {2, 0, false, 7, 0}};
  EXPECT_EQ(*matmul, expected);
}

TEST(LibraryMatmul, TransposedOperandsAndGaps) {
  auto matmul = find(place({3, 5}, {1, 4}, 2), place({5, 7}, {1, 5}),
                     place({3, 7}, {9, 1}, 1));
  ASSERT_TRUE(matmul);
  EXPECT_TRUE(matmul->lhs.isTransposed && matmul->rhs.isTransposed);
  EXPECT_EQ(matmul->lhs.leadingDimension, 4);
  EXPECT_EQ(matmul->lhs.offset, 2);
  EXPECT_EQ(matmul->result.leadingDimension, 9);
}

TEST(LibraryMatmul, ATransposedResultSwapsTheOperands) {
  auto matmul =
      find(place({3, 5}), place({5, 7}, {1, 5}), place({3, 7}, {1, 3}));
  ASSERT_TRUE(matmul);
  EXPECT_FALSE(matmul->result.isTransposed);
  EXPECT_EQ(matmul->m, 7);
  EXPECT_EQ(matmul->n, 3);
  EXPECT_EQ(matmul->lhs.argument, 1u);
  EXPECT_FALSE(matmul->lhs.isTransposed);
  EXPECT_TRUE(matmul->rhs.isTransposed);
}

TEST(LibraryMatmul, Batches) {
  auto shared = find(place({4, 3, 5}), place({5, 7}), place({4, 3, 7}));
  ASSERT_TRUE(shared); // one product of 12 rows
  EXPECT_EQ(shared->batch, 1);
  EXPECT_EQ(shared->m, 12);
  auto own =
      find(place({2, 4, 3, 5}), place({2, 4, 5, 7}), place({2, 4, 3, 7}));
  ASSERT_TRUE(own);
  EXPECT_EQ(own->batch, 8);
  EXPECT_EQ(own->rhs.batchStride, 35);
  auto sharedLhs = find(place({3, 5}), place({4, 5, 7}), place({4, 3, 7}));
  ASSERT_TRUE(sharedLhs);
  EXPECT_EQ(sharedLhs->batch, 4);
  EXPECT_EQ(sharedLhs->lhs.batchStride, 0);
  // Heads of a [tokens, heads, width] tensor, as attention has them.
  auto heads = find(place({2, 3, 4}, {4, 8, 1}), place({2, 4, 3}, {4, 1, 8}),
                    place({2, 3, 3}));
  ASSERT_TRUE(heads);
  EXPECT_EQ(heads->batch, 2);
  EXPECT_EQ(heads->lhs.leadingDimension, 8);
  EXPECT_TRUE(heads->rhs.isTransposed);
  // A result whose products lie row by row in one another.
  EXPECT_TRUE(
      find(place({2, 3, 4}), place({2, 4, 5}), place({2, 3, 5}, {5, 10, 1})));
  // One row for each of several.
  auto rows = find(place({4, 1, 5}), place({5, 7}), place({4, 1, 7}));
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->m, 4);
}

TEST(LibraryMatmul, ExtentsOfOneHaveNoStride) {
  for (Strides strides : {Strides{1, 1}, Strides{77, 1}, Strides{1, 77}})
    EXPECT_TRUE(find(place({1, 5}, {strides[0], 1}),
                     place({5, 1}, {1, strides[1]}), place({1, 1}, strides)));
}

TEST(LibraryMatmul, WhatALibraryHasNot) {
  auto has = [](ElementType lhs, ElementType rhs, ElementType result) {
    return findLibraryMatmul(place({3, 5}, {}, 0, lhs),
                             place({5, 7}, {}, 0, rhs),
                             place({3, 7}, {}, 0, result), F32Products::Exact)
        .has_value();
  };
  EXPECT_TRUE(has(kF16, kF16, kF32) && has(kBF16, kBF16, kBF16) &&
              has(kF32, kF32, kF32));
  EXPECT_FALSE(has(kF16, kBF16, kF32) || has(kF16, kF16, kBF16) ||
               has(kF32, kF32, kF16) || has(kF16, kF32, kF32));
  for (ElementType small : {ElementType::F8E4M3FN, ElementType::F8E5M2})
    EXPECT_FALSE(has(small, small, kF16) || has(small, small, kF32));
  // The rhs of two batch dimensions of which it has one.
  EXPECT_FALSE(
      find(place({2, 3, 8, 16}), place({3, 16, 32}), place({2, 3, 8, 32})));
  // Neither rows nor columns without gaps; a row that is shown three times.
  EXPECT_FALSE(find(place({3, 5}, {10, 2}), place({5, 7}), place({3, 7})));
  EXPECT_FALSE(find(place({3, 5}, {0, 1}), place({5, 7}), place({3, 7})));
  EXPECT_FALSE(findLibraryMatmul(place({int64_t(1) << 31, 1}), place({1, 1}),
                                 place({int64_t(1) << 31, 1}),
                                 F32Products::Exact));
}

/// 16 bits keep what they have, whatever products of f32 do.
TEST(LibraryMatmul, OnlyF32IsRoundedToTF32) {
  for (ElementType element : {kF16, kBF16, kF32}) {
    auto matmul = findLibraryMatmul(
        place({3, 5}, {}, 0, element), place({5, 7}, {}, 0, element),
        place({3, 7}, {}, 0, element), F32Products::TF32);
    ASSERT_TRUE(matmul);
    EXPECT_EQ(matmul->f32Products,
              element == kF32 ? F32Products::TF32 : F32Products::Exact);
    matmul->f32Products = F32Products::TF32;
    EXPECT_EQ(explainBadLibraryMatmul(*matmul).has_value(), element != kF32);
  }
}

TEST(LibraryMatmul, BadDescriptionsAreExplained) {
  LibraryMatmul good = *findLibraryMatmul(place({4, 3, 5}), place({4, 5, 7}),
                                          place({4, 3, 7}), F32Products::Exact);
  auto explain = [&](auto change) {
    LibraryMatmul matmul = good;
    change(matmul);
    return explainBadLibraryMatmul(matmul).value_or("");
  };
  EXPECT_EQ(explain([](LibraryMatmul &) {}), "");
  EXPECT_EQ(explain([](LibraryMatmul &m) { m.k = 0; }),
            "expects k of 1 to 2147483647, got 0");
  EXPECT_EQ(explain([](LibraryMatmul &m) { m.operandElement = kF32; }),
            "expects elements f16, bf16 or f32, and a result of them or of "
            "f32, got f32 and f16");
  EXPECT_EQ(explain([](LibraryMatmul &m) { m.lhs.leadingDimension = 4; }),
            "expects a leading dimension of lhs of at least 5, got 4");
  EXPECT_EQ(explain([](LibraryMatmul &m) { m.rhs.offset = -1; }),
            "expects an offset of rhs of at least 0, got -1");
  EXPECT_EQ(explain([](LibraryMatmul &m) { m.rhs.batchStride = -1; }),
            "expects a batch stride of rhs of at least 0, got -1");
  EXPECT_EQ(explain([](LibraryMatmul &m) { m.rhs.batchStride = INT64_MAX; }),
            "expects rhs to end within 2^63 elements");
  EXPECT_EQ(explain([](LibraryMatmul &m) { m.result.isTransposed = true; }),
            "expects a result that is not transposed");
  EXPECT_EQ(explain([](LibraryMatmul &m) { m.result.batchStride = 20; }),
            "expects a batch stride of result of at least 21, got 20");
}
