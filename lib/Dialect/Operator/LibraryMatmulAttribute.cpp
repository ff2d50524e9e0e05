//===- LibraryMatmulAttribute.cpp - A library's matmul in IR --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Operator/LibraryMatmulAttribute.h"
#include "Mirage/Dialect/Operator/F32ProductsAttribute.h"
#include "Mirage/Dialect/Operator/OperatorInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::mirage;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static NamedAttribute makeInt(Builder &builder, StringRef name, int64_t value) {
  return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
}

static NamedAttribute makeType(Builder &builder, StringRef name,
                               ElementType type) {
  return builder.getNamedAttr(
      name, TypeAttr::get(convertElementType(builder.getContext(), type)));
}

static NamedAttribute makeMatrix(Builder &builder, StringRef name,
                                 const LibraryMatrix &matrix) {
  return builder.getNamedAttr(
      name, builder.getDictionaryAttr(
                {makeInt(builder, "argument", matrix.argument),
                 makeInt(builder, "offset", matrix.offset),
                 builder.getNamedAttr("transposed",
                                      builder.getBoolAttr(matrix.isTransposed)),
                 makeInt(builder, "leading_dimension", matrix.leadingDimension),
                 makeInt(builder, "batch_stride", matrix.batchStride)}));
}

DictionaryAttr mlir::mirage::writeLibraryMatmul(MLIRContext *context,
                                                const LibraryMatmul &matmul) {
  Builder builder(context);
  SmallVector<NamedAttribute> members = {
      makeInt(builder, "batch", matmul.batch),
      makeInt(builder, "m", matmul.m),
      makeInt(builder, "n", matmul.n),
      makeInt(builder, "k", matmul.k),
      makeType(builder, "operands", matmul.operandElement),
      makeType(builder, "result_type", matmul.resultElement),
      makeType(builder, "accumulate", ElementType::F32),
      makeMatrix(builder, "lhs", matmul.lhs),
      makeMatrix(builder, "rhs", matmul.rhs),
      makeMatrix(builder, "result", matmul.result)};
  if (matmul.f32Products != F32Products::Exact)
    members.push_back(builder.getNamedAttr(
        kF32ProductsMember, writeF32Products(context, matmul.f32Products)));
  return builder.getDictionaryAttr(members);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Reads the members of one dictionary. The first that is not as it should be
/// is kept in `problem`.
class MemberReader {
public:
  MemberReader(Attribute attribute, std::string path, size_t numMembers,
               std::string &problem)
      : members(dyn_cast_or_null<DictionaryAttr>(attribute)),
        path(std::move(path)), numMembers(numMembers), problem(problem) {
    if (!members)
      fail(this->path.empty() ? "a dictionary"
                              : "'" + this->path + "' to be a dictionary",
           attribute);
  }

  int64_t getInt(StringRef name) {
    auto attribute = dyn_cast_or_null<IntegerAttr>(get(name));
    if (attribute && attribute.getType().isSignlessInteger(64))
      return attribute.getInt();
    fail(quote(name) + " to be an i64", get(name));
    return 0;
  }

  bool getBool(StringRef name) {
    auto attribute = dyn_cast_or_null<BoolAttr>(get(name));
    if (!attribute)
      fail(quote(name) + " to be true or false", get(name));
    return attribute && attribute.getValue();
  }

  ElementType getType(StringRef name) {
    auto attribute = dyn_cast_or_null<TypeAttr>(get(name));
    std::optional<ElementType> type =
        attribute ? convertElementType(attribute.getValue()) : std::nullopt;
    if (!type)
      fail(quote(name) + " to be one of " + kElementTypeNames.str(), get(name));
    return type.value_or(ElementType::F32);
  }

  LibraryMatrix getMatrix(StringRef name);

  /// One that need not be there, and is none of `numMembers`.
  F32Products getF32Products() {
    Attribute attribute = get(kF32ProductsMember);
    if (!attribute)
      return F32Products::Exact;
    ++numMembers;
    std::optional<F32Products> products = readF32Products(attribute);
    if (!products)
      fail(quote(kF32ProductsMember) + " to be \"exact\" or \"tf32\"",
           attribute);
    return products.value_or(F32Products::Exact);
  }

  /// To be called last: all members that there should be were there.
  void checkNoMore() {
    if (members && members.size() > numMembers)
      fail(path.empty() ? "no further members"
                        : "no further members of '" + path + "'",
           members);
  }

private:
  Attribute get(StringRef name) const {
    return members ? members.get(name) : Attribute();
  }
  std::string quote(StringRef name) const {
    return ("'" + (path.empty() ? "" : path + ".") + name + "'").str();
  }
  void fail(const Twine &what, Attribute got) {
    if (!problem.empty())
      return;
    llvm::raw_string_ostream os(problem);
    os << what << ", got ";
    if (got)
      os << got;
    else
      os << "nothing";
  }

  DictionaryAttr members;
  std::string path;
  size_t numMembers;
  std::string &problem;
};
} // namespace

