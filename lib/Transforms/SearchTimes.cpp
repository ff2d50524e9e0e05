//===- SearchTimes.cpp - The measured times of a graph --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchTimes.h"
#include "MeasuredRanking.h"
#include "Mirage/Artifact/Bundle.h"
#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Dialect/Operator/LaunchAttributes.h"
#include "Mirage/Graph/GraphJSON.h"
#include "Mirage/Graph/JSONCursor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::mirage;

/// What the function of a graph computes: the program that is recorded with it,
/// or what stands there where none is.
static FailureOr<Graph> readProgram(func::FuncOp function) {
  auto recorded = function->getAttrOfType<StringAttr>(kProgramAttr);
  if (!recorded)
    return readFunction(function);
  llvm::Expected<llvm::json::Value> value = parseJSON(recorded.getValue());
  llvm::Expected<Graph> program =
      value ? graphFromJSON(*value) : llvm::Expected<Graph>(value.takeError());
  if (program)
    return std::move(*program);
  return function->emitError()
         << "expects a graph in " << kProgramAttr << ", but "
         << llvm::toString(program.takeError());
}

static FailureOr<std::string> hashProgramOf(kernel::GraphOp op) {
  auto function = op->getParentOfType<func::FuncOp>();
  FailureOr<Graph> program =
      function ? readProgram(function) : readKernelGraph(op);
  if (failed(program))
    return failure();
  return hashProgram(*program);
}

FailureOr<std::vector<MeasuredTime>>
mlir::mirage::selectTimes(kernel::GraphOp op, ArrayRef<MeasuredTime> times,
                          StringRef file) {
  FailureOr<std::string> program = hashProgramOf(op);
  if (failed(program))
    return failure();
  std::vector<MeasuredTime> selected;
  llvm::copy_if(
      times, std::back_inserter(selected),
      [&](const MeasuredTime &time) { return time.program == *program; });
  if (!selected.empty())
    return selected;
  return op.emitError() << "expects times of the program with hash " << *program
                        << " in '" << file << "', got "
                        << (times.empty()
                                ? std::string("none")
                                : "those of " + times.front().program);
}

/// As hashProgramOf, of a function that may hold anything.
static std::optional<std::string> tryHashProgramOf(kernel::GraphOp op) {
  ScopedDiagnosticHandler silence(op.getContext(),
                                  [](Diagnostic &) { return success(); });
  FailureOr<std::string> program = hashProgramOf(op);
  return succeeded(program) ? std::optional(*program) : std::nullopt;
}

static std::vector<MeasuredTime>
readCached(cache::CacheStore &store, StringRef program, StringRef target) {
  std::vector<MeasuredTime> times;
  for (StringRef line : store.lookupTimes(program)) {
    llvm::Expected<MeasuredTime> time = parseMeasuredTime(line);
    if (!time)
      llvm::consumeError(time.takeError()); // some other Mirage's
    else if (isOfTarget(*time, target))
      times.push_back(std::move(*time));
  }
  return times;
}

std::vector<MeasuredTime>
mlir::mirage::findCachedTimes(kernel::GraphOp op, cache::CacheStore &store,
                              StringRef target) {
  std::optional<std::string> program = tryHashProgramOf(op);
  if (!program)
    return {};
  std::vector<MeasuredTime> times = readCached(store, *program, target);
  int newest = 0;
  for (const MeasuredTime &time : times) {
    newest = std::max(newest, time.driverVersion);
    if (time.device == times.front().device)
      continue;
    op.emitWarning() << "goes by predictions: the cache has times of "
                     << times.front().device << " and of " << time.device
                     << "; times= takes those of one";
    return {};
  }
  llvm::erase_if(times, [&](const MeasuredTime &time) {
    return time.driverVersion != newest;
  });
  return times;
}
