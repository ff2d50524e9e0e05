// Attention whose warps keep their rows from product to product, with as many keys as no tile
// divides (those beyond the last one are zeros, which the graphs count), run on the emulator, in
// order and by a random schedule, against float64; for sm_80 as well.
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize artifact=%t/90" -o /dev/null
// RUN: mirage-opt %s --mirage-compile="from=optimize target=sm_80 artifact=%t/80" -o /dev/null
// RUN: for name in plain online heads two_items narrow_block joined joined_online too_few_rows keys_by_rows rescaled_by_f16; do \
// RUN:   mirage-run %t/90/$name --check && mirage-run %t/90/$name --check --schedule=5 && \
// RUN:   mirage-run %t/80/$name --check || exit 1; \
// RUN: done

// And rows are kept, so that this is what was run.
// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize" | FileCheck %s

// Both sums grow where the parts are.
// CHECK-LABEL: func.func @plain(
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
func.func @plain(%Q: tensor<1x64x32xf16>, %K: tensor<1x32x120xf16>, %V: tensor<1x120x32xf16>) -> tensor<1x64x32xf16> {
  %e = tensor.empty() : tensor<1x64x32xf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<1x64x32xf16>, tensor<1x32x120xf16>, tensor<1x120x32xf16>) outs(%e : tensor<1x64x32xf16>) {
  ^bb0(%q: tensor<1x64x32xf16>, %k: tensor<1x32x120xf16>, %v: tensor<1x120x32xf16>):
    %o = mirage_block.graph grid() threads(128) loop(4) stages(3)
        ins(%q imap(), %k imap() fmap(2), %v imap() fmap(1)) outs(omap())
        : (tensor<1x64x32xf16>, tensor<1x32x120xf16>, tensor<1x120x32xf16>) -> tensor<1x64x32xf16> {
    ^bb0(%qt: tensor<1x64x32xf16>, %kt: tensor<1x32x32xf16>, %vt: tensor<1x32x32xf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<1x64x32xf16>, tensor<1x32x32xf16>
      %p = mirage_block.exp %s : tensor<1x64x32xf32>
      %h = mirage_block.cast %p : (tensor<1x64x32xf32>) -> tensor<1x64x32xf16>
      %pv = mirage_block.matmul %h, %vt : tensor<1x64x32xf16>, tensor<1x32x32xf16>
      %acc = mirage_block.accumulate %pv over loop sum : tensor<1x64x32xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] : tensor<1x64x32xf32>
      %d = mirage_block.div %acc, %l : tensor<1x64x32xf32>, tensor<1x64x1xf32>
      mirage_block.yield %d : tensor<1x64x32xf32>
    }
    mirage_kernel.yield %o : tensor<1x64x32xf16>
  } : tensor<1x64x32xf16>
  return %r : tensor<1x64x32xf16>
}

// Scores, maxima, exponentials, their sums and the second product, all held; the running
// maximum is held too, which has no use behind the loop and no place.
// CHECK-LABEL: func.func @online(
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_block.accumulate %{{.+}} over loop max {mirage.held, mirage.offsets = array<i64: -1>
func.func @online(%Q: tensor<1x64x32xf16>, %K: tensor<1x32x120xf16>, %V: tensor<1x120x32xf16>) -> tensor<1x64x32xf16> {
  %e = tensor.empty() : tensor<1x64x32xf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<1x64x32xf16>, tensor<1x32x120xf16>, tensor<1x120x32xf16>) outs(%e : tensor<1x64x32xf16>) {
  ^bb0(%q: tensor<1x64x32xf16>, %k: tensor<1x32x120xf16>, %v: tensor<1x120x32xf16>):
    %o = mirage_block.graph grid() threads(128) loop(4) stages(2)
        ins(%q imap(), %k imap() fmap(2), %v imap() fmap(1)) outs(omap())
        : (tensor<1x64x32xf16>, tensor<1x32x120xf16>, tensor<1x120x32xf16>) -> tensor<1x64x32xf16> {
    ^bb0(%qt: tensor<1x64x32xf16>, %kt: tensor<1x32x32xf16>, %vt: tensor<1x32x32xf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<1x64x32xf16>, tensor<1x32x32xf16>
      %m = mirage_block.max %s dims [2] : tensor<1x64x32xf32>
      %c = mirage_block.sub %s, %m : tensor<1x64x32xf32>, tensor<1x64x1xf32>
      %p = mirage_block.exp %c : tensor<1x64x32xf32>
      %h = mirage_block.cast %p : (tensor<1x64x32xf32>) -> tensor<1x64x32xf16>
      %pv = mirage_block.matmul %h, %vt : tensor<1x64x32xf16>, tensor<1x32x32xf16>
      %acc = mirage_block.accumulate %pv over loop sum rescale by %m : tensor<1x64x32xf32>, tensor<1x64x1xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] rescale by %m : tensor<1x64x32xf32>, tensor<1x64x1xf32>
      %d = mirage_block.div %acc, %l : tensor<1x64x32xf32>, tensor<1x64x1xf32>
      mirage_block.yield %d : tensor<1x64x32xf32>
    }
    mirage_kernel.yield %o : tensor<1x64x32xf16>
  } : tensor<1x64x32xf16>
  return %r : tensor<1x64x32xf16>
}

