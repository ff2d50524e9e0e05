//===- ExamplePrograms.cpp - The programs in examples/ --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExamplePrograms.h"
#include "Mirage/Graph/GraphJSON.h"
#include "Mirage/Verify/SmallerSizes.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

static std::map<std::string, Graph> readGraphs(const char *path) {
  auto buffer = llvm::cantFail(
      llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(path)));
  llvm::json::Value file =
      llvm::cantFail(llvm::json::parse(buffer->getBuffer()));
  std::map<std::string, Graph> examples;
  for (const auto &[name, graph] : *file.getAsObject())
    examples.emplace(name.str(), llvm::cantFail(graphFromJSON(graph)));
  return examples;
}

/// The programs of µGraphs that are examples themselves.
static const std::map<std::string, std::string> kPrograms = {
    {"mugraphs/rmsnorm_linear-block.mlir", "rmsnorm_linear.mlir"},
    {"mugraphs/rmsnorm_linear-kernel.mlir", "rmsnorm_linear.mlir"},
    {"mugraphs/rmsnorm_linear-thread.mlir", "rmsnorm_linear.mlir"},
    {"mugraphs/flash_attention.mlir", "safe_attention.mlir"},
    {"mugraphs/split_kv.mlir", "safe_attention.mlir"},
    {"mugraphs/softmax-thread.mlir", "mugraphs/softmax-kernel.mlir"}};

std::vector<ExamplePair> mlir::mirage::test::readExamplePairs() {
  std::map<std::string, Graph> examples =
      readGraphs(MIRAGE_TEST_INPUTS "/examples.json");
  std::vector<ExamplePair> pairs;
  for (const auto &[name, graph] : examples) {
    auto program = kPrograms.find(name);
    const Graph &equal =
        program == kPrograms.end() ? graph : examples.at(program->second);
    llvm::Expected<SmallerGraphs> small = withSmallerSizes(equal, graph);
    if (small) {
      pairs.push_back({name, std::move(small->lhs), std::move(small->rhs)});
      continue;
    }
    llvm::consumeError(small.takeError());
    pairs.push_back({name, equal, graph});
  }
  return pairs;
}

std::vector<ExamplePair> mlir::mirage::test::readBenchmarks() {
  std::vector<ExamplePair> pairs;
  for (const auto &[name, graph] :
       readGraphs(MIRAGE_TEST_INPUTS "/benchmarks.json")) {
    llvm::Expected<SmallerGraphs> small = withSmallerSizes(graph, graph);
    if (small)
      pairs.push_back({name, std::move(small->lhs), std::move(small->rhs)});
    else
      llvm::consumeError(small.takeError());
  }
  return pairs;
}
