//===- Target.cpp - What PTX is written for -------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <utility>
#include <vector>

using namespace mlir::mirage::emulator;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringLiteral;
using llvm::StringRef;

/// Each target and the version that brought it, as ptxas 13.0 and LLVM have
/// them. ptxas knows sm_101 as sm_110.
static constexpr std::pair<StringLiteral, PTXVersion> targets[] = {
    {"sm_50", {4, 0}},   {"sm_52", {4, 1}},  {"sm_53", {4, 2}},
    {"sm_60", {5, 0}},   {"sm_61", {5, 0}},  {"sm_62", {5, 0}},
    {"sm_70", {6, 0}},   {"sm_72", {6, 1}},  {"sm_75", {6, 3}},
    {"sm_80", {7, 0}},   {"sm_86", {7, 1}},  {"sm_87", {7, 4}},
    {"sm_88", {9, 0}},   {"sm_89", {7, 8}},  {"sm_90", {7, 8}},
    {"sm_90a", {8, 0}},  {"sm_100", {8, 6}}, {"sm_100a", {8, 6}},
    {"sm_100f", {8, 8}}, {"sm_101", {8, 6}}, {"sm_101a", {8, 6}},
    {"sm_101f", {8, 8}}, {"sm_103", {8, 8}}, {"sm_103a", {8, 8}},
    {"sm_103f", {8, 8}}, {"sm_110", {9, 0}}, {"sm_110a", {9, 0}},
    {"sm_110f", {9, 0}}, {"sm_120", {8, 7}}, {"sm_120a", {8, 7}},
    {"sm_120f", {8, 8}}, {"sm_121", {8, 8}}, {"sm_121a", {8, 8}},
    {"sm_121f", {8, 8}}};

/// Shared memory from one target's number up to the next one's.
static constexpr struct {
  unsigned number;
  uint32_t kiBPerBlock, kiBPerSM;
} sharedMemories[] = {{50, 48, 64},   {52, 48, 96},   {53, 48, 64},
                      {61, 48, 96},   {62, 48, 64},   {70, 96, 96},
                      {75, 64, 64},   {80, 163, 164}, {86, 99, 100},
                      {87, 163, 164}, {89, 99, 100},  {90, 227, 228},
                      {120, 99, 100}};

/// Of pieces that need the same in all opcodes.
static constexpr StringLiteral needsOfPieces =
    "shared::cta: any 7.8; shared::cluster|cluster: sm_90 7.8;"
    "weak|relaxed|acquire|release|acq_rel: sm_70 6.0;"
    "bf16|bf16x2|tf32|relu|NaN: sm_80 7.0; b128: sm_70 8.3;"
    "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|"
    "L1::no_allocate: sm_70 7.4; L2::64B|L2::128B: sm_75 7.4;"
    "L2::256B|L2::evict_last|L2::evict_normal|L2::cache_hint: sm_80 7.4";

std::string PTXVersion::str() const {
  return std::to_string(major) + "." + std::to_string(minor);
}

std::optional<PTXVersion> mlir::mirage::emulator::parseVersion(StringRef text) {
  auto [major, minor] = text.split('.');
  PTXVersion version;
  if (major.getAsInteger(10, version.major) ||
      minor.getAsInteger(10, version.minor))
    return std::nullopt;
  return version;
}

bool mlir::mirage::emulator::parseTarget(StringRef name, Target &target) {
  if (!llvm::is_contained(llvm::make_first_range(targets), name))
    return false;
  target.name = name.str();
  name.consume_front("sm_");
  name.consumeInteger(10, target.number);
  target.suffix = name.empty() ? 0 : name.front();
  return true;
}

PTXVersion mlir::mirage::emulator::firstVersionOf(const Target &target) {
  return llvm::find_if(
             targets,
             [&](const auto &entry) { return entry.first == target.name; })
      ->second;
}

SharedMemoryLimits
mlir::mirage::emulator::getSharedMemoryLimits(const Target &target) {
  const auto *next = llvm::find_if(sharedMemories, [&](const auto &memory) {
    return memory.number > target.number;
  });
  assert(next != std::begin(sharedMemories) && "a target that was parsed");
  const auto &memory = *std::prev(next);
  return {memory.kiBPerBlock << 10, memory.kiBPerSM << 10};
}

namespace {

/// One entry of a text of needs.
struct Need {
  using Alternatives = SmallVector<StringRef, 8>;
  SmallVector<Alternatives, 2> lists; ///< of pieces; none: of the whole
  StringRef target;
  PTXVersion version;

  explicit Need(StringRef text);
  /// The piece that brings the need; "" is the whole.
  std::optional<StringRef> appliesTo(ArrayRef<StringRef> pieces) const;
  bool isMetBy(const Target &target) const;
  std::string describeTarget() const;
};

Need::Need(StringRef text) {
  auto [pieces, needed] = text.rsplit(": ");
  if (needed.empty())
    std::swap(pieces, needed);
  else
    for (StringRef list : llvm::split(pieces.trim(), '+'))
      list.split(lists.emplace_back(), '|');
  StringRef versionText;
  std::tie(target, versionText) = needed.trim().split(' ');
  version = *parseVersion(versionText);
}

std::optional<StringRef> Need::appliesTo(ArrayRef<StringRef> pieces) const {
  StringRef last = "";
  for (const Alternatives &alternatives : lists) {
    const auto *found = llvm::find_if(pieces, [&](StringRef piece) {
      return llvm::is_contained(alternatives, piece);
    });
    if (found == pieces.end())
      return std::nullopt;
    last = *found;
  }
  return last;
}

bool Need::isMetBy(const Target &given) const {
  if (target == "any" || target == given.name)
    return true;
  StringRef rest = target;
  unsigned number = 0;
  rest.consume_front("sm_");
  rest.consumeInteger(10, number);
  if (rest == "a")
    return false;
  return given.number >= number && (rest.empty() || given.suffix != 0);
}

std::string Need::describeTarget() const {
  if (target.ends_with("a"))
    return target.str();
  if (target.ends_with("a+"))
    return (target.drop_back() + " or a later one with a or f").str();
  return (target + " or later").str();
}

std::vector<Need> parseNeeds(StringRef text) {
  std::vector<Need> needs;
  for (StringRef entry : llvm::split(text, ';'))
    if (!entry.empty())
      needs.emplace_back(entry);
  return needs;
}

} // namespace

std::optional<std::string>
mlir::mirage::emulator::explainMissing(const Target &target, StringRef what,
                                       ArrayRef<StringRef> pieces,
                                       StringRef needs) {
  if (target.name.empty()) // which is an error by itself
    return std::nullopt;
  static const std::vector<Need> general = parseNeeds(needsOfPieces);
  std::vector<Need> own = parseNeeds(needs);
  for (const Need &need : llvm::concat<const Need>(own, general)) {
    std::optional<StringRef> piece = need.appliesTo(pieces);
    if (!piece)
      continue;
    std::string of = piece->empty()
                         ? ("'" + what + "'").str()
                         : ("'." + *piece + "' in '" + what + "'").str();
    if (!need.isMetBy(target))
      return "expected .target " + need.describeTarget() + " for " + of +
             ", found " + target.name;
    if (target.version < need.version)
      return "expected .version " + need.version.str() + " or later for " + of +
             ", found " + target.version.str();
  }
  return std::nullopt;
}
