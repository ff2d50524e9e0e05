// RUN: mirage-opt %s --mirage-split-grid-joins --verify-each | FileCheck %s
// RUN: mirage-opt %s --mirage-split-grid-joins -o %t.mlir && mirage-verify %s %t.mlir --seed=1 | FileCheck %s --check-prefix=JUDGED
// JUDGED-DAG: @softmax: equal
// JUDGED-DAG: @online: equal
// JUDGED-DAG: @twice: equal
// JUDGED-DAG: @causal: equal
// JUDGED-DAG: @same_along: equal
// JUDGED-DAG: @beside_tiles: equal
// JUDGED-DAG: @joined_and_taken: equal
// JUDGED-DAG: @before_loop: equal
// JUDGED-DAG: @both_sides: equal
// JUDGED-DAG: @rows_of_inputs: equal
// JUDGED-DAG: @tiles: equal
// JUDGED-DAG: @cut_twice: equal
// JUDGED-DAG: @rescaled_by_input: equal
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize artifact=%t" -o /dev/null
// RUN: for program in rows_of_inputs tiles cut_twice rescaled_by_input; do mirage-run %t/$program --device=emulator --check || exit 1; done | FileCheck %s --check-prefix=RIGHT
// RIGHT-COUNT-5: : right
// Rows that warps share out among themselves, and blocks along an axis: the judge finds smaller
// sizes for all of them.
// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize" -o %t.planned.mlir
// RUN: mirage-verify %s %t.planned.mlir --seed=1 | FileCheck %s --check-prefix=PLANNED
// PLANNED-COUNT-14: equal
// RUN: mirage-opt %s --mirage-split-grid-joins --remarks-filter=.* --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// What is needed again on the other side of the join is read again, or carried; of what is
// joined blocks leave what their tiles are reduced to.
// CHECK-LABEL: func.func @softmax(
// CHECK: %[[E:.+]]:3 = mirage_block.graph grid(x = 3, y = 4) cluster(y = 4) threads(32) ins(%[[A:.+]] imap(x -> 0, y -> 1)) outs(omap(x -> 0, y -> 1), omap(x -> 0, y -> 1), omap(x -> 0, y -> 1)) : (tensor<12x96xf16>) -> (tensor<3x4x4x1xf32>, tensor<3x4x4x24xf32>, tensor<3x4x4x1xf32>)
// CHECK: mirage_block.sum
// CHECK: mirage_block.sum
// CHECK: mirage_block.reshape %{{.+}} : (tensor<4x24xf32>) -> tensor<1x1x4x24xf32>
// CHECK: mirage_block.yield
// CHECK: mirage_block.graph grid(x = 3, y = 4) threads(32) loop(4) stages(4)
// CHECK-SAME: ins(%[[E]]#0 imap(x -> 0) fmap(1), %[[E]]#1 imap(x -> 0, y -> 1), %[[E]]#2 imap(x -> 0, y -> 1), %[[A]] imap(x -> 0, y -> 1)) outs(omap(x -> 0, y -> 1))
// CHECK: %[[S:.+]] = mirage_block.accumulate %{{.+}} over loop sum : tensor<1x1x4x1xf32>
// CHECK: mirage_block.reshape %[[S]] : (tensor<1x1x4x1xf32>) -> tensor<4x1xf32>
func.func @softmax(%x: tensor<12x96xf16>) -> tensor<12x96xf16> {
  %e = tensor.empty() : tensor<12x96xf16>
  %r = mirage_kernel.graph ins(%x : tensor<12x96xf16>) outs(%e : tensor<12x96xf16>) {
  ^bb0(%a: tensor<12x96xf16>):
    %o = mirage_block.graph grid(x = 3, y = 4) cluster(y = 4) threads(32)
        ins(%a imap(x -> 0, y -> 1)) outs(omap(x -> 0, y -> 1))
        : (tensor<12x96xf16>) -> tensor<12x96xf16> {
    ^bb0(%t: tensor<4x24xf16>):
      %p = mirage_block.exp %t : tensor<4x24xf16>
      %own = mirage_block.sum %p dims [1] : tensor<4x24xf32>
      %s = mirage_block.accumulate %p over y sum dims [1] : tensor<4x24xf32>
      %d = mirage_block.div %p, %s : tensor<4x24xf32>, tensor<4x1xf32>
      %m = mirage_block.mul %d, %t : tensor<4x24xf32>, tensor<4x24xf16>
      %q = mirage_block.add %m, %own : tensor<4x24xf32>, tensor<4x1xf32>
      mirage_block.yield %q : tensor<4x24xf32>
    }
    mirage_kernel.yield %o : tensor<12x96xf16>
  } : tensor<12x96xf16>
  return %r : tensor<12x96xf16>
}

