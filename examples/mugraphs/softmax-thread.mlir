// Softmax over rows of 4, as of the gate of a mixture of 4 experts, by shuffles. A warp holds
// 8 rows, one element a lane. After exchanges with the lanes 2 and 1 away, the four lanes of
// a row all have its maximum, and then its sum. With softmax-kernel.mlir:
//   mirage-verify softmax-kernel.mlir softmax-thread.mlir
#rows = #mirage_thread.layout<register = [], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]]>

func.func @softmax(%x: tensor<40x4xf32>) -> tensor<40x4xf32> {
  %empty = tensor.empty() : tensor<40x4xf32>
  %r = mirage_kernel.graph ins(%x : tensor<40x4xf32>) outs(%empty : tensor<40x4xf32>) {
  ^bb0(%a: tensor<40x4xf32>):
    %o = mirage_block.graph grid(x = 5) threads(32) ins(%a imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<40x4xf32>) -> tensor<40x4xf32> {
    ^bb0(%tile: tensor<8x4xf32>):
      %p = mirage_thread.graph items() ins(%tile imap()) outs(omap())
          : (tensor<8x4xf32>) -> tensor<8x4xf32> {
      ^bb0(%w: tensor<8x4xf32>):
        %xf = mirage_thread.load %w : (tensor<8x4xf32>) -> tensor<8x4xf32, #rows>
        %mo2 = mirage_thread.shuffle %xf xor [0, 2] : (tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows>
        %m2 = mirage_thread.maximum %xf, %mo2 : (tensor<8x4xf32, #rows>, tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows>
        %mo1 = mirage_thread.shuffle %m2 xor [0, 1] : (tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows>
        %m1 = mirage_thread.maximum %m2, %mo1 : (tensor<8x4xf32, #rows>, tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows>
        %d = mirage_thread.sub %xf, %m1 : (tensor<8x4xf32, #rows>, tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows>
        %f = mirage_thread.exp %d : (tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows>
        %so2 = mirage_thread.shuffle %f xor [0, 2] : (tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows>
        %s2 = mirage_thread.add %f, %so2 : (tensor<8x4xf32, #rows>, tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows>
        %so1 = mirage_thread.shuffle %s2 xor [0, 1] : (tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows>
        %s1 = mirage_thread.add %s2, %so1 : (tensor<8x4xf32, #rows>, tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows>
        %q = mirage_thread.div %f, %s1 : (tensor<8x4xf32, #rows>, tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows>
        %v = mirage_thread.store %q : (tensor<8x4xf32, #rows>) -> tensor<8x4xf32>
        mirage_thread.yield %v : tensor<8x4xf32>
      }
      mirage_block.yield %p : tensor<8x4xf32>
    }
    mirage_kernel.yield %o : tensor<40x4xf32>
  } : tensor<40x4xf32>
  return %r : tensor<40x4xf32>
}
