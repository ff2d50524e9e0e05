// Attention that shares keys among blocks, with plain and with online softmax, at sizes that
// nothing divides and where tiles lie beyond the keys whole; the programs:
// Inputs/small-attention.mlir.
// RUN: mirage-verify %S/Inputs/small-attention.mlir %s --seed=1 | FileCheck %s
// RUN: %python %S/Inputs/against-numpy.py %s
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize artifact=%t" -o /dev/null
// RUN: for program in %t/*; do mirage-run $program --check || exit 1; done
// CHECK-DAG: @gqa_split: equal
// CHECK-DAG: @gqa_split_where_nothing_divides: equal
// CHECK-DAG: @gqa_online: equal
// CHECK-DAG: @gqa_online_where_nothing_divides: equal
// CHECK-DAG: @gqa_online_split: equal
// CHECK-DAG: @gqa_online_split_masked_whole: equal

func.func @gqa_split(%Q: tensor<2x12x8xf16>, %K: tensor<2x8x30xf16>, %V: tensor<2x30x8xf16>) -> tensor<2x12x8xf16> {
  %e = tensor.empty() : tensor<2x12x8xf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<2x12x8xf16>, tensor<2x8x30xf16>, tensor<2x30x8xf16>)
      outs(%e : tensor<2x12x8xf16>) {
  ^bb0(%q: tensor<2x12x8xf16>, %k: tensor<2x8x30xf16>, %v: tensor<2x30x8xf16>):
    %o = mirage_block.graph grid(x = 2, y = 2, z = 2) threads(64) loop(3)
        ins(%q imap(x -> 0, z -> 1), %k imap(x -> 0, y -> 2) fmap(2),
            %v imap(x -> 0, y -> 1) fmap(1))
        outs(omap(x -> 0, z -> 1)) : (tensor<2x12x8xf16>, tensor<2x8x30xf16>, tensor<2x30x8xf16>) -> tensor<2x12x8xf16> {
    ^bb0(%qt: tensor<1x6x8xf16>, %kt: tensor<1x8x5xf16>, %vt: tensor<1x5x8xf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<1x6x8xf16>, tensor<1x8x5xf16>
      %x = mirage_block.exp %s : tensor<1x6x5xf32>
      %p = mirage_block.mask %x dims [2] axes ["y", "loop"] extent 30 value 0.0 : tensor<1x6x5xf32>
      %h = mirage_block.cast %p : (tensor<1x6x5xf32>) -> tensor<1x6x5xf16>
      %pv = mirage_block.matmul %h, %vt : tensor<1x6x5xf16>, tensor<1x5x8xf16>
      %a = mirage_block.accumulate %pv over loop sum : tensor<1x6x8xf32>
      %b = mirage_block.accumulate %p over loop sum dims [2] : tensor<1x6x5xf32>
      %acc = mirage_block.accumulate %a over y sum : tensor<1x6x8xf32>
      %l = mirage_block.accumulate %b over y sum : tensor<1x6x1xf32>
      %d = mirage_block.div %acc, %l : tensor<1x6x8xf32>, tensor<1x6x1xf32>
      mirage_block.yield %d : tensor<1x6x8xf32>
    }
    mirage_kernel.yield %o : tensor<2x12x8xf16>
  } : tensor<2x12x8xf16>
  return %r : tensor<2x12x8xf16>
}