// Where blocks along the axis do the same afterwards, one of them does it.
// CHECK-LABEL: func.func @online(
// CHECK: %[[P:.+]]:2 = mirage_block.graph grid(x = 4) threads(32) loop(2) {{.*}} -> (tensor<4x8x1xf32>, tensor<4x8x1xf32>)
// CHECK: mirage_block.graph grid(x = 1) threads(32) loop(4) stages(4) ins(%[[P]]#0 imap() fmap(0), %[[P]]#1 imap() fmap(0)) outs(omap())
// CHECK: ^bb0(%[[S:.+]]: tensor<1x8x1xf32>, %[[N:.+]]: tensor<1x8x1xf32>):
// CHECK: mirage_block.accumulate %[[S]] over loop sum rescale by %[[N]] : tensor<1x8x1xf32>, tensor<1x8x1xf32>
// CHECK: mirage_block.accumulate %[[N]] over loop max : tensor<1x8x1xf32>
func.func @online(%x: tensor<8x128xf16>) -> tensor<8x1xf32> {
  %e = tensor.empty() : tensor<8x1xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x128xf16>) outs(%e : tensor<8x1xf32>) {
  ^bb0(%a: tensor<8x128xf16>):
    %o = mirage_block.graph grid(x = 4) threads(32) loop(2) ins(%a imap(x -> 1) fmap(1)) outs(omap())
        : (tensor<8x128xf16>) -> tensor<8x1xf32> {
    ^bb0(%t: tensor<8x16xf16>):
      %m = mirage_block.max %t dims [1] : tensor<8x16xf16>
      %c = mirage_block.sub %t, %m : tensor<8x16xf16>, tensor<8x1xf32>
      %p = mirage_block.exp %c : tensor<8x16xf32>
      %s = mirage_block.accumulate %p over loop sum dims [1] rescale by %m : tensor<8x16xf32>, tensor<8x1xf32>
      %n = mirage_block.accumulate %m over loop max : tensor<8x1xf32>
      %j = mirage_block.accumulate %s over x sum rescale by %n : tensor<8x1xf32>, tensor<8x1xf32>
      %k = mirage_block.accumulate %n over x max : tensor<8x1xf32>
      %y = mirage_block.exp %k : tensor<8x1xf32>
      %z = mirage_block.mul %j, %y : tensor<8x1xf32>, tensor<8x1xf32>
      mirage_block.yield %z : tensor<8x1xf32>
    }
    mirage_kernel.yield %o : tensor<8x1xf32>
  } : tensor<8x1xf32>
  return %r : tensor<8x1xf32>
}

