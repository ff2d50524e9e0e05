//===- mirage-run.cpp - Runs, checks and measures an artifact -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../CommandLine.h"
#include "../StandardOutput.h"
#include "LoadedProgram.h"
#include "Mirage/Artifact/Bundle.h"
#include "Mirage/Reference/Reference.h"
#include "Mirage/Runtime/MeasureWorker.h"
#include "Mirage/Version/Version.h"
#include "Race.h"
#include "Report.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace mlir::mirage;
namespace cl = llvm::cl;

namespace {
enum ExitCode : int { kOk = 0, kCheckFailed = 1, kBadInput = 2 };
enum class Device { Emulator, Cuda, Reference };

constexpr unsigned kMaxThreads = 1024;

struct Options {
  TextOption path;
  Device device = Device::Emulator;
  LibraryUse library = LibraryUse::Auto;
  Rounding rounding = Rounding::Exact;
  TruthOption check = false, measure = false, json = false,
              takesEditedPTX = false;
  NumberOption<uint64_t, 0, UINT64_MAX> seed = 1;
  std::vector<TextOption> inputFiles;
  TextOption outputDirectory, baseline;
  NumberOption<unsigned, 0, kMaxThreads> threads = 0;
  NumberOption<uint64_t, 0, UINT64_MAX> schedule = 0;
  NumberOption<uint64_t, 1, UINT64_MAX> stepLimit =
      EmulatorOptions().stepLimitPerBlock;
  double timeoutS = MeasurerOptions().timeoutS;
  RankedBy rankedBy = RankedBy::Cold;
};
} // namespace

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

/// \returns false after saying what was wrong.
static bool parseOptions(int argc, char **argv, Options &options) {
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
               "default) or declared (each result, to its element type)"));
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
  cl::opt<double, true> timeout(
      "timeout", cl::location(options.timeoutS), in, cl::value_desc("seconds"),
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
               "warps (default: 2^32)"));
  cl::HideUnrelatedOptions(category);
  return !parseCommandLine(argc, argv, kOverview);
}

