//===- mirage-cache.cpp - Caches from the command line --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   mirage-cache merge OUT IN...    adds the records of other caches to one
//   mirage-cache export DIR         prints a cache as JSON
//
// docs/Cache.md says what caches are.
//
//===----------------------------------------------------------------------===//

#include "MergeCaches.h"
#include "Mirage/Version/Version.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir::mirage;
using namespace mlir::mirage::cache;
namespace cl = llvm::cl;

static cl::SubCommand merge("merge", "Adds the records of caches to one");
static cl::SubCommand exporting("export", "Prints a cache as JSON");

static cl::opt<std::string> output(cl::Positional, cl::Required,
                                   cl::desc("<folder of the cache to add to>"),
                                   cl::sub(merge));
static cl::list<std::string> inputs(cl::Positional, cl::OneOrMore,
                                    cl::desc("<folders of others>"),
                                    cl::sub(merge));
static cl::opt<TextOption> directory(cl::Positional, cl::Required,
                                     cl::desc("<folder of a cache>"),
                                     cl::sub(exporting));

static int runExport() {
  if (llvm::Error error = exportCache(directory, llvm::outs()))
    return reportError("mirage-cache", std::move(error));
  return finishOutput("mirage-cache") ? 0 : 1;
}

int main(int argc, char **argv) {
  setVersionPrinter("mirage-cache");
  if (parseCommandLine(argc, argv,
                       "Caches of Mirage's searches (docs/Cache.md)\n"))
    return 1;
  if (!merge && !exporting) {
    llvm::errs() << "mirage-cache: error: expects merge or export\n";
    return 1;
  }
  if (exporting)
    return runExport();
  return runMergeCaches("mirage-cache", output, {inputs.begin(), inputs.end()});
}
