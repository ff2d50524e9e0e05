// Left operands of products on rows that the loop does not change are held in registers as well,
// as long as a thread has some for what an iteration computes with.
// RUN: mirage-opt %s --mirage-give-rows-to-warps --convert-mirage-block-to-thread -o %t.before.mlir
// RUN: mirage-opt %t.before.mlir --mirage-hold-in-registers -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: mirage-verify %t.before.mlir %t.mlir --seed=1 | FileCheck %s --check-prefix=JUDGED
// JUDGED-COUNT-7: : equal
// Where somebody has stated more for the rows than both should take, no operand is held.
// RUN: sed -E 's/(mirage.row_registers =) [0-9]+/\1 200/' %t.before.mlir > %t.many.mlir
// RUN: mirage-opt %t.many.mlir --mirage-hold-in-registers | FileCheck %s --check-prefix=MANY
// MANY-COUNT-7:  mirage_block.graph {{.*}} {mirage.row_registers = 200 : i64}

// Of 255 registers rows and operands take up to 159: 96 are the rows', and 16 rows of 128 elements
// are 32 more.
// CHECK-LABEL: func.func @fits(
// CHECK:         mirage_block.graph {{.*}} {mirage.row_registers = 128 : i64}
// CHECK:         %[[Q:.+]] = mirage_thread.graph items(x = 4) ins(%{{.+}} imap(x -> 0)) outs(omap(x -> 0)) {mirage.held, mirage.whole_rows}
// CHECK-NEXT:    ^bb0(%{{.+}}: tensor<16x128xf16>)
// CHECK:         mirage_thread.graph items(x = 4) steps(8) ins(%[[Q]] imap(x -> 0) fmap(1),
// CHECK-NEXT:    ^bb0(%[[W:.+]]: tensor<16x16xf16>,
// CHECK-NEXT:      mirage_thread.load %[[W]]
func.func @fits(%q: tensor<64x128xf16>, %k: tensor<128x512xf16>, %v: tensor<512x64xf16>) -> tensor<64x64xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) ins(%q imap(), %k imap() fmap(1), %v imap() fmap(0)) outs(omap())
      : (tensor<64x128xf16>, tensor<128x512xf16>, tensor<512x64xf16>) -> tensor<64x64xf32> {
  ^bb0(%qt: tensor<64x128xf16>, %kt: tensor<128x128xf16>, %vt: tensor<128x64xf16>):
    %s = mirage_block.matmul %qt, %kt : tensor<64x128xf16>, tensor<128x128xf16>
    %h = mirage_block.cast %s : (tensor<64x128xf32>) -> tensor<64x128xf16>
    %m = mirage_block.matmul %h, %vt : tensor<64x128xf16>, tensor<128x64xf16>
    %n = mirage_block.accumulate %m over loop sum : tensor<64x64xf32>
    mirage_block.yield %n : tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

// 16 rows of 256 elements would be 64, one too many.
// CHECK-LABEL: func.func @too_many(
// CHECK:         mirage_block.graph {{.*}} {mirage.row_registers = 96 : i64}
// CHECK-COUNT-2: mirage_thread.ldmatrix
func.func @too_many(%q: tensor<64x256xf16>, %k: tensor<256x512xf16>, %v: tensor<512x64xf16>) -> tensor<64x64xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) ins(%q imap(), %k imap() fmap(1), %v imap() fmap(0)) outs(omap())
      : (tensor<64x256xf16>, tensor<256x512xf16>, tensor<512x64xf16>) -> tensor<64x64xf32> {
  ^bb0(%qt: tensor<64x256xf16>, %kt: tensor<256x128xf16>, %vt: tensor<128x64xf16>):
    %s = mirage_block.matmul %qt, %kt : tensor<64x256xf16>, tensor<256x128xf16>
    %h = mirage_block.cast %s : (tensor<64x128xf32>) -> tensor<64x128xf16>
    %m = mirage_block.matmul %h, %vt : tensor<64x128xf16>, tensor<128x64xf16>
    %n = mirage_block.accumulate %m over loop sum : tensor<64x64xf32>
    mirage_block.yield %n : tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

// Of two operands that have not both place the one of which the loop would read more.
// CHECK-LABEL: func.func @larger_of_two(
// CHECK:         mirage_block.graph {{.*}} {mirage.row_registers = 144 : i64}
func.func @larger_of_two(%q: tensor<64x128xf16>, %r: tensor<64x256xf16>, %k: tensor<128x256xf16>, %j: tensor<256x256xf16>, %v: tensor<256x32xf16>) -> tensor<64x32xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) ins(%q imap(), %r imap(), %k imap() fmap(1), %j imap() fmap(1), %v imap() fmap(0)) outs(omap())
      : (tensor<64x128xf16>, tensor<64x256xf16>, tensor<128x256xf16>, tensor<256x256xf16>, tensor<256x32xf16>) -> tensor<64x32xf32> {
  ^bb0(%qt: tensor<64x128xf16>, %rt: tensor<64x256xf16>, %kt: tensor<128x64xf16>, %jt: tensor<256x64xf16>, %vt: tensor<64x32xf16>):
    %s = mirage_block.matmul %qt, %kt : tensor<64x128xf16>, tensor<128x64xf16>
    %t = mirage_block.matmul %rt, %jt : tensor<64x256xf16>, tensor<256x64xf16>
    %u = mirage_block.add %s, %t : tensor<64x64xf32>, tensor<64x64xf32>
    %h = mirage_block.cast %u : (tensor<64x64xf32>) -> tensor<64x64xf16>
    %m = mirage_block.matmul %h, %vt : tensor<64x64xf16>, tensor<64x32xf16>
    %n = mirage_block.accumulate %m over loop sum : tensor<64x32xf32>
    mirage_block.yield %n : tensor<64x32xf32>
  }
  return %o : tensor<64x32xf32>
}