// Two warps for each of two heads.
// CHECK-LABEL: func.func @heads(
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
func.func @heads(%Q: tensor<2x32x16xbf16>, %K: tensor<2x16x40xbf16>, %V: tensor<2x40x16xbf16>) -> tensor<2x32x16xbf16> {
  %e = tensor.empty() : tensor<2x32x16xbf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<2x32x16xbf16>, tensor<2x16x40xbf16>, tensor<2x40x16xbf16>) outs(%e : tensor<2x32x16xbf16>) {
  ^bb0(%q: tensor<2x32x16xbf16>, %k: tensor<2x16x40xbf16>, %v: tensor<2x40x16xbf16>):
    %o = mirage_block.graph grid() threads(128) loop(3)
        ins(%q imap(), %k imap() fmap(2), %v imap() fmap(1)) outs(omap())
        : (tensor<2x32x16xbf16>, tensor<2x16x40xbf16>, tensor<2x40x16xbf16>) -> tensor<2x32x16xbf16> {
    ^bb0(%qt: tensor<2x32x16xbf16>, %kt: tensor<2x16x16xbf16>, %vt: tensor<2x16x16xbf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<2x32x16xbf16>, tensor<2x16x16xbf16>
      %m = mirage_block.max %s dims [2] : tensor<2x32x16xf32>
      %c = mirage_block.sub %s, %m : tensor<2x32x16xf32>, tensor<2x32x1xf32>
      %p = mirage_block.exp %c : tensor<2x32x16xf32>
      %h = mirage_block.cast %p : (tensor<2x32x16xf32>) -> tensor<2x32x16xbf16>
      %pv = mirage_block.matmul %h, %vt : tensor<2x32x16xbf16>, tensor<2x16x16xbf16>
      %acc = mirage_block.accumulate %pv over loop sum rescale by %m : tensor<2x32x16xf32>, tensor<2x32x1xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] rescale by %m : tensor<2x32x16xf32>, tensor<2x32x1xf32>
      %d = mirage_block.div %acc, %l : tensor<2x32x16xf32>, tensor<2x32x1xf32>
      mirage_block.yield %d : tensor<2x32x16xf32>
    }
    mirage_kernel.yield %o : tensor<2x32x16xbf16>
  } : tensor<2x32x16xbf16>
  return %r : tensor<2x32x16xbf16>
}