func.func @gqa_split_where_nothing_divides(%Q: tensor<2x11x8xf16>, %K: tensor<2x8x27xf16>, %V: tensor<2x27x8xf16>) -> tensor<2x11x8xf16> {
  %e = tensor.empty() : tensor<2x11x8xf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<2x11x8xf16>, tensor<2x8x27xf16>, tensor<2x27x8xf16>)
      outs(%e : tensor<2x11x8xf16>) {
  ^bb0(%q: tensor<2x11x8xf16>, %k: tensor<2x8x27xf16>, %v: tensor<2x27x8xf16>):
    %o = mirage_block.graph grid(x = 2, y = 2, z = 3) threads(64) loop(3)
        ins(%q imap(x -> 0, z -> 1), %k imap(x -> 0, y -> 2) fmap(2),
            %v imap(x -> 0, y -> 1) fmap(1))
        outs(omap(x -> 0, z -> 1)) : (tensor<2x11x8xf16>, tensor<2x8x27xf16>, tensor<2x27x8xf16>) -> tensor<2x11x8xf16> {
    ^bb0(%qt: tensor<1x4x8xf16>, %kt: tensor<1x8x5xf16>, %vt: tensor<1x5x8xf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<1x4x8xf16>, tensor<1x8x5xf16>
      %x = mirage_block.exp %s : tensor<1x4x5xf32>
      %p = mirage_block.mask %x dims [2] axes ["y", "loop"] extent 27 value 0.0 : tensor<1x4x5xf32>
      %h = mirage_block.cast %p : (tensor<1x4x5xf32>) -> tensor<1x4x5xf16>
      %pv = mirage_block.matmul %h, %vt : tensor<1x4x5xf16>, tensor<1x5x8xf16>
      %a = mirage_block.accumulate %pv over loop sum : tensor<1x4x8xf32>
      %b = mirage_block.accumulate %p over loop sum dims [2] : tensor<1x4x5xf32>
      %acc = mirage_block.accumulate %a over y sum : tensor<1x4x8xf32>
      %l = mirage_block.accumulate %b over y sum : tensor<1x4x1xf32>
      %d = mirage_block.div %acc, %l : tensor<1x4x8xf32>, tensor<1x4x1xf32>
      mirage_block.yield %d : tensor<1x4x8xf32>
    }
    mirage_kernel.yield %o : tensor<2x11x8xf16>
  } : tensor<2x11x8xf16>
  return %r : tensor<2x11x8xf16>
}

func.func @gqa_online(%Q: tensor<2x12x8xf16>, %K: tensor<2x8x30xf16>, %V: tensor<2x30x8xf16>) -> tensor<2x12x8xf16> {
  %e = tensor.empty() : tensor<2x12x8xf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<2x12x8xf16>, tensor<2x8x30xf16>, tensor<2x30x8xf16>)
      outs(%e : tensor<2x12x8xf16>) {
  ^bb0(%q: tensor<2x12x8xf16>, %k: tensor<2x8x30xf16>, %v: tensor<2x30x8xf16>):
    %o = mirage_block.graph grid(x = 2, y = 1, z = 2) threads(64) loop(3)
        ins(%q imap(x -> 0, z -> 1), %k imap(x -> 0, y -> 2) fmap(2),
            %v imap(x -> 0, y -> 1) fmap(1))
        outs(omap(x -> 0, z -> 1)) : (tensor<2x12x8xf16>, tensor<2x8x30xf16>, tensor<2x30x8xf16>) -> tensor<2x12x8xf16> {
    ^bb0(%qt: tensor<1x6x8xf16>, %kt: tensor<1x8x10xf16>, %vt: tensor<1x10x8xf16>):
      %u = mirage_block.matmul %qt, %kt : tensor<1x6x8xf16>, tensor<1x8x10xf16>
      %s = mirage_block.mask %u dims [2] axes ["y", "loop"] extent 30 value 0xFFF0000000000000 : tensor<1x6x10xf32>
      %m = mirage_block.max %s dims [2] : tensor<1x6x10xf32>
      %c = mirage_block.sub %s, %m : tensor<1x6x10xf32>, tensor<1x6x1xf32>
      %p = mirage_block.exp %c : tensor<1x6x10xf32>
      %h = mirage_block.cast %p : (tensor<1x6x10xf32>) -> tensor<1x6x10xf16>
      %pv = mirage_block.matmul %h, %vt : tensor<1x6x10xf16>, tensor<1x10x8xf16>
      %a = mirage_block.accumulate %pv over loop sum rescale by %m : tensor<1x6x8xf32>, tensor<1x6x1xf32>
      %b = mirage_block.accumulate %p over loop sum dims [2] rescale by %m : tensor<1x6x10xf32>, tensor<1x6x1xf32>
      %d = mirage_block.div %a, %b : tensor<1x6x8xf32>, tensor<1x6x1xf32>
      mirage_block.yield %d : tensor<1x6x8xf32>
    }
    mirage_kernel.yield %o : tensor<2x12x8xf16>
  } : tensor<2x12x8xf16>
  return %r : tensor<2x12x8xf16>
}

