// One transposed tile that two products read is no step of its own: each loads it as it lies.
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize target=sm_90a artifact=%t/sm_90a explain=true" -o /dev/null 2>&1 | FileCheck %s --implicit-check-not="{{transpose: }}"
// RUN: mirage-opt %s --mirage-compile="from=optimize target=sm_80 artifact=%t/sm_80 explain=true" -o /dev/null 2>&1 | FileCheck %s --implicit-check-not="{{transpose: }}"
// CHECK: transpose, {{w?g?mma}}
// CHECK: transpose, {{w?g?mma}}
// RUN: for artifact in %t/*; do mirage-run $artifact --device=emulator --check --schedule=3 || exit 1; done | FileCheck %s --check-prefix=RIGHT
// RIGHT-COUNT-2: right:

func.func @gated(%x: tensor<16x256xf16>, %w: tensor<128x256xf16>, %v: tensor<128x256xf16>) -> tensor<128x16xf16> {
  %e = tensor.empty() : tensor<128x16xf16>
  %r = mirage_kernel.graph ins(%x, %w, %v : tensor<16x256xf16>, tensor<128x256xf16>, tensor<128x256xf16>) outs(%e : tensor<128x16xf16>) {
  ^bb0(%a: tensor<16x256xf16>, %b: tensor<128x256xf16>, %c: tensor<128x256xf16>):
    %o = mirage_block.graph grid(x = 4) threads(128) loop(4) stages(2) ins(%a imap() fmap(1), %b imap(x -> 0) fmap(1), %c imap(x -> 0) fmap(1)) outs(omap(x -> 0))
        : (tensor<16x256xf16>, tensor<128x256xf16>, tensor<128x256xf16>) -> tensor<128x16xf16> {
    ^bb0(%p: tensor<16x64xf16>, %q: tensor<32x64xf16>, %s: tensor<32x64xf16>):
      %t = mirage_block.transpose %p dims [1, 0] : tensor<16x64xf16>
      %m = mirage_block.matmul %q, %t : tensor<32x64xf16>, tensor<64x16xf16>
      %n = mirage_block.matmul %s, %t : tensor<32x64xf16>, tensor<64x16xf16>
      %f = mirage_block.accumulate %m over loop sum : tensor<32x16xf32>
      %g = mirage_block.accumulate %n over loop sum : tensor<32x16xf32>
      %h = mirage_block.silu %f : tensor<32x16xf32>
      %i = mirage_block.mul %h, %g : tensor<32x16xf32>, tensor<32x16xf32>
      mirage_block.yield %i : tensor<32x16xf32>
    }
    mirage_kernel.yield %o : tensor<128x16xf16>
  } : tensor<128x16xf16>
  return %r : tensor<128x16xf16>
}
