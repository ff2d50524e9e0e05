// REQUIRES: ptxas
// RUN: mirage-opt %s --mirage-lower-to-nvvm --mirage-emit-ptx="ptxas=required" | FileCheck %s

// CHECK-LABEL: gpu.binary @kernels
// CHECK-SAME:    assembly = "//{{.*}}.version 8.6
// CHECK-SAME:    bin = "\7FELF
gpu.module @kernels {
  llvm.func @zero(%x: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %zero = llvm.mlir.constant(0.0 : f32) : f32
    llvm.store %zero, %x : f32, !llvm.ptr<1>
    llvm.return
  }
}
