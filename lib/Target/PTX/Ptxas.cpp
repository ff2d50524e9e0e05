//===- Ptxas.cpp - NVIDIA's assembler, where there is one -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Target/PTX/Ptxas.h"
#include "Mirage/Graph/TemporaryFolder.h"
#include "Mirage/Graph/WholeFiles.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::mirage;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

//===----------------------------------------------------------------------===//
// Finding it
//===----------------------------------------------------------------------===//

/// Looks among the Python packages below a prefix such as /usr/local or a
/// virtual environment. Debian calls their folder dist-packages.
static std::optional<std::string> findInPythonPrefix(llvm::StringRef prefix) {
  llvm::SmallString<128> libraries(prefix);
  path::append(libraries, "lib");
  std::error_code error;
  for (fs::directory_iterator entry(libraries, error), end;
       entry != end && !error; entry.increment(error)) {
    if (!path::filename(entry->path()).starts_with("python3"))
      continue;
    for (llvm::StringRef packages : {"site-packages", "dist-packages"})
      for (llvm::StringRef package : {"cu13/bin", "cuda_nvcc/bin"}) {
        llvm::SmallString<128> candidate(entry->path());
        path::append(candidate, packages, "nvidia", package, "ptxas");
        if (fs::can_execute(candidate))
          return candidate.str().str();
      }
  }
  return std::nullopt;
}

/// Where pip installs to, the most particular first: the virtual environment,
/// the user's packages, those of the python3 in PATH, those of the machine.
static llvm::SmallVector<std::string> getPythonPrefixes() {
  llvm::SmallVector<std::string> prefixes;
  if (auto environment = llvm::sys::Process::GetEnv("VIRTUAL_ENV"))
    prefixes.push_back(*environment);
  if (llvm::SmallString<128> home; path::home_directory(home)) {
    path::append(home, ".local");
    prefixes.push_back(home.str().str());
  }
  if (llvm::ErrorOr<std::string> python =
          llvm::sys::findProgramByName("python3"))
    prefixes.push_back(path::parent_path(path::parent_path(*python)).str());
  prefixes.push_back("/usr/local");
  return prefixes;
}

std::optional<std::string> mlir::mirage::findPtxas() {
  if (llvm::ErrorOr<std::string> program =
          llvm::sys::findProgramByName("ptxas"))
    return *program;
  llvm::SmallVector<std::string> toolkits;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (std::optional<std::string> home = llvm::sys::Process::GetEnv(variable))
      toolkits.push_back(*home);
  toolkits.push_back("/usr/local/cuda");
  for (const std::string &toolkit : toolkits) {
    llvm::SmallString<128> candidate(toolkit);
    path::append(candidate, "bin", "ptxas");
    if (fs::can_execute(candidate))
      return candidate.str().str();
  }
  for (const std::string &prefix : getPythonPrefixes())
    if (std::optional<std::string> found = findInPythonPrefix(prefix))
      return found;
  return std::nullopt;
}

llvm::Expected<PtxasChoice> mlir::mirage::choosePtxas(llvm::StringRef option) {
  if (option == "never")
    return PtxasChoice();
  if (option.contains('/')) {
    if (fs::can_execute(option))
      return PtxasChoice{option.str(), true};
    return llvm::createStringError("expects ptxas= to name a program, got '" +
                                   option + "', which cannot be executed");
  }
  if (option != "auto" && option != "required")
    return llvm::createStringError(
        "expects ptxas=auto, never, required or a path with a '/', got '" +
        option + "'");
  PtxasChoice choice{findPtxas(), option == "required"};
  if (choice.isRequired && !choice.path)
    return llvm::createStringError(
        "expects ptxas in PATH, under $CUDA_HOME or from the Python package "
        "nvidia-cuda-nvcc, found none");
  return choice;
}

//===----------------------------------------------------------------------===//
// Reading its report
//===----------------------------------------------------------------------===//

/// The number that stands before `words` in a line: 24 in "Used 24 registers"
/// for " registers". Zero where they are absent.
static unsigned readNumberBefore(llvm::StringRef line, llvm::StringRef words) {
  llvm::StringRef before = line.substr(0, line.find(words));
  if (before.size() == line.size())
    return 0;
  unsigned number = 0;
  before.substr(before.find_last_not_of("0123456789") + 1)
      .getAsInteger(10, number);
  return number;
}

