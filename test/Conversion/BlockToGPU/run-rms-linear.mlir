// A fused kernel whose tiles divide no dimension, run on the emulator against
// float64: first element by element, then by warps.
// RUN: rm -rf %t && mirage-opt %s --mirage-record-program --mirage-materialize-results --mirage-split-grid-sums --mirage-assign-default-blocks --mirage-schedule-block --mirage-plan-shared-memory --mirage-plan-device-memory --convert-mirage-kernel-to-gpu --mirage-lower-to-nvvm --mirage-emit-ptx="artifact=%t ptxas=never" -o /dev/null
// RUN: mirage-run %t --device=emulator --check
// RUN: rm -rf %t && mirage-opt %s --mirage-record-program --mirage-materialize-results --mirage-split-grid-sums --mirage-assign-default-blocks --convert-mirage-block-to-thread --mirage-schedule-block --mirage-plan-shared-memory --mirage-plan-device-memory --convert-mirage-kernel-to-gpu --convert-mirage-thread-to-vector --mirage-lower-to-nvvm --mirage-emit-ptx="artifact=%t" -o /dev/null
// RUN: mirage-run %t --device=emulator --check

func.func @rms(%x: tensor<7x1000xf16>, %w: tensor<1000x130xf16>) -> tensor<7x130xf16> {
  %e = tensor.empty() : tensor<7x130xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<7x1000xf16>, tensor<1000x130xf16>) outs(%e : tensor<7x130xf16>) {
  ^bb0(%a: tensor<7x1000xf16>, %b: tensor<1000x130xf16>):
    %o = mirage_block.graph grid(x = 5) threads(128) loop(16)
        ins(%a imap() fmap(1), %b imap(x -> 1) fmap(0)) outs(omap(x -> 1))
        : (tensor<7x1000xf16>, tensor<1000x130xf16>) -> tensor<7x130xf16> {
    ^bb0(%xt: tensor<7x64xf16>, %wt: tensor<64x32xf16>):
      %rms = mirage_block.accumulate %xt over loop rms dims [1] count 1000 : tensor<7x64xf16>
      %p = mirage_block.matmul %xt, %wt : tensor<7x64xf16>, tensor<64x32xf16>
      %acc = mirage_block.accumulate %p over loop sum : tensor<7x32xf32>
      %r = mirage_block.div %acc, %rms : tensor<7x32xf32>, tensor<7x1xf32>
      mirage_block.yield %r : tensor<7x32xf32>
    }
    mirage_kernel.yield %o : tensor<7x130xf16>
  } : tensor<7x130xf16>
  return %r : tensor<7x130xf16>
}
