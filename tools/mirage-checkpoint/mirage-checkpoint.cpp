//===- mirage-checkpoint.cpp - Joins what shards have enumerated ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   mirage-checkpoint merge OUT IN...   joins checkpoints of shards of a
//   search,
//                                       and what OUT has of it
//
// docs/Search.md, "Running a search", says what checkpoints are.
//
//===----------------------------------------------------------------------===//

#include "MergeCheckpoints.h"
#include "Mirage/Version/Version.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir::mirage;
namespace cl = llvm::cl;

static cl::SubCommand merge("merge", "Joins checkpoints of shards of a search");
static cl::opt<std::string> output(cl::Positional, cl::Required,
                                   cl::desc("<file to write or add to>"),
                                   cl::sub(merge));
static cl::list<std::string> inputs(cl::Positional, cl::OneOrMore,
                                    cl::desc("<checkpoints>"), cl::sub(merge));

int main(int argc, char **argv) {
  setVersionPrinter("mirage-checkpoint");
  if (parseCommandLine(argc, argv,
                       "Checkpoints of Mirage's searches (docs/Search.md)\n\n"
                       "Exit status: 0 done, 1 it failed, 2 no such command "
                       "or arguments.\n"))
    return kBadUsage;
  if (!merge) {
    llvm::errs() << "mirage-checkpoint: error: expects merge\n";
    return kBadUsage;
  }
  std::vector<std::string> merged(inputs.begin(), inputs.end());
  return runMergeCheckpoints("mirage-checkpoint", output, merged);
}
