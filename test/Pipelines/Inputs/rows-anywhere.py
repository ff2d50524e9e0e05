#!/usr/bin/env python3
"""rows-anywhere.py FOLDER KIND ROWS COLUMNS TYPE BLOCKS THREADS: writes a program to FOLDER, named for
all of these, whose blocks have whole rows of a tensor: `sum`, of elements of two tensors; `softmax`,
of each row; or `total`, the sum of each row."""
import pathlib
import sys

BODIES = {
    "sum": """%v = mirage_block.add %t0, %t1 : TILE, TILE
      %y = mirage_block.tanh %v : WIDE""",
    "softmax": """%m = mirage_block.max %t0 dims [1] : TILE
      %d = mirage_block.sub %t0, %m : TILE, COLUMN
      %x = mirage_block.exp %d : WIDE
      %s = mirage_block.sum %x dims [1] : WIDE
      %y = mirage_block.div %x, %s : WIDE, COLUMN""",
    "total": "%y = mirage_block.sum %t0 dims [1] : TILE",
}
PROGRAM = """func.func @NAME(ARGUMENTS) -> RESULT {
  %e = tensor.empty() : RESULT
  %r = mirage_kernel.graph ins(OPERANDS : OPERAND_TYPES) outs(%e : RESULT) {
  ^bb0(KERNEL_ARGUMENTS):
    %o = mirage_block.graph grid(x = BLOCKS) threads(THREADS) ins(INPUTS) outs(omap(x -> 0))
        : (OPERAND_TYPES) -> RESULT {
    ^bb0(TILES):
      BODY
      mirage_block.yield %y : YIELDED
    }
    mirage_kernel.yield %o : RESULT
  } : RESULT
  return %r : RESULT
}
"""


def write(kind, rows, columns, element, blocks, threads):
    name = f"{kind}_{rows}_{columns}_{element}_{blocks}".lower()
    of_block = -(-rows // blocks)
    tensor, tile, wide, column = (f"tensor<{m}x{n}x{t}>" for m, n, t in (
        (rows, columns, element), (of_block, columns, element), (of_block, columns, "f32"), (of_block, 1, "f32")))
    result = f"tensor<{rows}x1xf32>" if kind == "total" else tensor
    inputs = range(2 if kind == "sum" else 1)

    def join(form):
        return ", ".join(form.format(i) for i in inputs)

    text = PROGRAM
    for word, value in (
            ("KERNEL_ARGUMENTS", join("%k{}: " + tensor)), ("ARGUMENTS", join("%a{}: " + tensor)),
            ("OPERAND_TYPES", join(tensor)), ("OPERANDS", join("%a{}")), ("INPUTS", join("%k{} imap(x -> 0)")),
            ("TILES", join("%t{}: " + tile)), ("BODY", BODIES[kind]), ("TILE", tile), ("WIDE", wide),
            ("COLUMN", column), ("YIELDED", column if kind == "total" else wide), ("RESULT", result),
            ("BLOCKS", str(blocks)), ("THREADS", str(threads)), ("NAME", name)):
        text = text.replace(word, value)
    return name, text


folder, kind, rows, columns, element, blocks, threads = sys.argv[1:]
name, text = write(kind, int(rows), int(columns), element, int(blocks), int(threads))
(pathlib.Path(folder) / f"{name}.mlir").write_text(text)
