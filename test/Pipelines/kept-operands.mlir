// Q stays in registers while a loop multiplies it by keys, and the product of scores and values has
// its left operand in registers, too. ptxas 13.0 gave both the same ones here, so the loop makes those
// of Q anew. Norms of Q's and V's rows are factors of rows and of columns of the scores.
// RUN: rm -rf %t && mirage-opt %s --mirage-record-program --mirage-compile="from=optimize artifact=%t" -o /dev/null
// RUN: mirage-run %t/norms_in_attention --check && mirage-run %t/norms_in_small_attention --check
// RUN: FileCheck %s --input-file=%t/norms_in_attention/kernels.ptx
// RUN: FileCheck %s --input-file=%t/norms_in_small_attention/kernels.ptx
// CHECK: .entry norms_in_
// CHECK: mov.u32 %{{.*}}, %nctaid.z;
// CHECK: shr.u32 %{{.*}}, 31;
// CHECK-COUNT-16: or.b32
// CHECK: wgmma.fence.sync.aligned
// Of the other product, which has registers of the iteration, nothing is made anew.
// CHECK-NOT: %nctaid.z

func.func @norms_in_attention(%arg0: tensor<2x256x64xf16>, %arg1: tensor<2x64x4096xf16>, %arg2: tensor<2x4096x64xf16>) -> tensor<2x256x64xf16> {
    %0 = tensor.empty() : tensor<2x256x64xf16>
    %1 = mirage_kernel.graph ins(%arg0, %arg1, %arg2 : tensor<2x256x64xf16>, tensor<2x64x4096xf16>, tensor<2x4096x64xf16>) outs(%0 : tensor<2x256x64xf16>) {
    ^bb0(%arg3: tensor<2x256x64xf16>, %arg4: tensor<2x64x4096xf16>, %arg5: tensor<2x4096x64xf16>):
      %2:2 = mirage_block.graph grid(x = 2, y = 32, z = 2) threads(256) loop(2) stages(2) ins(%arg3 imap(x -> 0, z -> 1), %arg4 imap(x -> 0, y -> 2) fmap(2), %arg5 imap(x -> 0, y -> 1) fmap(1)) outs(omap(x -> 1, y -> 0, z -> 2), omap(x -> 1, y -> 0, z -> 2)) : (tensor<2x256x64xf16>, tensor<2x64x4096xf16>, tensor<2x4096x64xf16>) -> (tensor<32x2x256xf32>, tensor<32x2x256x64xf32>) {
      ^bb0(%q: tensor<1x128x64xf16>, %k: tensor<1x64x64xf16>, %v: tensor<1x64x64xf16>):
        %4 = mirage_block.rms %q dims [2] count 64 : tensor<1x128x64xf16>
        %5 = mirage_block.matmul %q, %k : tensor<1x128x64xf16>, tensor<1x64x64xf16>
        %7 = mirage_block.div %5, %4 : tensor<1x128x64xf32>, tensor<1x128x1xf32>
        %6 = mirage_block.rms %v dims [2] count 64 : tensor<1x64x64xf16>
        %9 = mirage_block.exp %7 : tensor<1x128x64xf32>
        %10 = mirage_block.accumulate %9 over loop sum dims [2] : tensor<1x128x64xf32>
        %r = mirage_block.reshape %6 : (tensor<1x64x1xf32>) -> tensor<1x1x64xf32>
        %n = mirage_block.div %9, %r : tensor<1x128x64xf32>, tensor<1x1x64xf32>
        %12 = mirage_block.cast %n : (tensor<1x128x64xf32>) -> tensor<1x128x64xf16>
        %13 = mirage_block.matmul %12, %v : tensor<1x128x64xf16>, tensor<1x64x64xf16>
        %14 = mirage_block.accumulate %13 over loop sum : tensor<1x128x64xf32>
        %15 = mirage_block.reshape %10 : (tensor<1x128x1xf32>) -> tensor<1x1x128xf32>
        %16 = mirage_block.reshape %14 : (tensor<1x128x64xf32>) -> tensor<1x1x128x64xf32>
        mirage_block.yield %15, %16 : tensor<1x1x128xf32>, tensor<1x1x128x64xf32>
      }
      %3 = mirage_block.graph grid(x = 2, y = 64, z = 2) threads(512) ins(%2#0 imap(x -> 1, y -> 2), %2#1 imap(x -> 1, y -> 2, z -> 3)) outs(omap(x -> 0, y -> 1, z -> 2)) : (tensor<32x2x256xf32>, tensor<32x2x256x64xf32>) -> tensor<2x256x64xf16> {
      ^bb0(%a: tensor<32x1x4xf32>, %b: tensor<32x1x4x32xf32>):
        %4 = mirage_block.sum %a dims [0] : tensor<32x1x4xf32>
        %5 = mirage_block.sum %b dims [0] : tensor<32x1x4x32xf32>
        %6 = mirage_block.reshape %4 : (tensor<1x1x4xf32>) -> tensor<1x1x4x1xf32>
        %7 = mirage_block.div %5, %6 : tensor<1x1x4x32xf32>, tensor<1x1x4x1xf32>
        %8 = mirage_block.reshape %7 : (tensor<1x1x4x32xf32>) -> tensor<1x4x32xf32>
        mirage_block.yield %8 : tensor<1x4x32xf32>
      }
      mirage_kernel.yield %3 : tensor<2x256x64xf16>
    } : tensor<2x256x64xf16>
    return %1 : tensor<2x256x64xf16>
}

