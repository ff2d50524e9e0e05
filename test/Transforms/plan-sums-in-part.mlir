// Of sums that do not fit an error names a number of threads with which the graph compiles also
// where these have registers for some of several sums, so that the rest fits, and where they have
// whole rows of the results, of which they may hold more.
// RUN: not mirage-opt %s --split-input-file --mirage-compile="from=optimize to=optimize target=sm_80" 2>&1 | FileCheck %s
// RUN: sed 's/threads(640)/threads(768)/; s/threads(960)/threads(256)/' %s | mirage-opt --split-input-file --mirage-compile="from=optimize to=optimize target=sm_80" -o /dev/null

// CHECK: error: expects tiles that fit 166912 bytes of shared memory, got {{[0-9]+}} bytes
// CHECK: note: threads(768) would have registers for some of the sums, and the other tiles fit
func.func @some_of_three(%x: tensor<96x128xbf16>, %u: tensor<128x104xbf16>, %v: tensor<128x104xbf16>, %w: tensor<128x104xbf16>)
    -> (tensor<96x104xf16>, tensor<96x104xf16>, tensor<96x104xf16>) {
  %e = tensor.empty() : tensor<96x104xf16>
  %r:3 = mirage_kernel.graph ins(%x, %u, %v, %w : tensor<96x128xbf16>, tensor<128x104xbf16>, tensor<128x104xbf16>, tensor<128x104xbf16>)
      outs(%e, %e, %e : tensor<96x104xf16>, tensor<96x104xf16>, tensor<96x104xf16>) {
  ^bb0(%xk: tensor<96x128xbf16>, %uk: tensor<128x104xbf16>, %vk: tensor<128x104xbf16>, %wk: tensor<128x104xbf16>):
    %o:3 = mirage_block.graph grid() threads(640) loop(2) ins(%xk imap() fmap(1), %uk imap() fmap(0), %vk imap() fmap(0), %wk imap() fmap(0)) outs(omap(), omap(), omap())
        : (tensor<96x128xbf16>, tensor<128x104xbf16>, tensor<128x104xbf16>, tensor<128x104xbf16>) -> (tensor<96x104xf16>, tensor<96x104xf16>, tensor<96x104xf16>) {
    ^bb0(%xt: tensor<96x64xbf16>, %ut: tensor<64x104xbf16>, %vt: tensor<64x104xbf16>, %wt: tensor<64x104xbf16>):
      %p0 = mirage_block.matmul %xt, %ut : tensor<96x64xbf16>, tensor<64x104xbf16>
      %s0 = mirage_block.accumulate %p0 over loop sum : tensor<96x104xf32>
      %p1 = mirage_block.matmul %xt, %vt : tensor<96x64xbf16>, tensor<64x104xbf16>
      %s1 = mirage_block.accumulate %p1 over loop sum : tensor<96x104xf32>
      %p2 = mirage_block.matmul %xt, %wt : tensor<96x64xbf16>, tensor<64x104xbf16>
      %s2 = mirage_block.accumulate %p2 over loop sum : tensor<96x104xf32>
      mirage_block.yield %s0, %s1, %s2 : tensor<96x104xf32>, tensor<96x104xf32>, tensor<96x104xf32>
    }
    mirage_kernel.yield %o#0, %o#1, %o#2 : tensor<96x104xf16>, tensor<96x104xf16>, tensor<96x104xf16>
  } : tensor<96x104xf16>, tensor<96x104xf16>, tensor<96x104xf16>
  return %r#0, %r#1, %r#2 : tensor<96x104xf16>, tensor<96x104xf16>, tensor<96x104xf16>
}

// -----

// Eight warps have 16 rows each, and half of their registers for them; plain items have three eighths.
// CHECK: error: expects tiles that fit 166912 bytes of shared memory, got {{[0-9]+}} bytes
// CHECK: note: threads(256) would have registers for the sums of products, and the other tiles fit
func.func @rows(%x: tensor<128x256xf16>, %w: tensor<256x256xf16>) -> tensor<128x256xf16> {
  %e = tensor.empty() : tensor<128x256xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<128x256xf16>, tensor<256x256xf16>) outs(%e : tensor<128x256xf16>) {
  ^bb0(%xk: tensor<128x256xf16>, %wk: tensor<256x256xf16>):
    %o = mirage_block.graph grid() threads(960) loop(8) ins(%xk imap() fmap(1), %wk imap() fmap(0)) outs(omap())
        : (tensor<128x256xf16>, tensor<256x256xf16>) -> tensor<128x256xf16> {
    ^bb0(%xt: tensor<128x32xf16>, %wt: tensor<32x256xf16>):
      %p = mirage_block.matmul %xt, %wt : tensor<128x32xf16>, tensor<32x256xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<128x256xf32>
      mirage_block.yield %s : tensor<128x256xf32>
    }
    mirage_kernel.yield %o : tensor<128x256xf16>
  } : tensor<128x256xf16>
  return %r : tensor<128x256xf16>
}
