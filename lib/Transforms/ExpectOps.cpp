//===- ExpectOps.cpp - Is there anything to begin with? -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/FindLocation.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_EXPECTOPSPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

static bool contains(Operation *root, ArrayRef<std::string> names) {
  return root
      ->walk([&](Operation *op) {
        return llvm::is_contained(names, op->getName().getStringRef())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The first op that computes something, else the first function, else null.
static Operation *findFirstWork(Operation *root) {
  Operation *found = nullptr;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == root)
      return WalkResult::advance();
    bool isFunction = isa<FunctionOpInterface>(op);
    if (isFunction && !found)
      found = op;
    if (isFunction || op->getNumOperands() == 0 ||
        op->hasTrait<OpTrait::IsTerminator>())
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

namespace {
struct ExpectOpsPass : mirage::impl::ExpectOpsPassBase<ExpectOpsPass> {
  using ExpectOpsPassBase::ExpectOpsPassBase;

  void runOnOperation() override {
    if (ops.empty()) {
      mlir::emitError(findLocation(getOperation()))
          << "expects the names of ops to look for as 'ops', got none";
      return signalPassFailure();
    }
    if (contains(getOperation(), ops))
      return;
    report();
    if (isRequired)
      signalPassFailure();
  }

  void report() {
    Operation *found = findFirstWork(getOperation());
    InFlightDiagnostic diagnostic = getContext().getDiagEngine().emit(
        findLocation(found ? found : getOperation()),
        isRequired ? DiagnosticSeverity::Error : DiagnosticSeverity::Remark);
    if (!phase.empty())
      diagnostic << "phase '" << phase << "' ";
    diagnostic << "expects a " << llvm::join(ops, " or a ") << ", got ";
    if (found)
      diagnostic << "'" << found->getName() << "'";
    else
      diagnostic << "an empty module";
  }
};
} // namespace
