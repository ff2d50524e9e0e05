// Keys of four dimensions, as PyTorch has them, are read as they lie: no step of its own transposes them,
// since two of the four have one element in a tile.
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize target=sm_90a artifact=%t/sm_90a explain=true" -o /dev/null 2>&1 | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: mirage-opt %s --mirage-compile="from=optimize target=sm_80 artifact=%t/sm_80 explain=true" -o /dev/null 2>&1 | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: for artifact in %t/*; do mirage-run $artifact --device=emulator --check --schedule=3 || exit 1; done | FileCheck %s --check-prefix=RIGHT
// SM90: input 1, 1x1x64x64xf16, {{.*}} loaded by the copy engine
// CHECK-NOT: {{transpose: }}
// SM90: transpose, wgmma
// SM80: transpose, mma
// CHECK-NOT: {{transpose: }}
// RIGHT-COUNT-2: right:

func.func @attention_of_batches(%q: tensor<1x2x128x64xf16>, %k: tensor<1x2x128x64xf16>, %v: tensor<1x2x128x64xf16>) -> tensor<1x2x128x64xf16> {
  %e0 = tensor.empty() : tensor<1x2x128x64xf16>
  %0 = mirage_kernel.graph ins(%q, %k, %v : tensor<1x2x128x64xf16>, tensor<1x2x128x64xf16>, tensor<1x2x128x64xf16>) outs(%e0 : tensor<1x2x128x64xf16>) {
  ^bb0(%x: tensor<1x2x128x64xf16>, %y: tensor<1x2x128x64xf16>, %z: tensor<1x2x128x64xf16>):
    %1 = mirage_block.graph grid(x = 2, y = 2) threads(128) loop(2) stages(2) ins(%x imap(x -> 1, y -> 2), %y imap(x -> 1) fmap(2), %z imap(x -> 1) fmap(2)) outs(omap(x -> 1, y -> 2)) : (tensor<1x2x128x64xf16>, tensor<1x2x128x64xf16>, tensor<1x2x128x64xf16>) -> tensor<1x2x128x64xf16> {
    ^bb0(%a: tensor<1x1x64x64xf16>, %b: tensor<1x1x64x64xf16>, %c: tensor<1x1x64x64xf16>):
      %3 = mirage_block.transpose %b dims [0, 1, 3, 2] : tensor<1x1x64x64xf16>
      %4 = mirage_block.matmul %a, %3 : tensor<1x1x64x64xf16>, tensor<1x1x64x64xf16>
      %5 = mirage_block.scale %4 by 1.250000e-01 : tensor<1x1x64x64xf32>
      %6 = mirage_block.causal_mask %5 offset 0 rows ["y"] columns ["loop"] : tensor<1x1x64x64xf32>
      %7 = mirage_block.max %6 dims [3] : tensor<1x1x64x64xf32>
      %8 = mirage_block.sub %6, %7 : tensor<1x1x64x64xf32>, tensor<1x1x64x1xf32>
      %9 = mirage_block.exp %8 : tensor<1x1x64x64xf32>
      %10 = mirage_block.accumulate %9 over loop sum dims [3] rescale by %7 : tensor<1x1x64x64xf32>, tensor<1x1x64x1xf32>
      %11 = mirage_block.accumulate %7 over loop max : tensor<1x1x64x1xf32>
      %12 = mirage_block.cast %9 : (tensor<1x1x64x64xf32>) -> tensor<1x1x64x64xf16>
      %13 = mirage_block.matmul %12, %c : tensor<1x1x64x64xf16>, tensor<1x1x64x64xf16>
      %14 = mirage_block.accumulate %13 over loop sum rescale by %7 : tensor<1x1x64x64xf32>, tensor<1x1x64x1xf32>
      %15 = mirage_block.div %14, %10 : tensor<1x1x64x64xf32>, tensor<1x1x64x1xf32>
      mirage_block.yield %15 : tensor<1x1x64x64xf32>
    }
    mirage_kernel.yield %1 : tensor<1x2x128x64xf16>
  } : tensor<1x2x128x64xf16>
  return %0 : tensor<1x2x128x64xf16>
}
