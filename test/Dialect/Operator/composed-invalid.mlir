// The constraints of composed operators, by label; C1 and C2 are those of all norms.
// RUN: mirage-opt %s --split-input-file --verify-diagnostics

func.func @norm_c1(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects at least one reduced dimension, got none}}
  %0 = mirage_kernel.softmax %x dims [] : (tensor<8x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

func.func @norm_c1_exists(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects dimensions in [0, 2), got 2}}
  %0 = mirage_kernel.layer_norm %x dims [2] epsilon 0.0 : (tensor<8x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

func.func @norm_c1_ascends(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects ascending dimensions, got [1, 0]}}
  %0 = mirage_kernel.l2_norm %x dims [1, 0] epsilon 0.0 : (tensor<8x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

func.func @norm_c2(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects a result of shape [8, 64], got [8, 1]}}
  %0 = mirage_kernel.rms_norm %x dims [1] epsilon 0.0 : (tensor<8x64xf16>) -> tensor<8x1xf16>
  return
}

// -----

func.func @norm_c3(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects an epsilon of at least 0, got -0.500000}}
  %0 = mirage_kernel.rms_norm %x dims [1] epsilon -0.5 : (tensor<8x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

func.func @rms_norm_c4(%x: tensor<8x64xf16>, %w: tensor<32xf16>) {
  // expected-error @below {{expects a weight and a bias that broadcast to [8, 64], got [32]}}
  %0 = mirage_kernel.rms_norm %x, %w dims [1] epsilon 0.0 : (tensor<8x64xf16>, tensor<32xf16>) -> tensor<8x64xf16>
  return
}

// -----

func.func @layer_norm_c4(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects 1 to 3 operands, got 4}}
  %0 = mirage_kernel.layer_norm %x, %x, %x, %x dims [1] epsilon 0.0 : (tensor<8x64xf16>, tensor<8x64xf16>, tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

func.func @layer_norm_c5(%x: tensor<8x64xf16>, %w: tensor<64xf16>, %b: tensor<2x1x64xf16>) {
  // expected-error @below {{expects a weight and a bias that broadcast to [8, 64], got [2, 1, 64]}}
  %0 = mirage_kernel.layer_norm %x, %w, %b dims [1] epsilon 0.0 : (tensor<8x64xf16>, tensor<64xf16>, tensor<2x1x64xf16>) -> tensor<8x64xf16>
  return
}

// -----

func.func @repeat_c1(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects a result whose sizes are multiples of the operand's, [8, 64], got [12, 64]}}
  %0 = mirage_kernel.repeat %x : (tensor<8x64xf16>) -> tensor<12x64xf16>
  return
}

// -----

func.func @repeat_c1_rank(%x: tensor<64xf16>) {
  // expected-error @below {{expects a result whose sizes are multiples of the operand's, [64], got [2, 64]}}
  %0 = mirage_kernel.repeat %x : (tensor<64xf16>) -> tensor<2x64xf16>
  return
}

// -----

func.func @repeat_c2(%x: tensor<8x64xf16>) {
  // expected-error @below {{expects a result of its operand's element type, f16, got f32; a cast rounds}}
  %0 = mirage_kernel.repeat %x : (tensor<8x64xf16>) -> tensor<8x128xf32>
  return
}
