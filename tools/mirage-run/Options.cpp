//===- Options.cpp - What mirage-run is asked to do -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "../CommandLine.h"
#include "Mirage/Artifact/Bundle.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir::mirage;
namespace cl = llvm::cl;

namespace {
// The values of each option, by name.
constexpr std::pair<llvm::StringLiteral, Device> kDevices[] = {
    {"emulator", Device::Emulator},
    {"cuda", Device::Cuda},
    {"reference", Device::Reference}};
constexpr std::pair<llvm::StringLiteral, LibraryUse> kLibraryUses[] = {
    {"auto", LibraryUse::Auto},
    {"never", LibraryUse::Never},
    {"always", LibraryUse::Always}};
constexpr std::pair<llvm::StringLiteral, RankedBy> kRankings[] = {
    {"cold", RankedBy::Cold}, {"hot", RankedBy::Hot}};
constexpr std::pair<llvm::StringLiteral, Rounding> kRoundings[] = {
    {"exact", Rounding::Exact}, {"declared", Rounding::Declared}};

/// Parses one of the names in a table. LLVM's own parser of enumerations does
/// not say which values there are.
template <const auto &table, typename Value = decltype(table[0].second)>
struct NameParser : cl::parser<std::remove_const_t<Value>> {
  using cl::parser<std::remove_const_t<Value>>::parser;

  bool parse(cl::Option &option, llvm::StringRef, llvm::StringRef text,
             std::remove_const_t<Value> &value) {
    if (refuseRepeated(option, text))
      return true;
    for (const auto &[name, named] : table)
      if (text == name) {
        value = named;
        return false;
      }
    return refuseOption(option, "",
                        " " + listNames() + ", " + describeFound(text));
  }

private:
  static std::string listNames() {
    std::string names;
    for (auto [i, entry] : llvm::enumerate(table)) {
      names += i == 0 ? "" : i + 1 == std::size(table) ? " or " : ", ";
      names += entry.first;
    }
    return names;
  }
};
} // namespace

constexpr llvm::StringLiteral kOverview =
    "Runs, checks and measures an artifact of Mirage.\n\n"
    "  mirage-run out/ --device=emulator --check\n"
    "  mirage-run bundle/ --measure\n\n"
    "Exit status: 0 all is right, 1 a check failed or the emulator "
    "found faults, 2 bad input.\n";

//===----------------------------------------------------------------------===//
// Which option goes with what
//===----------------------------------------------------------------------===//

namespace {
/// What is done, as bits: runs on one of the devices, and races.
enum Mode : unsigned { OnEmulator = 1, OnCuda = 2, OnReference = 4, Race = 8 };
constexpr unsigned kRuns = OnEmulator | OnCuda | OnReference;
constexpr unsigned kAll = kRuns | Race;

constexpr std::pair<Mode, llvm::StringLiteral> kModeNames[] = {
    {OnEmulator, "--device=emulator"},
    {OnCuda, "--device=cuda"},
    {OnReference, "--device=reference"},
    {Race, "a bundle or --baseline"}};

/// Whatever is told must be of use: an option that is passed over in silence
/// would let somebody believe that it was heard.
constexpr std::pair<llvm::StringLiteral, unsigned> kModesOfOptions[] = {
    {"device", kAll}, // of a race, the GPU
    {"rounding", OnReference},
    {"library", OnCuda | Race},
    {"check", kAll}, // a race always does
    {"measure", OnCuda | Race},
    {"baseline", Race},
    {"timeout", Race},
    {"rank-by", Race},
    {"json", kAll},
    {"edited-ptx", kRuns},
    {"seed", kAll},
    {"input", kRuns},
    {"output", kRuns},
    {"threads", kAll},
    {"schedule", OnEmulator},
    {"step-limit", OnEmulator}};
} // namespace

static bool isGiven(const Options &options, llvm::StringRef name) {
  return llvm::is_contained(options.given, name);
}

bool mlir::mirage::isRace(const Options &options) {
  return isBundle(options.path) || !options.baseline.empty();
}

static Mode getMode(const Options &options) {
  if (isRace(options))
    return Race;
  switch (options.device) {
  case Device::Emulator:
    return OnEmulator;
  case Device::Cuda:
    return OnCuda;
  case Device::Reference:
    return OnReference;
  }
  llvm_unreachable("all devices are handled");
}

static std::string describeModes(unsigned modes) {
  llvm::SmallVector<llvm::StringRef> names;
  for (const auto &[mode, name] : kModeNames)
    if (modes & mode)
      names.push_back(name);
  std::string text = names.front().str();
  for (llvm::StringRef name : llvm::drop_begin(names))
    text += (name == names.back() ? " or " : ", ") + name.str();
  return text;
}

