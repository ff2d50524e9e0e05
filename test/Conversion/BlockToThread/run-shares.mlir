// Sums of products whose items come to warps as shares, not all of them as many: extents of items
// that are no powers of two, and fewer items than warps. Run on the emulator, in order and by a
// random schedule, against float64.
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize artifact=%t/90" -o /dev/null
// RUN: mirage-opt %s --mirage-compile="from=optimize target=sm_80 artifact=%t/80" -o /dev/null
// RUN: for name in uneven uneven_warps alone narrower narrower_behind narrower_beside divided heads; do \
// RUN:   mirage-run %t/90/$name --check && mirage-run %t/90/$name --check --schedule=5 && \
// RUN:   mirage-run %t/80/$name --check && mirage-run %t/80/$name --check --schedule=5 || exit 1; \
// RUN: done

// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize target=sm_80" -o %t/80.mlir && FileCheck %s --input-file=%t/80.mlir
// RUN: mirage-check-plans %t/80.mlir

// 15 items for four warps: 64 registers of a thread, where 8 x 4 would be 128. Shared memory holds
// the sum alone, behind the loop, and no part of it.
// CHECK-LABEL: func.func @uneven(
// CHECK: mirage_block.graph {{.*}}mirage.shared_bytes = 33280 : i64
// CHECK: mirage_thread.graph items(x = 5, y = 3) {{.*}}mirage.held, mirage.held_shares
func.func @uneven(%x: tensor<80x96xf16>, %w: tensor<96x96xf16>) -> tensor<80x96xf32> {
  %e = tensor.empty() : tensor<80x96xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<80x96xf16>, tensor<96x96xf16>) outs(%e : tensor<80x96xf32>) {
  ^bb0(%xk: tensor<80x96xf16>, %wk: tensor<96x96xf16>):
    %o = mirage_block.graph grid() threads(128) loop(3) stages(2) ins(%xk imap() fmap(1), %wk imap() fmap(0)) outs(omap())
        : (tensor<80x96xf16>, tensor<96x96xf16>) -> tensor<80x96xf32> {
    ^bb0(%xt: tensor<80x32xf16>, %wt: tensor<32x96xf16>):
      %p = mirage_block.matmul %xt, %wt : tensor<80x32xf16>, tensor<32x96xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<80x96xf32>
      mirage_block.yield %s : tensor<80x96xf32>
    }
    mirage_kernel.yield %o : tensor<80x96xf32>
  } : tensor<80x96xf32>
  return %r : tensor<80x96xf32>
}

// 30 items for 12 warps, of which the last six have two and the others three.
// CHECK-LABEL: func.func @uneven_warps(
// CHECK: mirage_thread.graph items(x = 10, y = 3) {{.*}}mirage.held,
func.func @uneven_warps(%x: tensor<160x64xbf16>, %w: tensor<64x96xbf16>) -> tensor<160x96xf32> {
  %e = tensor.empty() : tensor<160x96xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<160x64xbf16>, tensor<64x96xbf16>) outs(%e : tensor<160x96xf32>) {
  ^bb0(%xk: tensor<160x64xbf16>, %wk: tensor<64x96xbf16>):
    %o = mirage_block.graph grid() threads(384) loop(2) ins(%xk imap() fmap(1), %wk imap() fmap(0)) outs(omap())
        : (tensor<160x64xbf16>, tensor<64x96xbf16>) -> tensor<160x96xf32> {
    ^bb0(%xt: tensor<160x32xbf16>, %wt: tensor<32x96xbf16>):
      %p = mirage_block.matmul %xt, %wt : tensor<160x32xbf16>, tensor<32x96xbf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<160x96xf32>
      %q = mirage_block.square %s : tensor<160x96xf32>
      %n = mirage_block.sum %q dims [1] : tensor<160x96xf32>
      %d = mirage_block.div %s, %n : tensor<160x96xf32>, tensor<160x1xf32>
      mirage_block.yield %d : tensor<160x96xf32>
    }
    mirage_kernel.yield %o : tensor<160x96xf32>
  } : tensor<160x96xf32>
  return %r : tensor<160x96xf32>
}

// Two warps of eight have the sum, whose k is too short to be shared: the others read nothing.
// CHECK-LABEL: func.func @alone(
// CHECK: mirage_thread.graph items(x = 2) {{.*}}mirage.held, mirage.held_shares
func.func @alone(%x: tensor<16x64xf16>, %w: tensor<64x16xf16>) -> tensor<16x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x64xf16>, tensor<64x16xf16>) outs(%e : tensor<16x16xf32>) {
  ^bb0(%xk: tensor<16x64xf16>, %wk: tensor<64x16xf16>):
    %o = mirage_block.graph grid() threads(256) loop(4) ins(%xk imap() fmap(1), %wk imap() fmap(0)) outs(omap())
        : (tensor<16x64xf16>, tensor<64x16xf16>) -> tensor<16x16xf32> {
    ^bb0(%xt: tensor<16x16xf16>, %wt: tensor<16x16xf16>):
      %p = mirage_block.matmul %xt, %wt : tensor<16x16xf16>, tensor<16x16xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<16x16xf32>
      mirage_block.yield %s : tensor<16x16xf32>
    }
    mirage_kernel.yield %o : tensor<16x16xf32>
  } : tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// 36 items of 32 columns would be two for some of 32 warps, and 32 registers of 21 that there are
