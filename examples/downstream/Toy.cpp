//===- Toy.cpp - A dialect of somebody else's -----------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Toy.h"
#include "Mirage/Dialect/Kernel/IR/ExpressibleOpInterface.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"

using namespace mlir;
using namespace mlir::mirage;

#include "ToyDialect.cpp.inc"

#define GET_OP_CLASSES
#include "ToyOps.cpp.inc"

void toy::ToyDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ToyOps.cpp.inc"
      >();
}

namespace {
struct SwigluModel
    : kernel::ExpressibleOpInterface::ExternalModel<SwigluModel,
                                                    toy::SwigluOp> {
  FailureOr<SmallVector<Value>> express(Operation *op, OpBuilder &builder,
                                        ValueRange operands,
                                        std::string &reason) const {
    Value gate = operands[0], up = operands[1];
    if (!gate || !up) {
      reason = "expects tensors that a kernel takes";
      return failure();
    }
    // Rounded once, at the end: what stands between is kept in f32.
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Value activated = kernel::SiluOp::create(
        builder, op->getLoc(), type.clone(builder.getF32Type()), gate);
    Value result =
        kernel::MulOp::create(builder, op->getLoc(), type, activated, up);
    return SmallVector<Value>{result};
  }
};
} // namespace

void toy::registerToyExtensions(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, ToyDialect *) {
    SwigluOp::attachInterface<SwigluModel>(*context);
  });
}
