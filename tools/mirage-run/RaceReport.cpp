//===- RaceReport.cpp - What mirage-run says of a race --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaceReport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir::mirage;

static void printQuartiles(const Quartiles &us, llvm::raw_ostream &os) {
  os << llvm::format("%9.2f (%.2f ... %.2f)", us.median, us.low, us.high);
}

void mlir::mirage::printText(const RaceResult &race, llvm::raw_ostream &os) {
  const Measurements &measured = race.measured;
  os << "device " << measured.deviceName << ", us of one run (half of the "
     << "replays within), the fastest first\n";
  for (auto [place, number] : llvm::enumerate(measured.ranking)) {
    const EntrantResult &result = measured.results[number];
    os << llvm::format("%2u. cold", static_cast<unsigned>(place + 1));
    printQuartiles(result.times->coldUs, os);
    os << "  hot";
    printQuartiles(result.times->hotUs, os);
    os << llvm::format("  error %.2g  ", result.relativeError)
       << race.entrants[number].name;
    if (result.repeats)
      os << ", timed again " << result.repeats
         << (result.repeats == 1 ? " time" : " times");
    os << (result.isNoisy ? ", still noisy\n" : "\n");
  }
  for (auto [entrant, result] :
       llvm::zip_equal(race.entrants, measured.results))
    if (result.verdict != MeasuredVerdict::Right)
      os << "    " << getVerdictName(result.verdict) << "  " << entrant.name
         << ": " << result.reason << '\n';
}

void mlir::mirage::printJSON(const RaceResult &race, llvm::raw_ostream &os) {
  for (const MeasuredTime &time : race.times)
    os << toJSON(time) << '\n';
}
