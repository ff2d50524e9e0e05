//===- WorkerJob.cpp - What Measurer and worker tell each other -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkerJob.h"
#include "Mirage/Graph/JSONCursor.h"
#include "Mirage/Graph/WholeFiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::mirage;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

//===----------------------------------------------------------------------===//
// Jobs
//===----------------------------------------------------------------------===//

Value mlir::mirage::toJSON(const WorkerJob &job) {
  Array programs;
  for (const JobProgram &program : job.programs)
    programs.push_back(Object{{"number", program.number},
                              {"artifact", program.artifact},
                              {"library", static_cast<int>(program.library)}});
  return Object{{"folder", job.folder},
                {"parent", job.parent},
                {"ordinal", job.ordinal},
                {"seed", std::to_string(job.seed)},
                {"rounds", job.rounds},
                {"replays", job.replays},
                {"runsPerReplay", job.runsPerReplay},
                {"programs", std::move(programs)}};
}

static WorkerJob readJob(const JSONCursor &object) {
  WorkerJob job;
  job.folder = object["folder"].string();
  job.parent = object["parent"].integer();
  job.ordinal = object["ordinal"].integer(INT32_MIN, INT32_MAX);
  if (!llvm::to_integer(object["seed"].string(), job.seed))
    object["seed"].expect("a number in a string");
  job.rounds = object["rounds"].integer(0, UINT32_MAX);
  job.replays = object["replays"].integer(0, UINT32_MAX);
  job.runsPerReplay = object["runsPerReplay"].integer(0, UINT32_MAX);
  for (const JSONCursor &program : object["programs"].array())
    job.programs.push_back(
        {static_cast<unsigned>(program["number"].integer(0, UINT32_MAX)),
         program["artifact"].string(),
         static_cast<LibraryUse>(program["library"].integer(0, 2))});
  return job;
}

llvm::Expected<WorkerJob> mlir::mirage::readWorkerJob(llvm::StringRef path) {
  llvm::Expected<Value> value = readJSONFile(path);
  if (!value)
    return value.takeError();
  std::string error;
  WorkerJob job = readJob(JSONCursor(*value, error));
  if (!error.empty())
    return llvm::createStringError(path + ": " + error);
  return job;
}

std::string mlir::mirage::getOutputFile(const WorkerJob &job, unsigned number,
                                        unsigned output) {
  return joinPath(job.folder, std::to_string(number) + "-" +
                                  std::to_string(output) + ".npy");
}

//===----------------------------------------------------------------------===//
// Logs
//===----------------------------------------------------------------------===//

static void append(const Object &line, llvm::StringRef member,
                   std::vector<double> &samples) {
  if (const Array *list = line.getArray(member))
    for (const Value &sample : *list)
      samples.push_back(sample.getAsNumber().value_or(0));
}

/// The program that a line is about; none if the job does not have it.
static std::optional<unsigned>
getNumber(const Object &line, llvm::StringRef member, const WorkerJob &job) {
  std::optional<int64_t> number = line.getInteger(member);
  bool isKnown = number && llvm::any_of(job.programs, [&](const auto &program) {
                   return program.number == *number;
                 });
  return isKnown ? std::optional<unsigned>(*number) : std::nullopt;
}

static void addLine(const Object &line, const WorkerJob &job, WorkerLog &log) {
  if (auto device = line.getString("device")) {
    log.deviceName = device->str();
    log.computeCapability = line.getInteger("computeCapability").value_or(0);
    log.driverVersion = line.getInteger("driver").value_or(0);
  }
  if (auto error = line.getString("error"))
    log.error = error->str();
  if (auto number = getNumber(line, "begin", job)) {
    log.begun = *number;
    log.step = line.getString("step").value_or("").str();
  }
  if (auto number = getNumber(line, "failed", job))
    log.failures[*number] = line.getString("reason").value_or("").str();
  if (auto number = getNumber(line, "ran", job))
    log.ran.push_back(*number);
  if (auto number = getNumber(line, "times", job)) {
    WorkerTimes &times = log.times[*number];
    append(line, "hotUs", times.hotUs);
    append(line, "coldUs", times.coldUs);
    times.tensorBytes = line.getInteger("tensorBytes").value_or(0);
    times.coldCopies = line.getInteger("coldCopies").value_or(0);
  }
  log.isDone |= line.getBoolean("done").value_or(false);
}

WorkerLog mlir::mirage::parseWorkerLog(llvm::StringRef text,
                                       const WorkerJob &job) {
  WorkerLog log;
  while (text.contains('\n')) {
    auto [line, rest] = text.split('\n');
    text = rest;
    llvm::Expected<Value> value = parseJSON(line);
    if (!value)
      llvm::consumeError(value.takeError());
    else if (const Object *object = value->getAsObject())
      addLine(*object, job, log);
  }
  return log;
}
