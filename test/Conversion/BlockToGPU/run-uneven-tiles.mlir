// Tiles that bypass shared memory and end beyond their tensors: blocks of which none does have a
// version of each step that does not look where it ends; others read zeros beyond, and write nothing.
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize artifact=%t/90" -o /dev/null
// RUN: mirage-opt %s --mirage-compile="from=optimize target=sm_80 artifact=%t/80" -o /dev/null
// RUN: for name in rows_and_columns words two_widths row_sums held one_tile; do \
// RUN:   for target in 90 80; do mirage-run %t/$target/$name --device=emulator --check --schedule=3 || exit 1; done; \
// RUN: done | FileCheck %s --check-prefix=RIGHT
// RIGHT-COUNT-12: : right

// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize" | mirage-opt --convert-mirage-kernel-to-gpu | FileCheck %s

// Both edges of all tensors are the same, and looked at once: of 10 rows 3 tiles of 3 are whole, and
// of 1000 columns 5 of 192. Accesses are of four f32.
// CHECK-LABEL: gpu.func @rows_and_columns
// CHECK-DAG: %[[ROWS:.+]] = arith.cmpi ult, %{{.+}}, %c3
// CHECK-DAG: %[[COLUMNS:.+]] = arith.cmpi ult, %{{.+}}, %c5
// CHECK: %[[INSIDE:.+]] = arith.andi %[[ROWS]], %[[COLUMNS]]
// CHECK-NOT: arith.cmpi
// CHECK: scf.if %[[INSIDE]] {
// CHECK-NOT: mirage_thread.clip
// CHECK: mirage_thread.graph
// CHECK: } else {
// CHECK-COUNT-3: mirage_thread.clip %{{.+}} dims [0, 1] to [%{{.+}}, %{{.+}}] multiples [1, 8] : memref<3x192xf32
// CHECK: mirage_thread.graph
// CHECK-NOT: memref.store
// CHECK: gpu.return
func.func @rows_and_columns(%x: tensor<10x1000xf32>, %y: tensor<10x1000xf32>) -> tensor<10x1000xf32> {
  %e = tensor.empty() : tensor<10x1000xf32>
  %r = mirage_kernel.graph ins(%x, %y : tensor<10x1000xf32>, tensor<10x1000xf32>) outs(%e : tensor<10x1000xf32>) {
  ^bb0(%a: tensor<10x1000xf32>, %b: tensor<10x1000xf32>):
    %o = mirage_block.graph grid(x = 4, y = 6) threads(128) ins(%a imap(x -> 0, y -> 1), %b imap(x -> 0, y -> 1)) outs(omap(x -> 0, y -> 1)) : (tensor<10x1000xf32>, tensor<10x1000xf32>) -> tensor<10x1000xf32> {
    ^bb0(%s: tensor<3x192xf32>, %t: tensor<3x192xf32>):
      %p = mirage_block.exp %s : tensor<3x192xf32>
      %q = mirage_block.mul %p, %t : tensor<3x192xf32>, tensor<3x192xf32>
      mirage_block.yield %q : tensor<3x192xf32>
    }
    mirage_kernel.yield %o : tensor<10x1000xf32>
  } : tensor<10x1000xf32>
  return %r : tensor<10x1000xf32>
}

// Rows of 102 f16 begin at words: lanes take two elements at a time.
// CHECK-LABEL: gpu.func @words
// CHECK: mirage_thread.clip %{{.+}} dims [1] to [%{{.+}}] multiples [2] : memref<1x64xf16
func.func @words(%x: tensor<7x102xf16>) -> tensor<7x102xf16> {
  %e = tensor.empty() : tensor<7x102xf16>
  %r = mirage_kernel.graph ins(%x : tensor<7x102xf16>) outs(%e : tensor<7x102xf16>) {
  ^bb0(%a: tensor<7x102xf16>):
    %o = mirage_block.graph grid(x = 7, y = 2) threads(64) ins(%a imap(x -> 0, y -> 1)) outs(omap(x -> 0, y -> 1)) : (tensor<7x102xf16>) -> tensor<7x102xf16> {
    ^bb0(%t: tensor<1x64xf16>):
      %p = mirage_block.exp %t : tensor<1x64xf16>
      mirage_block.yield %p : tensor<1x64xf32>
    }
    mirage_kernel.yield %o : tensor<7x102xf16>
  } : tensor<7x102xf16>
  return %r : tensor<7x102xf16>
}

