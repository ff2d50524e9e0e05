// Softmax over rows of 32 by shuffles: a warp holds a row, one element a lane. After five
// exchanges with the lane 16, 8, 4, 2 and 1 away, every lane has the row's maximum, and
// then its sum. With softmax-kernel.mlir:
//   mirage-verify softmax-kernel.mlir softmax-thread.mlir
#row = #mirage_thread.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]>

func.func @softmax(%x: tensor<40x32xf32>) -> tensor<40x32xf32> {
  %empty = tensor.empty() : tensor<40x32xf32>
  %r = mirage_kernel.graph ins(%x : tensor<40x32xf32>) outs(%empty : tensor<40x32xf32>) {
  ^bb0(%a: tensor<40x32xf32>):
    %o = mirage_block.graph grid(x = 5) threads(128) ins(%a imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<40x32xf32>) -> tensor<40x32xf32> {
    ^bb0(%tile: tensor<8x32xf32>):
      %p = mirage_thread.graph items(x = 8) ins(%tile imap(x -> 0)) outs(omap(x -> 0))
          : (tensor<8x32xf32>) -> tensor<8x32xf32> {
      ^bb0(%w: tensor<1x32xf32>):
        %xf = mirage_thread.load %w : (tensor<1x32xf32>) -> tensor<1x32xf32, #row>
        %mo16 = mirage_thread.shuffle %xf xor [0, 16] : (tensor<1x32xf32, #row>) -> tensor<1x32xf32, #row>
        %m16 = mirage_thread.maximum %xf, %mo16 : (tensor<1x32xf32, #row>, tensor<1x32xf32, #row>) -> tensor<1x32xf32, #row>
        %mo8 = mirage_thread.shuffle %m16 xor [0, 8] : (tensor<1x32xf32, #row>) -> tensor<1x32xf32, #row>
        %m8 = mirage_thread.maximum %m16, %mo8 : (tensor<1x32xf32, #row>, tensor<1x32xf32, #row>) -> tensor<1x32xf32, #row>
        %mo4 = mirage_thread.shuffle %m8 xor [0, 4] : (tensor<1x32xf32, #row>) -> tensor<1x32xf32, #row>
        %m4 = mirage_thread.maximum %m8, %mo4 : (tensor<1x32xf32, #row>, tensor<1x32xf32, #row>) -> tensor<1x32xf32, #row>
        %mo2 = mirage_thread.shuffle %m4 xor [0, 2] : (tensor<1x32xf32, #row>) -> tensor<1x32xf32, #row>
        %m2 = mirage_thread.maximum %m4, %mo2 : (tensor<1x32xf32, #row>, tensor<1x32xf32, #row>) -> tensor<1x32xf32, #row>
        %mo1 = mirage_thread.shuffle %m2 xor [0, 1] : (tensor<1x32xf32, #row>) -> tensor<1x32xf32, #row>
        %m1 = mirage_thread.maximum %m2, %mo1 : (tensor<1x32xf32, #row>, tensor<1x32xf32, #row>) -> tensor<1x32xf32, #row>
        %d = mirage_thread.sub %xf, %m1 : (tensor<1x32xf32, #row>, tensor<1x32xf32, #row>) -> tensor<1x32xf32, #row>
        %e = mirage_thread.exp %d : (tensor<1x32xf32, #row>) -> tensor<1x32xf32, #row>
        %so16 = mirage_thread.shuffle %e xor [0, 16] : (tensor<1x32xf32, #row>) -> tensor<1x32xf32, #row>
        %s16 = mirage_thread.add %e, %so16 : (tensor<1x32xf32, #row>, tensor<1x32xf32, #row>) -> tensor<1x32xf32, #row>
        %so8 = mirage_thread.shuffle %s16 xor [0, 8] : (tensor<1x32xf32, #row>) -> tensor<1x32xf32, #row>
        %s8 = mirage_thread.add %s16, %so8 : (tensor<1x32xf32, #row>, tensor<1x32xf32, #row>) -> tensor<1x32xf32, #row>
        %so4 = mirage_thread.shuffle %s8 xor [0, 4] : (tensor<1x32xf32, #row>) -> tensor<1x32xf32, #row>
        %s4 = mirage_thread.add %s8, %so4 : (tensor<1x32xf32, #row>, tensor<1x32xf32, #row>) -> tensor<1x32xf32, #row>
        %so2 = mirage_thread.shuffle %s4 xor [0, 2] : (tensor<1x32xf32, #row>) -> tensor<1x32xf32, #row>
        %s2 = mirage_thread.add %s4, %so2 : (tensor<1x32xf32, #row>, tensor<1x32xf32, #row>) -> tensor<1x32xf32, #row>
        %so1 = mirage_thread.shuffle %s2 xor [0, 1] : (tensor<1x32xf32, #row>) -> tensor<1x32xf32, #row>
        %s1 = mirage_thread.add %s2, %so1 : (tensor<1x32xf32, #row>, tensor<1x32xf32, #row>) -> tensor<1x32xf32, #row>
        %q = mirage_thread.div %e, %s1 : (tensor<1x32xf32, #row>, tensor<1x32xf32, #row>) -> tensor<1x32xf32, #row>
        %v = mirage_thread.store %q : (tensor<1x32xf32, #row>) -> tensor<1x32xf32>
        mirage_thread.yield %v : tensor<1x32xf32>
      }
      mirage_block.yield %p : tensor<8x32xf32>
    }
    mirage_kernel.yield %o : tensor<40x32xf32>
  } : tensor<40x32xf32>
  return %r : tensor<40x32xf32>
}