func.func @gqa_online_where_nothing_divides(%Q: tensor<2x11x8xf16>, %K: tensor<2x8x27xf16>, %V: tensor<2x27x8xf16>) -> tensor<2x11x8xf16> {
  %e = tensor.empty() : tensor<2x11x8xf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<2x11x8xf16>, tensor<2x8x27xf16>, tensor<2x27x8xf16>)
      outs(%e : tensor<2x11x8xf16>) {
  ^bb0(%q: tensor<2x11x8xf16>, %k: tensor<2x8x27xf16>, %v: tensor<2x27x8xf16>):
    %o = mirage_block.graph grid(x = 2, y = 1, z = 3) threads(64) loop(3)
        ins(%q imap(x -> 0, z -> 1), %k imap(x -> 0, y -> 2) fmap(2),
            %v imap(x -> 0, y -> 1) fmap(1))
        outs(omap(x -> 0, z -> 1)) : (tensor<2x11x8xf16>, tensor<2x8x27xf16>, tensor<2x27x8xf16>) -> tensor<2x11x8xf16> {
    ^bb0(%qt: tensor<1x4x8xf16>, %kt: tensor<1x8x10xf16>, %vt: tensor<1x10x8xf16>):
      %u = mirage_block.matmul %qt, %kt : tensor<1x4x8xf16>, tensor<1x8x10xf16>
      %s = mirage_block.mask %u dims [2] axes ["y", "loop"] extent 27 value 0xFFF0000000000000 : tensor<1x4x10xf32>
      %m = mirage_block.max %s dims [2] : tensor<1x4x10xf32>
      %c = mirage_block.sub %s, %m : tensor<1x4x10xf32>, tensor<1x4x1xf32>
      %p = mirage_block.exp %c : tensor<1x4x10xf32>
      %h = mirage_block.cast %p : (tensor<1x4x10xf32>) -> tensor<1x4x10xf16>
      %pv = mirage_block.matmul %h, %vt : tensor<1x4x10xf16>, tensor<1x10x8xf16>
      %a = mirage_block.accumulate %pv over loop sum rescale by %m : tensor<1x4x8xf32>, tensor<1x4x1xf32>
      %b = mirage_block.accumulate %p over loop sum dims [2] rescale by %m : tensor<1x4x10xf32>, tensor<1x4x1xf32>
      %d = mirage_block.div %a, %b : tensor<1x4x8xf32>, tensor<1x4x1xf32>
      mirage_block.yield %d : tensor<1x4x8xf32>
    }
    mirage_kernel.yield %o : tensor<2x11x8xf16>
  } : tensor<2x11x8xf16>
  return %r : tensor<2x11x8xf16>
}

func.func @gqa_online_split(%Q: tensor<2x12x8xf16>, %K: tensor<2x8x30xf16>, %V: tensor<2x30x8xf16>) -> tensor<2x12x8xf16> {
  %e = tensor.empty() : tensor<2x12x8xf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<2x12x8xf16>, tensor<2x8x30xf16>, tensor<2x30x8xf16>)
      outs(%e : tensor<2x12x8xf16>) {
  ^bb0(%q: tensor<2x12x8xf16>, %k: tensor<2x8x30xf16>, %v: tensor<2x30x8xf16>):
    %o = mirage_block.graph grid(x = 2, y = 2, z = 2) threads(64) loop(3)
        ins(%q imap(x -> 0, z -> 1), %k imap(x -> 0, y -> 2) fmap(2),
            %v imap(x -> 0, y -> 1) fmap(1))
        outs(omap(x -> 0, z -> 1)) : (tensor<2x12x8xf16>, tensor<2x8x30xf16>, tensor<2x30x8xf16>) -> tensor<2x12x8xf16> {
    ^bb0(%qt: tensor<1x6x8xf16>, %kt: tensor<1x8x5xf16>, %vt: tensor<1x5x8xf16>):
      %u = mirage_block.matmul %qt, %kt : tensor<1x6x8xf16>, tensor<1x8x5xf16>
      %s = mirage_block.mask %u dims [2] axes ["y", "loop"] extent 30 value 0xFFF0000000000000 : tensor<1x6x5xf32>
      %m = mirage_block.max %s dims [2] : tensor<1x6x5xf32>
      %c = mirage_block.sub %s, %m : tensor<1x6x5xf32>, tensor<1x6x1xf32>
      %p = mirage_block.exp %c : tensor<1x6x5xf32>
      %h = mirage_block.cast %p : (tensor<1x6x5xf32>) -> tensor<1x6x5xf16>
      %pv = mirage_block.matmul %h, %vt : tensor<1x6x5xf16>, tensor<1x5x8xf16>
      %a = mirage_block.accumulate %pv over loop sum rescale by %m : tensor<1x6x8xf32>, tensor<1x6x1xf32>
      %b = mirage_block.accumulate %p over loop sum dims [2] rescale by %m : tensor<1x6x5xf32>, tensor<1x6x1xf32>
      %n = mirage_block.accumulate %m over loop max : tensor<1x6x1xf32>
      %acc = mirage_block.accumulate %a over y sum rescale by %n : tensor<1x6x8xf32>, tensor<1x6x1xf32>
      %l = mirage_block.accumulate %b over y sum rescale by %n : tensor<1x6x1xf32>, tensor<1x6x1xf32>
      %d = mirage_block.div %acc, %l : tensor<1x6x8xf32>, tensor<1x6x1xf32>
      mirage_block.yield %d : tensor<1x6x8xf32>
    }
    mirage_kernel.yield %o : tensor<2x12x8xf16>
  } : tensor<2x12x8xf16>
  return %r : tensor<2x12x8xf16>
}

