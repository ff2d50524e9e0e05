#!/usr/bin/env python3
"""Compiles programs and holds their code to what code generation promises:

  spills      bytes that ptxas -v says a thread spills: 0
  serialised  messages C7510 to C7519 of ptxas, on wgmma: 0
  extern      functions that PTX takes from elsewhere: 0
  scalar16    loads and stores of global memory that move one 16-bit element of a tensor whose
              tiles can be moved 16 bytes at a time, in the text of PTX: 0
  operands    passes through shared memory of all that a launch with products reads there, for
              each that is needed: at most 1.1
  traffic     sectors of device memory that a launch touches, for each in which the tiles lie
              that the maps of its µGraph imply: at most 1.02
  bytes       bytes of these sectors, for each byte that the maps imply: at most 1.02

Of a program the worst launch counts. What tiles can be moved by and what maps imply is what
--mirage-explain says (Mirage/Graph/DeviceTraffic.h); the last three are the emulator's counters.
spills and serialised are not looked at where there is no ptxas, which a line says.

A file of exceptions names what does not hold yet, with the figure that was measured:

  {"softmax": {"bytes": 1.31}}

It is held to that figure: whoever makes it better takes it off the list.

Prints a line for each program; exits 1 if a gate is not kept, an exception has another figure,
or an exception names what is not there."""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

LIMITS = {"spills": 0, "serialised": 0, "extern": 0, "scalar16": 0, "operands": 1.1,
          "traffic": 1.02, "bytes": 1.02}
SECTOR_BYTES = 32


class Failure(Exception):
    pass


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}")
    return done


# --- ptxas ---------------------------------------------------------------------------------

def find_ptxas():
    local = "/usr/local/cuda/bin/ptxas"
    return shutil.which("ptxas") or (local if pathlib.Path(local).exists() else None)


def assemble(ptxas, artifact, target):
    said = run(ptxas, "-v", f"-arch={target}", artifact / "kernels.ptx", "-o",
               artifact / "quality.cubin").stderr
    spills = re.findall(r"(\d+) bytes spill stores, (\d+) bytes spill loads", said)
    if not spills:
        raise Failure(f"ptxas -v says nothing of spills: {said}")
    return {"spills": max(int(stores) + int(loads) for stores, loads in spills),
            "serialised": len(re.findall(r"\(C751\d\)", said))}


# --- PTX -----------------------------------------------------------------------------------

class Kernel:
    """The text of an entry, and which of its parameters an address is computed from."""

    def __init__(self, text):
        self.lines = [line.split("//")[0].strip() for line in text.splitlines()]
        self.sources = {}  # 64-bit register -> registers and parameters that it is made of
        for line in self.lines:
            written = re.match(r"(?:@!?%p\d+ )?([a-z][\w.:]*)\s+(%rd\d+),\s*(.*);", line)
            if not written:
                continue
            opcode, register, operands = written.groups()
            found = re.findall(r"%rd\d+", operands)
            if opcode.startswith("ld.param"):
                found += [int(n) for n in re.findall(r"_param_(\d+)", operands)]
            elif opcode.startswith("ld."):
                found = []  # what memory holds is no address of a tensor
            self.sources.setdefault(register, set()).update(found)

    def find_parameters(self, register):
        seen, todo = set(), [register]
        while todo:
            source = todo.pop()
            if source in seen:
                continue
            seen.add(source)
            todo += self.sources.get(source, ())
        return {source for source in seen if isinstance(source, int)}

    def scalar_accesses(self):
        """The parameters of each access of global memory by one 16-bit element."""
        for line in self.lines:
            access = re.match(r"(?:@!?%p\d+ )?(?:ld|st)\.(?:\w+\.)*?global\.([\w.:]*)\s", line)
            if not access or not re.fullmatch(r"(?!.*v\d).*(?:b|u|s|f|bf)16", access.group(1)):
                continue
            address = re.search(r"\[(%rd\d+)", line)
            parameters = self.find_parameters(address.group(1)) if address else set()
            if len(parameters) != 1:
                raise Failure(f"cannot tell which tensor is accessed: {line}")
            yield parameters.pop()


def split_kernels(ptx):
    parts = re.split(r"\.entry\s+(\w+)", ptx)
    return {name: Kernel(text) for name, text in zip(parts[1::2], parts[2::2])}


def count_scalar_accesses(ptx, launches, kernels):
    code = split_kernels(ptx)
    count = 0
    for number, launch in enumerate(launches):
        tensors = [tensor for kernel in kernels if kernel["launch"] == number
                   for tensor in kernel["tensors"]]
        for parameter in code[launch["kernel"]].scalar_accesses():
            argument = launch["arguments"][parameter]
            widths = [tensor["widestAccessBytes"] for tensor in tensors
                      if tensor["buffer"] == argument]
            if not widths:
                raise Failure(f"no tensor is known in {argument} of {launch['kernel']}")
            count += min(widths) == 16
    return count


# --- The emulator --------------------------------------------------------------------------

