// Warps with two items each, whose 128 sums grow in registers and which share their right operand:
// eight steps of it are 256 registers of a lane.
func.func @shared_operand(%a: tensor<157x504xbf16>, %w: tensor<504x250xbf16> {mirage_kernel.strides = array<i64: 1, 504>}) -> tensor<157x250xbf16> {
  %e = tensor.empty() : tensor<157x250xbf16>
  %r = mirage_kernel.graph ins(%a, %w : tensor<157x504xbf16>, tensor<504x250xbf16>) outs(%e : tensor<157x250xbf16>) {
  ^bb0(%ak: tensor<157x504xbf16>, %wk: tensor<504x250xbf16>):
    %o = mirage_block.graph grid(x = 2, y = 2) threads(128) loop(4) ins(%ak imap(x -> 0) fmap(1), %wk imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1))
        : (tensor<157x504xbf16>, tensor<504x250xbf16>) -> tensor<157x250xbf16> {
    ^bb0(%at: tensor<128x128xbf16>, %wt: tensor<128x128xbf16>):
      %p = mirage_block.matmul %at, %wt : tensor<128x128xbf16>, tensor<128x128xbf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<128x128xf32>
      mirage_block.yield %s : tensor<128x128xf32>
    }
    mirage_kernel.yield %o : tensor<157x250xbf16>
  } : tensor<157x250xbf16>
  return %r : tensor<157x250xbf16>
}
