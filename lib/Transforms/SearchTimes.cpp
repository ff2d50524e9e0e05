//===- SearchTimes.cpp - The measured times of a graph --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchTimes.h"
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
