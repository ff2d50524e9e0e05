// Several outputs, one of them an input and two of them equal; an input that is
// not used; tensors of one element; bf16 and f32; see run-rms-linear.mlir.
// RUN: rm -rf %t && mirage-opt %s --mirage-record-program --mirage-materialize-results --mirage-split-grid-sums --mirage-materialize-views --mirage-assign-default-blocks --mirage-schedule-block --mirage-plan-shared-memory --mirage-plan-device-memory --convert-mirage-kernel-to-gpu --mirage-lower-to-nvvm --mirage-emit-ptx="artifact=%t ptxas=never" -o /dev/null
// RUN: mirage-run %t --device=emulator --check
// RUN: rm -rf %t && mirage-opt %s --mirage-record-program --mirage-materialize-results --mirage-split-grid-sums --mirage-materialize-views --mirage-assign-default-blocks --convert-mirage-block-to-thread --mirage-schedule-block --mirage-plan-shared-memory --mirage-plan-device-memory --convert-mirage-kernel-to-gpu --convert-mirage-thread-to-vector --mirage-lower-to-nvvm --mirage-emit-ptx="artifact=%t" -o /dev/null
// RUN: mirage-run %t --device=emulator --check

func.func @odds_and_ends(%x: tensor<5x6xbf16>, %unused: tensor<3xf16>, %one: tensor<1xf32>)
    -> (tensor<6x5xf32>, tensor<6x5xf32>, tensor<5x6xbf16>, tensor<1xf32>, tensor<1x1xf32>) {
  %e0 = tensor.empty() : tensor<6x5xf32>
  %e1 = tensor.empty() : tensor<5x6xbf16>
  %e2 = tensor.empty() : tensor<1xf32>
  %e3 = tensor.empty() : tensor<1x1xf32>
  %r:5 = mirage_kernel.graph
      ins(%x, %unused, %one : tensor<5x6xbf16>, tensor<3xf16>, tensor<1xf32>)
      outs(%e0, %e0, %e1, %e2, %e3
           : tensor<6x5xf32>, tensor<6x5xf32>, tensor<5x6xbf16>, tensor<1xf32>, tensor<1x1xf32>) {
  ^bb0(%a: tensor<5x6xbf16>, %u: tensor<3xf16>, %s: tensor<1xf32>):
    %t = mirage_kernel.transpose %a dims [1, 0] : (tensor<5x6xbf16>) -> tensor<6x5xf32>
    %g = mirage_kernel.gelu_tanh %t : (tensor<6x5xf32>) -> tensor<6x5xf32>
    %p = mirage_kernel.mul %g, %s : (tensor<6x5xf32>, tensor<1xf32>) -> tensor<6x5xf32>
    %q = mirage_kernel.exp2 %s : (tensor<1xf32>) -> tensor<1xf32>
    %m = mirage_kernel.max %p dims [0, 1] : (tensor<6x5xf32>) -> tensor<1x1xf32>
    mirage_kernel.yield %p, %p, %a, %q, %m
        : tensor<6x5xf32>, tensor<6x5xf32>, tensor<5x6xbf16>, tensor<1xf32>, tensor<1x1xf32>
  } : tensor<6x5xf32>, tensor<6x5xf32>, tensor<5x6xbf16>, tensor<1xf32>, tensor<1x1xf32>
  return %r#0, %r#1, %r#2, %r#3, %r#4
      : tensor<6x5xf32>, tensor<6x5xf32>, tensor<5x6xbf16>, tensor<1xf32>, tensor<1x1xf32>
}
