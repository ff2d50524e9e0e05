"""Gives every loop of the µGraphs on standard input a number of stages, or as many as it has
iterations: set-stages.py STAGES < in.mlir > out.mlir"""

import re
import sys

stages = int(sys.argv[1])
text = re.sub(r" stages\(\d+\)", "", sys.stdin.read())


def add_stages(match):
    return f"{match[0]} stages({min(stages, int(match[1]))})"


sys.stdout.write(re.sub(r"(?<=\) )loop\((\d+)\)", add_stages, text))
