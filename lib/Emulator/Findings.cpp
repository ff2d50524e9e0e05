//===- Findings.cpp - Collects findings without repeating them ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Findings.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir::mirage::emulator;
using llvm::StringRef;

StringRef mlir::mirage::emulator::findingKindName(FindingKind kind) {
  switch (kind) {
  case FindingKind::OutOfBounds:
    return "out-of-bounds";
  case FindingKind::Misaligned:
    return "misaligned";
  case FindingKind::WriteToInput:
    return "write-to-input";
  case FindingKind::UninitializedRead:
    return "uninitialized-read";
  case FindingKind::UnwrittenOutput:
    return "unwritten-output";
  case FindingKind::SharedRace:
    return "shared-race";
  case FindingKind::GlobalRace:
    return "global-race";
  case FindingKind::IntraWarpRace:
    return "intra-warp-race";
  case FindingKind::StoreConflict:
    return "store-conflict";
  case FindingKind::DivergentAligned:
    return "divergent-aligned";
  case FindingKind::BarrierMisuse:
    return "barrier-misuse";
  case FindingKind::WarpSyncMisuse:
    return "warp-sync-misuse";
  case FindingKind::Deadlock:
    return "deadlock";
  case FindingKind::EndlessLoop:
    return "endless-loop";
  case FindingKind::StepLimit:
    return "step-limit";
  case FindingKind::DivisionByZero:
    return "division-by-zero";
  case FindingKind::UnwaitedCopy:
    return "unwaited-copy";
  case FindingKind::MissingProxyFence:
    return "missing-proxy-fence";
  case FindingKind::MBarrierMisuse:
    return "mbarrier-misuse";
  case FindingKind::CopyMisuse:
    return "copy-misuse";
  case FindingKind::MatrixMisuse:
    return "matrix-misuse";
  case FindingKind::RegisterMisuse:
    return "register-misuse";
  case FindingKind::ClusterMisuse:
    return "cluster-misuse";
  case FindingKind::Trap:
    return "trap";
  }
  return "unknown";
}

bool mlir::mirage::emulator::isWarning(FindingKind kind) {
  return kind == FindingKind::IntraWarpRace ||
         kind == FindingKind::UnwaitedCopy;
}

bool mlir::mirage::emulator::isLimit(FindingKind kind) {
  return kind == FindingKind::StepLimit;
}

static void printPlace(llvm::raw_ostream &os, const InstructionPlace &place) {
  os << "PTX line " << place.line;
  if (!place.source.empty())
    os << " (" << place.source << ")";
  else if (place.sourceLine)
    os << " (" << place.sourceFile << ":" << place.sourceLine << ":"
       << place.sourceColumn << ")";
}

std::string Finding::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << findingKindName(kind) << ": " << message;
  if (place.line) {
    os << "; ";
    printPlace(os, place);
  }
  if (otherPlace.line) {
    os << ", the other access at ";
    printPlace(os, otherPlace);
  }
  os << "; block (" << block[0] << ", " << block[1] << ", " << block[2]
     << "), warp " << warp << ", lane " << lane;
  if (count > 1)
    os << "; " << count << " times";
  return text;
}

bool LaunchResult::isClean() const {
  return completed && findingsLeftOut == 0 &&
         llvm::all_of(findings, [](const Finding &finding) {
           return isWarning(finding.kind);
         });
}

void FindingSet::add(FindingKind kind, uint32_t pc, uint32_t otherPc,
                     uint64_t block, uint32_t warp, uint32_t lane,
                     llvm::function_ref<std::string()> message) {
  auto [position, isNew] =
      entries.try_emplace({pc, kind, otherPc}, Entry{block, warp, lane, 0, {}});
  Entry &entry = position->second;
  ++entry.count;
  if (isNew || block < entry.block)
    entry = Entry{block, warp, lane, entry.count, message()};
}

void FindingSet::merge(const FindingSet &other) {
  for (const auto &[key, theirs] : other.entries) {
    auto [position, isNew] = entries.try_emplace(key, theirs);
    if (isNew)
      continue;
    uint64_t count = position->second.count + theirs.count;
    if (theirs.block < position->second.block)
      position->second = theirs;
    position->second.count = count;
  }
}

static InstructionPlace findPlace(const Kernel &kernel, const Program &program,
                                  uint32_t pc) {
  InstructionPlace place;
  if (pc >= kernel.places.size())
    return place;
  place.line = kernel.places[pc].line;
  place.column = kernel.places[pc].column;
  const SourcePlace &source = program.sourcePlaces[kernel.sourcePlaces[pc]];
  place.sourceLine = source.line;
  place.sourceColumn = source.column;
  auto file = program.sourceFiles.find(source.file);
  if (file != program.sourceFiles.end())
    place.sourceFile = file->second;
  return place;
}

void FindingSet::finish(const Kernel &kernel, const Program &program,
                        const LaunchConfig &config,
                        LaunchResult &result) const {
  for (const auto &[key, entry] : entries) {
    if (result.findings.size() == limit) {
      ++result.findingsLeftOut;
      continue;
    }
    auto [pc, kind, otherPc] = key;
    Finding finding;
    finding.kind = kind;
    finding.message = entry.message;
    finding.place = findPlace(kernel, program, pc);
    finding.otherPlace = findPlace(kernel, program, otherPc);
    finding.block = {uint32_t(entry.block % config.grid[0]),
                     uint32_t(entry.block / config.grid[0] % config.grid[1]),
                     uint32_t(entry.block / config.grid[0] / config.grid[1])};
    finding.warp = entry.warp;
    finding.lane = entry.lane;
    finding.count = entry.count;
    result.findings.push_back(std::move(finding));
  }
}
