#!/usr/bin/env python3
"""Every operator of the kernel level against NumPy in float64: computed by the
reference (mirage-run --device=reference) and by the kernels that the operators compile
to without a search, on the emulator. A line a program; exits 1 if any number is wrong.

A program is a function of a few operators, each of which is a result."""
import argparse
import functools
import math
import pathlib
import subprocess
import sys

import numpy as np

# What rounding a result once may change, and what is right of a kernel (design of
# Mirage/Reference/OutputCheck.h): relative to the largest element.
ROUNDING = {"f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8, "f8E4M3FN": 2.0**-4, "f8E5M2": 2.0**-3}
TOLERANCE = {"f32": 1e-4, "f16": 2e-3, "bf16": 1.6e-2, "f8E4M3FN": 0.07, "f8E5M2": 0.13}

# Fraction bits and exponent bias of the types that NumPy has not, which come as their bits.
BITS = {"bf16": (7, 127), "f8E4M3FN": (3, 7), "f8E5M2": (2, 15)}

NAME = 'mirage.name = "%s"'

random = np.random.default_rng(7)


def normal(*shape):
    return random.standard_normal(shape).astype(np.float32)


def positive(*shape):
    return random.uniform(0.25, 4, shape).astype(np.float32)


def eighths(*shape):
    """Numbers of any element type, f8E5M2 among them."""
    return random.choice([-1, -0.75, -0.5, -0.375, -0.125, 0, 0.125, 0.25, 0.625, 0.875, 1], shape).astype(np.float32)


def decode(array, element):
    """Finite numbers of a type as float64."""
    if element not in BITS:
        return array.astype(np.float64)
    fraction_bits, bias = BITS[element]
    sign_bit = array.itemsize * 8 - 1
    bits = array.astype(np.int64)
    fraction = bits % 2**fraction_bits / 2**fraction_bits
    exponent = bits % 2**sign_bit >> fraction_bits
    magnitude = np.where(exponent > 0, 1 + fraction, 2 * fraction) * 2.0**(exponent - bias)
    return np.where(bits >> sign_bit, -magnitude, magnitude)


class Program:
    """A function in the making: arguments, operators, expected results."""

    def __init__(self, name):
        self.name = name
        self.inputs, self.lines, self.results = {}, [], []
        self.strides = {}  # by input or number of a result, where it is not row-major

    def input(self, name, array, element="f32", strides=None):
        if element == "f16":
            array = array.astype(np.float16)
        self.inputs[name] = (array, element)
        self.strides[name] = strides
        return f"%{name}", array.astype(np.float64), element

    def type(self, shape, element):
        return f"tensor<{'x'.join(str(size) for size in shape)}x{element}>"

    def add(self, op, operands, expected, element="f32", attributes="", is_result=True, strides=None):
        """Appends an operator. \\returns what it gives, for others to use."""
        value = f"%v{len(self.lines)}"
        names = ", ".join(operand[0] for operand in operands)
        types = ", ".join(self.type(operand[1].shape, operand[2]) for operand in operands)
        result = self.type(expected.shape, element)
        signature = f"({types}) -> {result}" if operands else result
        self.lines.append(f"{value} = mirage_kernel.{op} {names} {attributes} : {signature}")
        if is_result:
            self.strides[len(self.results)] = strides
            self.results.append((op, value, expected, element))
        return value, expected, element

    def text(self):
        inputs = [(name, self.type(array.shape, element)) for name, (array, element) in self.inputs.items()]
        types = [self.type(expected.shape, element) for _, _, expected, element in self.results]
        lies = {key: f"mirage_kernel.strides = array<i64: {', '.join(map(str, strides))}>"
                for key, strides in self.strides.items() if strides}
        arguments = ", ".join(f'%{name}: {kind} {{{", ".join([NAME % name, *filter(None, [lies.get(name)])])}}}'
                              for name, kind in inputs)
        declared = ", ".join(f"{kind} {{{lies[i]}}}" if i in lies else kind for i, kind in enumerate(types))
        empties = "\n".join(f"  %e{i} = tensor.empty() : {kind}" for i, kind in enumerate(types))
        ins = f"ins({', '.join('%' + name for name, _ in inputs)} : {', '.join(kind for _, kind in inputs)})"
        block = ", ".join(f"%{name}_: {kind}" for name, kind in inputs)
        body = "\n".join("    " + line for line in self.lines)
        for name, _ in inputs:
            body = body.replace(f"%{name} ", f"%{name}_ ").replace(f"%{name},", f"%{name}_,")
        yielded = ", ".join(value for _, value, _, _ in self.results)
        returned = ", ".join(f"%r#{i}" for i in range(len(types)))
        joined = ", ".join(types)
        return (f"func.func @{self.name}({arguments}) -> ({declared}) {{\n{empties}\n"
                f"  %r:{len(types)} = mirage_kernel.graph {ins if inputs else ''} "
                f"outs({', '.join(f'%e{i}' for i in range(len(types)))} : {joined}) {{\n"
                f"  ^bb0({block}):\n{body}\n    mirage_kernel.yield {yielded} : {joined}\n"
                f"  }} : {joined}\n  return {returned} : {joined}\n}}\n")


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def unary():
    program = Program("unary")
    x = program.input("x", normal(5, 37))
    p = program.input("p", positive(3, 130), "f16")
    of = {"exp": np.exp, "exp2": np.exp2, "square": np.square, "neg": np.negative, "abs": np.abs,
          "sigmoid": sigmoid, "silu": lambda x: x * sigmoid(x), "relu": lambda x: np.maximum(x, 0), "tanh": np.tanh,
          "erf": np.vectorize(math.erf), "gelu": lambda x: x / 2 * (1 + np.vectorize(math.erf)(x / math.sqrt(2))),
          "gelu_tanh": lambda x: x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))}
    for name, function in of.items():
        program.add(name, [x], function(x[1]))
    for name, function in {"log": np.log, "sqrt": np.sqrt, "rsqrt": lambda x: x**-0.5,
                           "reciprocal": np.reciprocal}.items():
        program.add(name, [p], function(p[1]), "f16")
    program.add("scale", [x], x[1] * 0.375, attributes="by 0.375")
    program.add("offset", [x], x[1] - 2.5, attributes="by -2.5")
    program.add("clamp", [x], np.clip(x[1], -0.5, 0.75), attributes="to -0.5, 0.75")
    program.add("cast", [x], x[1], "f16")
    return program