// A join after a join, along another axis, and a sum over the grid at the end: three kernels,
// and --mirage-split-grid-sums makes another.
// CHECK-LABEL: func.func @twice(
// CHECK: mirage_block.graph grid(x = 2, y = 4) threads(32) ins
// CHECK-NOT: joins_parts
// CHECK: mirage_block.graph grid(x = 2, y = 1) threads(32) loop(4) {{.*}} {mirage.joins_parts}
// CHECK: mirage_block.graph grid(x = 2, y = 1) threads(32) loop(2) {{.*}} {mirage.joins_parts}
// CHECK-NOT: over x
// CHECK-NOT: over y
func.func @twice(%x: tensor<8x64xf16>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<4x16xf32>
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%e : tensor<4x16xf32>) {
  ^bb0(%a: tensor<8x64xf16>):
    %o = mirage_block.graph grid(x = 2, y = 4) threads(32) ins(%a imap(x -> 0, y -> 1)) outs(omap(x -> sum))
        : (tensor<8x64xf16>) -> tensor<4x16xf32> {
    ^bb0(%t: tensor<4x16xf16>):
      %q = mirage_block.square %t : tensor<4x16xf16>
      %s = mirage_block.accumulate %q over y mean dims [1] count 64 : tensor<4x16xf32>
      %u = mirage_block.mul %s, %s : tensor<4x1xf32>, tensor<4x1xf32>
      %m = mirage_block.accumulate %u over x max : tensor<4x1xf32>
      %z = mirage_block.accumulate %q over y sum : tensor<4x16xf32>
      %w = mirage_block.mul %z, %m : tensor<4x16xf32>, tensor<4x1xf32>
      mirage_block.yield %w : tensor<4x16xf32>
    }
    mirage_kernel.yield %o : tensor<4x16xf32>
  } : tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// A mask counts the rows of the whole tensor, whatever it masks: what blocks have joined
// differs among them again. Tiles of an input, as they are, nobody has to leave.
// CHECK-LABEL: func.func @causal(
// CHECK: mirage_block.graph grid(x = 4) threads(32) loop(4) stages(4) ins(%{{.+}} imap() fmap(0)) outs(omap(x -> 0))
// CHECK-NOT: mirage_block.graph
func.func @causal(%x: tensor<32x8xf32>) -> tensor<32x8xf32> {
  %e = tensor.empty() : tensor<32x8xf32>
  %r = mirage_kernel.graph ins(%x : tensor<32x8xf32>) outs(%e : tensor<32x8xf32>) {
  ^bb0(%a: tensor<32x8xf32>):
    %o = mirage_block.graph grid(x = 4) threads(32) ins(%a imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<32x8xf32>) -> tensor<32x8xf32> {
    ^bb0(%t: tensor<8x8xf32>):
      %m = mirage_block.accumulate %t over x sum : tensor<8x8xf32>
      %c = mirage_block.causal_mask %m offset -4 rows ["x"] : tensor<8x8xf32>
      %p = mirage_block.exp %c : tensor<8x8xf32>
      mirage_block.yield %p : tensor<8x8xf32>
    }
    mirage_kernel.yield %o : tensor<32x8xf32>
  } : tensor<32x8xf32>
  return %r : tensor<32x8xf32>
}

// What all blocks along the joined axis have alike, and leave as a result, one of them writes,
// and all read that.
// CHECK-LABEL: func.func @same_along(
// CHECK: %[[P:.+]]:3 = mirage_block.graph grid(x = 4) threads(32) {{.*}} outs(omap(x -> 0), omap(), omap()) : {{.*}} -> (tensor<4x8x1xf32>, tensor<1x8x64xf32>, tensor<1x8x64xf32>)
// CHECK: mirage_block.graph grid(x = 1) threads(32) loop(4) stages(4) ins(%[[P]]#0 imap() fmap(0), %[[P]]#1 imap(), %[[P]]#2 imap()) outs(omap(), omap())
func.func @same_along(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %e = tensor.empty() : tensor<8x64xf32>
  %r:2 = mirage_kernel.graph ins(%x, %w : tensor<8x64xf32>, tensor<64x64xf32>)
      outs(%e, %e : tensor<8x64xf32>, tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>, %b: tensor<64x64xf32>):
    %o:2 = mirage_block.graph grid(x = 4) threads(32)
        ins(%a imap(), %b imap(x -> 1)) outs(omap(), omap())
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
    ^bb0(%t: tensor<8x64xf32>, %u: tensor<64x16xf32>):
      %q = mirage_block.square %t : tensor<8x64xf32>
      %n = mirage_block.exp %t : tensor<8x64xf32>
      %m = mirage_block.matmul %t, %u : tensor<8x64xf32>, tensor<64x16xf32>
      %s = mirage_block.sum %m dims [1] : tensor<8x16xf32>
      %j = mirage_block.accumulate %s over x sum : tensor<8x1xf32>
      %d = mirage_block.mul %n, %j : tensor<8x64xf32>, tensor<8x1xf32>
      mirage_block.yield %d, %q : tensor<8x64xf32>, tensor<8x64xf32>
    }
    mirage_kernel.yield %o#0, %o#1 : tensor<8x64xf32>, tensor<8x64xf32>
  } : tensor<8x64xf32>, tensor<8x64xf32>
  return %r#0, %r#1 : tensor<8x64xf32>, tensor<8x64xf32>
}

