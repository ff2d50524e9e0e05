//===- GraphCheck.cpp - From a µGraph to numbers --------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphCheck.h"
#include "CheckPlans/CheckPlan.h"
#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Graph/GraphJSON.h"
#include "Mirage/Pipelines/Judge.h"
#include "Mirage/Pipelines/Pipelines.h"
#include "Mirage/Reference/OutputCheck.h"
#include "Mirage/Reference/RandomInputs.h"
#include "Mirage/Runtime/EmulatorRun.h"
#include "Mirage/Target/PTX/BuildArtifact.h"
#include "Mirage/Target/PTX/Ptxas.h"
#include "Mirage/Verify/VerdictJSON.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::mirage;
using namespace mlir::mirage::test;

OwningOpRef<ModuleOp> mlir::mirage::test::writeModule(MLIRContext &context,
                                                      const Graph &graph) {
  OpBuilder builder(&context);
  Location location = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, location);
  builder.setInsertionPointToStart(module->getBody());
  writeFunction(builder, location, graph, "graph");
  return module;
}

static VerifyOptions getVerifyOptions() {
  constexpr uint64_t kSeed = 1;
  constexpr unsigned kTries = 2;
  VerifyOptions options;
  options.seed = deriveSeed(Seed{}, "random graphs", kSeed);
  // Hundreds of graphs after a dozen passes each: less than a single proof is
  // worth, and every wrong pass is wrong in many.
  options.errorBoundBits = 20;
  options.minTowers = 2;
  options.maxTerms = size_t(1) << 16;
  options.maxWork = size_t(1) << 23;
  options.findWitness = makeWitnessFinder(kSeed, kTries);
  options.findWitnessAt = makeElementWitnessFinder(kSeed, kTries);
  return options;
}

/// Plays block graphs once they have a plan.
static void checkPlans(ModuleOp module, StringRef pass, CheckResult &result) {
  module.walk([&](block::GraphOp graph) {
    if (!graph->hasAttr(kSharedBytesAttr))
      return;
    llvm::Expected<PlanReport> report = checkPlan(graph);
    std::vector<std::string> findings;
    if (report)
      findings = std::move(report->findings);
    else
      findings = {llvm::toString(report.takeError())};
    for (const std::string &finding : findings)
      result.failures.push_back(
          ("after " + pass + ": shared memory: " + finding).str());
  });
}

namespace {
/// Collects what passes say, in the place of printing it.
class Diagnostics {
public:
  explicit Diagnostics(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            text += (text.empty() ? "" : "; ") + diagnostic.str();
          return success();
        }) {}

  std::string take() { return std::exchange(text, ""); }

private:
  std::string text;
  ScopedDiagnosticHandler handler;
};

/// Judges the module after each pass, as long as it is one of µGraphs.
class JudgeAfterPasses : public PassInstrumentation {
public:
  JudgeAfterPasses(const Graph &before, Diagnostics &diagnostics,
                   CheckResult &result)
      : before(before), options(getVerifyOptions()), diagnostics(diagnostics),
        result(result) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    auto module = dyn_cast<ModuleOp>(op);
    if (!module || isLowered)
      return;
    bool hasGraphs = false;
    module.walk([&](kernel::GraphOp) { hasGraphs = true; });
    isLowered = !hasGraphs;
    if (isLowered || !result.failures.empty())
      return;
    judge(module, pass->getArgument());
    checkPlans(module, pass->getArgument(), result);
  }

private:
  void judge(ModuleOp module, StringRef pass) {
    auto function = *module.getOps<func::FuncOp>().begin();
    FailureOr<Graph> now = readFunction(function);
    if (failed(now)) {
      result.failures.push_back(
          ("after " + pass + ": no graph: " + diagnostics.take()).str());
      return;
    }
    // Most passes add attributes, of which no value depends.
    std::string text = llvm::formatv("{0}", toJSON(*now));
    if (std::exchange(judged, text) == text)
      return;
    llvm::Expected<Verdict> verdict = verifyEqual(before, *now, options);
    if (!verdict)
      result.failures.push_back(("after " + pass + ": no verdict: " +
                                 llvm::toString(verdict.takeError()))
                                    .str());
    else if (verdict->kind == Verdict::Unknown && !verdict->disagreement)
      result.unproved.push_back(
          ("after " + pass + ": " + toString(*verdict)).str());
    else if (verdict->kind != Verdict::Equal)
      result.failures.push_back(
          ("after " + pass + ": " + toString(*verdict)).str());
    result.optimized = std::move(*now);
  }

  const Graph &before;
  std::string judged; ///< the last graph
  VerifyOptions options;
  Diagnostics &diagnostics;
  CheckResult &result;
  bool isLowered = false;
};
} // namespace

