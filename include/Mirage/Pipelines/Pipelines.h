//===- Pipelines.h - Which passes, in which order ---------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_PIPELINES_PIPELINES_H
#define MIRAGE_PIPELINES_PIPELINES_H

#include "Mirage/Options/CheckedPass.h"
#include "Mirage/Transforms/SearchGraphFlags.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::mirage {

/// Options of `--mirage-superoptimize`: those of the search.
struct SuperoptimizeOptions
    : public CheckedPipelineOptions<SuperoptimizeOptions> {
  SearchPipelineFlags search{*this};
};

/// Options of `--mirage-compile`: those of the search, and
struct CompileOptions : public SuperoptimizeOptions {
  Option<TextOption> artifact{
      *this, "artifact",
      llvm::cl::desc("Folder to write PTX, cubin and manifest to; where there "
                     "are several functions, a folder in it for each"),
      llvm::cl::init("")};
  Option<TextOption> bundle{
      *this, "bundle",
      llvm::cl::desc(
          "Folder to write a bundle to: each candidate of the search "
          "as an artifact, and the program without a search, to be "
          "measured by mirage-run (docs/Runtime.md)"),
      llvm::cl::init("")};
  Option<TextOption> ptxas{
      *this, "ptxas",
      llvm::cl::desc(
          "What makes the cubin: auto (the ptxas that is found, if one is; a "
          "warning says so if it gives none), never, required (an error "
          "without one) or the path of one (required too)"),
      llvm::cl::init("auto")};
  Option<TextOption> explain{
      *this, "explain",
      llvm::cl::desc("Say of each kernel what was decided and what it is "
                     "expected to take (Mirage/Transforms/ExplainKernels.h): "
                     "true (text, to standard error), false, or a file that "
                     "ends in .json"),
      llvm::cl::init("false")};
  Option<TruthOption> mergesLaunches{
      *this, "merge-launches",
      llvm::cl::desc("Let kernels that join blocks run in the launch of those "
                     "they join, where that is predicted to take less; false: "
                     "each kernel has a launch of its own"),
      llvm::cl::init(true)};
  Option<TruthOption> overlapsLaunches{
      *this, "overlap-launches",
      llvm::cl::desc("Let a launch begin before the one before it has ended, "
                     "where the GPU can; false: one after the other"),
      llvm::cl::init(true)};
  Option<TextOption> multicast{
      *this, "multicast",
      llvm::cl::desc("Whether clusters of blocks load boxes together that they "
                     "have in common: never, auto (where that is predicted to "
                     "take less) or the number of blocks that a cluster has at "
                     "the most"),
      llvm::cl::init("never")};
  Option<TextOption> from{
      *this, "from",
      llvm::cl::desc(
          "First phase to run: import, search, optimize, lower, emit"),
      llvm::cl::init("import")};
  Option<TextOption> to{
      *this, "to",
      llvm::cl::desc(
          "Last phase to run: import, search, optimize, lower, emit"),
      llvm::cl::init("emit")};
};

/// From linalg on tensors to `mirage_kernel.graph`.
void buildImportPipeline(OpPassManager &passManager);
/// The same where functions are programs: their tensors of rank 0 become [1].
void buildProgramImportPipeline(OpPassManager &passManager);

/// Import, and the search: linalg or `mirage_kernel` in, µGraphs out. To be run
/// on a module, or nested on a function.
/// \returns what `onError` gives, after a call with a sentence, where there is
/// target=native and no module.
LogicalResult
buildSuperoptimizePipeline(OpPassManager &passManager,
                           const SuperoptimizeOptions &options,
                           function_ref<LogicalResult(const Twine &)> onError);

/// Everything, down to the artifact: import, search, optimize, lower, emit, or
/// the stretch of it from `options.from` to `options.to`. To be run on a
/// module.
/// \returns what `onError` gives, after a call with a sentence, where these
/// name no stretch.
LogicalResult
buildCompilePipeline(OpPassManager &passManager, const CompileOptions &options,
                     function_ref<LogicalResult(const Twine &)> onError);

/// Options of `--mirage-compile-in-place`: those of the search, and
struct CompileInPlaceOptions : public SuperoptimizeOptions {
  Option<TextOption> ptxas{
      *this, "ptxas",
      llvm::cl::desc("What makes the cubin: auto, never, required or the path "
                     "of one, as for --mirage-compile"),
      llvm::cl::init("auto")};
  Option<TruthOption> mergesLaunches{*this, "merge-launches",
                                     llvm::cl::desc("As for --mirage-compile"),
                                     llvm::cl::init(true)};
  Option<TextOption> from{
      *this, "from",
      llvm::cl::desc("First phase to run: import, search, bufferize, "
                     "deallocate, optimize, lower, emit"),
      llvm::cl::init("import")};
  Option<TextOption> to{
      *this, "to",
      llvm::cl::desc("Last phase to run: import, search, bufferize, "
                     "deallocate, optimize, lower, emit"),
      llvm::cl::init("emit")};
};

/// For tensor programs in the midst of ops that Mirage does not know, which go
/// on to whatever they go on to: these programs are superoptimized, and end as
/// launches on memrefs and a gpu.binary. All that is left is bufferized with
/// them, functions and their arguments too (identity layouts), and buffers are
/// freed. Who bufferizes by other means runs up to search, then those, then
/// from optimize on. To be run on a module.
/// \returns what `onError` gives, after a call with a sentence, where the
/// options name no stretch.
LogicalResult
buildCompileInPlacePipeline(OpPassManager &passManager,
                            const CompileInPlaceOptions &options,
                            function_ref<LogicalResult(const Twine &)> onError);

/// Makes `--mirage-superoptimize`, `--mirage-compile` and
/// `--mirage-compile-in-place` known.
void registerPipelines();

/// Options of `--mirage-lower-to-nvvm`.
struct LowerToNVVMOptions : public PassPipelineOptions<LowerToNVVMOptions> {
  Option<TextOption> target{
      *this, "target",
      llvm::cl::desc("GPU to make code for, such as sm_90a; without it the "
                     "module's #nvvm.target, or sm_90a"),
      llvm::cl::init("")};
};

/// Lowers gpu, nvgpu, vector, memref, scf, math and arith inside a gpu.module
/// to the LLVM and NVVM dialects. To be nested on gpu::GPUModuleOp. Known as
/// --mirage-lower-to-nvvm.
void buildLowerToNVVMPipeline(OpPassManager &passManager,
                              const LowerToNVVMOptions &options);
void registerLowerToNVVMPipeline();

} // namespace mlir::mirage

#endif // MIRAGE_PIPELINES_PIPELINES_H