// What blocks along x have alike is written once where a result is one for all of them.
// CHECK-LABEL: func.func @beside_tiles(
// CHECK: mirage_block.graph grid(x = 2, y = 4) {{.*}} outs(omap(y -> 1), omap(x -> 0, y -> 1)) : {{.*}} -> (tensor<1x4x8x1xf32>, tensor<2x4x4x2xf32>)
func.func @beside_tiles(%x: tensor<8x8xf16>, %y: tensor<8x8xf16>, %z: tensor<8x8xf16>) -> (tensor<8x8xf32>, tensor<8x1xf32>) {
  %e0 = tensor.empty() : tensor<8x8xf32>
  %e1 = tensor.empty() : tensor<8x1xf32>
  %r:2 = mirage_kernel.graph ins(%x, %y, %z : tensor<8x8xf16>, tensor<8x8xf16>, tensor<8x8xf16>) outs(%e0, %e1 : tensor<8x8xf32>, tensor<8x1xf32>) {
  ^bb0(%a: tensor<8x8xf16>, %b: tensor<8x8xf16>, %c: tensor<8x8xf16>):
    %o:2 = mirage_block.graph grid(x = 2, y = 4) threads(32)
        ins(%a imap(x -> 0), %b imap(y -> 1), %c imap(y -> 0)) outs(omap(x -> 0, y -> 1), omap())
        : (tensor<8x8xf16>, tensor<8x8xf16>, tensor<8x8xf16>) -> (tensor<8x8xf32>, tensor<8x1xf32>) {
    ^bb0(%t: tensor<4x8xf16>, %u: tensor<8x2xf16>, %v: tensor<2x8xf16>):
      %p = mirage_block.matmul %t, %u : tensor<4x8xf16>, tensor<8x2xf16>
      %s = mirage_block.sum %v dims [1] : tensor<2x8xf16>
      %q = mirage_block.matmul %u, %s : tensor<8x2xf16>, tensor<2x1xf32>
      %j = mirage_block.accumulate %q over y sum : tensor<8x1xf32>
      mirage_block.yield %p, %j : tensor<4x2xf32>, tensor<8x1xf32>
    }
    mirage_kernel.yield %o#0, %o#1 : tensor<8x8xf32>, tensor<8x1xf32>
  } : tensor<8x8xf32>, tensor<8x1xf32>
  return %r#0, %r#1 : tensor<8x8xf32>, tensor<8x1xf32>
}

// What blocks along the joined axis have alike, they all write where it is joined; where a
// result that is one for all of them takes it besides, one of them writes it once more.
// CHECK-LABEL: func.func @joined_and_taken(
// CHECK: %[[P:.+]]:2 = mirage_block.graph grid(x = 3) {{.*}} outs(omap(x -> 0), omap()) : {{.*}} -> (tensor<3x4x8xf32>, tensor<1x4x8xf32>)
// CHECK: mirage_block.graph grid(x = 1) {{.*}} ins(%[[P]]#0 imap() fmap(0), %[[P]]#1 imap()) outs(omap())
func.func @joined_and_taken(%x: tensor<4x8xf16>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %r = mirage_kernel.graph ins(%x : tensor<4x8xf16>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: tensor<4x8xf16>):
    %o = mirage_block.graph grid(x = 3) threads(32) ins(%a imap()) outs(omap())
        : (tensor<4x8xf16>) -> tensor<4x8xf32> {
    ^bb0(%t: tensor<4x8xf16>):
      %p = mirage_block.exp %t : tensor<4x8xf16>
      %j = mirage_block.accumulate %p over x sum : tensor<4x8xf32>
      %d = mirage_block.div %p, %j : tensor<4x8xf32>, tensor<4x8xf32>
      mirage_block.yield %d : tensor<4x8xf32>
    }
    mirage_kernel.yield %o : tensor<4x8xf32>
  } : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// What the loop reads is joined by kernels of their own before, without a loop; the exponentials
