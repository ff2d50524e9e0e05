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

#include "../StandardOutput.h"
#include "Mirage/Cache/ManageCaches.h"
#include "Mirage/Version/Version.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"

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
static cl::opt<std::string> directory(cl::Positional, cl::Required,
                                      cl::desc("<folder of a cache>"),
                                      cl::sub(exporting));

static int fail(llvm::Error error) {
  llvm::errs() << "mirage-cache: error: " << llvm::toString(std::move(error))
               << '\n';
  return 1;
}

static int runMerge() {
  std::vector<std::string> folders(inputs.begin(), inputs.end());
  llvm::Expected<MergeCounts> counts = mergeCaches(output, folders);
  if (!counts)
    return fail(counts.takeError());
  llvm::outs() << llvm::formatv(
      "{0} added, {1} there already, {2} there with another value, {3} damaged"
      "\n",
      counts->added, counts->alreadyThere, counts->different, counts->damaged);
  return 0;
}

static int runExport() {
  llvm::Expected<llvm::json::Value> records = exportCache(directory);
  if (!records)
    return fail(records.takeError());
  llvm::outs() << llvm::formatv("{0:2}", *records) << '\n';
  return 0;
}

int main(int argc, char **argv) {
  setVersionPrinter("mirage-cache");
  cl::ParseCommandLineOptions(argc, argv,
                              "Caches of Mirage's searches (docs/Cache.md)\n");
  if (!merge && !exporting) {
    llvm::errs() << "mirage-cache: error: expects merge or export\n";
    return 1;
  }
  int code = merge ? runMerge() : runExport();
  return finishOutput("mirage-cache") ? code : 1;
}
