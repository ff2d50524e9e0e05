//===- WriteBundle.cpp - Compiles the candidates of a search --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WriteBundle.h"
#include "Mirage/Analysis/FindLocation.h"
#include "Mirage/Artifact/Artifact.h"
#include "Mirage/Artifact/Bundle.h"
#include "Mirage/Graph/WholeFiles.h"
#include "Mirage/Options/CheckedPass.h"
#include "Mirage/Transforms/CandidateFunctions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::mirage;

namespace {
struct CandidateFunction {
  func::FuncOp function;
  CandidateInfo info;
};

/// Keeps the first error of what is tried, instead of showing it.
class TriedDiagnostics : public ScopedDiagnosticHandler {
public:
  explicit TriedDiagnostics(MLIRContext *context)
      : ScopedDiagnosticHandler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
              first.empty())
            first = diagnostic.str();
          return success();
        }) {}

  std::string first;
};

struct WriteBundlePass
    : public PassWrapper<WriteBundlePass, CheckedPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WriteBundlePass)

  WriteBundlePass() = default;
  WriteBundlePass(const WriteBundlePass &other) : PassWrapper(other) {}
  explicit WriteBundlePass(const CompileOptions &given) {
    folder = given.bundle;
    target = given.search.target;
    libraryKernels = given.search.libraryKernels;
    ptxas = given.ptxas;
    stages = given.search.stages;
    seed = given.search.seed;
    mergesLaunches = given.mergesLaunches;
    overlapsLaunches = given.overlapsLaunches;
    multicast = given.multicast;
  }

  Option<TextOption> folder{*this, "bundle",
                            llvm::cl::desc("Folder to write the bundle to")};
  Option<TextOption> target{*this, "target",
                            llvm::cl::desc("As of --mirage-compile")};
  Option<TextOption> libraryKernels{*this, "library-kernels",
                                    llvm::cl::desc("As of --mirage-compile"),
                                    llvm::cl::init("auto")};
  Option<TextOption> ptxas{*this, "ptxas",
                           llvm::cl::desc("As of --mirage-compile"),
                           llvm::cl::init("auto")};
  Option<NumberOption<unsigned, 0, kMaxStages>> stages{
      *this, "stages", llvm::cl::desc("As of --mirage-compile"),
      llvm::cl::init(0)};
  Option<NumberOption<uint64_t, 0, UINT64_MAX>> seed{
      *this, "seed", llvm::cl::desc("Of the search, for bundle.json"),
      llvm::cl::init(0)};
  Option<TruthOption> mergesLaunches{*this, "merge-launches",
                                     llvm::cl::desc("As of --mirage-compile"),
                                     llvm::cl::init(true)};
  Option<TruthOption> overlapsLaunches{*this, "overlap-launches",
                                       llvm::cl::desc("As of --mirage-compile"),
                                       llvm::cl::init(true)};
  Option<TextOption> multicast{*this, "multicast",
                               llvm::cl::desc("As of --mirage-compile"),
                               llvm::cl::init("never")};

  StringRef getArgument() const override { return "mirage-write-bundle"; }
  StringRef getDescription() const override {
    return "Compiles the candidates of a search into a bundle";
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    addBackEndDialects(registry);
  }

  void runOnOperation() override {
    FailureOr<SmallVector<CandidateFunction>> candidates = collect();
    if (failed(candidates) || failed(prepareFolder()) ||
        failed(write(*candidates)))
      return signalPassFailure();
    for (CandidateFunction &candidate : *candidates)
      candidate.function.erase();
  }

private:
  LogicalResult fail(const Twine &message) {
    return mlir::emitError(findLocation(getOperation())) << message;
  }

  FailureOr<SmallVector<CandidateFunction>> collect();
  LogicalResult prepareFolder();
  std::string compile(const CandidateFunction &candidate, StringRef artifact);
  LogicalResult add(const CandidateFunction &candidate, Bundle &bundle);
  LogicalResult write(ArrayRef<CandidateFunction> candidates);
};
} // namespace

std::optional<std::string>
mlir::mirage::explainNoBundle(ArrayRef<StringRef> functions) {
  if (functions.empty())
    return "expects a function with a program to make a bundle of, got none";
  if (functions.size() > 1)
    return ("expects one function to make a bundle of, got " + functions[0] +
            " and " + functions[1])
        .str();
  return std::nullopt;
}