// are computed again behind it.
// CHECK-LABEL: func.func @before_loop(
// CHECK: %[[P:.+]] = mirage_block.graph grid(x = 4) threads(32) ins(%[[Q:.+]] imap(), %[[K:.+]] imap(x -> 1)) outs(omap(x -> 0)) : (tensor<4x8xf16>, tensor<8x16xf16>) -> tensor<4x4x1xf32>
// CHECK: mirage_block.matmul
// CHECK: mirage_block.exp
// CHECK: mirage_block.sum
// CHECK-NOT: mirage_block.matmul
// CHECK: %[[S:.+]] = mirage_block.graph grid(x = 1) threads(32) loop(4) stages(4) ins(%[[P]] imap() fmap(0)) outs(omap()) {mirage.joins_parts} : (tensor<4x4x1xf32>) -> tensor<1x4x1xf32>
// CHECK: mirage_block.accumulate %{{.+}} over loop sum : tensor<1x4x1xf32>
// CHECK: mirage_block.graph grid(x = 4) threads(32) loop(8) stages(2) ins(%[[Q]] imap(), %[[K]] imap(x -> 1), %{{.+}} imap(x -> 0) fmap(1), %{{.+}} imap() fmap(0), %[[S]] imap()) outs(omap(x -> sum))
// CHECK: mirage_block.reshape %{{.+}} : (tensor<1x4x1xf32>) -> tensor<4x1xf32>
// CHECK: mirage_block.exp
// CHECK: mirage_block.div
func.func @before_loop(%q: tensor<4x8xf16>, %k: tensor<8x16xf16>, %v: tensor<16x32xf16>, %w: tensor<32x8xf16>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %r = mirage_kernel.graph ins(%q, %k, %v, %w : tensor<4x8xf16>, tensor<8x16xf16>, tensor<16x32xf16>, tensor<32x8xf16>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: tensor<4x8xf16>, %b: tensor<8x16xf16>, %c: tensor<16x32xf16>, %d: tensor<32x8xf16>):
    %o = mirage_block.graph grid(x = 4) threads(32) loop(8) stages(2)
        ins(%a imap(), %b imap(x -> 1), %c imap(x -> 0) fmap(1), %d imap() fmap(0)) outs(omap(x -> sum))
        : (tensor<4x8xf16>, tensor<8x16xf16>, tensor<16x32xf16>, tensor<32x8xf16>) -> tensor<4x8xf32> {
    ^bb0(%t: tensor<4x8xf16>, %u: tensor<8x4xf16>, %vt: tensor<4x4xf16>, %wt: tensor<4x8xf16>):
      %scores = mirage_block.matmul %t, %u : tensor<4x8xf16>, tensor<8x4xf16>
      %p = mirage_block.exp %scores : tensor<4x4xf32>
      %s = mirage_block.accumulate %p over x sum dims [1] : tensor<4x4xf32>
      %n = mirage_block.div %p, %s : tensor<4x4xf32>, tensor<4x1xf32>
      %y = mirage_block.matmul %n, %vt : tensor<4x4xf32>, tensor<4x4xf16>
      %z = mirage_block.matmul %y, %wt : tensor<4x4xf32>, tensor<4x8xf16>
      %sum = mirage_block.accumulate %z over loop sum : tensor<4x8xf32>
      mirage_block.yield %sum : tensor<4x8xf32>
    }
    mirage_kernel.yield %o : tensor<4x8xf32>
  } : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// One join before the loop, along an axis along which rows differ; one behind it; and one that
