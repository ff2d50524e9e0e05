//===- Pipelines.cpp - Which passes, in which order -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Pipelines/Pipelines.h"
#include "CompileInPlace.h"
#include "Explain.h"
#include "MeasureCandidates.h"
#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Conversion/Passes.h"
#include "Mirage/Options/CheckedPass.h"
#include "Mirage/Planning/MulticastCluster.h"
#include "Mirage/Target/PTX/Passes.h"
#include "Mirage/Target/PTX/Ptxas.h"
#include "Mirage/Transforms/Passes.h"
#include "NativeTarget.h"
#include "Stretch.h"
#include "WriteBundle.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace mlir::mirage;

void mlir::mirage::buildImportPipeline(OpPassManager &passManager) {
  passManager.addPass(createConvertLinalgToMirageKernelPass());
}

void mlir::mirage::buildProgramImportPipeline(OpPassManager &passManager) {
  buildImportPipeline(passManager);
  passManager.addPass(createExpandScalarsPass());
}

/// What comes in, as the artifact is to say that it was asked for.
static void addRecord(OpPassManager &passManager) {
  passManager.addPass(createExpandScalarsPass());
  passManager.addPass(createRecordProgramPass());
}

void mlir::mirage::addSearch(OpPassManager &passManager,
                             const SuperoptimizeOptions &options) {
  passManager.addPass(createExpandComposedPass());
  if (options.search.measures())
    passManager.addPass(createPrepareMeasuringPass());
  passManager.addPass(createSearchGraphPass(options.search));
}

void mlir::mirage::setF32Products(OpPassManager &passManager,
                                  const SuperoptimizeOptions &options) {
  if (options.search.f32Products.empty())
    return;
  SetF32ProductsPassOptions pass;
  pass.f32Products = options.search.f32Products;
  passManager.addPass(createSetF32ProductsPass(pass));
}

static bool isNative(const SuperoptimizeOptions &options) {
  return options.search.target.getValue() == kNativeTarget;
}

void mlir::mirage::askForTarget(OpPassManager &passManager,
                                SuperoptimizeOptions &options) {
  if (!isNative(options))
    return;
  passManager.addPass(createNativeTargetPass(options.search.gpu));
  options.search.target = std::string();
}

/// A module has the attribute that says which GPU was found.
static LogicalResult
checkNative(const OpPassManager &passManager,
            const SuperoptimizeOptions &options,
            function_ref<LogicalResult(const Twine &)> onError) {
  StringRef anchor = passManager.getOpAnchorName();
  if (!isNative(options) || anchor == ModuleOp::getOperationName() ||
      anchor == OpPassManager::getAnyOpAnchorName())
    return success();
  return onError("expects a module where there is target=native, got " +
                 anchor);
}

LogicalResult mlir::mirage::buildSuperoptimizePipeline(
    OpPassManager &passManager, const SuperoptimizeOptions &given,
    function_ref<LogicalResult(const Twine &)> onError) {
  SuperoptimizeOptions options;
  options.copyOptionValuesFrom(given);
  if (failed(checkNative(passManager, options, onError)))
    return failure();
  askForTarget(passManager, options);
  buildImportPipeline(passManager);
  addSearch(passManager, options);
  return success();
}

//===----------------------------------------------------------------------===//
// Compile
//===----------------------------------------------------------------------===//

