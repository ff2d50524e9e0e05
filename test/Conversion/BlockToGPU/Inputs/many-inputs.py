#!/usr/bin/env python3
"""Prints a block graph of so many inputs, of which it adds up the first so many."""
import sys

number = int(sys.argv[1])
tensor = "tensor<8x8xf32>"


def join(form, separator=", "):
    return separator.join(form.format(i) for i in range(number))


types = join(tensor)
sums = [f"%s{i} = mirage_block.add {'%t0' if i == 1 else f'%s{i - 1}'}, %t{i} : {tensor}, {tensor}"
        for i in range(1, int(sys.argv[2]))]
print(f"""func.func @sum({join(f"%a{{}}: {tensor}")}) -> {tensor} {{
  %e = tensor.empty() : {tensor}
  %r = mirage_kernel.graph ins({join("%a{}")} : {types}) outs(%e : {tensor}) {{
  ^bb0({join(f"%k{{}}: {tensor}")}):
    %o = mirage_block.graph grid() threads(32) ins({join("%k{} imap()")}) outs(omap()) : ({types}) -> {tensor} {{
    ^bb0({join(f"%t{{}}: {tensor}")}):""")
print("\n".join(sums))
print(f"""mirage_block.yield %s{len(sums)} : {tensor}
    }}
    mirage_kernel.yield %o : {tensor}
  }} : {tensor}
  return %r : {tensor}
}}""")
