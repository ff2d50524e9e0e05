// Iterations start the first product of the next one, and wait late for the second one.
// RUN: mirage-opt %s --mirage-give-rows-to-warps --convert-mirage-block-to-thread --mirage-hold-in-registers --mirage-schedule-block --mirage-plan-shared-memory --mirage-form-warpgroups -o %t.formed.mlir
// RUN: mirage-opt %t.formed.mlir --mirage-start-products-ahead --verify-roundtrip -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: mirage-verify %t.formed.mlir %t.mlir
// Once more; and where it cannot be decided any more, or another plan makes it untrue.
// RUN: mirage-opt %t.mlir --mirage-start-products-ahead -o %t.again.mlir && diff %t.mlir %t.again.mlir
// RUN: sed 's/mirage.row_registers = [0-9]* : i64, //' %t.mlir | mirage-opt --mirage-start-products-ahead | FileCheck %s --check-prefix=NONE
// RUN: mirage-opt %t.mlir --mirage-plan-shared-memory=copy-engine=false | FileCheck %s --check-prefix=NONE
// NONE-NOT: mirage.starts_ahead
// NONE-NOT: mirage.waits_late

// The second product is not started ahead: the loop computes its left operand.
// CHECK-LABEL: func.func @attention(
// CHECK:       mirage.hands_back_places = 2
// CHECK:       mirage_thread.graph {{.*}}mirage.starts_ahead
// CHECK:         mirage_thread.wgmma
// CHECK-NOT:   starts_ahead
// CHECK:       mirage_thread.graph {{.*}}mirage.waits_late
// CHECK:         mirage_thread.wgmma
// CHECK-NOT:   starts_ahead
// CHECK:       return
func.func @attention(%q: tensor<128x64xf16>, %k: tensor<64x512xf16>, %v: tensor<512x64xf16>) -> tensor<128x64xf32> {
  %o = mirage_block.graph grid() threads(256) loop(8) stages(5)
      ins(%q imap(), %k imap() fmap(1), %v imap() fmap(0)) outs(omap())
      : (tensor<128x64xf16>, tensor<64x512xf16>, tensor<512x64xf16>) -> tensor<128x64xf32> {
  ^bb0(%qt: tensor<128x64xf16>, %kt: tensor<64x64xf16>, %vt: tensor<64x64xf16>):
    %s = mirage_block.matmul %qt, %kt : tensor<128x64xf16>, tensor<64x64xf16>
    %p = mirage_block.exp %s : tensor<128x64xf32>
    %h = mirage_block.cast %p : (tensor<128x64xf32>) -> tensor<128x64xf16>
    %m = mirage_block.matmul %h, %vt : tensor<128x64xf16>, tensor<64x64xf16>
    %n = mirage_block.accumulate %m over loop sum : tensor<128x64xf32>
    mirage_block.yield %n : tensor<128x64xf32>
  }
  return %o : tensor<128x64xf32>
}

// Tensor cores add up, and a maximum of products they do not keep.
// CHECK-LABEL: func.func @maximum(
// CHECK:       mirage.starts_ahead
// CHECK-NOT:   waits_late
// CHECK:       return
func.func @maximum(%q: tensor<128x64xf16>, %k: tensor<64x512xf16>, %v: tensor<512x64xf16>) -> tensor<128x64xf32> {
  %o = mirage_block.graph grid() threads(256) loop(8) stages(5)
      ins(%q imap(), %k imap() fmap(1), %v imap() fmap(0)) outs(omap())
      : (tensor<128x64xf16>, tensor<64x512xf16>, tensor<512x64xf16>) -> tensor<128x64xf32> {
  ^bb0(%qt: tensor<128x64xf16>, %kt: tensor<64x64xf16>, %vt: tensor<64x64xf16>):
    %s = mirage_block.matmul %qt, %kt : tensor<128x64xf16>, tensor<64x64xf16>
    %p = mirage_block.exp %s : tensor<128x64xf32>
    %h = mirage_block.cast %p : (tensor<128x64xf32>) -> tensor<128x64xf16>
    %m = mirage_block.matmul %h, %vt : tensor<128x64xf16>, tensor<64x64xf16>
    %n = mirage_block.accumulate %m over loop max : tensor<128x64xf32>
    mirage_block.yield %n : tensor<128x64xf32>
  }
  return %o : tensor<128x64xf32>
}