LibraryMatrix MemberReader::getMatrix(StringRef name) {
  MemberReader reader(get(name), name.str(), 5, problem);
  LibraryMatrix matrix;
  int64_t argument = reader.getInt("argument");
  if (argument < 0 || argument > UINT32_MAX)
    reader.fail(reader.quote("argument") + " to be an argument's number",
                reader.get("argument"));
  matrix.argument = argument;
  matrix.offset = reader.getInt("offset");
  matrix.isTransposed = reader.getBool("transposed");
  matrix.leadingDimension = reader.getInt("leading_dimension");
  matrix.batchStride = reader.getInt("batch_stride");
  reader.checkNoMore();
  return matrix;
}

std::optional<LibraryMatmul>
mlir::mirage::readLibraryMatmul(Attribute attribute, std::string &problem) {
  problem.clear();
  MemberReader reader(attribute, "", 10, problem);
  LibraryMatmul matmul;
  matmul.batch = reader.getInt("batch");
  matmul.m = reader.getInt("m");
  matmul.n = reader.getInt("n");
  matmul.k = reader.getInt("k");
  matmul.operandElement = reader.getType("operands");
  matmul.resultElement = reader.getType("result_type");
  ElementType accumulate = reader.getType("accumulate");
  matmul.lhs = reader.getMatrix("lhs");
  matmul.rhs = reader.getMatrix("rhs");
  matmul.result = reader.getMatrix("result");
  matmul.f32Products = reader.getF32Products();
  reader.checkNoMore();
  if (problem.empty() && accumulate != ElementType::F32)
    problem =
        "'accumulate' to be f32, got " + getElementTypeName(accumulate).str();
  if (problem.empty())
    if (std::optional<std::string> bad = explainBadLibraryMatmul(matmul))
      problem = StringRef(*bad).substr(StringRef("expects ").size()).str();
  return problem.empty() ? std::optional(matmul) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Verifying
//===----------------------------------------------------------------------===//

/// Whether a tensor has the elements of a matrix, once or for each product.
static bool isMatrix(Value tensor, ElementType element, int64_t rows,
                     int64_t columns, const LibraryMatmul &matmul,
                     const LibraryMatrix &matrix) {
  TensorSpec type = convertTensor(tensor.getType());
  double size = double(rows) * double(columns);
  double count = double(type.getNumElements());
  bool isShared = matmul.batch == 1 || matrix.batchStride == 0;
  return type.element == element &&
         (count == size * double(matmul.batch) || (isShared && count == size));
}

LogicalResult mlir::mirage::verifyLibraryMatmul(Operation *op,
                                                Attribute attribute) {
  auto emit = [&]() {
    return op->emitOpError() << "with '" << kLibraryMatmulAttr << "' expects ";
  };
  std::string problem;
  std::optional<LibraryMatmul> matmul = readLibraryMatmul(attribute, problem);
  if (!matmul)
    return emit() << problem;
  if (op->getNumOperands() != 2 || op->getNumResults() != 1)
    return emit() << "two operands and one result, got " << op->getNumOperands()
                  << " and " << op->getNumResults();
  const LibraryMatrix &lhs = matmul->lhs, &rhs = matmul->rhs;
  if (lhs.argument + rhs.argument != 1 || lhs.argument > 1 ||
      matmul->result.argument != 2)
    return emit() << "the operands' numbers, 0 and 1, and the result's, 2, as "
                     "arguments of lhs, rhs and result, got "
                  << lhs.argument << ", " << rhs.argument << " and "
                  << matmul->result.argument;
  if (!isMatrix(op->getOperand(lhs.argument), matmul->operandElement, matmul->m,
                matmul->k, *matmul, lhs) ||
      !isMatrix(op->getOperand(rhs.argument), matmul->operandElement, matmul->k,
                matmul->n, *matmul, rhs) ||
      !isMatrix(op->getResult(0), matmul->resultElement, matmul->m, matmul->n,
                *matmul, matmul->result))
    return emit() << "extents and types that its tensors have, got "
                  << attribute << " for (" << op->getOperandTypes() << ") -> "
                  << op->getResult(0).getType();
  return success();
}
