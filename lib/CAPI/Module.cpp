//===- Module.cpp - The C API of modules, pipelines and the judge ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "Mirage/Pipelines/FaultWatch.h"
#include "Mirage/Pipelines/Judge.h"
#include "Mirage/Pipelines/Pipelines.h"
#include "Mirage/Search/Checkpoint.h"
#include "Mirage/Target/PTX/Ptxas.h"
#include "Mirage/Verify/Certificate.h"
#include "Status.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::mirage;

//===----------------------------------------------------------------------===//
// Reading and printing
//===----------------------------------------------------------------------===//

/// How deep brackets of a text stand in one another. What stands in strings and
/// comments is none, nor is the head of an arrow.
static size_t getNesting(StringRef text) {
  size_t depth = 0, deepest = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      while (++i < text.size() && text[i] != '"')
        i += text[i] == '\\';
    } else if (text.substr(i).starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.substr(i).starts_with("->")) {
      ++i;
    } else if (StringRef("([{<").contains(text[i])) {
      deepest = std::max(deepest, ++depth);
    } else if (StringRef(")]}>").contains(text[i]) && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

MirageStatus mirageModuleParse(MirageContext *context, const char *text,
                               size_t size, const char *fileName,
                               MirageModule **module) {
  if (!module)
    return refuse("expects a place for the module, got null");
  *module = nullptr;
  if (!context || !text)
    return refuse(Twine("expects a ") + (context ? "text" : "context") +
                  ", got null");
  // MLIR's parser calls itself for each, and has no end but the stack's.
  constexpr size_t kMostNested = 256;
  if (size_t nesting = getNesting({text, size});
      nesting > kMostNested &&
      !isBytecode(llvm::MemoryBufferRef({text, size}, "")))
    return refuse("expects brackets at most " + Twine(kMostNested) +
                  " deep, got " + Twine(nesting));
  ContextCall call(*context);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(
                                 {text, size}, fileName ? fileName : "-"),
                             SMLoc());
  OwningOpRef<ModuleOp> op = parseSourceFile<ModuleOp>(sources, &context->mlir);
  if (!op)
    return call.finish(failure(), "expects a module, got none");
  *module = new MirageModule{context, std::move(op)};
  return MirageSuccess;
}

MirageStatus mirageModuleClone(const MirageModule *module,
                               MirageModule **clone) {
  if (!clone)
    return refuse("expects a place for the module, got null");
  *clone = nullptr;
  if (!module)
    return refuse("expects a module, got null");
  *clone = new MirageModule{module->context, module->op.get().clone()};
  return MirageSuccess;
}

void mirageModuleDestroy(MirageModule *module) { delete module; }

MirageStatus mirageModulePrint(const MirageModule *module, MiragePrintForm form,
                               MirageText *text) {
  if (!text)
    return refuse("expects a place for the text, got null");
  *text = {nullptr, 0};
  if (!module)
    return refuse("expects a module, got null");
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  ModuleOp op = module->op.get();
  if (form == MiragePrintBytecode) {
    ContextCall call(*module->context);
    LogicalResult written = writeBytecodeToFile(op, os);
    if (failed(written))
      return call.finish(written, "expects a module that bytecode can hold");
  } else if (form == MiragePrintText || form == MiragePrintTextWithLocations) {
    op.print(os, OpPrintingFlags().enableDebugInfo(
                     form == MiragePrintTextWithLocations));
  } else {
    return refuse("expects a MiragePrintForm, got " +
                  Twine(static_cast<int>(form)));
  }
  *text = makeText(bytes);
  return MirageSuccess;
}

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

/// Of a module that is replaced where all of it succeeds.
/// \param text    the passes, for a bug report.
/// \param isOurs  the pipeline is one of Mirage's.
static MirageStatus runPasses(MirageModule &module, OpPassManager passes,
                              const PipelineText &text, bool isOurs) {
  ContextCall call(*module.context);
  PassManager passManager(&module.context->mlir);
  static_cast<OpPassManager &>(passManager) = std::move(passes);
  FaultWatch watch(passManager, isOurs);
  call.watchBy(&watch);
  OwningOpRef<ModuleOp> changed = module.op->clone();
  if (failed(passManager.run(*changed))) {
    std::string failure = call.describe("a pass failed and did not say why");
    if (!watch.isInternal())
      return reportFailure(failure);
    module.context->reproducer = printReproducer(*module.op, text);
    return reportFault(failure);
  }
  module.op = std::move(changed);
  return MirageSuccess;
}

MirageStatus mirageModuleRunPipeline(MirageModule *module,
                                     const char *pipeline) {
  if (!module || !pipeline)
    return refuse(Twine("expects a ") + (module ? "pipeline" : "module") +
                  ", got null");
  std::string problem;
  llvm::raw_string_ostream os(problem);
  FailureOr<OpPassManager> passes = parsePassPipeline(pipeline, os);
  if (failed(passes)) { // what follows the first line shows the pipeline
    StringRef line = StringRef(problem).split('\n').first;
    line.consume_front("<Pass-Options-Parser>: ");
    return refuse(line);
  }
  StringRef anchor = passes->getOpAnchorName();
  if (anchor != ModuleOp::getOperationName())
    return refuse("expects a pipeline of builtin.module, got one of " + anchor);
  return runPasses(*module, std::move(*passes), {pipeline, {}},
                   /*isOurs=*/false);
}

MirageStatus mirageContextGetReproducer(const MirageContext *context,
                                        MirageText *text) {
  if (!text)
    return refuse("expects a place for the text, got null");
  *text = {nullptr, 0};
  if (!context)
    return refuse("expects a context, got null");
  *text = makeText(context->reproducer);
  return MirageSuccess;
}

