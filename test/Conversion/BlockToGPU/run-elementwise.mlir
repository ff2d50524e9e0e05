// Every elementwise function on positive operands; see run-rms-linear.mlir.
// RUN: rm -rf %t && mirage-opt %s --mirage-record-program --mirage-materialize-results --mirage-split-grid-sums --mirage-assign-default-blocks --mirage-schedule-block --mirage-plan-shared-memory --mirage-plan-device-memory --convert-mirage-kernel-to-gpu --mirage-lower-to-nvvm --mirage-emit-ptx="artifact=%t ptxas=never" -o /dev/null
// RUN: mirage-run %t --device=emulator --check
// RUN: rm -rf %t && mirage-opt %s --mirage-record-program --mirage-materialize-results --mirage-split-grid-sums --mirage-assign-default-blocks --convert-mirage-block-to-thread --mirage-schedule-block --mirage-plan-shared-memory --mirage-plan-device-memory --convert-mirage-kernel-to-gpu --convert-mirage-thread-to-vector --mirage-lower-to-nvvm --mirage-emit-ptx="artifact=%t" -o /dev/null
// RUN: mirage-run %t --device=emulator --check

func.func @elementwise(%x: tensor<33x5xf32>) -> (tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>) {
  %e = tensor.empty() : tensor<33x5xf32>
  %r:17 = mirage_kernel.graph ins(%x : tensor<33x5xf32>)
      outs(%e, %e, %e, %e, %e, %e, %e, %e, %e, %e, %e, %e, %e, %e, %e, %e, %e : tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>) {
  ^bb0(%a: tensor<33x5xf32>):
    %b = mirage_kernel.abs %a : (tensor<33x5xf32>) -> tensor<33x5xf32>
    %p = mirage_kernel.offset %b by 0.125 : (tensor<33x5xf32>) -> tensor<33x5xf32>
    %0 = mirage_kernel.exp %p : (tensor<33x5xf32>) -> tensor<33x5xf32>
    %1 = mirage_kernel.exp2 %p : (tensor<33x5xf32>) -> tensor<33x5xf32>
    %2 = mirage_kernel.log %p : (tensor<33x5xf32>) -> tensor<33x5xf32>
    %3 = mirage_kernel.square %p : (tensor<33x5xf32>) -> tensor<33x5xf32>
    %4 = mirage_kernel.sqrt %p : (tensor<33x5xf32>) -> tensor<33x5xf32>
    %5 = mirage_kernel.rsqrt %p : (tensor<33x5xf32>) -> tensor<33x5xf32>
    %6 = mirage_kernel.reciprocal %p : (tensor<33x5xf32>) -> tensor<33x5xf32>
    %7 = mirage_kernel.neg %p : (tensor<33x5xf32>) -> tensor<33x5xf32>
    %8 = mirage_kernel.abs %p : (tensor<33x5xf32>) -> tensor<33x5xf32>
    %9 = mirage_kernel.sigmoid %p : (tensor<33x5xf32>) -> tensor<33x5xf32>
    %10 = mirage_kernel.silu %p : (tensor<33x5xf32>) -> tensor<33x5xf32>
    %11 = mirage_kernel.gelu %p : (tensor<33x5xf32>) -> tensor<33x5xf32>
    %12 = mirage_kernel.gelu_tanh %p : (tensor<33x5xf32>) -> tensor<33x5xf32>
    %13 = mirage_kernel.relu %p : (tensor<33x5xf32>) -> tensor<33x5xf32>
    %14 = mirage_kernel.tanh %p : (tensor<33x5xf32>) -> tensor<33x5xf32>
    %15 = mirage_kernel.erf %p : (tensor<33x5xf32>) -> tensor<33x5xf32>
    %16 = mirage_kernel.pow %p, %a : (tensor<33x5xf32>, tensor<33x5xf32>) -> tensor<33x5xf32>
    mirage_kernel.yield %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16 : tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>
  } : tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6, %r#7, %r#8, %r#9, %r#10, %r#11, %r#12, %r#13, %r#14, %r#15, %r#16 : tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>
}
