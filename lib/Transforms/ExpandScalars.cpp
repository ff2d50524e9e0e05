//===- ExpandScalars.cpp - Programs on tensors of rank 0 ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Operator/OperatorInterface.h"
#include "Mirage/Dialect/Operator/ScalarTensors.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_EXPANDSCALARSPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

static void expandArguments(Block &entry) {
  OpBuilder builder = OpBuilder::atBlockBegin(&entry);
  for (BlockArgument argument : entry.getArguments()) {
    Type type = argument.getType();
    if (!isScalarTensor(type))
      continue;
    argument.setType(getTypeInGraph(type));
    Value scalar = collapseScalar(builder, argument.getLoc(), argument);
    argument.replaceAllUsesExcept(scalar, scalar.getDefiningOp());
  }
}

static void expandResults(func::ReturnOp exit) {
  OpBuilder builder(exit);
  for (OpOperand &operand : exit->getOpOperands())
    operand.set(expandScalar(builder, exit.getLoc(), operand.get()));
}

/// Readers of what was collapsed and expanded read what it was before.
static void skipReshapes(func::FuncOp function) {
  SmallVector<Operation *> reshapes;
  function->walk([&](Operation *op) {
    if (reshapesScalar(op))
      reshapes.push_back(op);
  });
  for (Operation *op : reshapes) {
    Value source = skipScalarReshapes(op->getResult(0));
    if (source.getType() == op->getResult(0).getType())
      op->getResult(0).replaceAllUsesWith(source);
  }
  for (Operation *op : llvm::reverse(reshapes))
    if (op->use_empty())
      op->erase();
}

/// Whether tensors of rank 0 are none but what comes in, goes out, or is of [1]
/// in a graph: else what reads them would be read another tensor than stands in
/// the program.
static bool isOfGraphs(func::FuncOp function) {
  auto isReshapedOrReturned = [](Operation *op) {
    return reshapesScalar(op) || isa<func::ReturnOp>(op);
  };
  auto staysBetweenGraphs = [&](Value value) {
    Operation *definition = value.getDefiningOp();
    return !isScalarTensor(value.getType()) ||
           (!explainUnsupportedTensor(getTypeInGraph(value.getType())) &&
            (!definition || reshapesScalar(definition)) &&
            llvm::all_of(value.getUsers(), isReshapedOrReturned));
  };
  WalkResult result = function->walk([&](func::ReturnOp exit) {
    return llvm::all_of(exit->getOperands(), staysBetweenGraphs)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !result.wasInterrupted() &&
         llvm::all_of(function.getArguments(), staysBetweenGraphs);
}

static void expandScalars(func::FuncOp function) {
  auto toGraphTypes = [](TypeRange types) {
    return llvm::map_to_vector(types, getTypeInGraph);
  };
  auto type = FunctionType::get(function.getContext(),
                                toGraphTypes(function.getArgumentTypes()),
                                toGraphTypes(function.getResultTypes()));
  if (type == function.getFunctionType() || !isOfGraphs(function))
    return;
  function.setType(type);
  expandArguments(function.getBody().front());
  function->walk(expandResults);
  skipReshapes(function);
}

namespace {
struct ExpandScalarsPass
    : mirage::impl::ExpandScalarsPassBase<ExpandScalarsPass> {
  /// A function alone is not seen together with who may call it.
  void runOnOperation() override {
    Operation *scope = getOperation();
    scope->walk([&](func::FuncOp function) {
      if (function != scope && !function.isExternal() &&
          SymbolTable::symbolKnownUseEmpty(function, scope))
        expandScalars(function);
    });
  }
};
} // namespace
