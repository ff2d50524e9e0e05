//===- TensorSpec.cpp - Element types and tensor types --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/TensorSpec.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace mlir::mirage;

llvm::StringRef mlir::mirage::getElementTypeName(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return "f16";
  case ElementType::BF16:
    return "bf16";
  case ElementType::F32:
    return "f32";
  case ElementType::F8E4M3FN:
    return "f8E4M3FN";
  case ElementType::F8E5M2:
    return "f8E5M2";
  }
  llvm_unreachable("unknown element type");
}

std::optional<ElementType>
mlir::mirage::parseElementType(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<ElementType>>(name)
      .Case("f16", ElementType::F16)
      .Case("bf16", ElementType::BF16)
      .Case("f32", ElementType::F32)
      .Case("f8E4M3FN", ElementType::F8E4M3FN)
      .Case("f8E5M2", ElementType::F8E5M2)
      .Default(std::nullopt);
}

unsigned mlir::mirage::getSizeBytes(ElementType type) {
  switch (type) {
  case ElementType::F32:
    return 4;
  case ElementType::F16:
  case ElementType::BF16:
    return 2;
  case ElementType::F8E4M3FN:
  case ElementType::F8E5M2:
    return 1;
  }
  llvm_unreachable("unknown element type");
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
