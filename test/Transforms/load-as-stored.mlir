// RUN: mirage-opt %s --mirage-load-as-stored --verify-roundtrip | FileCheck %s
// RUN: mirage-opt %s --mirage-load-as-stored -o %t.mlir && mirage-verify %s %t.mlir --seed=1 | FileCheck %s --check-prefix=JUDGED
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize artifact=%t" -o /dev/null
// RUN: for name in weights keys strided library second_tile no_place; do mirage-run %t/$name --check || exit 1; done
// JUDGED: @weights: equal
// JUDGED: @keys: equal
// JUDGED: @strided: equal
// JUDGED: @read_otherwise: equal
// JUDGED: @library: equal
// JUDGED: @second_tile: equal
// JUDGED: @no_place: equal

// Weights as [N, K]: the tile is loaded as they lie, and the view is gone.
// CHECK-LABEL: func.func @weights(
// CHECK: ^bb0(%[[X:.*]]: tensor<64x256xf16>, %[[W:.*]]: tensor<128x256xf16>):
// CHECK-NOT: mirage_kernel.transpose
// CHECK: mirage_block.graph {{.*}} ins(%[[X]] imap() fmap(1), %[[W]] imap(x -> 0) fmap(1))
// CHECK: ^bb0({{.*}}, %[[T:.*]]: tensor<64x64xf16>):
// CHECK: %[[E:.*]] = mirage_block.transpose %[[T]] dims [1, 0]
// CHECK: mirage_block.matmul %{{.*}}, %[[E]]
func.func @weights(%x: tensor<64x256xf16>, %w: tensor<128x256xf16>) -> tensor<64x128xf16> {
  %e = tensor.empty() : tensor<64x128xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<64x256xf16>, tensor<128x256xf16>) outs(%e : tensor<64x128xf16>) {
  ^bb0(%a: tensor<64x256xf16>, %b: tensor<128x256xf16>):
    %t = mirage_kernel.transpose %b dims [1, 0] : (tensor<128x256xf16>) -> tensor<256x128xf16>
    %o = mirage_block.graph grid(x = 2) threads(128) loop(4) stages(3) ins(%a imap() fmap(1), %t imap(x -> 1) fmap(0)) outs(omap(x -> 1))
        : (tensor<64x256xf16>, tensor<256x128xf16>) -> tensor<64x128xf16> {
    ^bb0(%p: tensor<64x64xf16>, %q: tensor<64x64xf16>):
      %m = mirage_block.matmul %p, %q : tensor<64x64xf16>, tensor<64x64xf16>
      %s = mirage_block.accumulate %m over loop sum : tensor<64x64xf32>
      mirage_block.yield %s : tensor<64x64xf32>
    }
    mirage_kernel.yield %o : tensor<64x128xf16>
  } : tensor<64x128xf16>
  return %r : tensor<64x128xf16>
}

// With a batch, and on the left.
// CHECK-LABEL: func.func @keys(
// CHECK-NOT: mirage_kernel.transpose
// CHECK: mirage_block.graph {{.*}} ins(%{{.*}} imap(x -> 0), %{{.*}} imap(x -> 0))
// CHECK: mirage_block.transpose %{{.*}} dims [0, 2, 1] : tensor<1x32x64xf16>
func.func @keys(%x: tensor<2x32x64xf16>, %y: tensor<2x32x16xf16>) -> tensor<2x64x16xf16> {
  %e = tensor.empty() : tensor<2x64x16xf16>
  %r = mirage_kernel.graph ins(%x, %y : tensor<2x32x64xf16>, tensor<2x32x16xf16>) outs(%e : tensor<2x64x16xf16>) {
  ^bb0(%a: tensor<2x32x64xf16>, %b: tensor<2x32x16xf16>):
    %t = mirage_kernel.transpose %a dims [0, 2, 1] : (tensor<2x32x64xf16>) -> tensor<2x64x32xf16>
    %o = mirage_block.graph grid(x = 2) threads(128) ins(%t imap(x -> 0), %b imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<2x64x32xf16>, tensor<2x32x16xf16>) -> tensor<2x64x16xf16> {
    ^bb0(%p: tensor<1x64x32xf16>, %q: tensor<1x32x16xf16>):
      %m = mirage_block.matmul %p, %q : tensor<1x64x32xf16>, tensor<1x32x16xf16>
      mirage_block.yield %m : tensor<1x64x16xf32>
    }
    mirage_kernel.yield %o : tensor<2x64x16xf16>
  } : tensor<2x64x16xf16>
  return %r : tensor<2x64x16xf16>
}

