//===- mirage-verify.cpp - Judges two modules equal or not ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../CommandLine.h"
#include "../StandardOutput.h"
#include "../ToolMains.h"
#include "Mirage/InitAll.h"
#include "Mirage/Pipelines/Judge.h"
#include "Mirage/Verify/Certificate.h"
#include "Mirage/Version/Version.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
namespace cl = llvm::cl;

namespace {
/// Made where the program begins: a library that has several programs inside
/// has no options before one of them runs.
struct Options {
  // A million take hours of the smallest graphs.
  static constexpr unsigned kMaxTrials = 1000000;

  cl::OptionCategory category{"mirage-verify options"};
  cl::opt<mirage::TextOption> beforeFile{cl::Positional, cl::Required,
                                         cl::desc("<before.mlir>"),
                                         cl::cat(category)};
  cl::opt<mirage::TextOption> afterFile{cl::Positional, cl::Required,
                                        cl::desc("<after.mlir>"),
                                        cl::cat(category)};
  cl::opt<mirage::TruthOption> asJSON{
      "json", cl::desc("Print the verdicts as JSON"), cl::cat(category)};
  cl::opt<mirage::NumberOption<uint64_t, 0, UINT64_MAX>> seed{
      "seed",
      cl::desc("Seed of the random inputs; without it they come from the "
               "operating system"),
      cl::cat(category)};
  cl::opt<mirage::NumberOption<unsigned, 1, mirage::kMaxErrorBoundBits>>
      errorBound{"error-bound",
                 cl::desc("Go on until the proved error is below 2^-n, where a "
                          "theorem allows that"),
                 cl::init(64u), cl::cat(category)};
  cl::opt<mirage::NumberOption<unsigned, 1, kMaxTrials>> trials{
      "trials",
      cl::desc("At least so many trials, 16 to a tower of primes, also "
               "where fewer prove what is asked for; at the functions' "
               "own sizes as well"),
      cl::init(0u), cl::cat(category)};
  cl::opt<mirage::TruthOption> anyOrder{
      "outputs-in-any-order",
      cl::desc("Match results by what they are, and not by their places; "
               "the verdict says in which order the second function "
               "has them"),
      cl::cat(category)};
  cl::opt<mirage::TruthOption> exact{
      "exact",
      cl::desc("Take as equal only what is proved by canonical forms, "
               "without a probability, at the functions' own sizes or, "
               "where these are large, at smaller ones"),
      cl::cat(category)};
  cl::opt<mirage::TruthOption> certificates{
      "certificates",
      cl::desc("Also compare the certificates of the second module's graphs "
               "with these, and repeat their proofs"),
      cl::cat(category)};
  cl::opt<mirage::TruthOption> fullSize{
      "full-size",
      cl::desc("Make trials at the functions' own sizes in bounded time: of a "
               "sample of the results' elements beyond --sample-above"),
      cl::cat(category)};
  cl::opt<mirage::NumberOption<uint64_t, 1, UINT64_MAX>> sampleAbove{
      "sample-above", cl::value_desc("multiply-adds"),
      cl::desc("With --full-size: how many multiply-adds of a function are "
               "evaluated as a whole, and about how many of a sample"),
      cl::init(2000000000u), cl::cat(category)};
};
} // namespace

namespace {
/// What the exit codes mean; scripts rely on them.
enum ExitCode { kEqual = 0, kDifferent = 1, kBadInput = 2, kUnknown = 3 };
} // namespace

static void printJSON(const llvm::json::Value &value) {
  llvm::outs() << llvm::formatv("{0:2}", value) << '\n';
}

/// "file:1:14", empty where nothing in a file is meant.
static std::string describeLocation(Location location) {
  auto place = location->findInstanceOf<FileLineColLoc>();
  if (!place)
    return "";
  return llvm::formatv("{0}:{1}:{2}", place.getFilename().getValue(),
                       place.getLine(), place.getColumn());
}

static llvm::json::Value makeError(std::string location, std::string message) {
  llvm::json::Object error;
  error["message"] = std::move(message);
  if (!location.empty())
    error["location"] = std::move(location);
  return error;
}

/// Of the command itself, where nothing in a file is meant.
static void sayError(const Twine &message) {
  llvm::errs() << "mirage-verify: error: " << message << '\n';
}

namespace {
/// What was wrong with the input: in the end on the standard error stream, and
/// as JSON, if that was asked for.
class ErrorLog {
public:
  explicit ErrorLog(MLIRContext &context) : context(context) {
    handler.emplace(&context, [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
        return failure(); // others print it
      errors.push_back(makeError(describeLocation(diagnostic.getLocation()),
                                 diagnostic.str()));
      held.push_back(std::move(diagnostic));
      return success();
    });
  }

  void add(const Twine &message) {
    sayError(message);
    errors.push_back(makeError("", message.str()));
  }

  /// Says them, and comes last. \returns them as JSON.
  llvm::json::Array finish() {
    handler.reset();
    for (Diagnostic &diagnostic : held)
      context.getDiagEngine().emit(std::move(diagnostic));
    return std::move(errors);
  }

private:
  MLIRContext &context;
  llvm::json::Array errors;
  std::vector<Diagnostic> held;
  std::optional<ScopedDiagnosticHandler> handler;
};
} // namespace

