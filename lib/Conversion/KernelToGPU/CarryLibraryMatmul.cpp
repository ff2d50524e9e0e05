//===- CarryLibraryMatmul.cpp - A library's matmul at a launch ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CarryLibraryMatmul.h"
#include "Mirage/Dialect/Operator/F32ProductsAttribute.h"
#include "Mirage/Dialect/Operator/LaunchAttributes.h"
#include "Mirage/Dialect/Operator/LibraryMatmulAttribute.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::mirage;

static PlacedTensor placeTensor(MemRefType buffer) {
  auto [strides, offset] = buffer.getStridesAndOffset();
  return {
      {Shape(buffer.getShape()), *convertElementType(buffer.getElementType())},
      Strides(ArrayRef<int64_t>(strides)),
      offset};
}

/// What a kernel says of a library's call is of its tensors where they lie.
static LogicalResult check(block::GraphOp kernel, Attribute stated,
                           ArrayRef<MemRefType> buffers) {
  SmallVector<PlacedTensor> tensors = llvm::map_to_vector(buffers, placeTensor);
  std::optional<LibraryMatmul> matmul = findLibraryMatmul(
      tensors[0], tensors[1], tensors[2], getF32Products(kernel));
  Attribute expected =
      matmul ? writeLibraryMatmul(kernel.getContext(), *matmul) : Attribute();
  if (expected == stated)
    return success();
  InFlightDiagnostic error = kernel.emitError()
                             << "expects '" << kLibraryMatmulAttr
                             << "' to be of its tensors where they lie, ";
  if (expected)
    return error << expected << ", got " << stated;
  return error << "which no library has, got " << stated;
}

LogicalResult mlir::mirage::carryLibraryMatmul(block::GraphOp kernel,
                                               ArrayRef<MemRefType> buffers,
                                               gpu::LaunchFuncOp launch) {
  Attribute matmul = kernel->getAttr(kLibraryMatmulAttr);
  if (!matmul)
    return success();
  if (failed(check(kernel, matmul, buffers)))
    return failure();
  NamedAttrList members(launch->getAttrOfType<DictionaryAttr>(kLaunchAttr));
  members.set(kLaunchLibraryMatmul, matmul);
  launch->setAttr(kLaunchAttr, members.getDictionary(kernel.getContext()));
  return success();
}
