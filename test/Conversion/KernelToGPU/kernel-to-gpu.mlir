// RUN: mirage-opt %s --mirage-assign-default-blocks=stages=1 --mirage-schedule-block --mirage-plan-shared-memory --mirage-plan-device-memory --convert-mirage-kernel-to-gpu | FileCheck %s

// Two kernels; what lies between them is in the workspace. A row of 130 halves
// allows accesses of 4 bytes, and 64 whole rows, which are one run, of 16.
// CHECK:       gpu.module @exp_matmul_kernels
// CHECK:         llvm.mlir.global external @smem() {addr_space = 3 : i32
// CHECK:         gpu.func @exp_matmul_0(%{{.+}}: memref<7x1000xf16>, %[[W:.+]]: memref<1000x130xf16>, %{{.+}}: memref<7x130xf32>) kernel
// CHECK-SAME:      known_block_size
// CHECK:           scf.for
// CHECK:             %[[ROWS:.+]] = memref.reinterpret_cast %[[W]] to offset: [0], sizes: [130000]
// CHECK:             vector.load %[[ROWS]][{{.+}}] {alignment = 16 : i64} : memref<130000xf16, {{.+}}>, vector<8xf16>
// CHECK:             gpu.barrier
// CHECK:             math.fma
// CHECK:         gpu.func @exp_matmul_1(
// CHECK:           math.exp
// CHECK-LABEL: func.func @exp_matmul(
// CHECK-SAME:    %[[A:.+]]: memref<7x1000xf16> {mirage.role = "input"}
// CHECK-SAME:    %[[B:.+]]: memref<1000x130xf16> {mirage.role = "input"}
// CHECK-SAME:    %[[C:.+]]: memref<7x130xf16> {mirage.role = "output"}
// CHECK-SAME:    %[[SPACE:.+]]: memref<3840xi8> {mirage.role = "workspace"}
// CHECK:         %[[PART:.+]] = memref.view %[[SPACE]]
// CHECK:         gpu.launch_func @exp_matmul_kernels::@exp_matmul_0 {{.*}} args(%[[A]] : memref<7x1000xf16>, %[[B]] : memref<1000x130xf16>, %[[PART]] : memref<7x130xf32>)
// CHECK-SAME:      mirage.launch = {arguments = [{index = 0 : i64, offset_bytes = 0 : i64, role = "input"}, {index = 1 : i64, offset_bytes = 0 : i64, role = "input"}, {index = 0 : i64, offset_bytes = 0 : i64, role = "workspace"}]
// CHECK:         gpu.launch_func @exp_matmul_kernels::@exp_matmul_1
// CHECK-SAME:      role = "workspace"{{.*}}role = "output"
func.func @exp_matmul(%x: tensor<7x1000xf16>, %w: tensor<1000x130xf16>) -> tensor<7x130xf16> {
  %e = tensor.empty() : tensor<7x130xf16>
  %r = mirage_kernel.graph ins(%x, %w : tensor<7x1000xf16>, tensor<1000x130xf16>)
      outs(%e : tensor<7x130xf16>) {
  ^bb0(%a: tensor<7x1000xf16>, %b: tensor<1000x130xf16>):
    %0 = mirage_kernel.matmul %a, %b : (tensor<7x1000xf16>, tensor<1000x130xf16>) -> tensor<7x130xf32>
    %1 = mirage_kernel.exp %0 : (tensor<7x130xf32>) -> tensor<7x130xf16>
    mirage_kernel.yield %1 : tensor<7x130xf16>
  } : tensor<7x130xf16>
  return %r : tensor<7x130xf16>
}
