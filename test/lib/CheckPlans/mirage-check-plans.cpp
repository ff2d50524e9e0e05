//===- mirage-check-plans.cpp - Whether plans of shared memory hold -------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mirage-check-plans a.mlir ...
//
// Plays each block graph of planned IR, as --mirage-compile=to=optimize prints
// it, and says what its plan takes, what no plan can do without, and where one
// tile may be written over that is still read (CheckPlan.h). Exits 1 where
// something is found, 2 where there is nothing to check.
//
//===----------------------------------------------------------------------===//

#include "CheckPlan.h"
#include "Mirage/InitAll.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::mirage;
using namespace mlir::mirage::test;

static llvm::cl::list<std::string> files(llvm::cl::Positional,
                                         llvm::cl::OneOrMore,
                                         llvm::cl::desc("<planned.mlir>..."));

namespace {
struct Totals {
  unsigned numGraphs = 0, numLeast = 0, numUnknown = 0, numFindings = 0;
  bool isMissing = false;
};
} // namespace

static void check(block::GraphOp graph, StringRef name, Totals &totals) {
  llvm::Expected<PlanReport> report = checkPlan(graph);
  if (!report) {
    llvm::outs() << name << ": " << llvm::toString(report.takeError()) << "\n";
    totals.isMissing = true;
    return;
  }
  llvm::outs() << name << ": " << toString(*report) << "\n";
  for (const std::string &finding : report->findings)
    llvm::outs() << "  finding: " << finding << "\n";
  ++totals.numGraphs;
  totals.numUnknown += !report->leastBytes;
  totals.numLeast += report->leastBytes == report->statedBytes;
  totals.numFindings += report->findings.size();
}

static void checkFile(StringRef file, MLIRContext &context, Totals &totals) {
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(file, &context);
  totals.isMissing |= !module;
  if (!module)
    return;
  module->walk([&](FunctionOpInterface function) {
    unsigned number = 0;
    function.walk([&](block::GraphOp graph) {
      check(graph,
            llvm::formatv("{0} @{1} {2}", llvm::sys::path::filename(file),
                          function.getName(), number++)
                .str(),
            totals);
    });
  });
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  llvm::cl::ParseCommandLineOptions(argc, argv, "Checks plans\n");
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mirage::registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  Totals totals;
  for (const std::string &file : files)
    checkFile(file, context, totals);
  llvm::outs() << totals.numGraphs << " block graphs, " << totals.numLeast
               << " of them with the least bytes, " << totals.numUnknown
               << " of which that is not known; " << totals.numFindings
               << " findings\n";
  if (totals.isMissing || totals.numGraphs == 0)
    return 2;
  return totals.numFindings > 0 ? 1 : 0;
}
