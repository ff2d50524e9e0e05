//===- MeasuredTime.cpp - What measuring said of an artifact --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Artifact/MeasuredTime.h"
#include "Mirage/Graph/GraphJSON.h"
#include "Mirage/Graph/JSONCursor.h"
#include "Mirage/Graph/WholeFiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir::mirage;
using llvm::json::Object;
using llvm::json::Value;

static constexpr llvm::StringLiteral kTimeFormat = "mirage-time";
static constexpr int64_t kTimeVersion = 2;

double Quartiles::getSpread() const {
  return median > 0 ? (high - low) / median : 0;
}

Quartiles mlir::mirage::getQuartiles(std::vector<double> samples) {
  assert(!samples.empty() && "quartiles of something");
  llvm::sort(samples);
  return {samples[samples.size() / 4], samples[samples.size() / 2],
          samples[samples.size() * 3 / 4]};
}

static constexpr std::pair<MeasuredVerdict, llvm::StringLiteral> kVerdicts[] = {
    {MeasuredVerdict::Right, "right"},
    {MeasuredVerdict::Wrong, "wrong"},
    {MeasuredVerdict::Failed, "failed"},
    {MeasuredVerdict::Died, "died"},
    {MeasuredVerdict::Hung, "hung"}};

llvm::StringRef mlir::mirage::getVerdictName(MeasuredVerdict verdict) {
  for (const auto &[value, name] : kVerdicts)
    if (value == verdict)
      return name;
  llvm_unreachable("all verdicts have a name");
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

Value mlir::mirage::toJSON(const Quartiles &quartiles) {
  return Object{{"low", quartiles.low},
                {"median", quartiles.median},
                {"high", quartiles.high}};
}

Value mlir::mirage::toJSON(const MeasuredTime &time) {
  Object object{{"format", kTimeFormat},
                {"version", kTimeVersion},
                {"program", time.program},
                {"graph", time.graph},
                {"artifact", time.artifact},
                {"baseline", time.isBaseline},
                {"device", time.device},
                {"computeCapability", time.computeCapability},
                {"driver", time.driverVersion},
                {"library", time.usesLibrary},
                {"verdict", getVerdictName(time.verdict)},
                {"reason", time.reason}};
  if (time.verdict == MeasuredVerdict::Right) {
    object["noisy"] = time.isNoisy;
    object["hotUs"] = toJSON(time.hotUs);
    object["coldUs"] = toJSON(time.coldUs);
  }
  return object;
}

llvm::Error
mlir::mirage::writeMeasuredTimes(llvm::StringRef path,
                                 llvm::ArrayRef<MeasuredTime> times) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const MeasuredTime &time : times)
    os << toJSON(time) << '\n';
  return writeWholeFile(path, {text});
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static double readTime(const JSONCursor &member) {
  double timeUs = readScalar(member);
  if (!member.failed() && !(std::isfinite(timeUs) && timeUs > 0))
    member.expect("a time above 0");
  return timeUs;
}

static Quartiles readQuartiles(const JSONCursor &object) {
  object.allow({"low", "median", "high"});
  Quartiles quartiles{readTime(object["low"]), readTime(object["median"]),
                      readTime(object["high"])};
  if (!object.failed() && !(quartiles.low <= quartiles.median &&
                            quartiles.median <= quartiles.high))
    object.fail(llvm::formatv("expects low <= median <= high, got {0}, {1} and "
                              "{2}",
                              quartiles.low, quartiles.median, quartiles.high)
                    .str());
  return quartiles;
}

static MeasuredVerdict readVerdict(const JSONCursor &member) {
  std::string text = member.string();
  for (const auto &[value, name] : kVerdicts)
    if (name == text)
      return value;
  if (!member.failed())
    member.expect("right, wrong, failed, died or hung");
  return MeasuredVerdict::Failed;
}

static MeasuredTime readTimeLine(const JSONCursor &line) {
  if (line["format"].string() != kTimeFormat)
    line["format"].expect("\"" + kTimeFormat + "\"");
  if (line["version"].integer() != kTimeVersion)
    line["version"].expect("version " + llvm::Twine(kTimeVersion));
  line.allow({"format", "version", "program", "graph", "artifact", "baseline",
              "device", "computeCapability", "driver", "library", "verdict",
              "reason", "noisy", "hotUs", "coldUs"});
  MeasuredTime time;
  time.program = line["program"].string();
  time.graph = line["graph"].string();
  time.artifact = line["artifact"].string();
  time.isBaseline = line["baseline"].boolean();
  time.device = line["device"].string();
  time.computeCapability = line["computeCapability"].integer(0, 10000);
  time.driverVersion = line["driver"].integer(0, INT32_MAX);
  time.usesLibrary = line["library"].boolean();
  time.verdict = readVerdict(line["verdict"]);
  time.reason = line["reason"].string();
  if (time.verdict == MeasuredVerdict::Right) {
    time.isNoisy = line["noisy"].boolean();
    time.hotUs = readQuartiles(line["hotUs"]);
    time.coldUs = readQuartiles(line["coldUs"]);
  }
  return time;
}

llvm::Expected<MeasuredTime>
mlir::mirage::parseMeasuredTime(llvm::StringRef line) {
  llvm::Expected<Value> value = parseJSON(line);
  if (!value)
    return llvm::createStringError("expects JSON, got " +
                                   llvm::toString(value.takeError()));
  std::string error;
  MeasuredTime time = readTimeLine(JSONCursor(*value, error));
  if (!error.empty())
    return llvm::createStringError(error);
  return time;
}

llvm::Expected<std::vector<MeasuredTime>>
mlir::mirage::readMeasuredTimes(llvm::StringRef path, llvm::StringRef program) {
  auto buffer = readWholeFile(path);
  if (!buffer)
    return buffer.takeError();
  std::vector<MeasuredTime> times;
  // An iterator of LLVM's over lines ends at the first NUL.
  llvm::SmallVector<llvm::StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  for (auto [number, line] : llvm::enumerate(lines)) {
    if (line.trim().empty())
      continue;
    auto fail = [&, number = number](const llvm::Twine &message) {
      return llvm::createStringError(path + ":" + llvm::Twine(number + 1) +
                                     ": " + message);
    };
    llvm::Expected<MeasuredTime> time = parseMeasuredTime(line);
    if (!time)
      return fail(llvm::toString(time.takeError()));
    if (!program.empty() && time->program != program)
      return fail("program: expects times of the program with hash " + program +
                  ", got one of " + time->program);
    times.push_back(std::move(*time));
  }
  return times;
}