func.func @norms_in_small_attention(%arg0: tensor<2x256x64xf16>, %arg1: tensor<2x64x4096xf16>, %arg2: tensor<2x4096x64xf16>) -> tensor<2x256x64xf16> {
    %0 = tensor.empty() : tensor<2x256x64xf16>
    %1 = mirage_kernel.graph ins(%arg0, %arg1, %arg2 : tensor<2x256x64xf16>, tensor<2x64x4096xf16>, tensor<2x4096x64xf16>) outs(%0 : tensor<2x256x64xf16>) {
    ^bb0(%arg3: tensor<2x256x64xf16>, %arg4: tensor<2x64x4096xf16>, %arg5: tensor<2x4096x64xf16>):
      %2:2 = mirage_block.graph grid(x = 2, y = 16, z = 4) threads(128) loop(4) stages(4) ins(%arg3 imap(x -> 0, z -> 1), %arg4 imap(x -> 0, y -> 2) fmap(2), %arg5 imap(x -> 0, y -> 1) fmap(1)) outs(omap(x -> 1, y -> 0, z -> 2), omap(x -> 1, y -> 0, z -> 2)) : (tensor<2x256x64xf16>, tensor<2x64x4096xf16>, tensor<2x4096x64xf16>) -> (tensor<16x2x256xf32>, tensor<16x2x256x64xf32>) {
      ^bb0(%q: tensor<1x64x64xf16>, %k: tensor<1x64x64xf16>, %v: tensor<1x64x64xf16>):
        %4 = mirage_block.rms %q dims [2] count 64 : tensor<1x64x64xf16>
        %5 = mirage_block.matmul %q, %k : tensor<1x64x64xf16>, tensor<1x64x64xf16>
        %7 = mirage_block.div %5, %4 : tensor<1x64x64xf32>, tensor<1x64x1xf32>
        %6 = mirage_block.rms %v dims [2] count 64 : tensor<1x64x64xf16>
        %9 = mirage_block.exp %7 : tensor<1x64x64xf32>
        %10 = mirage_block.accumulate %9 over loop sum dims [2] : tensor<1x64x64xf32>
        %r = mirage_block.reshape %6 : (tensor<1x64x1xf32>) -> tensor<1x1x64xf32>
        %n = mirage_block.div %9, %r : tensor<1x64x64xf32>, tensor<1x1x64xf32>
        %12 = mirage_block.cast %n : (tensor<1x64x64xf32>) -> tensor<1x64x64xf16>
        %13 = mirage_block.matmul %12, %v : tensor<1x64x64xf16>, tensor<1x64x64xf16>
        %14 = mirage_block.accumulate %13 over loop sum : tensor<1x64x64xf32>
        %15 = mirage_block.reshape %10 : (tensor<1x64x1xf32>) -> tensor<1x1x64xf32>
        %16 = mirage_block.reshape %14 : (tensor<1x64x64xf32>) -> tensor<1x1x64x64xf32>
        mirage_block.yield %15, %16 : tensor<1x1x64xf32>, tensor<1x1x64x64xf32>
      }
      %3 = mirage_block.graph grid(x = 2, y = 64, z = 2) threads(512) ins(%2#0 imap(x -> 1, y -> 2), %2#1 imap(x -> 1, y -> 2, z -> 3)) outs(omap(x -> 0, y -> 1, z -> 2)) : (tensor<16x2x256xf32>, tensor<16x2x256x64xf32>) -> tensor<2x256x64xf16> {
      ^bb0(%a: tensor<16x1x4xf32>, %b: tensor<16x1x4x32xf32>):
        %4 = mirage_block.sum %a dims [0] : tensor<16x1x4xf32>
        %5 = mirage_block.sum %b dims [0] : tensor<16x1x4x32xf32>
        %6 = mirage_block.reshape %4 : (tensor<1x1x4xf32>) -> tensor<1x1x4x1xf32>
        %7 = mirage_block.div %5, %6 : tensor<1x1x4x32xf32>, tensor<1x1x4x1xf32>
        %8 = mirage_block.reshape %7 : (tensor<1x1x4x32xf32>) -> tensor<1x4x32xf32>
        mirage_block.yield %8 : tensor<1x4x32xf32>
      }
      mirage_kernel.yield %3 : tensor<2x256x64xf16>
    } : tensor<2x256x64xf16>
    return %1 : tensor<2x256x64xf16>
}
