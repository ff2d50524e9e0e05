//===- Version.h - What --version says --------------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_VERSION_VERSION_H
#define MIRAGE_VERSION_VERSION_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace mlir::mirage {

/// The project's version in CMake, such as "0.1.0".
llvm::StringRef getMirageVersion();

/// The version of the LLVM and MLIR that Mirage was built with, such as
/// "22.1.8".
llvm::StringRef getLLVMVersion();

/// Prints what `--version` says of a tool: its name, Mirage and LLVM, each with
/// its version.
void printVersion(llvm::StringRef tool, llvm::raw_ostream &os);

/// Has `--version` print that instead of what LLVM prints by itself. To be
/// called before the command line is parsed. \p tool must outlive the parsing.
void setVersionPrinter(llvm::StringRef tool);

} // namespace mlir::mirage

#endif // MIRAGE_VERSION_VERSION_H
