// Files say which version of each dialect they hold; a newer one is refused.
// RUN: mirage-opt %s --emit-bytecode -o %t.mlirbc && mirage-opt %t.mlirbc | FileCheck %s
// RUN: for dialect in mirage_kernel mirage_block mirage_thread; do \
// RUN:   case $dialect in *kernel) current=1;; *block) current=3;; *) current=2;; esac; \
// RUN:   for version in $(seq 1 $current); do \
// RUN:     mirage-write-bytecode %s $dialect $version > %t.same && mirage-opt %t.same | FileCheck %s || exit 1; \
// RUN:   done; \
// RUN:   for version in 0 $((current + 1)) 1000; do \
// RUN:     mirage-write-bytecode %s $dialect $version > %t.other && \
// RUN:     not mirage-opt %t.other 2>&1 | FileCheck %s --check-prefix=OTHER -DDIALECT=$dialect -DCURRENT=$current -DVERSION=$version || exit 1; \
// RUN:   done; \
// RUN: done
// OTHER: versions.mlir.tmp.other:0:0: error: expects IR of [[DIALECT]] in version 1 to [[CURRENT]], got version [[VERSION]]
// A block graph as Mirage wrote it in version 1, without a cluster.
// RUN: mirage-opt %S/Inputs/version-1.mlirbc | FileCheck %s --check-prefix=FIRST
// FIRST: mirage_block.graph grid(x = 1) threads(128) ins
// FIRST: mirage_block.exp
// And as in version 2, with a cluster and without stages.
// RUN: mirage-opt %S/Inputs/version-2.mlirbc | FileCheck %s --check-prefix=SECOND
// SECOND: mirage_block.graph grid(x = 2) cluster(x = 2) threads(128) loop(4) ins

#row = #mirage_thread.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]]>

// CHECK: mirage_kernel.graph
// CHECK: mirage_block.graph
// CHECK: mirage_thread.graph
func.func @f(%x: tensor<8x64xf32>, %e: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %r = mirage_kernel.graph ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    %0 = mirage_block.graph grid(x = 1) threads(128) ins(%a imap()) outs(omap()) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    ^bb0(%t: tensor<8x64xf32>):
      %1 = mirage_thread.graph items(x = 8) ins(%t imap(x -> 0)) outs(omap(x -> 0)) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
      ^bb0(%fw: tensor<1x64xf32>):
        %f = mirage_thread.load %fw : (tensor<1x64xf32>) -> tensor<1x64xf32, #row>
        %2 = mirage_thread.exp %f : (tensor<1x64xf32, #row>) -> tensor<1x64xf32, #row>
        %s2 = mirage_thread.store %2 : (tensor<1x64xf32, #row>) -> tensor<1x64xf32>
        mirage_thread.yield %s2 : tensor<1x64xf32>
      }
      mirage_block.yield %1 : tensor<8x64xf32>
    }
    mirage_kernel.yield %0 : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}