// Two items of 16 rows for each warp.
// CHECK-LABEL: func.func @two_items(
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
func.func @two_items(%Q: tensor<1x64x32xf16>, %K: tensor<1x32x120xf16>, %V: tensor<1x120x32xf16>) -> tensor<1x64x32xf16> {
  %e = tensor.empty() : tensor<1x64x32xf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<1x64x32xf16>, tensor<1x32x120xf16>, tensor<1x120x32xf16>) outs(%e : tensor<1x64x32xf16>) {
  ^bb0(%q: tensor<1x64x32xf16>, %k: tensor<1x32x120xf16>, %v: tensor<1x120x32xf16>):
    %o = mirage_block.graph grid() threads(64) loop(4) stages(2)
        ins(%q imap(), %k imap() fmap(2), %v imap() fmap(1)) outs(omap())
        : (tensor<1x64x32xf16>, tensor<1x32x120xf16>, tensor<1x120x32xf16>) -> tensor<1x64x32xf16> {
    ^bb0(%qt: tensor<1x64x32xf16>, %kt: tensor<1x32x32xf16>, %vt: tensor<1x32x32xf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<1x64x32xf16>, tensor<1x32x32xf16>
      %m = mirage_block.max %s dims [2] : tensor<1x64x32xf32>
      %c = mirage_block.sub %s, %m : tensor<1x64x32xf32>, tensor<1x64x1xf32>
      %p = mirage_block.exp %c : tensor<1x64x32xf32>
      %h = mirage_block.cast %p : (tensor<1x64x32xf32>) -> tensor<1x64x32xf16>
      %pv = mirage_block.matmul %h, %vt : tensor<1x64x32xf16>, tensor<1x32x32xf16>
      %acc = mirage_block.accumulate %pv over loop sum rescale by %m : tensor<1x64x32xf32>, tensor<1x64x1xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] rescale by %m : tensor<1x64x32xf32>, tensor<1x64x1xf32>
      %d = mirage_block.div %acc, %l : tensor<1x64x32xf32>, tensor<1x64x1xf32>
      mirage_block.yield %d : tensor<1x64x32xf32>
    }
    mirage_kernel.yield %o : tensor<1x64x32xf16>
  } : tensor<1x64x32xf16>
  return %r : tensor<1x64x32xf16>
}

// One warp has all rows.
// CHECK-LABEL: func.func @narrow_block(
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
func.func @narrow_block(%Q: tensor<1x16x16xf16>, %K: tensor<1x16x72xf16>, %V: tensor<1x72x16xf16>) -> tensor<1x16x16xf16> {
  %e = tensor.empty() : tensor<1x16x16xf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<1x16x16xf16>, tensor<1x16x72xf16>, tensor<1x72x16xf16>) outs(%e : tensor<1x16x16xf16>) {
  ^bb0(%q: tensor<1x16x16xf16>, %k: tensor<1x16x72xf16>, %v: tensor<1x72x16xf16>):
    %o = mirage_block.graph grid() threads(32) loop(5) stages(2)
        ins(%q imap(), %k imap() fmap(2), %v imap() fmap(1)) outs(omap())
        : (tensor<1x16x16xf16>, tensor<1x16x72xf16>, tensor<1x72x16xf16>) -> tensor<1x16x16xf16> {
    ^bb0(%qt: tensor<1x16x16xf16>, %kt: tensor<1x16x16xf16>, %vt: tensor<1x16x16xf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<1x16x16xf16>, tensor<1x16x16xf16>
      %m = mirage_block.max %s dims [2] : tensor<1x16x16xf32>
      %c = mirage_block.sub %s, %m : tensor<1x16x16xf32>, tensor<1x16x1xf32>
      %p = mirage_block.exp %c : tensor<1x16x16xf32>
      %h = mirage_block.cast %p : (tensor<1x16x16xf32>) -> tensor<1x16x16xf16>
      %pv = mirage_block.matmul %h, %vt : tensor<1x16x16xf16>, tensor<1x16x16xf16>
      %acc = mirage_block.accumulate %pv over loop sum rescale by %m : tensor<1x16x16xf32>, tensor<1x16x1xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] rescale by %m : tensor<1x16x16xf32>, tensor<1x16x1xf32>
      %d = mirage_block.div %acc, %l : tensor<1x16x16xf32>, tensor<1x16x1xf32>
      mirage_block.yield %d : tensor<1x16x16xf32>
    }
    mirage_kernel.yield %o : tensor<1x16x16xf16>
  } : tensor<1x16x16xf16>
  return %r : tensor<1x16x16xf16>
}