func.func @gqa_online_split_masked_whole(%Q: tensor<2x11x8xf16>, %K: tensor<2x8x9xf16>, %V: tensor<2x9x8xf16>) -> tensor<2x11x8xf16> {
  %e = tensor.empty() : tensor<2x11x8xf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<2x11x8xf16>, tensor<2x8x9xf16>, tensor<2x9x8xf16>)
      outs(%e : tensor<2x11x8xf16>) {
  ^bb0(%q: tensor<2x11x8xf16>, %k: tensor<2x8x9xf16>, %v: tensor<2x9x8xf16>):
    %o = mirage_block.graph grid(x = 2, y = 2, z = 3) threads(64) loop(3)
        ins(%q imap(x -> 0, z -> 1), %k imap(x -> 0, y -> 2) fmap(2),
            %v imap(x -> 0, y -> 1) fmap(1))
        outs(omap(x -> 0, z -> 1)) : (tensor<2x11x8xf16>, tensor<2x8x9xf16>, tensor<2x9x8xf16>) -> tensor<2x11x8xf16> {
    ^bb0(%qt: tensor<1x4x8xf16>, %kt: tensor<1x8x5xf16>, %vt: tensor<1x5x8xf16>):
      %u = mirage_block.matmul %qt, %kt : tensor<1x4x8xf16>, tensor<1x8x5xf16>
      %s = mirage_block.mask %u dims [2] axes ["y", "loop"] extent 9 value 0xFFF0000000000000 : tensor<1x4x5xf32>
      %m = mirage_block.max %s dims [2] : tensor<1x4x5xf32>
      %c = mirage_block.sub %s, %m : tensor<1x4x5xf32>, tensor<1x4x1xf32>
      %p = mirage_block.exp %c : tensor<1x4x5xf32>
      %h = mirage_block.cast %p : (tensor<1x4x5xf32>) -> tensor<1x4x5xf16>
      %pv = mirage_block.matmul %h, %vt : tensor<1x4x5xf16>, tensor<1x5x8xf16>
      %a = mirage_block.accumulate %pv over loop sum rescale by %m : tensor<1x4x8xf32>, tensor<1x4x1xf32>
      %b = mirage_block.accumulate %p over loop sum dims [2] rescale by %m : tensor<1x4x5xf32>, tensor<1x4x1xf32>
      %n = mirage_block.accumulate %m over loop max : tensor<1x4x1xf32>
      %acc = mirage_block.accumulate %a over y sum rescale by %n : tensor<1x4x8xf32>, tensor<1x4x1xf32>
      %l = mirage_block.accumulate %b over y sum rescale by %n : tensor<1x4x1xf32>, tensor<1x4x1xf32>
      %d = mirage_block.div %acc, %l : tensor<1x4x8xf32>, tensor<1x4x1xf32>
      mirage_block.yield %d : tensor<1x4x8xf32>
    }
    mirage_kernel.yield %o : tensor<2x11x8xf16>
  } : tensor<2x11x8xf16>
  return %r : tensor<2x11x8xf16>
}