def binary():
    program = Program("binary")
    a, b = program.input("a", normal(1, 4, 1, 10)), program.input("b", normal(1, 1, 4, 10))
    for name, function in {"add": np.add, "sub": np.subtract, "mul": np.multiply, "maximum": np.maximum,
                           "minimum": np.minimum, "div": np.divide}.items():
        program.add(name, [a, b], function(a[1], b[1]))
    p, q = program.input("p", positive(6, 1, 9)), program.input("q", normal(5, 1))
    program.add("pow", [p, q], np.power(p[1], q[1]))
    return program


def formula():
    """exp((a + b) / (a * b))"""
    program = Program("formula")
    for number, shape in enumerate([(180,), (10, 18), (2, 5, 18)]):
        a, b = program.input(f"a{number}", positive(*shape)), program.input(f"b{number}", positive(*shape))
        above = program.add("add", [a, b], a[1] + b[1], is_result=False)
        below = program.add("mul", [a, b], a[1] * b[1], is_result=False)
        quotient = program.add("div", [above, below], above[1] / below[1], is_result=False)
        program.add("exp", [quotient], np.exp(quotient[1]))
    return program


def matmul():
    program = Program("matmul")
    a, b = program.input("a", eighths(3, 6, 9)), program.input("b", eighths(3, 9, 4))
    program.add("matmul", [a, b], a[1] @ b[1])
    c = program.input("c", eighths(2, 1, 5, 9), "f16")
    program.add("matmul", [c, b], c[1] @ b[1], "f16")
    d, e = program.input("d", eighths(33, 70), "bf16"), program.input("e", eighths(70, 65), "f16")
    program.add("matmul", [d, e], d[1] @ e[1])
    f = program.input("f", eighths(2, 70, 65), "bf16")
    program.add("matmul", [d, f], d[1] @ f[1])
    program.add("matmul", [d, f], d[1] @ f[1], "bf16")
    # Not as tf32, which would be off by 5e-4.
    g, h = program.input("g", normal(33, 131)), program.input("h", normal(131, 67))
    program.add("matmul", [g, h], g[1] @ h[1])
    return program


