//===- Passes.td - Passes from Mirage IR to Mirage IR ----------*- tablegen -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TRANSFORMS_PASSES_TD
#define MIRAGE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

// Passes run on any op, a module as well as one function in it, so that a plain
// flag of mirage-opt works and other pipelines may nest them where they like.

def AssignDefaultBlocksPass : Pass<"mirage-assign-default-blocks"> {
  let summary = "gives each operator of a kernel graph its default block graph";
  let description = [{
    Every kernel-level operator becomes a `mirage_block.graph` of its own that
    computes it alone, so that a program, or what is left of it after the
    search, compiles and runs. Reshapes stay: they are views.
    Example: test/Transforms/assign-default-blocks.mlir
  }];
  let options = [
    Option<"sharedBytes", "shared-bytes", "int64_t", /*default=*/"232448",
           "Shared memory of one thread block in bytes; 227 KiB on sm_90">];
  let dependentDialects = ["::mlir::mirage::block::MirageBlockDialect"];
}

#endif // MIRAGE_TRANSFORMS_PASSES_TD
