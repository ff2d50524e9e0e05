//===- ExpressibleOpInterface.td - Ops of others in our operators *- tablegen -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_KERNEL_IR_EXPRESSIBLEOPINTERFACE_TD
#define MIRAGE_DIALECT_KERNEL_IR_EXPRESSIBLEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def Kernel_ExpressibleOpInterface : OpInterface<"ExpressibleOpInterface"> {
  let description = [{
    An op on tensors, of any dialect, that can be written in operators of
    `mirage_kernel`. `--convert-linalg-to-mirage-kernel` asks it before all that
    it knows itself, so the op becomes part of the programs around it: searched,
    judged, compiled. To be attached from outside:

    ```c++
    struct SwigluModel
        : kernel::ExpressibleOpInterface::ExternalModel<SwigluModel,
                                                        toy::SwigluOp> {
      FailureOr<SmallVector<Value>>
      express(Operation *op, OpBuilder &builder, ValueRange operands,
              std::string &reason) const;
    };
    registry.addExtension(+[](MLIRContext *context, toy::ToyDialect *) {
      toy::SwigluOp::attachInterface<SwigluModel>(*context);
    });
    ```
  }];
  let cppNamespace = "::mlir::mirage::kernel";
  let methods = [
    InterfaceMethod<[{
      Builds operators of `mirage_kernel`, and nothing else, that compute the
      op's results from `operands`, which stand for the op's operands in their
      order. One that no operator can take (no tensor of float elements, rank 1
      or more and static shape; a `tensor.empty` to write to) is null there.
      Returns a value of its type for each result; or fails with a `reason` that
      says what was expected and found, and leaves the op where it is.
    }], "::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>", "express",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$operands,
           "::std::string &":$reason)>,
  ];
}

#endif // MIRAGE_DIALECT_KERNEL_IR_EXPRESSIBLEOPINTERFACE_TD
