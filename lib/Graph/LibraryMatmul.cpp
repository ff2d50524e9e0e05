//===- LibraryMatmul.cpp - A matmul as a library has it -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/LibraryMatmul.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/CheckedArithmetic.h"
#include <tuple>

using namespace mlir::mirage;

bool LibraryMatrix::operator==(const LibraryMatrix &other) const {
  auto list = [](const LibraryMatrix &m) {
    return std::tie(m.argument, m.offset, m.isTransposed, m.leadingDimension,
                    m.batchStride);
  };
  return list(*this) == list(other);
}

bool LibraryMatmul::operator==(const LibraryMatmul &other) const {
  auto list = [](const LibraryMatmul &m) {
    return std::tie(m.batch, m.m, m.n, m.k, m.operandElement, m.resultElement,
                    m.lhs, m.rhs, m.result, m.f32Products);
  };
  return list(*this) == list(other);
}

PlacedTensor PlacedTensor::makeRowMajor(TensorSpec type) {
  Strides strides = getRowMajorStrides(type.shape);
  return {std::move(type), std::move(strides), 0};
}

static bool hasElements(ElementType lhs, ElementType rhs, ElementType result) {
  return lhs == rhs && getSizeBytes(lhs) > 1 &&
         (result == lhs || result == ElementType::F32);
}

//===----------------------------------------------------------------------===//
// From tensors
//===----------------------------------------------------------------------===//

/// cuBLASLt: "usually only values that can be expressed as int32_t are
/// supported", of rows, columns and the number of products.
static constexpr int64_t kMaxExtent = INT32_MAX;

namespace {
/// How far it is from one row, column or product to the next.
struct Steps {
  int64_t row = 0, column = 0, batch = 0;
};

/// Joins the dimensions of a product to three, M, N and one that counts
/// products, as far as strides allow.
struct MatmulShape {
  MatmulShape(const PlacedTensor &lhs, const PlacedTensor &rhs,
              const PlacedTensor &result)
      : lhs(lhs), rhs(rhs), result(result), m(getSize(result, 1)),
        n(getSize(result, 0)), k(getSize(lhs, 0)) {
    for (auto [tensor, steps] : {std::pair(&lhs, &lhsSteps),
                                 {&rhs, &rhsSteps},
                                 {&result, &resultSteps}}) {
      steps->row = getStep(*tensor, 1);
      steps->column = getStep(*tensor, 0);
    }
  }

  /// \returns false where no three will do.
  bool joinBatch() {
    for (unsigned dim = 2; dim < result.type.getRank(); ++dim)
      if (getSize(result, dim) > 1 && !joinRows(dim) && !joinProducts(dim))
        return false;
    return true;
  }

  // Dimensions are counted from the last one, as NumPy aligns them.
  static int64_t getSize(const PlacedTensor &tensor, unsigned dim) {
    unsigned rank = tensor.type.getRank();
    return dim < rank ? tensor.type.shape[rank - 1 - dim] : 1;
  }
  static int64_t getStep(const PlacedTensor &tensor, unsigned dim) {
    return getSize(tensor, dim) > 1
               ? tensor.strides[tensor.type.getRank() - 1 - dim]
               : 0;
  }

  /// Products with one rhs, whose rows go on at the same distance, are one.
  bool joinRows(unsigned dim) {
    int64_t lhsStep = getStep(lhs, dim), resultStep = getStep(result, dim);
    bool goesOn = m == 1 || (lhsStep == m * lhsSteps.row &&
                             resultStep == m * resultSteps.row);
    if (batch > 1 || !goesOn || getStep(rhs, dim) != 0)
      return false;
    if (m == 1) {
      lhsSteps.row = lhsStep;
      resultSteps.row = resultStep;
    }
    m *= getSize(result, dim);
    return true;
  }