void mlir::mirage::addPlanning(OpPassManager &passManager,
                               const CompileOptions &options,
                               bool usesCopyEngine) {
  AssignDefaultBlocksPassOptions blocks;
  blocks.target = options.search.target;
  blocks.stages = options.search.stages;
  blocks.libraryKernels = options.search.libraryKernels;
  LoadAsStoredPassOptions load;
  load.target = options.search.target;
  SpreadBlocksPassOptions spread;
  spread.target = options.search.target;
  PredictTimesPassOptions predict;
  predict.target = options.search.target;
  HoldInRegistersPassOptions hold;
  hold.target = options.search.target;
  PlanSharedMemoryPassOptions plan;
  plan.target = options.search.target;
  plan.usesCopyEngine = usesCopyEngine;
  FormWarpgroupsPassOptions warpgroups;
  warpgroups.target = options.search.target;
  MergeLaunchesPassOptions merge;
  merge.target = options.search.target;
  merge.mergesLaunches = options.mergesLaunches;
  AddLoadingWarpsPassOptions loading;
  loading.target = options.search.target;
  MakeBlocksPersistentPassOptions persistent;
  persistent.target = options.search.target;
  OverlapLaunchesPassOptions overlap;
  overlap.target = options.search.target;
  overlap.overlapsLaunches = options.overlapsLaunches;
  MulticastBoxesPassOptions multicast;
  multicast.target = options.search.target;
  multicast.multicast = options.multicast;
  passManager.addPass(createExpandComposedPass());
  passManager.addPass(createMaterializeResultsPass());
  passManager.addPass(createSplitGridJoinsPass());
  passManager.addPass(createSpreadBlocksPass(spread));
  passManager.addPass(createJoinPartsAtOncePass());
  passManager.addPass(createSplitGridSumsPass());
  passManager.addPass(createMaterializeViewsPass());
  passManager.addPass(createAssignDefaultBlocksPass(blocks));
  passManager.addPass(createJoinTileRowsPass());
  passManager.addPass(createLoadAsStoredPass(load));
  passManager.addPass(createPredictTimesPass(predict));
  passManager.addPass(createSplitAccumulationsPass());
  passManager.addPass(createGiveRowsToWarpsPass());
  passManager.addPass(createConvertBlockToThreadPass());
  passManager.addPass(createKeepRunningMaximaPass());
  passManager.addPass(createHoldInRegistersPass(hold));
  passManager.addPass(createBypassSharedMemoryPass());
  passManager.addPass(createScaleRunningSumsPass());
  passManager.addPass(createScheduleBlockPass());
  passManager.addPass(createPlanSharedMemoryPass(plan));
  passManager.addPass(createFormWarpgroupsPass(warpgroups));
  passManager.addPass(createStartProductsAheadPass());
  passManager.addPass(createMergeLaunchesPass(merge));
  passManager.addPass(createAddLoadingWarpsPass(loading));
  passManager.addPass(createMakeBlocksPersistentPass(persistent));
  passManager.addPass(createOrderGridPass());
  passManager.addPass(createMulticastBoxesPass(multicast));
  passManager.addPass(createEndLoopsEarlyPass());
  passManager.addPass(createOverlapLaunchesPass(overlap));
  passManager.addPass(createPlanDeviceMemoryPass());
}

static void addOptimize(OpPassManager &passManager,
                        const CompileOptions &options) {
  // For those that come in here: a program recorded earlier stays.
  addRecord(passManager);
  passManager.addPass(createNameOperationsPass());
  addPlanning(passManager, options, /*usesCopyEngine=*/true);
}

void mlir::mirage::addLowering(OpPassManager &passManager, StringRef target) {
  ConvertKernelToGPUPassOptions convert;
  convert.target = target.str();
  passManager.addPass(createConvertKernelToGPUPass(convert));
  passManager.addPass(createReadAnewPass());
  passManager.addPass(createConvertThreadToVectorPass());
}

static void addLower(OpPassManager &passManager,
                     const CompileOptions &options) {
  addLowering(passManager, options.search.target.getValue());
}

void mlir::mirage::addEmit(OpPassManager &passManager,
                           const CompileOptions &options) {
  LowerToNVVMOptions lower;
  lower.target = options.search.target;
  buildLowerToNVVMPipeline(passManager.nest<gpu::GPUModuleOp>(), lower);
  EmitPTXPassOptions emit;
  emit.target = options.search.target;
  emit.artifact = options.artifact;
  emit.ptxas = options.ptxas;
  passManager.addPass(createEmitPTXPass(emit));
}

void mlir::mirage::addBackEnd(OpPassManager &passManager,
                              const CompileOptions &options) {
  addOptimize(passManager, options);
  addLower(passManager, options);
  addEmit(passManager, options);
}

void mlir::mirage::addBackEndDialects(DialectRegistry &registry) {
  OpPassManager backEnd(ModuleOp::getOperationName());
  addBackEnd(backEnd, CompileOptions());
  backEnd.getDependentDialects(registry);
}

/// The search and, where one is wanted, the bundle of its candidates.
static void addSearchAndBundle(OpPassManager &passManager,
                               const CompileOptions &options) {
  addRecord(passManager);
  if (options.bundle.empty())
    return addSearch(passManager, options);
  CompileOptions keeping;
  keeping.copyOptionValuesFrom(options);
  keeping.search.keepCandidates = true;
  passManager.addPass(createCheckBundlePass(options));
  addSearch(passManager, keeping);
  passManager.addPass(createWriteBundlePass(options));
}

namespace {
/// A stretch of the way that `from=` and `to=` can name.
struct CompilePhase {
  StringRef name;
  /// What it begins with: one of these; anything if there are none.
  ArrayRef<StringLiteral> inputs;
  void (*add)(OpPassManager &, const CompileOptions &);
};
} // namespace

// A function may just return its arguments; what else it holds is for the pass
// that records the program to refuse.
static constexpr StringLiteral kFunctions[] = {"func.func"};
static constexpr StringLiteral kKernelGraphs[] = {"mirage_kernel.graph"};
static constexpr StringLiteral kKernels[] = {"gpu.module", "gpu.binary"};

