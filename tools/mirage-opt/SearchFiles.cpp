//===- SearchFiles.cpp - Caches and checkpoints of searches ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchFiles.h"
#include "../mirage-cache/MergeCaches.h"
#include "../mirage-checkpoint/MergeCheckpoints.h"
#include "Mirage/Cache/CacheStore.h"
#include "Mirage/Options/CheckedOptions.h"
#include "llvm/Support/CommandLine.h"
#include <cstdlib>

using namespace mlir::mirage;
namespace cl = llvm::cl;

static cl::opt<TextOption>
    cacheOption("mirage-cache",
                cl::desc("Where searches keep their results if a pass has no "
                         "option cache: off, a folder, readonly:FOLDER, or "
                         "readonly for the folder of MIRAGE_CACHE_DIR"),
                cl::value_desc("cache"));

// For --help: with one of these as the first argument, nothing else is read.
static cl::opt<TruthOption>
    mergeOption("mirage-merge",
                cl::desc("OUT IN...: joins checkpoints of shards of a search, "
                         "as mirage-checkpoint merge; the first argument"));
static cl::opt<TruthOption>
    cacheMergeOption("mirage-cache-merge",
                     cl::desc("OUT IN...: adds the records of caches to one, "
                              "as mirage-cache merge; the first argument"));

std::optional<int> mlir::mirage::runMergeCommand(int argc, char **argv) {
  llvm::StringRef flag = argc > 1 ? argv[1] : "";
  if (!flag.consume_front("--"))
    flag.consume_front("-");
  if (flag != mergeOption.ArgStr && flag != cacheMergeOption.ArgStr)
    return std::nullopt;
  if (argc < 4) {
    llvm::errs() << "mirage-opt: error: expects --" << flag
                 << " OUT IN..., with one IN at least\n";
    return 1;
  }
  std::vector<std::string> inputs(argv + 3, argv + argc);
  return flag == mergeOption.ArgStr
             ? runMergeCheckpoints("mirage-opt", argv[2], inputs)
             : runMergeCaches("mirage-opt", argv[2], inputs);
}

bool mlir::mirage::applyCacheOption() {
  for (const cl::opt<TruthOption> *option : {&mergeOption, &cacheMergeOption})
    if (option->getNumOccurrences() > 0) {
      llvm::errs() << "mirage-opt: error: expects --" << option->ArgStr
                   << " as the first argument\n";
      return false;
    }
  if (cacheOption.getNumOccurrences() == 0)
    return true;
  llvm::Expected<cache::CacheMode> mode = cache::parseCacheMode(cacheOption);
  if (!mode) {
    reportError("mirage-opt: --mirage-cache", mode.takeError());
    return false;
  }
  setenv("MIRAGE_CACHE_DIR", cache::toString(*mode).c_str(), /*replace=*/1);
  return true;
}