/// Runs everything down to PTX.
static FailureOr<Artifact> compile(ModuleOp module, const Graph &graph,
                                   const CheckOptions &options,
                                   CheckResult &result) {
  Diagnostics diagnostics(module.getContext());
  CompileOptions compileOptions;
  compileOptions.search.target = options.target;
  compileOptions.from = std::string("optimize");
  compileOptions.ptxas = std::string("never");
  PassManager manager(module.getContext());
  LogicalResult isBuilt =
      buildCompilePipeline(manager, compileOptions, [&](const Twine &message) {
        result.failures.push_back(message.str());
        return failure();
      });
  if (failed(isBuilt))
    return failure();
  manager.addInstrumentation(
      std::make_unique<JudgeAfterPasses>(graph, diagnostics, result));
  if (failed(manager.run(module))) {
    result.failures.push_back("not compiled: " + diagnostics.take());
    return failure();
  }
  auto function = *module.getOps<func::FuncOp>().begin();
  FailureOr<Artifact> artifact = buildArtifact(function);
  if (failed(artifact))
    result.failures.push_back("no artifact: " + diagnostics.take());
  return artifact;
}

static llvm::Error emulate(const Graph &graph, const Artifact &artifact,
                           CheckResult &result) {
  std::vector<HostTensor> inputs = makeRandomInputs(graph, /*seed=*/1);
  auto reference = evaluateReference(graph, inputs, {/*threads=*/1});
  if (!reference)
    return reference.takeError();
  EmulatorOptions options;
  options.threads = 1;
  auto run = runOnEmulator(artifact, inputs, options);
  if (!run)
    return run.takeError();
  for (const EmulatedLaunch &launch : run->launches)
    for (const emulator::Finding &finding : launch.result.findings)
      result.failures.push_back(launch.kernel + ": " + finding.str());
  if (!run->isClean())
    return llvm::Error::success();
  F32Products f32Products = findF32Products(artifact);
  for (auto [number, expected] : llvm::enumerate(*reference)) {
    OutputCheck check =
        checkOutput(expected, run->outputs[number], f32Products);
    if (!check.pass)
      result.failures.push_back("output " + std::to_string(number) + ": " +
                                toString(check, expected.type.shape));
  }
  return llvm::Error::success();
}

static void assemble(const Artifact &artifact, const CheckOptions &options,
                     CheckResult &result) {
  for (const std::string &chip : options.chips) {
    auto assembled = assemblePTX(*options.ptxas, artifact.ptx, chip);
    if (!assembled) {
      result.failures.push_back("ptxas for " + chip + ": " +
                                llvm::toString(assembled.takeError()));
      continue;
    }
    for (const BrokenPromise &broken : findBrokenPromises(*assembled))
      result.warnings.push_back("ptxas for " + chip + ": " + broken.message);
  }
}

llvm::Expected<Graph> mlir::mirage::test::readProgram(ModuleOp module) {
  auto functions = module.getOps<func::FuncOp>();
  if (!llvm::hasSingleElement(functions))
    return llvm::createStringError("expects one function");
  FailureOr<Graph> graph = readFunction(*functions.begin());
  if (failed(graph))
    return llvm::createStringError("expects a function of µGraphs");
  return std::move(*graph);
}

CheckResult mlir::mirage::test::checkGraph(ModuleOp module,
                                           const Graph &program,
                                           const CheckOptions &options) {
  CheckResult result;
  FailureOr<Artifact> artifact = compile(module, program, options, result);
  if (failed(artifact))
    return result;
  if (llvm::Error error = emulate(program, *artifact, result))
    result.failures.push_back("not emulated: " +
                              llvm::toString(std::move(error)));
  if (options.ptxas)
    assemble(*artifact, options, result);
  return result;
}