// the loop does not read, which waits for the second.
// CHECK-LABEL: func.func @both_sides(
// CHECK: mirage_block.graph grid(x = 2, y = 3) threads(32) ins(%{{.+}} imap(x -> 0, y -> 1)) outs(omap(x -> 0, y -> 1))
// CHECK-NOT: max
// CHECK: %[[S:.+]] = mirage_block.graph grid(x = 2, y = 1) {{.*}} -> tensor<2x1x4x1xf32>
// CHECK: mirage_block.graph grid(x = 2, y = 3) threads(32) loop(2) {{.*}} %[[S]] imap(x -> 0)
// CHECK: mirage_block.graph grid(x = 2, y = 3) threads(32) loop(3)
// CHECK-COUNT-2: mirage_block.accumulate
// CHECK-NOT: mirage_block.graph
func.func @both_sides(%x: tensor<8x12xf16>, %y: tensor<8x24xf16>) -> tensor<8x12xf32> {
  %e = tensor.empty() : tensor<8x12xf32>
  %r = mirage_kernel.graph ins(%x, %y : tensor<8x12xf16>, tensor<8x24xf16>) outs(%e : tensor<8x12xf32>) {
  ^bb0(%a: tensor<8x12xf16>, %b: tensor<8x24xf16>):
    %o = mirage_block.graph grid(x = 2, y = 3) threads(32) loop(2)
        ins(%a imap(x -> 0, y -> 1), %b imap(x -> 0, y -> 1) fmap(1)) outs(omap(x -> 0, y -> 1))
        : (tensor<8x12xf16>, tensor<8x24xf16>) -> tensor<8x12xf32> {
    ^bb0(%t: tensor<4x4xf16>, %u: tensor<4x4xf16>):
      %s = mirage_block.accumulate %t over y sum dims [1] : tensor<4x4xf16>
      %m = mirage_block.accumulate %t over y max dims [1] : tensor<4x4xf16>
      %p = mirage_block.mul %u, %s : tensor<4x4xf16>, tensor<4x1xf32>
      %l = mirage_block.accumulate %p over loop sum : tensor<4x4xf32>
      %j = mirage_block.accumulate %l over y sum : tensor<4x4xf32>
      %d = mirage_block.add %j, %m : tensor<4x4xf32>, tensor<4x1xf32>
      %o = mirage_block.mul %d, %t : tensor<4x4xf32>, tensor<4x4xf16>
      mirage_block.yield %o : tensor<4x4xf32>
    }
    mirage_kernel.yield %o : tensor<8x12xf32>
  } : tensor<8x12xf32>
  return %r : tensor<8x12xf32>
}

// Of rows of inputs, too, blocks leave sums, and average once. Padding of the last tile is
// zero on both sides.
// CHECK-LABEL: func.func @rows_of_inputs(
// CHECK: %[[P:.+]]:2 = mirage_block.graph grid(x = 2, y = 4) {{.*}} -> (tensor<2x4x4x1xf32>, tensor<2x4x4x1xf32>)
// CHECK: %[[Q:.+]] = mirage_block.square %[[T:.+]] : tensor<4x25xf16>
// CHECK: mirage_block.sum %[[Q]] dims [1] : tensor<4x25xf32>
// CHECK: mirage_block.sum %[[T]] dims [1] : tensor<4x25xf16>
// CHECK: mirage_block.graph grid(x = 2, y = 4) {{.*}} loop(4) {{.*}} ins(%[[P]]#0 imap(x -> 0) fmap(1), %[[P]]#1 imap(x -> 0) fmap(1), %{{.+}} imap(x -> 0, y -> 1))
// CHECK: mirage_block.unscale %{{.+}} by 9.700000e+01 : tensor<4x1xf32>
// CHECK: mirage_block.sqrt
// CHECK: mirage_block.unscale %{{.+}} by 1.000000e+02 : tensor<4x1xf32>
func.func @rows_of_inputs(%x: tensor<8x97xf16>) -> tensor<8x97xf16> {
  %e = tensor.empty() : tensor<8x97xf16>
  %r = mirage_kernel.graph ins(%x : tensor<8x97xf16>) outs(%e : tensor<8x97xf16>) {
  ^bb0(%a: tensor<8x97xf16>):
    %o = mirage_block.graph grid(x = 2, y = 4) threads(32) ins(%a imap(x -> 0, y -> 1)) outs(omap(x -> 0, y -> 1))
        : (tensor<8x97xf16>) -> tensor<8x97xf16> {
    ^bb0(%t: tensor<4x25xf16>):
      %n = mirage_block.accumulate %t over y rms dims [1] count 97 : tensor<4x25xf16>
      %m = mirage_block.accumulate %t over y mean dims [1] : tensor<4x25xf16>
      %c = mirage_block.sub %t, %m : tensor<4x25xf16>, tensor<4x1xf32>
      %d = mirage_block.div %c, %n : tensor<4x25xf32>, tensor<4x1xf32>
      mirage_block.yield %d : tensor<4x25xf32>
    }
    mirage_kernel.yield %o : tensor<8x97xf16>
  } : tensor<8x97xf16>
  return %r : tensor<8x97xf16>
}

