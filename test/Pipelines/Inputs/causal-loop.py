"""Prints causal attention of one head, 64 deep, as a kernel that loops over keys:

    causal-loop.py NAME ROWS KEYS ROWS_OF_A_BLOCK KEYS_OF_A_TILE OFFSET STAGES THREADS
"""
import sys

name, numbers = sys.argv[1], [int(word) for word in sys.argv[2:]]
rows, keys, tile_rows, tile_keys, offset, stages, threads = numbers
blocks, loop = -(-rows // tile_rows), -(-keys // tile_keys)
score, column = f"tensor<1x{tile_rows}x{tile_keys}xf32>", f"tensor<1x{tile_rows}x1xf32>"
result = f"tensor<1x{tile_rows}x64xf32>"
inputs = f"tensor<1x{rows}x64xf16>, tensor<1x64x{keys}xf16>, tensor<1x{keys}x64xf16>"
edge = (f"%x = mirage_block.mask %s dims [2] axes [\"loop\"] extent {keys} value 0xFFF0000000000000 : {score}"
        if keys % tile_keys else "")
scores = "%x" if edge else "%s"
print(f"""func.func @{name}(%q: tensor<1x{rows}x64xf16>, %k: tensor<1x64x{keys}xf16>, %v: tensor<1x{keys}x64xf16>) -> tensor<1x{rows}x64xf16> {{
  %e = tensor.empty() : tensor<1x{rows}x64xf16>
  %r = mirage_kernel.graph ins(%q, %k, %v : {inputs}) outs(%e : tensor<1x{rows}x64xf16>) {{
  ^bb0(%a: tensor<1x{rows}x64xf16>, %b: tensor<1x64x{keys}xf16>, %c: tensor<1x{keys}x64xf16>):
    %o = mirage_block.graph grid(x = 1, y = {blocks}) threads({threads}) loop({loop}) stages({min(stages, loop)})
        ins(%a imap(x -> 0, y -> 1), %b imap(x -> 0) fmap(2), %c imap(x -> 0) fmap(1)) outs(omap(x -> 0, y -> 1))
        : ({inputs}) -> tensor<1x{rows}x64xf16> {{
    ^bb0(%qt: tensor<1x{tile_rows}x64xf16>, %kt: tensor<1x64x{tile_keys}xf16>, %vt: tensor<1x{tile_keys}x64xf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<1x{tile_rows}x64xf16>, tensor<1x64x{tile_keys}xf16>
      {edge}
      %m = mirage_block.causal_mask {scores} offset {offset} rows ["y"] columns ["loop"] : {score}
      %mx = mirage_block.max %m dims [2] : {score}
      %sb = mirage_block.sub %m, %mx : {score}, {column}
      %p = mirage_block.exp %sb : {score}
      %l = mirage_block.accumulate %p over loop sum dims [2] rescale by %mx : {score}, {column}
      %h = mirage_block.cast %p : ({score}) -> tensor<1x{tile_rows}x{tile_keys}xf16>
      %pv = mirage_block.matmul %h, %vt : tensor<1x{tile_rows}x{tile_keys}xf16>, tensor<1x{tile_keys}x64xf16>
      %n = mirage_block.accumulate %pv over loop sum rescale by %mx : {result}, {column}
      %d = mirage_block.div %n, %l : {result}, {column}
      mirage_block.yield %d : {result}
    }}
    mirage_kernel.yield %o : tensor<1x{rows}x64xf16>
  }} : tensor<1x{rows}x64xf16>
  return %r : tensor<1x{rows}x64xf16>
}}""")
