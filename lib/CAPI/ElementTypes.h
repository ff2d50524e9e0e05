//===- ElementTypes.h - Element types of the C API --------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CAPI_ELEMENTTYPES_H
#define MIRAGE_LIB_CAPI_ELEMENTTYPES_H

#include "Mirage-c/Runtime.h"
#include "Mirage/Graph/TensorSpec.h"
#include <optional>

namespace mlir::mirage {

MirageElementType convert(ElementType element);
/// None where a caller's number is no type.
std::optional<ElementType> convert(MirageElementType element);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CAPI_ELEMENTTYPES_H
