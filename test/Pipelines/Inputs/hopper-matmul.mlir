// A matrix product as Hopper would have it: the left tile by the copy engine, the right one
// by cp.async, a product that four warps take together, with the left operand in registers.
#acc = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>

func.func @matmul(%x: tensor<128x256xf16>, %y: tensor<256x48xf16>) -> tensor<128x48xf16> {
  %e = tensor.empty() : tensor<128x48xf16>
  %r = mirage_kernel.graph ins(%x, %y : tensor<128x256xf16>, tensor<256x48xf16>) outs(%e : tensor<128x48xf16>) {
  ^bb0(%a: tensor<128x256xf16>, %b: tensor<256x48xf16>):
    %c = mirage_block.graph grid(x = 2, y = 3) threads(128) loop(4)
        ins(%a imap(x -> 0) fmap(1), %b imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1))
        : (tensor<128x256xf16>, tensor<256x48xf16>) -> tensor<128x48xf16> {
    ^bb0(%at: tensor<64x64xf16>, %bt: tensor<64x16xf16>):
      %as, %bs = mirage_thread.graph items() ins(%at imap(), %bt imap()) outs(omap(), omap())
          : (tensor<64x64xf16>, tensor<64x16xf16>) -> (tensor<64x64xf16>, tensor<64x16xf16>) {
      ^bb0(%aw: tensor<64x64xf16>, %bw: tensor<64x16xf16>):
        %0 = mirage_thread.tma_load %aw swizzle 128 : (tensor<64x64xf16>) -> tensor<64x64xf16>
        %1 = mirage_thread.cp_async %bw bytes 16 : (tensor<64x16xf16>) -> tensor<64x16xf16>
        mirage_thread.yield %0, %1 : tensor<64x64xf16>, tensor<64x16xf16>
      }
      %p = mirage_thread.graph items(x = 4) steps(4)
          ins(%as imap(x -> 0) fmap(1), %bs imap() fmap(0)) outs(omap(x -> 0)) : (tensor<64x64xf16>, tensor<64x16xf16>) -> tensor<64x16xf32> {
      ^bb0(%aw: tensor<16x16xf16>, %bw: tensor<16x16xf16>):
        %af = mirage_thread.load %aw : (tensor<16x16xf16>) -> tensor<16x16xf16, #acc>
        %0 = mirage_thread.wgmma %af, %bw : (tensor<16x16xf16, #acc>, tensor<16x16xf16>) -> tensor<16x16xf32, #acc>
        %1 = mirage_thread.accumulate %0 over loop sum : (tensor<16x16xf32, #acc>) -> tensor<16x16xf32, #acc>
        %2 = mirage_thread.store %1 : (tensor<16x16xf32, #acc>) -> tensor<16x16xf32>
        mirage_thread.yield %2 : tensor<16x16xf32>
      }
      %s = mirage_block.accumulate %p over loop sum : tensor<64x16xf32>
      mirage_block.yield %s : tensor<64x16xf32>
    }
    mirage_kernel.yield %c : tensor<128x48xf16>
  } : tensor<128x48xf16>
  return %r : tensor<128x48xf16>
}
