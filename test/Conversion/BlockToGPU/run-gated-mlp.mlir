// Kernels with a workspace between them; see run-rms-linear.mlir.
// RUN: rm -rf %t && mirage-opt %s --mirage-record-program --mirage-materialize-results --mirage-split-grid-sums --mirage-assign-default-blocks --mirage-schedule-block --mirage-plan-shared-memory --mirage-plan-device-memory --convert-mirage-kernel-to-gpu --mirage-lower-to-nvvm --mirage-emit-ptx="artifact=%t ptxas=never" -o /dev/null
// RUN: mirage-run %t --device=emulator --check
// RUN: rm -rf %t && mirage-opt %s --mirage-record-program --mirage-materialize-results --mirage-split-grid-sums --mirage-assign-default-blocks --convert-mirage-block-to-thread --mirage-schedule-block --mirage-plan-shared-memory --mirage-plan-device-memory --convert-mirage-kernel-to-gpu --convert-mirage-thread-to-vector --mirage-lower-to-nvvm --mirage-emit-ptx="artifact=%t" -o /dev/null
// RUN: mirage-run %t --device=emulator --check

func.func @mlp(%x: tensor<7x1000xf16>, %w1: tensor<1000x130xf16>, %w2: tensor<1000x130xf16>) -> tensor<7x130xf16> {
  %e = tensor.empty() : tensor<7x130xf16>
  %r = mirage_kernel.graph ins(%x, %w1, %w2 : tensor<7x1000xf16>, tensor<1000x130xf16>, tensor<1000x130xf16>) outs(%e : tensor<7x130xf16>) {
  ^bb0(%a: tensor<7x1000xf16>, %b: tensor<1000x130xf16>, %c: tensor<1000x130xf16>):
    %g = mirage_kernel.matmul %a, %b : (tensor<7x1000xf16>, tensor<1000x130xf16>) -> tensor<7x130xf32>
    %u = mirage_kernel.matmul %a, %c : (tensor<7x1000xf16>, tensor<1000x130xf16>) -> tensor<7x130xf32>
    %s = mirage_kernel.silu %g : (tensor<7x130xf32>) -> tensor<7x130xf32>
    %o = mirage_kernel.mul %s, %u : (tensor<7x130xf32>, tensor<7x130xf32>) -> tensor<7x130xf16>
    mirage_kernel.yield %o : tensor<7x130xf16>
  } : tensor<7x130xf16>
  return %r : tensor<7x130xf16>
}
