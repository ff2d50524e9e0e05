// RUN: mirage-opt %s --mirage-join-tile-rows --verify-roundtrip | FileCheck %s
// RUN: mirage-opt %s --mirage-join-tile-rows -o %t.mlir && mirage-verify %s %t.mlir --seed=1 | FileCheck %s --check-prefix=JUDGED
// JUDGED: @elements: equal
// JUDGED: @sums: equal
// JUDGED: @reduced: equal
// JUDGED: @columns: equal
// JUDGED: @parts_of_sectors: equal
// JUDGED: @rows_of_sectors: equal
// JUDGED: @spread: equal

// No shared memory is needed then but for the ring of a loop, and the number that all items read.
// RUN: for target in sm_90a sm_80; do \
// RUN:   mirage-opt %s --mirage-compile="from=optimize ptxas=never target=$target artifact=%t/$target" -o /dev/null && \
// RUN:   grep -o '"dynamicSharedBytes": *[0-9]*' %t/$target/elements/manifest.json && \
// RUN:   for artifact in %t/$target/*; do mirage-run $artifact --device=emulator --check || exit 1; done; \
// RUN: done > %t.ran
// RUN: FileCheck %s --check-prefix=BYTES --input-file %t.ran
// BYTES: "dynamicSharedBytes": 128{{$}}
// BYTES: "dynamicSharedBytes": 128{{$}}
// RUN: grep -c "right:" %t.ran | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}16{{$}}

// A number goes with one dimension as with two.
// CHECK-LABEL: func.func @elements(
// CHECK-DAG: %[[X:.*]] = mirage_kernel.reshape %{{.*}} : (tensor<32x33xf16>) -> tensor<1056xf16>
// CHECK-DAG: %[[S:.*]] = mirage_kernel.reshape %{{.*}} : (tensor<1x1xf32>) -> tensor<1xf32>
// CHECK: %[[R:.*]]:2 = mirage_block.graph grid(x = 2) threads(64) ins(%[[X]] imap(x -> 0), %[[S]] imap()) outs(omap(x -> 0), omap(x -> 0))
// CHECK: mirage_block.mul %{{.*}} : tensor<528xf32>, tensor<1xf32>
// CHECK-DAG: mirage_kernel.reshape %[[R]]#0 : (tensor<1056xf16>) -> tensor<32x33xf16>
// CHECK-DAG: mirage_kernel.reshape %[[R]]#1 : (tensor<1056xf32>) -> tensor<32x33xf32>
func.func @elements(%x0: tensor<32x33xf16>, %x1: tensor<1x1xf32>) -> (tensor<32x33xf16>, tensor<32x33xf32>) {
  %e0 = tensor.empty() : tensor<32x33xf16>
  %e1 = tensor.empty() : tensor<32x33xf32>
  %r:2 = mirage_kernel.graph ins(%x0, %x1 : tensor<32x33xf16>, tensor<1x1xf32>) outs(%e0, %e1 : tensor<32x33xf16>, tensor<32x33xf32>) {
  ^bb0(%k0: tensor<32x33xf16>, %k1: tensor<1x1xf32>):
    %o:2 = mirage_block.graph grid(x = 2) threads(64) ins(%k0 imap(x -> 0), %k1 imap()) outs(omap(x -> 0), omap(x -> 0))
        : (tensor<32x33xf16>, tensor<1x1xf32>) -> (tensor<32x33xf16>, tensor<32x33xf32>) {
    ^bb0(%t0: tensor<16x33xf16>, %t1: tensor<1x1xf32>):
      %a = mirage_block.exp %t0 : tensor<16x33xf16>
      %b = mirage_block.mul %a, %t1 : tensor<16x33xf32>, tensor<1x1xf32>
      mirage_block.yield %b, %a : tensor<16x33xf32>, tensor<16x33xf32>
    }
    mirage_kernel.yield %o#0, %o#1 : tensor<32x33xf16>, tensor<32x33xf32>
  } : tensor<32x33xf16>, tensor<32x33xf32>
  return %r#0, %r#1 : tensor<32x33xf16>, tensor<32x33xf32>
}

// So do sums over the loop.
// CHECK-LABEL: func.func @sums(
// CHECK: mirage_block.graph grid() threads(64) loop(4) {{.*}} : (tensor<576xbf16>) -> tensor<144xf16>
// CHECK: mirage_block.accumulate %{{.*}} over loop sum : tensor<144xf32>
func.func @sums(%x0: tensor<64x9xbf16>) -> tensor<16x9xf16> {
  %e0 = tensor.empty() : tensor<16x9xf16>
  %r = mirage_kernel.graph ins(%x0 : tensor<64x9xbf16>) outs(%e0 : tensor<16x9xf16>) {
  ^bb0(%k0: tensor<64x9xbf16>):
    %o = mirage_block.graph grid() threads(64) loop(4) ins(%k0 imap() fmap(0)) outs(omap())
        : (tensor<64x9xbf16>) -> tensor<16x9xf16> {
    ^bb0(%t0: tensor<16x9xbf16>):
      %a = mirage_block.tanh %t0 : tensor<16x9xbf16>
      %s = mirage_block.accumulate %a over loop sum : tensor<16x9xf32>
      %b = mirage_block.sigmoid %s : tensor<16x9xf32>
      mirage_block.yield %b : tensor<16x9xf32>
    }
    mirage_kernel.yield %o : tensor<16x9xf16>
  } : tensor<16x9xf16>
  return %r : tensor<16x9xf16>
}

