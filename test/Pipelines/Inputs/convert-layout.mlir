// A fragment goes through layouts whose lanes hold other elements: by register and lane
// exchanged (a transpose among lanes), replicated, and in f16.
#rows = #mirage_thread.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>
#columns = #mirage_thread.layout<register = [[1, 0], [2, 0]], lane = [[4, 0], [0, 1], [0, 2], [0, 4], [0, 8]]>
#mixed = #mirage_thread.layout<register = [[1, 0], [0, 8]], lane = [[0, 1], [3, 0], [0, 2], [4, 4], [0, 4]]>
#twice = #mirage_thread.layout<register = [[0, 1], [0, 2], [4, 0]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [0, 0]]>

func.func @convert(%x: tensor<8x16xf32>, %y: tensor<8x16xf16>) -> (tensor<8x16xf32>, tensor<8x16xf16>, tensor<8x16xf32>) {
  %e0 = tensor.empty() : tensor<8x16xf32>
  %e1 = tensor.empty() : tensor<8x16xf16>
  %e2 = tensor.empty() : tensor<8x16xf32>
  %r:3 = mirage_kernel.graph ins(%x, %y : tensor<8x16xf32>, tensor<8x16xf16>) outs(%e0, %e1, %e2 : tensor<8x16xf32>, tensor<8x16xf16>, tensor<8x16xf32>) {
  ^bb0(%a: tensor<8x16xf32>, %b: tensor<8x16xf16>):
    %o:3 = mirage_block.graph grid() threads(32) ins(%a imap(), %b imap()) outs(omap(), omap(), omap())
        : (tensor<8x16xf32>, tensor<8x16xf16>) -> (tensor<8x16xf32>, tensor<8x16xf16>, tensor<8x16xf32>) {
    ^bb0(%s: tensor<8x16xf32>, %t: tensor<8x16xf16>):
      %p:3 = mirage_thread.graph items() ins(%s imap(), %t imap()) outs(omap(), omap(), omap())
          : (tensor<8x16xf32>, tensor<8x16xf16>) -> (tensor<8x16xf32>, tensor<8x16xf16>, tensor<8x16xf32>) {
      ^bb0(%v: tensor<8x16xf32>, %w: tensor<8x16xf16>):
        %f = mirage_thread.load %v : (tensor<8x16xf32>) -> tensor<8x16xf32, #rows>
        %g = mirage_thread.convert_layout %f : (tensor<8x16xf32, #rows>) -> tensor<8x16xf32, #columns>
        %h = mirage_thread.neg %g : (tensor<8x16xf32, #columns>) -> tensor<8x16xf32, #columns>
        %i = mirage_thread.convert_layout %h : (tensor<8x16xf32, #columns>) -> tensor<8x16xf32, #mixed>
        %j = mirage_thread.store %i : (tensor<8x16xf32, #mixed>) -> tensor<8x16xf32>
        %k = mirage_thread.load %w : (tensor<8x16xf16>) -> tensor<8x16xf16, #mixed>
        %l = mirage_thread.convert_layout %k : (tensor<8x16xf16, #mixed>) -> tensor<8x16xf16, #twice>
        %m = mirage_thread.convert_layout %l : (tensor<8x16xf16, #twice>) -> tensor<8x16xf16, #columns>
        %n = mirage_thread.store %m : (tensor<8x16xf16, #columns>) -> tensor<8x16xf16>
        %q = mirage_thread.shuffle %f xor [3, 12] : (tensor<8x16xf32, #rows>) -> tensor<8x16xf32, #rows>
        %u = mirage_thread.add %q, %f : (tensor<8x16xf32, #rows>, tensor<8x16xf32, #rows>) -> tensor<8x16xf32, #rows>
        %z = mirage_thread.store %u : (tensor<8x16xf32, #rows>) -> tensor<8x16xf32>
        mirage_thread.yield %j, %n, %z : tensor<8x16xf32>, tensor<8x16xf16>, tensor<8x16xf32>
      }
      mirage_block.yield %p#0, %p#1, %p#2 : tensor<8x16xf32>, tensor<8x16xf16>, tensor<8x16xf32>
    }
    mirage_kernel.yield %o#0, %o#1, %o#2 : tensor<8x16xf32>, tensor<8x16xf16>, tensor<8x16xf32>
  } : tensor<8x16xf32>, tensor<8x16xf16>, tensor<8x16xf32>
  return %r#0, %r#1, %r#2 : tensor<8x16xf32>, tensor<8x16xf16>, tensor<8x16xf32>
}
