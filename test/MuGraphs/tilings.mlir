// Tiles of sizes that are powers of two or not, that divide or do not, with batches;
// the programs: Inputs/tilings.mlir.
// RUN: mirage-verify %S/Inputs/tilings.mlir %s --seed=1 | FileCheck %s
// RUN: %python %S/Inputs/against-numpy.py %s
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize artifact=%t" -o /dev/null
// RUN: for program in %t/*; do mirage-run $program --check || exit 1; done
// CHECK-DAG: @matmul_64: equal
// CHECK-DAG: @matmul_15: equal
// CHECK-DAG: @matmul_96x96x57: equal
// CHECK-DAG: @matmul_405x435x63: equal
// CHECK-DAG: @matmul_381x504x62: equal
// CHECK-DAG: @matmul_92x94x64: equal
// CHECK-DAG: @matmul_that_nothing_divides: equal
// CHECK-DAG: @matmul_of_a_batch_in_one_tile: equal
// CHECK-DAG: @matmul_of_batches_cut_in_two: equal
// CHECK-DAG: @matmul_with_batch_broadcast: equal
// CHECK-DAG: @matmul_of_two_batch_dimensions: equal
// CHECK-DAG: @loop_sum_1x16x18: equal
// CHECK-DAG: @loop_sum_of_tiles_1x16x18: equal
// CHECK-DAG: @loop_sum_2x68x72: equal
// CHECK-DAG: @loop_sum_of_tiles_2x68x72: equal
// CHECK-DAG: @max_of_partial_tiles: equal
// CHECK-DAG: @mean_of_partial_tiles: equal
// CHECK-DAG: @rms_of_partial_tiles: equal
// CHECK-DAG: @softmax_of_partial_tiles: equal

func.func @matmul_64(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %e = tensor.empty() : tensor<64x64xf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%e : tensor<64x64xf16>) {
  ^bb0(%a0: tensor<64x64xf16>, %b0: tensor<64x64xf16>):
    %o = mirage_block.graph grid(x = 8, y = 4) threads(128) loop(4)
        ins(%a0 imap(y -> 0) fmap(1), %b0 imap(x -> 1) fmap(0)) outs(omap(x -> 1, y -> 0))
        : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16> {
    ^bb0(%at: tensor<16x16xf16>, %bt: tensor<16x8xf16>):
      %p = mirage_block.matmul %at, %bt : tensor<16x16xf16>, tensor<16x8xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<16x8xf32>
      mirage_block.yield %s : tensor<16x8xf32>
    }
    mirage_kernel.yield %o : tensor<64x64xf16>
  } : tensor<64x64xf16>
  return %r : tensor<64x64xf16>
}

func.func @matmul_15(%a: tensor<15x15xf16>, %b: tensor<15x15xf16>) -> tensor<15x15xf16> {
  %e = tensor.empty() : tensor<15x15xf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<15x15xf16>, tensor<15x15xf16>) outs(%e : tensor<15x15xf16>) {
  ^bb0(%a0: tensor<15x15xf16>, %b0: tensor<15x15xf16>):
    %o = mirage_block.graph grid(x = 3, y = 3) threads(128) loop(3)
        ins(%a0 imap(y -> 0) fmap(1), %b0 imap(x -> 1) fmap(0)) outs(omap(x -> 1, y -> 0))
        : (tensor<15x15xf16>, tensor<15x15xf16>) -> tensor<15x15xf16> {
    ^bb0(%at: tensor<5x5xf16>, %bt: tensor<5x5xf16>):
      %p = mirage_block.matmul %at, %bt : tensor<5x5xf16>, tensor<5x5xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<5x5xf32>
      mirage_block.yield %s : tensor<5x5xf32>
    }
    mirage_kernel.yield %o : tensor<15x15xf16>
  } : tensor<15x15xf16>
  return %r : tensor<15x15xf16>
}