  bool joinProducts(unsigned dim) {
    for (auto [tensor, steps] : {std::pair(&lhs, &lhsSteps),
                                 {&rhs, &rhsSteps},
                                 {&result, &resultSteps}}) {
      int64_t step = getStep(*tensor, dim);
      if (batch > 1 && step != batch * steps->batch)
        return false;
      if (batch == 1)
        steps->batch = step;
    }
    batch *= getSize(result, dim);
    return true;
  }

  const PlacedTensor &lhs, &rhs, &result;
  int64_t batch = 1, m, n, k;
  Steps lhsSteps, rhsSteps, resultSteps;
};
} // namespace

/// The matrix whose rows or columns lie without gaps; none if neither do, or
/// they lie in one another.
static std::optional<LibraryMatrix> findMatrix(unsigned argument,
                                               int64_t offset, int64_t rows,
                                               int64_t columns,
                                               const Steps &steps) {
  LibraryMatrix matrix{argument, offset, false, 1, steps.batch};
  auto lies = [&](int64_t outer, int64_t outerStep, int64_t inner,
                  int64_t innerStep) {
    matrix.leadingDimension = outer == 1 ? inner : outerStep;
    return (inner == 1 || innerStep == 1) && matrix.leadingDimension >= inner;
  };
  if (lies(rows, steps.row, columns, steps.column))
    return matrix;
  matrix.isTransposed = true;
  if (lies(columns, steps.column, rows, steps.row))
    return matrix;
  return std::nullopt;
}

/// (lhs · rhs)ᵀ = rhsᵀ · lhsᵀ: what is transposed is not, and the reverse.
static void transposeAll(LibraryMatmul &matmul) {
  std::swap(matmul.m, matmul.n);
  std::swap(matmul.lhs, matmul.rhs);
  for (LibraryMatrix *matrix : {&matmul.lhs, &matmul.rhs, &matmul.result})
    matrix->isTransposed = !matrix->isTransposed;
}

std::optional<LibraryMatmul> mlir::mirage::findLibraryMatmul(
    const PlacedTensor &lhs, const PlacedTensor &rhs,
    const PlacedTensor &result, F32Products f32Products) {
  if (!hasElements(lhs.type.element, rhs.type.element, result.type.element))
    return std::nullopt;
  MatmulShape shape(lhs, rhs, result);
  if (!shape.joinBatch())
    return std::nullopt;
  auto lhsMatrix = findMatrix(0, lhs.offset, shape.m, shape.k, shape.lhsSteps);
  auto rhsMatrix = findMatrix(1, rhs.offset, shape.k, shape.n, shape.rhsSteps);
  auto resultMatrix =
      findMatrix(2, result.offset, shape.m, shape.n, shape.resultSteps);
  if (!lhsMatrix || !rhsMatrix || !resultMatrix)
    return std::nullopt;
  LibraryMatmul matmul{shape.batch, shape.m,          shape.n,
                       shape.k,     lhs.type.element, result.type.element,
                       *lhsMatrix,  *rhsMatrix,       *resultMatrix};
  if (matmul.operandElement == ElementType::F32)
    matmul.f32Products = f32Products;
  if (matmul.result.isTransposed)
    transposeAll(matmul);
  if (explainBadLibraryMatmul(matmul))
    return std::nullopt;
  return matmul;
}

//===----------------------------------------------------------------------===//
// What a description says
//===----------------------------------------------------------------------===//

namespace {
/// A matrix of a description, with its extents.
struct NamedMatrix {
  llvm::StringLiteral name;
  const LibraryMatrix &matrix;
  int64_t rows, columns;
};
} // namespace

static std::array<NamedMatrix, 3> listMatrices(const LibraryMatmul &matmul) {
  return {NamedMatrix{"lhs", matmul.lhs, matmul.m, matmul.k},
          NamedMatrix{"rhs", matmul.rhs, matmul.k, matmul.n},
          NamedMatrix{"result", matmul.result, matmul.m, matmul.n}};
}

