//===- SetF32Products.cpp - How products of f32 are taken -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SetF32Products.h"
#include "Mirage/Analysis/FindLocation.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Dialect/Operator/F32ProductsAttribute.h"
#include "Mirage/Dialect/Operator/LaunchAttributes.h"
#include "Mirage/Graph/GraphJSON.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_SETF32PRODUCTSPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

/// What numbers are checked against was asked for in the same way. A record
/// that is no JSON is for whoever reads it to refuse.
static void setRecorded(FunctionOpInterface function, F32Products products) {
  auto record = function->getAttrOfType<StringAttr>(kProgramAttr);
  if (!record)
    return;
  llvm::Expected<llvm::json::Value> program =
      llvm::json::parse(record.getValue());
  if (!program)
    return llvm::consumeError(program.takeError());
  llvm::json::Object *members = program->getAsObject();
  if (!members)
    return;
  if (products == F32Products::Exact)
    members->erase(kF32ProductsJSON);
  else
    (*members)[kF32ProductsJSON] = getF32ProductsName(products);
  function->setAttr(kProgramAttr,
                    StringAttr::get(function->getContext(),
                                    llvm::formatv("{0}", *program).str()));
}

LogicalResult mlir::mirage::setF32Products(Operation *root, StringRef choice) {
  std::optional<F32Products> products = parseF32Products(choice);
  if (!products)
    return mlir::emitError(findLocation(root))
           << "expects f32-products exact or tf32, got '" << choice << "'";
  root->walk([&](kernel::GraphOp graph) { setF32Products(graph, *products); });
  root->walk(
      [&](FunctionOpInterface function) { setRecorded(function, *products); });
  return success();
}

namespace {
struct SetF32ProductsPass
    : mirage::impl::SetF32ProductsPassBase<SetF32ProductsPass> {
  using SetF32ProductsPassBase::SetF32ProductsPassBase;

  void runOnOperation() override {
    if (failed(setF32Products(getOperation(), f32Products)))
      signalPassFailure();
  }
};
} // namespace
