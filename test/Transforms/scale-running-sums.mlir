// Parts of rescaled sums are relative to the maximum so far where nothing else depends on what they
// are relative to, and warps hold it all.
// RUN: mirage-opt %s --mirage-split-accumulations --mirage-give-rows-to-warps --convert-mirage-block-to-thread --mirage-keep-running-maxima --mirage-hold-in-registers --mirage-scale-running-sums --verify-roundtrip -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// Once more, where warps hold nothing any more.
// RUN: sed 's/mirage.held, //; s/{mirage.held}//; s/, mirage.held}/}/' %t.mlir | mirage-opt --mirage-scale-running-sums | FileCheck %s --check-prefix=NONE
// NONE-NOT: mirage.running_scale

// Exponentials shrink by what their maximum grows by, and so do their sums and products with v.
// CHECK-LABEL: func.func @attention(
// CHECK: mirage_block.accumulate %[[M:.+]] over loop max {{{.*}}mirage.running_scale} : tensor<64x1xf32>
func.func @attention(%q: tensor<64x16xf16>, %k: tensor<16x256xf16>, %v: tensor<256x32xf16>) -> tensor<64x32xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) ins(%q imap(), %k imap() fmap(1), %v imap() fmap(0)) outs(omap())
      : (tensor<64x16xf16>, tensor<16x256xf16>, tensor<256x32xf16>) -> tensor<64x32xf32> {
  ^bb0(%qt: tensor<64x16xf16>, %kt: tensor<16x64xf16>, %vt: tensor<64x32xf16>):
    %s = mirage_block.matmul %qt, %kt : tensor<64x16xf16>, tensor<16x64xf16>
    %t = mirage_block.max %s dims [1] : tensor<64x64xf32>
    %d = mirage_block.sub %s, %t : tensor<64x64xf32>, tensor<64x1xf32>
    %p = mirage_block.exp %d : tensor<64x64xf32>
    %l = mirage_block.accumulate %p over loop sum dims [1] rescale by %t : tensor<64x64xf32>, tensor<64x1xf32>
    %h = mirage_block.cast %p : (tensor<64x64xf32>) -> tensor<64x64xf16>
    %m = mirage_block.matmul %h, %vt : tensor<64x64xf16>, tensor<64x32xf16>
    %n = mirage_block.accumulate %m over loop sum rescale by %t : tensor<64x32xf32>, tensor<64x1xf32>
    %y = mirage_block.div %n, %l : tensor<64x32xf32>, tensor<64x1xf32>
    mirage_block.yield %y : tensor<64x32xf32>
  }
  return %o : tensor<64x32xf32>
}

// The square of an exponential shrinks twice as fast as the sum takes back.
// CHECK-LABEL: func.func @square(
// CHECK:     mirage_block.accumulate %{{.+}} over loop max
// CHECK-NOT: running_scale
// CHECK:     return
func.func @square(%q: tensor<64x16xf16>, %k: tensor<16x256xf16>, %v: tensor<256x32xf16>) -> tensor<64x32xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) ins(%q imap(), %k imap() fmap(1), %v imap() fmap(0)) outs(omap())
      : (tensor<64x16xf16>, tensor<16x256xf16>, tensor<256x32xf16>) -> tensor<64x32xf32> {
  ^bb0(%qt: tensor<64x16xf16>, %kt: tensor<16x64xf16>, %vt: tensor<64x32xf16>):
    %s = mirage_block.matmul %qt, %kt : tensor<64x16xf16>, tensor<16x64xf16>
    %t = mirage_block.max %s dims [1] : tensor<64x64xf32>
    %d = mirage_block.sub %s, %t : tensor<64x64xf32>, tensor<64x1xf32>
    %p = mirage_block.exp %d : tensor<64x64xf32>
    %u = mirage_block.mul %p, %p : tensor<64x64xf32>, tensor<64x64xf32>
    %h = mirage_block.cast %u : (tensor<64x64xf32>) -> tensor<64x64xf16>
    %m = mirage_block.matmul %h, %vt : tensor<64x64xf16>, tensor<64x32xf16>
    %n = mirage_block.accumulate %m over loop sum rescale by %t : tensor<64x32xf32>, tensor<64x1xf32>
    mirage_block.yield %n : tensor<64x32xf32>
  }
  return %o : tensor<64x32xf32>
}