static const CompilePhase kPhases[] = {
    {"import",
     {},
     [](OpPassManager &passManager, const CompileOptions &options) {
       buildImportPipeline(passManager);
       setF32Products(passManager, options);
     }},
    {"search", kFunctions, addSearchAndBundle},
    {"optimize", kFunctions, addOptimize},
    {"lower", kKernelGraphs, addLower},
    {"emit", kKernels, addEmit},
};

/// Whoever names a phase, or wants an artifact, is owed one; a module that
/// happens to have nothing for us is no mistake.
static void addExpectation(OpPassManager &passManager,
                           const CompilePhase &phase,
                           const CompileOptions &options) {
  ExpectOpsPassOptions expect;
  expect.phase = phase.name.str();
  for (StringRef op : phase.inputs)
    expect.ops.push_back(op.str());
  expect.isRequired =
      options.from.getValue() == phase.name || !options.artifact.empty();
  passManager.addPass(createExpectOpsPass(expect));
}

static const CompilePhase *findPhase(StringRef name) {
  return llvm::find_if(
      kPhases, [&](const CompilePhase &phase) { return phase.name == name; });
}

LogicalResult
mlir::mirage::checkTarget(const OpPassManager &passManager,
                          const CompileOptions &options,
                          function_ref<LogicalResult(const Twine &)> onError) {
  if (failed(checkNative(passManager, options, onError)))
    return failure();
  if (!options.search.target.empty() && !isNative(options))
    if (auto problem = explainUnknownTarget(options.search.target))
      return onError(*problem);
  if (llvm::Error error =
          parseMulticast(options.multicast, kMaxClusterBlocks).takeError())
    return onError(llvm::toString(std::move(error)));
  llvm::Expected<PtxasChoice> assembler = choosePtxas(options.ptxas);
  return assembler ? success() : onError(llvm::toString(assembler.takeError()));
}

LogicalResult mlir::mirage::buildCompilePipeline(
    OpPassManager &passManager, const CompileOptions &given,
    function_ref<LogicalResult(const Twine &)> onError) {
  CompileOptions options;
  options.copyOptionValuesFrom(given);
  if (failed(checkTarget(passManager, options, onError)))
    return failure();
  FailureOr<ArrayRef<CompilePhase>> stretch =
      findStretch(ArrayRef(kPhases), options.from.getValue(),
                  options.to.getValue(), onError);
  if (failed(stretch) || failed(checkUnusedSearch(*stretch, options, onError)))
    return failure();
  const CompilePhase *first = stretch->begin(), *last = &stretch->back();
  if (!options.artifact.empty() && last->name != "emit")
    return onError("expects to=emit where an artifact is to be written, got "
                   "to=" +
                   options.to.getValue());
  const CompilePhase *search = findPhase("search");
  if (!options.bundle.empty() && (first > search || last < search))
    return onError("expects the search between from= and to= where a bundle is "
                   "to be written, got from=" +
                   options.from.getValue() + " to=" + options.to.getValue());
  llvm::Expected<ExplainChoice> explanation =
      chooseExplanation(options.explain);
  if (!explanation)
    return onError(llvm::toString(explanation.takeError()));
  const CompilePhase *optimize = findPhase("optimize"),
                     *lower = findPhase("lower");
  if (explanation->isWanted && (first > lower || last < optimize))
    return onError("expects from= up to lower and to= from optimize on where "
                   "kernels are to be explained, got from=" +
                   options.from.getValue() + " to=" + options.to.getValue());
  askForTarget(passManager, options);
  if (first->name != "import") // which does it for what it makes
    setF32Products(passManager, options);
  bool isChecked = false;
  for (const CompilePhase &phase : *stretch) {
    if (!isChecked && !phase.inputs.empty()) {
      addExpectation(passManager, phase, options);
      isChecked = true;
    }
    // Kernels are explained once they are planned.
    if (explanation->isWanted && &phase == lower)
      passManager.addPass(createExplainPass(options));
    phase.add(passManager, options);
  }
  if (explanation->isWanted && last == optimize)
    passManager.addPass(createExplainPass(options));
  return success();
}

void mlir::mirage::registerPipelines() {
  registerNativeTargetPass();
  registerCheckBundlePass();
  registerExplainPass();
  registerPrepareMeasuringPass();
  registerWriteBundlePass();
  registerCheckedPipeline<SuperoptimizeOptions>(
      "mirage-superoptimize",
      "Imports tensor programs and replaces each by the cheapest equal µGraph "
      "found",
      buildSuperoptimizePipeline);
  registerCheckedPipeline<CompileOptions>(
      "mirage-compile",
      "Superoptimizes, lowers and emits tensor programs, down to an artifact",
      buildCompilePipeline);
  registerCheckedPipeline<CompileInPlaceOptions>(
      "mirage-compile-in-place",
      "Superoptimizes tensor programs in the midst of other ops, down to "
      "launches on memrefs and a gpu.binary",
      buildCompileInPlacePipeline);
}
