// RUN: mirage-opt %s --split-input-file --verify-diagnostics

func.func @c4(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-error @below {{expects 'mirage_kernel.f32_products' to be "exact" or "tf32", got "tf19"}}
  %r = mirage_kernel.graph ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
      attributes {mirage_kernel.f32_products = "tf19"} {
  ^bb0(%a: tensor<4xf32>):
    mirage_kernel.yield %a : tensor<4xf32>
  } : tensor<4xf32>
  return
}

// -----

func.func @c4_type(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-error @below {{expects 'mirage_kernel.f32_products' to be "exact" or "tf32", got tf32}}
  %r = mirage_kernel.graph ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
      attributes {mirage_kernel.f32_products = tf32} {
  ^bb0(%a: tensor<4xf32>):
    mirage_kernel.yield %a : tensor<4xf32>
  } : tensor<4xf32>
  return
}

// -----

// expected-error @below {{expects no attribute 'mirage_kernel.f32_products'; mirage_kernel has 'mirage_kernel.f32_products' of mirage_kernel.graph}}
func.func @c4_function(%x: tensor<4xf32>) attributes {mirage_kernel.f32_products = "tf32"} {
  return
}

// -----

func.func @c4_name(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-error @below {{expects no attribute 'mirage_kernel.f32_product'; mirage_kernel has 'mirage_kernel.f32_products' of mirage_kernel.graph}}
  %r = mirage_kernel.graph ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
      attributes {mirage_kernel.f32_product = "tf32"} {
  ^bb0(%a: tensor<4xf32>):
    mirage_kernel.yield %a : tensor<4xf32>
  } : tensor<4xf32>
  return
}
