// Five kernels, masks under a maximum and a sum; see run-rms-linear.mlir.
// RUN: rm -rf %t && mirage-opt %s --mirage-record-program --mirage-materialize-results --mirage-split-grid-sums --mirage-assign-default-blocks --mirage-schedule-block --mirage-plan-shared-memory --mirage-plan-device-memory --convert-mirage-kernel-to-gpu --mirage-lower-to-nvvm --mirage-emit-ptx="artifact=%t ptxas=never" -o /dev/null
// RUN: mirage-run %t --device=emulator --check
// RUN: rm -rf %t && mirage-opt %s --mirage-record-program --mirage-materialize-results --mirage-split-grid-sums --mirage-assign-default-blocks --convert-mirage-block-to-thread --mirage-schedule-block --mirage-plan-shared-memory --mirage-plan-device-memory --convert-mirage-kernel-to-gpu --convert-mirage-thread-to-vector --mirage-lower-to-nvvm --mirage-emit-ptx="artifact=%t" -o /dev/null
// RUN: mirage-run %t --device=emulator --check

func.func @softmax(%x: tensor<7x1000xf16>) -> tensor<7x1000xf16> {
  %e = tensor.empty() : tensor<7x1000xf16>
  %r = mirage_kernel.graph ins(%x : tensor<7x1000xf16>) outs(%e : tensor<7x1000xf16>) {
  ^bb0(%a: tensor<7x1000xf16>):
    %m = mirage_kernel.max %a dims [1] : (tensor<7x1000xf16>) -> tensor<7x1xf32>
    %d = mirage_kernel.sub %a, %m : (tensor<7x1000xf16>, tensor<7x1xf32>) -> tensor<7x1000xf32>
    %p = mirage_kernel.exp %d : (tensor<7x1000xf32>) -> tensor<7x1000xf32>
    %s = mirage_kernel.sum %p dims [1] : (tensor<7x1000xf32>) -> tensor<7x1xf32>
    %o = mirage_kernel.div %p, %s : (tensor<7x1000xf32>, tensor<7x1xf32>) -> tensor<7x1000xf16>
    mirage_kernel.yield %o : tensor<7x1000xf16>
  } : tensor<7x1000xf16>
  return %r : tensor<7x1000xf16>
}