// for a sum; of 8 columns they come out even enough.
// CHECK-LABEL: func.func @narrower(
// CHECK: mirage_thread.graph items(x = 6, y = 24) {{.*}}mirage.held
func.func @narrower(%x: tensor<96x32xf16>, %w: tensor<32x192xf16>) -> tensor<96x192xf32> {
  %e = tensor.empty() : tensor<96x192xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<96x32xf16>, tensor<32x192xf16>) outs(%e : tensor<96x192xf32>) {
  ^bb0(%xk: tensor<96x32xf16>, %wk: tensor<32x192xf16>):
    %o = mirage_block.graph grid() threads(1024) loop(2) ins(%xk imap() fmap(1), %wk imap() fmap(0)) outs(omap())
        : (tensor<96x32xf16>, tensor<32x192xf16>) -> tensor<96x192xf32> {
    ^bb0(%xt: tensor<96x16xf16>, %wt: tensor<16x192xf16>):
      %p = mirage_block.matmul %xt, %wt : tensor<96x16xf16>, tensor<16x192xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<96x192xf32>
      mirage_block.yield %s : tensor<96x192xf32>
    }
    mirage_kernel.yield %o : tensor<96x192xf32>
  } : tensor<96x192xf32>
  return %r : tensor<96x192xf32>
}

// The same of a sum behind another step of what is multiplied: it takes these registers as well.
// CHECK-LABEL: func.func @narrower_behind(
// CHECK: mirage_thread.graph items(x = 6, y = 24) {{.*}}mirage.held
func.func @narrower_behind(%x: tensor<96x32xf16>, %w: tensor<32x192xf16>) -> tensor<96x192xf32> {
  %e = tensor.empty() : tensor<96x192xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<96x32xf16>, tensor<32x192xf16>) outs(%e : tensor<96x192xf32>) {
  ^bb0(%xk: tensor<96x32xf16>, %wk: tensor<32x192xf16>):
    %o = mirage_block.graph grid() threads(1024) loop(2) ins(%xk imap() fmap(1), %wk imap() fmap(0)) outs(omap())
        : (tensor<96x32xf16>, tensor<32x192xf16>) -> tensor<96x192xf32> {
    ^bb0(%xt: tensor<96x16xf16>, %wt: tensor<16x192xf16>):
      %p = mirage_block.matmul %xt, %wt : tensor<96x16xf16>, tensor<16x192xf16>
      %q = mirage_block.square %p : tensor<96x192xf32>
      %s = mirage_block.accumulate %q over loop sum : tensor<96x192xf32>
      mirage_block.yield %s : tensor<96x192xf32>
    }
    mirage_kernel.yield %o : tensor<96x192xf32>
  } : tensor<96x192xf32>
  return %r : tensor<96x192xf32>
}

// 21 items of 32 columns would be 96 registers for one of four warps, which is what sums of products
// have. Beside another sum they all have a third, 85: items are 16 columns wide, and take 72.
// CHECK-LABEL: func.func @narrower_beside(
// CHECK: mirage_thread.graph items(x = 7, y = 5) {{.*}}mirage.held
// CHECK: mirage_thread.graph {{.*}}mirage.held
func.func @narrower_beside(%x: tensor<112x32xf16>, %w: tensor<32x80xf16>) -> (tensor<112x80xf32>, tensor<1x80xf32>) {
  %e0 = tensor.empty() : tensor<112x80xf32>
  %e1 = tensor.empty() : tensor<1x80xf32>
  %r:2 = mirage_kernel.graph ins(%x, %w : tensor<112x32xf16>, tensor<32x80xf16>) outs(%e0, %e1 : tensor<112x80xf32>, tensor<1x80xf32>) {
  ^bb0(%xk: tensor<112x32xf16>, %wk: tensor<32x80xf16>):
    %o:2 = mirage_block.graph grid() threads(128) loop(2) ins(%xk imap() fmap(1), %wk imap() fmap(0)) outs(omap(), omap())
        : (tensor<112x32xf16>, tensor<32x80xf16>) -> (tensor<112x80xf32>, tensor<1x80xf32>) {
    ^bb0(%xt: tensor<112x16xf16>, %wt: tensor<16x80xf16>):
      %p = mirage_block.matmul %xt, %wt : tensor<112x16xf16>, tensor<16x80xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<112x80xf32>
      %q = mirage_block.sum %wt dims [0] : tensor<16x80xf16>
      %t = mirage_block.accumulate %q over loop sum : tensor<1x80xf32>
      mirage_block.yield %s, %t : tensor<112x80xf32>, tensor<1x80xf32>
    }
    mirage_kernel.yield %o#0, %o#1 : tensor<112x80xf32>, tensor<1x80xf32>
  } : tensor<112x80xf32>, tensor<1x80xf32>
  return %r#0, %r#1 : tensor<112x80xf32>, tensor<1x80xf32>
}

