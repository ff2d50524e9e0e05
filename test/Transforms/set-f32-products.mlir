// RUN: mirage-opt %s --mirage-set-f32-products=f32-products=tf32 | FileCheck %s --check-prefixes=CHECK,TF32
// RUN: mirage-opt %s --mirage-set-f32-products | FileCheck %s --check-prefixes=CHECK,EXACT
// RUN: mirage-opt %s --mirage-search-graph="f32-products=tf32 max-states=100" | FileCheck %s --check-prefixes=CHECK,TF32
// RUN: mirage-opt %s --mirage-search-graph="f32-products=exact max-states=100" | FileCheck %s --check-prefixes=CHECK,EXACT
// Without the option each graph stays what it is.
// RUN: mirage-opt %s --mirage-search-graph="max-states=100" | FileCheck %s --check-prefixes=CHECK,OWN
// RUN: mirage-opt %s --mirage-compile="to=search max-states=100 f32-products=tf32" | FileCheck %s --check-prefixes=CHECK,TF32,PROGRAM
// RUN: mirage-opt %s --mirage-compile="from=search to=search max-states=100 f32-products=tf32" | FileCheck %s --check-prefixes=CHECK,TF32,PROGRAM
// RUN: mirage-opt %s --mirage-superoptimize="max-states=100 f32-products=tf32" | FileCheck %s --check-prefixes=CHECK,TF32
// RUN: mirage-opt %s --mirage-compile-in-place="to=import f32-products=tf32" | FileCheck %s --check-prefixes=CHECK,TF32
// RUN: mirage-opt %s --mirage-compile-in-place="from=search to=search max-states=100 f32-products=tf32" | FileCheck %s --check-prefixes=CHECK,TF32
// A program that was recorded says the same.
// RUN: mirage-opt %s --mirage-record-program --mirage-set-f32-products=f32-products=tf32 | FileCheck %s --check-prefixes=CHECK,TF32,PROGRAM
// RUN: mirage-opt %s --mirage-record-program --mirage-set-f32-products=f32-products=tf32 --mirage-set-f32-products | FileCheck %s --check-prefixes=CHECK,EXACT --implicit-check-not=f32Products
// RUN: mirage-opt %s --mirage-search-graph="f32-products=tf32 max-states=100 report=%t.json" -o /dev/null && grep -c '"f32Products": "tf32"' %t.json | FileCheck %s --check-prefix=REPORT
// REPORT: 2
// RUN: not mirage-opt %s --mirage-set-f32-products=f32-products=tf19 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not mirage-opt %s --mirage-search-graph=f32-products=tf19 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not mirage-opt %s --mirage-compile="from=optimize f32-products=tf19" 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: expects f32-products exact or tf32, got 'tf19'

// CHECK-LABEL: func.func @silent(
// PROGRAM-SAME:  \22f32Products\22:\22tf32\22
// TF32:  mirage_kernel.graph {{.*}}mirage_kernel.f32_products = "tf32"
// EXACT-NOT: f32_products
// OWN-NOT: f32_products
func.func @silent(%x: tensor<16x32xf32>, %w: tensor<32x16xf32>) -> tensor<16x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x32xf32>, tensor<32x16xf32>) outs(%e : tensor<16x16xf32>) {
  ^bb0(%a: tensor<16x32xf32>, %b: tensor<32x16xf32>):
    %0 = mirage_kernel.matmul %a, %b : (tensor<16x32xf32>, tensor<32x16xf32>) -> tensor<16x16xf32>
    mirage_kernel.yield %0 : tensor<16x16xf32>
  } : tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// CHECK-LABEL: func.func @rounded(
// TF32:  mirage_kernel.graph {{.*}}mirage_kernel.f32_products = "tf32"
// OWN:   mirage_kernel.graph {{.*}}mirage_kernel.f32_products = "tf32"
// EXACT-NOT: f32_products
func.func @rounded(%x: tensor<16x32xf32>, %w: tensor<32x16xf32>) -> tensor<16x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  %r = mirage_kernel.graph ins(%x, %w : tensor<16x32xf32>, tensor<32x16xf32>) outs(%e : tensor<16x16xf32>)
      attributes {mirage_kernel.f32_products = "tf32"} {
  ^bb0(%a: tensor<16x32xf32>, %b: tensor<32x16xf32>):
    %0 = mirage_kernel.matmul %a, %b : (tensor<16x32xf32>, tensor<32x16xf32>) -> tensor<16x16xf32>
    mirage_kernel.yield %0 : tensor<16x16xf32>
  } : tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}
