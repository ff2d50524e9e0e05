// What is planned for one GPU and lowered for another one that has not its instructions, by
// instruction; clusters and launches that overlap are in test/Transforms/merge-launches.mlir and
// overlap-launches.mlir.
// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize" -o %t.mlir
// RUN: not mirage-opt %t.mlir --mirage-compile="from=lower to=lower target=sm_90" -o /dev/null 2>&1 | FileCheck %s -DTARGET=sm_90 --check-prefix=WGMMA
// RUN: not mirage-opt %t.mlir --mirage-compile="from=lower ptxas=never target=sm_100a" -o /dev/null 2>&1 | FileCheck %s -DTARGET=sm_100a --check-prefix=WGMMA
// RUN: not mirage-opt %t.mlir --convert-mirage-kernel-to-gpu=target=sm_80 -o /dev/null 2>&1 | FileCheck %s -DTARGET=sm_80 --check-prefix=WGMMA
// WGMMA: error: expects a plan for [[TARGET]], which has no products of four warps (wgmma), got 'mirage_thread.wgmma'
// WGMMA-NEXT: mirage_thread.wgmma
// Nor is its code made to count registers.
// RUN: sed 's/mirage.predicted_time = {[^}]*}, //' %t.mlir > %t.untimed.mlir
// RUN: not mirage-opt %t.untimed.mlir --mirage-explain=target=sm_90 -o /dev/null 2>&1 | FileCheck %s -DTARGET=sm_90 --check-prefix=WGMMA

// Nor is code that was lowered for one GPU made PTX for another one, on which LLVM would give up.
// RUN: mirage-opt %t.mlir --mirage-compile="from=lower to=lower" -o %t.lowered.mlir
// RUN: for target in sm_80 sm_90 sm_100a; do not mirage-opt %t.lowered.mlir --mirage-compile="from=emit ptxas=never target=$target" -o /dev/null 2>&1 | FileCheck %s -DTARGET=$target --check-prefix=LOWERED || exit 1; done
// LOWERED: error: expects kernels that were lowered for [[TARGET]], which has no products of four warps (wgmma), got kernels for sm_90a
// LOWERED-NEXT: gpu.module
// RUN: mirage-opt %t.lowered.mlir --mirage-compile="from=emit ptxas=never" -o /dev/null
// RUN: mirage-opt %s --mirage-compile="from=optimize to=lower target=sm_80" -o %t.lowered.80.mlir
// RUN: mirage-opt %t.lowered.80.mlir --mirage-compile="from=emit ptxas=never target=sm_100a" -o /dev/null
// RUN: not mirage-opt %t.lowered.80.mlir --mirage-compile="from=emit ptxas=never target=sm_86" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SMALLER
// SMALLER: error: expects kernels that were lowered for sm_86, which has no more than 101376 bytes of shared memory for a block, got kernels for sm_80
// RUN: sed 's/mirage.lowered_for = "sm_80"/mirage.lowered_for = "sm_33"/' %t.lowered.80.mlir > %t.unknown.mlir
// RUN: not mirage-opt %t.unknown.mlir --mirage-compile="from=emit ptxas=never" -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: 'mirage.lowered_for': expects one of the targets sm_80, {{.*}}got 'sm_33'

// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize target=sm_90" -o %t.90.mlir
// RUN: mirage-opt %t.90.mlir --mirage-compile="from=lower ptxas=never target=sm_100a" -o /dev/null
// RUN: not mirage-opt %t.90.mlir --mirage-compile="from=lower ptxas=never target=sm_89" -o /dev/null 2>&1 | FileCheck %s --check-prefix=BOXES
// BOXES: error: expects a plan for sm_89, which has no copy engine (cp.async.bulk.tensor), got 'mirage.input_swizzles'
// BOXES-NEXT: mirage_block.graph

// RUN: sed 's/mirage.shared_bytes/mirage.register_shares = array<i64: 40, 232>, &/' %t.90.mlir > %t.shares.mlir
// RUN: not mirage-opt %t.shares.mlir --mirage-compile="from=lower ptxas=never target=sm_90" -o /dev/null 2>&1 | FileCheck %s -DTARGET=sm_90 --check-prefix=SHARES
// RUN: not mirage-opt %t.shares.mlir --mirage-compile="from=lower ptxas=never target=sm_100" -o /dev/null 2>&1 | FileCheck %s -DTARGET=sm_100 --check-prefix=SHARES
// SHARES: error: expects a plan for [[TARGET]], which has no registers that change hands (setmaxnreg), got 'mirage.register_shares'

// What wants nothing of the kind is the same for all.
// RUN: mirage-opt %s --mirage-compile="from=optimize to=optimize target=sm_80" -o %t.80.mlir
// RUN: mirage-opt %t.80.mlir --mirage-compile="from=lower ptxas=never target=sm_100a" -o /dev/null

func.func @product(%x: tensor<100x512xf16>, %w: tensor<512x120xf16>) -> tensor<100x120xf16> {
  %e = tensor.empty() : tensor<100x120xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<100x512xf16>, tensor<512x120xf16>) outs(%e : tensor<100x120xf16>) {
  ^bb0(%a: tensor<100x512xf16>, %b: tensor<512x120xf16>):
    %o = mirage_block.graph grid(x = 2, y = 2) threads(128) loop(8) stages(3)
        ins(%a imap(x -> 0) fmap(1), %b imap(y -> 1) fmap(0)) outs(omap(x -> 0, y -> 1))
        : (tensor<100x512xf16>, tensor<512x120xf16>) -> tensor<100x120xf16> {
    ^bb0(%c: tensor<64x64xf16>, %d: tensor<64x64xf16>):
      %p = mirage_block.matmul %c, %d : tensor<64x64xf16>, tensor<64x64xf16>
      %s = mirage_block.accumulate %p over loop sum : tensor<64x64xf32>
      mirage_block.yield %s : tensor<64x64xf32>
    }
    mirage_kernel.yield %o : tensor<100x120xf16>
  } : tensor<100x120xf16>
  return %r : tensor<100x120xf16>
}
