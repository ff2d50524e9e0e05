// What four warps can multiply together, of steps that only somebody who writes them by hand has.
// RUN: mirage-opt %s --mirage-schedule-block --mirage-plan-shared-memory -o %t.planned.mlir
// RUN: mirage-opt %t.planned.mlir --mirage-form-warpgroups -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: mirage-verify %t.planned.mlir %t.mlir --seed=1 | FileCheck %s --check-prefix=JUDGED
// JUDGED-NOT: different
#lhs = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#rhs32 = #mirage_thread.layout<register = [[1, 0], [8, 0], [0, 8], [0, 16]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#sum32 = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#rhs64 = #mirage_thread.layout<register = [[1, 0], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#sum64 = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#rhs128 = #mirage_thread.layout<register = [[1, 0], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#sum128 = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>

// Sixteen steps become two of eight.
// CHECK-LABEL: func.func @steps(
// CHECK:         mirage_thread.graph items(x = 4) steps(2)
// CHECK:           mirage_thread.wgmma {{.*}}(tensor<16x128xf16>, tensor<128x64xf16>)
func.func @steps(%x: tensor<64x1024xf16>, %w: tensor<1024x64xf16>) -> tensor<64x64xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) stages(2)
      ins(%x imap() fmap(1), %w imap() fmap(0)) outs(omap())
      : (tensor<64x1024xf16>, tensor<1024x64xf16>) -> tensor<64x64xf32> {
  ^bb0(%xt: tensor<64x256xf16>, %wt: tensor<256x64xf16>):
    %p = mirage_thread.graph items(x = 4) steps(16) ins(%xt imap(x -> 0) fmap(1), %wt imap() fmap(0)) outs(omap(x -> 0))
        : (tensor<64x256xf16>, tensor<256x64xf16>) -> tensor<64x64xf32> {
    ^bb0(%xw: tensor<16x16xf16>, %ww: tensor<16x64xf16>):
      %xf = mirage_thread.ldmatrix %xw : (tensor<16x16xf16>) -> tensor<16x16xf16, #lhs>
      %wf = mirage_thread.ldmatrix %ww : (tensor<16x64xf16>) -> tensor<16x64xf16, #rhs64>
      %m = mirage_thread.mma %xf, %wf shape [16, 8, 16] : (tensor<16x16xf16, #lhs>, tensor<16x64xf16, #rhs64>) -> tensor<16x64xf32, #sum64>
      %s = mirage_thread.accumulate %m over loop sum : (tensor<16x64xf32, #sum64>) -> tensor<16x64xf32, #sum64>
      %v = mirage_thread.store %s : (tensor<16x64xf32, #sum64>) -> tensor<16x64xf32>
      mirage_thread.yield %v : tensor<16x64xf32>
    }
    %acc = mirage_block.accumulate %p over loop sum : tensor<64x64xf32>
    mirage_block.yield %acc : tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

// Twelve become three of four: eight would not do.
// CHECK-LABEL: func.func @odd_steps(
// CHECK:         mirage_thread.graph items(x = 4) steps(3)
// CHECK:           mirage_thread.wgmma {{.*}}(tensor<16x64xf16>, tensor<64x64xf16>)
func.func @odd_steps(%x: tensor<64x768xf16>, %w: tensor<768x64xf16>) -> tensor<64x64xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) stages(2)
      ins(%x imap() fmap(1), %w imap() fmap(0)) outs(omap())
      : (tensor<64x768xf16>, tensor<768x64xf16>) -> tensor<64x64xf32> {
  ^bb0(%xt: tensor<64x192xf16>, %wt: tensor<192x64xf16>):
    %p = mirage_thread.graph items(x = 4) steps(12) ins(%xt imap(x -> 0) fmap(1), %wt imap() fmap(0)) outs(omap(x -> 0))
        : (tensor<64x192xf16>, tensor<192x64xf16>) -> tensor<64x64xf32> {
    ^bb0(%xw: tensor<16x16xf16>, %ww: tensor<16x64xf16>):
      %xf = mirage_thread.ldmatrix %xw : (tensor<16x16xf16>) -> tensor<16x16xf16, #lhs>
      %wf = mirage_thread.ldmatrix %ww : (tensor<16x64xf16>) -> tensor<16x64xf16, #rhs64>
      %m = mirage_thread.mma %xf, %wf shape [16, 8, 16] : (tensor<16x16xf16, #lhs>, tensor<16x64xf16, #rhs64>) -> tensor<16x64xf32, #sum64>
      %s = mirage_thread.accumulate %m over loop sum : (tensor<16x64xf32, #sum64>) -> tensor<16x64xf32, #sum64>
      %v = mirage_thread.store %s : (tensor<16x64xf32, #sum64>) -> tensor<16x64xf32>
      mirage_thread.yield %v : tensor<16x64xf32>
    }
    %acc = mirage_block.accumulate %p over loop sum : tensor<64x64xf32>
    mirage_block.yield %acc : tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

// Two of six items would have two warps that have none.
// CHECK-LABEL: func.func @six(
// CHECK-NOT:     mirage_thread.wgmma
// CHECK:         mirage_thread.mma
func.func @six(%x: tensor<96x64xf16>, %w: tensor<64x64xf16>) -> tensor<96x64xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) stages(2)
      ins(%x imap() fmap(1), %w imap() fmap(0)) outs(omap())
      : (tensor<96x64xf16>, tensor<64x64xf16>) -> tensor<96x64xf32> {
  ^bb0(%xt: tensor<96x16xf16>, %wt: tensor<16x64xf16>):
    %p = mirage_thread.graph items(x = 6) ins(%xt imap(x -> 0), %wt imap()) outs(omap(x -> 0))
        : (tensor<96x16xf16>, tensor<16x64xf16>) -> tensor<96x64xf32> {
    ^bb0(%xw: tensor<16x16xf16>, %ww: tensor<16x64xf16>):
      %xf = mirage_thread.ldmatrix %xw : (tensor<16x16xf16>) -> tensor<16x16xf16, #lhs>
      %wf = mirage_thread.ldmatrix %ww : (tensor<16x64xf16>) -> tensor<16x64xf16, #rhs64>
      %m = mirage_thread.mma %xf, %wf shape [16, 8, 16] : (tensor<16x16xf16, #lhs>, tensor<16x64xf16, #rhs64>) -> tensor<16x64xf32, #sum64>
      %v = mirage_thread.store %m : (tensor<16x64xf32, #sum64>) -> tensor<16x64xf32>
      mirage_thread.yield %v : tensor<16x64xf32>
    }
    %acc = mirage_block.accumulate %p over loop sum : tensor<96x64xf32>
    mirage_block.yield %acc : tensor<96x64xf32>
  }
  return %o : tensor<96x64xf32>
}

// Rows that do not follow each other: a warp's own are in its registers.
// CHECK-LABEL: func.func @one_right_operand(
// CHECK:         mirage_thread.wgmma
func.func @one_right_operand(%x: tensor<16x256xf16>, %w: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) stages(2)
      ins(%x imap() fmap(1), %w imap() fmap(0)) outs(omap())
      : (tensor<16x256xf16>, tensor<64x64xf16>) -> tensor<64x64xf32> {
  ^bb0(%xt: tensor<16x64xf16>, %wt: tensor<16x64xf16>):
    %p = mirage_thread.graph items(x = 4) ins(%xt imap(x -> 1), %wt imap()) outs(omap(x -> 0))
        : (tensor<16x64xf16>, tensor<16x64xf16>) -> tensor<64x64xf32> {
    ^bb0(%xw: tensor<16x16xf16>, %ww: tensor<16x64xf16>):
      %xf = mirage_thread.ldmatrix %xw : (tensor<16x16xf16>) -> tensor<16x16xf16, #lhs>
      %wf = mirage_thread.ldmatrix %ww : (tensor<16x64xf16>) -> tensor<16x64xf16, #rhs64>
      %m = mirage_thread.mma %xf, %wf shape [16, 8, 16] : (tensor<16x16xf16, #lhs>, tensor<16x64xf16, #rhs64>) -> tensor<16x64xf32, #sum64>
      %v = mirage_thread.store %m : (tensor<16x64xf32, #sum64>) -> tensor<16x64xf32>
      mirage_thread.yield %v : tensor<16x64xf32>
    }
    %acc = mirage_block.accumulate %p over loop sum : tensor<64x64xf32>
    mirage_block.yield %acc : tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

// One item is one warp's.
// CHECK-LABEL: func.func @one(
// CHECK-NOT:     mirage_thread.wgmma
// CHECK:         mirage_thread.mma
func.func @one(%x: tensor<16x64xf16>, %w: tensor<64x64xf16>) -> tensor<16x64xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) stages(2)
      ins(%x imap() fmap(1), %w imap() fmap(0)) outs(omap())
      : (tensor<16x64xf16>, tensor<64x64xf16>) -> tensor<16x64xf32> {
  ^bb0(%xt: tensor<16x16xf16>, %wt: tensor<16x64xf16>):
    %p = mirage_thread.graph items() ins(%xt imap(), %wt imap()) outs(omap())
        : (tensor<16x16xf16>, tensor<16x64xf16>) -> tensor<16x64xf32> {
    ^bb0(%xw: tensor<16x16xf16>, %ww: tensor<16x64xf16>):
      %xf = mirage_thread.ldmatrix %xw : (tensor<16x16xf16>) -> tensor<16x16xf16, #lhs>
      %wf = mirage_thread.ldmatrix %ww : (tensor<16x64xf16>) -> tensor<16x64xf16, #rhs64>
      %m = mirage_thread.mma %xf, %wf shape [16, 8, 16] : (tensor<16x16xf16, #lhs>, tensor<16x64xf16, #rhs64>) -> tensor<16x64xf32, #sum64>
      %v = mirage_thread.store %m : (tensor<16x64xf32, #sum64>) -> tensor<16x64xf32>
      mirage_thread.yield %v : tensor<16x64xf32>
    }
    %acc = mirage_block.accumulate %p over loop sum : tensor<16x64xf32>
    mirage_block.yield %acc : tensor<16x64xf32>
  }
  return %o : tensor<16x64xf32>
}

// Each warp has columns of its own: no window is the same for four.
// CHECK-LABEL: func.func @diagonal(
// CHECK-NOT:     mirage_thread.wgmma
// CHECK:         mirage_thread.mma
func.func @diagonal(%x: tensor<64x64xf16>, %w: tensor<64x256xf16>) -> tensor<64x64xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) stages(2)
      ins(%x imap() fmap(1), %w imap() fmap(0)) outs(omap())
      : (tensor<64x64xf16>, tensor<64x256xf16>) -> tensor<64x64xf32> {
  ^bb0(%xt: tensor<64x16xf16>, %wt: tensor<16x256xf16>):
    %p = mirage_thread.graph items(x = 4) ins(%xt imap(x -> 0), %wt imap(x -> 1)) outs(omap(x -> 0))
        : (tensor<64x16xf16>, tensor<16x256xf16>) -> tensor<64x64xf32> {
    ^bb0(%xw: tensor<16x16xf16>, %ww: tensor<16x64xf16>):
      %xf = mirage_thread.ldmatrix %xw : (tensor<16x16xf16>) -> tensor<16x16xf16, #lhs>
      %wf = mirage_thread.ldmatrix %ww : (tensor<16x64xf16>) -> tensor<16x64xf16, #rhs64>
      %m = mirage_thread.mma %xf, %wf shape [16, 8, 16] : (tensor<16x16xf16, #lhs>, tensor<16x64xf16, #rhs64>) -> tensor<16x64xf32, #sum64>
      %v = mirage_thread.store %m : (tensor<16x64xf32, #sum64>) -> tensor<16x64xf32>
      mirage_thread.yield %v : tensor<16x64xf32>
    }
    %acc = mirage_block.accumulate %p over loop sum : tensor<64x64xf32>
    mirage_block.yield %acc : tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

// The second window of columns goes beyond the tile, to the first one of the next place.
// CHECK-LABEL: func.func @beyond_columns(
// CHECK-NOT:     mirage_thread.wgmma
// CHECK:         mirage_thread.mma
func.func @beyond_columns(%x: tensor<64x64xf16>, %w: tensor<64x192xf16>) -> tensor<64x192xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) stages(2)
      ins(%x imap() fmap(1), %w imap() fmap(0)) outs(omap())
      : (tensor<64x64xf16>, tensor<64x192xf16>) -> tensor<64x192xf32> {
  ^bb0(%xt: tensor<64x16xf16>, %wt: tensor<16x192xf16>):
    %p = mirage_thread.graph items(x = 2, y = 4) ins(%xt imap(y -> 0), %wt imap(x -> 1)) outs(omap(x -> 1, y -> 0))
        : (tensor<64x16xf16>, tensor<16x192xf16>) -> tensor<64x192xf32> {
    ^bb0(%xw: tensor<16x16xf16>, %ww: tensor<16x128xf16>):
      %xf = mirage_thread.ldmatrix %xw : (tensor<16x16xf16>) -> tensor<16x16xf16, #lhs>
      %wf = mirage_thread.ldmatrix %ww : (tensor<16x128xf16>) -> tensor<16x128xf16, #rhs128>
      %m = mirage_thread.mma %xf, %wf shape [16, 8, 16] : (tensor<16x16xf16, #lhs>, tensor<16x128xf16, #rhs128>) -> tensor<16x128xf32, #sum128>
      %v = mirage_thread.store %m : (tensor<16x128xf32, #sum128>) -> tensor<16x128xf32>
      mirage_thread.yield %v : tensor<16x128xf32>
    }
    %acc = mirage_block.accumulate %p over loop sum : tensor<64x192xf32>
    mirage_block.yield %acc : tensor<64x192xf32>
  }
  return %o : tensor<64x192xf32>
}

// So does the second of rows: mma.sync reads zeros there.
// CHECK-LABEL: func.func @beyond_rows(
// CHECK-NOT:     mirage_thread.wgmma
// CHECK:         mirage_thread.mma
func.func @beyond_rows(%x: tensor<64x96xf16>, %w: tensor<96x64xf16>) -> tensor<64x64xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) stages(2)
      ins(%x imap() fmap(1), %w imap() fmap(0)) outs(omap())
      : (tensor<64x96xf16>, tensor<96x64xf16>) -> tensor<64x64xf32> {
  ^bb0(%xt: tensor<64x24xf16>, %wt: tensor<24x64xf16>):
    %p = mirage_thread.graph items(x = 4) steps(2) ins(%xt imap(x -> 0) fmap(1), %wt imap() fmap(0)) outs(omap(x -> 0))
        : (tensor<64x24xf16>, tensor<24x64xf16>) -> tensor<64x64xf32> {
    ^bb0(%xw: tensor<16x16xf16>, %ww: tensor<16x64xf16>):
      %xf = mirage_thread.ldmatrix %xw : (tensor<16x16xf16>) -> tensor<16x16xf16, #lhs>
      %wf = mirage_thread.ldmatrix %ww : (tensor<16x64xf16>) -> tensor<16x64xf16, #rhs64>
      %m = mirage_thread.mma %xf, %wf shape [16, 8, 16] : (tensor<16x16xf16, #lhs>, tensor<16x64xf16, #rhs64>) -> tensor<16x64xf32, #sum64>
      %s = mirage_thread.accumulate %m over loop sum : (tensor<16x64xf32, #sum64>) -> tensor<16x64xf32, #sum64>
      %v = mirage_thread.store %s : (tensor<16x64xf32, #sum64>) -> tensor<16x64xf32>
      mirage_thread.yield %v : tensor<16x64xf32>
    }
    %acc = mirage_block.accumulate %p over loop sum : tensor<64x64xf32>
    mirage_block.yield %acc : tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

// A window that begins in the midst of a panel has no address.
// CHECK-LABEL: func.func @half_panel(
// CHECK-NOT:     mirage_thread.wgmma
// CHECK:         mirage_thread.mma
func.func @half_panel(%x: tensor<64x64xf16>, %w: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) stages(2)
      ins(%x imap() fmap(1), %w imap() fmap(0)) outs(omap())
      : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf32> {
  ^bb0(%xt: tensor<64x16xf16>, %wt: tensor<16x64xf16>):
    %p = mirage_thread.graph items(x = 2, y = 4) ins(%xt imap(y -> 0), %wt imap(x -> 1)) outs(omap(x -> 1, y -> 0))
        : (tensor<64x16xf16>, tensor<16x64xf16>) -> tensor<64x64xf32> {
    ^bb0(%xw: tensor<16x16xf16>, %ww: tensor<16x32xf16>):
      %xf = mirage_thread.ldmatrix %xw : (tensor<16x16xf16>) -> tensor<16x16xf16, #lhs>
      %wf = mirage_thread.ldmatrix %ww : (tensor<16x32xf16>) -> tensor<16x32xf16, #rhs32>
      %m = mirage_thread.mma %xf, %wf shape [16, 8, 16] : (tensor<16x16xf16, #lhs>, tensor<16x32xf16, #rhs32>) -> tensor<16x32xf32, #sum32>
      %v = mirage_thread.store %m : (tensor<16x32xf32, #sum32>) -> tensor<16x32xf32>
      mirage_thread.yield %v : tensor<16x32xf32>
    }
    %acc = mirage_block.accumulate %p over loop sum : tensor<64x64xf32>
    mirage_block.yield %acc : tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

// Threads load a tile that has no ring.
// CHECK-LABEL: func.func @one_stage(
// CHECK-NOT:     mirage_thread.wgmma
// CHECK:         mirage_thread.mma
func.func @one_stage(%x: tensor<64x64xf16>, %w: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) stages(1)
      ins(%x imap() fmap(1), %w imap() fmap(0)) outs(omap())
      : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf32> {
  ^bb0(%xt: tensor<64x16xf16>, %wt: tensor<16x64xf16>):
    %p = mirage_thread.graph items(x = 4) ins(%xt imap(x -> 0), %wt imap()) outs(omap(x -> 0))
        : (tensor<64x16xf16>, tensor<16x64xf16>) -> tensor<64x64xf32> {
    ^bb0(%xw: tensor<16x16xf16>, %ww: tensor<16x64xf16>):
      %xf = mirage_thread.ldmatrix %xw : (tensor<16x16xf16>) -> tensor<16x16xf16, #lhs>
      %wf = mirage_thread.ldmatrix %ww : (tensor<16x64xf16>) -> tensor<16x64xf16, #rhs64>
      %m = mirage_thread.mma %xf, %wf shape [16, 8, 16] : (tensor<16x16xf16, #lhs>, tensor<16x64xf16, #rhs64>) -> tensor<16x64xf32, #sum64>
      %v = mirage_thread.store %m : (tensor<16x64xf32, #sum64>) -> tensor<16x64xf32>
      mirage_thread.yield %v : tensor<16x64xf32>
    }
    %acc = mirage_block.accumulate %p over loop sum : tensor<64x64xf32>
    mirage_block.yield %acc : tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

// Two warps have no others to multiply with.
// CHECK-LABEL: func.func @two_warps(
// CHECK-NOT:     mirage_thread.wgmma
// CHECK:         mirage_thread.mma
func.func @two_warps(%x: tensor<64x64xf16>, %w: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %o = mirage_block.graph grid() threads(64) loop(4) stages(2)
      ins(%x imap() fmap(1), %w imap() fmap(0)) outs(omap())
      : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf32> {
  ^bb0(%xt: tensor<64x16xf16>, %wt: tensor<16x64xf16>):
    %p = mirage_thread.graph items(x = 4) ins(%xt imap(x -> 0), %wt imap()) outs(omap(x -> 0))
        : (tensor<64x16xf16>, tensor<16x64xf16>) -> tensor<64x64xf32> {
    ^bb0(%xw: tensor<16x16xf16>, %ww: tensor<16x64xf16>):
      %xf = mirage_thread.ldmatrix %xw : (tensor<16x16xf16>) -> tensor<16x16xf16, #lhs>
      %wf = mirage_thread.ldmatrix %ww : (tensor<16x64xf16>) -> tensor<16x64xf16, #rhs64>
      %m = mirage_thread.mma %xf, %wf shape [16, 8, 16] : (tensor<16x16xf16, #lhs>, tensor<16x64xf16, #rhs64>) -> tensor<16x64xf32, #sum64>
      %v = mirage_thread.store %m : (tensor<16x64xf32, #sum64>) -> tensor<16x64xf32>
      mirage_thread.yield %v : tensor<16x64xf32>
    }
    %acc = mirage_block.accumulate %p over loop sum : tensor<64x64xf32>
    mirage_block.yield %acc : tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}

// Two products of the same fragments.
// CHECK-LABEL: func.func @two_products(
// CHECK-NOT:     mirage_thread.wgmma
// CHECK:         mirage_thread.mma
func.func @two_products(%x: tensor<64x64xf16>, %w: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %o = mirage_block.graph grid() threads(128) loop(4) stages(2)
      ins(%x imap() fmap(1), %w imap() fmap(0)) outs(omap())
      : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf32> {
  ^bb0(%xt: tensor<64x16xf16>, %wt: tensor<16x64xf16>):
    %p = mirage_thread.graph items(x = 4) ins(%xt imap(x -> 0), %wt imap()) outs(omap(x -> 0))
        : (tensor<64x16xf16>, tensor<16x64xf16>) -> tensor<64x64xf32> {
    ^bb0(%xw: tensor<16x16xf16>, %ww: tensor<16x64xf16>):
      %xf = mirage_thread.ldmatrix %xw : (tensor<16x16xf16>) -> tensor<16x16xf16, #lhs>
      %wf = mirage_thread.ldmatrix %ww : (tensor<16x64xf16>) -> tensor<16x64xf16, #rhs64>
      %m1 = mirage_thread.mma %xf, %wf shape [16, 8, 16] : (tensor<16x16xf16, #lhs>, tensor<16x64xf16, #rhs64>) -> tensor<16x64xf32, #sum64>
      %m2 = mirage_thread.mma %xf, %wf shape [16, 8, 16] : (tensor<16x16xf16, #lhs>, tensor<16x64xf16, #rhs64>) -> tensor<16x64xf32, #sum64>
      %m = mirage_thread.add %m1, %m2 : (tensor<16x64xf32, #sum64>, tensor<16x64xf32, #sum64>) -> tensor<16x64xf32, #sum64>
      %v = mirage_thread.store %m : (tensor<16x64xf32, #sum64>) -> tensor<16x64xf32>
      mirage_thread.yield %v : tensor<16x64xf32>
    }
    %acc = mirage_block.accumulate %p over loop sum : tensor<64x64xf32>
    mirage_block.yield %acc : tensor<64x64xf32>
  }
  return %o : tensor<64x64xf32>
}
