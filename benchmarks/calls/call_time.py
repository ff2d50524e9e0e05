#!/usr/bin/env python3
"""Measures what one call of a program costs the host, in microseconds, on three tensors of torch.

  benchmarks/calls/call_time.py            on the GPU
  benchmarks/calls/call_time.py --played   without one: tensors on the CPU, and a library that returns at once

Two inputs and one output of f16, all checks included. The GPU is let catch up between batches, so
that no call waits for it. Lines are the fastest and the median batch of a call that
allocates its output; of one with out=; of one in a stream of one's own; of the call of the library
alone. Played, the last is what ctypes takes, and memory is torch's on the CPU: what is left is Python's part.
"""
import argparse
import ctypes
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import types

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import mirage as mi  # noqa: E402
from mirage import _library, programs, torch_calls  # noqa: E402
from mirage.tensors import TensorSpec  # noqa: E402


def measure(name, call, wait, batches=300, calls=100):
    for _ in range(calls):
        call()
    times = []
    for _ in range(batches):
        wait()
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        times.append((time.perf_counter() - begin) / calls * 1e6)
    print(f"{name:<28} {min(times):6.2f} us, median {statistics.median(times):6.2f}")


def measure_on_gpu():
    graph = mi.new_kernel_graph()
    x, w = graph.new_input((16, 64)), graph.new_input((64, 64))
    graph.mark_output(graph.matmul(x, w))
    program = graph.compile()
    given = [torch.randn(size, dtype=torch.float16, device="cuda") for size in ((16, 64), (64, 64))]
    out = program(given)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    wait = torch.cuda.synchronize
    measure("a call", lambda: program(given), wait)
    measure("with out=", lambda: program(given, out=out), wait)
    with torch.cuda.stream(torch.cuda.Stream()):
        measure("in another stream", lambda: program(given, out=out), wait)
    pointer, stream = program._programs[("cuda", 0)].handle.pointer, ctypes.c_void_p()
    read = struct.pack("2Q", *[tensor.data_ptr() for tensor in given])
    written = struct.pack("Q", out[0].data_ptr())
    measure("the library's part", lambda: _library.enqueue(pointer, stream, read, written), wait)


def make_played_library():
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "played.c"
        source.write_text("int enqueue(void *p, void *s, const void *i, const void *o) { return 0; }\n")
        library = source.with_suffix(".so")
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
        return ctypes.CDLL(str(library)).enqueue


def measure_played():
    enqueue = make_played_library()
    specs = [TensorSpec(name, size, mi.float16, (size[1], 1), 2 * size[0] * size[1])
             for name, size in (("X", (16, 64)), ("W", (64, 64)), ("Y", (16, 64)))]
    guards = torch._C._dynamo.guards
    place = types.SimpleNamespace(ordinal=-1, device=torch.device("cpu"), get_stream=lambda _: 7,
                                  get_device=lambda: -1, allocate=getattr(guards, "_empty_strided_cpu", None), address_bits=0)
    program = programs.CompiledGraph("nowhere")
    program._last_call = torch_calls.make_torch_call(ctypes.c_void_p(1), specs[:2], specs[2:], place, enqueue)
    given = [torch.randn(size, dtype=torch.float32).half() for size in ((16, 64), (64, 64))]
    out = program(given)
    print(f"played, torch {torch.__version__}")
    measure("a call", lambda: program(given), lambda: None)
    measure("with out=", lambda: program(given, out=out), lambda: None)
    pointer, stream, read, written = ctypes.c_void_p(1), ctypes.c_void_p(7), bytes(16), bytes(8)
    measure("the library's part", lambda: enqueue(pointer, stream, read, written), lambda: None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--played", action="store_true")
    if parser.parse_args().played:
        measure_played()
    elif torch.cuda.is_available():
        measure_on_gpu()
    else:
        sys.exit("error: expects a GPU that torch finds, or --played")


if __name__ == "__main__":
    main()