// An argument that lies in columns is seen the other way.
// CHECK-LABEL: func.func @strided(
// CHECK: %[[V:.*]] = mirage_kernel.transpose %{{.*}} dims [1, 0] : (tensor<64x32xf16>) -> tensor<32x64xf16>
// CHECK: mirage_block.graph {{.*}}%[[V]] imap()
func.func @strided(%x: tensor<16x64xf16>, %w: tensor<64x32xf16> {mirage_kernel.strides = array<i64: 1, 64>}) -> tensor<16x32xf16> {
  %e = tensor.empty() : tensor<16x32xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x64xf16>, tensor<64x32xf16>) outs(%e : tensor<16x32xf16>) {
  ^bb0(%a: tensor<16x64xf16>, %b: tensor<64x32xf16>):
    %o = mirage_block.graph grid() threads(128) ins(%a imap(), %b imap()) outs(omap())
        : (tensor<16x64xf16>, tensor<64x32xf16>) -> tensor<16x32xf16> {
    ^bb0(%p: tensor<16x64xf16>, %q: tensor<64x32xf16>):
      %m = mirage_block.matmul %p, %q : tensor<16x64xf16>, tensor<64x32xf16>
      mirage_block.yield %m : tensor<16x32xf32>
    }
    mirage_kernel.yield %o : tensor<16x32xf16>
  } : tensor<16x32xf16>
  return %r : tensor<16x32xf16>
}

// A step of its own would exchange what exp reads.
// CHECK-LABEL: func.func @read_otherwise(
// CHECK: mirage_kernel.transpose
// CHECK-NOT: mirage_block.transpose
func.func @read_otherwise(%x: tensor<32x64xf16>) -> tensor<64x32xf16> {
  %e = tensor.empty() : tensor<64x32xf16>
  %r = mirage_kernel.graph ins(%x : tensor<32x64xf16>) outs(%e : tensor<64x32xf16>) {
  ^bb0(%a: tensor<32x64xf16>):
    %t = mirage_kernel.transpose %a dims [1, 0] : (tensor<32x64xf16>) -> tensor<64x32xf16>
    %o = mirage_block.graph grid() threads(128) ins(%t imap()) outs(omap()) : (tensor<64x32xf16>) -> tensor<64x32xf16> {
    ^bb0(%p: tensor<64x32xf16>):
      %m = mirage_block.exp %p : tensor<64x32xf16>
      mirage_block.yield %m : tensor<64x32xf32>
    }
    mirage_kernel.yield %o : tensor<64x32xf16>
  } : tensor<64x32xf16>
  return %r : tensor<64x32xf16>
}

// What a library may do says how its tensors lie: a kernel that has it is left alone.
// CHECK-LABEL: func.func @library(
// CHECK: mirage_kernel.transpose
func.func @library(%a: tensor<3x40x72xf32>, %b: tensor<3x24x72xf32>) -> tensor<3x40x24xf32> {
  %e = tensor.empty() : tensor<3x40x24xf32>
  %r = mirage_kernel.graph ins(%a, %b : tensor<3x40x72xf32>, tensor<3x24x72xf32>) outs(%e : tensor<3x40x24xf32>) {
  ^bb0(%k: tensor<3x40x72xf32>, %w: tensor<3x24x72xf32>):
    %t = mirage_kernel.transpose %w dims [0, 2, 1] : (tensor<3x24x72xf32>) -> tensor<3x72x24xf32>
    %o = mirage_kernel.matmul %k, %t : (tensor<3x40x72xf32>, tensor<3x72x24xf32>) -> tensor<3x40x24xf32>
    mirage_kernel.yield %o : tensor<3x40x24xf32>
  } : tensor<3x40x24xf32>
  return %r : tensor<3x40x24xf32>
}

