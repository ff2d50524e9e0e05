//===- mirage-run.cpp - Runs, checks and measures an artifact -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../MissingMemory.h"
#include "../StandardOutput.h"
#include "LoadedProgram.h"
#include "Mirage/Graph/MachineMemory.h"
#include "Mirage/Reference/Reference.h"
#include "Mirage/Runtime/MeasureWorker.h"
#include "Mirage/Version/Version.h"
#include "Options.h"
#include "RaceReport.h"
#include "Report.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace mlir::mirage;

namespace {
enum ExitCode : int { kOk = 0, kCheckFailed = 1, kBadInput = 2 };
} // namespace

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
  if (llvm::Error error = (*device)->makeCurrent())
    return std::move(error);
  report.deviceName = (*device)->getName().str();
  llvm::Expected<std::unique_ptr<CudaProgram>> loaded =
      CudaProgram::load(**device, *program.artifact, options.library);
  if (!loaded)
    return loaded.takeError();
  report.cudaLaunches = (*loaded)->getLaunches();
  report.whyNoGraph = (*loaded)->getWhyNoGraph();
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

static std::vector<OutputCheck>
checkOutputs(llvm::ArrayRef<ReferenceOutput> reference,
             llvm::ArrayRef<HostTensor> outputs, F32Products f32Products) {
  std::vector<OutputCheck> checks;
  for (auto [expected, output] : llvm::zip_equal(reference, outputs))
    checks.push_back(checkOutput(expected, output, f32Products));
  return checks;
}

/// Tells what a program's types cost from what kernels get wrong.
static llvm::Error checkDeclared(const Options &options,
                                 const LoadedProgram &program,
                                 llvm::ArrayRef<HostTensor> inputs,
                                 llvm::ArrayRef<ReferenceOutput> exact,
                                 RunReport &report) {
  auto declared = evaluateReference(
      program.program, inputs,
      {options.threads, /*scales=*/false, Rounding::Declared});
  if (!declared)
    return declared.takeError();
  report.declaredChecks = checkOutputs(
      exact, roundOutputs(*declared, options.threads), F32Products::Exact);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// One run
//===----------------------------------------------------------------------===//

/// The most bytes that are sure to be needed at a time: what the reference
/// makes of the inputs stays while the device computes.
static double countBytes(const Options &options, const LoadedProgram &program,
                         bool needsReference) {
  double inputs = 0, outputs = 0, reference = 0;
  for (const ArtifactTensor &tensor : program.inputs)
    inputs += tensor.type.getSizeBytes();
  for (const ArtifactTensor &tensor : program.outputs) {
    outputs += tensor.type.getSizeBytes();
    if (options.check)
      reference += double(tensor.type.getNumElements()) * sizeof(double);
  }
  double run = reference + (options.device == Device::Emulator
                                ? countEmulatedBytes(*program.artifact)
                                : outputs);
  if (needsReference)
    run = std::max(run, countReferenceBytes(program.program));
  return inputs + run;
}

static llvm::Expected<RunReport> run(const Options &options,
                                     const LoadedProgram &program) {
  if (!program.artifact && options.device != Device::Reference)
    return llvm::createStringError(
        options.path + ": expects the folder of an artifact for this device, "
                       "got a graph, which --device=reference takes");
  bool needsReference = options.check || options.device == Device::Reference;
  if (needsReference)
    if (llvm::Error error = checkEvaluable(program.program))
      return std::move(error);
  if (llvm::Error error =
          checkMemory("inputs, outputs and workspace, with their copies,",
                      countBytes(options, program, needsReference)))
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
  F32Products f32Products = program.artifact
                                ? findF32Products(*program.artifact)
                                : F32Products::Exact;
  if (options.check)
    report.checks = checkOutputs(reference, *outputs, f32Products);
  bool isWrong = llvm::any_of(
      report.checks, [](const OutputCheck &check) { return !check.pass; });
  if (isWrong && options.device != Device::Reference)
    if (llvm::Error error =
            checkDeclared(options, program, *inputs, reference, report))
      return std::move(error);
  if (!options.outputDirectory.empty())
    if (llvm::Error error =
            writeOutputs(program, *outputs, options.outputDirectory))
      return std::move(error);
  return report;
}

static llvm::Expected<RaceResult> race(const Options &options,
                                       const char *program) {
  RaceOptions racing;
  racing.path = options.path;
  racing.baseline = options.baseline;
  racing.library = options.library;
  racing.measurer.worker = llvm::sys::fs::getMainExecutable(
      program, reinterpret_cast<void *>(&race));
  racing.measurer.seed = options.seed;
  racing.measurer.timeoutS = options.timeout;
  racing.measurer.rankedBy = options.rankedBy;
  racing.measurer.threads = options.threads;
  return runRace(racing);
}

static int fail(llvm::Error error) {
  llvm::errs() << "mirage-run: error: " << llvm::toString(std::move(error))
               << '\n';
  return kBadInput;
}

int main(int argc, char **argv) {
  endWhereMemoryIsMissing("mirage-run", kBadInput);
  setVersionPrinter("mirage-run");
  Options options;
  if (argc == 2)
    if (llvm::StringRef job = argv[1]; job.consume_front(kMeasureWorkerOption))
      return runMeasureWorker(job);
  if (!parseOptions(argc, argv, options))
    return kBadInput;
  if (llvm::Error error = checkOptions(options))
    return fail(std::move(error));
  if (isRace(options)) {
    llvm::Expected<RaceResult> result = race(options, argv[0]);
    if (!result)
      return fail(result.takeError());
    if (options.json)
      printJSON(*result, llvm::outs());
    else
      printText(*result, llvm::outs());
    if (!finishOutput("mirage-run"))
      return kBadInput;
    return result->isAnyRight() ? kOk : kCheckFailed;
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
