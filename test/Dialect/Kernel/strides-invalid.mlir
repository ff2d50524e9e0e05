// RUN: mirage-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expects no attribute 'mirage_kernel.stride' at argument 0; mirage_kernel has 'mirage_kernel.strides'}}
func.func private @unknown(tensor<4x6xf16> {mirage_kernel.stride = 4 : i64})

// -----

// expected-error @below {{expects 'mirage_kernel.strides' to be array<i64: ...> at a tensor of rank 1 or more and static shape, got [6, 1] at argument 1 of type 'tensor<4x6xf16>'}}
func.func private @c1(tensor<4xf16>, tensor<4x6xf16> {mirage_kernel.strides = [6, 1]})

// -----

// expected-error @below {{expects 'mirage_kernel.strides' to be array<i64: ...> at a tensor of rank 1 or more and static shape, got array<i64: 6, 1> at argument 0 of type 'tensor<?x6xf16>'}}
func.func private @c1_dynamic(tensor<?x6xf16> {mirage_kernel.strides = array<i64: 6, 1>})

// -----

// expected-error @below {{expects 'mirage_kernel.strides' to be array<i64: ...> at a tensor of rank 1 or more and static shape, got array<i64: 1> at argument 0 of type 'i32'}}
func.func private @c1_type(i32 {mirage_kernel.strides = array<i64: 1>})

// -----

// expected-error @below {{'mirage_kernel.strides' at argument 0: expects a stride for each of 2 dimensions, got 1}}
func.func private @c1_rank(tensor<4x6xf16> {mirage_kernel.strides = array<i64: 6>})

// -----

// expected-error @below {{'mirage_kernel.strides' at argument 0: expects a stride of at least 0 along dimension 1, got -1}}
func.func private @c2(tensor<4x6xf16> {mirage_kernel.strides = array<i64: 6, -1>})

// -----

// expected-error @below {{'mirage_kernel.strides' at argument 0: expects elements within 2^50 of the first one, got strides [4611686018427387904, 1]}}
func.func private @c2_far(tensor<4x6xf16> {mirage_kernel.strides = array<i64: 4611686018427387904, 1>})

// -----

// expected-error @below {{'mirage_kernel.strides' at result 1: expects a stride of at least 6 along dimension 0 of what is written, so that no two elements share a place, got 5}}
func.func private @c3() -> (tensor<4xf16>, tensor<4x6xf16> {mirage_kernel.strides = array<i64: 5, 1>})

// -----

// expected-error @below {{'mirage_kernel.strides' at result 0: expects a stride of at least 1 along dimension 0 of what is written, so that no two elements share a place, got 0}}
func.func private @c3_repeated() -> (tensor<4x6xf16> {mirage_kernel.strides = array<i64: 0, 1>})
