//===- mirage-foreign-opt.cpp - mirage-opt with models of others' ops -----===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attaches an ExpressibleOpInterface to ops of math that import does not know:
// a model that does its work, and one for each way of not doing it.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Conversion/Passes.h"
#include "Mirage/Dialect/Kernel/IR/ExpressibleOpInterface.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/InitAll.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

using namespace mlir;
using namespace mlir::mirage;

namespace {
template <typename ModelT, typename OpT>
using Model = kernel::ExpressibleOpInterface::ExternalModel<ModelT, OpT>;
using Written = FailureOr<SmallVector<Value>>;

/// log(1 + x)
struct Log1pModel : Model<Log1pModel, math::Log1pOp> {
  Written express(Operation *op, OpBuilder &builder, ValueRange operands,
                  std::string &reason) const {
    if (!operands[0]) {
      reason = "expects a tensor that a kernel takes";
      return failure();
    }
    Type type = op->getResult(0).getType();
    Value sum = kernel::OffsetOp::create(
        builder, op->getLoc(), type, operands[0], builder.getF64FloatAttr(1));
    Value result = kernel::LogOp::create(builder, op->getLoc(), type, sum);
    return SmallVector<Value>{result};
  }
};

/// Writes an op of another dialect.
struct CosModel : Model<CosModel, math::CosOp> {
  Written express(Operation *op, OpBuilder &builder, ValueRange operands,
                  std::string &) const {
    Value result = arith::NegFOp::create(builder, op->getLoc(), operands[0]);
    return SmallVector<Value>{result};
  }
};

/// Writes a value of another type.
struct SinModel : Model<SinModel, math::SinOp> {
  Written express(Operation *op, OpBuilder &builder, ValueRange operands,
                  std::string &) const {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Value result = kernel::ExpOp::create(
        builder, op->getLoc(), type.clone(builder.getF16Type()), operands[0]);
    return SmallVector<Value>{result};
  }
};

/// Writes nothing.
struct TanModel : Model<TanModel, math::TanOp> {
  Written express(Operation *, OpBuilder &, ValueRange, std::string &) const {
    return SmallVector<Value>{Value()};
  }
};
} // namespace

int main(int argc, char **argv) {
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mirage::registerAllDialects(registry);
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    math::Log1pOp::attachInterface<Log1pModel>(*context);
    math::CosOp::attachInterface<CosModel>(*context);
    math::SinOp::attachInterface<SinModel>(*context);
    math::TanOp::attachInterface<TanModel>(*context);
  });
  registerConvertLinalgToMirageKernelPass();
  return asMainReturnCode(
      MlirOptMain(argc, argv, "Import with models of others' ops\n", registry));
}
