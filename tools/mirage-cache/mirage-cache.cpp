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
//   mirage-cache import-times DIR FILE...
//                                   puts what mirage-run measured into one
//
// docs/Cache.md says what caches are.
//
//===----------------------------------------------------------------------===//

#include "MergeCaches.h"
#include "Mirage/Artifact/MeasuredTime.h"
#include "Mirage/Version/Version.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir::mirage;
using namespace mlir::mirage::cache;
namespace cl = llvm::cl;

static cl::SubCommand merge("merge", "Adds the records of caches to one");
static cl::SubCommand exporting("export", "Prints a cache as JSON");

static cl::SubCommand importing("import-times",
                                "Puts measured times into a cache");

static cl::opt<std::string> output(cl::Positional, cl::Required,
                                   cl::desc("<folder of the cache to add to>"),
                                   cl::sub(merge));
static cl::list<std::string> inputs(cl::Positional, cl::OneOrMore,
                                    cl::desc("<folders of others>"),
                                    cl::sub(merge));
static cl::opt<TextOption> directory(cl::Positional, cl::Required,
                                     cl::desc("<folder of a cache>"),
                                     cl::sub(exporting));

static cl::opt<TextOption> timesDirectory(cl::Positional, cl::Required,
                                          cl::desc("<folder of a cache>"),
                                          cl::sub(importing));
static cl::list<TextOption> timesFiles(cl::Positional, cl::OneOrMore,
                                       cl::desc("<times.jsonl of bundles>"),
                                       cl::sub(importing));

static int runExport() {
  if (llvm::Error error = exportCache(directory, llvm::outs()))
    return reportError("mirage-cache", std::move(error));
  return finishOutput("mirage-cache") ? 0 : 1;
}

/// Without a µGraph's hash nobody could tell of which candidate a time is.
static llvm::Error readTimes(const std::string &file,
                             std::vector<MeasuredRecord> &records) {
  llvm::Expected<std::vector<MeasuredTime>> times = readMeasuredTimes(file);
  if (!times)
    return times.takeError();
  if (times->empty())
    return llvm::createStringError(file + ": expects measured times, got none");
  for (const MeasuredTime &time : *times) {
    if (time.graph.empty() && !time.isBaseline)
      return llvm::createStringError(
          file + ": expects times of a bundle, which says which µGraph each "
                 "is of, got one of some artifact");
    records.push_back({{time.program, time.graph, time.artifact,
                        time.usesLibrary, time.device, time.driverVersion},
                       llvm::formatv("{0}", toJSON(time))});
  }
  return llvm::Error::success();
}

static int runImport() {
  std::vector<MeasuredRecord> records;
  for (const TextOption &file : timesFiles)
    if (llvm::Error error = readTimes(file, records))
      return reportError("mirage-cache", std::move(error));
  llvm::Expected<ImportCounts> counts = importTimes(timesDirectory, records);
  if (!counts)
    return reportError("mirage-cache", counts.takeError());
  llvm::outs() << llvm::formatv("{0} added, {1} replaced\n", counts->added,
                                counts->replaced);
  return finishOutput("mirage-cache") ? 0 : 1;
}

int main(int argc, char **argv) {
  setVersionPrinter("mirage-cache");
  if (parseCommandLine(argc, argv,
                       "Caches of Mirage's searches (docs/Cache.md)\n\n"
                       "Exit status: 0 done, 1 it failed, 2 no such command "
                       "or arguments.\n"))
    return kBadUsage;
  if (!merge && !exporting && !importing) {
    llvm::errs()
        << "mirage-cache: error: expects merge, export or import-times\n";
    return kBadUsage;
  }
  if (importing)
    return runImport();
  if (exporting)
    return runExport();
  std::vector<std::string> merged(inputs.begin(), inputs.end());
  return runMergeCaches("mirage-cache", output, merged);
}
