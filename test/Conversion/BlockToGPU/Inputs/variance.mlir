// Variances that loops accumulate: of partial tiles of rows, one of which lies beyond the
// tensor; of columns; of all of a tile; of each element over the iterations; of more rows
// than a block has threads.
func.func @rows(%x: tensor<7x1000xf16> {mirage.name = "x"}) -> tensor<7x1xf32> {
  %e = tensor.empty() : tensor<7x1xf32>
  %r = mirage_kernel.graph ins(%x : tensor<7x1000xf16>) outs(%e : tensor<7x1xf32>) {
  ^bb0(%a: tensor<7x1000xf16>):
    %o = mirage_block.graph grid() threads(128) loop(17) ins(%a imap() fmap(1)) outs(omap())
        : (tensor<7x1000xf16>) -> tensor<7x1xf32> {
    ^bb0(%t: tensor<7x64xf16>):
      %m0 = mirage_block.mask %t dims [1] axes ["loop"] extent 1000 value 0xFFF0000000000000 : tensor<7x64xf16>
      %v = mirage_block.accumulate %m0 over loop variance dims [1] : tensor<7x64xf16>
      mirage_block.yield %v : tensor<7x1xf32>
    }
    mirage_kernel.yield %o : tensor<7x1xf32>
  } : tensor<7x1xf32>
  return %r : tensor<7x1xf32>
}

func.func @columns(%x: tensor<300x5xf32> {mirage.name = "x"}) -> tensor<1x5xf32> {
  %e = tensor.empty() : tensor<1x5xf32>
  %r = mirage_kernel.graph ins(%x : tensor<300x5xf32>) outs(%e : tensor<1x5xf32>) {
  ^bb0(%a: tensor<300x5xf32>):
    %o = mirage_block.graph grid(x = 3) threads(64) loop(10) ins(%a imap(x -> 1) fmap(0)) outs(omap(x -> 1))
        : (tensor<300x5xf32>) -> tensor<1x5xf32> {
    ^bb0(%t: tensor<31x2xf32>):
      %m0 = mirage_block.mask %t dims [0] axes ["loop"] extent 300 value 0xFFF0000000000000 : tensor<31x2xf32>
      %v = mirage_block.accumulate %m0 over loop variance dims [0] : tensor<31x2xf32>
      mirage_block.yield %v : tensor<1x2xf32>
    }
    mirage_kernel.yield %o : tensor<1x5xf32>
  } : tensor<1x5xf32>
  return %r : tensor<1x5xf32>
}

func.func @all(%x: tensor<30x50xf32> {mirage.name = "x"}) -> tensor<1x1xf32> {
  %e = tensor.empty() : tensor<1x1xf32>
  %r = mirage_kernel.graph ins(%x : tensor<30x50xf32>) outs(%e : tensor<1x1xf32>) {
  ^bb0(%a: tensor<30x50xf32>):
    %o = mirage_block.graph grid() threads(64) loop(4) ins(%a imap() fmap(1)) outs(omap())
        : (tensor<30x50xf32>) -> tensor<1x1xf32> {
    ^bb0(%t: tensor<30x16xf32>):
      %m0 = mirage_block.mask %t dims [1] axes ["loop"] extent 50 value 0xFFF0000000000000 : tensor<30x16xf32>
      %v = mirage_block.accumulate %m0 over loop variance dims [0, 1] : tensor<30x16xf32>
      mirage_block.yield %v : tensor<1x1xf32>
    }
    mirage_kernel.yield %o : tensor<1x1xf32>
  } : tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}

func.func @elements(%x: tensor<9x12x8xf32> {mirage.name = "x"}) -> tensor<1x12x8xf32> {
  %e = tensor.empty() : tensor<1x12x8xf32>
  %r = mirage_kernel.graph ins(%x : tensor<9x12x8xf32>) outs(%e : tensor<1x12x8xf32>) {
  ^bb0(%a: tensor<9x12x8xf32>):
    %o = mirage_block.graph grid() threads(64) loop(9) ins(%a imap() fmap(0)) outs(omap())
        : (tensor<9x12x8xf32>) -> tensor<1x12x8xf32> {
    ^bb0(%t: tensor<1x12x8xf32>):
      %v = mirage_block.accumulate %t over loop variance : tensor<1x12x8xf32>
      mirage_block.yield %v : tensor<1x12x8xf32>
    }
    mirage_kernel.yield %o : tensor<1x12x8xf32>
  } : tensor<1x12x8xf32>
  return %r : tensor<1x12x8xf32>
}

func.func @many(%x: tensor<200x96xf16> {mirage.name = "x"}) -> tensor<200x1xf32> {
  %e = tensor.empty() : tensor<200x1xf32>
  %r = mirage_kernel.graph ins(%x : tensor<200x96xf16>) outs(%e : tensor<200x1xf32>) {
  ^bb0(%a: tensor<200x96xf16>):
    %o = mirage_block.graph grid(x = 2) threads(32) loop(3) ins(%a imap(x -> 0) fmap(1)) outs(omap(x -> 0))
        : (tensor<200x96xf16>) -> tensor<200x1xf32> {
    ^bb0(%t: tensor<112x32xf16>):
      %v = mirage_block.accumulate %t over loop variance dims [1] : tensor<112x32xf16>
      mirage_block.yield %v : tensor<112x1xf32>
    }
    mirage_kernel.yield %o : tensor<200x1xf32>
  } : tensor<200x1xf32>
  return %r : tensor<200x1xf32>
}
