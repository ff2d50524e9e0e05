#!/usr/bin/env python3
"""run-kernels.py: lets a GPU run the kernels of the emulator's unit tests.

    MIRAGE_DUMP_KERNELS=DIR build/dev/test/Unit/MirageEmulatorTests
    test/GPU/run-kernels.py DIR             clean kernels: the same bytes as on the emulator?
    test/GPU/run-kernels.py DIR --faulty    others: what does compute-sanitizer say of them?

Needs the CUDA driver, for --faulty compute-sanitizer too. Kernels that hang are not run."""
import collections
import concurrent.futures
import ctypes
import glob
import json
import os
import re
import subprocess
import sys

TOOLS = ["memcheck", "racecheck", "synccheck", "initcheck"]
HANG = {"deadlock", "endless-loop", "step-limit"}


class Driver:
    """The CUDA driver, and its context."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        result = getattr(self.cuda, name)(*arguments)
        if result != 0:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorName(result, ctypes.byref(text))
            raise RuntimeError(f"{name}: {text.value.decode()}")

    def upload(self, data):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(len(data), 1)))
        self.call("cuMemcpyHtoD_v2", address, data, ctypes.c_size_t(len(data)))
        return address.value

    def download(self, address, size):
        data = ctypes.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", data, ctypes.c_uint64(address), ctypes.c_size_t(size))
        return data.raw


class LaunchAttribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_char * 4), ("value", ctypes.c_uint * 16)]


class LaunchConfig(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3),
                ("shared", ctypes.c_uint), ("stream", ctypes.c_void_p),
                ("attributes", ctypes.POINTER(LaunchAttribute)), ("count", ctypes.c_uint)]


def encode_map(driver, tensor_map, address):
    rank = len(tensor_map["sizes"])
    storage = (ctypes.c_uint64 * 24)()
    start = (ctypes.addressof(storage) + 63) & ~63
    types = {1: 0, 2: 1, 4: 2, 8: 4}
    driver.call("cuTensorMapEncodeTiled", ctypes.c_void_p(start),
                types[tensor_map["elementBytes"]], rank, ctypes.c_uint64(address),
                (ctypes.c_uint64 * rank)(*tensor_map["sizes"]),
                (ctypes.c_uint64 * max(rank - 1, 1))(*tensor_map["strideBytes"]),
                (ctypes.c_uint * rank)(*tensor_map["box"]), (ctypes.c_uint * rank)(*[1] * rank),
                0, tensor_map["swizzle"], 0, 0)
    return ctypes.string_at(start, 128)


def make_parameter(driver, argument, addresses):
    if "bytes" in argument:
        return bytes.fromhex(argument["bytes"])
    address = addresses[argument["buffer"]] + argument["offsetBytes"]
    if "tensorMap" in argument:
        return encode_map(driver, argument["tensorMap"], address)
    return address.to_bytes(8, "little")


class Refused(Exception):
    """The driver does not take the PTX."""


def load_module(driver, ptx):
    # Tests call a register as a special one is called, which ptxas does not allow.
    ptx = re.sub(r"%tid\b(?!\.[xyz])", "%thread", ptx)
    module, log = ctypes.c_void_p(), ctypes.create_string_buffer(4096)
    options = (ctypes.c_int * 2)(5, 6)  # CU_JIT_ERROR_LOG_BUFFER, its size
    values = (ctypes.c_void_p * 2)(ctypes.addressof(log), 4095)
    try:
        driver.call("cuModuleLoadDataEx", ctypes.byref(module), ptx.encode() + b"\0", 2, options,
                    values)
    except RuntimeError:
        raise Refused((log.value.decode().splitlines() or ["no reason"])[0])
    return module


def run(driver, case):
    """The bytes of each buffer afterwards."""
    function = ctypes.c_void_p()
    module = load_module(driver, case["ptx"])
    driver.call("cuModuleGetFunction", ctypes.byref(function), module, case["kernel"].encode())
    if case["dynamicSharedBytes"] > 48 << 10:
        driver.call("cuFuncSetAttribute", function, 8, case["dynamicSharedBytes"])
    before = [bytes.fromhex(buffer["before"]) for buffer in case["buffers"]]
    addresses = [driver.upload(data) for data in before]
    values = [make_parameter(driver, argument, addresses) for argument in case["arguments"]]
    # Tensor maps are aligned in the driver's own copy.
    holders = [ctypes.create_string_buffer(value, len(value)) for value in values]
    pointers = (ctypes.c_void_p * len(holders))(*[ctypes.addressof(h) for h in holders])
    attribute = LaunchAttribute(4)
    attribute.value[0:3] = case["cluster"]
    config = LaunchConfig((ctypes.c_uint * 3)(*case["grid"]), (ctypes.c_uint * 3)(*case["block"]),
                          case["dynamicSharedBytes"], None, ctypes.pointer(attribute),
                          int(case["cluster"] != [1, 1, 1]))
    driver.call("cuLaunchKernelEx", ctypes.byref(config), function, pointers, None)
    driver.call("cuCtxSynchronize")
    return [driver.download(address, len(data)) for address, data in zip(addresses, before)]


def load(path):
    with open(path) as file:
        return json.load(file)


def compare_clean(paths):
    driver = Driver()
    same, different, refused = 0, [], []
    for path in paths:
        case = load(path)
        try:
            after = run(driver, case)
        except Refused as error:
            refused.append(f"{os.path.basename(path)}: refused: {error}")
            continue
        except RuntimeError as error:
            sys.exit(f"{path}: {error}")  # the context is gone
        wanted = [bytes.fromhex(buffer["after"]) for buffer in case["buffers"]]
        if after == wanted:
            same += 1
            continue
        where = next((i, j) for i, (a, b) in enumerate(zip(after, wanted))
                     for j in range(len(a)) if a[j] != b[j])
        i, j = where
        j &= ~3
        different.append(f"{os.path.basename(path)}: buffer {i} byte {j}: GPU "
                         f"{after[i][j:j + 4].hex()}, emulator {wanted[i][j:j + 4].hex()}")
    for line in different + refused:
        print(line)
    print(f"{same} kernels have the same bytes as on the emulator, {len(different)} others, "
          f"{len(refused)} refused")


def sanitize(path):
    """The tools that report something."""
    found = []
    for tool in TOOLS:
        command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "77", sys.executable,
                   __file__, path, "--one"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        except subprocess.TimeoutExpired:
            found.append(tool + " (hangs)")
            continue
        if "refused: " in done.stdout:
            return ["refused by the driver"]
        summaries = re.findall(r"SUMMARY: (\d+) ", done.stdout)
        if not summaries:
            found.append(tool + " (failed)")
        elif int(summaries[-1]) > 0:
            found.append(tool)
    return found


def judge_faulty(paths):
    totals = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        for path, found in zip(paths, pool.map(sanitize, paths)):
            kinds = sorted({finding["kind"] for finding in load(path)["findings"]})
            name = os.path.basename(path)[:-len(".json")]
            print(f"{name}: emulator {', '.join(kinds)}; compute-sanitizer "
                  f"{', '.join(found) or 'nothing'}", flush=True)
            for kind in kinds:
                totals[kind] += 1
                totals[kind, bool(found)] += 1
    for kind in sorted(kind for kind in totals if isinstance(kind, str)):
        print(f"{kind}: {totals[kind]} kernels, {totals[kind, True]} of them with a report of "
              "compute-sanitizer")


def main():
    if len(sys.argv) < 2 or set(sys.argv[2:]) - {"--faulty", "--one"}:
        sys.exit(__doc__)
    if "--one" in sys.argv:
        try:
            run(Driver(), load(sys.argv[1]))
        except Refused as error:
            print("refused:", error)
        except RuntimeError as error:
            print(error)
        return
    faulty = "--faulty" in sys.argv
    chosen = []
    for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.json"))):
        if os.path.basename(path).startswith("RandomStatement."):
            continue  # anything goes there
        findings = {finding["kind"] for finding in load(path)["findings"]}
        if bool(findings) == faulty and not findings & HANG:
            chosen.append(path)
    (judge_faulty if faulty else compare_clean)(chosen)


main()
