//===- MeasureWorker.h - The process that a candidate runs in - -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_RUNTIME_MEASUREWORKER_H
#define MIRAGE_RUNTIME_MEASUREWORKER_H

#include "llvm/ADT/StringRef.h"

namespace mlir::mirage {

/// The option by which a Measurer starts its worker: `<program>
/// --measure-worker=job.json`. A program that is to be a worker looks for it
/// first and returns what runMeasureWorker does.
constexpr llvm::StringLiteral kMeasureWorkerOption = "--measure-worker=";

/// Does what the job says, and tells standard output, a line of JSON at a time,
/// what it is about to do and what came of it; what anybody else prints goes to
/// standard error from then on. Ends with the process that started it.
/// \returns the exit status: 0, unless the job cannot be read.
int runMeasureWorker(llvm::StringRef jobFile);

} // namespace mlir::mirage

#endif // MIRAGE_RUNTIME_MEASUREWORKER_H
