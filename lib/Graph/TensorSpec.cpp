//===- TensorSpec.cpp - Element types and tensor types --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/TensorSpec.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cassert>
#include <iterator>

using namespace mlir::mirage;

namespace {
struct ElementTypeInfo {
  ElementType type;
  llvm::StringLiteral name;
  unsigned sizeBytes;
  bool storesInfinities = true;
};
} // namespace

static constexpr ElementTypeInfo kTable[] = {
    {ElementType::F16, "f16", 2},
    {ElementType::BF16, "bf16", 2},
    {ElementType::F32, "f32", 4},
    {ElementType::F8E4M3FN, "f8E4M3FN", 1, false},
    {ElementType::F8E5M2, "f8E5M2", 1, false},
};
static_assert(std::size(kTable) == std::size(kElementTypes),
              "one row per element type");

static const ElementTypeInfo &getInfo(ElementType type) {
  const ElementTypeInfo &info = kTable[static_cast<unsigned>(type)];
  assert(info.type == type && "the table is in the order of ElementType");
  return info;
}

llvm::StringRef mlir::mirage::getElementTypeName(ElementType type) {
  return getInfo(type).name;
}

std::optional<ElementType>
mlir::mirage::parseElementType(llvm::StringRef name) {
  for (const ElementTypeInfo &info : kTable)
    if (info.name == name)
      return info.type;
  return std::nullopt;
}

unsigned mlir::mirage::getSizeBytes(ElementType type) {
  return getInfo(type).sizeBytes;
}

bool mlir::mirage::storesInfinities(ElementType type) {
  return getInfo(type).storesInfinities;
}

static constexpr llvm::StringLiteral kF32ProductsNames[] = {"exact", "tf32"};

llvm::StringRef mlir::mirage::getF32ProductsName(F32Products products) {
  return kF32ProductsNames[static_cast<unsigned>(products)];
}

std::optional<F32Products>
mlir::mirage::parseF32Products(llvm::StringRef name) {
  for (F32Products products : {F32Products::Exact, F32Products::TF32})
    if (getF32ProductsName(products) == name)
      return products;
  return std::nullopt;
}

std::optional<ElementType>
mlir::mirage::getTensorCoreElement(ElementType lhs, ElementType rhs,
                                   F32Products products) {
  // Both hold all numbers of 8 bits, and neither the other's.
  for (ElementType wide : {ElementType::F16, ElementType::BF16})
    if ((lhs == wide || getSizeBytes(lhs) == 1) &&
        (rhs == wide || getSizeBytes(rhs) == 1))
      return wide;
  if (products == F32Products::TF32)
    return ElementType::F32;
  return std::nullopt;
}

int64_t TensorSpec::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

int64_t TensorSpec::getSizeBytes() const {
  return getNumElements() * mlir::mirage::getSizeBytes(element);
}

llvm::raw_ostream &mlir::mirage::operator<<(llvm::raw_ostream &os,
                                            const TensorSpec &type) {
  os << "tensor<";
  for (int64_t size : type.shape)
    os << size << 'x';
  return os << getElementTypeName(type.element) << '>';
}

std::string mlir::mirage::toString(const TensorSpec &type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::string mlir::mirage::toString(llvm::ArrayRef<int64_t> numbers) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(numbers, os);
  os << ']';
  return text;
}

std::optional<Shape>
mlir::mirage::broadcastShapes(llvm::ArrayRef<int64_t> lhs,
                              llvm::ArrayRef<int64_t> rhs) {
  if (lhs.size() < rhs.size())
    std::swap(lhs, rhs);
  Shape result(lhs.begin(), lhs.end());
  auto trailing = llvm::MutableArrayRef<int64_t>(result).take_back(rhs.size());
  for (auto [size, other] : llvm::zip_equal(trailing, rhs)) {
    if (size != other && size != 1 && other != 1)
      return std::nullopt;
    size = size == 1 ? other : size;
  }
  return result;
}
