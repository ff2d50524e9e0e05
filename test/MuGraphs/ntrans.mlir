// A step of a normalised transformer as one kernel, a row a block.
// RUN: mirage-verify %mirage_src/benchmarks/ntrans_bs1.mlir %s --seed=1 | FileCheck %s
// CHECK: @ntrans_bs1: equal
// RUN: %python %S/Inputs/against-numpy.py %s
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize artifact=%t" -o /dev/null
// RUN: mirage-run %t --check

func.func @ntrans_bs1(%H: tensor<8x4096xf16>, %X: tensor<8x4096xf16>, %Alpha: tensor<8x4096xf16>) -> tensor<8x4096xf16> {
  %e = tensor.empty() : tensor<8x4096xf16>
  %r = mirage_kernel.graph ins(%H, %X, %Alpha : tensor<8x4096xf16>, tensor<8x4096xf16>, tensor<8x4096xf16>)
      outs(%e : tensor<8x4096xf16>) {
  ^bb0(%h: tensor<8x4096xf16>, %x: tensor<8x4096xf16>, %alpha: tensor<8x4096xf16>):
    %o = mirage_block.graph grid(x = 8) threads(256)
        ins(%h imap(x -> 0), %x imap(x -> 0), %alpha imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<8x4096xf16>, tensor<8x4096xf16>, tensor<8x4096xf16>) -> tensor<8x4096xf16> {
    ^bb0(%ht: tensor<1x4096xf16>, %xt: tensor<1x4096xf16>, %at: tensor<1x4096xf16>):
      %r = mirage_block.rms %ht dims [1] : tensor<1x4096xf16>
      %n = mirage_block.div %ht, %r : tensor<1x4096xf16>, tensor<1x1xf32>
      %a = mirage_block.add %n, %xt : tensor<1x4096xf32>, tensor<1x4096xf16>
      %b = mirage_block.mul %at, %a : tensor<1x4096xf16>, tensor<1x4096xf32>
      %c = mirage_block.add %xt, %b : tensor<1x4096xf16>, tensor<1x4096xf32>
      %s = mirage_block.rms %c dims [1] : tensor<1x4096xf32>
      %y = mirage_block.div %c, %s : tensor<1x4096xf32>, tensor<1x1xf32>
      mirage_block.yield %y : tensor<1x4096xf32>
    }
    mirage_kernel.yield %o : tensor<8x4096xf16>
  } : tensor<8x4096xf16>
  return %r : tensor<8x4096xf16>
}
