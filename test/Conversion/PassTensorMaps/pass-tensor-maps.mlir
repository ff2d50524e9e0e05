// RUN: mirage-opt %s --mirage-pass-tensor-maps --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: llvm.func @kernel(
// CHECK-SAME:    %{{[^:]+}}: !llvm.ptr,
// CHECK-SAME:    %{{[^:]+}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// CHECK-NOT:     mirage.tensor_map_parameters
gpu.module @kernels {
  llvm.func @kernel(%tensor: !llvm.ptr, %map: !llvm.ptr) attributes {gpu.kernel, mirage.tensor_map_parameters = array<i32: 1>, nvvm.kernel} {
    llvm.return
  }
}

// -----

// CHECK-LABEL: llvm.func @without(
// CHECK-NOT:     byval
gpu.module @kernels {
  llvm.func @without(%tensor: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    llvm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{expects numbers of parameters that are pointers as 'mirage.tensor_map_parameters', got array<i32: 1>}}
  llvm.func @number(%tensor: !llvm.ptr, %size: i32) attributes {mirage.tensor_map_parameters = array<i32: 1>, nvvm.kernel} {
    llvm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{expects numbers of parameters that are pointers as 'mirage.tensor_map_parameters', got array<i32: 2>}}
  llvm.func @beyond(%tensor: !llvm.ptr) attributes {mirage.tensor_map_parameters = array<i32: 2>, nvvm.kernel} {
    llvm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{expects numbers of parameters that are pointers as 'mirage.tensor_map_parameters', got 1 : i64}}
  llvm.func @other(%tensor: !llvm.ptr) attributes {mirage.tensor_map_parameters = 1 : i64, nvvm.kernel} {
    llvm.return
  }
}
