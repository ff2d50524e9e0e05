// Sums of products that have no registers lie in shared memory, with the parts that are added to
// them. Where they do not fit, the error names a number of threads that have the registers: one
// with which the same graph compiles.
// RUN: not mirage-opt %s --mirage-compile="from=optimize to=optimize target=sm_80" 2>&1 | FileCheck %s
// RUN: sed 's/threads(1024)/threads(768)/; /^\/\/ ----/,$d' %s | mirage-opt --mirage-compile="from=optimize to=optimize target=sm_80" -o /dev/null
// RUN: sed '1,/^\/\/ ----/d; /^\/\/ ---- beside/,$d' %s | not mirage-opt --mirage-compile="from=optimize to=optimize target=sm_80" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sed '1,/^\/\/ ---- beside/d; /^\/\/ ---- exact/,$d' %s | not mirage-opt --mirage-compile="from=optimize to=optimize target=sm_80" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sed '1,/^\/\/ ---- exact/d' %s | not mirage-opt --mirage-compile="from=optimize to=optimize target=sm_80" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sed '1,/^\/\/ ---- exact/d; s/threads(192)/threads(256)/' %s | not mirage-opt --mirage-compile="from=optimize to=optimize target=sm_80" 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK: error: expects tiles that fit 166912 bytes of shared memory, got {{[0-9]+}} bytes
// CHECK: note: threads(768) would have registers for the sums of products, and the other tiles fit
func.func @named(%x: tensor<192x64xf16>, %w: tensor<64x128xf16>) -> tensor<192x128xf16> {
  %e = tensor.empty() : tensor<192x128xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<192x64xf16>, tensor<64x128xf16>) outs(%e : tensor<192x128xf16>) {
  ^bb0(%xk: tensor<192x64xf16>, %wk: tensor<64x128xf16>):
    %o = mirage_block.graph grid() threads(1024) loop(2) ins(%xk imap() fmap(1), %wk imap() fmap(0)) outs(omap())
        : (tensor<192x64xf16>, tensor<64x128xf16>) -> tensor<192x128xf16> {
    ^bb0(%xt: tensor<192x32xf16>, %wt: tensor<32x128xf16>):
      %p = mirage_block.matmul %xt, %wt : tensor<192x32xf16>, tensor<32x128xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<192x128xf32>
      mirage_block.yield %s : tensor<192x128xf32>
    }
    mirage_kernel.yield %o : tensor<192x128xf16>
  } : tensor<192x128xf16>
  return %r : tensor<192x128xf16>
}
// ---- no threads have so many registers

// NONE: error: expects tiles that fit 166912 bytes of shared memory, got {{[0-9]+}} bytes
// NONE-NOT: would have registers
func.func @none(%x: tensor<256x64xf16>, %w: tensor<64x192xf16>) -> tensor<256x192xf16> {
  %e = tensor.empty() : tensor<256x192xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<256x64xf16>, tensor<64x192xf16>) outs(%e : tensor<256x192xf16>) {
  ^bb0(%xk: tensor<256x64xf16>, %wk: tensor<64x192xf16>):
    %o = mirage_block.graph grid() threads(768) loop(2) ins(%xk imap() fmap(1), %wk imap() fmap(0)) outs(omap())
        : (tensor<256x64xf16>, tensor<64x192xf16>) -> tensor<256x192xf16> {
    ^bb0(%xt: tensor<256x32xf16>, %wt: tensor<32x192xf16>):
      %p = mirage_block.matmul %xt, %wt : tensor<256x32xf16>, tensor<32x192xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<256x192xf32>
      mirage_block.yield %s : tensor<256x192xf32>
    }
    mirage_kernel.yield %o : tensor<256x192xf16>
  } : tensor<256x192xf16>
  return %r : tensor<256x192xf16>
}
// ---- beside a sum of an exact product, which competes for the same registers, no number is promised
func.func @beside(%x: tensor<192x64xf16>, %w: tensor<64x128xf16>, %a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> (tensor<192x128xf16>, tensor<64x64xf32>) {
  %e0 = tensor.empty() : tensor<192x128xf16>
  %e1 = tensor.empty() : tensor<64x64xf32>
  %r:2 = mirage_kernel.graph ins(%x, %w, %a, %b : tensor<192x64xf16>, tensor<64x128xf16>, tensor<64x64xf32>, tensor<64x64xf32>) outs(%e0, %e1 : tensor<192x128xf16>, tensor<64x64xf32>) {
  ^bb0(%xk: tensor<192x64xf16>, %wk: tensor<64x128xf16>, %ak: tensor<64x64xf32>, %bk: tensor<64x64xf32>):
    %o:2 = mirage_block.graph grid() threads(768) loop(2)
        ins(%xk imap() fmap(1), %wk imap() fmap(0), %ak imap() fmap(1), %bk imap() fmap(0)) outs(omap(), omap())
        : (tensor<192x64xf16>, tensor<64x128xf16>, tensor<64x64xf32>, tensor<64x64xf32>) -> (tensor<192x128xf16>, tensor<64x64xf32>) {
    ^bb0(%xt: tensor<192x32xf16>, %wt: tensor<32x128xf16>, %at: tensor<64x32xf32>, %bt: tensor<32x64xf32>):
      %p = mirage_block.matmul %xt, %wt : tensor<192x32xf16>, tensor<32x128xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<192x128xf32>
      %q = mirage_block.matmul %at, %bt : tensor<64x32xf32>, tensor<32x64xf32>
      %u = mirage_block.accumulate %q over loop sum : tensor<64x64xf32>
      mirage_block.yield %s, %u : tensor<192x128xf32>, tensor<64x64xf32>
    }
    mirage_kernel.yield %o#0, %o#1 : tensor<192x128xf16>, tensor<64x64xf32>
  } : tensor<192x128xf16>, tensor<64x64xf32>
  return %r#0, %r#1 : tensor<192x128xf16>, tensor<64x64xf32>
}
// ---- exact: the items of exact products are not those of tensor cores, for which threads(256) would do
func.func @exact(%a: tensor<512x64xf32>, %b: tensor<64x40xf32>) -> tensor<512x40xf32> {
  %e = tensor.empty() : tensor<512x40xf32>
  %r = mirage_kernel.graph ins(%a, %b : tensor<512x64xf32>, tensor<64x40xf32>) outs(%e : tensor<512x40xf32>) {
  ^bb0(%ak: tensor<512x64xf32>, %bk: tensor<64x40xf32>):
    %o = mirage_block.graph grid() threads(192) loop(4) ins(%ak imap() fmap(1), %bk imap() fmap(0)) outs(omap())
        : (tensor<512x64xf32>, tensor<64x40xf32>) -> tensor<512x40xf32> {
    ^bb0(%at: tensor<512x16xf32>, %bt: tensor<16x40xf32>):
      %p = mirage_block.matmul %at, %bt : tensor<512x16xf32>, tensor<16x40xf32>
      %s = mirage_block.accumulate %p over loop sum : tensor<512x40xf32>
      mirage_block.yield %s : tensor<512x40xf32>
    }
    mirage_kernel.yield %o : tensor<512x40xf32>
  } : tensor<512x40xf32>
  return %r : tensor<512x40xf32>
}
