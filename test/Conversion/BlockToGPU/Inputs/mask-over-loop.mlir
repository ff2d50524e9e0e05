func.func @f(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%a: tensor<8x16xf32>):
    %o = mirage_block.graph grid(x = 1) threads(128) loop(4) ins(%a imap()) outs(omap()) : (tensor<8x16xf32>) -> tensor<8x16xf32> {
    ^bb0(%t: tensor<8x16xf32>):
      %s = mirage_block.mask %t dims [1] axes ["loop"] extent 20 value 0.0 : tensor<8x16xf32>
      %u = mirage_block.accumulate %s over loop sum : tensor<8x16xf32>
      mirage_block.yield %u : tensor<8x16xf32>
    }
    mirage_kernel.yield %o : tensor<8x16xf32>
  } : tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}