// What four blocks have come to sixteen blocks join, at once.
// CHECK-LABEL: func.func @joined(
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_block.graph grid(x = {{[0-9]+}}) threads(128) ins
// CHECK-COUNT-2: mirage_thread.accumulate {{.*}} over loop sum dims
func.func @joined(%Q: tensor<1x64x64xf16>, %K: tensor<1x64x250xf16>, %V: tensor<1x250x64xf16>) -> tensor<1x64x64xf16> {
  %e = tensor.empty() : tensor<1x64x64xf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<1x64x64xf16>, tensor<1x64x250xf16>, tensor<1x250x64xf16>) outs(%e : tensor<1x64x64xf16>) {
  ^bb0(%q: tensor<1x64x64xf16>, %k: tensor<1x64x250xf16>, %v: tensor<1x250x64xf16>):
    %o = mirage_block.graph grid(x = 4) threads(128) loop(2) stages(2)
        ins(%q imap(), %k imap(x -> 2) fmap(2), %v imap(x -> 1) fmap(1)) outs(omap())
        : (tensor<1x64x64xf16>, tensor<1x64x250xf16>, tensor<1x250x64xf16>) -> tensor<1x64x64xf16> {
    ^bb0(%qt: tensor<1x64x64xf16>, %kt: tensor<1x64x32xf16>, %vt: tensor<1x32x64xf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<1x64x64xf16>, tensor<1x64x32xf16>
      %p = mirage_block.exp %s : tensor<1x64x32xf32>
      %h = mirage_block.cast %p : (tensor<1x64x32xf32>) -> tensor<1x64x32xf16>
      %pv = mirage_block.matmul %h, %vt : tensor<1x64x32xf16>, tensor<1x32x64xf16>
      %acc = mirage_block.accumulate %pv over loop sum : tensor<1x64x64xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] : tensor<1x64x32xf32>
      %accs = mirage_block.accumulate %acc over x sum : tensor<1x64x64xf32>
      %ls = mirage_block.accumulate %l over x sum : tensor<1x64x1xf32>
      %d = mirage_block.div %accs, %ls : tensor<1x64x64xf32>, tensor<1x64x1xf32>
      mirage_block.yield %d : tensor<1x64x64xf32>
    }
    mirage_kernel.yield %o : tensor<1x64x64xf16>
  } : tensor<1x64x64xf16>
  return %r : tensor<1x64x64xf16>
}

// The same, of sums that are relative to different maxima, which lie in shared memory.
// CHECK-LABEL: func.func @joined_online(
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_block.graph grid(x = {{[0-9]+}}) {{.*}} loop(4)
// CHECK: mirage_thread.graph {{.*}}mirage.held
func.func @joined_online(%Q: tensor<1x64x64xf16>, %K: tensor<1x64x250xf16>, %V: tensor<1x250x64xf16>) -> tensor<1x64x64xf16> {
  %e = tensor.empty() : tensor<1x64x64xf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<1x64x64xf16>, tensor<1x64x250xf16>, tensor<1x250x64xf16>) outs(%e : tensor<1x64x64xf16>) {
  ^bb0(%q: tensor<1x64x64xf16>, %k: tensor<1x64x250xf16>, %v: tensor<1x250x64xf16>):
    %o = mirage_block.graph grid(x = 4) threads(128) loop(2) stages(2)
        ins(%q imap(), %k imap(x -> 2) fmap(2), %v imap(x -> 1) fmap(1)) outs(omap())
        : (tensor<1x64x64xf16>, tensor<1x64x250xf16>, tensor<1x250x64xf16>) -> tensor<1x64x64xf16> {
    ^bb0(%qt: tensor<1x64x64xf16>, %kt: tensor<1x64x32xf16>, %vt: tensor<1x32x64xf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<1x64x64xf16>, tensor<1x64x32xf16>
      %m = mirage_block.max %s dims [2] : tensor<1x64x32xf32>
      %c = mirage_block.sub %s, %m : tensor<1x64x32xf32>, tensor<1x64x1xf32>
      %p = mirage_block.exp %c : tensor<1x64x32xf32>
      %h = mirage_block.cast %p : (tensor<1x64x32xf32>) -> tensor<1x64x32xf16>
      %pv = mirage_block.matmul %h, %vt : tensor<1x64x32xf16>, tensor<1x32x64xf16>
      %acc = mirage_block.accumulate %pv over loop sum rescale by %m : tensor<1x64x64xf32>, tensor<1x64x1xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] rescale by %m : tensor<1x64x32xf32>, tensor<1x64x1xf32>
      %n = mirage_block.accumulate %m over loop max : tensor<1x64x1xf32>
      %accs = mirage_block.accumulate %acc over x sum rescale by %n : tensor<1x64x64xf32>, tensor<1x64x1xf32>
      %ls = mirage_block.accumulate %l over x sum rescale by %n : tensor<1x64x1xf32>, tensor<1x64x1xf32>
      %d = mirage_block.div %accs, %ls : tensor<1x64x64xf32>, tensor<1x64x1xf32>
      mirage_block.yield %d : tensor<1x64x64xf32>
    }
    mirage_kernel.yield %o : tensor<1x64x64xf16>
  } : tensor<1x64x64xf16>
  return %r : tensor<1x64x64xf16>
}