def matmul_f8():
    """8-bit operands of one type, of two, beside wider ones, in batches, transposed, rounded."""
    program = Program("matmul_f8")
    a, b = program.input("a", eighths(6, 9), "f8E4M3FN"), program.input("b", eighths(9, 4), "f8E5M2")
    program.add("matmul", [a, b], a[1] @ b[1], "f16")
    c, d = program.input("c", eighths(3, 33, 70), "f8E4M3FN"), program.input("d", eighths(70, 65), "f8E4M3FN")
    program.add("matmul", [c, d], c[1] @ d[1])
    program.add("matmul", [c, d], c[1] @ d[1], "f8E4M3FN")
    e, f = program.input("e", eighths(2, 1, 16, 64), "f8E5M2"), program.input("f", eighths(3, 64, 48), "f8E5M2")
    program.add("matmul", [e, f], e[1] @ f[1], "bf16")
    weights = program.input("weights", eighths(65, 70), "f8E4M3FN")
    turned = program.add("transpose", [weights], weights[1].T, "f8E4M3FN", "dims [1, 0]", is_result=False)
    for element in ["f16", "bf16", "f32"]:
        wide = program.input(f"wide_{element}", eighths(17, 70), element)
        program.add("matmul", [wide, turned], wide[1] @ weights[1].T)
    return program


def casts_f8():
    """Beside matmuls: read where a cast widens them, written where one rounds, moved as they are."""
    program = Program("casts_f8")
    for element in ["f8E4M3FN", "f8E5M2"]:
        x = program.input(f"x_{element}", eighths(5, 37), element)
        wide = program.add("cast", [x], x[1], "f16", is_result=False)
        program.add("exp", [wide], np.exp(x[1]))
        program.add("silu", [x], x[1] * sigmoid(x[1]), element)
        program.add("sum", [x], x[1].sum(1, keepdims=True), attributes="dims [1]")
        program.add("transpose", [x], x[1].T, element, "dims [1, 0]")
        program.add("slice", [x], x[1][:, 3:30:2], element, "offsets [0, 3] strides [1, 2]")
        program.add("concat", [x, x], np.concatenate([x[1], x[1]], 1), element, "dims [1]")
        masked = np.where(np.arange(37) <= np.arange(5)[:, None] + 9, x[1], -np.inf)
        program.add("causal_mask", [x], masked, "f16", "offset 9")
        y = program.input(f"y_{element}", normal(4, 6, 10))
        program.add("cast", [y], y[1], element)
    return program


def reductions():
    program = Program("reductions")
    x = program.input("x", normal(10, 8, 3))
    for dims in [(1,), (2,), (0, 2)]:
        for name, function in {"sum": np.sum, "mean": np.mean, "max": np.max,
                               "rms": lambda x, **over: np.sqrt(np.mean(x * x, **over))}.items():
            program.add(name, [x], function(x[1], axis=dims, keepdims=True), attributes=f"dims {list(dims)}")
    return program


def norms():
    program = Program("norms")
    x = program.input("x", normal(7, 45))
    w, b = program.input("w", normal(45)), program.input("b", normal(7, 1))
    for dims in [(1,), (0,), (0, 1)]:
        over = {"axis": dims, "keepdims": True}
        attributes = f"dims {list(dims)} epsilon 0.01"
        rms = x[1] / np.sqrt(np.mean(x[1]**2, **over) + 0.01)
        program.add("rms_norm", [x], rms, attributes=attributes)
        program.add("rms_norm", [x, w], rms * w[1], attributes=attributes)
        layer = (x[1] - np.mean(x[1], **over)) / np.sqrt(np.var(x[1], **over) + 0.01)
        program.add("layer_norm", [x], layer, attributes=attributes)
        program.add("layer_norm", [x, w], layer * w[1], attributes=attributes)
        program.add("layer_norm", [x, w, b], layer * w[1] + b[1], "f16", attributes=attributes)
        program.add("l2_norm", [x], x[1] / np.sqrt(np.sum(x[1]**2, **over) + 0.01), attributes=attributes)
    return program


def softmax():
    program = Program("softmax")
    for name, scale in [("x", 1), ("large", 10000)]:
        x = program.input(name, normal(6, 5, 33) * np.float32(scale))
        for dims in [(0,), (1,), (2,), (1, 2)]:
            power = np.exp(x[1] - np.max(x[1], axis=dims, keepdims=True))
            program.add("softmax", [x], power / np.sum(power, axis=dims, keepdims=True), attributes=f"dims {list(dims)}")
    return program