/// MLIR's own reader does not say why a file cannot be opened.
static OwningOpRef<ModuleOp> readModule(StringRef path, MLIRContext &context,
                                        ErrorLog &errors) {
  if (llvm::sys::fs::is_directory(path)) {
    errors.add("expects a file, got the directory '" + path + "'");
    return {};
  }
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(path, &message);
  if (!file) {
    errors.add(message);
    return {};
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), SMLoc());
  return parseSourceFile<ModuleOp>(sources, &context);
}

/// What was found of functions, and what was wrong.
static void print(ArrayRef<mirage::FunctionVerdict> verdicts, bool asJSON,
                  ErrorLog &errors) {
  if (!asJSON)
    for (const mirage::FunctionVerdict &verdict : verdicts)
      llvm::outs() << mirage::toString(verdict) << '\n';
  llvm::outs().flush();
  llvm::json::Array wrong = errors.finish();
  if (!asJSON)
    return;
  llvm::json::Object object;
  if (wrong.empty() || !verdicts.empty())
    object = std::move(*mirage::toJSON(verdicts).getAsObject());
  if (!wrong.empty())
    object["errors"] = std::move(wrong);
  printJSON(std::move(object));
}

static ExitCode getExitCode(mirage::Verdict::Kind verdict) {
  switch (verdict) {
  case mirage::Verdict::Equal:
    return kEqual;
  case mirage::Verdict::Different:
    return kDifferent;
  case mirage::Verdict::Unknown:
    return kUnknown;
  }
  llvm_unreachable("each verdict has an exit code");
}

/// A wrong command line is bad input like any other.
static bool parseCommandLine(int argc, char **argv, Options &options) {
  cl::HideUnrelatedOptions(options.category);
  std::optional<std::string> problem = mirage::parseCommandLine(
      argc, argv,
      "Judges the functions of two modules equal or not.\n\n"
      "Exit codes: 0 equal, 1 different, 2 bad input, 3 unknown. With --json, "
      "bad\ninput is an object, too: {\"errors\": [{\"location\", "
      "\"message\"}]}, with \"functions\"\nwhere others could be judged.\n\n"
      "\"equal;\" says that the error that --error-bound asks for is proved, "
      "or\n"
      "equality outright. \"equal, but\" says that all trials agree and that "
      "less "
      "is\nproved, or nothing, which operators are why, and what ended the "
      "trials; the exit\ncode is 0 all the same, and JSON has \"meetsBound\": "
      "false and \"whyWeaker\".\n\n"
      "\"at its own sizes 1 trial agrees on a sample, 4 of 32 x 46 of 4096 "
      "elements\" says\nwhat was tried of results that are too large, for "
      "the memory or with --full-size for\n--sample-above: random indices and "
      "the edges of tiles. It adds nothing to the bound.\nJSON has "
      "\"ownSizes\".\n\n"
      "\"at 7x8, 8x11 64 trials agree, too\" names sizes that the proof is not "
      "of, where\nsomething is picked or signs are lost: what is equal at some "
      "small sizes by chance\nis not at others. JSON has \"otherSizes\".\n\n"
      "With --exact, what has no proof by canonical forms is unknown, and "
      "\"equal;\nproved exactly at ...\" names the sizes of the proof. What "
      "trials say follows;\nat smaller sizes a proof counts if trials at the "
      "functions' own agree,\nof all elements or of a sample. JSON has "
      "\"exact\".\n");
  if (!problem && options.sampleAbove.getNumOccurrences() > 0 &&
      !options.fullSize) {
    problem = "expects --full-size where there is --sample-above";
    sayError(*problem);
  }
  if (!problem && options.beforeFile == "-" && options.afterFile == "-") {
    problem = "expects a file beside standard input, got '-' twice";
    sayError(*problem);
  }
  if (problem && options.asJSON)
    printJSON(llvm::json::Object{
        {"errors", llvm::json::Array{makeError("", *problem)}}});
  return !problem;
}

static mirage::JudgeOptions getJudgeOptions(const Options &options) {
  mirage::JudgeOptions judge;
  if (options.seed.getNumOccurrences() > 0)
    judge.seed = options.seed;
  judge.errorBoundBits = options.errorBound;
  judge.minTrials = options.trials;
  judge.matchesOutputs = options.anyOrder;
  judge.wantsExactProof = options.exact;
  judge.repeatsCertificates = options.certificates;
  if (options.fullSize)
    judge.maxWholeWork = options.sampleAbove;
  return judge;
}

int mirageVerifyMain(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  mirage::setVersionPrinter("mirage-verify");
  Options options;
  if (!parseCommandLine(argc, argv, options))
    return kBadInput;
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  mirage::registerAllDialects(registry);
  mirage::registerAllExtensions(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false); // it may be a whole module
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  ErrorLog errors(context);
  std::vector<mirage::FunctionVerdict> verdicts;
  OwningOpRef<ModuleOp> before =
      readModule(options.beforeFile, context, errors);
  OwningOpRef<ModuleOp> after = readModule(options.afterFile, context, errors);
  bool areJudged = before && after &&
                   succeeded(mirage::judgeModules(
                       *before, *after, getJudgeOptions(options), verdicts));
  print(verdicts, options.asJSON, errors);
  if (!mirage::finishOutput("mirage-verify") || !areJudged)
    return kBadInput;
  return getExitCode(mirage::joinVerdicts(verdicts));
}