// Rows for one warp of four: columns are shared, scores go through shared memory, and the sum
// of the second product grows in registers all the same.
// CHECK-LABEL: func.func @too_few_rows(
// CHECK-NOT: mirage.whole_rows
// CHECK: mirage_thread.graph items(x = 4) steps(2) {{.*}}mirage.held
// CHECK-NEXT: ^bb0
// CHECK: mirage_thread.mma
// CHECK: mirage_block.accumulate %{{.+}} over loop sum rescale
// CHECK-NOT: mirage.whole_rows
// CHECK: return
func.func @too_few_rows(%Q: tensor<1x16x32xf16>, %K: tensor<1x32x120xf16>, %V: tensor<1x120x32xf16>) -> tensor<1x16x32xf16> {
  %e = tensor.empty() : tensor<1x16x32xf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<1x16x32xf16>, tensor<1x32x120xf16>, tensor<1x120x32xf16>) outs(%e : tensor<1x16x32xf16>) {
  ^bb0(%q: tensor<1x16x32xf16>, %k: tensor<1x32x120xf16>, %v: tensor<1x120x32xf16>):
    %o = mirage_block.graph grid() threads(128) loop(4) stages(2)
        ins(%q imap(), %k imap() fmap(2), %v imap() fmap(1)) outs(omap())
        : (tensor<1x16x32xf16>, tensor<1x32x120xf16>, tensor<1x120x32xf16>) -> tensor<1x16x32xf16> {
    ^bb0(%qt: tensor<1x16x32xf16>, %kt: tensor<1x32x32xf16>, %vt: tensor<1x32x32xf16>):
      %s = mirage_block.matmul %qt, %kt : tensor<1x16x32xf16>, tensor<1x32x32xf16>
      %m = mirage_block.max %s dims [2] : tensor<1x16x32xf32>
      %c = mirage_block.sub %s, %m : tensor<1x16x32xf32>, tensor<1x16x1xf32>
      %p = mirage_block.exp %c : tensor<1x16x32xf32>
      %h = mirage_block.cast %p : (tensor<1x16x32xf32>) -> tensor<1x16x32xf16>
      %pv = mirage_block.matmul %h, %vt : tensor<1x16x32xf16>, tensor<1x32x32xf16>
      %acc = mirage_block.accumulate %pv over loop sum rescale by %m : tensor<1x16x32xf32>, tensor<1x16x1xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] rescale by %m : tensor<1x16x32xf32>, tensor<1x16x1xf32>
      %d = mirage_block.div %acc, %l : tensor<1x16x32xf32>, tensor<1x16x1xf32>
      mirage_block.yield %d : tensor<1x16x32xf32>
    }
    mirage_kernel.yield %o : tensor<1x16x32xf16>
  } : tensor<1x16x32xf16>
  return %r : tensor<1x16x32xf16>
}

