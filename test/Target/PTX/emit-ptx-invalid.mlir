// RUN: mirage-opt %s --mirage-lower-to-nvvm --mirage-emit-ptx="ptxas=never" --split-input-file --verify-diagnostics

// A call that nothing answers would fail only when the module is loaded.
// expected-error @below {{expects every function that a kernel calls to be in its gpu.module, found none for '__nv_sinf'}}
gpu.module @library_call {
  llvm.func @__nv_sinf(f32) -> f32
  llvm.func @kernel(%x: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %value = llvm.load %x : !llvm.ptr<1> -> f32
    %sine = llvm.call @__nv_sinf(%value) : (f32) -> f32
    llvm.store %sine, %x : f32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

gpu.module @unsupported_math {
  llvm.func @kernel(%x: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %value = llvm.load %x : !llvm.ptr<1> -> f32
    // expected-error @below {{expects a math function on f16, bf16 or f32 that is computed without libdevice, got 'math.sin' on 'f32'}}
    %sine = math.sin %value : f32
    llvm.store %sine, %x : f32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// expected-error-re @below {{expects one of the targets sm_80, {{.*}}, got 'sm_75'}}
gpu.module @old_chip [#nvvm.target<chip = "sm_75">] {
}

// -----

// LLVM's back end aborts on these.
// expected-error @below {{expects names that PTX takes (letters, digits, _ and $), got 'main.1'}}
gpu.module @name {
  llvm.func @"main.1"(%x: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    llvm.return
  }
}

// -----

// expected-error @below {{expects address spaces of PTX (0, 1, 3, 4, 5, 7 or 101), got '!llvm.ptr<33>' in 'llvm.mlir.global'}}
gpu.module @global_space {
  llvm.mlir.global external @memory() {addr_space = 33 : i32} : !llvm.array<4 x i8>
}

// -----

// expected-error @below {{expects address spaces of PTX (0, 1, 3, 4, 5, 7 or 101), got '!llvm.ptr<9>' in 'llvm.func'}}
gpu.module @pointer_space {
  llvm.func @kernel(%x: !llvm.ptr<9>) attributes {gpu.kernel, nvvm.kernel} {
    llvm.return
  }
}
