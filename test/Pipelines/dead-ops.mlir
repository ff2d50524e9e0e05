// Ops that nothing needs are no obstacle, on their own or in a chain, whatever phase
// a program comes in at.
// RUN: mirage-opt %s --mirage-compile | FileCheck %s
// RUN: mirage-opt %s --mirage-compile=to=search | mirage-opt --mirage-compile=from=optimize | FileCheck %s
// CHECK: gpu.binary

func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %one = arith.constant 1.0 : f32
  %i = arith.constant 3 : index
  %j = arith.addi %i, %i : index
  %k = arith.muli %j, %i : index
  %e = math.exp %x : tensor<4x8xf32>
  return %e : tensor<4x8xf32>
}