// Exact products: 3 columns of items for six warps, so that rounds are rows and no number is divided.
// CHECK-LABEL: func.func @divided(
// CHECK: mirage_thread.graph items(x = {{[0-9]+}}, y = 3) {{.*}}mirage.held
func.func @divided(%x: tensor<64x16xf32>, %w: tensor<16x96xf32>) -> tensor<64x96xf32> {
  %e = tensor.empty() : tensor<64x96xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<64x16xf32>, tensor<16x96xf32>) outs(%e : tensor<64x96xf32>) {
  ^bb0(%xk: tensor<64x16xf32>, %wk: tensor<16x96xf32>):
    %o = mirage_block.graph grid() threads(192) loop(2) ins(%xk imap() fmap(1), %wk imap() fmap(0)) outs(omap())
        : (tensor<64x16xf32>, tensor<16x96xf32>) -> tensor<64x96xf32> {
    ^bb0(%xt: tensor<64x8xf32>, %wt: tensor<8x96xf32>):
      %p = mirage_block.matmul %xt, %wt : tensor<64x8xf32>, tensor<8x96xf32>
      %s = mirage_block.accumulate %p over loop sum : tensor<64x96xf32>
      mirage_block.yield %s : tensor<64x96xf32>
    }
    mirage_kernel.yield %o : tensor<64x96xf32>
  } : tensor<64x96xf32>
  return %r : tensor<64x96xf32>
}

// Rows of three heads, three items each, for five warps; a mask finds them by both numbers.
// CHECK-LABEL: func.func @heads(
// CHECK: mirage_thread.graph items(x = 3, y = 3) {{.*}}mirage.held
// CHECK: mirage_block.causal_mask {{.*}}mirage.held
func.func @heads(%x: tensor<3x48x16xf16>, %k: tensor<3x16x48xf16>, %v: tensor<3x48x16xf16>) -> tensor<3x48x16xf16> {
  %e = tensor.empty() : tensor<3x48x16xf16>
  %r = mirage_kernel.graph ins(%x, %k, %v : tensor<3x48x16xf16>, tensor<3x16x48xf16>, tensor<3x48x16xf16>) outs(%e : tensor<3x48x16xf16>) {
  ^bb0(%xk: tensor<3x48x16xf16>, %kk: tensor<3x16x48xf16>, %vk: tensor<3x48x16xf16>):
    %o = mirage_block.graph grid() threads(160) loop(3) stages(2) ins(%xk imap(), %kk imap() fmap(2), %vk imap() fmap(1)) outs(omap())
        : (tensor<3x48x16xf16>, tensor<3x16x48xf16>, tensor<3x48x16xf16>) -> tensor<3x48x16xf16> {
    ^bb0(%xt: tensor<3x48x16xf16>, %kt: tensor<3x16x16xf16>, %vt: tensor<3x16x16xf16>):
      %s = mirage_block.matmul %xt, %kt : tensor<3x48x16xf16>, tensor<3x16x16xf16>
      %b = mirage_block.causal_mask %s offset 0 rows [] columns ["loop"] : tensor<3x48x16xf32>
      %m = mirage_block.max %b dims [2] : tensor<3x48x16xf32>
      %c = mirage_block.sub %b, %m : tensor<3x48x16xf32>, tensor<3x48x1xf32>
      %p = mirage_block.exp %c : tensor<3x48x16xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] rescale by %m : tensor<3x48x16xf32>, tensor<3x48x1xf32>
      %h = mirage_block.cast %p : (tensor<3x48x16xf32>) -> tensor<3x48x16xf16>
      %t = mirage_block.matmul %h, %vt : tensor<3x48x16xf16>, tensor<3x16x16xf16>
      %n = mirage_block.accumulate %t over loop sum rescale by %m : tensor<3x48x16xf32>, tensor<3x48x1xf32>
      %d = mirage_block.div %n, %l : tensor<3x48x16xf32>, tensor<3x48x1xf32>
      mirage_block.yield %d : tensor<3x48x16xf32>
    }
    mirage_kernel.yield %o : tensor<3x48x16xf16>
  } : tensor<3x48x16xf16>
  return %r : tensor<3x48x16xf16>
}