func.func @matmul_96x96x57(%a: tensor<96x57xf16>, %b: tensor<57x96xf16>) -> tensor<96x96xf16> {
  %e = tensor.empty() : tensor<96x96xf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<96x57xf16>, tensor<57x96xf16>) outs(%e : tensor<96x96xf16>) {
  ^bb0(%a0: tensor<96x57xf16>, %b0: tensor<57x96xf16>):
    %o = mirage_block.graph grid(x = 4, y = 4) threads(128) loop(3)
        ins(%a0 imap(y -> 0) fmap(1), %b0 imap(x -> 1) fmap(0)) outs(omap(x -> 1, y -> 0))
        : (tensor<96x57xf16>, tensor<57x96xf16>) -> tensor<96x96xf16> {
    ^bb0(%at: tensor<24x19xf16>, %bt: tensor<19x24xf16>):
      %p = mirage_block.matmul %at, %bt : tensor<24x19xf16>, tensor<19x24xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<24x24xf32>
      mirage_block.yield %s : tensor<24x24xf32>
    }
    mirage_kernel.yield %o : tensor<96x96xf16>
  } : tensor<96x96xf16>
  return %r : tensor<96x96xf16>
}

func.func @matmul_405x435x63(%a: tensor<405x63xf16>, %b: tensor<63x435xf16>) -> tensor<405x435xf16> {
  %e = tensor.empty() : tensor<405x435xf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<405x63xf16>, tensor<63x435xf16>) outs(%e : tensor<405x435xf16>) {
  ^bb0(%a0: tensor<405x63xf16>, %b0: tensor<63x435xf16>):
    %o = mirage_block.graph grid(x = 15, y = 15) threads(128) loop(3)
        ins(%a0 imap(y -> 0) fmap(1), %b0 imap(x -> 1) fmap(0)) outs(omap(x -> 1, y -> 0))
        : (tensor<405x63xf16>, tensor<63x435xf16>) -> tensor<405x435xf16> {
    ^bb0(%at: tensor<27x21xf16>, %bt: tensor<21x29xf16>):
      %p = mirage_block.matmul %at, %bt : tensor<27x21xf16>, tensor<21x29xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<27x29xf32>
      mirage_block.yield %s : tensor<27x29xf32>
    }
    mirage_kernel.yield %o : tensor<405x435xf16>
  } : tensor<405x435xf16>
  return %r : tensor<405x435xf16>
}

func.func @matmul_381x504x62(%a: tensor<381x62xf16>, %b: tensor<62x504xf16>) -> tensor<381x504xf16> {
  %e = tensor.empty() : tensor<381x504xf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<381x62xf16>, tensor<62x504xf16>) outs(%e : tensor<381x504xf16>) {
  ^bb0(%a0: tensor<381x62xf16>, %b0: tensor<62x504xf16>):
    %o = mirage_block.graph grid(x = 4, y = 3) threads(128) loop(2)
        ins(%a0 imap(y -> 0) fmap(1), %b0 imap(x -> 1) fmap(0)) outs(omap(x -> 1, y -> 0))
        : (tensor<381x62xf16>, tensor<62x504xf16>) -> tensor<381x504xf16> {
    ^bb0(%at: tensor<127x31xf16>, %bt: tensor<31x126xf16>):
      %p = mirage_block.matmul %at, %bt : tensor<127x31xf16>, tensor<31x126xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<127x126xf32>
      mirage_block.yield %s : tensor<127x126xf32>
    }
    mirage_kernel.yield %o : tensor<381x504xf16>
  } : tensor<381x504xf16>
  return %r : tensor<381x504xf16>
}

