//===- PassTensorMaps.cpp - Parameters that are tensor maps ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Conversion/BlockToGPU.h"
#include "Mirage/Conversion/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_PASSTENSORMAPSPASS
#include "Mirage/Conversion/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

static void passByValue(LLVM::LLVMFuncOp function, unsigned number) {
  Builder builder(function.getContext());
  auto bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), kTensorMapBytes);
  auto set = [&](StringRef name, Attribute attribute) {
    function.setArgAttr(number, name, attribute);
  };
  set(LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(bytes));
  set(LLVM::LLVMDialect::getAlignAttrName(),
      builder.getI64IntegerAttr(kTensorMapAlignBytes));
  // The engine reads the parameter itself, and not a copy that a thread made.
  set(NVVM::NVVMDialect::getGridConstantAttrName(), builder.getUnitAttr());
}

static LogicalResult passTensorMaps(LLVM::LLVMFuncOp function) {
  Attribute attribute = function->getAttr(kTensorMapParametersAttr);
  if (!attribute)
    return success();
  auto numbers = dyn_cast<DenseI32ArrayAttr>(attribute);
  auto isPointer = [&](int32_t number) {
    return number >= 0 &&
           number < static_cast<int32_t>(function.getNumArguments()) &&
           isa<LLVM::LLVMPointerType>(function.getArgumentTypes()[number]);
  };
  if (!numbers || !llvm::all_of(numbers.asArrayRef(), isPointer))
    return function.emitOpError()
           << "expects numbers of parameters that are pointers as '"
           << kTensorMapParametersAttr << "', got " << attribute;
  for (int32_t number : numbers.asArrayRef())
    passByValue(function, number);
  function->removeAttr(kTensorMapParametersAttr);
  return success();
}

namespace {
struct PassTensorMapsPass
    : mirage::impl::PassTensorMapsPassBase<PassTensorMapsPass> {
  void runOnOperation() override {
    WalkResult result =
        getOperation()->walk([](LLVM::LLVMFuncOp function) -> WalkResult {
          return passTensorMaps(function);
        });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