// A step exchanges a tile of four dimensions, whose result is a second tile,
// CHECK-LABEL: func.func @second_tile(
// CHECK-NOT: mirage_kernel.transpose
// CHECK: mirage_block.transpose
func.func @second_tile(%x: tensor<2x4x4x32xf32>, %y: tensor<2x4x64x32xf32>) -> tensor<2x4x4x64xf32> {
  %e = tensor.empty() : tensor<2x4x4x64xf32>
  %r = mirage_kernel.graph ins(%x, %y : tensor<2x4x4x32xf32>, tensor<2x4x64x32xf32>) outs(%e : tensor<2x4x4x64xf32>) {
  ^bb0(%a: tensor<2x4x4x32xf32>, %b: tensor<2x4x64x32xf32>):
    %t = mirage_kernel.transpose %b dims [0, 1, 3, 2] : (tensor<2x4x64x32xf32>) -> tensor<2x4x32x64xf32>
    %o = mirage_block.graph grid() threads(128) ins(%a imap(), %t imap()) outs(omap())
        : (tensor<2x4x4x32xf32>, tensor<2x4x32x64xf32>) -> tensor<2x4x4x64xf32> {
    ^bb0(%p: tensor<2x4x4x32xf32>, %q: tensor<2x4x32x64xf32>):
      %m = mirage_block.matmul %p, %q : tensor<2x4x4x32xf32>, tensor<2x4x32x64xf32>
      mirage_block.yield %m : tensor<2x4x4x64xf32>
    }
    mirage_kernel.yield %o : tensor<2x4x4x64xf32>
  } : tensor<2x4x4x64xf32>
  return %r : tensor<2x4x4x64xf32>
}

// for which there has to be place.
// CHECK-LABEL: func.func @no_place(
// CHECK: mirage_kernel.transpose
// CHECK-NOT: mirage_block.transpose
func.func @no_place(%x: tensor<4x4x4x32xf32>, %y: tensor<4x4x64x32xf32>) -> tensor<4x4x4x64xf32> {
  %e = tensor.empty() : tensor<4x4x4x64xf32>
  %r = mirage_kernel.graph ins(%x, %y : tensor<4x4x4x32xf32>, tensor<4x4x64x32xf32>) outs(%e : tensor<4x4x4x64xf32>) {
  ^bb0(%a: tensor<4x4x4x32xf32>, %b: tensor<4x4x64x32xf32>):
    %t = mirage_kernel.transpose %b dims [0, 1, 3, 2] : (tensor<4x4x64x32xf32>) -> tensor<4x4x32x64xf32>
    %o = mirage_block.graph grid() threads(128) ins(%a imap(), %t imap()) outs(omap())
        : (tensor<4x4x4x32xf32>, tensor<4x4x32x64xf32>) -> tensor<4x4x4x64xf32> {
    ^bb0(%p: tensor<4x4x4x32xf32>, %q: tensor<4x4x32x64xf32>):
      %m = mirage_block.matmul %p, %q : tensor<4x4x4x32xf32>, tensor<4x4x32x64xf32>
      mirage_block.yield %m : tensor<4x4x4x64xf32>
    }
    mirage_kernel.yield %o : tensor<4x4x4x64xf32>
  } : tensor<4x4x4x64xf32>
  return %r : tensor<4x4x4x64xf32>
}