static llvm::Error checkOptions(const Options &options,
                                const LoadedProgram &program) {
  if (options.measure && options.device != Device::Cuda)
    return llvm::createStringError("--measure expects --device=cuda");
  if (options.library != LibraryUse::Auto && options.device != Device::Cuda)
    return llvm::createStringError("--library expects --device=cuda");
  if (options.device != Device::Emulator &&
      (options.schedule != Options().schedule ||
       options.stepLimit != Options().stepLimit))
    return llvm::createStringError(
        "--schedule and --step-limit expect --device=emulator");
  if (options.rounding != Rounding::Exact &&
      options.device != Device::Reference)
    return llvm::createStringError("--rounding expects --device=reference; a "
                                   "check is against exact numbers");
  if (!program.artifact && options.device != Device::Reference)
    return llvm::createStringError(
        options.path + ": expects the folder of an artifact for this device, "
                       "got a graph, which --device=reference takes");
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

static llvm::Expected<std::vector<HostTensor>>
emulate(const Options &options, const LoadedProgram &program,
        llvm::ArrayRef<HostTensor> inputs, RunReport &report) {
  EmulatorOptions emulatorOptions;
  emulatorOptions.threads = options.threads;
  emulatorOptions.scheduleSeed = options.schedule;
  emulatorOptions.stepLimitPerBlock = options.stepLimit;
  llvm::Expected<EmulatorRun> run =
      runOnEmulator(*program.artifact, inputs, emulatorOptions);
  if (!run)
    return run.takeError();
  report.isClean = run->isClean();
  report.launches = std::move(run->launches);
  return std::move(run->outputs);
}

static llvm::Expected<std::vector<HostTensor>>
runOnCuda(const Options &options, const LoadedProgram &program,
          llvm::ArrayRef<HostTensor> inputs, RunReport &report) {
  llvm::Expected<std::unique_ptr<CudaDevice>> device = CudaDevice::open();
  if (!device)
    return llvm::createStringError(
        "--device=cuda: " + llvm::toString(device.takeError()) +
        "; --device=emulator needs none");
  report.deviceName = (*device)->getName().str();
  llvm::Expected<std::unique_ptr<CudaProgram>> loaded =
      CudaProgram::load(**device, *program.artifact, options.library);
  if (!loaded)
    return loaded.takeError();
  report.cudaLaunches = (*loaded)->getLaunches();
  llvm::Expected<std::vector<HostTensor>> outputs = (*loaded)->run(inputs);
  if (!outputs || !options.measure)
    return outputs;
  llvm::Expected<CudaTimes> times = (*loaded)->measure(inputs);
  if (!times)
    return times.takeError();
  report.times = *times;
  return outputs;
}

static llvm::Expected<std::vector<ReferenceOutput>>
evaluateProgram(const Options &options, const LoadedProgram &program,
                llvm::ArrayRef<HostTensor> inputs, Rounding rounding,
                RunReport &report) {
  auto start = std::chrono::steady_clock::now();
  auto computed = evaluateReference(program.program, inputs,
                                    {options.threads, options.check, rounding});
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  report.referenceTimeS = time.count();
  return computed;
}

static std::vector<HostTensor>
roundOutputs(llvm::ArrayRef<ReferenceOutput> reference, unsigned threads) {
  std::vector<HostTensor> outputs;
  for (const ReferenceOutput &output : reference)
    outputs.push_back(encode(output.type, output.values, threads));
  return outputs;
}

/// \param exact  what was evaluated without rounding, if it was.
static llvm::Expected<std::vector<HostTensor>>
runReference(const Options &options, const LoadedProgram &program,
             llvm::ArrayRef<HostTensor> inputs,
             llvm::ArrayRef<ReferenceOutput> exact, RunReport &report) {
  if (options.rounding == Rounding::Exact)
    return roundOutputs(exact, options.threads);
  auto computed =
      evaluateProgram(options, program, inputs, options.rounding, report);
  if (!computed)
    return computed.takeError();
  return roundOutputs(*computed, options.threads);
}

//===----------------------------------------------------------------------===//
// One run
//===----------------------------------------------------------------------===//

static llvm::Expected<RunReport> run(const Options &options,
                                     const LoadedProgram &program) {
  if (llvm::Error error = checkOptions(options, program))
    return std::move(error);
  bool needsReference = options.check || options.device == Device::Reference;
  if (needsReference)
    if (llvm::Error error = checkEvaluable(program.program))
      return std::move(error);
  if (llvm::Error error = checkMemory(program))
    return std::move(error);
  std::vector<std::string> files(options.inputFiles.begin(),
                                 options.inputFiles.end());
  llvm::Expected<std::vector<HostTensor>> inputs =
      makeInputs(program, files, options.seed, options.threads);
  if (!inputs)
    return inputs.takeError();
  RunReport report;
  report.seed = options.seed;
  std::vector<ReferenceOutput> reference;
  if (options.check ||
      (needsReference && options.rounding == Rounding::Exact)) {
    auto computed =
        evaluateProgram(options, program, *inputs, Rounding::Exact, report);
    if (!computed)
      return computed.takeError();
    reference = std::move(*computed);
  }
  llvm::Expected<std::vector<HostTensor>> outputs = std::vector<HostTensor>();
  switch (options.device) {
  case Device::Emulator:
    report.device = "emulator";
    outputs = emulate(options, program, *inputs, report);
    break;
  case Device::Cuda:
    report.device = "cuda";
    outputs = runOnCuda(options, program, *inputs, report);
    break;
  case Device::Reference:
    report.device = "reference";
    outputs = runReference(options, program, *inputs, reference, report);
    break;
  }
  if (!outputs)
    return outputs.takeError();
  if (options.check)
    for (auto [expected, output] : llvm::zip_equal(reference, *outputs))
      report.checks.push_back(checkOutput(expected, output));
  if (!options.outputDirectory.empty())
    if (llvm::Error error =
            writeOutputs(program, *outputs, options.outputDirectory))
      return std::move(error);
  return report;
}

static llvm::Expected<bool> race(const Options &options, const char *program) {
  RaceOptions racing;
  racing.path = options.path;
  racing.baseline = options.baseline;
  racing.library = options.library;
  racing.json = options.json;
  racing.measurer.worker = llvm::sys::fs::getMainExecutable(
      program, reinterpret_cast<void *>(&race));
  racing.measurer.seed = options.seed;
  racing.measurer.timeoutS = options.timeoutS;
  racing.measurer.rankedBy = options.rankedBy;
  racing.measurer.threads = options.threads;
  if (!options.measure)
    return llvm::createStringError(
        options.path + ": expects --measure for a bundle or a baseline");
  if (!options.inputFiles.empty() || !options.outputDirectory.empty() ||
      options.takesEditedPTX)
    return llvm::createStringError(
        "expects none of --input, --output and --edited-ptx with a bundle or "
        "a baseline: inputs are random by --seed");
  if (!(options.timeoutS > 0))
    return llvm::createStringError("--timeout expects seconds above 0");
  return runRace(racing, llvm::outs());
}

static int fail(llvm::Error error) {
  llvm::errs() << "mirage-run: error: " << llvm::toString(std::move(error))
               << '\n';
  return kBadInput;
}

int main(int argc, char **argv) {
  setVersionPrinter("mirage-run");
  Options options;
  if (argc == 2)
    if (llvm::StringRef job = argv[1]; job.consume_front(kMeasureWorkerOption))
      return runMeasureWorker(job);
  if (!parseOptions(argc, argv, options))
    return kBadInput;
  if (isBundle(options.path) || !options.baseline.empty()) {
    llvm::Expected<bool> isAnyRight = race(options, argv[0]);
    if (!isAnyRight)
      return fail(isAnyRight.takeError());
    if (!finishOutput("mirage-run"))
      return kBadInput;
    return *isAnyRight ? kOk : kCheckFailed;
  }
  llvm::Expected<LoadedProgram> program =
      loadProgram(options.path, {options.takesEditedPTX});
  if (!program)
    return fail(program.takeError());
  llvm::Expected<RunReport> report = run(options, *program);
  if (!report)
    return fail(report.takeError());
  if (options.json)
    printJSON(*program, *report, llvm::outs());
  else
    printText(*program, *report, llvm::outs());
  if (!finishOutput("mirage-run"))
    return kBadInput;
  return report->passes() ? kOk : kCheckFailed;
}