// Places that are handed back one iteration later are still read by a product that nobody has
// waited for: this one is not late.
// CHECK-LABEL: func.func @one_warpgroup(
// CHECK:       mirage.hands_back_places = 1
// CHECK:       mirage.starts_ahead
// CHECK-NOT:   waits_late
// CHECK:       return
func.func @one_warpgroup(%q: tensor<64x64xf16>, %k: tensor<64x512xf16>, %v: tensor<512x64xf16>) -> tensor<64x64xf32> {
  %o = mirage_block.graph grid() threads(128) loop(8) stages(4)
      ins(%q imap(), %k imap() fmap(1), %v imap() fmap(0)) outs(omap())
      : (tensor<64x64xf16>, tensor<64x512xf16>, tensor<512x64xf16>) -> tensor<64x64xf32> {
  ^bb0(%qt: tensor<64x64xf16>, %kt: tensor<64x64xf16>, %vt: tensor<64x64xf16>):
    %s = mirage_block.matmul %qt, %kt : tensor<64x64xf16>, tensor<64x64xf16>
    %p = mirage_block.exp %s : tensor<64x64xf32>
    %h = mirage_block.cast %p : (tensor<64x64xf32>) -> tensor<64x64xf16>
    %m = mirage_block.matmul %h, %vt : tensor<64x64xf16>, tensor<64x64xf16>
    %n = mirage_block.accumulate %m over loop sum : tensor<64x64xf32>
    mirage_block.yield %n : tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

// Too few iterations are on their way, or there are too few.
// CHECK-LABEL: func.func @few_stages(
// CHECK-NOT:   starts_ahead
// CHECK:       return
func.func @few_stages(%q: tensor<64x64xf16>, %k: tensor<64x512xf16>, %v: tensor<512x64xf16>) -> tensor<64x64xf32> {
  %o = mirage_block.graph grid() threads(128) loop(8) stages(3)
      ins(%q imap(), %k imap() fmap(1), %v imap() fmap(0)) outs(omap())
      : (tensor<64x64xf16>, tensor<64x512xf16>, tensor<512x64xf16>) -> tensor<64x64xf32> {
  ^bb0(%qt: tensor<64x64xf16>, %kt: tensor<64x64xf16>, %vt: tensor<64x64xf16>):
    %s = mirage_block.matmul %qt, %kt : tensor<64x64xf16>, tensor<64x64xf16>
    %p = mirage_block.exp %s : tensor<64x64xf32>
    %h = mirage_block.cast %p : (tensor<64x64xf32>) -> tensor<64x64xf16>
    %m = mirage_block.matmul %h, %vt : tensor<64x64xf16>, tensor<64x64xf16>
    %n = mirage_block.accumulate %m over loop sum : tensor<64x64xf32>
    mirage_block.yield %n : tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

// CHECK-LABEL: func.func @few_iterations(
// CHECK-NOT:   starts_ahead
// CHECK:       return
func.func @few_iterations(%q: tensor<64x64xf16>, %k: tensor<64x448xf16>, %v: tensor<448x64xf16>) -> tensor<64x64xf32> {
  %o = mirage_block.graph grid() threads(128) loop(7) stages(4)
      ins(%q imap(), %k imap() fmap(1), %v imap() fmap(0)) outs(omap())
      : (tensor<64x64xf16>, tensor<64x448xf16>, tensor<448x64xf16>) -> tensor<64x64xf32> {
  ^bb0(%qt: tensor<64x64xf16>, %kt: tensor<64x64xf16>, %vt: tensor<64x64xf16>):
    %s = mirage_block.matmul %qt, %kt : tensor<64x64xf16>, tensor<64x64xf16>
    %p = mirage_block.exp %s : tensor<64x64xf32>
    %h = mirage_block.cast %p : (tensor<64x64xf32>) -> tensor<64x64xf16>
    %m = mirage_block.matmul %h, %vt : tensor<64x64xf16>, tensor<64x64xf16>
    %n = mirage_block.accumulate %m over loop sum : tensor<64x64xf32>
    mirage_block.yield %n : tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

// A product alone, whose operands tensor cores read where they lie, is waited for late, if places can
// be handed back as late.
// CHECK-LABEL: func.func @product(
// CHECK:       mirage.hands_back_places = 2
// CHECK-NOT:   starts_ahead
// CHECK:       waits_late
// CHECK:       mirage_thread.wgmma
// CHECK:       return
func.func @product(%x: tensor<64x512xf16>, %w: tensor<512x64xf16>) -> tensor<64x64xf32> {
  %o = mirage_block.graph grid() threads(128) loop(8) stages(4)
      ins(%x imap() fmap(1), %w imap() fmap(0)) outs(omap())
      : (tensor<64x512xf16>, tensor<512x64xf16>) -> tensor<64x64xf32> {
  ^bb0(%xt: tensor<64x64xf16>, %wt: tensor<64x64xf16>):
    %s = mirage_block.matmul %xt, %wt : tensor<64x64xf16>, tensor<64x64xf16>
    %n = mirage_block.accumulate %s over loop sum : tensor<64x64xf32>
    mirage_block.yield %n : tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

// CHECK-LABEL: func.func @product_of_three_stages(
// CHECK:       mirage.hands_back_places = 1
// CHECK-NOT:   starts_ahead
// CHECK-NOT:   waits_late
// CHECK:       mirage_thread.wgmma
// CHECK:       return
func.func @product_of_three_stages(%x: tensor<64x512xf16>, %w: tensor<512x64xf16>) -> tensor<64x64xf32> {
  %o = mirage_block.graph grid() threads(128) loop(8) stages(3)
      ins(%x imap() fmap(1), %w imap() fmap(0)) outs(omap())
      : (tensor<64x512xf16>, tensor<512x64xf16>) -> tensor<64x64xf32> {
  ^bb0(%xt: tensor<64x64xf16>, %wt: tensor<64x64xf16>):
    %s = mirage_block.matmul %xt, %wt : tensor<64x64xf16>, tensor<64x64xf16>
    %n = mirage_block.accumulate %s over loop sum : tensor<64x64xf32>
    mirage_block.yield %n : tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}
