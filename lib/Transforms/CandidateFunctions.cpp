//===- CandidateFunctions.cpp - Candidates beside the result --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Transforms/CandidateFunctions.h"
#include "Mirage/Graph/CanonicalGraph.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::mirage;

static constexpr StringLiteral kOf = "of", kNumber = "number", kGraph = "graph",
                               kPredictedUs = "predicted_us";

std::optional<CandidateInfo>
mlir::mirage::readCandidateInfo(FunctionOpInterface function) {
  auto dictionary = function->getAttrOfType<DictionaryAttr>(kCandidateAttr);
  if (!dictionary)
    return std::nullopt;
  auto of = dictionary.getAs<StringAttr>(kOf);
  auto number = dictionary.getAs<IntegerAttr>(kNumber);
  auto graph = dictionary.getAs<StringAttr>(kGraph);
  auto predictedUs = dictionary.getAs<FloatAttr>(kPredictedUs);
  if (!of || !number || !graph || !predictedUs)
    return std::nullopt;
  return CandidateInfo{of.str(), number.getInt(), graph.str(),
                       predictedUs.getValueAsDouble()};
}

static DictionaryAttr makeAttr(MLIRContext *context,
                               const CandidateInfo &info) {
  Builder builder(context);
  return builder.getDictionaryAttr(
      {builder.getNamedAttr(kOf, builder.getStringAttr(info.of)),
       builder.getNamedAttr(kNumber, builder.getI64IntegerAttr(info.number)),
       builder.getNamedAttr(kGraph, builder.getStringAttr(info.graph)),
       builder.getNamedAttr(kPredictedUs,
                            builder.getF64FloatAttr(info.predictedUs))});
}

static SmallVector<kernel::GraphOp> listGraphs(FunctionOpInterface function) {
  SmallVector<kernel::GraphOp> graphs;
  function->walk([&](kernel::GraphOp op) { graphs.push_back(op); });
  return graphs;
}

/// Adds a copy of `original`, a candidate, behind `last`, which it becomes.
static FunctionOpInterface insertCopy(SymbolTable &symbols,
                                      mlir::Operation *&last,
                                      FunctionOpInterface original,
                                      const Twine &suffix,
                                      const CandidateInfo &info) {
  auto copy = cast<FunctionOpInterface>(original->clone());
  copy.setName((info.of + suffix).str());
  copy->setAttr(kCandidateAttr, makeAttr(copy->getContext(), info));
  symbols.insert(copy, std::next(Block::iterator(last)));
  last = copy;
  return copy;
}

LogicalResult mlir::mirage::checkKeepsCandidates(FunctionOpInterface function) {
  size_t numGraphs = listGraphs(function).size();
  if (numGraphs != 1)
    return function->emitError()
           << "expects one mirage_kernel.graph in a function whose candidates "
              "are kept, got "
           << numGraphs;
  if (!isa_and_nonnull<ModuleOp>(function->getParentOp()))
    return function->emitError() << "expects a function in a module where "
                                    "candidates are kept";
  return success();
}

void mlir::mirage::writeCandidateFunctions(FunctionOpInterface function,
                                           FunctionOpInterface original,
                                           ArrayRef<TestedCandidate> candidates,
                                           double baselineUs) {
  SymbolTable symbols(function->getParentOp());
  mlir::Operation *last = function;
  CandidateInfo info;
  info.of = function.getName().str();
  info.predictedUs = baselineUs;
  insertCopy(symbols, last, original, "__baseline", info);
  for (const TestedCandidate &candidate : candidates) {
    ++info.number;
    info.graph = hashGraph(candidate.graph);
    info.predictedUs = candidate.predictedUs;
    FunctionOpInterface copy = insertCopy(
        symbols, last, original, "__candidate_" + Twine(info.number), info);
    replaceBody(listGraphs(copy).front(), candidate.graph,
                candidate.certificate);
  }
}
