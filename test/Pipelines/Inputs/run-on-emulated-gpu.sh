#!/bin/sh
# Runs @main of a module of launches and gpu.binaries on the host, with kernels on the
# emulator, by upstream's tools alone.
#   run-on-emulated-gpu.sh MODULE BUILD-FOLDER LLVM-LIBRARIES MLIR-OPT MLIR-RUNNER [PASSES...]
# PASSES: of stock mlir-opt, before the lowering to LLVM.
set -e
module=$1; build=$2; libraries=$3; opt=$4; runner=$5
shift 5
lower='builtin.module(convert-bufferization-to-memref,convert-linalg-to-loops,lower-affine,convert-scf-to-cf,expand-strided-metadata,lower-affine,convert-math-to-llvm,convert-arith-to-llvm,convert-index-to-llvm,finalize-memref-to-llvm{use-generic-functions=true},gpu-to-llvm{use-bare-pointers-for-kernels=true},convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts)'
"$opt" "$module" "$@" | "$opt" --pass-pipeline="$lower" | "$runner" -e main --entry-point-result=void \
  --shared-libs="$build/test/EmulatedGPU/libMirageEmulatedGPU.so,$libraries/libmlir_runner_utils.so,$libraries/libmlir_c_runner_utils.so,$libraries/libmlir_float16_utils.so"
