//===- PrintAbstractExpressions.cpp - What values mean, in normal form ----===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/FindLocation.h"
#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Graph/ComposedOperators.h"
#include "Mirage/Search/TargetProgram.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_PRINTABSTRACTEXPRESSIONSPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;
using search::AtomReading;

static StringRef getReadingName(AtomReading reading) {
  return reading == AtomReading::Function ? "functions" : "written-out";
}

namespace {
/// The lines of one program in one reading.
class ExpressionLines {
public:
  ExpressionLines(const search::TargetProgram &program, AtomReading reading)
      : program(program) {
    search::declareNames(context, program);
    forms = search::computeForms(context, program, reading);
  }

  void print(raw_ostream &os) const {
    const Graph &graph = program.graph;
    for (ValueId input = 0; input < graph.getNumInputs(); ++input)
      printLine(os, input, "input");
    for (const Node &operation : graph.getNodes())
      printLine(os, operation.results[0],
                getOperatorInfo(operation.opcode).name);
    for (ValueId output : graph.getOutputs())
      os << "  output " << output << "\n";
  }

private:
  void printLine(raw_ostream &os, ValueId value, StringRef producer) const {
    os << "  " << value << ": " << producer << " [";
    llvm::interleave(
        program.getDimensions(value), os,
        [&](NameId name) {
          os << (name == kNoName ? StringRef("1") : context.getName(name));
        },
        ",");
    FormId form = forms.ofValues[value];
    os << "] = "
       << (form == FormId::None ? "(too large)" : context.toString(form))
       << "\n";
  }

  const search::TargetProgram &program;
  ExpressionContext context;
  search::TargetForms forms;
};

struct PrintAbstractExpressionsPass
    : mirage::impl::PrintAbstractExpressionsPassBase<
          PrintAbstractExpressionsPass> {
  using PrintAbstractExpressionsPassBase::PrintAbstractExpressionsPassBase;

  void runOnOperation() override {
    FailureOr<SmallVector<AtomReading>> readings = parseReadings();
    if (failed(readings))
      return signalPassFailure();
    WalkResult result = getOperation()->walk([&](kernel::GraphOp op) {
      return failed(print(op, *readings)) ? WalkResult::interrupt()
                                          : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  FailureOr<SmallVector<AtomReading>> parseReadings() {
    SmallVector<AtomReading> readings;
    for (AtomReading reading : {AtomReading::Function, AtomReading::WrittenOut})
      if (atoms == "both" || atoms == getReadingName(reading))
        readings.push_back(reading);
    if (!readings.empty())
      return readings;
    return emitError(findLocation(getOperation()))
           << "expects atoms to be functions, written-out or both, got '"
           << atoms << "'";
  }

  LogicalResult print(kernel::GraphOp op, ArrayRef<AtomReading> readings) {
    FailureOr<Graph> graph = readKernelGraph(op);
    if (failed(graph))
      return failure();
    llvm::Expected<search::TargetProgram> program =
        search::makeTargetProgram(expandComposed(*graph));
    if (!program)
      return op.emitError("has no abstract expressions: ")
             << llvm::toString(program.takeError());
    auto function = op->getParentOfType<FunctionOpInterface>();
    for (AtomReading reading : readings) {
      llvm::errs() << "graph of @" << (function ? function.getName() : "")
                   << ", atoms as " << getReadingName(reading) << "\n";
      ExpressionLines(*program, reading).print(llvm::errs());
    }
    return success();
  }
};
} // namespace
