// The toolkit is not looked at: neither libdevice nor ptxas is needed.
// RUN: env -u CUDA_HOME -u CUDA_PATH mirage-opt %s --mirage-lower-to-nvvm --mirage-emit-ptx="ptxas=never" | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: mirage-opt %s --mirage-lower-to-nvvm --mirage-emit-ptx="ptxas=never target=sm_80" | FileCheck %s --check-prefixes=CHECK,SM80

// CHECK-LABEL: gpu.binary @kernels
// SM90-SAME:     chip = "sm_90a", features = "+ptx86"
// SM80-SAME:     chip = "sm_80", features = "+ptx81"
// SM90-SAME:     .target sm_90a
// SM80-SAME:     .target sm_80
// CHECK-SAME:    .extern .shared .align 16 .b8 smem[]
// CHECK-SAME:    .visible .entry exp_reversed(
// CHECK-SAME:    .maxntid 128
// CHECK-SAME:    st.shared
// CHECK-SAME:    bar.sync
// CHECK-SAME:    ex2.approx
// CHECK-NOT:   __nv_
gpu.module @kernels {
  llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>

  // y[i] = exp(x[127 - i]), by way of shared memory.
  llvm.func @exp_reversed(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>)
      attributes {gpu.kernel, nvvm.kernel, nvvm.maxntid = array<i32: 128, 1, 1>} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %last = llvm.mlir.constant(127 : i32) : i32
    %mirror = llvm.sub %last, %tid : i32
    %from = llvm.getelementptr %x[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %value = llvm.load %from : !llvm.ptr<1> -> f32
    %shared = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %slot = llvm.getelementptr %shared[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.store %value, %slot : f32, !llvm.ptr<3>
    gpu.barrier
    %other = llvm.getelementptr %shared[%mirror] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %read = llvm.load %other : !llvm.ptr<3> -> f32
    %result = math.exp %read : f32
    %to = llvm.getelementptr %y[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %result, %to : f32, !llvm.ptr<1>
    llvm.return
  }
}
