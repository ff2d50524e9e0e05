#!/usr/bin/env python3
"""Exports every operator of the kernel level, lowers what comes out by upstream's
passes alone, runs it, and compares with NumPy. A line an operator; exits 1 if any is
wrong."""
import argparse
import math
import pathlib
import re
import subprocess
import sys

import numpy

HOST_PASSES = (
    "builtin.module(func.func(convert-elementwise-to-linalg),"
    "one-shot-bufferize{bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map},"
    "convert-linalg-to-loops,convert-scf-to-cf,expand-strided-metadata,lower-affine,"
    "convert-math-to-llvm,convert-math-to-libm,convert-arith-to-llvm,convert-index-to-llvm,"
    "finalize-memref-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts)")

# What six printed digits leave, and what an element type does.
TOLERANCE = {"f32": 1e-5, "f16": 1e-3, "bf16": 8e-3}


def erf(x):
    return numpy.vectorize(math.erf)(x)


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def gelu_tanh(x):
    return x / 2 * (1 + numpy.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def mask_causally(x, offset):
    return numpy.where(numpy.tri(*x.shape[-2:], offset, bool), x, -numpy.inf)


class Case:
    """One operator: its spelling behind the mnemonic, operand and result types, and what
    NumPy says."""

    def __init__(self, name, suffix, operands, result, expected, positive=False):
        self.name, self.suffix, self.expected = name, suffix, expected
        self.operands, self.result, self.positive = operands, result, positive


def shape_of(text):
    return tuple(int(size) for size in text.split("x")[:-1])


def element_of(text):
    return text.split("x")[-1]


def unary(name, expected, suffix="", positive=False, operand="4x6xf32", result="4x6xf32"):
    return Case(name, suffix, [operand], result, expected, positive)


def binary(name, expected, positive=False, lhs="1x4x1x10xf32", rhs="1x1x4x10xf32"):
    return Case(name, "", [lhs, rhs], "1x4x4x10xf32", expected, positive)


CASES = [
    unary("exp", numpy.exp),
    unary("exp2", numpy.exp2),
    unary("log", numpy.log, positive=True),
    unary("square", numpy.square),
    unary("sqrt", numpy.sqrt, positive=True),
    unary("rsqrt", lambda x: 1 / numpy.sqrt(x), positive=True),
    unary("reciprocal", lambda x: 1 / x, positive=True),
    unary("neg", numpy.negative),
    unary("abs", numpy.abs),
    unary("sigmoid", sigmoid),
    unary("silu", lambda x: x * sigmoid(x)),
    unary("gelu", lambda x: x / 2 * (1 + erf(x / math.sqrt(2)))),
    unary("gelu_tanh", gelu_tanh),
    unary("relu", lambda x: numpy.maximum(x, 0)),
    unary("tanh", numpy.tanh),
    unary("erf", erf),
    unary("scale", lambda x: 0.1 * x, " by 0.1"),
    unary("offset", lambda x: x - 0.3, " by -0.3"),
    unary("clamp", lambda x: numpy.clip(x, -0.5, 0.75), " to -0.5, 0.75"),
    unary("exp", numpy.exp, operand="4x6xf16", result="4x6xf16"),
    unary("silu", lambda x: x * sigmoid(x), operand="4x6xf16", result="4x6xbf16"),
    binary("add", numpy.add),
    binary("sub", numpy.subtract),
    binary("mul", numpy.multiply),
    binary("div", numpy.divide, positive=True),
    binary("maximum", numpy.maximum),
    binary("minimum", numpy.minimum),
    binary("pow", numpy.power, positive=True),
    binary("sub", numpy.subtract, lhs="10xf32", rhs="1x4x4x1xf32"),
    Case("sum", " dims [1]", ["10x8x3xf32"], "10x1x3xf32", lambda x: x.sum(1, keepdims=True)),
    Case("sum", " dims [0, 2]", ["10x8x3xf16"], "1x8x1xf16",
         lambda x: x.sum((0, 2), keepdims=True)),
    Case("mean", " dims [2]", ["10x8x3xf32"], "10x8x1xf32", lambda x: x.mean(2, keepdims=True)),
    Case("mean", " dims [1] count 16", ["10x8x3xf32"], "10x1x3xf32",
         lambda x: x.sum(1, keepdims=True) / 16),
    Case("max", " dims [0]", ["10x8x3xf32"], "1x8x3xf32", lambda x: x.max(0, keepdims=True)),
    Case("rms", " dims [1]", ["10x8x3xf32"], "10x1x3xf32",
         lambda x: numpy.sqrt((x**2).mean(1, keepdims=True))),
    Case("matmul", "", ["5x12xf16", "12x7xf16"], "5x7xf16", numpy.matmul),
    Case("matmul", "", ["3x6x9xf32", "3x9x4xf32"], "3x6x4xf32", numpy.matmul),
    Case("matmul", "", ["2x1x6x9xf32", "3x9x4xf32"], "2x3x6x4xf32", numpy.matmul),
    Case("transpose", " dims [1, 2, 0]", ["3x4x5xf32"], "4x5x3xf32",
         lambda x: x.transpose(1, 2, 0)),
    Case("broadcast", "", ["4x1xf32"], "2x4x5xf32", lambda x: numpy.broadcast_to(x, (2, 4, 5))),
    Case("cast", "", ["4x6xf32"], "4x6xbf16", lambda x: x),
    Case("reshape", "", ["4x6xf32"], "2x2x6xf32", lambda x: x.reshape(2, 2, 6)),
    Case("reshape", "", ["4x6xf32"], "4x2x3xf32", lambda x: x.reshape(4, 2, 3)),
    Case("reshape", "", ["4x6xf32"], "24xf32", lambda x: x.reshape(24)),
    Case("reshape", "", ["4x6xf32"], "3x8xf32", lambda x: x.reshape(3, 8)),
    Case("slice", " offsets [1, 2] strides [2, 3]", ["7x12xf32"], "3x4xf32", lambda x: x[1:7:2, 2:12:3]),
    Case("slice", " offsets [0, 5] strides [1, 1]", ["4x6xf32"], "4x1xf16", lambda x: x[:, 5:]),
    Case("concat", " dims [1]", ["2x3x4xf32", "2x1x4xf16", "2x5x4xf32"], "2x9x4xf32",
         lambda *x: numpy.concatenate(x, 1)),
    Case("concat", " dims [0]", ["3xf32"], "3xf32", lambda x: x),
    Case("causal_mask", " offset 0", ["3x5xf32"], "3x5xf32", lambda x: mask_causally(x, 0)),
    Case("causal_mask", " offset 2", ["2x4x6xf32"], "2x4x6xf32", lambda x: mask_causally(x, 2)),
    Case("causal_mask", " offset -1", ["4x4xf16"], "4x4xf32", lambda x: mask_causally(x, -1)),
    Case("softmax", " dims [1]", ["4x6xf32"], "4x6xf32", lambda x: numpy.exp(x) / numpy.exp(x).sum(1, keepdims=True)),
    Case("rms_norm", " dims [1] epsilon 0.5", ["4x6xf32", "6xf32"], "4x6xf16",
         lambda x, w: x * w / numpy.sqrt((x**2).mean(1, keepdims=True) + 0.5)),
    Case("layer_norm", " dims [1] epsilon 0.5", ["4x6xf32"], "4x6xf32",
         lambda x: (x - x.mean(1, keepdims=True)) / numpy.sqrt(x.var(1, keepdims=True) + 0.5)),
    Case("l2_norm", " dims [1] epsilon 0.5", ["4x6xf16"], "4x6xf32",
         lambda x: x / numpy.sqrt((x**2).sum(1, keepdims=True) + 0.5)),
    Case("repeat", "", ["2x3xf32"], "4x9xf32", lambda x: numpy.tile(x, (2, 3))),
]


def write_kernel(number, case):
    types = [f"tensor<{operand}>" for operand in case.operands]
    names = [f"%x{i}" for i in range(len(types))]
    inner = [f"%a{i}" for i in range(len(types))]
    result = f"tensor<{case.result}>"
    arguments = ", ".join(f"{name}: {kind}" for name, kind in zip(names, types))
    tiles = ", ".join(f"{name}: {kind}" for name, kind in zip(inner, types))
    return f"""
func.func @case{number}({arguments}) -> {result} {{
  %e = tensor.empty() : {result}
  %r = mirage_kernel.graph ins({', '.join(names)} : {', '.join(types)}) outs(%e : {result}) {{
  ^bb0({tiles}):
    %0 = mirage_kernel.{case.name} {', '.join(inner)}{case.suffix} : ({', '.join(types)}) -> {result}
    mirage_kernel.yield %0 : {result}
  }} : {result}
  return %r : {result}
}}
"""


def write_call(number, case, inputs):
    lines = []
    for i, (operand, values) in enumerate(zip(case.operands, inputs)):
        lines.append(f"  %i{number}_{i} = arith.constant dense<{values.tolist()}> : tensor<{operand}>")
    names = ", ".join(f"%i{number}_{i}" for i in range(len(inputs)))
    types = ", ".join(f"tensor<{operand}>" for operand in case.operands)
    lines.append(f"  %r{number} = call @case{number}({names}) : ({types}) -> tensor<{case.result}>")
    wide = case.result.rpartition("x")[0] + "xf32"
    printed = f"%r{number}"
    if wide != case.result:
        printed = f"%w{number}"
        lines.append(f"  {printed} = arith.extf %r{number} : tensor<{case.result}> to tensor<{wide}>")
    lines.append(f"  %u{number} = tensor.cast {printed} : tensor<{wide}> to tensor<*xf32>")
    lines.append(f"  call @printMemrefF32(%u{number}) : (tensor<*xf32>) -> ()")
    return "\n".join(lines) + "\n"


def draw_inputs(draw, case):
    """Halves of small integers, which every element type holds."""
    for operand in case.operands:
        numbers = draw.integers(1 if case.positive else -4, 5, shape_of(operand))
        yield numbers / 2.0


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command[0]}: {done.stderr}")
    return done.stdout


