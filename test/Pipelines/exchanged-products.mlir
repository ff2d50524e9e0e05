// Linear layers of few rows whose weights lie as [N, K]: their products have exchanged operands, so that
// tensor cores have 64 rows of weights. What is computed with the result, and rounded, stays where it grew,
// in whole columns of the output; no tile of f32 is read by columns, and warps beside the others load.
// RUN: rm -rf %t && mirage-opt %s --mirage-compile="from=optimize target=sm_90a artifact=%t/sm_90a explain=true" -o /dev/null 2>&1 | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: mirage-opt %s --mirage-compile="from=optimize target=sm_80 artifact=%t/sm_80 explain=true" -o /dev/null 2>&1 | FileCheck %s
// SM90:  blocks {{.*}}of 128 threads and 1 warp that loads
// CHECK: transpose, add, cast
// RUN: for artifact in %t/*/*; do mirage-run $artifact --device=emulator --check --schedule=3 || exit 1; done | FileCheck %s --check-prefix=RIGHT
// RIGHT-COUNT-4: right:
// RUN: for artifact in %t/*/*; do mirage-run $artifact --device=emulator --json; done | grep -o '"sharedBankConflicts":[0-9]*' | FileCheck %s --check-prefix=CONFLICTS
// CONFLICTS-COUNT-4: {{^}}"sharedBankConflicts":0{{$}}

func.func @residual(%x: tensor<32x512xf16>, %w: tensor<256x512xf16>, %r: tensor<32x256xf16>) -> tensor<32x256xf16> {
  %e = tensor.empty() : tensor<32x256xf16>
  %0 = mirage_kernel.graph ins(%x, %w, %r : tensor<32x512xf16>, tensor<256x512xf16>, tensor<32x256xf16>) outs(%e : tensor<32x256xf16>) {
  ^bb0(%a: tensor<32x512xf16>, %b: tensor<256x512xf16>, %c: tensor<32x256xf16>):
    %1 = mirage_block.graph grid(x = 4) threads(128) loop(8) stages(3) ins(%a imap() fmap(1), %b imap(x -> 0) fmap(1), %c imap(x -> 1)) outs(omap(x -> 1)) : (tensor<32x512xf16>, tensor<256x512xf16>, tensor<32x256xf16>) -> tensor<32x256xf16> {
    ^bb0(%xt: tensor<32x64xf16>, %wt: tensor<64x64xf16>, %rt: tensor<32x64xf16>):
      %t = mirage_block.transpose %xt dims [1, 0] : tensor<32x64xf16>
      %p = mirage_block.matmul %wt, %t : tensor<64x64xf16>, tensor<64x32xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<64x32xf32>
      %y = mirage_block.transpose %s dims [1, 0] : tensor<64x32xf32>
      %z = mirage_block.add %rt, %y : tensor<32x64xf16>, tensor<32x64xf32>
      mirage_block.yield %z : tensor<32x64xf32>
    }
    mirage_kernel.yield %1 : tensor<32x256xf16>
  } : tensor<32x256xf16>
  return %0 : tensor<32x256xf16>
}

// With a bias along the rows of the product, and two values of which one is read twice.
func.func @bias_and_gate(%x: tensor<16x512xbf16>, %w: tensor<256x512xbf16>, %r: tensor<256xbf16>) -> tensor<16x256xbf16> {
  %e = tensor.empty() : tensor<16x256xbf16>
  %0 = mirage_kernel.graph ins(%x, %w, %r : tensor<16x512xbf16>, tensor<256x512xbf16>, tensor<256xbf16>) outs(%e : tensor<16x256xbf16>) {
  ^bb0(%a: tensor<16x512xbf16>, %b: tensor<256x512xbf16>, %c: tensor<256xbf16>):
    %1 = mirage_block.graph grid(x = 4) threads(128) loop(8) stages(3) ins(%a imap() fmap(1), %b imap(x -> 0) fmap(1), %c imap(x -> 0)) outs(omap(x -> 1)) : (tensor<16x512xbf16>, tensor<256x512xbf16>, tensor<256xbf16>) -> tensor<16x256xbf16> {
    ^bb0(%xt: tensor<16x64xbf16>, %wt: tensor<64x64xbf16>, %rt: tensor<64xbf16>):
      %t = mirage_block.transpose %xt dims [1, 0] : tensor<16x64xbf16>
      %p = mirage_block.matmul %wt, %t : tensor<64x64xbf16>, tensor<64x16xbf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<64x16xf32>
      %c1 = mirage_block.reshape %rt : (tensor<64xbf16>) -> tensor<64x1xbf16>
      %z = mirage_block.add %c1, %s : tensor<64x1xbf16>, tensor<64x16xf32>
      %y = mirage_block.transpose %z dims [1, 0] : tensor<64x16xf32>
      %g = mirage_block.silu %y : tensor<16x64xf32>
      %h = mirage_block.exp %y : tensor<16x64xf32>
      %m = mirage_block.mul %g, %h : tensor<16x64xf32>, tensor<16x64xf32>
      mirage_block.yield %m : tensor<16x64xf32>
    }
    mirage_kernel.yield %1 : tensor<16x256xbf16>
  } : tensor<16x256xbf16>
  return %0 : tensor<16x256xbf16>
}
