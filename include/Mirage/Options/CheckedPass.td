//===- CheckedPass.td - Passes with checked options --------*- tablegen -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_OPTIONS_CHECKEDPASS_TD
#define MIRAGE_OPTIONS_CHECKEDPASS_TD

include "mlir/Pass/PassBase.td"

// A pass, on any op or those of one kind, with options of the types below.
class CheckedPass<string argument, string operation = "">
    : PassBase<argument, "::mlir::mirage::CheckedPass<" # operation # ">">;

// The types of Mirage/Options/CheckedOptions.h.
class NumberType<string least, string most> {
  string type = "::mlir::mirage::NumberOption<unsigned, " # least # ", " # most # ">";
}
defvar TextType = "::mlir::mirage::TextOption";
defvar TruthType = "::mlir::mirage::TruthOption";

// The GPU of a pass that can be told it.
class TargetOption<string what>
    : Option<"target", "target", TextType, /*default=*/"\"\"",
             what # "; without it the module's #nvvm.target, or sm_90a">;

#endif // MIRAGE_OPTIONS_CHECKEDPASS_TD
