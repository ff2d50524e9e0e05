// RUN: mirage-opt %s --split-input-file --verify-diagnostics

func.func @load_c1(%w: tensor<16x8xf32>) {
  // expected-error @below {{expects a fragment, with a #mirage_thread.layout, got 'tensor<16x8xf32>'}}
  %f = mirage_thread.load %w : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @load_c1_twice(%f: tensor<16x8xf32, #c>) {
  // expected-error @below {{expects a window, without a layout, got 'tensor<16x8xf32, #mirage_thread.layout<}}
  %g = mirage_thread.load %f : (tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c>
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @load_c2(%w: tensor<16x16xf32>) {
  // expected-error @below {{expects a result of shape [16, 16], got [16, 8]}}
  %f = mirage_thread.load %w : (tensor<16x16xf32>) -> tensor<16x8xf32, #c>
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @load_c2_element(%w: tensor<16x8xf16>) {
  // expected-error @below {{expects a result of its operand's element type, f16, got f32; a cast rounds}}
  %f = mirage_thread.load %w : (tensor<16x8xf16>) -> tensor<16x8xf32, #c>
  return
}

// -----

func.func @store_c1(%w: tensor<16x8xf32>) {
  // expected-error @below {{expects a fragment, with a #mirage_thread.layout, got 'tensor<16x8xf32>'}}
  %v = mirage_thread.store %w : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @store_c2(%f: tensor<16x8xf32, #c>) {
  // expected-error @below {{expects a result of its operand's element type, f32, got f16; a cast rounds}}
  %v = mirage_thread.store %f : (tensor<16x8xf32, #c>) -> tensor<16x8xf16>
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @ldmatrix_c1(%f: tensor<16x8xf16, #c>) {
  // expected-error @below {{expects a window, without a layout}}
  %g = mirage_thread.ldmatrix %f : (tensor<16x8xf16, #c>) -> tensor<16x8xf16, #c>
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @ldmatrix_c2(%w: tensor<16x8xf32>) {
  // expected-error @below {{expects elements of 16 bits, got 'f32'}}
  %f = mirage_thread.ldmatrix %w : (tensor<16x8xf32>) -> tensor<16x8xf32, #c>
  return
}

// -----

#rows = #mirage_thread.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]]>
func.func @ldmatrix_c3(%w: tensor<4x16xf16>) {
  // expected-error @below {{expects a fragment that is made of 8x8 matrices, as operands of mma are, got 'tensor<4x16xf16, }}
  %f = mirage_thread.ldmatrix %w : (tensor<4x16xf16>) -> tensor<4x16xf16, #rows>
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @convert_layout_c1(%f: tensor<16x8xf32, #c>) {
  // expected-error @below {{expects a fragment, with a #mirage_thread.layout, got 'tensor<16x8xf32>'}}
  %g = mirage_thread.convert_layout %f : (tensor<16x8xf32, #c>) -> tensor<16x8xf32>
  return
}

// -----

#warp = #mirage_thread.layout<register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]>
#group = #mirage_thread.layout<register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 1], [0, 2]]>
func.func @convert_layout_c2(%f: tensor<32x4xf32, #warp>) {
  // expected-error @below {{expects fragments of as many warps, got 1 and 4}}
  %g = mirage_thread.convert_layout %f : (tensor<32x4xf32, #warp>) -> tensor<32x4xf32, #group>
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @shuffle_c1(%f: tensor<16x8xf32, #c>) {
  // expected-error @below {{expects coordinates within a fragment with sizes that are powers of two, got [0, 8] for [16, 8]}}
  %g = mirage_thread.shuffle %f xor [0, 8] : (tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c>
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @shuffle_c1_rank(%f: tensor<16x8xf32, #c>) {
  // expected-error @below {{expects a coordinate for each of 2 dimensions, got [4]}}
  %g = mirage_thread.shuffle %f xor [4] : (tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c>
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#d = #mirage_thread.layout<register = [[8, 0], [0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @shuffle_c2(%f: tensor<16x8xf32, #c>) {
  // expected-error @below {{expects operand and result of one type, got }}
  %g = mirage_thread.shuffle %f xor [0, 4] : (tensor<16x8xf32, #c>) -> tensor<16x8xf32, #d>
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @shuffle_c3(%f: tensor<16x8xf32, #c>) {
  // expected-error @below {{expects coordinates that lane bits stand for, got [8, 0]}}
  %g = mirage_thread.shuffle %f xor [8, 0] : (tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c>
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @cp_async_c1(%f: tensor<16x8xf32, #c>) {
  // expected-error @below {{expects a window, without a layout}}
  %g = mirage_thread.cp_async %f bytes 16 : (tensor<16x8xf32, #c>) -> tensor<16x8xf32>
  return
}

// -----

func.func @cp_async_c2(%w: tensor<16x8xf32>) {
  // expected-error @below {{expects copies of 4, 8 or 16 bytes, got 12}}
  %g = mirage_thread.cp_async %w bytes 12 : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return
}

// -----

func.func @cp_async_c2_rows(%w: tensor<16x7xf16>) {
  // expected-error @below {{expects rows of a multiple of 4 bytes, got 14}}
  %g = mirage_thread.cp_async %w bytes 4 : (tensor<16x7xf16>) -> tensor<16x7xf16>
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @tma_load_c1(%w: tensor<16x8xf32>) {
  // expected-error @below {{expects a window, without a layout}}
  %g = mirage_thread.tma_load %w : (tensor<16x8xf32>) -> tensor<16x8xf32, #c>
  return
}

// -----

func.func @tma_load_c2(%w: tensor<1x1x1x1x16x8xf32>) {
  // expected-error @below {{expects a box of rank 1 to 5, got 6}}
  %g = mirage_thread.tma_load %w : (tensor<1x1x1x1x16x8xf32>) -> tensor<1x1x1x1x16x8xf32>
  return
}

// -----

func.func @tma_store_c2(%w: tensor<512x8xf32>) {
  // expected-error @below {{expects a box with sizes of at most 256, got [512, 8]}}
  %g = mirage_thread.tma_store %w : (tensor<512x8xf32>) -> tensor<512x8xf32>
  return
}

// -----

func.func @tma_load_c3(%w: tensor<16x12xf16>) {
  // expected-error @below {{expects rows of a multiple of 16 bytes, got 24}}
  %g = mirage_thread.tma_load %w : (tensor<16x12xf16>) -> tensor<16x12xf16>
  return
}

// -----

func.func @tma_load_c4(%w: tensor<16x64xf16>) {
  // expected-error @below {{expects a swizzle of 32, 64 or 128 bytes, got 48}}
  %g = mirage_thread.tma_load %w swizzle 48 : (tensor<16x64xf16>) -> tensor<16x64xf16>
  return
}

// -----

func.func @tma_load_c4_rows(%w: tensor<16x64xf16>) {
  // expected-error @below {{expects rows of at most 64 bytes, which the swizzle has, got 128}}
  %g = mirage_thread.tma_load %w swizzle 64 : (tensor<16x64xf16>) -> tensor<16x64xf16>
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @ldmatrix_c4(%w: tensor<16x16xf16>) {
  // expected-error @below {{expects a result of shape [16, 16], got [16, 8]}}
  %f = mirage_thread.ldmatrix %w : (tensor<16x16xf16>) -> tensor<16x8xf16, #c>
  return
}

// -----

#c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @convert_layout_c3(%f: tensor<16x8xf16, #c>) {
  // expected-error @below {{expects a result of its operand's element type, f16, got f32; a cast rounds}}
  %g = mirage_thread.convert_layout %f : (tensor<16x8xf16, #c>) -> tensor<16x8xf32, #c>
  return
}

// -----

func.func @cp_async_c3(%w: tensor<8x64xf16>) {
  // expected-error @below {{expects a result of shape [8, 64], got [64, 8]}}
  %s = mirage_thread.cp_async %w bytes 16 : (tensor<8x64xf16>) -> tensor<64x8xf16>
  return
}

// -----

func.func @tma_load_c5(%w: tensor<8x64xf16>) {
  // expected-error @below {{expects a result of its operand's element type, f16, got f32; a cast rounds}}
  %s = mirage_thread.tma_load %w : (tensor<8x64xf16>) -> tensor<8x64xf32>
  return
}

// -----

func.func @tma_store_c5(%w: tensor<8x64xf16>) {
  // expected-error @below {{expects a result of shape [8, 64], got [8, 32]}}
  %s = mirage_thread.tma_store %w : (tensor<8x64xf16>) -> tensor<8x32xf16>
  return
}

// -----

func.func @clip_c1(%tile: memref<?x64xf16>, %n: index) {
  // expected-error @below {{expects a tile of static shape, got 'memref<?x64xf16>'}}
  %0 = mirage_thread.clip %tile dims [1] to [%n] multiples [1] : memref<?x64xf16>
  return
}

// -----

func.func @clip_c2_order(%tile: memref<16x64xf16>, %n: index) {
  // expected-error @below {{expects dimensions of 'memref<16x64xf16>' that increase, got [1, 0]}}
  %0 = mirage_thread.clip %tile dims [1, 0] to [%n, %n] multiples [1, 1] : memref<16x64xf16>
  return
}

// -----

func.func @clip_c2_rank(%tile: memref<16x64xf16>, %n: index) {
  // expected-error @below {{expects dimensions of 'memref<16x64xf16>' that increase, got [2]}}
  %0 = mirage_thread.clip %tile dims [2] to [%n] multiples [1] : memref<16x64xf16>
  return
}

// -----

func.func @clip_c2_counts(%tile: memref<16x64xf16>, %n: index) {
  // expected-error @below {{expects a size and a number for each of 1 dimensions, got 1 and 2}}
  %0 = mirage_thread.clip %tile dims [1] to [%n] multiples [1, 2] : memref<16x64xf16>
  return
}

// -----

func.func @clip_c3(%tile: memref<16x64xf16>, %n: index) {
  // expected-error @below {{expects a divisor of 64, the size of dimension 1, got 0}}
  %0 = mirage_thread.clip %tile dims [1] to [%n] multiples [0] : memref<16x64xf16>
  return
}

// -----

func.func @clip_c3_divides(%tile: memref<16x4xf16>, %n: index) {
  // expected-error @below {{expects a divisor of 4, the size of dimension 1, got 8}}
  %0 = mirage_thread.clip %tile dims [1] to [%n] multiples [8] : memref<16x4xf16>
  return
}