def measure_operands(counters, kernels):
    """Passes through shared memory for each that is needed: of ldmatrix, and of all that a launch reads that
    multiplies, the larger one; None of others, and where products read registers alone."""
    multiplies = any(re.search(r"\b(matmul|mma|wgmma)\b", step["operations"])
                     for kernel in kernels for step in kernel["steps"])
    if not multiplies:
        return None
    return max((counters[f"{kind}Wavefronts"] / (counters[f"{kind}Wavefronts"] - counters[f"{kind}BankConflicts"])
                for kind in ("matrixRow", "sharedLoad") if counters[f"{kind}Wavefronts"]), default=None)


def measure_launches(mirage_run, artifact, kernels):
    operands, traffic, in_bytes = [], 0.0, 0.0
    launches = json.loads(run(mirage_run, artifact, "--device=emulator", "--json").stdout)
    for number, launch in enumerate(launches["launches"]):
        if not launch["completed"]:
            raise Failure(f"{launch['kernel']} does not end: {launch['findings']}")
        counters = launch["counters"]
        own = [kernel for kernel in kernels if kernel["launch"] == number]
        implied = sum(kernel["readBytes"] + kernel["writtenBytes"] for kernel in own)
        tensors = [tensor for kernel in own for tensor in kernel["tensors"]]
        if not all("trafficSectors" in tensor for tensor in tensors):
            raise Failure(f"it is not known where the tensors of {launch['kernel']} lie")
        implied_sectors = sum(tensor["trafficSectors"] for tensor in tensors)
        sectors = counters["globalLoadSectors"] + counters["globalStoreSectors"]
        moved = counters["globalLoadBytes"] + counters["globalStoreBytes"]
        if moved < 0.999 * implied:
            raise Failure(f"{launch['kernel']} moves {moved} B, less than the {implied} B that "
                          "maps are said to imply")
        if sectors < 0.999 * implied_sectors:
            raise Failure(f"{launch['kernel']} touches {sectors} sectors, less than the "
                          f"{implied_sectors} that maps are said to imply")
        traffic = max(traffic, sectors / implied_sectors)
        in_bytes = max(in_bytes, sectors * SECTOR_BYTES / implied)
        if (factor := measure_operands(counters, own)) is not None:
            operands.append(factor)
    # A program without products has none.
    return (({"operands": max(operands)} if operands else {}) |
            {"traffic": traffic, "bytes": in_bytes})


# --- Programs ------------------------------------------------------------------------------

def measure(program, arguments, ptxas):
    artifact = arguments.work / program.stem
    explanation = arguments.work / f"{program.stem}.json"
    options = f"{arguments.options} progress=off ptxas=never artifact={artifact} " \
              f"explain={explanation}"
    run(arguments.tools / "mirage-opt", program, f"--mirage-compile={options}", "-o", "/dev/null")
    [function] = json.loads(explanation.read_text())["functions"]
    ptx = (artifact / "kernels.ptx").read_text()
    launches = json.loads((artifact / "manifest.json").read_text())["launches"]
    figures = {}
    if ptxas:
        figures |= assemble(ptxas, artifact, function["target"])
    figures["extern"] = len(re.findall(r"\.extern\s+\.func", ptx))
    figures["scalar16"] = count_scalar_accesses(ptx, launches, function["kernels"])
    if program.stem not in arguments.static:
        figures |= measure_launches(arguments.tools / "mirage-run", artifact,
                                    function["kernels"])
    return {gate: round(figure, 3) for gate, figure in figures.items()}


def hold(name, figures, exceptions):
    """What is wrong with the figures of a program."""
    problems = []
    for gate, figure in figures.items():
        expected = exceptions.pop(gate, None)
        if expected is not None and figure != expected:
            problems.append(f"{gate} was {expected} and is {figure}")
        elif expected is not None and figure <= LIMITS[gate]:
            problems.append(f"{gate} is kept, and no exception any more")
        elif expected is None and figure > LIMITS[gate]:
            problems.append(f"{gate} is {figure}, at most {LIMITS[gate]} is right")
    return problems


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--options", default="", help="more options of --mirage-compile")
    parser.add_argument("--static", action="append", default=[], metavar="PROGRAM",
                        help="do not run this one on the emulator")
    parser.add_argument("--exceptions", type=pathlib.Path)
    parser.add_argument("programs", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    exceptions = json.loads(arguments.exceptions.read_text()) if arguments.exceptions else {}
    ptxas = find_ptxas()
    if not ptxas:
        print("no ptxas: spills and serialised are not looked at")
    is_good = True
    for program in arguments.programs:
        known = exceptions.pop(program.stem, {})
        try:
            figures = measure(program, arguments, ptxas)
            problems = hold(program.stem, figures, known)
            # Gates that were not looked at say nothing of their exceptions.
            problems += [f"exception for {gate}, which is no gate" for gate in known
                         if gate not in LIMITS]
        except Failure as failure:
            figures, problems = {}, [str(failure)]
        shown = ", ".join(f"{gate} {figure}" for gate, figure in figures.items())
        print(f"{program.stem}: {shown}" + "".join(f"; WRONG: {p}" for p in problems), flush=True)
        is_good &= not problems
    for name in exceptions:
        print(f"WRONG: an exception for {name}, which was not compiled")
        is_good = False
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