// Another operand in each iteration.
// CHECK-LABEL: func.func @changes(
// CHECK:         mirage_block.graph {{.*}} {mirage.row_registers = 48 : i64}
// CHECK-COUNT-3: mirage_thread.ldmatrix
func.func @changes(%q: tensor<64x128xf16>, %k: tensor<128x64xf16>, %v: tensor<256x32xf16>) -> tensor<64x32xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) ins(%q imap() fmap(1), %k imap() fmap(0), %v imap() fmap(0)) outs(omap())
      : (tensor<64x128xf16>, tensor<128x64xf16>, tensor<256x32xf16>) -> tensor<64x32xf32> {
  ^bb0(%qt: tensor<64x32xf16>, %kt: tensor<32x64xf16>, %vt: tensor<64x32xf16>):
    %s = mirage_block.matmul %qt, %kt : tensor<64x32xf16>, tensor<32x64xf16>
    %h = mirage_block.cast %s : (tensor<64x64xf32>) -> tensor<64x64xf16>
    %m = mirage_block.matmul %h, %vt : tensor<64x64xf16>, tensor<64x32xf16>
    %n = mirage_block.accumulate %m over loop sum : tensor<64x32xf32>
    mirage_block.yield %n : tensor<64x32xf32>
  }
  return %o : tensor<64x32xf32>
}