func.func @matmul_92x94x64(%a: tensor<92x64xf16>, %b: tensor<64x94xf16>) -> tensor<92x94xf16> {
  %e = tensor.empty() : tensor<92x94xf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<92x64xf16>, tensor<64x94xf16>) outs(%e : tensor<92x94xf16>) {
  ^bb0(%a0: tensor<92x64xf16>, %b0: tensor<64x94xf16>):
    %o = mirage_block.graph grid(x = 2, y = 2) threads(128) loop(2)
        ins(%a0 imap(y -> 0) fmap(1), %b0 imap(x -> 1) fmap(0)) outs(omap(x -> 1, y -> 0))
        : (tensor<92x64xf16>, tensor<64x94xf16>) -> tensor<92x94xf16> {
    ^bb0(%at: tensor<46x32xf16>, %bt: tensor<32x47xf16>):
      %p = mirage_block.matmul %at, %bt : tensor<46x32xf16>, tensor<32x47xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<46x47xf32>
      mirage_block.yield %s : tensor<46x47xf32>
    }
    mirage_kernel.yield %o : tensor<92x94xf16>
  } : tensor<92x94xf16>
  return %r : tensor<92x94xf16>
}

func.func @matmul_that_nothing_divides(%a: tensor<50x90xf16>, %b: tensor<90x70xf16>) -> tensor<50x70xf16> {
  %e = tensor.empty() : tensor<50x70xf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<50x90xf16>, tensor<90x70xf16>) outs(%e : tensor<50x70xf16>) {
  ^bb0(%a0: tensor<50x90xf16>, %b0: tensor<90x70xf16>):
    %o = mirage_block.graph grid(x = 3, y = 4) threads(128) loop(3)
        ins(%a0 imap(y -> 0) fmap(1), %b0 imap(x -> 1) fmap(0)) outs(omap(x -> 1, y -> 0))
        : (tensor<50x90xf16>, tensor<90x70xf16>) -> tensor<50x70xf16> {
    ^bb0(%at: tensor<16x32xf16>, %bt: tensor<32x32xf16>):
      %p = mirage_block.matmul %at, %bt : tensor<16x32xf16>, tensor<32x32xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<16x32xf32>
      mirage_block.yield %s : tensor<16x32xf32>
    }
    mirage_kernel.yield %o : tensor<50x70xf16>
  } : tensor<50x70xf16>
  return %r : tensor<50x70xf16>
}

func.func @matmul_of_a_batch_in_one_tile(%a: tensor<3x6x9xf16>, %b: tensor<3x9x4xf16>) -> tensor<3x6x4xf16> {
  %e = tensor.empty() : tensor<3x6x4xf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<3x6x9xf16>, tensor<3x9x4xf16>) outs(%e : tensor<3x6x4xf16>) {
  ^bb0(%a0: tensor<3x6x9xf16>, %b0: tensor<3x9x4xf16>):
    %o = mirage_block.graph grid(x = 1) threads(64) loop(3)
        ins(%a0 imap() fmap(2), %b0 imap() fmap(1)) outs(omap())
        : (tensor<3x6x9xf16>, tensor<3x9x4xf16>) -> tensor<3x6x4xf16> {
    ^bb0(%at: tensor<3x6x3xf16>, %bt: tensor<3x3x4xf16>):
      %p = mirage_block.matmul %at, %bt : tensor<3x6x3xf16>, tensor<3x3x4xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<3x6x4xf32>
      mirage_block.yield %s : tensor<3x6x4xf32>
    }
    mirage_kernel.yield %o : tensor<3x6x4xf16>
  } : tensor<3x6x4xf16>
  return %r : tensor<3x6x4xf16>
}