// The sum of the scores themselves, shifted, would shrink by so many times the difference; and one
// that is not rescaled would keep the maximum of each tile.
// CHECK-LABEL: func.func @shifted(
// CHECK:     mirage_block.accumulate %{{.+}} over loop max
// CHECK-NOT: running_scale
// CHECK:     return
func.func @shifted(%q: tensor<64x16xf16>, %k: tensor<16x256xf16>, %v: tensor<256x32xf16>) -> tensor<64x32xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) ins(%q imap(), %k imap() fmap(1), %v imap() fmap(0)) outs(omap())
      : (tensor<64x16xf16>, tensor<16x256xf16>, tensor<256x32xf16>) -> tensor<64x32xf32> {
  ^bb0(%qt: tensor<64x16xf16>, %kt: tensor<16x64xf16>, %vt: tensor<64x32xf16>):
    %s = mirage_block.matmul %qt, %kt : tensor<64x16xf16>, tensor<16x64xf16>
    %t = mirage_block.max %s dims [1] : tensor<64x64xf32>
    %d = mirage_block.sub %s, %t : tensor<64x64xf32>, tensor<64x1xf32>
    %h = mirage_block.cast %d : (tensor<64x64xf32>) -> tensor<64x64xf16>
    %m = mirage_block.matmul %h, %vt : tensor<64x64xf16>, tensor<64x32xf16>
    %n = mirage_block.accumulate %m over loop sum rescale by %t : tensor<64x32xf32>, tensor<64x1xf32>
    mirage_block.yield %n : tensor<64x32xf32>
  }
  return %o : tensor<64x32xf32>
}

// CHECK-LABEL: func.func @not_rescaled(
// CHECK:     mirage_block.accumulate %{{.+}} over loop max
// CHECK-NOT: running_scale
// CHECK:     return
func.func @not_rescaled(%q: tensor<64x16xf16>, %k: tensor<16x256xf16>, %v: tensor<256x32xf16>) -> tensor<64x32xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) ins(%q imap(), %k imap() fmap(1), %v imap() fmap(0)) outs(omap())
      : (tensor<64x16xf16>, tensor<16x256xf16>, tensor<256x32xf16>) -> tensor<64x32xf32> {
  ^bb0(%qt: tensor<64x16xf16>, %kt: tensor<16x64xf16>, %vt: tensor<64x32xf16>):
    %s = mirage_block.matmul %qt, %kt : tensor<64x16xf16>, tensor<16x64xf16>
    %t = mirage_block.max %s dims [1] : tensor<64x64xf32>
    %d = mirage_block.sub %s, %t : tensor<64x64xf32>, tensor<64x1xf32>
    %p = mirage_block.exp %d : tensor<64x64xf32>
    %l = mirage_block.accumulate %p over loop sum dims [1] : tensor<64x64xf32>
    %h = mirage_block.cast %p : (tensor<64x64xf32>) -> tensor<64x64xf16>
    %m = mirage_block.matmul %h, %vt : tensor<64x64xf16>, tensor<64x32xf16>
    %n = mirage_block.accumulate %m over loop sum rescale by %t : tensor<64x32xf32>, tensor<64x1xf32>
    %y = mirage_block.div %n, %l : tensor<64x32xf32>, tensor<64x1xf32>
    mirage_block.yield %y : tensor<64x32xf32>
  }
  return %o : tensor<64x32xf32>
}

// A quotient of two that shrink alike does not change but in floats, where both may be 0.
// CHECK-LABEL: func.func @quotient(
// CHECK:     mirage_block.accumulate %{{.+}} over loop max
// CHECK-NOT: running_scale
// CHECK:     return
func.func @quotient(%q: tensor<64x16xf16>, %k: tensor<16x256xf16>, %v: tensor<256x32xf16>) -> (tensor<64x32xf32>, tensor<64x1xf32>) {
  %o:2 = mirage_block.graph grid() threads(128) loop(4) ins(%q imap(), %k imap() fmap(1), %v imap() fmap(0)) outs(omap(), omap())
      : (tensor<64x16xf16>, tensor<16x256xf16>, tensor<256x32xf16>) -> (tensor<64x32xf32>, tensor<64x1xf32>) {
  ^bb0(%qt: tensor<64x16xf16>, %kt: tensor<16x64xf16>, %vt: tensor<64x32xf16>):
    %s = mirage_block.matmul %qt, %kt : tensor<64x16xf16>, tensor<16x64xf16>
    %t = mirage_block.max %s dims [1] : tensor<64x64xf32>
    %d = mirage_block.sub %s, %t : tensor<64x64xf32>, tensor<64x1xf32>
    %p = mirage_block.exp %d : tensor<64x64xf32>
    %w = mirage_block.sum %p dims [1] : tensor<64x64xf32>
    %e = mirage_block.div %p, %w : tensor<64x64xf32>, tensor<64x1xf32>
    %l = mirage_block.accumulate %e over loop sum dims [1] : tensor<64x64xf32>
    %h = mirage_block.cast %p : (tensor<64x64xf32>) -> tensor<64x64xf16>
    %m = mirage_block.matmul %h, %vt : tensor<64x64xf16>, tensor<64x32xf16>
    %n = mirage_block.accumulate %m over loop sum rescale by %t : tensor<64x32xf32>, tensor<64x1xf32>
    mirage_block.yield %n, %l : tensor<64x32xf32>, tensor<64x1xf32>
  }
  return %o#0, %o#1 : tensor<64x32xf32>, tensor<64x1xf32>
}