static bool isSerializationMessage(llvm::StringRef line) {
  return line.contains("(C751");
}

AssembledModule mlir::mirage::parsePtxasReport(llvm::StringRef report) {
  AssembledModule result;
  llvm::SmallVector<llvm::StringRef> lines;
  report.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines) {
    if (line.contains("Compiling entry function '")) {
      llvm::StringRef name = line.split("function '").second.split('\'').first;
      result.kernels.push_back({name.str()});
    } else if (line.contains("warning") || isSerializationMessage(line)) {
      result.warnings.push_back(line.trim().str());
    } else if (!result.kernels.empty()) {
      KernelResources &kernel = result.kernels.back();
      kernel.stackBytes += readNumberBefore(line, " bytes stack frame");
      kernel.spillBytes += readNumberBefore(line, " bytes spill stores") +
                           readNumberBefore(line, " bytes spill loads");
      kernel.registers += readNumberBefore(line, " registers");
      kernel.sharedBytes += readNumberBefore(line, " bytes smem");
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Running it
//===----------------------------------------------------------------------===//

static std::string readFile(llvm::StringRef name) {
  auto buffer = llvm::MemoryBuffer::getFile(name);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// The line that says what went wrong, or else the first.
static llvm::StringRef findTellingLine(llvm::StringRef report) {
  llvm::SmallVector<llvm::StringRef> lines;
  report.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines)
    if (line.contains("error") || line.contains("fatal"))
      return line.trim();
  return lines.empty() ? "" : lines.front().trim();
}

/// How a run ended, if it did not end well.
static llvm::Error explainFailure(llvm::StringRef ptxas, int status,
                                  llvm::StringRef message,
                                  llvm::StringRef report) {
  if (status == 0)
    return llvm::Error::success();
  llvm::StringRef said = findTellingLine(report);
  if (status < 0)
    return makeError(ptxas + " cannot be run to its end: " +
                     (message.empty() ? said : message));
  return makeError(ptxas + " exits with status " + llvm::Twine(status) +
                   (said.empty() ? ", without a word" : ": ") + said);
}

llvm::Expected<AssembledModule>
mlir::mirage::assemblePTX(llvm::StringRef ptxas, llvm::StringRef ptx,
                          llvm::StringRef chip) {
  llvm::Expected<TemporaryFolder> folder =
      TemporaryFolder::make("mirage-ptxas");
  if (!folder)
    return folder.takeError();
  std::string source = folder->getFile("kernels.ptx"),
              object = folder->getFile("kernels.cubin"),
              report = folder->getFile("log");
  if (llvm::Error error = writeWholeFile(source, ptx))
    return std::move(error);

  std::string architecture = ("-arch=" + chip).str(), message;
  llvm::StringRef arguments[] = {ptxas,  architecture, "-v",
                                 source, "-o",         object};
  std::optional<llvm::StringRef> redirects[] = {std::nullopt, report, report};
  int status =
      llvm::sys::ExecuteAndWait(ptxas, arguments, std::nullopt, redirects,
                                /*SecondsToWait=*/300, 0, &message);
  std::string text = readFile(report);
  if (llvm::Error failed = explainFailure(ptxas, status, message, text))
    return std::move(failed);
  AssembledModule assembled = parsePtxasReport(text);
  assembled.cubin = readFile(object);
  if (!llvm::StringRef(assembled.cubin)
           .starts_with("\x7f"
                        "ELF"))
    return makeError(ptxas +
                     " exits with status 0 and leaves no ELF file; it says: '" +
                     findTellingLine(text) + "'");
  return assembled;
}

std::vector<BrokenPromise>
mlir::mirage::findBrokenPromises(const AssembledModule &assembled) {
  std::vector<BrokenPromise> broken;
  for (const KernelResources &kernel : assembled.kernels)
    if (kernel.spillBytes > 0)
      broken.push_back(
          {kernel.name,
           "expects kernel '" + kernel.name + "' to fit the " +
               std::to_string(kernel.registers) +
               " registers that its threads can have, ptxas spills " +
               std::to_string(kernel.spillBytes) + " bytes per thread"});
  for (const std::string &warning : assembled.warnings)
    if (isSerializationMessage(warning))
      broken.push_back({llvm::StringRef(warning)
                            .split("function '")
                            .second.split('\'')
                            .first.str(),
                        "expects no serialised wgmma, ptxas says: " + warning});
  return broken;
}
