//===- ExpandComposed.cpp - Norms and softmax as what they are ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Graph/ComposedOperators.h"
#include "Mirage/Transforms/Passes.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_EXPANDCOMPOSEDPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

static void expand(OperatorOpInterface op) {
  Graph definition = llvm::cantFail(
      defineComposed(
          op.getTableOpcode(), readOperatorAttributes(op),
          llvm::map_to_vector(op->getOperandTypes(),
                              [](Type type) { return convertTensor(type); }),
          convertTensor(op->getResult(0).getType())),
      "a verified op has a definition");
  OpBuilder builder(op);
  op->replaceAllUsesWith(
      writeGraph(builder, op->getLoc(), definition, op->getOperands()));
  op->erase();
}

namespace {
struct ExpandComposedPass
    : mirage::impl::ExpandComposedPassBase<ExpandComposedPass> {
  void runOnOperation() override {
    SmallVector<OperatorOpInterface> composed;
    getOperation()->walk([&](OperatorOpInterface op) {
      if (isComposed(op.getTableOpcode()))
        composed.push_back(op);
    });
    for (OperatorOpInterface op : composed)
      expand(op);
  }
};
} // namespace
