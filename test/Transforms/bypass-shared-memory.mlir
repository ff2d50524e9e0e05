// RUN: mirage-opt %s --mirage-bypass-shared-memory --verify-roundtrip --split-input-file | FileCheck %s
// What steps hold is decided before, and anew without what was decided on its ground.
// RUN: mirage-opt %s --mirage-bypass-shared-memory --mirage-hold-in-registers --split-input-file | FileCheck %s --check-prefix=FORGOTTEN
// FORGOTTEN-LABEL: func.func @both(
// FORGOTTEN-NOT: mirage.bypass

#l = #mirage_thread.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]]>

// What one step reads and nothing but an output reads needs no tile.
// CHECK-LABEL: func.func @both(
// CHECK: mirage_block.graph {{.*}} {mirage.bypassing_inputs = array<i64: 0>}
// CHECK: mirage_thread.graph {{.*}} {mirage.bypasses}
func.func @both(%x: tensor<4x1024xf16>) -> tensor<4x1024xf16> {
  %r = mirage_block.graph grid(x = 4) threads(128) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<4x1024xf16>) -> tensor<4x1024xf16> {
  ^bb0(%t: tensor<1x1024xf16>):
    %e = mirage_thread.graph items(x = 4) ins(%t imap(x -> 1)) outs(omap(x -> 1)) : (tensor<1x1024xf16>) -> tensor<1x1024xf32> {
    ^bb0(%w: tensor<1x256xf16>):
      %f = mirage_thread.load %w : (tensor<1x256xf16>) -> tensor<1x256xf16, #l>
      %g = mirage_thread.exp %f : (tensor<1x256xf16, #l>) -> tensor<1x256xf32, #l>
      %s = mirage_thread.store %g : (tensor<1x256xf32, #l>) -> tensor<1x256xf32>
      mirage_thread.yield %s : tensor<1x256xf32>
    }
    mirage_block.yield %e : tensor<1x1024xf32>
  }
  return %r : tensor<4x1024xf16>
}

// -----

#l = #mirage_thread.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]]>

// Neighbours would have halves of one sector: eight elements of f32 are two accesses.
// CHECK-LABEL: func.func @wide(
// CHECK-NOT: mirage.byp
func.func @wide(%x: tensor<4x1024xf32>) -> tensor<4x1024xf32> {
  %r = mirage_block.graph grid(x = 4) threads(128) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<4x1024xf32>) -> tensor<4x1024xf32> {
  ^bb0(%t: tensor<1x1024xf32>):
    %e = mirage_thread.graph items(x = 4) ins(%t imap(x -> 1)) outs(omap(x -> 1)) : (tensor<1x1024xf32>) -> tensor<1x1024xf32> {
    ^bb0(%w: tensor<1x256xf32>):
      %f = mirage_thread.load %w : (tensor<1x256xf32>) -> tensor<1x256xf32, #l>
      %g = mirage_thread.exp %f : (tensor<1x256xf32, #l>) -> tensor<1x256xf32, #l>
      %s = mirage_thread.store %g : (tensor<1x256xf32, #l>) -> tensor<1x256xf32>
      mirage_thread.yield %s : tensor<1x256xf32>
    }
    mirage_block.yield %e : tensor<1x1024xf32>
  }
  return %r : tensor<4x1024xf32>
}

// -----

#l = #mirage_thread.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]]>

// All four blocks write one output, of which the first is to do it; two steps read the input.
// CHECK-LABEL: func.func @repeated(
// CHECK-NOT: mirage.byp
func.func @repeated(%x: tensor<1x1024xf16>) -> (tensor<1x1024xf16>, tensor<1x1024xf16>) {
  %r:2 = mirage_block.graph grid(x = 4) threads(128) ins(%x imap()) outs(omap(), omap()) : (tensor<1x1024xf16>) -> (tensor<1x1024xf16>, tensor<1x1024xf16>) {
  ^bb0(%t: tensor<1x1024xf16>):
    %e = mirage_thread.graph items(x = 4) ins(%t imap(x -> 1)) outs(omap(x -> 1)) : (tensor<1x1024xf16>) -> tensor<1x1024xf16> {
    ^bb0(%w: tensor<1x256xf16>):
      %f = mirage_thread.load %w : (tensor<1x256xf16>) -> tensor<1x256xf16, #l>
      %s = mirage_thread.store %f : (tensor<1x256xf16, #l>) -> tensor<1x256xf16>
      mirage_thread.yield %s : tensor<1x256xf16>
    }
    %d = mirage_thread.graph items(x = 4) ins(%t imap(x -> 1)) outs(omap(x -> 1)) : (tensor<1x1024xf16>) -> tensor<1x1024xf16> {
    ^bb0(%w: tensor<1x256xf16>):
      %f = mirage_thread.load %w : (tensor<1x256xf16>) -> tensor<1x256xf16, #l>
      %s = mirage_thread.store %f : (tensor<1x256xf16, #l>) -> tensor<1x256xf16>
      mirage_thread.yield %s : tensor<1x256xf16>
    }
    mirage_block.yield %e, %d : tensor<1x1024xf16>, tensor<1x1024xf16>
  }
  return %r#0, %r#1 : tensor<1x1024xf16>, tensor<1x1024xf16>
}

// -----

#l = #mirage_thread.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]]>

// A loop has rings for what it loads.
// CHECK-LABEL: func.func @loop(
// CHECK-NOT: mirage.byp
func.func @loop(%x: tensor<4x1024xf16>) -> tensor<4x256xf32> {
  %r = mirage_block.graph grid(x = 4) threads(128) loop(4) ins(%x imap(x -> 0) fmap(1)) outs(omap(x -> 0)) : (tensor<4x1024xf16>) -> tensor<4x256xf32> {
  ^bb0(%t: tensor<1x256xf16>):
    %e = mirage_thread.graph items() ins(%t imap()) outs(omap()) : (tensor<1x256xf16>) -> tensor<1x256xf32> {
    ^bb0(%w: tensor<1x256xf16>):
      %f = mirage_thread.load %w : (tensor<1x256xf16>) -> tensor<1x256xf16, #l>
      %g = mirage_thread.exp %f : (tensor<1x256xf16, #l>) -> tensor<1x256xf32, #l>
      %s = mirage_thread.store %g : (tensor<1x256xf32, #l>) -> tensor<1x256xf32>
      mirage_thread.yield %s : tensor<1x256xf32>
    }
    %a = mirage_block.accumulate %e over loop sum : tensor<1x256xf32>
    mirage_block.yield %a : tensor<1x256xf32>
  }
  return %r : tensor<4x256xf32>
}

// -----

#l = #mirage_thread.layout<register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]>

// Rows of one element lie side by side: lanes load whole sectors.
// CHECK-LABEL: func.func @rows_of_one(
// CHECK: mirage_block.graph {{.*}} {mirage.bypassing_inputs = array<i64: 0>}
func.func @rows_of_one(%x: tensor<64x1xf32>) -> tensor<64x1xf32> {
  %r = mirage_block.graph grid(x = 1) threads(64) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<64x1xf32>) -> tensor<64x1xf32> {
  ^bb0(%t: tensor<64x1xf32>):
    %e = mirage_thread.graph items(x = 2) ins(%t imap(x -> 0)) outs(omap(x -> 0)) : (tensor<64x1xf32>) -> tensor<64x1xf32> {
    ^bb0(%w: tensor<32x1xf32>):
      %f = mirage_thread.load %w : (tensor<32x1xf32>) -> tensor<32x1xf32, #l>
      %g = mirage_thread.exp %f : (tensor<32x1xf32, #l>) -> tensor<32x1xf32, #l>
      %s = mirage_thread.store %g : (tensor<32x1xf32, #l>) -> tensor<32x1xf32>
      mirage_thread.yield %s : tensor<32x1xf32>
    }
    mirage_block.yield %e : tensor<64x1xf32>
  }
  return %r : tensor<64x1xf32>
}

// -----

#l = #mirage_thread.layout<register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]>
#s = #mirage_thread.layout<register = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]]>

// Each warp sums a column: its lanes would load one element of each sector, and other warps the others.
// CHECK-LABEL: func.func @columns(
// CHECK-NOT: mirage.bypassing_inputs
func.func @columns(%x: tensor<32x64xf32>) -> tensor<1x64xf32> {
  %r = mirage_block.graph grid(x = 1) threads(64) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<32x64xf32>) -> tensor<1x64xf32> {
  ^bb0(%t: tensor<32x64xf32>):
    %e = mirage_thread.graph items(x = 64) ins(%t imap(x -> 1)) outs(omap(x -> 1)) : (tensor<32x64xf32>) -> tensor<1x64xf32> {
    ^bb0(%w: tensor<32x1xf32>):
      %f = mirage_thread.load %w : (tensor<32x1xf32>) -> tensor<32x1xf32, #l>
      %a = mirage_thread.accumulate %f over loop sum dims [0] : (tensor<32x1xf32, #l>) -> tensor<1x1xf32, #s>
      %s = mirage_thread.store %a : (tensor<1x1xf32, #s>) -> tensor<1x1xf32>
      mirage_thread.yield %s : tensor<1x1xf32>
    }
    mirage_block.yield %e : tensor<1x64xf32>
  }
  return %r : tensor<1x64xf32>
}

// -----

#l = #mirage_thread.layout<register = [], lane = [[0, 1, 0, 0], [0, 2, 0, 0], [0, 4, 0, 0], [0, 8, 0, 0], [0, 16, 0, 0]]>
#s = #mirage_thread.layout<register = [], lane = [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]>

// The same of rows of one element: parts of the sums of attention's rows, which a kernel joins.
// CHECK-LABEL: func.func @parts(
// CHECK-NOT: mirage.bypassing_inputs
func.func @parts(%x: tensor<4x32x64x1xf32>) -> tensor<4x1x64x1xf32> {
  %r = mirage_block.graph grid(x = 4) threads(64) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<4x32x64x1xf32>) -> tensor<4x1x64x1xf32> {
  ^bb0(%t: tensor<1x32x64x1xf32>):
    %e = mirage_thread.graph items(x = 64) ins(%t imap(x -> 2)) outs(omap(x -> 2)) : (tensor<1x32x64x1xf32>) -> tensor<1x1x64x1xf32> {
    ^bb0(%w: tensor<1x32x1x1xf32>):
      %f = mirage_thread.load %w : (tensor<1x32x1x1xf32>) -> tensor<1x32x1x1xf32, #l>
      %a = mirage_thread.accumulate %f over loop sum dims [1] : (tensor<1x32x1x1xf32, #l>) -> tensor<1x1x1x1xf32, #s>
      %s = mirage_thread.store %a : (tensor<1x1x1x1xf32, #s>) -> tensor<1x1x1x1xf32>
      mirage_thread.yield %s : tensor<1x1x1x1xf32>
    }
    mirage_block.yield %e : tensor<1x1x64x1xf32>
  }
  return %r : tensor<4x1x64x1xf32>
}

// -----

#l = #mirage_thread.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]]>

// Rows that give each lane one word are loaded so: wider accesses would leave lanes with nothing.
// CHECK-LABEL: func.func @words(
// CHECK: mirage.bypassing_inputs = array<i64: 0>
func.func @words(%x: tensor<4x64xf16>) -> tensor<4x64xf16> {
  %r = mirage_block.graph grid(x = 4) threads(64) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<4x64xf16>) -> tensor<4x64xf16> {
  ^bb0(%t: tensor<1x64xf16>):
    %e = mirage_thread.graph items(x = 1) ins(%t imap()) outs(omap()) : (tensor<1x64xf16>) -> tensor<1x64xf32> {
    ^bb0(%w: tensor<1x64xf16>):
      %f = mirage_thread.load %w : (tensor<1x64xf16>) -> tensor<1x64xf16, #l>
      %a = mirage_thread.exp %f : (tensor<1x64xf16, #l>) -> tensor<1x64xf32, #l>
      %s = mirage_thread.store %a : (tensor<1x64xf32, #l>) -> tensor<1x64xf32>
      mirage_thread.yield %s : tensor<1x64xf32>
    }
    mirage_block.yield %e : tensor<1x64xf32>
  }
  return %r : tensor<4x64xf16>
}

// -----

#l = #mirage_thread.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]>

// Half a word is less than lanes can load at a time.
// CHECK-LABEL: func.func @halves(
// CHECK-NOT: mirage.bypassing_inputs
func.func @halves(%x: tensor<4x64xf16>) -> tensor<4x64xf16> {
  %r = mirage_block.graph grid(x = 4) threads(64) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<4x64xf16>) -> tensor<4x64xf16> {
  ^bb0(%t: tensor<1x64xf16>):
    %e = mirage_thread.graph items(x = 2) ins(%t imap(x -> 1)) outs(omap(x -> 1)) : (tensor<1x64xf16>) -> tensor<1x64xf32> {
    ^bb0(%w: tensor<1x32xf16>):
      %f = mirage_thread.load %w : (tensor<1x32xf16>) -> tensor<1x32xf16, #l>
      %a = mirage_thread.exp %f : (tensor<1x32xf16, #l>) -> tensor<1x32xf32, #l>
      %s = mirage_thread.store %a : (tensor<1x32xf32, #l>) -> tensor<1x32xf32>
      mirage_thread.yield %s : tensor<1x32xf32>
    }
    mirage_block.yield %e : tensor<1x64xf32>
  }
  return %r : tensor<4x64xf16>
}

// -----

#o = #mirage_thread.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0]]>

// Rows of 33 elements, and tiles of 11 of them, have no more for a lane.
// CHECK-LABEL: func.func @odd_rows(
// CHECK: mirage_block.graph {{.*}} {mirage.bypassing_inputs = array<i64: 0>}
func.func @odd_rows(%x: tensor<16x33xf16>) -> tensor<16x33xf32> {
  %r = mirage_block.graph grid(x = 3) threads(64) ins(%x imap(x -> 1)) outs(omap(x -> 1)) : (tensor<16x33xf16>) -> tensor<16x33xf32> {
  ^bb0(%t: tensor<16x11xf16>):
    %e = mirage_thread.graph items(x = 8) ins(%t imap(x -> 0)) outs(omap(x -> 0)) : (tensor<16x11xf16>) -> tensor<16x11xf32> {
    ^bb0(%w: tensor<2x16xf16>):
      %f = mirage_thread.load %w : (tensor<2x16xf16>) -> tensor<2x16xf16, #o>
      %a = mirage_thread.exp %f : (tensor<2x16xf16, #o>) -> tensor<2x16xf32, #o>
      %s = mirage_thread.store %a : (tensor<2x16xf32, #o>) -> tensor<2x16xf32>
      mirage_thread.yield %s : tensor<2x16xf32>
    }
    mirage_block.yield %e : tensor<16x11xf32>
  }
  return %r : tensor<16x33xf32>
}

// -----

#n = #mirage_thread.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0]]>

// Rows of 18 bytes, two of an access: half of the sectors would be drawn twice. All rows together are a
// run, which threads copy by whole sectors.
// CHECK-LABEL: func.func @runs_of_rows(
// CHECK-NOT: mirage.byp
func.func @runs_of_rows(%x: tensor<100x9xf16>) -> tensor<100x9xf16> {
  %r = mirage_block.graph grid() threads(64) ins(%x imap()) outs(omap()) : (tensor<100x9xf16>) -> tensor<100x9xf16> {
  ^bb0(%t: tensor<100x9xf16>):
    %e = mirage_thread.graph items(x = 50) ins(%t imap(x -> 0)) outs(omap(x -> 0)) : (tensor<100x9xf16>) -> tensor<100x9xf32> {
    ^bb0(%w: tensor<2x16xf16>):
      %f = mirage_thread.load %w : (tensor<2x16xf16>) -> tensor<2x16xf16, #n>
      %a = mirage_thread.exp %f : (tensor<2x16xf16, #n>) -> tensor<2x16xf32, #n>
      %s = mirage_thread.store %a : (tensor<2x16xf32, #n>) -> tensor<2x16xf32>
      mirage_thread.yield %s : tensor<2x16xf32>
    }
    mirage_block.yield %e : tensor<100x9xf32>
  }
  return %r : tensor<100x9xf16>
}

// -----

#l = #mirage_thread.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>

// What ldmatrix would read in shared memory lanes load.
// CHECK-LABEL: func.func @matrix_load(
// CHECK: mirage_block.graph {{.*}} {mirage.bypassing_inputs = array<i64: 0>}
// CHECK: mirage_thread.load
// CHECK-NOT: mirage_thread.ldmatrix
func.func @matrix_load(%x: tensor<64x8xf16>) -> tensor<64x8xf32> {
  %r = mirage_block.graph grid(x = 4) threads(64) ins(%x imap(x -> 0)) outs(omap(x -> 0)) : (tensor<64x8xf16>) -> tensor<64x8xf32> {
  ^bb0(%t: tensor<16x8xf16>):
    %e = mirage_thread.graph items(x = 2) ins(%t imap(x -> 0)) outs(omap(x -> 0)) : (tensor<16x8xf16>) -> tensor<16x8xf32> {
    ^bb0(%w: tensor<8x8xf16>):
      %f = mirage_thread.ldmatrix %w : (tensor<8x8xf16>) -> tensor<8x8xf16, #l>
      %a = mirage_thread.exp %f : (tensor<8x8xf16, #l>) -> tensor<8x8xf32, #l>
      %s = mirage_thread.store %a : (tensor<8x8xf32, #l>) -> tensor<8x8xf32>
      mirage_thread.yield %s : tensor<8x8xf32>
    }
    mirage_block.yield %e : tensor<16x8xf32>
  }
  return %r : tensor<64x8xf32>
}

// -----

#l = #mirage_thread.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]]>

// Tiles have 10 of 30 columns: rows of 40 bytes are parts of sectors, of which nobody in the block has the rest.
// CHECK-LABEL: func.func @parts_of_rows(
// CHECK: mirage_block.graph {{.*}} {mirage.bypassing_inputs = array<i64: 0>}
// CHECK: mirage_thread.graph {{.*}} {mirage.bypasses}
func.func @parts_of_rows(%x: tensor<16x30xf32>) -> tensor<16x30xf32> {
  %r = mirage_block.graph grid(x = 3) threads(128) ins(%x imap(x -> 1)) outs(omap(x -> 1)) : (tensor<16x30xf32>) -> tensor<16x30xf32> {
  ^bb0(%t: tensor<16x10xf32>):
    %e = mirage_thread.graph items(x = 4) ins(%t imap(x -> 0)) outs(omap(x -> 0)) : (tensor<16x10xf32>) -> tensor<16x10xf32> {
    ^bb0(%w: tensor<4x16xf32>):
      %f = mirage_thread.load %w : (tensor<4x16xf32>) -> tensor<4x16xf32, #l>
      %g = mirage_thread.exp %f : (tensor<4x16xf32, #l>) -> tensor<4x16xf32, #l>
      %s = mirage_thread.store %g : (tensor<4x16xf32, #l>) -> tensor<4x16xf32>
      mirage_thread.yield %s : tensor<4x16xf32>
    }
    mirage_block.yield %e : tensor<16x10xf32>
  }
  return %r : tensor<16x30xf32>
}