def compute(module, arguments):
    source, exported, lowered = (arguments.work / f"{name}.mlir"
                                 for name in ("source", "exported", "lowered"))
    source.write_text(module)
    run(arguments.mirage_opt, source, "--convert-mirage-kernel-to-linalg", "-o", exported)
    if "mirage" in exported.read_text():
        sys.exit("something was not exported")
    run(arguments.llvm / "bin/mlir-opt", exported, f"--pass-pipeline={HOST_PASSES}", "-o", lowered)
    libraries = ",".join(str(arguments.llvm / "lib" / f"libmlir_{name}.so")
                         for name in ("runner_utils", "c_runner_utils", "float16_utils"))
    return run(arguments.llvm / "bin/mlir-runner", lowered, "-e", "main",
               "-entry-point-result=void", f"-shared-libs={libraries}")


def parse(text):
    for printed in text.split("Unranked Memref")[1:]:
        sizes = [int(size) for size in re.search(r"sizes = \[(.*?)\]", printed)[1].split(",")]
        data = printed.split("data =")[1]
        yield numpy.array(re.findall(r"-?(?:inf|nan|[0-9][0-9.e+-]*)", data), float).reshape(sizes)


def measure_error(computed, expected):
    """Of the largest element; infinities are in the same places or all is wrong."""
    finite = numpy.isfinite(expected)
    if computed.shape != expected.shape or not numpy.array_equal(computed[~finite], expected[~finite]):
        return math.inf
    return numpy.abs(computed[finite] - expected[finite]).max() / numpy.abs(expected[finite]).max()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirage-opt", required=True)
    parser.add_argument("--llvm", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    draw = numpy.random.default_rng(1)
    inputs = [list(draw_inputs(draw, case)) for case in CASES]
    module = "func.func private @printMemrefF32(tensor<*xf32>)\n"
    module += "".join(write_kernel(number, case) for number, case in enumerate(CASES))
    module += "func.func @main() {\n"
    module += "".join(write_call(number, case, inputs[number]) for number, case in enumerate(CASES))
    module += "  return\n}\n"
    results = list(parse(compute(module, arguments)))
    if len(results) != len(CASES):
        sys.exit(f"expects {len(CASES)} results, got {len(results)}")
    is_good = True
    for case, values, computed in zip(CASES, inputs, results):
        expected = case.expected(*values)
        error = measure_error(computed, expected)
        is_right = error <= TOLERANCE[element_of(case.result)]
        is_good &= is_right
        print(f"{case.name}: {'right' if is_right else 'WRONG'}: {error:.3g} of the largest element")
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