func.func @matmul_of_batches_cut_in_two(%a: tensor<3x6x9xf16>, %b: tensor<3x9x4xf16>) -> tensor<3x6x4xf16> {
  %e = tensor.empty() : tensor<3x6x4xf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<3x6x9xf16>, tensor<3x9x4xf16>) outs(%e : tensor<3x6x4xf16>) {
  ^bb0(%a0: tensor<3x6x9xf16>, %b0: tensor<3x9x4xf16>):
    %o = mirage_block.graph grid(x = 2, y = 2) threads(64) loop(3)
        ins(%a0 imap(x -> 0, y -> 1) fmap(2), %b0 imap(x -> 0) fmap(1)) outs(omap(x -> 0, y -> 1))
        : (tensor<3x6x9xf16>, tensor<3x9x4xf16>) -> tensor<3x6x4xf16> {
    ^bb0(%at: tensor<2x4x4xf16>, %bt: tensor<2x4x4xf16>):
      %p = mirage_block.matmul %at, %bt : tensor<2x4x4xf16>, tensor<2x4x4xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<2x4x4xf32>
      mirage_block.yield %s : tensor<2x4x4xf32>
    }
    mirage_kernel.yield %o : tensor<3x6x4xf16>
  } : tensor<3x6x4xf16>
  return %r : tensor<3x6x4xf16>
}

func.func @matmul_with_batch_broadcast(%a: tensor<1x20x24xf16>, %b: tensor<5x24x18xf16>) -> tensor<5x20x18xf16> {
  %e = tensor.empty() : tensor<5x20x18xf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<1x20x24xf16>, tensor<5x24x18xf16>) outs(%e : tensor<5x20x18xf16>) {
  ^bb0(%a0: tensor<1x20x24xf16>, %b0: tensor<5x24x18xf16>):
    %o = mirage_block.graph grid(x = 3) threads(64) loop(3)
        ins(%a0 imap() fmap(2), %b0 imap(x -> 0) fmap(1)) outs(omap(x -> 0))
        : (tensor<1x20x24xf16>, tensor<5x24x18xf16>) -> tensor<5x20x18xf16> {
    ^bb0(%at: tensor<1x20x8xf16>, %bt: tensor<2x8x18xf16>):
      %p = mirage_block.matmul %at, %bt : tensor<1x20x8xf16>, tensor<2x8x18xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<2x20x18xf32>
      mirage_block.yield %s : tensor<2x20x18xf32>
    }
    mirage_kernel.yield %o : tensor<5x20x18xf16>
  } : tensor<5x20x18xf16>
  return %r : tensor<5x20x18xf16>
}

func.func @matmul_of_two_batch_dimensions(%a: tensor<2x1x10x12xf16>, %b: tensor<3x12x7xf16>) -> tensor<2x3x10x7xf16> {
  %e = tensor.empty() : tensor<2x3x10x7xf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<2x1x10x12xf16>, tensor<3x12x7xf16>) outs(%e : tensor<2x3x10x7xf16>) {
  ^bb0(%a0: tensor<2x1x10x12xf16>, %b0: tensor<3x12x7xf16>):
    %o = mirage_block.graph grid(x = 2) threads(64) loop(3)
        ins(%a0 imap(x -> 0) fmap(3), %b0 imap() fmap(1)) outs(omap(x -> 0))
        : (tensor<2x1x10x12xf16>, tensor<3x12x7xf16>) -> tensor<2x3x10x7xf16> {
    ^bb0(%at: tensor<1x1x10x4xf16>, %bt: tensor<3x4x7xf16>):
      %p = mirage_block.matmul %at, %bt : tensor<1x1x10x4xf16>, tensor<3x4x7xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<1x3x10x7xf32>
      mirage_block.yield %s : tensor<1x3x10x7xf32>
    }
    mirage_kernel.yield %o : tensor<2x3x10x7xf16>
  } : tensor<2x3x10x7xf16>
  return %r : tensor<2x3x10x7xf16>
}

func.func @loop_sum_1x16x18(%a: tensor<1x16x18xf16>) -> tensor<1x16x1xf32> {
  %e = tensor.empty() : tensor<1x16x1xf32>
  %r = mirage_kernel.graph ins(%a : tensor<1x16x18xf16>) outs(%e : tensor<1x16x1xf32>) {
  ^bb0(%a0: tensor<1x16x18xf16>):
    %o = mirage_block.graph grid(x = 2) threads(32) loop(2)
        ins(%a0 imap(x -> 1) fmap(2)) outs(omap(x -> 1))
        : (tensor<1x16x18xf16>) -> tensor<1x16x1xf32> {
    ^bb0(%at: tensor<1x8x9xf16>):
      %s = mirage_block.accumulate %at over loop sum dims [2] : tensor<1x8x9xf16>
      mirage_block.yield %s : tensor<1x8x1xf32>
    }
    mirage_kernel.yield %o : tensor<1x16x1xf32>
  } : tensor<1x16x1xf32>
  return %r : tensor<1x16x1xf32>
}

