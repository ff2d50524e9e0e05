//===- ElementTypes.cpp - Element types of the C API ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir::mirage;

MirageElementType mlir::mirage::convert(ElementType element) {
  switch (element) {
  case ElementType::F16:
    return MirageElementF16;
  case ElementType::BF16:
    return MirageElementBF16;
  case ElementType::F32:
    return MirageElementF32;
  case ElementType::F8E4M3FN:
    return MirageElementF8E4M3FN;
  case ElementType::F8E5M2:
    return MirageElementF8E5M2;
  }
  llvm_unreachable("all element types are converted");
}

std::optional<ElementType> mlir::mirage::convert(MirageElementType element) {
  for (ElementType type : kElementTypes)
    if (convert(type) == element)
      return type;
  return std::nullopt;
}
