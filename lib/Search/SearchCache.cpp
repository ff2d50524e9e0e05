//===- SearchCache.cpp - What is kept of a search -------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchCache.h"
#include "Mirage/Graph/CanonicalGraph.h"
#include "Mirage/Graph/JSONCursor.h"
#include "SearchRecords.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using cache::RecordKind;

/// What has a say in which structures are found. The number of threads and the
/// time limit have none.
static std::string getStructuresText(const TargetProgram &program,
                                     const SearchOptions &options) {
  std::string text;
  llvm::raw_string_ostream(text)
      << getExplorationText(options) << " max-states=" << options.maxStates
      << " stripped=" << program.isStripped;
  return text;
}

/// Every further one that has a say in which candidates are chosen.
static std::string getChoiceText(const SearchOptions &options) {
  std::string text;
  llvm::raw_string_ostream(text)
      << " candidates=" << options.numCandidates << " stages=" << options.stages
      << " bounds=" << options.cutsKernels << " cuts=" << options.cutsInstances
      << " seed=" << options.seed << " judged=" << options.judgesCandidates
      << " sizes=" << getTileSizeChoiceName(options.tileSizes)
      << " library=" << getLibraryKernelsName(options.libraryKernels);
  return text;
}

/// Structures are of the body. That has no order of its own: it is as the
/// canonical program is, whose sizes may say how it is rewritten.
static std::string hashForStructures(const Graph &original, const Graph &body) {
  std::string text;
  for (const Graph *graph : {&original, &body}) {
    llvm::Expected<std::string> hash = hashWithoutSizes(*graph);
    if (hash) {
      text += *hash;
      continue;
    }
    llvm::consumeError(hash.takeError()); // its dimensions have no names
    text += hashGraph(*graph);
  }
  return text;
}

SearchCache::SearchCache(const TargetProgram &program, const Graph &original,
                         const Graph &body, const SearchOptions &options)
    : program(program), cache(options.cache),
      // Nobody knows what a verifier of the caller's says.
      keepsResults(!options.verify) {
  if (!cache && !options.checkpoint)
    return;
  structuresKey.program = hashForStructures(original, body);
  programHash = structuresKey.program + (program.isStripped ? " stripped" : "");
  resultKey.program = structuresKey.program;
  structuresKey.version = resultKey.version = getSearchVersion();
  structuresKey.options = getStructuresText(program, options);
  resultKey.options = structuresKey.options + getChoiceText(options);
  resultKey.sizedProgram = hashGraph(original);
  resultKey.target = options.target;
}

/// What cannot be read is not there.
bool SearchCache::findItems(KeptItems &items) {
  if (!cache)
    return false;
  std::optional<std::string> text =
      cache->lookup(RecordKind::Structures, structuresKey);
  return text && items.read(*text, program);
}

void SearchCache::keep(const KeptItems &items, StopReason reason) {
  if (cache && items.isToBeKept() && !dependsOnTime(reason))
    cache->store(RecordKind::Structures, structuresKey, items.toText());
}

std::optional<SearchResult> SearchCache::findResult() {
  if (!cache || !keepsResults)
    return std::nullopt;
  std::optional<std::string> text =
      cache->lookup(RecordKind::Results, resultKey);
  if (!text)
    return std::nullopt;
  llvm::Expected<llvm::json::Value> value = parseJSON(*text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  std::string error;
  auto found = readResult(JSONCursor(*value, error), program);
  if (!error.empty())
    return std::nullopt;
  return std::move(found);
}

void SearchCache::keep(const SearchResult &result) {
  if (!cache || !keepsResults || dependsOnTime(result.stopReason))
    return;
  std::string text;
  llvm::raw_string_ostream(text) << toJSON(result);
  cache->store(RecordKind::Results, resultKey, text);
}
