func.func @unary_c1(%x: tensor<4xf16>) {
  // expected-error @below {{expects}}
  %0 = mirage_block.exp %x : tensor<4xf16>
  return
}

// -----

func.func @exp_c2_lanes(%x: tensor<4xf16>) {
  // expected-error @below {{expects}}
  %0 = mirage_block.exp %x : tensor<4xf16>
  return
}

// -----

func.func @exp_c3(%x: tensor<4xf16>) {
  // expected-error @below {{expects}}
  %0 = mirage_block.exp %x : tensor<4xf16>
  return
}

// -----

func.func @block_yield_c1(%x: tensor<4xf16>) {
  // expected-error @below {{expects}}
  mirage_block.yield %x : tensor<4xf16>
}