func.func @loop_sum_of_tiles_1x16x18(%a: tensor<1x16x18xf16>) -> tensor<1x16x9xf32> {
  %e = tensor.empty() : tensor<1x16x9xf32>
  %r = mirage_kernel.graph ins(%a : tensor<1x16x18xf16>) outs(%e : tensor<1x16x9xf32>) {
  ^bb0(%a0: tensor<1x16x18xf16>):
    %o = mirage_block.graph grid(x = 2) threads(32) loop(2)
        ins(%a0 imap(x -> 1) fmap(2)) outs(omap(x -> 1))
        : (tensor<1x16x18xf16>) -> tensor<1x16x9xf32> {
    ^bb0(%at: tensor<1x8x9xf16>):
      %s = mirage_block.accumulate %at over loop sum : tensor<1x8x9xf16>
      mirage_block.yield %s : tensor<1x8x9xf32>
    }
    mirage_kernel.yield %o : tensor<1x16x9xf32>
  } : tensor<1x16x9xf32>
  return %r : tensor<1x16x9xf32>
}

func.func @loop_sum_2x68x72(%a: tensor<2x68x72xf16>) -> tensor<2x68x1xf32> {
  %e = tensor.empty() : tensor<2x68x1xf32>
  %r = mirage_kernel.graph ins(%a : tensor<2x68x72xf16>) outs(%e : tensor<2x68x1xf32>) {
  ^bb0(%a0: tensor<2x68x72xf16>):
    %o = mirage_block.graph grid(x = 4) threads(32) loop(12)
        ins(%a0 imap(x -> 1) fmap(2)) outs(omap(x -> 1))
        : (tensor<2x68x72xf16>) -> tensor<2x68x1xf32> {
    ^bb0(%at: tensor<2x17x6xf16>):
      %s = mirage_block.accumulate %at over loop sum dims [2] : tensor<2x17x6xf16>
      mirage_block.yield %s : tensor<2x17x1xf32>
    }
    mirage_kernel.yield %o : tensor<2x68x1xf32>
  } : tensor<2x68x1xf32>
  return %r : tensor<2x68x1xf32>
}

func.func @loop_sum_of_tiles_2x68x72(%a: tensor<2x68x72xf16>) -> tensor<2x68x6xf32> {
  %e = tensor.empty() : tensor<2x68x6xf32>
  %r = mirage_kernel.graph ins(%a : tensor<2x68x72xf16>) outs(%e : tensor<2x68x6xf32>) {
  ^bb0(%a0: tensor<2x68x72xf16>):
    %o = mirage_block.graph grid(x = 4) threads(32) loop(12)
        ins(%a0 imap(x -> 1) fmap(2)) outs(omap(x -> 1))
        : (tensor<2x68x72xf16>) -> tensor<2x68x6xf32> {
    ^bb0(%at: tensor<2x17x6xf16>):
      %s = mirage_block.accumulate %at over loop sum : tensor<2x17x6xf16>
      mirage_block.yield %s : tensor<2x17x6xf32>
    }
    mirage_kernel.yield %o : tensor<2x68x6xf32>
  } : tensor<2x68x6xf32>
  return %r : tensor<2x68x6xf32>
}

