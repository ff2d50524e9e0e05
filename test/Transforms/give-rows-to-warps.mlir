// RUN: mirage-opt %s --mirage-give-rows-to-warps --verify-roundtrip | FileCheck %s
// RUN: mirage-opt %s --mirage-give-rows-to-warps --convert-mirage-block-to-thread --mirage-hold-in-registers -o %t.mlir && mirage-verify %s %t.mlir --seed=1 | FileCheck %s --check-prefix=JUDGED
// RUN: mirage-opt %s --mirage-give-rows-to-warps --convert-mirage-block-to-thread --mirage-hold-in-registers | FileCheck %s --check-prefix=HELD
// JUDGED-DAG: @attention: equal
// JUDGED-DAG: @few_rows: equal
// JUDGED-DAG: @product_summed: equal
// JUDGED-DAG: @product_alone: equal
// JUDGED-DAG: @right_operand: equal
// JUDGED-DAG: @many_columns: equal
// JUDGED-DAG: @exchanged: equal

// Everything between the two products, and the second one. Sums over the loop have no
// step; what comes behind it reads them where they grew. Scores, then exponentials, take 32
// registers of a thread, the sums 16 and 2.
// CHECK-LABEL: func.func @attention(
// CHECK:      mirage_block.graph {{.*}} {mirage.row_registers = 50 : i64}
// CHECK:      mirage_block.matmul {{.*}} {mirage.whole_rows}
// CHECK-NEXT: mirage_block.exp {{.*}} {mirage.whole_rows}
// CHECK-NEXT: mirage_block.cast {{.*}} {mirage.whole_rows}
// CHECK-NEXT: mirage_block.matmul {{.*}} {mirage.whole_rows}
// CHECK-NEXT: mirage_block.accumulate %{{[0-9]+}} over loop sum : tensor<1x64x32xf32>
// CHECK-NEXT: mirage_block.sum {{.*}} {mirage.whole_rows}
// CHECK-NEXT: mirage_block.accumulate %{{[0-9]+}} over loop sum : tensor<1x64x1xf32>
// CHECK-NEXT: mirage_block.div %{{[0-9]+}}, %{{[0-9]+}} {mirage.whole_rows} : tensor<1x64x32xf32>, tensor<1x64x1xf32>

// Four items of 16 rows for four warps. Exponentials read what the first product holds, and a cast
// makes the left operand of the second one of them; that and the sum of a row read what the cast
// holds: no ldmatrix reads that, and nothing is stored.
// HELD-LABEL: func.func @attention(
// HELD: %[[S:.+]] = mirage_thread.graph items(x = 4) steps(2) {{.*}} {mirage.held, mirage.whole_rows}
// HELD-NOT: mirage_thread.exp
// HELD: %[[E:.+]] = mirage_thread.graph items(x = 4) ins(%[[S]] imap(x -> 1)) {{.*}} {mirage.held, mirage.whole_rows}
// HELD: mirage_thread.exp
// HELD: %[[P:.+]] = mirage_thread.graph items(x = 4) ins(%[[E]] imap(x -> 1)) {{.*}} {mirage.held, mirage.whole_rows}
// HELD: mirage_thread.graph items(x = 4) steps(4) ins(%[[P]] imap(x -> 1) fmap(2), %{{.+}} imap() fmap(1)) {{.*}} {mirage.held, mirage.whole_rows}
// HELD-NEXT: ^bb0(%[[W:.+]]: tensor<1x16x16xf16>, %{{.+}}: tensor<1x16x32xf16>)
// HELD-NEXT: mirage_thread.load %[[W]]
// HELD: mirage_thread.graph items(x = 4) ins(%[[P]] imap(x -> 1) fmap(2)) {{.*}} {mirage.held, mirage.whole_rows}
func.func @attention(%q: tensor<1x64x32xf16>, %k: tensor<1x32x256xf16>, %v: tensor<1x256x32xf16>) -> tensor<1x64x32xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4)
      ins(%q imap(), %k imap() fmap(2), %v imap() fmap(1)) outs(omap())
      : (tensor<1x64x32xf16>, tensor<1x32x256xf16>, tensor<1x256x32xf16>) -> tensor<1x64x32xf32> {
  ^bb0(%qt: tensor<1x64x32xf16>, %kt: tensor<1x32x64xf16>, %vt: tensor<1x64x32xf16>):
    %s = mirage_block.matmul %qt, %kt : tensor<1x64x32xf16>, tensor<1x32x64xf16>
    %p = mirage_block.exp %s : tensor<1x64x64xf32>
    %h = mirage_block.cast %p : (tensor<1x64x64xf32>) -> tensor<1x64x64xf16>
    %pv = mirage_block.matmul %h, %vt : tensor<1x64x64xf16>, tensor<1x64x32xf16>
    %acc = mirage_block.accumulate %pv over loop sum : tensor<1x64x32xf32>
    %own = mirage_block.sum %h dims [2] : tensor<1x64x64xf16>
    %l = mirage_block.accumulate %own over loop sum : tensor<1x64x1xf32>
    %d = mirage_block.div %acc, %l : tensor<1x64x32xf32>, tensor<1x64x1xf32>
    mirage_block.yield %d : tensor<1x64x32xf32>
  }
  return %o : tensor<1x64x32xf32>
}

