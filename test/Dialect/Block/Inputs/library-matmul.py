"""Changes one thing at a time in a program with a library's matmul, and prints what
mirage-opt says of it.

  library-matmul.py PROGRAM.mlir mirage-opt
"""
import re
import subprocess
import sys

ATTRIBUTE = re.compile(r"\{mirage_block.library_matmul = \{.*?\}\}\}", re.S)
CHANGES = [
    ("right", None, None),
    ("c1 not a dictionary", ATTRIBUTE, "{mirage_block.library_matmul = 7}"),
    ("c1 no m", "m = 8, ", ""),
    ("c1 m of another type", "m = 8", "m = 8 : i32"),
    ("c1 a member more", "batch = 1", "batch = 1, l = 1"),
    ("c1 products by no name", "batch = 1", 'batch = 1, f32_products = "some"'),
    ("c1 exact, a member more", "batch = 1", 'batch = 1, f32_products = "exact", l = 1'),
    ("exact", "batch = 1", 'batch = 1, f32_products = "exact"'),
    ("c2 f16 in tf32", "batch = 1", 'batch = 1, f32_products = "tf32"'),
    ("c1 no lhs", re.compile(r"lhs = .*\n"), ""),
    ("c1 lhs without an argument", "argument = 0, ", ""),
    ("c1 an argument below zero", "argument = 0", "argument = -1"),
    ("c1 transposed by a number", re.compile(r"(rhs = .*)false"), r"\1 0"),
    ("c1 a member more of rhs", "rhs = {", "rhs = {bias = 0, "),
    ("c1 another op", re.compile(r'(-> tensor<8x40xf32>)'), None),
    ("c1 another name", "library_matmul", "library"),
    ("c2 no element type", "operands = f16", "operands = i32"),
    ("c2 f8", "operands = f16", "operands = f8E4M3FN"),
    ("c2 f16 sums", "accumulate = f32", "accumulate = f16"),
    ("c3 no extent", "k = 24", "k = 0"),
    ("c3 another extent", "n = 40", "n = 39"),
    ("c3 bf16", "operands = f16, result_type = f16", "operands = bf16, result_type = bf16"),
    ("c3 one operand twice", "argument = 0", "argument = 1"),
    ("c3 a result that is read", "argument = 2", "argument = 0"),
    ("c3 rows in one another", "leading_dimension = 24", "leading_dimension = 23"),
    ("c3 a transposed result", re.compile(r"(result = \{.*)false"), r"\1true"),
    ("c3 far away", "offset = 0", "offset = 9223372036854775807"),
]


def change(text, before, after):
    if before is None:
        return text
    if after is None:  # the attribute moves to the op that matches
        attribute = ATTRIBUTE.search(text)[0]
        text = text.replace(attribute, "")
        return text.replace(") : (tensor<8x24xf16>, tensor<24x40xf16>) -> tensor<8x40xf32>",
                            f") {attribute} : (tensor<8x24xf16>, tensor<24x40xf16>) "
                            "-> tensor<8x40xf32>")
    if isinstance(before, str):
        return text.replace(before, after, 1)
    return before.sub(after, text, count=1)


def main():
    path, tool = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for name, before, after in CHANGES:
        changed = change(text, before, after)
        assert (changed == text) == (before is None), name
        done = subprocess.run([tool, "-", "-o", "/dev/null"], input=changed, text=True,
                              capture_output=True)
        error = re.search(r"error: .*", done.stderr)
        assert (done.returncode != 0) == (error is not None), done.stderr
        print(f"{name}:{' ' + error[0] if error else ''}")


if __name__ == "__main__":
    main()