llvm::Error mlir::mirage::checkOptions(const Options &options) {
  // What is done depends on what is there.
  if (!llvm::sys::fs::exists(options.path))
    return llvm::createStringError(
        options.path +
        ": expects the folder of an artifact or a bundle, or a graph in a "
        ".json file, got nothing there");
  Mode mode = getMode(options);
  if (mode == Race && !options.measure)
    return llvm::createStringError(
        options.path + ": expects --measure for a bundle or a baseline");
  if (mode == Race && isGiven(options, "device") &&
      options.device != Device::Cuda)
    return llvm::createStringError(
        "--device expects cuda for a bundle or a baseline");
  for (const auto &[name, modes] : kModesOfOptions)
    if (isGiven(options, name) && !(modes & mode))
      return llvm::createStringError("--" + name + " expects " +
                                     describeModes(modes) + ", got " +
                                     describeModes(mode));
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

/// The names of options of a category that were on the command line.
static std::vector<std::string> listGiven(cl::OptionCategory &category) {
  std::vector<std::string> given;
  for (const cl::Option *option :
       llvm::make_second_range(cl::getRegisteredOptions())) {
    if (!llvm::is_contained(option->Categories, &category))
      continue;
    assert(llvm::is_contained(llvm::make_first_range(kModesOfOptions),
                              option->ArgStr) &&
           "the table has all options");
    if (option->getNumOccurrences() > 0)
      given.push_back(option->ArgStr.str());
  }
  return given;
}

bool mlir::mirage::parseOptions(int argc, char **argv, Options &options) {
  cl::OptionCategory category("mirage-run options");
  auto in = cl::cat(category);
  cl::opt<TextOption, true> path(
      cl::Positional, cl::Required, cl::location(options.path), in,
      cl::desc("<folder of an artifact or, for --measure, of a bundle, or a "
               "graph in a .json file>"));
  cl::opt<Device, true, NameParser<kDevices>> device(
      "device", cl::location(options.device), in, cl::value_desc("device"),
      cl::desc("What computes: emulator (the PTX, on the CPU; the default), "
               "cuda (the PTX or cubin, on a GPU) or reference (the original "
               "program, in float64)"));
  cl::opt<Rounding, true, NameParser<kRoundings>> rounding(
      "rounding", cl::location(options.rounding), in,
      cl::value_desc("rounding"),
      cl::desc("What the reference rounds: exact (nothing but its outputs; the "
               "default) or declared (each result, to its element type); a "
               "check is against exact numbers"));
  cl::opt<LibraryUse, true, NameParser<kLibraryUses>> library(
      "library", cl::location(options.library), in, cl::value_desc("use"),
      cl::desc("Whether cuBLASLt does the launches on a GPU that the artifact "
               "has a call of it for: auto (where it is found and takes them; "
               "the default), never or always"));
  cl::opt<TruthOption, true> check(
      "check", cl::location(options.check), in,
      cl::desc("Compare with the original program in float64"));
  cl::opt<TruthOption, true> measure(
      "measure", cl::location(options.measure), in,
      cl::desc("Time CUDA-graph replays. Of a bundle, or with --baseline: "
               "find the fastest that is right, each in a process of its own"));
  cl::opt<TextOption, true> baseline(
      "baseline", cl::location(options.baseline), in, cl::value_desc("folder"),
      cl::desc("An artifact of the same program to measure against"));
  cl::opt<SecondsOption, true> timeout(
      "timeout", cl::location(options.timeout), in, cl::value_desc("seconds"),
      cl::desc("Without a sign for so long, a process that runs a candidate "
               "is ended (default: 60)"));
  cl::opt<RankedBy, true, NameParser<kRankings>> rankedBy(
      "rank-by", cl::location(options.rankedBy), in, cl::value_desc("time"),
      cl::desc("Which time makes a candidate the fastest: cold (tensors are "
               "not in the L2 cache; the default) or hot"));
  cl::opt<TruthOption, true> json("json", cl::location(options.json), in,
                                  cl::desc("Report as one line of JSON"));
  cl::opt<TruthOption, true> editedPTX(
      "edited-ptx", cl::location(options.takesEditedPTX), in,
      cl::desc("Take kernels.ptx as it is, though it is not the file that the "
               "manifest describes; cubins are left out"));
  cl::opt<NumberOption<uint64_t, 0, UINT64_MAX>, true> seed(
      "seed", cl::location(options.seed), in,
      cl::desc("Seed of random inputs (default: 1)"));
  cl::list<TextOption, std::vector<TextOption>> inputs(
      "input", cl::location(options.inputFiles), in,
      cl::value_desc("name=x.npy"), cl::desc("An input from a file"));
  cl::opt<TextOption, true> output(
      "output", cl::location(options.outputDirectory), in,
      cl::value_desc("folder"), cl::desc("Write outputs there as .npy files"));
  cl::opt<NumberOption<unsigned, 0, kMaxThreads>, true> threads(
      "threads", cl::location(options.threads), in,
      cl::desc("Threads of the host (default: all)"));
  cl::opt<NumberOption<uint64_t, 0, UINT64_MAX>, true> schedule(
      "schedule", cl::location(options.schedule), in, cl::value_desc("seed"),
      cl::desc("The emulator lets warps take turns, and copies arrive, at "
               "random by this seed; 0: in order (default)"));
  cl::opt<NumberOption<uint64_t, 1, UINT64_MAX>, true> stepLimit(
      "step-limit", cl::location(options.stepLimit), in,
      cl::value_desc("instructions"),
      cl::desc("The emulator stops a block after so many instructions of its "
               "warps, and the launch with it (default: 2^29)"));
  cl::HideUnrelatedOptions(category);
  bool isGood = !parseCommandLine(argc, argv, kOverview);
  options.given = listGiven(category);
  return isGood;
}
