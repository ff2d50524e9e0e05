//===- Version.cpp - What --version says ----------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Version/Version.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

llvm::StringRef mirage::getMirageVersion() { return MIRAGE_VERSION; }
llvm::StringRef mirage::getLLVMVersion() { return MIRAGE_LLVM_VERSION; }

void mirage::printVersion(llvm::StringRef tool, llvm::raw_ostream &os) {
  os << tool << ", Mirage " << getMirageVersion() << "\nLLVM "
     << getLLVMVersion() << '\n';
}

void mirage::setVersionPrinter(llvm::StringRef tool) {
  llvm::cl::SetVersionPrinter(
      [tool](llvm::raw_ostream &os) { printVersion(tool, os); });
}
