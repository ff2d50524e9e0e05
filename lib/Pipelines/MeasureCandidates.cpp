//===- MeasureCandidates.cpp - Candidates race on the GPU -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MeasureCandidates.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Graph/TemporaryFolder.h"
#include "Mirage/Runtime/ArtifactRace.h"
#include "Mirage/Runtime/CudaDevice.h"
#include "Mirage/Transforms/CandidateEvaluator.h"
#include "WriteBundle.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <mutex>

using namespace mlir;
using namespace mlir::mirage;
namespace fs = llvm::sys::fs;

static constexpr StringLiteral kRunner = "mirage-run";

/// What starts as a worker: the mirage-run that is named, or the one beside the
/// running program or on the PATH.
static llvm::Expected<std::string> findWorker(StringRef measure) {
  if (measure != "true") {
    if (fs::can_execute(measure))
      return measure.str();
    return llvm::createStringError(
        "expects measure to be false, true or the path of mirage-run, got '" +
        measure + "'");
  }
  std::string program = fs::getMainExecutable(nullptr, nullptr);
  llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(
      kRunner, {llvm::sys::path::parent_path(program)});
  if (!found)
    found = llvm::sys::findProgramByName(kRunner);
  if (found)
    return *found;
  return llvm::createStringError(
      "expects mirage-run beside " + program +
      " or on the PATH to measure candidates with, got none");
}

namespace {
/// Compiles candidates into a bundle that is gone afterwards, and has them race
/// (Mirage/Runtime/ArtifactRace.h).
class RaceEvaluator : public CandidateEvaluator {
public:
  using CandidateEvaluator::CandidateEvaluator;

  llvm::Error check(const EvaluationOptions &options) const final;
  llvm::Expected<std::vector<MeasuredTime>>
  measure(ModuleOp candidates, const EvaluationOptions &options,
          RunPipeline run,
          const std::function<bool()> &isCancelled) const final;
};

struct PrepareMeasuringPass
    : public PassWrapper<PrepareMeasuringPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrepareMeasuringPass)

  StringRef getArgument() const override { return "mirage-prepare-measuring"; }
  StringRef getDescription() const override {
    return "Loads the dialects of the passes that compile the candidates of a "
           "search that measures them";
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    addBackEndDialects(registry);
  }

  void runOnOperation() override { markAllAnalysesPreserved(); }
};
} // namespace

llvm::Error RaceEvaluator::check(const EvaluationOptions &options) const {
  DialectRegistry needed;
  PrepareMeasuringPass().getDependentDialects(needed);
  for (StringRef name : needed.getDialectNames())
    if (!getDialect()->getContext()->getLoadedDialect(name))
      return llvm::createStringError(
          "expects mirage-prepare-measuring before the search");
  if (llvm::Error error = findWorker(options.measure).takeError())
    return error;
  return CudaDevice::open(options.gpu).takeError();
}

llvm::Expected<std::vector<MeasuredTime>>
RaceEvaluator::measure(ModuleOp candidates, const EvaluationOptions &options,
                       RunPipeline run,
                       const std::function<bool()> &isCancelled) const {
  llvm::Expected<std::string> worker = findWorker(options.measure);
  if (!worker)
    return worker.takeError();
  llvm::Expected<TemporaryFolder> folder =
      TemporaryFolder::make("mirage-bundle");
  if (!folder)
    return folder.takeError();
  CompileOptions compiling;
  compiling.bundle = folder->getFile("bundle");
  compiling.search.target = options.target;
  compiling.search.libraryKernels = options.libraryKernels;
  compiling.search.stages = options.stages;
  OpPassManager passes(ModuleOp::getOperationName());
  passes.addPass(createWriteBundlePass(compiling));
  if (failed(run(passes, candidates)))
    return llvm::createStringError("they cannot be compiled");
  RaceOptions racing;
  racing.path = compiling.bundle.getValue();
  racing.measurer.worker = *worker;
  racing.measurer.ordinal = options.gpu;
  racing.measurer.threads = options.threads;
  racing.measurer.isCancelled = isCancelled;
  // One race at a time in a process.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  llvm::Expected<RaceResult> result = runRace(racing);
  if (!result)
    return result.takeError();
  return std::move(result->times);
}

void mlir::mirage::registerCandidateEvaluator(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *, kernel::MirageKernelDialect *dialect) {
        dialect->addInterfaces<RaceEvaluator>();
      });
}

std::unique_ptr<Pass> mlir::mirage::createPrepareMeasuringPass() {
  return std::make_unique<PrepareMeasuringPass>();
}

void mlir::mirage::registerPrepareMeasuringPass() {
  PassRegistration<PrepareMeasuringPass>();
}
