//===- Report.h - What mirage-run has to say ------------------ -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TOOLS_MIRAGE_RUN_REPORT_H
#define MIRAGE_TOOLS_MIRAGE_RUN_REPORT_H

#include "LoadedProgram.h"
#include "Mirage/Reference/OutputCheck.h"
#include "Mirage/Runtime/CudaDevice.h"
#include "Mirage/Runtime/EmulatorRun.h"
#include <optional>

namespace mlir::mirage {

/// All that one call found out. What was not asked for is missing.
struct RunReport {
  std::string device; ///< "emulator", "cuda" or "reference"
  std::string deviceName;
  uint64_t seed = 0;
  std::vector<EmulatedLaunch> launches; ///< of the emulator
  std::vector<CudaLaunch> cudaLaunches;
  std::string whyNoGraph; ///< of these launches; empty: they are one
  bool isClean = true;    ///< the emulator found no fault
  double referenceTimeS = 0;
  std::vector<OutputCheck> checks; ///< by output
  /// The same of the program rounded as it declares, which no kernel has
  /// computed; where a check failed.
  std::vector<OutputCheck> declaredChecks;
  std::optional<CudaTimes> times;

  /// Every output is right and no kernel is at fault.
  bool passes() const;
};

void printText(const LoadedProgram &program, const RunReport &report,
               llvm::raw_ostream &os);
/// One object on one line.
void printJSON(const LoadedProgram &program, const RunReport &report,
               llvm::raw_ostream &os);

} // namespace mlir::mirage

#endif // MIRAGE_TOOLS_MIRAGE_RUN_REPORT_H