FailureOr<SmallVector<CandidateFunction>> WriteBundlePass::collect() {
  SmallVector<CandidateFunction> candidates;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (std::optional<CandidateInfo> info = readCandidateInfo(function))
      candidates.push_back({function, std::move(*info)});
  llvm::SetVector<StringRef> searched;
  for (const CandidateFunction &candidate : candidates)
    searched.insert(candidate.info.of);
  if (auto problem = explainNoBundle(searched.getArrayRef()))
    return fail(*problem);
  return candidates;
}

LogicalResult WriteBundlePass::prepareFolder() {
  if (folder.empty())
    return fail("expects bundle=, where the bundle is to be written, got none");
  if (llvm::Error error = prepareBundleFolder(folder))
    return fail(llvm::toString(std::move(error)));
  return success();
}

/// Compiles a candidate in a module of its own, inside this one: so it has this
/// one's target. \returns "", or why it cannot be compiled.
std::string WriteBundlePass::compile(const CandidateFunction &candidate,
                                     StringRef artifact) {
  OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
  func::FuncOp function = candidate.function;
  auto nested = ModuleOp::create(builder, function.getLoc());
  func::FuncOp copy = function.clone();
  copy.setName(candidate.info.of);
  copy->removeAttr(kCandidateAttr);
  nested.push_back(copy);
  CompileOptions compiling;
  compiling.artifact = artifact.str();
  compiling.search.target = target.getValue();
  compiling.search.libraryKernels = libraryKernels.getValue();
  compiling.ptxas = ptxas.getValue();
  compiling.search.stages = stages.getValue();
  compiling.mergesLaunches = mergesLaunches.getValue();
  compiling.overlapsLaunches = overlapsLaunches.getValue();
  compiling.multicast = multicast.getValue();
  // The program as somebody would run it who has a library.
  if (candidate.info.isBaseline())
    compiling.search.libraryKernels = std::string("always");
  OpPassManager backEnd(ModuleOp::getOperationName());
  addBackEnd(backEnd, compiling);
  std::string problem;
  {
    TriedDiagnostics diagnostics(&getContext());
    if (failed(runPipeline(backEnd, nested)))
      problem = diagnostics.first.empty() ? "it cannot be compiled"
                                          : diagnostics.first;
  }
  nested.erase();
  return problem;
}

LogicalResult WriteBundlePass::add(const CandidateFunction &candidate,
                                   Bundle &bundle) {
  const CandidateInfo &info = candidate.info;
  std::string name = info.isBaseline()
                         ? "baseline"
                         : "candidate-" + std::to_string(info.number);
  std::string path = joinPath(folder, name);
  std::string problem = compile(candidate, path);
  if (!problem.empty()) {
    func::FuncOp(candidate.function).emitWarning()
        << "is left out of the bundle: " << problem;
    return success();
  }
  llvm::Expected<Artifact> artifact = readArtifact(path);
  llvm::Expected<std::string> hash = getArtifactHash(path);
  if (!artifact || !hash) {
    llvm::Error error = llvm::joinErrors(
        artifact ? llvm::Error::success() : artifact.takeError(),
        hash ? llvm::Error::success() : hash.takeError());
    return fail(llvm::toString(std::move(error)));
  }
  bundle.program = hashProgram(artifact->program);
  bundle.target = artifact->target;
  BundleEntry entry{name, *hash, info.graph, info.predictedUs};
  if (info.isBaseline())
    bundle.baseline = std::move(entry);
  else
    bundle.candidates.push_back(std::move(entry));
  return success();
}

LogicalResult WriteBundlePass::write(ArrayRef<CandidateFunction> candidates) {
  Bundle bundle;
  bundle.seed = seed;
  for (const CandidateFunction &candidate : candidates)
    if (failed(add(candidate, bundle)))
      return failure();
  if (bundle.candidates.empty() && !bundle.baseline)
    return fail("expects something that can be compiled for the bundle, got "
                "nothing");
  if (llvm::Error error = writeBundle(bundle, folder))
    return fail(llvm::toString(std::move(error)));
  return success();
}

std::unique_ptr<Pass>
mlir::mirage::createWriteBundlePass(const CompileOptions &options) {
  return std::make_unique<WriteBundlePass>(options);
}

void mlir::mirage::registerWriteBundlePass() {
  PassRegistration<WriteBundlePass>();
}
