#!/usr/bin/env python3
"""Writes the boilerplate of a new pass from Mirage IR to Mirage IR: its definition,
its source with the work in a function and the pass around it, and its test.

  utils/new-pass.py mirage-plan-registers "gives each fragment its registers"

One name serves for all: flag mirage-plan-registers, class PlanRegistersPass, file
PlanRegisters.cpp, function planRegisters, test plan-registers.mlir. The test fails
until it checks something. A pass that changes dialect is a conversion, and has a
folder of its own in lib/Conversion.
"""
import argparse
import re

from scaffold import PROJECT, Scaffold, banner, camel_case, fail

DEFINITION = """def {name}Pass : Pass<"{flag}"> {{
  let summary = "{summary}";
  let description = [{{
    <What it decides or rewrites, from what, and which attributes it leaves.>
    Example: test/Transforms/{test}.mlir
  }}];
}}

"""
SOURCE = """{banner}
#include "Mirage/Transforms/Passes.h"
#include "mlir/IR/Operation.h"

namespace mlir::mirage {{
#define GEN_PASS_DEF_{upper}PASS
#include "Mirage/Transforms/Passes.h.inc"
}} // namespace mlir::mirage

using namespace mlir;

/// <What this does to the graphs in `root`, and when it fails.>
static LogicalResult {function}(Operation *root) {{ return success(); }}

namespace {{
struct {name}Pass : mirage::impl::{name}PassBase<{name}Pass> {{
  void runOnOperation() override {{
    if (failed({function}(getOperation())))
      signalPassFailure();
  }}
}};
}} // namespace
"""
TEST = """// RUN: mirage-opt %s --{flag} -o %t.mlir && FileCheck %s < %t.mlir
// RUN: mirage-verify %s %t.mlir --seed=1

// CHECK: <what the pass leaves>
func.func @example(%x: tensor<8x64xf16>, %e: tensor<8x64xf16>) -> tensor<8x64xf16> {{
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%e : tensor<8x64xf16>) {{
  ^bb0(%a: tensor<8x64xf16>):
    %0 = mirage_kernel.exp %a : (tensor<8x64xf16>) -> tensor<8x64xf16>
    mirage_kernel.yield %0 : tensor<8x64xf16>
  }} : tensor<8x64xf16>
  return %r : tensor<8x64xf16>
}}
"""


def add(flag, summary, scaffold):
    test = flag.removeprefix("mirage-")
    name = camel_case(test)
    words = {"flag": flag, "test": test, "name": name, "summary": summary, "upper": name.upper(),
             "function": name[0].lower() + name[1:],
             "banner": banner(f"{name}.cpp", summary[0].upper() + summary[1:])}
    definitions = "include/Mirage/Transforms/Passes.td"
    if any(f'"{flag}"' in scaffold.read(file)
           for file in (definitions, "include/Mirage/Transforms/LaunchPasses.td")):
        fail(f"{flag} is a pass already")
    scaffold.insert(definitions, r"^#endif", DEFINITION.format(**words))
    scaffold.insert("lib/Transforms/CMakeLists.txt", r"^  DEPENDS ", f"  {name}.cpp\n")
    scaffold.create(f"lib/Transforms/{name}.cpp", SOURCE.format(**words))
    scaffold.create(f"test/Transforms/{test}.mlir", TEST.format(**words))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("flag", help="mirage-... in kebab-case")
    parser.add_argument("summary", help="what it does, in one line that begins with a verb")
    parser.add_argument("--root", default=PROJECT, help="the project; this one by default")
    options = parser.parse_args()
    if not re.fullmatch(r"mirage(-[a-z0-9]+)+", options.flag):
        fail(f"expects a flag mirage-... in kebab-case, got '{options.flag}'")
    scaffold = Scaffold(options.root)
    add(options.flag, options.summary, scaffold)
    scaffold.write()
    print("next: its place in lib/Pipelines/Pipelines.cpp, if it is on the way from program to PTX")


if __name__ == "__main__":
    main()
