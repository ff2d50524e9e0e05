// RUN: mirage-opt %s --convert-linalg-to-mirage-kernel 2> %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// An op in between that we do not take cuts the program in two, on the way from
// what it reads to what reads it. What does not depend on it goes with the first
// part that it is connected with.
// REMARK: remark: 'linalg.generic' op stays outside of a mirage_kernel.graph: no operator means math.sin
// CHECK-LABEL: func.func @cut(
// CHECK:       %[[A:.+]]:2 = mirage_kernel.graph
// CHECK:         mirage_kernel.exp
// CHECK:         mirage_kernel.sqrt
// CHECK:       %[[S:.+]] = linalg.generic
// CHECK:         math.sin
// CHECK:       mirage_kernel.graph ins(%[[S]], %[[A]]#{{[01]}} :
// CHECK:         mirage_kernel.add
func.func @cut(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.exp ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = math.sin %a : f32
    linalg.yield %s : f32
  } -> tensor<4x6xf32>
  %2 = linalg.sqrt ins(%0 : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %3 = linalg.add ins(%1, %2 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}

// A value that is read inside and outside is a result.
// CHECK-LABEL: func.func @read_twice(
// CHECK:       %[[R:.+]]:2 = mirage_kernel.graph
// CHECK:         %[[E:.+]] = mirage_kernel.exp
// CHECK:         %[[Q:.+]] = mirage_kernel.sqrt %[[E]]
// CHECK:         mirage_kernel.yield %[[E]], %[[Q]]
// CHECK:       return %[[R]]#0, %[[R]]#1
func.func @read_twice(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = math.exp %x : tensor<4x6xf32>
  %1 = math.sqrt %0 : tensor<4x6xf32>
  return %0, %1 : tensor<4x6xf32>, tensor<4x6xf32>
}

// Programs that share nothing stay apart; those that share an input do not.
// CHECK-LABEL: func.func @apart(
// CHECK:       mirage_kernel.graph ins(%[[X:.+]], %[[Y:.+]] : tensor<4x6xf32>, tensor<6x4xf32>)
// CHECK:         mirage_kernel.exp
// CHECK:       mirage_kernel.graph
// CHECK:         mirage_kernel.tanh
func.func @apart(%x: tensor<4x6xf32>, %y: tensor<6x4xf32>, %z: tensor<3xf32>)
    -> (tensor<4x4xf32>, tensor<4x6xf32>, tensor<3xf32>) {
  %init = arith.constant dense<0.0> : tensor<4x4xf32>
  %0 = linalg.matmul ins(%x, %y : tensor<4x6xf32>, tensor<6x4xf32>) outs(%init : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = math.exp %x : tensor<4x6xf32>
  %2 = math.tanh %z : tensor<3xf32>
  return %0, %1, %2 : tensor<4x4xf32>, tensor<4x6xf32>, tensor<3xf32>
}

// What nothing reads disappears, and so does what only it read.
// CHECK-LABEL: func.func @dead(
// CHECK-NEXT:  return
func.func @dead(%x: tensor<4x6xf32>, %unused: tensor<8xf32>) -> tensor<4x6xf32> {
  %0 = math.exp %x : tensor<4x6xf32>
  %1 = math.sqrt %0 : tensor<4x6xf32>
  return %x : tensor<4x6xf32>
}

// A copy needs no kernel.
// CHECK-LABEL: func.func @copy(
// CHECK-SAME:    %[[X:.+]]: tensor<4x6xf32>
// CHECK-NEXT:  return %[[X]]
func.func @copy(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.copy ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Bodies of loops are places of their own.
// CHECK-LABEL: func.func @in_loop(
// CHECK:       scf.for
// CHECK:         mirage_kernel.graph
// CHECK:           mirage_kernel.exp
// CHECK:           mirage_kernel.sqrt
// CHECK:         scf.yield
func.func @in_loop(%x: tensor<4x6xf32>, %n: index) -> tensor<4x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> tensor<4x6xf32> {
    %0 = math.exp %y : tensor<4x6xf32>
    %1 = math.sqrt %0 : tensor<4x6xf32>
    scf.yield %1 : tensor<4x6xf32>
  }
  return %r : tensor<4x6xf32>
}

// What only reads moves behind the graph; what has effects stays where it was,
// and what follows is a graph of its own.
// REMARK: remark: 'tensor.extract_slice' op stays outside
// CHECK-LABEL: func.func @readers(
// CHECK:       %[[R:.+]]:2 = mirage_kernel.graph
// CHECK:         mirage_kernel.exp
// CHECK:         mirage_kernel.sqrt
// CHECK:       tensor.extract_slice %[[R]]#0
func.func @readers(%x: tensor<4x6xf32>, %i: index) -> (tensor<2x6xf32>, tensor<4x6xf32>) {
  %0 = math.exp %x : tensor<4x6xf32>
  %s = tensor.extract_slice %0[%i, 0] [2, 6] [1, 1] : tensor<4x6xf32> to tensor<2x6xf32>
  %1 = math.sqrt %0 : tensor<4x6xf32>
  return %s, %1 : tensor<2x6xf32>, tensor<4x6xf32>
}

// REMARK: remark: 'func.call' op stays outside
// CHECK-LABEL: func.func @effects(
// CHECK:       %[[E:.+]] = mirage_kernel.graph
// CHECK:         mirage_kernel.exp
// CHECK:       call @print(%[[E]])
// CHECK:       mirage_kernel.graph ins(%[[E]]
// CHECK:         mirage_kernel.sqrt
func.func private @print(tensor<4x6xf32>)
func.func @effects(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = math.exp %x : tensor<4x6xf32>
  call @print(%0) : (tensor<4x6xf32>) -> ()
  %1 = math.sqrt %0 : tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// A fill that something else reads stays, and a graph reads it as a constant.
// CHECK-LABEL: func.func @fill_returned(
// CHECK:       %[[F:.+]] = linalg.fill
// CHECK:       mirage_kernel.graph ins(%{{.+}} : tensor<4x6xf32>)
// CHECK:         mirage_kernel.offset %{{.+}} by 2.000000e+00
// CHECK:       return %[[F]]
func.func @fill_returned(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %f = linalg.fill ins(%two : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = arith.addf %x, %f : tensor<4x6xf32>
  return %f, %0 : tensor<4x6xf32>, tensor<4x6xf32>
}

// Graphs that are there already stay as they are.
// CHECK-LABEL: func.func @by_hand(
// CHECK-COUNT-2: = mirage_kernel.graph
func.func @by_hand(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = mirage_kernel.graph ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: tensor<4x6xf32>):
    %1 = mirage_kernel.exp %a : (tensor<4x6xf32>) -> tensor<4x6xf32>
    mirage_kernel.yield %1 : tensor<4x6xf32>
  } : tensor<4x6xf32>
  %2 = math.sqrt %0 : tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}
