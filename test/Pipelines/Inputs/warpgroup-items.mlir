// Steps of four warps together that only somebody who writes them by hand has.
#lhs = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#rhs64 = #mirage_thread.layout<register = [[1, 0], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#sum64 = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#rhs128 = #mirage_thread.layout<register = [[1, 0], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#sum128 = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>

// Each item multiplies a third of the columns of a tile that the copy engine has loaded: a panel.
func.func @thirds(%x: tensor<64x128xf16>, %w: tensor<128x192xf16>) -> tensor<64x192xf16> {
  %e = tensor.empty() : tensor<64x192xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<64x128xf16>, tensor<128x192xf16>) outs(%e : tensor<64x192xf16>) {
  ^bb0(%a: tensor<64x128xf16>, %b: tensor<128x192xf16>):
    %o = mirage_block.graph grid() threads(128) loop(4) stages(2)
        ins(%a imap() fmap(1), %b imap() fmap(0)) outs(omap())
        : (tensor<64x128xf16>, tensor<128x192xf16>) -> tensor<64x192xf16> {
    ^bb0(%xt: tensor<64x32xf16>, %wt: tensor<32x192xf16>):
      %p = mirage_thread.graph items(x = 3, y = 4) steps(2)
          ins(%xt imap(y -> 0) fmap(1), %wt imap(x -> 1) fmap(0)) outs(omap(x -> 1, y -> 0))
          : (tensor<64x32xf16>, tensor<32x192xf16>) -> tensor<64x192xf32> {
      ^bb0(%xw: tensor<16x16xf16>, %ww: tensor<16x64xf16>):
        %xf = mirage_thread.ldmatrix %xw : (tensor<16x16xf16>) -> tensor<16x16xf16, #lhs>
        %wf = mirage_thread.ldmatrix %ww : (tensor<16x64xf16>) -> tensor<16x64xf16, #rhs64>
        %m = mirage_thread.mma %xf, %wf shape [16, 8, 16]
            : (tensor<16x16xf16, #lhs>, tensor<16x64xf16, #rhs64>) -> tensor<16x64xf32, #sum64>
        %s = mirage_thread.accumulate %m over loop sum : (tensor<16x64xf32, #sum64>) -> tensor<16x64xf32, #sum64>
        %v = mirage_thread.store %s : (tensor<16x64xf32, #sum64>) -> tensor<16x64xf32>
        mirage_thread.yield %v : tensor<16x64xf32>
      }
      %acc = mirage_block.accumulate %p over loop sum : tensor<64x192xf32>
      mirage_block.yield %acc : tensor<64x192xf32>
    }
    mirage_kernel.yield %o : tensor<64x192xf16>
  } : tensor<64x192xf16>
  return %r : tensor<64x192xf16>
}

// Half of them, which are two panels; two warpgroups.
func.func @halves(%x: tensor<128x64xf16>, %w: tensor<64x256xf16>) -> tensor<128x256xf16> {
  %e = tensor.empty() : tensor<128x256xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<128x64xf16>, tensor<64x256xf16>) outs(%e : tensor<128x256xf16>) {
  ^bb0(%a: tensor<128x64xf16>, %b: tensor<64x256xf16>):
    %o = mirage_block.graph grid(x = 2) threads(256) loop(4) stages(3)
        ins(%a imap(x -> 0) fmap(1), %b imap() fmap(0)) outs(omap(x -> 0))
        : (tensor<128x64xf16>, tensor<64x256xf16>) -> tensor<128x256xf16> {
    ^bb0(%xt: tensor<64x16xf16>, %wt: tensor<16x256xf16>):
      %p = mirage_thread.graph items(x = 2, y = 4)
          ins(%xt imap(y -> 0), %wt imap(x -> 1)) outs(omap(x -> 1, y -> 0))
          : (tensor<64x16xf16>, tensor<16x256xf16>) -> tensor<64x256xf32> {
      ^bb0(%xw: tensor<16x16xf16>, %ww: tensor<16x128xf16>):
        %xf = mirage_thread.ldmatrix %xw : (tensor<16x16xf16>) -> tensor<16x16xf16, #lhs>
        %wf = mirage_thread.ldmatrix %ww : (tensor<16x128xf16>) -> tensor<16x128xf16, #rhs128>
        %m = mirage_thread.mma %xf, %wf shape [16, 8, 16]
            : (tensor<16x16xf16, #lhs>, tensor<16x128xf16, #rhs128>) -> tensor<16x128xf32, #sum128>
        %v = mirage_thread.store %m : (tensor<16x128xf32, #sum128>) -> tensor<16x128xf32>
        mirage_thread.yield %v : tensor<16x128xf32>
      }
      %acc = mirage_block.accumulate %p over loop sum : tensor<64x256xf32>
      mirage_block.yield %acc : tensor<64x256xf32>
    }
    mirage_kernel.yield %o : tensor<128x256xf16>
  } : tensor<128x256xf16>
  return %r : tensor<128x256xf16>
}

// Left operands that are not rows one after the other: of each item other columns, of which the last
// goes beyond the tile.
func.func @parts(%x: tensor<16x224xf16>, %w: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %e = tensor.empty() : tensor<64x64xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x224xf16>, tensor<64x64xf16>) outs(%e : tensor<64x64xf16>) {
  ^bb0(%a: tensor<16x224xf16>, %b: tensor<64x64xf16>):
    %o = mirage_block.graph grid() threads(128) loop(4) stages(2)
        ins(%a imap() fmap(1), %b imap() fmap(0)) outs(omap())
        : (tensor<16x224xf16>, tensor<64x64xf16>) -> tensor<64x64xf16> {
    ^bb0(%xt: tensor<16x56xf16>, %wt: tensor<16x64xf16>):
      %p = mirage_thread.graph items(x = 4)
          ins(%xt imap(x -> 1), %wt imap()) outs(omap(x -> 0))
          : (tensor<16x56xf16>, tensor<16x64xf16>) -> tensor<64x64xf32> {
      ^bb0(%xw: tensor<16x16xf16>, %ww: tensor<16x64xf16>):
        %xf = mirage_thread.ldmatrix %xw : (tensor<16x16xf16>) -> tensor<16x16xf16, #lhs>
        %wf = mirage_thread.ldmatrix %ww : (tensor<16x64xf16>) -> tensor<16x64xf16, #rhs64>
        %m = mirage_thread.mma %xf, %wf shape [16, 8, 16]
            : (tensor<16x16xf16, #lhs>, tensor<16x64xf16, #rhs64>) -> tensor<16x64xf32, #sum64>
        %v = mirage_thread.store %m : (tensor<16x64xf32, #sum64>) -> tensor<16x64xf32>
        mirage_thread.yield %v : tensor<16x64xf32>
      }
      %acc = mirage_block.accumulate %p over loop sum : tensor<64x64xf32>
      mirage_block.yield %acc : tensor<64x64xf32>
    }
    mirage_kernel.yield %o : tensor<64x64xf16>
  } : tensor<64x64xf16>
  return %r : tensor<64x64xf16>
}
