//===- StandardOutput.h - What a command prints -----------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TOOLS_STANDARDOUTPUT_H
#define MIRAGE_TOOLS_STANDARDOUTPUT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::mirage {

/// Writes what is left for standard output. To be called before an exit code
/// that means something: LLVM would end the program with 1.
/// \returns false after a message where it cannot be written, as on a full
/// disk.
inline bool finishOutput(llvm::StringRef tool) {
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return true;
  llvm::errs() << tool << ": error: standard output cannot be written: "
               << llvm::outs().error().message() << '\n';
  llvm::outs().clear_error();
  return false;
}

/// \returns the exit code of a command that failed.
inline int reportError(llvm::StringRef tool, llvm::Error error) {
  llvm::errs() << tool << ": error: " << llvm::toString(std::move(error))
               << '\n';
  return 1;
}

/// The exit code of a command whose arguments do not say what it is to do; of
/// mirage-opt, as of all of MLIR's tools like it, that is 1.
inline constexpr int kBadUsage = 2;

} // namespace mlir::mirage

#endif // MIRAGE_TOOLS_STANDARDOUTPUT_H