def movement():
    program = Program("movement")
    x, y = program.input("x", normal(4, 6, 10)), program.input("y", normal(4, 1, 10))
    program.add("transpose", [x], x[1].transpose(2, 0, 1), attributes="dims [2, 0, 1]")
    program.add("reshape", [x], x[1].reshape(8, 30))
    program.add("broadcast", [y], np.broadcast_to(y[1], (3, 4, 6, 10)))
    program.add("repeat", [x], np.tile(x[1], (1, 3, 2)))
    program.add("slice", [x], x[1][1:4, ::2, 3:10:3], attributes="offsets [1, 0, 3] strides [1, 2, 3]")
    program.add("slice", [x], x[1][:, 3:5, 2:], "f16", attributes="offsets [0, 3, 2] strides [1, 1, 1]")
    program.add("concat", [x, y, x], np.concatenate([x[1], y[1], x[1]], 1), attributes="dims [1]")
    program.add("concat", [y, y], np.concatenate([y[1], y[1]], 2), "f16", attributes="dims [2]")
    program.add("constant", [], np.full((3, 130), -0.75), attributes="-0.75")
    return program


def ranks():
    """Tiles of odd sizes, and cut along more dimensions than a grid and warps have axes."""
    program = Program("ranks")
    x = program.input("x", eighths(3, 17, 17), "f16")
    program.add("sum", [x], x[1].sum(keepdims=True), attributes="dims [0, 1, 2]")
    y = program.input("y", normal(3, 2, 17, 9), "f16")
    program.add("repeat", [y], np.tile(y[1], (1, 2, 3, 1)), "f16")
    t = program.input("t", normal(3, 2, 5, 2, 7, 2, 3, 3))
    program.add("transpose", [t], t[1].transpose(7, 5, 3, 1, 6, 4, 2, 0), attributes="dims [7, 5, 3, 1, 6, 4, 2, 0]")
    program.add("max", [t], t[1].max((1, 4, 6), keepdims=True), attributes="dims [1, 4, 6]")
    a, b = program.input("a", eighths(2, 3, 1, 3, 17, 9)), program.input("b", eighths(3, 2, 1, 9, 19))
    program.add("matmul", [a, b], a[1] @ b[1])
    return program


def large():
    """More along the dimensions that are not cut than a block can hold."""
    program = Program("large")
    x = program.input("x", normal(*[5] * 8))
    for name, function in {"sum": np.sum, "mean": np.mean, "max": np.max,
                           "rms": lambda x, **over: np.sqrt(np.mean(x * x, **over))}.items():
        program.add(name, [x], function(x[1], keepdims=True), attributes=f"dims {list(range(8))}")
    norm = np.sqrt(np.sum(x[1]**2) + 0.5)
    program.add("l2_norm", [x], x[1] / norm, "f16", attributes=f"dims {list(range(8))} epsilon 0.5")
    return program


def views():
    """Kernels that read slices, and write parts of concats, at odd sizes."""
    program = Program("views")
    x, w = program.input("x", eighths(37, 75), "f16"), program.input("w", eighths(70, 51), "f16")
    left = program.add("slice", [x], x[1][:, 1:36], "f16", attributes="offsets [0, 1] strides [1, 1]", is_result=False)
    right = program.add("slice", [x], x[1][:, 36:71], "f16", attributes="offsets [0, 36] strides [1, 1]", is_result=False)
    rows = program.add("slice", [w], w[1][::2], "f16", attributes="offsets [0, 0] strides [2, 1]", is_result=False)
    first = program.add("matmul", [left, rows], left[1] @ rows[1], is_result=False)
    second = program.add("matmul", [right, rows], right[1] @ rows[1], is_result=False)
    gated = program.add("mul", [first, second], first[1] * second[1], is_result=False)
    all_three = np.concatenate([first[1], gated[1], second[1]], 1)
    joined = program.add("concat", [first, gated, second], all_three, attributes="dims [1]", is_result=False)
    reshaped = program.add("slice", [joined], all_three[::3], attributes="offsets [0, 0] strides [3, 1]")
    program.add("reshape", [reshaped], all_three[::3].reshape(-1))
    program.add("sum", [joined], all_three.sum(0, keepdims=True), attributes="dims [0]")
    return program


