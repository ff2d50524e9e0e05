#!/usr/bin/env python3
"""Whether the assembler kept the left operands of wgmma apart.

ptxas 13.0 gave registers that hold one product's left operand over all
iterations of a loop to another product's (docs/rationale/Thread.md). In SASS
instructions of two kinds then reach a left operand: those that load it, before
the loop, and those that compute the other one, in it.

usage: wgmma-registers.py NVDISASM CUBIN...

Prints "CUBIN: N left operands, all of one origin", or the operands that are
not, and exits with 1.
"""
import re
import subprocess
import sys


class Function:
    """Instructions of a function, and which may follow each."""

    def __init__(self, text):
        self.instructions, labels = [], {}
        for line in text.splitlines():
            if label := re.match(r"(\.L_x_\d+):", line.strip()):
                labels[label.group(1)] = len(self.instructions)
            if found := re.match(r"\s*/\*[0-9a-f]+\*/\s+(.*?);", line):
                self.instructions.append(found.group(1).strip())
        self.before = [[] for _ in self.instructions]
        for number, instruction in enumerate(self.instructions):
            for following in self.get_following(number, instruction, labels):
                self.before[following].append(number)

    def get_following(self, number, instruction, labels):
        is_conditional = instruction.startswith("@") or ".DIV" in instruction
        is_conditional |= ".ANY" in instruction
        falls_through = [number + 1] if number + 1 < len(self.instructions) else []
        opcode = strip_predicate(instruction).split()[0].split(".")[0]
        if opcode in ("EXIT", "RET"):
            return falls_through if is_conditional else []
        if opcode != "BRA":
            return falls_through
        target = re.search(r"`\((\.L_x_\d+)\)", instruction)
        targets = [labels[target.group(1)]] if target and target.group(1) in labels else []
        return targets + (falls_through if is_conditional else [])

    def find_origins(self, number, register):
        """Opcodes of what may have written a register last."""
        seen, pending, origins = set(), list(self.before[number]), set()
        while pending:
            current = pending.pop()
            if current in seen:
                continue
            seen.add(current)
            if register in list_written(self.instructions[current]):
                origins.add(strip_predicate(self.instructions[current]).split()[0])
            else:
                pending += self.before[current]
        return origins


def strip_predicate(instruction):
    return re.sub(r"^@!?U?P\d+\s+", "", instruction)


def list_written(instruction):
    """Numbers of the registers that an instruction writes."""
    instruction = strip_predicate(instruction)
    opcode = instruction.split()[0]
    found = re.match(r"\S+\s+R(\d+)", instruction)
    writes_none = ("ST", "BRA", "BAR", "SYNCS", "RED", "UTMA", "WARPSYNC", "RET", "CALL")
    if not found or opcode.startswith(writes_none):
        return range(0)
    count = 1
    if opcode.startswith("HGMMA"):
        count = int(re.match(r"HGMMA\.64x(\d+)x", opcode).group(1)) // 2
    elif ".128" in opcode or (opcode.startswith("LDSM") and ".4" in opcode):
        count = 4
    elif ".64" in opcode or opcode.startswith(("CS2R", "IMAD.WIDE")):
        count = 2
    first = int(found.group(1))
    return range(first, first + count)


def check(disassembler, cubin):
    text = subprocess.run([disassembler, "-c", cubin], check=True,
                          capture_output=True, text=True).stdout
    count, mixed = 0, []
    for part in re.split(r"\n\.text\.", text)[1:]:
        function = Function(part)
        for number, instruction in enumerate(function.instructions):
            found = re.search(r"HGMMA\S+\s+R\d+,\s*R(\d+),", instruction)
            if not found:
                continue
            first = int(found.group(1))
            count += 1
            for register in range(first, first + 4):
                origins = function.find_origins(number, register)
                if len(origins) > 1:
                    mixed.append(f"{cubin}: R{register} of '{instruction}' comes "
                                 f"from {', '.join(sorted(origins))}")
    print("\n".join(mixed) if mixed else f"{cubin}: {count} left operands, all of one origin")
    return not mixed


if __name__ == "__main__":
    results = [check(sys.argv[1], cubin) for cubin in sys.argv[2:]]
    sys.exit(0 if all(results) else 1)