// Keys lie as [keys, depth], and are loaded transposed.
// CHECK-LABEL: func.func @keys_by_rows(
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.transpose %{{.+}} dims [0, 2, 1]
// CHECK-NEXT: mirage_thread.wgmma
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
// CHECK: mirage_thread.graph {{.*}}mirage.held{{.*}}mirage.whole_rows
func.func @keys_by_rows(%Q: tensor<1x64x32xf16>, %K: tensor<1x120x32xf16>, %V: tensor<1x120x32xf16>) -> tensor<1x64x32xf16> {
  %e = tensor.empty() : tensor<1x64x32xf16>
  %r = mirage_kernel.graph ins(%Q, %K, %V : tensor<1x64x32xf16>, tensor<1x120x32xf16>, tensor<1x120x32xf16>) outs(%e : tensor<1x64x32xf16>) {
  ^bb0(%q: tensor<1x64x32xf16>, %k: tensor<1x120x32xf16>, %v: tensor<1x120x32xf16>):
    %o = mirage_block.graph grid() threads(128) loop(4) stages(2)
        ins(%q imap(), %k imap() fmap(1), %v imap() fmap(1)) outs(omap())
        : (tensor<1x64x32xf16>, tensor<1x120x32xf16>, tensor<1x120x32xf16>) -> tensor<1x64x32xf16> {
    ^bb0(%qt: tensor<1x64x32xf16>, %kn: tensor<1x32x32xf16>, %vt: tensor<1x32x32xf16>):
      %kt = mirage_block.transpose %kn dims [0, 2, 1] : tensor<1x32x32xf16>
      %s = mirage_block.matmul %qt, %kt : tensor<1x64x32xf16>, tensor<1x32x32xf16>
      %m = mirage_block.max %s dims [2] : tensor<1x64x32xf32>
      %c = mirage_block.sub %s, %m : tensor<1x64x32xf32>, tensor<1x64x1xf32>
      %p = mirage_block.exp %c : tensor<1x64x32xf32>
      %h = mirage_block.cast %p : (tensor<1x64x32xf32>) -> tensor<1x64x32xf16>
      %pv = mirage_block.matmul %h, %vt : tensor<1x64x32xf16>, tensor<1x32x32xf16>
      %acc = mirage_block.accumulate %pv over loop sum rescale by %m : tensor<1x64x32xf32>, tensor<1x64x1xf32>
      %l = mirage_block.accumulate %p over loop sum dims [2] rescale by %m : tensor<1x64x32xf32>, tensor<1x64x1xf32>
      %d = mirage_block.div %acc, %l : tensor<1x64x32xf32>, tensor<1x64x1xf32>
      mirage_block.yield %d : tensor<1x64x32xf32>
    }
    mirage_kernel.yield %o : tensor<1x64x32xf16>
  } : tensor<1x64x32xf16>
  return %r : tensor<1x64x32xf16>
}

// Maxima that were rounded are no f32, and the sum does not grow in registers.
// CHECK-LABEL: func.func @rescaled_by_f16(
// CHECK-NOT: mirage.held
// CHECK: return
func.func @rescaled_by_f16(%Q: tensor<64x128xf16>, %V: tensor<128x32xf16>) -> tensor<64x32xf32> {
  %e = tensor.empty() : tensor<64x32xf32>
  %r = mirage_kernel.graph ins(%Q, %V : tensor<64x128xf16>, tensor<128x32xf16>) outs(%e : tensor<64x32xf32>) {
  ^bb0(%q: tensor<64x128xf16>, %v: tensor<128x32xf16>):
    %o = mirage_block.graph grid() threads(128) loop(4)
        ins(%q imap() fmap(1), %v imap() fmap(0)) outs(omap())
        : (tensor<64x128xf16>, tensor<128x32xf16>) -> tensor<64x32xf32> {
    ^bb0(%qt: tensor<64x32xf16>, %vt: tensor<32x32xf16>):
      %m = mirage_block.max %qt dims [1] : tensor<64x32xf16>
      %m16 = mirage_block.cast %m : (tensor<64x1xf32>) -> tensor<64x1xf16>
      %s = mirage_block.matmul %qt, %vt : tensor<64x32xf16>, tensor<32x32xf16>
      %acc = mirage_block.accumulate %s over loop sum rescale by %m16 : tensor<64x32xf32>, tensor<64x1xf16>
      mirage_block.yield %acc : tensor<64x32xf32>
    }
    mirage_kernel.yield %o : tensor<64x32xf32>
  } : tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}