func.func @max_of_partial_tiles(%a: tensor<10x100xf16>) -> tensor<10x1xf32> {
  %e = tensor.empty() : tensor<10x1xf32>
  %r = mirage_kernel.graph ins(%a : tensor<10x100xf16>) outs(%e : tensor<10x1xf32>) {
  ^bb0(%a0: tensor<10x100xf16>):
    %o = mirage_block.graph grid(x = 3) threads(32) loop(5)
        ins(%a0 imap(x -> 0) fmap(1)) outs(omap(x -> 0))
        : (tensor<10x100xf16>) -> tensor<10x1xf32> {
    ^bb0(%at: tensor<4x24xf16>):
      %n = mirage_block.mask %at dims [1] axes ["loop"] extent 100 value 0xFFF0000000000000 : tensor<4x24xf16>
      %s = mirage_block.accumulate %n over loop max dims [1] : tensor<4x24xf16>
      mirage_block.yield %s : tensor<4x1xf32>
    }
    mirage_kernel.yield %o : tensor<10x1xf32>
  } : tensor<10x1xf32>
  return %r : tensor<10x1xf32>
}

func.func @mean_of_partial_tiles(%a: tensor<10x100xf16>) -> tensor<10x1xf32> {
  %e = tensor.empty() : tensor<10x1xf32>
  %r = mirage_kernel.graph ins(%a : tensor<10x100xf16>) outs(%e : tensor<10x1xf32>) {
  ^bb0(%a0: tensor<10x100xf16>):
    %o = mirage_block.graph grid(x = 3) threads(32) loop(5)
        ins(%a0 imap(x -> 0) fmap(1)) outs(omap(x -> 0))
        : (tensor<10x100xf16>) -> tensor<10x1xf32> {
    ^bb0(%at: tensor<4x24xf16>):
      %s = mirage_block.accumulate %at over loop mean dims [1] count 100 : tensor<4x24xf16>
      mirage_block.yield %s : tensor<4x1xf32>
    }
    mirage_kernel.yield %o : tensor<10x1xf32>
  } : tensor<10x1xf32>
  return %r : tensor<10x1xf32>
}

func.func @rms_of_partial_tiles(%a: tensor<10x100xf16>) -> tensor<10x1xf32> {
  %e = tensor.empty() : tensor<10x1xf32>
  %r = mirage_kernel.graph ins(%a : tensor<10x100xf16>) outs(%e : tensor<10x1xf32>) {
  ^bb0(%a0: tensor<10x100xf16>):
    %o = mirage_block.graph grid(x = 3) threads(32) loop(5)
        ins(%a0 imap(x -> 0) fmap(1)) outs(omap(x -> 0))
        : (tensor<10x100xf16>) -> tensor<10x1xf32> {
    ^bb0(%at: tensor<4x24xf16>):
      %s = mirage_block.accumulate %at over loop rms dims [1] count 100 : tensor<4x24xf16>
      mirage_block.yield %s : tensor<4x1xf32>
    }
    mirage_kernel.yield %o : tensor<10x1xf32>
  } : tensor<10x1xf32>
  return %r : tensor<10x1xf32>
}

func.func @softmax_of_partial_tiles(%a: tensor<10x100xf16>) -> tensor<10x100xf16> {
  %e = tensor.empty() : tensor<10x100xf16>
  %r = mirage_kernel.graph ins(%a : tensor<10x100xf16>) outs(%e : tensor<10x100xf16>) {
  ^bb0(%a0: tensor<10x100xf16>):
    %o = mirage_block.graph grid(x = 3) threads(32)
        ins(%a0 imap(x -> 0)) outs(omap(x -> 0))
        : (tensor<10x100xf16>) -> tensor<10x100xf16> {
    ^bb0(%at: tensor<4x100xf16>):
      %x = mirage_block.exp %at : tensor<4x100xf16>
      %s = mirage_block.sum %x dims [1] : tensor<4x100xf32>
      %d = mirage_block.div %x, %s : tensor<4x100xf32>, tensor<4x1xf32>
      mirage_block.yield %d : tensor<4x100xf32>
    }
    mirage_kernel.yield %o : tensor<10x100xf16>
  } : tensor<10x100xf16>
  return %r : tensor<10x100xf16>
}
