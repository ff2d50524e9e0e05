//===- F32ProductsAttribute.cpp - How products of f32 are taken -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Operator/F32ProductsAttribute.h"

using namespace mlir;
using namespace mlir::mirage;

StringAttr mlir::mirage::writeF32Products(MLIRContext *context,
                                          F32Products products) {
  return StringAttr::get(context, getF32ProductsName(products));
}

std::optional<F32Products> mlir::mirage::readF32Products(Attribute attribute) {
  auto name = dyn_cast_or_null<StringAttr>(attribute);
  return name ? parseF32Products(name.getValue()) : std::nullopt;
}

F32Products mlir::mirage::getF32Products(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto products = readF32Products(op->getAttr(kF32ProductsAttr)))
      return *products;
  return F32Products::Exact;
}

void mlir::mirage::setF32Products(Operation *graph, F32Products products) {
  if (products == F32Products::Exact)
    graph->removeAttr(kF32ProductsAttr);
  else
    graph->setAttr(kF32ProductsAttr,
                   writeF32Products(graph->getContext(), products));
}
