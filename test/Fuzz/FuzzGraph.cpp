//===- FuzzGraph.cpp - Bytes as the JSON of a graph -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzTarget.h"
#include "Mirage/Graph/GraphJSON.h"
#include "Mirage/Graph/JSONCursor.h"
#include "Mirage/Graph/OriginalJSON.h"
#include "Mirage/Graph/Work.h"
#include "Mirage/Reference/RandomInputs.h"
#include "Mirage/Reference/Reference.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace mlir::mirage;

static std::string print(const Graph &graph) {
  std::string text;
  llvm::raw_string_ostream(text) << toJSON(graph);
  return text;
}

/// Of our form or of the original's.
static llvm::Expected<Graph> read(const llvm::json::Value &document) {
  if (!isOriginalJSON(document))
    return graphFromJSON(document);
  llvm::Expected<OriginalProgram> program = programFromOriginalJSON(document);
  if (!program)
    return program.takeError();
  if (llvm::Error invalid = verify(program->graph))
    return std::move(invalid);
  return std::move(program->graph);
}

/// A graph that has been read is written, read again and found the same.
static void checkRoundTrip(const Graph &graph) {
  std::string text = print(graph);
  Graph again = llvm::cantFail(graphFromJSON(llvm::cantFail(parseJSON(text))));
  if (print(again) != text)
    std::abort();
}

/// Of inputs, results and tiles, and of the walk through all tiles.
static bool isSmall(const Graph &graph) {
  constexpr int64_t kMostElements = 4096;
  constexpr double kMostFlops = 1e5;
  for (ValueId value = 0; value < graph.getNumValues(); ++value)
    if (graph.getType(value).getNumElements() > kMostElements)
      return false;
  for (const Node &operation : graph.getNodes()) {
    if (!operation.body)
      continue;
    double steps = operation.body->loop;
    for (int64_t extent : operation.body->grid)
      steps *= extent;
    if (steps > 1000 || !isSmall(*operation.body))
      return false;
  }
  return countFlops(graph) <= kMostFlops;
}

/// Whatever verifies has numbers.
static void evaluate(const Graph &graph) {
  std::vector<HostTensor> inputs;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    inputs.push_back(makeNormalTensor(graph.getType(input), /*deviation=*/1,
                                      /*seed=*/0, input, /*threads=*/1));
  ReferenceOptions options;
  options.threads = 1;
  options.rounding = Rounding::Declared;
  llvm::cantFail(evaluateReference(graph, inputs, options));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::Expected<llvm::json::Value> document =
      parseJSON(llvm::StringRef(reinterpret_cast<const char *>(data), size));
  if (!document) {
    llvm::consumeError(document.takeError());
    return 0;
  }
  llvm::Expected<Graph> graph = read(*document);
  if (!graph) {
    llvm::consumeError(graph.takeError());
    return 0;
  }
  checkRoundTrip(*graph);
  if (llvm::Error error = checkEvaluable(*graph))
    llvm::consumeError(std::move(error));
  else if (isSmall(*graph))
    evaluate(*graph);
  return 0;
}