def strides(element):
    """Tensors that are not row-major: transposed, with gaps, repeated, at odd places."""
    program = Program(f"strides_{element}")
    x = program.input("x", eighths(33, 70), element, [75, 1])
    weights = program.input("weights", eighths(70, 64), element, [1, 72])  # as nn.Linear has [64, 72]
    program.add("matmul", [x, weights], x[1] @ weights[1], strides=[80, 1])
    odd = program.input("odd", eighths(70, 61), element, [1, 71])
    product = program.add("matmul", [x, odd], x[1] @ odd[1], strides=[1, 33])
    bias = program.input("bias", np.tile(eighths(61), (33, 1)), element, [0, 1])
    program.add("add", [product, bias], product[1] + bias[1], element, strides=[64, 1])
    column = program.input("column", np.tile(eighths(33, 1), (1, 70)), element, [3, 0])
    program.add("mul", [x, column], x[1] * column[1], element, strides=[1, 40])
    part = program.add("slice", [x], x[1][:, 1:66:2], element, "offsets [0, 1] strides [1, 2]", is_result=False)
    turned = program.add("transpose", [part], part[1].T, element, "dims [1, 0]", is_result=False)
    program.add("matmul", [turned, x], turned[1] @ x[1])
    program.add("transpose", [turned], part[1], element, "dims [1, 0]", strides=[40, 1])
    keys = program.input("keys", eighths(3, 40, 16), element, [16, 48, 1])  # of keys, then heads
    shown = program.add("transpose", [keys], keys[1].transpose(0, 2, 1), element, "dims [0, 2, 1]", is_result=False)
    queries = program.input("queries", eighths(3, 8, 16), element)
    program.add("matmul", [queries, shown], queries[1] @ shown[1], strides=[328, 41, 1])
    program.add("reshape", [shown], shown[1].reshape(48, 40), element)
    program.add("concat", [x, part], np.concatenate([x[1], part[1]], 1), element, "dims [1]", strides=[1, 35])
    program.add("sum", [turned], part[1].T.sum(1, keepdims=True), attributes="dims [1]", strides=[5, 2])
    return program


def masks():
    program = Program("masks")
    s = program.input("s", normal(2, 70, 133))
    bias = program.input("bias", np.where(normal(70, 133) > 1, -np.inf, normal(70, 133)).astype(np.float32))
    row, column = np.arange(70)[:, None], np.arange(133)
    for offset in [0, 63, -3]:
        masked = np.where(column <= row + offset, s[1], -np.inf)
        value = program.add("causal_mask", [s], masked, attributes=f"offset {offset}")
        if offset >= 0:
            power = np.exp(masked - np.max(masked, axis=2, keepdims=True))
            program.add("softmax", [value], power / power.sum(2, keepdims=True), attributes="dims [2]")
    program.add("add", [s, bias], s[1] + bias[1])
    return program


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True)


def compare(found, expected, tolerance):
    """What is wrong with numbers, or nothing."""
    finite = np.isfinite(expected)
    if found.shape != expected.shape:
        return f"has shape {found.shape}, not {expected.shape}"
    if not np.array_equal(found[~finite], expected[~finite]):
        return "is not infinite where it should be"
    error = np.abs(found[finite] - expected[finite]).max() / max(1e-30, np.abs(expected[finite]).max())
    return None if error <= tolerance else f"is off by {error:.3g}"


def check(program, device, artifact, inputs, tolerance):
    """What is wrong with a program on a device."""
    outputs = artifact.with_name(f"{program.name}.{device}")
    done = run(TOOLS / "mirage-run", artifact, f"--device={device}", "--output", outputs,
               *([] if device == "reference" else ["--check"]),
               *(part for name, path in inputs.items() for part in ("--input", f"{name}={path}")))
    if done.returncode:
        yield f"{device}: {done.stdout}{done.stderr}"
        return
    for number, (op, _, expected, element) in enumerate(program.results):
        found = decode(np.load(outputs / f"output{number}.npy"), element)
        if problem := compare(found, expected, tolerance[element]):
            yield f"{device}: {op} (output {number}) {problem}"


def take(program, work):
    source, artifact = work / f"{program.name}.mlir", work / program.name
    source.write_text(program.text())
    inputs = {name: work / f"{program.name}.{name}.npy" for name in program.inputs}
    for name, path in inputs.items():
        array, element = program.inputs[name]
        np.save(path, array)
    compiled = run(TOOLS / "mirage-opt", source, f"--mirage-compile=from=optimize artifact={artifact}", "-o", "/dev/null")
    if compiled.returncode:
        return f"no artifact: {compiled.stderr}"
    problems = [*check(program, "reference", artifact, inputs, ROUNDING),
                *check(program, "emulator", artifact, inputs, TOLERANCE)]
    return "; ".join(problems) or f"{len(program.results)} results right"


def main():
    global TOOLS
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--only", help="one program by its name")
    arguments = parser.parse_args()
    TOOLS = arguments.tools
    is_good = True
    builders = [unary, binary, formula, matmul, matmul_f8, casts_f8, reductions, norms, softmax, movement, ranks, large, views, masks,
                *(functools.partial(strides, element) for element in ROUNDING)]
    for build in builders:
        program = build()
        if arguments.only and program.name != arguments.only:
            continue
        outcome = take(program, arguments.work)
        is_good &= outcome.endswith("right")
        print(f"{program.name}: {outcome}", flush=True)
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
