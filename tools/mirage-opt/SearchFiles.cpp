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
#include <cstdlib>

using namespace mlir::mirage;

/// MlirOptMain has one exit code for all that goes wrong.
static constexpr int kMLIRBadUsage = 1;

std::optional<int> mlir::mirage::runMergeCommand(int argc, char **argv) {
  llvm::StringRef flag = argc > 1 ? argv[1] : "";
  if (!flag.consume_front("--"))
    flag.consume_front("-");
  if (flag != kMergeOption && flag != kCacheMergeOption)
    return std::nullopt;
  if (argc < 4) {
    llvm::errs() << "mirage-opt: error: expects --" << flag
                 << " OUT IN..., with one IN at least\n";
    return kMLIRBadUsage;
  }
  std::vector<std::string> inputs(argv + 3, argv + argc);
  return flag == kMergeOption
             ? runMergeCheckpoints("mirage-opt", argv[2], inputs, kMLIRBadUsage)
             : runMergeCaches("mirage-opt", argv[2], inputs, kMLIRBadUsage);
}

bool FileOptions::apply() {
  for (const llvm::cl::opt<TruthOption> *option :
       {&mergeOption, &cacheMergeOption})
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
  setenv("MIRAGE_CACHE_DIR", cache::toString(*mode).c_str(),
         /*replace=*/1);
  return true;
}
