// RUN: mirage-opt %s --mirage-assign-default-blocks | FileCheck %s

// CHECK-LABEL: func.func @matmul(
// CHECK-SAME:    %[[A:.+]]: tensor<100x200xf16>, %[[B:.+]]: tensor<200x300xf16>
func.func @matmul(%a: tensor<100x200xf16>, %b: tensor<200x300xf16>,
                  %e: tensor<100x300xf16>) -> tensor<100x300xf16> {
  %r = mirage_kernel.graph ins(%a, %b : tensor<100x200xf16>, tensor<200x300xf16>)
      outs(%e : tensor<100x300xf16>) {
  // CHECK: ^bb0(%[[X:.+]]: tensor<100x200xf16>, %[[Y:.+]]: tensor<200x300xf16>):
  ^bb0(%x: tensor<100x200xf16>, %y: tensor<200x300xf16>):
    // CHECK: %[[C:.+]] = mirage_block.graph grid(x = [[GX:.+]], y = [[GY:.+]]) threads({{.+}}) loop([[L:.+]]) ins(%[[X]] imap([[XM:.+]]) fmap(1), %[[Y]] imap([[YM:.+]]) fmap(0))
    // CHECK: mirage_block.matmul
    // CHECK: mirage_block.accumulate %{{.+}} over loop sum
    %0 = mirage_kernel.matmul %x, %y : (tensor<100x200xf16>, tensor<200x300xf16>) -> tensor<100x300xf32>
    // CHECK: %[[F:.+]] = mirage_kernel.reshape %[[C]] : (tensor<100x300xf32>) -> tensor<30000xf32>
    // CHECK: mirage_block.graph {{.*}} ins(%[[F]]
    // CHECK: mirage_block.exp
    %1 = mirage_kernel.exp %0 : (tensor<100x300xf32>) -> tensor<100x300xf16>
    mirage_kernel.yield %1 : tensor<100x300xf16>
  } : tensor<100x300xf16>
  return %r : tensor<100x300xf16>
}

// CHECK-LABEL: func.func @reshape_is_a_view(
func.func @reshape_is_a_view(%a: tensor<4x6xf16>, %e: tensor<24xf16>) -> tensor<24xf16> {
  %r = mirage_kernel.graph ins(%a : tensor<4x6xf16>) outs(%e : tensor<24xf16>) {
  ^bb0(%x: tensor<4x6xf16>):
    // CHECK: mirage_kernel.reshape
    %0 = mirage_kernel.reshape %x : (tensor<4x6xf16>) -> tensor<24xf16>
    mirage_kernel.yield %0 : tensor<24xf16>
  } : tensor<24xf16>
  return %r : tensor<24xf16>
}

// A maximum over padding must not see the zeros that fill partial tiles.
// CHECK-LABEL: func.func @masked(
func.func @masked(%a: tensor<4x100xf16>, %e: tensor<4x1xf16>) -> tensor<4x1xf16> {
  %r = mirage_kernel.graph ins(%a : tensor<4x100xf16>) outs(%e : tensor<4x1xf16>) {
  ^bb0(%x: tensor<4x100xf16>):
    // CHECK: mirage_block.mask %{{.+}} dims [1] axes ["loop"] extent 100 value 0xFFF0000000000000
    // CHECK: mirage_block.accumulate %{{.+}} over loop max dims [1]
    %0 = mirage_kernel.max %x dims [1] : (tensor<4x100xf16>) -> tensor<4x1xf16>
    mirage_kernel.yield %0 : tensor<4x1xf16>
  } : tensor<4x1xf16>
  return %r : tensor<4x1xf16>
}
