// softmax(q k) v w as one kernel whose loop reads what blocks have joined. Each block has 64 keys
// for 32 rows; exponentials are summed over all keys before the loop, which runs over
// columns of the values and adds up their products with the rows of w. Blocks along y,
// each with its keys' part of the result, are summed at the end.
// Compiled, what the loop waits for comes in a launch ahead (--mirage-split-grid-joins):
//   mirage-opt examples/mugraphs/joined_before_loop.mlir --mirage-split-grid-joins
func.func @attention_linear(%q: tensor<64x64xf16>, %k: tensor<64x256xf16>, %v: tensor<256x128xf16>, %w: tensor<128x64xf16>) -> tensor<64x64xf32> {
  %empty = tensor.empty() : tensor<64x64xf32>
  %attended = mirage_kernel.graph ins(%q, %k, %v, %w : tensor<64x64xf16>, tensor<64x256xf16>, tensor<256x128xf16>, tensor<128x64xf16>) outs(%empty : tensor<64x64xf32>) {
  ^bb0(%qs: tensor<64x64xf16>, %ks: tensor<64x256xf16>, %vs: tensor<256x128xf16>, %ws: tensor<128x64xf16>):
    %out = mirage_block.graph grid(x = 2, y = 4) threads(128) loop(4) stages(2)
        ins(%qs imap(x -> 0), %ks imap(y -> 1), %vs imap(y -> 0) fmap(1), %ws imap() fmap(0))
        outs(omap(x -> 0, y -> sum))
        : (tensor<64x64xf16>, tensor<64x256xf16>, tensor<256x128xf16>, tensor<128x64xf16>) -> tensor<64x64xf32> {
    ^bb0(%qt: tensor<32x64xf16>, %kt: tensor<64x64xf16>, %vt: tensor<64x32xf16>, %wt: tensor<32x64xf16>):
      %scores = mirage_block.matmul %qt, %kt : tensor<32x64xf16>, tensor<64x64xf16>
      %scaled = mirage_block.scale %scores by 0.125 : tensor<32x64xf32>
      %p = mirage_block.exp %scaled : tensor<32x64xf32>
      %l = mirage_block.accumulate %p over y sum dims [1] : tensor<32x64xf32>
      %n = mirage_block.div %p, %l : tensor<32x64xf32>, tensor<32x1xf32>
      %pv = mirage_block.matmul %n, %vt : tensor<32x64xf32>, tensor<64x32xf16>
      %pvw = mirage_block.matmul %pv, %wt : tensor<32x32xf32>, tensor<32x64xf16>
      %sum = mirage_block.accumulate %pvw over loop sum : tensor<32x64xf32>
      mirage_block.yield %sum : tensor<32x64xf32>
    }
    mirage_kernel.yield %out : tensor<64x64xf32>
  } : tensor<64x64xf32>
  return %attended : tensor<64x64xf32>
}