// 16 rows are work for one warp of four.
// CHECK-LABEL: func.func @few_rows(
// CHECK-NOT: mirage.row_registers
// CHECK-NOT: mirage.whole_rows
// CHECK: return
func.func @few_rows(%a: tensor<16x32xf16>, %b: tensor<32x64xf16>) -> tensor<16x1xf32> {
  %o = mirage_block.graph grid() threads(128) ins(%a imap(), %b imap()) outs(omap())
      : (tensor<16x32xf16>, tensor<32x64xf16>) -> tensor<16x1xf32> {
  ^bb0(%x: tensor<16x32xf16>, %y: tensor<32x64xf16>):
    %s = mirage_block.matmul %x, %y : tensor<16x32xf16>, tensor<32x64xf16>
    %m = mirage_block.sum %s dims [1] : tensor<16x64xf32>
    mirage_block.yield %m : tensor<16x1xf32>
  }
  return %o : tensor<16x1xf32>
}

// A product that the loop sums up is by itself enough; not one of which something else is summed up,
// from element to element.
// CHECK-LABEL: func.func @product_summed(
// CHECK:      mirage_block.graph {{.*}} {mirage.row_registers = 32 : i64}
// CHECK:      mirage_block.matmul {{.*}} {mirage.whole_rows}
// CHECK: return
// HELD-LABEL: func.func @product_summed(
// HELD: mirage_thread.graph items(x = 4) ins(%{{.+}} imap(x -> 0) fmap(1), %{{.+}} imap() fmap(0)) {{.*}} {mirage.held, mirage.whole_rows}
func.func @product_summed(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>) -> tensor<64x64xf32> {
  %o = mirage_block.graph grid() threads(128) loop(2) ins(%a imap() fmap(1), %b imap() fmap(0)) outs(omap())
      : (tensor<64x32xf16>, tensor<32x64xf16>) -> tensor<64x64xf32> {
  ^bb0(%x: tensor<64x16xf16>, %y: tensor<16x64xf16>):
    %s = mirage_block.matmul %x, %y : tensor<64x16xf16>, tensor<16x64xf16>
    %r = mirage_block.accumulate %s over loop sum : tensor<64x64xf32>
    mirage_block.yield %r : tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

// CHECK-LABEL: func.func @product_alone(
// CHECK-NOT: mirage.whole_rows
// CHECK: return
func.func @product_alone(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>) -> tensor<64x64xf32> {
  %o = mirage_block.graph grid() threads(128) loop(2) ins(%a imap() fmap(1), %b imap() fmap(0)) outs(omap())
      : (tensor<64x32xf16>, tensor<32x64xf16>) -> tensor<64x64xf32> {
  ^bb0(%x: tensor<64x16xf16>, %y: tensor<16x64xf16>):
    %s = mirage_block.matmul %x, %y : tensor<64x16xf16>, tensor<16x64xf16>
    %e = mirage_block.exp %s : tensor<64x64xf32>
    %r = mirage_block.accumulate %e over loop sum : tensor<64x64xf32>
    mirage_block.yield %r : tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

// What stands on the right of a product all warps read, so nobody keeps it.
// CHECK-LABEL: func.func @right_operand(
// CHECK-NOT: mirage.whole_rows
// CHECK: return
func.func @right_operand(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>) -> tensor<64x64xf32> {
  %o = mirage_block.graph grid() threads(128) ins(%a imap(), %b imap()) outs(omap())
      : (tensor<64x32xf16>, tensor<32x64xf16>) -> tensor<64x64xf32> {
  ^bb0(%x: tensor<64x32xf16>, %y: tensor<32x64xf16>):
    %s = mirage_block.matmul %x, %y : tensor<64x32xf16>, tensor<32x64xf16>
    %h = mirage_block.cast %s : (tensor<64x64xf32>) -> tensor<64x64xf16>
    %t = mirage_block.matmul %y, %h : tensor<32x64xf16>, tensor<64x64xf16>
    %u = mirage_block.matmul %x, %t : tensor<64x32xf16>, tensor<32x64xf32>
    mirage_block.yield %u : tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

// Rows of 256 scores, and of 64 sums, take 160 registers of a thread; half of the 255 that
// it can have are given to rows.
// CHECK-LABEL: func.func @many_columns(
// CHECK-NOT: mirage.whole_rows
// CHECK: return
func.func @many_columns(%q: tensor<64x32xf16>, %k: tensor<32x512xf16>, %v: tensor<512x64xf16>) -> tensor<64x64xf32> {
  %o = mirage_block.graph grid() threads(128) loop(2) ins(%q imap(), %k imap() fmap(1), %v imap() fmap(0)) outs(omap())
      : (tensor<64x32xf16>, tensor<32x512xf16>, tensor<512x64xf16>) -> tensor<64x64xf32> {
  ^bb0(%qt: tensor<64x32xf16>, %kt: tensor<32x256xf16>, %vt: tensor<256x64xf16>):
    %s = mirage_block.matmul %qt, %kt : tensor<64x32xf16>, tensor<32x256xf16>
    %h = mirage_block.cast %s : (tensor<64x256xf32>) -> tensor<64x256xf16>
    %pv = mirage_block.matmul %h, %vt : tensor<64x256xf16>, tensor<256x64xf16>
    %acc = mirage_block.accumulate %pv over loop sum : tensor<64x64xf32>
    mirage_block.yield %acc : tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

// A product of exchanged operands, whose sum is stored transposed behind what is computed with it:
// warps have whole columns of that, of the rows that they hold, and round them there.
// CHECK-LABEL: func.func @exchanged(
// CHECK:      mirage_block.graph {{.*}} {mirage.row_registers = 16 : i64}
// CHECK:      mirage_block.matmul {{.*}} {mirage.whole_rows}
// CHECK-NEXT: mirage_block.accumulate
// CHECK-NEXT: mirage_block.transpose {{.*}} {mirage.whole_columns} : tensor<64x16xf32>
// CHECK-NEXT: mirage_block.add {{.*}} {mirage.whole_columns} : tensor<16x64xf16>, tensor<16x64xf32>
// CHECK-NEXT: mirage_block.cast {{.*}} {mirage.whole_columns} : (tensor<16x64xf32>) -> tensor<16x64xf16>
// HELD-LABEL: func.func @exchanged(
// HELD: %[[SUM:.+]] = mirage_block.accumulate {{.*}} {mirage.held}
// HELD: mirage_thread.graph items(x = 4) ins(%{{.+}} imap(x -> 1), %[[SUM]] imap(x -> 0)) outs(omap(x -> 1)) {mirage.whole_columns}
// HELD: mirage_thread.store %{{.+}} : (tensor<16x16xf16, #mirage_thread.layout<register = [{{\[}}1, 0], [0, 8], [8, 0]], lane = [{{\[}}2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>>)
func.func @exchanged(%w: tensor<64x128xf16>, %x: tensor<128x16xf16>, %r: tensor<16x64xf16>) -> tensor<16x64xf16> {
  %o = mirage_block.graph grid() threads(128) loop(2) ins(%w imap() fmap(1), %x imap() fmap(0), %r imap()) outs(omap())
      : (tensor<64x128xf16>, tensor<128x16xf16>, tensor<16x64xf16>) -> tensor<16x64xf16> {
  ^bb0(%wt: tensor<64x64xf16>, %xt: tensor<64x16xf16>, %rt: tensor<16x64xf16>):
    %p = mirage_block.matmul %wt, %xt : tensor<64x64xf16>, tensor<64x16xf16>
    %acc = mirage_block.accumulate %p over loop sum : tensor<64x16xf32>
    %t = mirage_block.transpose %acc dims [1, 0] : tensor<64x16xf32>
    %y = mirage_block.add %rt, %t : tensor<16x64xf16>, tensor<16x64xf32>
    mirage_block.yield %y : tensor<16x64xf32>
  }
  return %o : tensor<16x64xf16>
}

// What an earlier decision left is erased where there are no rows now.
// CHECK-LABEL: func.func @decided_before(
// CHECK-NOT: mirage.row_registers
// CHECK-NOT: mirage.whole_rows
// CHECK: return
func.func @decided_before(%x: tensor<8x64xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    %o = mirage_block.graph grid(x = 2) threads(64) loop(4) ins(%a imap(x -> 0) fmap(1)) outs(omap(x -> 0)) {mirage.row_registers = 99 : i64}
        : (tensor<8x64xf32>) -> tensor<8x16xf32> {
    ^bb0(%t: tensor<4x16xf32>):
      %q = mirage_block.exp %t {mirage.whole_rows} : tensor<4x16xf32>
      %s = mirage_block.accumulate %q over loop sum : tensor<4x16xf32>
      mirage_block.yield %s : tensor<4x16xf32>
    }
    mirage_kernel.yield %o : tensor<8x16xf32>
  } : tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}
