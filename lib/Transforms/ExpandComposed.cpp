//===- ExpandComposed.cpp - Norms and softmax as what they are ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Operator/ExpandComposed.h"
#include "Mirage/Transforms/Passes.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_EXPANDCOMPOSEDPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

namespace {
struct ExpandComposedPass
    : mirage::impl::ExpandComposedPassBase<ExpandComposedPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (OperatorOpInterface op : findComposed(getOperation()))
      expandComposed(rewriter, op);
  }
};
} // namespace
