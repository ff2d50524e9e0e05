// Joins that are spread over more blocks, of tiles that nothing divides, run on the emulator, in
// order and by a random schedule, against float64; for sm_80 as well.
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize artifact=%t/90" -o /dev/null
// RUN: mirage-opt %s --mirage-compile="from=optimize target=sm_80 artifact=%t/80" -o /dev/null
// RUN: for name in rows columns relative many_rows; do \
// RUN:   mirage-run %t/90/$name --check && mirage-run %t/90/$name --check --schedule=5 && \
// RUN:   mirage-run %t/80/$name --check || exit 1; \
// RUN: done

// They are spread, so that this is what was run: behind clusters of as many blocks as there are
// pieces, or in a launch of their own.
// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize" | FileCheck %s
// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize target=sm_80" | FileCheck %s --check-prefix=SM80

// 50 rows in tiles of 28, which are cut into four: the last ones lie beyond the end, where what
// is read once more is zero. Totals and biases have other shapes.
// CHECK-LABEL: func.func @rows(
// CHECK: mirage_block.graph grid(x = 2, y = 4) cluster(y = 4)
// CHECK: mirage_block.graph grid(x = 2, y = 4) threads(64) {{.*}} outs(omap(x -> 0, y -> 0)) {{.*}}mirage.launch_barrier = "cluster"
// CHECK: ^bb0(%{{[^ ]+}}: tensor<1x4x7x20xf32>, %{{[^ ]+}}: tensor<1x4x7x1xf32>, %{{[^ ]+}}: tensor<7x20xf16>, %{{[^ ]+}}: tensor<20xf32>):
func.func @rows(%a: tensor<50x96xf16>, %b: tensor<96x20xf16>, %c: tensor<50x20xf16>, %d: tensor<20xf32>) -> tensor<50x20xf32> {
  %e = tensor.empty() : tensor<50x20xf32>
  %r = mirage_kernel.graph ins(%a, %b, %c, %d : tensor<50x96xf16>, tensor<96x20xf16>, tensor<50x20xf16>, tensor<20xf32>) outs(%e : tensor<50x20xf32>) {
  ^bb0(%ka: tensor<50x96xf16>, %kb: tensor<96x20xf16>, %kc: tensor<50x20xf16>, %kd: tensor<20xf32>):
    %o = mirage_block.graph grid(x = 2, y = 4) threads(64)
        ins(%ka imap(x -> 0, y -> 1), %kb imap(y -> 0), %kc imap(x -> 0), %kd imap()) outs(omap(x -> 0))
        : (tensor<50x96xf16>, tensor<96x20xf16>, tensor<50x20xf16>, tensor<20xf32>) -> tensor<50x20xf32> {
    ^bb0(%x: tensor<28x24xf16>, %y: tensor<24x20xf16>, %z: tensor<28x20xf16>, %bias: tensor<20xf32>):
      %0 = mirage_block.matmul %x, %y : tensor<28x24xf16>, tensor<24x20xf16>
      %1 = mirage_block.accumulate %0 over y sum : tensor<28x20xf32>
      %2 = mirage_block.exp %x : tensor<28x24xf16>
      %3 = mirage_block.sum %2 dims [1] : tensor<28x24xf32>
      %4 = mirage_block.accumulate %3 over y sum : tensor<28x1xf32>
      %5 = mirage_block.div %1, %4 : tensor<28x20xf32>, tensor<28x1xf32>
      %6 = mirage_block.add %5, %z : tensor<28x20xf32>, tensor<28x20xf16>
      %7 = mirage_block.add %6, %bias : tensor<28x20xf32>, tensor<20xf32>
      mirage_block.yield %7 : tensor<28x20xf32>
    }
    mirage_kernel.yield %o : tensor<50x20xf32>
  } : tensor<50x20xf32>
  return %r : tensor<50x20xf32>
}

// One row, whose columns are pieces of nine, of which rows do not begin at 16 bytes.
// CHECK-LABEL: func.func @columns(
// CHECK: mirage_block.graph grid(x = 4) cluster(x = 4)
// CHECK: mirage_block.graph grid(x = 4) threads(64) {{.*}} outs(omap(x -> 1)) {{.*}}mirage.launch_barrier = "cluster"
// CHECK: ^bb0(%{{[^ ]+}}: tensor<4x1x9xf32>, %{{[^ ]+}}: tensor<9xf16>):
func.func @columns(%a: tensor<1x100xf16>, %b: tensor<100x36xf16>, %c: tensor<36xf16>) -> tensor<1x36xf32> {
  %e = tensor.empty() : tensor<1x36xf32>
  %r = mirage_kernel.graph ins(%a, %b, %c : tensor<1x100xf16>, tensor<100x36xf16>, tensor<36xf16>) outs(%e : tensor<1x36xf32>) {
  ^bb0(%ka: tensor<1x100xf16>, %kb: tensor<100x36xf16>, %kc: tensor<36xf16>):
    %o = mirage_block.graph grid(x = 4) threads(64)
        ins(%ka imap(x -> 1), %kb imap(x -> 0), %kc imap()) outs(omap())
        : (tensor<1x100xf16>, tensor<100x36xf16>, tensor<36xf16>) -> tensor<1x36xf32> {
    ^bb0(%x: tensor<1x25xf16>, %y: tensor<25x36xf16>, %bias: tensor<36xf16>):
      %0 = mirage_block.matmul %x, %y : tensor<1x25xf16>, tensor<25x36xf16>
      %1 = mirage_block.accumulate %0 over x sum : tensor<1x36xf32>
      %2 = mirage_block.tanh %1 : tensor<1x36xf32>
      %3 = mirage_block.add %2, %bias : tensor<1x36xf32>, tensor<36xf16>
      mirage_block.yield %3 : tensor<1x36xf32>
    }
    mirage_kernel.yield %o : tensor<1x36xf32>
  } : tensor<1x36xf32>
  return %r : tensor<1x36xf32>
}

