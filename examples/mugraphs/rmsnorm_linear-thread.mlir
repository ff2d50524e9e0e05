// RMSNorm followed by a linear layer, with what the warps of a block do: fragments of
// mma.sync.m16n8k16 for the product, rows for the division.

// The left operand, the right operand and the accumulator of mma.sync.m16n8k16.
#a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#b = #mirage_thread.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
// A row of 64 elements, two neighbours in each lane; one element that all lanes hold.
#row = #mirage_thread.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]]>
#one = #mirage_thread.layout<register = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]]>

func.func @rmsnorm_linear(%x: tensor<8x4096xf16>, %w: tensor<4096x6144xf16>) -> tensor<8x6144xf16> {
  %e = tensor.empty() : tensor<8x6144xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<8x4096xf16>, tensor<4096x6144xf16>)
      outs(%e : tensor<8x6144xf16>) {
  ^bb0(%a: tensor<8x4096xf16>, %b: tensor<4096x6144xf16>):
    %o = mirage_block.graph grid(x = 128) threads(128) loop(16)
        ins(%a imap() fmap(1), %b imap(x -> 1) fmap(0)) outs(omap(x -> 1))
        : (tensor<8x4096xf16>, tensor<4096x6144xf16>) -> tensor<8x6144xf16> {
    ^bb0(%at: tensor<8x256xf16>, %bt: tensor<256x48xf16>):
      %rms = mirage_block.accumulate %at over loop rms dims [1] count 4096 : tensor<8x256xf16>
      %p = mirage_thread.graph items(x = 6) steps(16)
          ins(%at imap() fmap(1), %bt imap(x -> 1) fmap(0)) outs(omap(x -> 1))
          : (tensor<8x256xf16>, tensor<256x48xf16>) -> tensor<8x48xf32> {
      ^bb0(%aw: tensor<16x16xf16>, %bw: tensor<16x8xf16>):
        %af = mirage_thread.ldmatrix %aw : (tensor<16x16xf16>) -> tensor<16x16xf16, #a>
        %bf = mirage_thread.ldmatrix %bw : (tensor<16x8xf16>) -> tensor<16x8xf16, #b>
        %pf = mirage_thread.mma %af, %bf shape [16, 8, 16] : (tensor<16x16xf16, #a>, tensor<16x8xf16, #b>) -> tensor<16x8xf32, #c>
        %sf = mirage_thread.accumulate %pf over loop sum : (tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c>
        %sw = mirage_thread.store %sf : (tensor<16x8xf32, #c>) -> tensor<16x8xf32>
        mirage_thread.yield %sw : tensor<16x8xf32>
      }
      %acc = mirage_block.accumulate %p over loop sum : tensor<8x48xf32>
      %d = mirage_thread.graph items(x = 8) ins(%acc imap(x -> 0), %rms imap(x -> 0)) outs(omap(x -> 0))
          : (tensor<8x48xf32>, tensor<8x1xf32>) -> tensor<8x48xf32> {
      ^bb0(%accw: tensor<1x64xf32>, %rmsw: tensor<1x1xf32>):
        %accf = mirage_thread.load %accw : (tensor<1x64xf32>) -> tensor<1x64xf32, #row>
        %rmsf = mirage_thread.load %rmsw : (tensor<1x1xf32>) -> tensor<1x1xf32, #one>
        %df = mirage_thread.div %accf, %rmsf : (tensor<1x64xf32, #row>, tensor<1x1xf32, #one>) -> tensor<1x64xf32, #row>
        %dw = mirage_thread.store %df : (tensor<1x64xf32, #row>) -> tensor<1x64xf32>
        mirage_thread.yield %dw : tensor<1x64xf32>
      }
      mirage_block.yield %d : tensor<8x48xf32>
    }
    mirage_kernel.yield %o : tensor<8x6144xf16>
  } : tensor<8x6144xf16>
  return %r : tensor<8x6144xf16>
}
