// The limit is the target's: 196608 bytes of tiles fit sm_90a and not sm_80.
// RUN: mirage-opt %s --mirage-schedule-block --mirage-plan-shared-memory | FileCheck %s
// RUN: mirage-opt %s --mirage-schedule-block --mirage-plan-shared-memory=target=sm_100a | FileCheck %s
// RUN: not mirage-opt %s --mirage-schedule-block --mirage-plan-shared-memory=target=sm_80 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: not mirage-opt %s --mirage-schedule-block --mirage-plan-shared-memory=target=sm_12 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not mirage-opt %s --mirage-assign-default-blocks=target=sm_12 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not mirage-opt %s --mirage-assign-default-blocks=stages=17 2>&1 | FileCheck %s --check-prefix=STAGES

// CHECK: mirage.shared_bytes = 196608
// SMALL: plan-shared-memory-target.mlir:[[#@LINE+5]]:{{[0-9]+}}: error: expects tiles that fit 166912 bytes of shared memory, got 196608 bytes
// STAGES: error: expects stages of 0 to 16, got 17
// UNKNOWN: error: expects one of the targets sm_80, {{.*}}, got 'sm_12'

func.func @large(%x: tensor<128x256xf16>) -> tensor<128x256xf32> {
  %o = mirage_block.graph grid() threads(128) ins(%x imap()) outs(omap())
      : (tensor<128x256xf16>) -> tensor<128x256xf32> {
  ^bb0(%t: tensor<128x256xf16>):
    %e = mirage_block.exp %t : tensor<128x256xf16>
    mirage_block.yield %e : tensor<128x256xf32>
  }
  return %o : tensor<128x256xf32>
}
