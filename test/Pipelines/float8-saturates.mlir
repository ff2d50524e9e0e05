// Results that 8 bits do not hold are the largest numbers that these have, with their sign, for kernels as for
// what they are checked against; NaN stays NaN.
// RUN: rm -rf %t && for target in sm_90a sm_80; do mirage-opt %s --mirage-compile="from=optimize target=$target artifact=%t/$target" -o /dev/null || exit 1; done
// RUN: for target in sm_90a sm_80; do mirage-run %t/$target --device=emulator --check || exit 1; done | FileCheck %s
// RUN: mirage-run %t/sm_90a --device=reference --rounding=declared --check | FileCheck %s --check-prefix=ONCE
// CHECK-COUNT-4: : right: relative error 0,
// ONCE-COUNT-2: : right: relative error 0,

func.func @saturated(%x: tensor<4x9xf8E5M2>, %y: tensor<4x9xf32>) -> (tensor<4x9xf8E5M2>, tensor<4x9xf8E4M3FN>) {
  %e0 = tensor.empty() : tensor<4x9xf8E5M2>
  %e1 = tensor.empty() : tensor<4x9xf8E4M3FN>
  %r:2 = mirage_kernel.graph ins(%x, %y : tensor<4x9xf8E5M2>, tensor<4x9xf32>) outs(%e0, %e1 : tensor<4x9xf8E5M2>, tensor<4x9xf8E4M3FN>) {
  ^bb0(%a: tensor<4x9xf8E5M2>, %b: tensor<4x9xf32>):
    %v = mirage_kernel.scale %a by 1.0e9 : (tensor<4x9xf8E5M2>) -> tensor<4x9xf8E5M2>
    %w = mirage_kernel.unscale %b by 0.0 : (tensor<4x9xf32>) -> tensor<4x9xf8E4M3FN>
    mirage_kernel.yield %v, %w : tensor<4x9xf8E5M2>, tensor<4x9xf8E4M3FN>
  } : tensor<4x9xf8E5M2>, tensor<4x9xf8E4M3FN>
  return %r#0, %r#1 : tensor<4x9xf8E5M2>, tensor<4x9xf8E4M3FN>
}