// Tiles that are joined as they are, and nothing else: one kernel, and no cluster. The last one
// ends beyond the input, on both sides with zeros.
// REMARK: split-grid-joins.mlir:[[@LINE+10]]:{{.*}}remark: [Missed] Cluster {{.*}}the cluster is dropped: its blocks would have nothing to do but to leave tiles of inputs
// CHECK-LABEL: func.func @tiles(
// CHECK: mirage_block.graph grid(x = 2, y = 1) threads(32) loop(4) {{.*}} ins(%{{.+}} imap(x -> 1) fmap(0)) outs(omap(x -> 1), omap(x -> 1))
// CHECK: mirage_block.accumulate %{{.+}} over loop max : tensor<3x8xf16>
// CHECK: mirage_block.accumulate %{{.+}} over loop sum : tensor<3x8xf16>
// CHECK-NOT: mirage_block.graph
func.func @tiles(%x: tensor<11x16xf16>) -> (tensor<3x16xf32>, tensor<3x16xf32>) {
  %e = tensor.empty() : tensor<3x16xf32>
  %r:2 = mirage_kernel.graph ins(%x : tensor<11x16xf16>) outs(%e, %e : tensor<3x16xf32>, tensor<3x16xf32>) {
  ^bb0(%a: tensor<11x16xf16>):
    %o:2 = mirage_block.graph grid(x = 2, y = 4) cluster(y = 4) threads(32) ins(%a imap(x -> 1, y -> 0)) outs(omap(x -> 1), omap(x -> 1))
        : (tensor<11x16xf16>) -> (tensor<3x16xf32>, tensor<3x16xf32>) {
    ^bb0(%t: tensor<3x8xf16>):
      %m = mirage_block.accumulate %t over y max : tensor<3x8xf16>
      %s = mirage_block.accumulate %t over y sum : tensor<3x8xf16>
      mirage_block.yield %m, %s : tensor<3x8xf32>, tensor<3x8xf32>
    }
    mirage_kernel.yield %o#0, %o#1 : tensor<3x16xf32>, tensor<3x16xf32>
  } : tensor<3x16xf32>, tensor<3x16xf32>
  return %r#0, %r#1 : tensor<3x16xf32>, tensor<3x16xf32>
}