/// None where it is more than 64 bits count.
static std::optional<int64_t> findEnd(const NamedMatrix &named, int64_t batch) {
  const LibraryMatrix &matrix = named.matrix;
  int64_t outer = matrix.isTransposed ? named.columns : named.rows;
  int64_t inner = matrix.isTransposed ? named.rows : named.columns;
  std::optional<int64_t> end =
      llvm::checkedMulAdd(outer - 1, matrix.leadingDimension, inner);
  if (end)
    end = llvm::checkedMulAdd(batch - 1, matrix.batchStride, *end);
  return end ? llvm::checkedAdd(*end, matrix.offset) : end;
}

static std::string expectAtLeast(const llvm::Twine &member, int64_t least,
                                 int64_t got) {
  return ("expects " + member + " of at least " + llvm::Twine(least) +
          ", got " + llvm::Twine(got))
      .str();
}

static std::optional<std::string> explainBadMatrix(const NamedMatrix &named,
                                                   int64_t batch) {
  const LibraryMatrix &matrix = named.matrix;
  int64_t least = matrix.isTransposed ? named.rows : named.columns;
  if (matrix.leadingDimension < least)
    return expectAtLeast("a leading dimension of " + named.name, least,
                         matrix.leadingDimension);
  if (matrix.offset < 0)
    return expectAtLeast("an offset of " + named.name, 0, matrix.offset);
  if (matrix.batchStride < 0)
    return expectAtLeast("a batch stride of " + named.name, 0,
                         matrix.batchStride);
  if (!findEnd(named, batch))
    return ("expects " + named.name + " to end within 2^63 elements").str();
  return std::nullopt;
}

/// No element is written twice: one product ends before the next begins, or a
/// row of each lies before the next row of any.
static std::optional<std::string> explainOverlap(const LibraryMatmul &matmul) {
  const LibraryMatrix &result = matmul.result;
  int64_t product = (matmul.m - 1) * result.leadingDimension + matmul.n;
  int64_t rows = (matmul.batch - 1) * result.batchStride + matmul.n;
  bool areRowsApart = matmul.m == 1 || result.leadingDimension >= rows;
  if (matmul.batch == 1 || result.batchStride >= product ||
      (result.batchStride >= matmul.n && areRowsApart))
    return std::nullopt;
  return expectAtLeast("a batch stride of result", product, result.batchStride);
}

std::optional<std::string>
mlir::mirage::explainBadLibraryMatmul(const LibraryMatmul &matmul) {
  if (!hasElements(matmul.operandElement, matmul.operandElement,
                   matmul.resultElement))
    return ("expects elements f16, bf16 or f32, and a result of them or of "
            "f32, got " +
            getElementTypeName(matmul.operandElement) + " and " +
            getElementTypeName(matmul.resultElement))
        .str();
  if (matmul.f32Products != F32Products::Exact &&
      matmul.operandElement != ElementType::F32)
    return ("expects elements f32 where products are taken in " +
            getF32ProductsName(matmul.f32Products) + ", got " +
            getElementTypeName(matmul.operandElement))
        .str();
  for (auto [name, extent] : {std::pair("batch", matmul.batch),
                              {"m", matmul.m},
                              {"n", matmul.n},
                              {"k", matmul.k}})
    if (extent < 1 || extent > kMaxExtent)
      return ("expects " + llvm::Twine(name) + " of 1 to " +
              llvm::Twine(kMaxExtent) + ", got " + llvm::Twine(extent))
          .str();
  if (matmul.result.isTransposed)
    return "expects a result that is not transposed";
  for (const NamedMatrix &named : listMatrices(matmul))
    if (auto problem = explainBadMatrix(named, matmul.batch))
      return problem;
  return explainOverlap(matmul);
}

int64_t mlir::mirage::getLibraryMatrixEnd(const LibraryMatmul &matmul,
                                          const LibraryMatrix &matrix) {
  for (const NamedMatrix &named : listMatrices(matmul))
    if (&named.matrix == &matrix)
      return *findEnd(named, matmul.batch);
  llvm_unreachable("a matrix of another description");
}
