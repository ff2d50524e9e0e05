//===- Passes.td - From gpu.module to PTX ------------------*- tablegen -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TARGET_PTX_PASSES
#define MIRAGE_TARGET_PTX_PASSES

include "Mirage/Options/CheckedPass.td"
include "mlir/Pass/PassBase.td"

def EmitPTXPass : CheckedPass<"mirage-emit-ptx", "ModuleOp"> {
  let summary = "translates every gpu.module to PTX";
  let description = [{
    Translates each `gpu.module` of LLVM and NVVM operations
    (--mirage-lower-to-nvvm) to PTX in process and replaces it by a `gpu.binary`
    of the same name that holds the text and, where ptxas is found, the cubin.
    No file of the CUDA toolkit is needed for the PTX. Errors: calls that nothing
    in the module answers, and no cubin where `ptxas=` requires one. A warning:
    code that ptxas takes but that spills registers or waits for each wgmma.
    Example: test/Target/PTX/emit-ptx.mlir
  }];
  let options = [
    TargetOption<"Chip to make code for">,
    Option<"ptxas", "ptxas", TextType, /*default=*/"\"auto\"",
           "What makes cubins: 'auto', the ptxas that is found, if one is and "
           "takes the PTX (if not, a warning says why there is none); 'never', "
           "nothing; 'required', the ptxas that is found, without which it is "
           "an error; or the path of one, required too">,
    Option<"artifact", "artifact", TextType, /*default=*/"\"\"",
           "Folder to write the artifact of the module's function of launches "
           "to, or where there are several, a folder in it for each, of the "
           "function's name; without it none is written">];
  let dependentDialects = ["LLVM::LLVMDialect", "NVVM::NVVMDialect"];
}

#endif // MIRAGE_TARGET_PTX_PASSES
