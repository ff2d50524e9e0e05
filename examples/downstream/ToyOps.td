//===- ToyOps.td - A dialect of somebody else's ------------*- tablegen -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DOWNSTREAM_TOYOPS_TD
#define DOWNSTREAM_TOYOPS_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def ToyDialect : Dialect {
  let name = "toy";
  let cppNamespace = "::toy";
}

def Toy_SwigluOp : Op<ToyDialect, "swiglu", [Pure, SameOperandsAndResultType]> {
  let summary = "gate / (1 + exp(-gate)) * up, element by element";
  let arguments = (ins AnyRankedTensor:$gate, AnyRankedTensor:$up);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$gate `,` $up attr-dict `:` type($result)";
}

#endif // DOWNSTREAM_TOYOPS_TD
