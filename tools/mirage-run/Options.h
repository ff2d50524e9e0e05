//===- Options.h - What mirage-run is asked to do ---------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TOOLS_MIRAGE_RUN_OPTIONS_H
#define MIRAGE_TOOLS_MIRAGE_RUN_OPTIONS_H

#include "Mirage/Options/CheckedOptions.h"
#include "Mirage/Reference/Reference.h"
#include "Mirage/Runtime/EmulatorRun.h"
#include "Mirage/Runtime/Measurer.h"
#include <vector>

namespace mlir::mirage {

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
  SecondsOption timeout = MeasurerOptions().timeoutS;
  RankedBy rankedBy = RankedBy::Cold;
  /// Names of the options that were on the command line.
  std::vector<std::string> given;
};

/// \returns false after saying what was wrong.
bool parseOptions(int argc, char **argv, Options &options);

/// Whether several artifacts are to be measured: those of a bundle, or one and
/// its baseline.
bool isRace(const Options &options);

/// Fails where there is nothing to run, and where an option was given that says
/// nothing about what is to be done.
llvm::Error checkOptions(const Options &options);

} // namespace mlir::mirage

#endif // MIRAGE_TOOLS_MIRAGE_RUN_OPTIONS_H