// A product before the loop: its result lasts, and is held; its operand would be loaded once anyway.
// CHECK-LABEL: func.func @before(
// CHECK:         mirage_block.graph {{.*}} {mirage.row_registers = 56 : i64}
// CHECK-COUNT-4: mirage_thread.ldmatrix
func.func @before(%q: tensor<64x32xf16>, %w: tensor<32x32xf16>, %k: tensor<32x256xf16>, %v: tensor<256x32xf16>) -> tensor<64x32xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) ins(%q imap(), %w imap(), %k imap() fmap(1), %v imap() fmap(0)) outs(omap())
      : (tensor<64x32xf16>, tensor<32x32xf16>, tensor<32x256xf16>, tensor<256x32xf16>) -> tensor<64x32xf32> {
  ^bb0(%qt: tensor<64x32xf16>, %wt: tensor<32x32xf16>, %kt: tensor<32x64xf16>, %vt: tensor<64x32xf16>):
    %a = mirage_block.matmul %qt, %wt : tensor<64x32xf16>, tensor<32x32xf16>
    %b = mirage_block.cast %a : (tensor<64x32xf32>) -> tensor<64x32xf16>
    %c = mirage_block.matmul %b, %wt : tensor<64x32xf16>, tensor<32x32xf16>
    %d = mirage_block.cast %c : (tensor<64x32xf32>) -> tensor<64x32xf16>
    %s = mirage_block.matmul %d, %kt : tensor<64x32xf16>, tensor<32x64xf16>
    %h = mirage_block.cast %s : (tensor<64x64xf32>) -> tensor<64x64xf16>
    %m = mirage_block.matmul %h, %vt : tensor<64x64xf16>, tensor<64x32xf16>
    %n = mirage_block.accumulate %m over loop sum : tensor<64x32xf32>
    mirage_block.yield %n : tensor<64x32xf32>
  }
  return %o : tensor<64x32xf32>
}

// One operand for all of a batch: items of several have the same rows of it,
// which would be held several times.
// CHECK-LABEL: func.func @shared(
// CHECK:         mirage_block.graph {{.*}} {mirage.row_registers = 96 : i64}
func.func @shared(%q: tensor<1x32x32xf16>, %k: tensor<4x32x256xf16>, %v: tensor<4x256x32xf16>) -> tensor<4x32x32xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) ins(%q imap(), %k imap() fmap(2), %v imap() fmap(1)) outs(omap())
      : (tensor<1x32x32xf16>, tensor<4x32x256xf16>, tensor<4x256x32xf16>) -> tensor<4x32x32xf32> {
  ^bb0(%qt: tensor<1x32x32xf16>, %kt: tensor<4x32x64xf16>, %vt: tensor<4x64x32xf16>):
    %s = mirage_block.matmul %qt, %kt : tensor<1x32x32xf16>, tensor<4x32x64xf16>
    %h = mirage_block.cast %s : (tensor<4x32x64xf32>) -> tensor<4x32x64xf16>
    %m = mirage_block.matmul %h, %vt : tensor<4x32x64xf16>, tensor<4x64x32xf16>
    %n = mirage_block.accumulate %m over loop sum : tensor<4x32x32xf32>
    mirage_block.yield %n : tensor<4x32x32xf32>
  }
  return %o : tensor<4x32x32xf32>
}

// A loop of one iteration reads everything once.
// CHECK-LABEL: func.func @no_loop(
// CHECK:         mirage_block.graph {{.*}} {mirage.row_registers = 48 : i64}
func.func @no_loop(%q: tensor<64x32xf16>, %k: tensor<32x64xf16>, %v: tensor<64x32xf16>) -> tensor<64x32xf32> {
  %o = mirage_block.graph grid() threads(128) loop(1) ins(%q imap(), %k imap() fmap(1), %v imap() fmap(0)) outs(omap())
      : (tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x32xf16>) -> tensor<64x32xf32> {
  ^bb0(%qt: tensor<64x32xf16>, %kt: tensor<32x64xf16>, %vt: tensor<64x32xf16>):
    %s = mirage_block.matmul %qt, %kt : tensor<64x32xf16>, tensor<32x64xf16>
    %h = mirage_block.cast %s : (tensor<64x64xf32>) -> tensor<64x64xf16>
    %m = mirage_block.matmul %h, %vt : tensor<64x64xf16>, tensor<64x32xf16>
    %n = mirage_block.accumulate %m over loop sum : tensor<64x32xf32>
    mirage_block.yield %n : tensor<64x32xf32>
  }
  return %o : tensor<64x32xf32>
}
