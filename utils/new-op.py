#!/usr/bin/env python3
"""Writes the boilerplate of a new elementwise operator: its opcode, its row in the
operator table, its op at the three levels, and its tests.

  utils/new-op.py softsign "x / (1.0 + abs(x))" --expected "x / (1 + std::fabs(x))"

The formula is C++ over terms (+ - * /, exp, log, sqrt, abs, erf, max, min, pow and
numbers with a point); an operator of x and y has two operands. --expected is what
the C++ math library makes of a double x (and y = 3); without it the test fails
until you have written that. Then: import (lib/Conversion/LinalgToKernel), if a
front end spells the operator. docs/Architecture.md says how to add other kinds.
"""
import argparse
import re

from scaffold import PROJECT, Scaffold, camel_case, fail

ROUND_TRIP = """// RUN: mirage-opt %s --verify-roundtrip | FileCheck %s

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>

// CHECK-LABEL: func.func @{name}(
func.func @{name}({arguments}) {{
  // CHECK: mirage_kernel.{name} {captures} : ({kernel}) -> tensor<8x64xf16>
  %0 = mirage_kernel.{name} {values} : ({kernel}) -> tensor<8x64xf16>
  // CHECK: mirage_block.{name} {captures} : {kernel}
  %1 = mirage_block.{name} {values} : {kernel}
  return
}}

// CHECK-LABEL: func.func @{name}_of_fragments(
func.func @{name}_of_fragments(%x: tensor<16x8xf32, #c>) {{
  // CHECK: mirage_thread.{name}
  %0 = mirage_thread.{name} {fragments} : ({thread}) -> tensor<16x8xf32, #c>
  return
}}
"""


class Operator:
    def __init__(self, name, formula, expected):
        self.name, self.formula, self.expected = name, formula, expected
        self.opcode = camel_case(name)
        self.binary = bool(re.search(r"\by\b", formula))

    def row(self):
        kind, terms = ("binary", "Term x, Term y") if self.binary else ("unary", "Term x")
        return (f'      {kind}Row(O::{self.opcode}, "{self.name}",\n'
                f"               []({terms}) {{ return {self.formula}; }}),\n")

    def definition(self):
        kind = "Binary" if self.binary else "Unary"
        return (f'  def {self.opcode}Op : Mirage_{kind}Op<dialect, infers, "{self.name}", "{self.opcode}",\n'
                f'      "{self.formula}">;\n')

    def unit_test(self):
        arguments = "x, 3" if self.binary else "x"
        if self.expected is None:
            return f'    ADD_FAILURE() << "expects what {self.name} is by the math library";\n'
        return f"    EXPECT_NEAR(apply(Opcode::{self.opcode}, {{{arguments}}}), {self.expected}, 1e-12);\n"

    def round_trip(self):
        count = 2 if self.binary else 1

        def listed(text):
            return ", ".join([text] * count)

        names = "xy"[:count]
        return ROUND_TRIP.format(
            name=self.name, captures=listed("%{{.+}}"), kernel=listed("tensor<8x64xf16>"),
            arguments=", ".join(f"%{name}: tensor<8x64xf16>" for name in names),
            values=", ".join(f"%{name}" for name in names), fragments=listed("%x"),
            thread=listed("tensor<16x8xf32, #c>"))


def add(operator, scaffold):
    """Each family ends where the next begins; rows are in the order of opcodes."""
    header = "include/Mirage/Graph/Operators.h"
    if re.search(rf"^  {operator.opcode},", scaffold.read(header), re.M):
        fail(f"{operator.name} is an operator already")
    after = {
        header: r"^  // Reductions over" if operator.binary else r"^  // Elementwise, two operands",
        "lib/Graph/OperatorTable.cpp":
            r"^      reductionRow\(\s*O::Sum," if operator.binary else r"^      binaryRow\(\s*O::Add,",
        "include/Mirage/Dialect/Operator/ElementwiseOps.td":
            r"^}" if operator.binary else r"^\n  def AddOp",
        "test/Unit/Graph/OperatorTableTest.cpp": r"^  }\n  EXPECT_DOUBLE_EQ\(apply\(Opcode::Rsqrt",
    }
    texts = [f"  {operator.opcode},\n", operator.row(), operator.definition(), operator.unit_test()]
    for (path, before), text in zip(after.items(), texts):
        scaffold.insert(path, before, text)
    scaffold.create(f"test/Dialect/Operator/{operator.name.replace('_', '-')}.mlir", operator.round_trip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="mnemonic in IR, snake_case")
    parser.add_argument("formula", help="the result in terms of x, and of y if there are two operands")
    parser.add_argument("--expected", help="C++ over doubles that the definition is tested against")
    parser.add_argument("--root", default=PROJECT, help="the project; this one by default")
    options = parser.parse_args()
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", options.name):
        fail(f"expects a name in snake_case, got '{options.name}'")
    if not re.search(r"\bx\b", options.formula):
        fail(f"expects a formula of x, got '{options.formula}'")
    scaffold = Scaffold(options.root)
    add(Operator(options.name, options.formula, options.expected), scaffold)
    scaffold.write()
    print("next: utils/format.sh")


if __name__ == "__main__":
    main()
