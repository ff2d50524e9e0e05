//===- PlanAttributes.td - Decisions in attributes ---------------*- tablegen -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_OPERATOR_PLANATTRIBUTES_TD
#define MIRAGE_DIALECT_OPERATOR_PLANATTRIBUTES_TD

include "mlir/IR/DialectBase.td"

def MirageDialect : Dialect {
  let name = "mirage";
  let cppNamespace = "::mlir::mirage";
  let summary = "what is decided of a µGraph, or known of a program";
  let description = [{
    Has attributes and nothing else. Those that passes of the phase optimize leave for the
    phase lower are of certain ops and types, which one table states
    (`lib/Dialect/Operator/PlanAttributes.cpp`); what they mean and whether they hold is said
    and seen where they are read. A name that is not in the table is an error.
  }];
  let hasOperationAttrVerify = 1;
}

#endif // MIRAGE_DIALECT_OPERATOR_PLANATTRIBUTES_TD
