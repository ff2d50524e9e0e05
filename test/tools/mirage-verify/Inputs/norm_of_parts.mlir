func.func @f(%arg0: tensor<4x12xf16>) -> tensor<4x12xf16> {
  %0 = tensor.empty() : tensor<4x12xf16>
  %1 = mirage_kernel.graph ins(%arg0 : tensor<4x12xf16>) outs(%0 : tensor<4x12xf16>) {
  ^bb0(%x: tensor<4x12xf16>):
    %y = mirage_block.graph grid(x = 4, y = 3) threads(128) ins(%x imap(x -> 0, y -> 1)) outs(omap(x -> 0, y -> 1)) : (tensor<4x12xf16>) -> tensor<4x12xf16> {
    ^bb0(%part: tensor<1x4xf16>):
      %squares = mirage_block.square %part : tensor<1x4xf16>
      %mean = mirage_block.mean %squares dims [1] count 12 : tensor<1x4xf32>
      %all = mirage_block.accumulate %mean over y sum : tensor<1x1xf32>
      %offset = mirage_block.offset %all by 1.0e-5 : tensor<1x1xf32>
      %root = mirage_block.sqrt %offset : tensor<1x1xf32>
      %normed = mirage_block.div %part, %root : tensor<1x4xf16>, tensor<1x1xf32>
      mirage_block.yield %normed : tensor<1x4xf32>
    }
    mirage_kernel.yield %y : tensor<4x12xf16>
  } : tensor<4x12xf16>
  return %1 : tensor<4x12xf16>
}