// Two inputs of which one has the same row for all; the other one, and the output, end sooner.
func.func @two_widths(%x: tensor<33x256xf16>, %y: tensor<1x256xf32>) -> tensor<33x256xf32> {
  %e = tensor.empty() : tensor<33x256xf32>
  %r = mirage_kernel.graph ins(%x, %y : tensor<33x256xf16>, tensor<1x256xf32>) outs(%e : tensor<33x256xf32>) {
  ^bb0(%a: tensor<33x256xf16>, %b: tensor<1x256xf32>):
    %o = mirage_block.graph grid(x = 5) threads(64) ins(%a imap(x -> 0), %b imap()) outs(omap(x -> 0)) : (tensor<33x256xf16>, tensor<1x256xf32>) -> tensor<33x256xf32> {
    ^bb0(%s: tensor<7x256xf16>, %t: tensor<1x256xf32>):
      %q = mirage_block.add %s, %t : tensor<7x256xf16>, tensor<1x256xf32>
      mirage_block.yield %q : tensor<7x256xf32>
    }
    mirage_kernel.yield %o : tensor<33x256xf32>
  } : tensor<33x256xf32>
  return %r : tensor<33x256xf32>
}

func.func @row_sums(%x: tensor<9x512xf16>) -> tensor<9x1xf32> {
  %e = tensor.empty() : tensor<9x1xf32>
  %r = mirage_kernel.graph ins(%x : tensor<9x512xf16>) outs(%e : tensor<9x1xf32>) {
  ^bb0(%a: tensor<9x512xf16>):
    %o = mirage_block.graph grid(x = 3) threads(128) ins(%a imap(x -> 0)) outs(omap(x -> 0)) : (tensor<9x512xf16>) -> tensor<9x1xf32> {
    ^bb0(%s: tensor<4x512xf16>):
      %q = mirage_block.sum %s dims [1] : tensor<4x512xf16>
      mirage_block.yield %q : tensor<4x1xf32>
    }
    mirage_kernel.yield %o : tensor<9x1xf32>
  } : tensor<9x1xf32>
  return %r : tensor<9x1xf32>
}

// What warps hold comes out of both versions.
// CHECK-LABEL: gpu.func @held
// CHECK: scf.if %{{.+}} -> (tensor<2x1024xf32, #{{.+}}>) {
// CHECK: } else {
// CHECK: mirage_thread.clip
// CHECK: scf.if %{{[^>]+}} {
func.func @held(%x: tensor<5x1024xf16>) -> tensor<5x1024xf16> {
  %e = tensor.empty() : tensor<5x1024xf16>
  %r = mirage_kernel.graph ins(%x : tensor<5x1024xf16>) outs(%e : tensor<5x1024xf16>) {
  ^bb0(%a: tensor<5x1024xf16>):
    %o = mirage_block.graph grid(x = 3) threads(128) ins(%a imap(x -> 0)) outs(omap(x -> 0)) : (tensor<5x1024xf16>) -> tensor<5x1024xf16> {
    ^bb0(%t: tensor<2x1024xf16>):
      %p = mirage_block.exp %t : tensor<2x1024xf16>
      %s = mirage_block.sum %p dims [1] : tensor<2x1024xf32>
      %d = mirage_block.div %p, %s : tensor<2x1024xf32>, tensor<2x1xf32>
      mirage_block.yield %d : tensor<2x1024xf32>
    }
    mirage_kernel.yield %o : tensor<5x1024xf16>
  } : tensor<5x1024xf16>
  return %r : tensor<5x1024xf16>
}

// One tile is as large as its tensor: nothing is uneven.
// CHECK-LABEL: gpu.func @one_tile
// CHECK-NOT: mirage_thread.clip
func.func @one_tile(%x: tensor<4x1000xf16>) -> tensor<4x1000xf16> {
  %e = tensor.empty() : tensor<4x1000xf16>
  %r = mirage_kernel.graph ins(%x : tensor<4x1000xf16>) outs(%e : tensor<4x1000xf16>) {
  ^bb0(%a: tensor<4x1000xf16>):
    %o = mirage_block.graph grid(x = 4, y = 1) threads(128) ins(%a imap(x -> 0, y -> 1)) outs(omap(x -> 0, y -> 1)) : (tensor<4x1000xf16>) -> tensor<4x1000xf16> {
    ^bb0(%t: tensor<1x1024xf16>):
      %p = mirage_block.exp %t : tensor<1x1024xf16>
      mirage_block.yield %p : tensor<1x1024xf32>
    }
    mirage_kernel.yield %o : tensor<4x1000xf16>
  } : tensor<4x1000xf16>
  return %r : tensor<4x1000xf16>
}
