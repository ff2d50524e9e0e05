// RUN: mirage-opt %s --mirage-lower-float8 --split-input-file --verify-diagnostics

func.func @double(%x: f64) -> f8E5M2 {
  // expected-error @below {{expects a cast of 8-bit floats from or to f16, bf16 or f32, or fixed vectors of them, got 'f64'}}
  %y = arith.truncf %x : f64 to f8E5M2
  return %y : f8E5M2
}

// -----

func.func @scalable(%x: vector<[4]xf8E5M2>) -> vector<[4]xf32> {
  // expected-error @below {{or fixed vectors of them, got 'vector<[4]xf8E5M2>'}}
  %y = arith.extf %x : vector<[4]xf8E5M2> to vector<[4]xf32>
  return %y : vector<[4]xf32>
}

// -----

func.func @tensor(%x: tensor<4xf8E5M2>) -> tensor<4xf32> {
  // expected-error @below {{or fixed vectors of them, got 'tensor<4xf8E5M2>'}}
  %y = arith.extf %x : tensor<4xf8E5M2> to tensor<4xf32>
  return %y : tensor<4xf32>
}