// Softmax of 96 keys in four parts, each relative to its own maximum.
// CHECK-LABEL: func.func @relative(
// CHECK: mirage_block.graph grid(x = 4) cluster(x = 4)
// CHECK: mirage_block.graph grid(x = 4) threads(64) {{.*}}mirage.launch_barrier = "cluster"
// CHECK: ^bb0(%{{[^ ]+}}: tensor<1x3x20xf32>, %{{[^ ]+}}: tensor<1x3x1xf32>,
// CHECK: over loop sum rescale by
func.func @relative(%a: tensor<12x96xf16>, %b: tensor<96x20xf16>) -> tensor<12x20xf16> {
  %e = tensor.empty() : tensor<12x20xf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<12x96xf16>, tensor<96x20xf16>) outs(%e : tensor<12x20xf16>) {
  ^bb0(%ka: tensor<12x96xf16>, %kb: tensor<96x20xf16>):
    %o = mirage_block.graph grid(x = 4) threads(64) ins(%ka imap(x -> 1), %kb imap(x -> 0)) outs(omap())
        : (tensor<12x96xf16>, tensor<96x20xf16>) -> tensor<12x20xf16> {
    ^bb0(%x: tensor<12x24xf16>, %y: tensor<24x20xf16>):
      %m = mirage_block.max %x dims [1] : tensor<12x24xf16>
      %c = mirage_block.sub %x, %m : tensor<12x24xf16>, tensor<12x1xf32>
      %p = mirage_block.exp %c : tensor<12x24xf32>
      %h = mirage_block.cast %p : (tensor<12x24xf32>) -> tensor<12x24xf16>
      %0 = mirage_block.matmul %h, %y : tensor<12x24xf16>, tensor<24x20xf16>
      %1 = mirage_block.accumulate %0 over x sum rescale by %m : tensor<12x20xf32>, tensor<12x1xf32>
      %2 = mirage_block.sum %h dims [1] : tensor<12x24xf16>
      %3 = mirage_block.accumulate %2 over x sum rescale by %m : tensor<12x1xf32>, tensor<12x1xf32>
      %4 = mirage_block.div %1, %3 : tensor<12x20xf32>, tensor<12x1xf32>
      mirage_block.yield %4 : tensor<12x20xf32>
    }
    mirage_kernel.yield %o : tensor<12x20xf16>
  } : tensor<12x20xf16>
  return %r : tensor<12x20xf16>
}

// Six parts of 16 KiB: 32 pieces of one row each, of 129 columns, are worth a launch.
// CHECK-LABEL: func.func @many_rows(
// CHECK: mirage_block.graph grid(x = 6)
// CHECK-NOT: launch_barrier
// CHECK: mirage_block.graph grid(x = 32) threads(64) ins
// CHECK-NOT: launch_barrier
// CHECK: ^bb0(%{{[^ ]+}}: tensor<6x1x129xf32>):
// SM80-LABEL: func.func @many_rows(
// SM80: mirage_block.graph grid(x = 32) threads(64) ins
func.func @many_rows(%a: tensor<32x96xf16>, %b: tensor<96x129xf16>) -> tensor<32x129xf32> {
  %e = tensor.empty() : tensor<32x129xf32>
  %r = mirage_kernel.graph ins(%a, %b : tensor<32x96xf16>, tensor<96x129xf16>) outs(%e : tensor<32x129xf32>) {
  ^bb0(%ka: tensor<32x96xf16>, %kb: tensor<96x129xf16>):
    %o = mirage_block.graph grid(x = 6) threads(64) ins(%ka imap(x -> 1), %kb imap(x -> 0)) outs(omap())
        : (tensor<32x96xf16>, tensor<96x129xf16>) -> tensor<32x129xf32> {
    ^bb0(%x: tensor<32x16xf16>, %y: tensor<16x129xf16>):
      %0 = mirage_block.matmul %x, %y : tensor<32x16xf16>, tensor<16x129xf16>
      %1 = mirage_block.accumulate %0 over x sum : tensor<32x129xf32>
      %2 = mirage_block.square %1 : tensor<32x129xf32>
      %3 = mirage_block.sum %2 dims [1] : tensor<32x129xf32>
      %4 = mirage_block.div %1, %3 : tensor<32x129xf32>, tensor<32x1xf32>
      mirage_block.yield %4 : tensor<32x129xf32>
    }
    mirage_kernel.yield %o : tensor<32x129xf32>
  } : tensor<32x129xf32>
  return %r : tensor<32x129xf32>
}
