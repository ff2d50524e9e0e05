//===- OperatorInterface.td - Ops that are rows of the table ---*- tablegen -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_OPERATOR_OPERATORINTERFACE_TD
#define MIRAGE_DIALECT_OPERATOR_OPERATORINTERFACE_TD

include "mlir/IR/OpBase.td"

def MirageOperatorInterface : OpInterface<"OperatorOpInterface"> {
  let description = [{
    An op that is a row of the operator table (`Mirage/Graph/Operators.h`) at
    one of the three levels. What it means, its shape rule and its cost are the
    row's; the op adds nothing but the spelling in IR. Attributes carry the
    names that the row gives its parameters.
  }];
  let cppNamespace = "::mlir::mirage";
  let methods = [
    InterfaceMethod<"The row of the operator table.",
                    "::mlir::mirage::Opcode", "getTableOpcode">,
  ];
  let verify = [{ return ::mlir::mirage::detail::verifyOperatorOp($_op); }];
}

#endif // MIRAGE_DIALECT_OPERATOR_OPERATORINTERFACE_TD