// Rows are told apart.
// CHECK-LABEL: func.func @reduced(
// CHECK-NOT: mirage_kernel.reshape
func.func @reduced(%x0: tensor<16x33xf16>) -> tensor<16x33xf16> {
  %e0 = tensor.empty() : tensor<16x33xf16>
  %r = mirage_kernel.graph ins(%x0 : tensor<16x33xf16>) outs(%e0 : tensor<16x33xf16>) {
  ^bb0(%k0: tensor<16x33xf16>):
    %o = mirage_block.graph grid() threads(64) ins(%k0 imap()) outs(omap())
        : (tensor<16x33xf16>) -> tensor<16x33xf16> {
    ^bb0(%t0: tensor<16x33xf16>):
      %a = mirage_block.max %t0 dims [1] : tensor<16x33xf16>
      %b = mirage_block.sub %t0, %a : tensor<16x33xf16>, tensor<16x1xf32>
      mirage_block.yield %b : tensor<16x33xf32>
    }
    mirage_kernel.yield %o : tensor<16x33xf16>
  } : tensor<16x33xf16>
  return %r : tensor<16x33xf16>
}

// Tiles have parts of rows.
// CHECK-LABEL: func.func @columns(
// CHECK-NOT: mirage_kernel.reshape
func.func @columns(%x0: tensor<16x66xf16>) -> tensor<16x66xf16> {
  %e0 = tensor.empty() : tensor<16x66xf16>
  %r = mirage_kernel.graph ins(%x0 : tensor<16x66xf16>) outs(%e0 : tensor<16x66xf16>) {
  ^bb0(%k0: tensor<16x66xf16>):
    %o = mirage_block.graph grid(x = 2) threads(64) ins(%k0 imap(x -> 1)) outs(omap(x -> 1))
        : (tensor<16x66xf16>) -> tensor<16x66xf16> {
    ^bb0(%t0: tensor<16x33xf16>):
      %b = mirage_block.exp %t0 : tensor<16x33xf16>
      mirage_block.yield %b : tensor<16x33xf32>
    }
    mirage_kernel.yield %o : tensor<16x66xf16>
  } : tensor<16x66xf16>
  return %r : tensor<16x66xf16>
}

// The second tile begins inside a sector: threads that copy it as one run draw fewer of them.
// CHECK-LABEL: func.func @parts_of_sectors(
// CHECK-NOT: mirage_kernel.reshape
func.func @parts_of_sectors(%x0: tensor<6x33xf16>) -> tensor<6x33xf16> {
  %e0 = tensor.empty() : tensor<6x33xf16>
  %r = mirage_kernel.graph ins(%x0 : tensor<6x33xf16>) outs(%e0 : tensor<6x33xf16>) {
  ^bb0(%k0: tensor<6x33xf16>):
    %o = mirage_block.graph grid(x = 2) threads(64) ins(%k0 imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<6x33xf16>) -> tensor<6x33xf16> {
    ^bb0(%t0: tensor<3x33xf16>):
      %b = mirage_block.exp %t0 : tensor<3x33xf16>
      mirage_block.yield %b : tensor<3x33xf32>
    }
    mirage_kernel.yield %o : tensor<6x33xf16>
  } : tensor<6x33xf16>
  return %r : tensor<6x33xf16>
}

// Lanes take whole sectors as it is.
// CHECK-LABEL: func.func @rows_of_sectors(
// CHECK-NOT: mirage_kernel.reshape
func.func @rows_of_sectors(%x0: tensor<6x32xf16>) -> tensor<6x32xf16> {
  %e0 = tensor.empty() : tensor<6x32xf16>
  %r = mirage_kernel.graph ins(%x0 : tensor<6x32xf16>) outs(%e0 : tensor<6x32xf16>) {
  ^bb0(%k0: tensor<6x32xf16>):
    %o = mirage_block.graph grid(x = 2) threads(64) ins(%k0 imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<6x32xf16>) -> tensor<6x32xf16> {
    ^bb0(%t0: tensor<3x32xf16>):
      %b = mirage_block.exp %t0 : tensor<3x32xf16>
      mirage_block.yield %b : tensor<3x32xf32>
    }
    mirage_kernel.yield %o : tensor<6x32xf16>
  } : tensor<6x32xf16>
  return %r : tensor<6x32xf16>
}

// A number may be spread over a tile first.
// CHECK-LABEL: func.func @spread(
// CHECK: mirage_block.broadcast %{{.*}} : (tensor<1xf32>) -> tensor<528xf32>
func.func @spread(%x0: tensor<32x33xf16>, %x1: tensor<1x1xf32>) -> tensor<32x33xf16> {
  %e0 = tensor.empty() : tensor<32x33xf16>
  %r = mirage_kernel.graph ins(%x0, %x1 : tensor<32x33xf16>, tensor<1x1xf32>) outs(%e0 : tensor<32x33xf16>) {
  ^bb0(%k0: tensor<32x33xf16>, %k1: tensor<1x1xf32>):
    %o = mirage_block.graph grid(x = 2) threads(64) ins(%k0 imap(x -> 0), %k1 imap()) outs(omap(x -> 0))
        : (tensor<32x33xf16>, tensor<1x1xf32>) -> tensor<32x33xf16> {
    ^bb0(%t0: tensor<16x33xf16>, %t1: tensor<1x1xf32>):
      %a = mirage_block.exp %t0 : tensor<16x33xf16>
      %c = mirage_block.broadcast %t1 : (tensor<1x1xf32>) -> tensor<16x33xf32>
      %b = mirage_block.mul %a, %c : tensor<16x33xf32>, tensor<16x33xf32>
      mirage_block.yield %b : tensor<16x33xf32>
    }
    mirage_kernel.yield %o : tensor<32x33xf16>
  } : tensor<32x33xf16>
  return %r : tensor<32x33xf16>
}
