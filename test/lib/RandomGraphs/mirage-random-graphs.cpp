//===- mirage-random-graphs.cpp - Random µGraphs, compiled and right ------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mirage-random-graphs [--seed=1] [--first=0] [--count=60] [--target=sm_90a]
// mirage-random-graphs a.mlir ... [--target=sm_90a]
//
// Draws so many µGraphs, compiles each, has the judge look at it after each
// pass, emulates the PTX and compares with float64; prints what the graphs had.
// Exits 1 where a graph is not right, where some operator of blocks was in
// none, and where the judge could decide too few. A graph depends on the seed
// and its number alone: what fails as number 17 of 500 is written by
//   mirage-random-graphs --first=17 --count=1 --print > 17.mlir
// and compiled by mirage-opt --mirage-compile=from=optimize. Files are checked
// in the same way, each with one function of one kernel graph.
//
//===----------------------------------------------------------------------===//

#include "Coverage.h"
#include "GraphCheck.h"
#include "GraphGenerator.h"
#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/InitAll.h"
#include "Mirage/Target/PTX/Ptxas.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/PrettyStackTrace.h"

using namespace mlir;
using namespace mlir::mirage;
using namespace mlir::mirage::test;
namespace cl = llvm::cl;

static cl::list<std::string> files(cl::Positional,
                                   cl::desc("[µGraphs to check, no others]"));
static cl::opt<std::string>
    programFile("program", cl::desc("What these files should be equal to; "
                                    "themselves if it is not given"));
static cl::opt<uint64_t> seed("seed", cl::init(1), cl::desc("Of all graphs"));
static cl::opt<unsigned> first("first", cl::init(0),
                               cl::desc("Number of the first graph"));
static cl::opt<unsigned> count("count", cl::init(60),
                               cl::desc("How many graphs"));
static cl::opt<std::string> target("target", cl::init("sm_90a"),
                                   cl::desc("GPU to compile for"));
static cl::list<std::string>
    chips("assemble-for", cl::CommaSeparated,
          cl::desc("GPUs to assemble for, where ptxas is found"));
static cl::opt<unsigned>
    leastEqual("least-equal", cl::init(0),
               cl::desc("Of how many graphs in a hundred the judge has to say "
                        "after each pass that it is equal"));
static cl::opt<bool> printsGraphs("print",
                                  cl::desc("Print each graph and check none"));
static cl::opt<bool> isVerbose("verbose", cl::desc("Say what ptxas warns of"));
static cl::opt<bool> mayMiss("may-miss",
                             cl::desc("Do not ask for all operators"));

namespace {
struct Totals {
  Coverage coverage;
  unsigned numWrong = 0, numLosingDigits = 0, numSayingNothing = 0,
           numWarned = 0, numUnproved = 0;
};
} // namespace

/// Says something of a graph. \returns false.
static bool fail(StringRef name, const Twine &message) {
  llvm::outs() << name << ": " << message << "\n";
  return false;
}

/// \returns whether what comes of the graph is right.
static bool check(StringRef name, ModuleOp module, const Graph &program,
                  const CheckOptions &options, Totals &totals) {
  CheckResult result = checkGraph(module, program, options);
  totals.numWarned += !result.warnings.empty();
  if (result.optimized)
    totals.coverage.addOptimized(*result.optimized);
  totals.numUnproved += !result.unproved.empty();
  if (isVerbose)
    for (const std::string &warning : result.warnings)
      fail(name, warning);
  for (const std::string &text :
       llvm::concat<const std::string>(result.unproved, result.failures))
    fail(name, text);
  return result.failures.empty();
}

static bool checkRandom(MLIRContext &context, unsigned number,
                        const CheckOptions &options, Totals &totals) {
  std::string name = "graph " + std::to_string(number);
  llvm::Expected<GeneratedGraph> generated = generateGraph(seed, number);
  if (!generated)
    return fail(name, "not valid: " + llvm::toString(generated.takeError()));
  totals.numLosingDigits += generated->numLosingDigits;
  totals.numSayingNothing += generated->numSayingNothing;
  totals.coverage.add(generated->graph);
  OwningOpRef<ModuleOp> module = writeModule(context, generated->graph);
  if (failed(verify(*module)))
    return fail(name, "valid as a plain graph and not as IR");
  if (!printsGraphs)
    return check(name, *module, generated->graph, options, totals);
  module->print(llvm::outs());
  return true;
}

static llvm::Expected<Graph> readProgramOf(StringRef file,
                                           MLIRContext &context) {
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(
      programFile.empty() ? file : StringRef(programFile), &context);
  if (!module)
    return llvm::createStringError("expects a file of µGraphs");
  return readProgram(*module);
}

static bool checkFiles(MLIRContext &context, const CheckOptions &options) {
  Totals totals;
  bool areRight = true;
  for (const std::string &file : files) {
    OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(file, &context);
    llvm::Expected<Graph> program = readProgramOf(file, context);
    if (!program)
      fail(file, llvm::toString(program.takeError()));
    if (!module || !program)
      return false;
    unsigned numUnproved = totals.numUnproved;
    bool isRight = check(file, *module, *program, options, totals);
    bool isEqual = totals.numUnproved == numUnproved;
    llvm::outs() << llvm::sys::path::filename(file) << ": " << options.target
                 << ", "
                 << (!isRight  ? "wrong"
                     : isEqual ? "equal, right"
                               : "not decided, right")
                 << "\n";
    areRight &= isRight;
  }
  return areRight;
}

static bool checkAll(MLIRContext &context, const CheckOptions &options) {
  Totals totals;
  for (unsigned number = first; number < first + count; ++number) {
    llvm::PrettyStackTraceFormat trace("graph %u of seed %llu", number,
                                       (unsigned long long)seed);
    totals.numWrong += !checkRandom(context, number, options, totals);
    llvm::outs().flush();
  }
  if (printsGraphs)
    return totals.numWrong == 0;
  totals.coverage.print(llvm::outs());
  std::vector<std::string> missing;
  if (!mayMiss)
    missing = totals.coverage.listMissing();
  for (const std::string &name : missing)
    llvm::outs() << "no graph has " << name << "\n";
  llvm::outs() << "drawn again: " << totals.numLosingDigits
               << " that lose digits, " << totals.numSayingNothing
               << " that depend on their inputs too little\n";
  unsigned numEqual = count - totals.numUnproved;
  bool areEqual = uint64_t(numEqual) * 100 >= uint64_t(leastEqual) * count;
  llvm::outs() << "judged equal after each pass: " << numEqual
               << ", not decided: " << totals.numUnproved
               << (areEqual ? "" : ", too many") << "\n";
  if (options.ptxas)
    llvm::outs() << "assembled for " << llvm::join(options.chips, ", ") << ", "
                 << totals.numWarned << " with spills\n";
  llvm::outs() << options.target << ": " << count - totals.numWrong << " of "
               << count << " graphs right\n";
  return totals.numWrong == 0 && missing.empty() && areEqual;
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "Checks random µGraphs\n");
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mirage::registerAllDialects(registry);
  mirage::registerAllExtensions(registry);
  // One graph after the other; lit runs tests side by side.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadDialect<kernel::MirageKernelDialect, block::MirageBlockDialect,
                      func::FuncDialect, tensor::TensorDialect>();
  context.printOpOnDiagnostic(false);
  CheckOptions options;
  options.target = target;
  if (!chips.empty())
    options.ptxas = findPtxas();
  options.chips.assign(chips.begin(), chips.end());
  bool isRight =
      files.empty() ? checkAll(context, options) : checkFiles(context, options);
  return isRight ? 0 : 1;
}