// Where another axis cuts what the joined one has cut, a loop would take other tiles.
// CHECK-LABEL: func.func @cut_twice(
// CHECK: %[[P:.+]] = mirage_block.graph grid(x = 2, y = 3) {{.*}} -> tensor<2x3x2x8xf16>
// CHECK: mirage_block.graph grid(x = 1, y = 3) {{.*}} ins(%[[P]] imap(y -> 1) fmap(0)) outs(omap(y -> 0))
func.func @cut_twice(%x: tensor<12x8xf16>) -> tensor<6x8xf32> {
  %e = tensor.empty() : tensor<6x8xf32>
  %r = mirage_kernel.graph ins(%x : tensor<12x8xf16>) outs(%e : tensor<6x8xf32>) {
  ^bb0(%a: tensor<12x8xf16>):
    %o = mirage_block.graph grid(x = 2, y = 3) threads(32) ins(%a imap(x -> 0, y -> 0)) outs(omap(y -> 0))
        : (tensor<12x8xf16>) -> tensor<6x8xf32> {
    ^bb0(%t: tensor<2x8xf16>):
      %m = mirage_block.accumulate %t over x sum : tensor<2x8xf16>
      mirage_block.yield %m : tensor<2x8xf32>
    }
    mirage_kernel.yield %o : tensor<6x8xf32>
  } : tensor<6x8xf32>
  return %r : tensor<6x8xf32>
}

// What sums are relative to is left with them, so that the two have one maximum.
// CHECK-LABEL: func.func @rescaled_by_input(
// CHECK: %[[P:.+]]:2 = mirage_block.graph grid(x = 4) {{.*}} -> (tensor<4x8x1xf32>, tensor<4x8x1xf32>)
// CHECK: mirage_block.graph grid(x = 1) threads(32) loop(4) {{.*}} ins(%[[P]]#0 imap() fmap(0), %[[P]]#1 imap() fmap(0)) outs(omap())
// CHECK: ^bb0(%{{.+}}: tensor<1x8x1xf32>, %[[M:.+]]: tensor<1x8x1xf32>):
// CHECK: mirage_block.accumulate %{{.+}} over loop sum rescale by %[[M]] : tensor<1x8x1xf32>, tensor<1x8x1xf32>
// CHECK: mirage_block.accumulate %[[M]] over loop max
func.func @rescaled_by_input(%x: tensor<8x16xf32>, %y: tensor<8x4xf32>) -> tensor<8x1xf32> {
  %e = tensor.empty() : tensor<8x1xf32>
  %r = mirage_kernel.graph ins(%x, %y : tensor<8x16xf32>, tensor<8x4xf32>) outs(%e : tensor<8x1xf32>) {
  ^bb0(%a: tensor<8x16xf32>, %b: tensor<8x4xf32>):
    %o = mirage_block.graph grid(x = 4) threads(32) ins(%a imap(x -> 1), %b imap(x -> 1)) outs(omap())
        : (tensor<8x16xf32>, tensor<8x4xf32>) -> tensor<8x1xf32> {
    ^bb0(%t: tensor<8x4xf32>, %m: tensor<8x1xf32>):
      %s = mirage_block.accumulate %t over x sum dims [1] rescale by %m : tensor<8x4xf32>, tensor<8x1xf32>
      %k = mirage_block.accumulate %m over x max : tensor<8x1xf32>
      %z = mirage_block.mul %s, %k : tensor<8x1xf32>, tensor<8x1xf32>
      mirage_block.yield %z : tensor<8x1xf32>
    }
    mirage_kernel.yield %o : tensor<8x1xf32>
  } : tensor<8x1xf32>
  return %r : tensor<8x1xf32>
}

// CHECK-LABEL: func.func @long_rows(
func.func @long_rows(%x: tensor<64x1024xf16>) -> tensor<64x1xf32> {
  %e = tensor.empty() : tensor<64x1xf32>
  %r = mirage_kernel.graph ins(%x : tensor<64x1024xf16>) outs(%e : tensor<64x1xf32>) {
  ^bb0(%a: tensor<64x1024xf16>):
    %o = mirage_block.graph grid(x = 8, y = 4) threads(128) ins(%a imap(x -> 0, y -> 1)) outs(omap(x -> 0))
        : (tensor<64x1024xf16>) -> tensor<64x1xf32> {
    ^bb0(%t: tensor<8x256xf16>):
      %s = mirage_block.accumulate %t over y sum dims [1] : tensor<8x256xf16>
      mirage_block.yield %s : tensor<8x1xf32>
    }
    mirage_kernel.yield %o : tensor<64x1xf32>
  } : tensor<64x1xf32>
  return %r : tensor<64x1xf32>
}