/// A pipeline with options by name. Reports go to `report` where it is not
/// null.
template <typename Options>
static MirageStatus runWithOptions(
    StringRef name,
    LogicalResult (*build)(OpPassManager &, const Options &, OnOptionError),
    MirageModule *module, const MirageOption *options, size_t numOptions,
    MirageText *report) {
  if (report)
    *report = {nullptr, 0};
  if (!module)
    return refuse("expects a module, got null");
  if (!options && numOptions > 0)
    return refuse("expects " + Twine(numOptions) + " options, got null");
  SmallVector<NamedValue> values;
  for (const MirageOption &option : ArrayRef(options, numOptions)) {
    if (!option.name || !option.value)
      return refuse("expects options with a name and a value, got null");
    values.emplace_back(option.name, option.value);
  }
  std::string problem;
  auto onError = [&](const Twine &message) {
    problem = message.str();
    return failure();
  };
  Options given;
  OpPassManager passes(ModuleOp::getOperationName());
  if (failed(given.set(values, onError)) ||
      failed(build(passes, given, onError)))
    return refuse(problem);
  MirageStatus status =
      runPasses(*module, std::move(passes), printPipeline(name, values),
                /*isOurs=*/true);
  if (status == MirageSuccess && report)
    *report = makeText(
        llvm::formatv("{0:2}\n",
                      llvm::json::Value(llvm::json::Object{
                          {"graphs", std::move(module->context->reports)}}))
            .str());
  return status;
}

MirageStatus mirageModuleSuperoptimize(MirageModule *module,
                                       const MirageOption *options,
                                       size_t numOptions, MirageText *report) {
  return runWithOptions("mirage-superoptimize", buildSuperoptimizePipeline,
                        module, options, numOptions, report);
}

MirageStatus mirageModuleCompile(MirageModule *module,
                                 const MirageOption *options, size_t numOptions,
                                 MirageText *report) {
  return runWithOptions("mirage-compile", buildCompilePipeline, module, options,
                        numOptions, report);
}

MirageStatus mirageListSearchOptions(MirageText *names) {
  if (!names)
    return refuse("expects a place for the names, got null");
  *names = makeText(llvm::join(SuperoptimizeOptions().listNames(), "\n"));
  return MirageSuccess;
}

MirageStatus mirageFindPtxas(MirageText *path) {
  if (!path)
    return refuse("expects a place for the path, got null");
  *path = makeText(findPtxas().value_or(""));
  return MirageSuccess;
}

MirageStatus mirageCheckpointsMerge(const char *output,
                                    const char *const *inputs, size_t numInputs,
                                    uint64_t *numRecords) {
  if (!output || (!inputs && numInputs > 0))
    return refuse(Twine("expects ") + (output ? "inputs" : "an output") +
                  ", got null");
  std::vector<std::string> paths;
  for (const char *input : ArrayRef(inputs, numInputs)) {
    if (!input)
      return refuse("expects paths of checkpoints, got null");
    paths.push_back(input);
  }
  llvm::Expected<uint64_t> merged = search::mergeCheckpoints(output, paths);
  if (!merged)
    return report(merged.takeError());
  if (numRecords)
    *numRecords = *merged;
  return MirageSuccess;
}

//===----------------------------------------------------------------------===//
// The judge
//===----------------------------------------------------------------------===//

static JudgeOptions convert(const MirageVerifyOptions &options) {
  JudgeOptions converted;
  if (options.hasSeed)
    converted.seed = options.seed;
  if (options.errorBoundBits > 0)
    converted.errorBoundBits = options.errorBoundBits;
  converted.minTrials = options.minTrials;
  converted.matchesOutputs = options.outputsInAnyOrder;
  converted.wantsExactProof = options.exact;
  converted.repeatsCertificates = options.certificates;
  if (options.sampleAbove > 0)
    converted.maxWholeWork = options.sampleAbove;
  return converted;
}

static MirageVerdict convert(Verdict::Kind kind) {
  switch (kind) {
  case Verdict::Equal:
    return MirageEqual;
  case Verdict::Different:
    return MirageDifferent;
  case Verdict::Unknown:
    return MirageUnknown;
  }
  llvm_unreachable("all verdicts are converted");
}

MirageStatus mirageModulesVerify(const MirageModule *before,
                                 const MirageModule *after,
                                 const MirageVerifyOptions *options,
                                 MirageVerdict *verdict, MirageText *details) {
  if (details)
    *details = {nullptr, 0};
  if (!before || !after || !verdict)
    return refuse(Twine("expects ") +
                  (verdict ? "two modules" : "a place for the verdict") +
                  ", got null");
  if (before->context != after->context)
    return refuse("expects modules of one context, got two contexts");
  if (std::string problem =
          options ? explainBadSize("MirageVerifyOptions", sizeof(*options),
                                   options->structSize)
                  : "";
      !problem.empty())
    return refuse(problem);
  JudgeOptions judging = options ? convert(*options) : JudgeOptions();
  if (judging.errorBoundBits > kMaxErrorBoundBits)
    return refuse("expects an error bound of up to " +
                  Twine(kMaxErrorBoundBits) + " bits, got " +
                  Twine(judging.errorBoundBits));
  ContextCall call(*before->context);
  // Import may change both.
  OwningOpRef<ModuleOp> beforeOp = before->op.get().clone(),
                        afterOp = after->op.get().clone();
  std::vector<FunctionVerdict> verdicts;
  if (failed(judgeModules(*beforeOp, *afterOp, judging, verdicts)))
    return call.finish(failure(), "expects two modules of tensor programs");
  *verdict = convert(joinVerdicts(verdicts));
  if (details)
    *details = makeText(
        llvm::formatv("{0:2}\n", llvm::json::Value(toJSON(verdicts))).str());
  return MirageSuccess;
}
