//===- Report.cpp - What mirage-run has to say ----------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir::mirage;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

bool RunReport::passes() const {
  return isClean && llvm::all_of(checks, [](const OutputCheck &check) {
           return check.pass;
         });
}

namespace {
/// One counter: what it is called in text and in JSON.
struct NamedCounter {
  llvm::StringRef title, member;
  uint64_t value;
};
} // namespace

static llvm::SmallVector<NamedCounter, 22>
listCounters(const emulator::Counters &counters) {
  return {
      {"thread instructions", "threadInstructions",
       counters.threadInstructions},
      {"warp instructions", "warpInstructions", counters.warpInstructions},
      {"divergent branches", "divergentBranches", counters.divergentBranches},
      {"barriers", "barriers", counters.barriers},
      {"mbarrier phases", "mbarrierPhases", counters.mbarrierPhases},
      {"mbarrier waits", "mbarrierWaits", counters.mbarrierWaits},
      {"bulk copies", "bulkCopies", counters.bulkCopies},
      {"bulk copy bytes", "bulkBytes", counters.bulkBytes},
      {"matrix flops", "matrixFlops", counters.matrixFlops},
      {"bytes loaded from device memory", "globalLoadBytes",
       counters.globalLoadBytes},
      {"bytes stored to device memory", "globalStoreBytes",
       counters.globalStoreBytes},
      {"sectors loaded", "globalLoadSectors", counters.globalLoadSectors},
      {"sectors stored", "globalStoreSectors", counters.globalStoreSectors},
      {"sectors at least", "globalIdealSectors", counters.globalIdealSectors},
      {"bytes loaded from shared memory", "sharedLoadBytes",
       counters.sharedLoadBytes},
      {"bytes stored to shared memory", "sharedStoreBytes",
       counters.sharedStoreBytes},
      {"shared wavefronts", "sharedWavefronts", counters.sharedWavefronts},
      {"bank conflicts", "sharedBankConflicts", counters.sharedBankConflicts},
      {"wavefronts that read", "sharedLoadWavefronts",
       counters.sharedLoadWavefronts},
      {"bank conflicts of these", "sharedLoadBankConflicts",
       counters.sharedLoadBankConflicts},
      {"wavefronts of ldmatrix and stmatrix", "matrixRowWavefronts",
       counters.matrixRowWavefronts},
      {"bank conflicts of these", "matrixRowBankConflicts",
       counters.matrixRowBankConflicts}};
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void printLaunch(const EmulatedLaunch &launch, llvm::raw_ostream &os) {
  os << "kernel " << launch.kernel << ": "
     << (launch.result.completed ? "emulated in " : "stopped after ")
     << llvm::format("%.3g", launch.timeS) << " s\n";
  for (const NamedCounter &counter : listCounters(launch.result.counters))
    if (counter.value)
      os << llvm::format("%16llu ",
                         static_cast<unsigned long long>(counter.value))
         << counter.title << '\n';
  for (const emulator::Finding &finding : launch.result.findings)
    os << (emulator::isWarning(finding.kind) ? "  warning: " : "  fault: ")
       << finding.str() << '\n';
  if (launch.result.findingsLeftOut)
    os << "  and " << launch.result.findingsLeftOut << " more\n";
}

static void printLaunch(const CudaLaunch &launch, llvm::raw_ostream &os) {
  os << "kernel " << launch.kernel << ": ";
  if (!launch.library.empty())
    os << "left to " << launch.library << '\n';
  else if (!launch.whyNot.empty())
    os << "launched itself: " << launch.whyNot << '\n';
  else
    os << "launched\n";
}

static void printTimes(const RunReport &report, llvm::raw_ostream &os) {
  const CudaTimes &times = *report.times;
  auto print = [&](llvm::StringRef title, const Quartiles &us) {
    os << title
       << llvm::format(" %.2f us (half of the replays within ", us.median)
       << llvm::format("%.2f ... %.2f)", us.low, us.high);
  };
  print("hot", times.hotUs);
  print(", cold", times.coldUs);
  os << ", " << times.tensorBytes << " bytes of tensors in " << times.coldCopies
     << " copies\n";
}

/// Of outputs that are wrong: what the program's own types cost.
static void printDeclared(const LoadedProgram &program, const RunReport &report,
                          llvm::raw_ostream &os) {
  for (auto [output, declared] : llvm::enumerate(report.declaredChecks))
    if (!report.checks[output].pass && !declared.pass)
      os << "  rounded as it declares, the program itself is: "
         << toString(declared, program.outputs[output].type.shape) << '\n';
}

void mlir::mirage::printText(const LoadedProgram &program,
                             const RunReport &report, llvm::raw_ostream &os) {
  if (!report.deviceName.empty())
    os << "device " << report.deviceName << '\n';
  for (const EmulatedLaunch &launch : report.launches)
    printLaunch(launch, os);
  for (const CudaLaunch &launch : report.cudaLaunches)
    printLaunch(launch, os);
  if (!report.whyNoGraph.empty())
    os << "launched one by one: " << report.whyNoGraph << '\n';
  if (report.referenceTimeS > 0)
    os << "reference computed in "
       << llvm::format("%.3g", report.referenceTimeS) << " s\n";
  for (size_t output = 0; output < report.checks.size(); ++output)
    os << "output " << program.outputs[output].name << ": "
       << toString(report.checks[output], program.outputs[output].type.shape)
       << '\n';
  printDeclared(program, report, os);
  if (report.times)
    printTimes(report, os);
  if (!report.isClean)
    os << "check failed: the emulator found faults\n";
  else if (!report.passes())
    os << "check failed\n";
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// JSON has no infinities and no NaN.
static Value toValue(double number) {
  if (std::isfinite(number))
    return number;
  return std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
}

static Value toValue(const EmulatedLaunch &launch) {
  Object counters, instructions;
  for (const NamedCounter &counter : listCounters(launch.result.counters))
    counters[counter.member] = counter.value;
  for (unsigned i = 0; i < emulator::numInstructionClasses; ++i)
    instructions[emulator::instructionClassName(
        static_cast<emulator::InstructionClass>(i))] =
        launch.result.counters.instructions[i];
  counters["instructions"] = std::move(instructions);
  Array findings;
  for (const emulator::Finding &finding : launch.result.findings)
    findings.push_back(Object{{"kind", emulator::findingKindName(finding.kind)},
                              {"warning", emulator::isWarning(finding.kind)},
                              {"line", finding.place.line},
                              {"count", finding.count},
                              {"message", finding.str()}});
  return Object{{"kernel", launch.kernel},
                {"timeS", launch.timeS},
                {"completed", launch.result.completed},
                {"counters", std::move(counters)},
                {"findings", std::move(findings)},
                {"findingsLeftOut", launch.result.findingsLeftOut}};
}

static Value textOrNull(const std::string &text) {
  return text.empty() ? Value(nullptr) : Value(text);
}

/// Null is what there is none of.
static Value toValue(const CudaLaunch &launch) {
  return Object{{"kernel", launch.kernel},
                {"library", textOrNull(launch.library)},
                {"whyNot", textOrNull(launch.whyNot)}};
}

static Object toObject(llvm::StringRef name, const OutputCheck &check) {
  return Object{{"name", name.str()},
                {"pass", check.pass},
                {"tolerance", check.tolerance},
                {"relativeError", toValue(check.relativeError)},
                {"worstError", toValue(check.worstError)},
                {"worstIndex", check.worstIndex},
                {"worstComputed", toValue(check.worstComputed)},
                {"worstReference", toValue(check.worstReference)},
                {"newNonFinite", check.newNonFinite},
                {"missingNonFinite", check.missingNonFinite},
                {"differentNonFinite", check.differentNonFinite}};
}

static Value toValue(const CudaTimes &times) {
  return Object{
      {"hotUs", times.hotUs.median},      {"hotLowUs", times.hotUs.low},
      {"hotHighUs", times.hotUs.high},    {"coldUs", times.coldUs.median},
      {"coldLowUs", times.coldUs.low},    {"coldHighUs", times.coldUs.high},
      {"tensorBytes", times.tensorBytes}, {"coldCopies", times.coldCopies}};
}

void mlir::mirage::printJSON(const LoadedProgram &program,
                             const RunReport &report, llvm::raw_ostream &os) {
  Object object{{"device", report.device},
                {"seed", static_cast<int64_t>(report.seed)}};
  if (!report.deviceName.empty())
    object["deviceName"] = report.deviceName;
  if (report.device != "reference") {
    Array launches;
    for (const EmulatedLaunch &launch : report.launches)
      launches.push_back(toValue(launch));
    for (const CudaLaunch &launch : report.cudaLaunches)
      launches.push_back(toValue(launch));
    object["launches"] = std::move(launches);
    if (!report.cudaLaunches.empty())
      object["whyNoGraph"] = textOrNull(report.whyNoGraph);
  }
  if (!report.checks.empty()) {
    Array outputs;
    for (size_t output = 0; output < report.checks.size(); ++output) {
      Object entry =
          toObject(program.outputs[output].name, report.checks[output]);
      if (!report.declaredChecks.empty())
        entry["declared"] = toObject(program.outputs[output].name,
                                     report.declaredChecks[output]);
      outputs.push_back(std::move(entry));
    }
    object["outputs"] = std::move(outputs);
    object["referenceTimeS"] = report.referenceTimeS;
    object["pass"] = report.passes();
  }
  if (report.times)
    object["times"] = toValue(*report.times);
  os << Value(std::move(object)) << '\n';
}
