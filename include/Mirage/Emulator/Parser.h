//===- Parser.h - Reads PTX text --------------------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_EMULATOR_PARSER_H
#define MIRAGE_EMULATOR_PARSER_H

#include "Mirage/Emulator/Module.h"

#include "llvm/Support/Error.h"

namespace mlir::mirage::emulator {

/// Reads a PTX file as LLVM 22 prints it (PTX ISA 8.x), checks every
/// statement, and decodes it for the interpreter.
/// \param text      the file's content; need not outlive the call.
/// \param fileName  only used in messages.
/// \returns the module, or an error with up to 20 messages of the form
///          `file:line:column: error: expected ..., found ...`, one per line. A
///          modifier or an instruction that the emulator does not know is such
///          an error, never ignored: it names the nearest known form. So is
///          a call to a function that the file does not define.
llvm::Expected<std::unique_ptr<Module>> parsePTX(llvm::StringRef text,
                                                 llvm::StringRef fileName);

} // namespace mlir::mirage::emulator

#endif // MIRAGE_EMULATOR_PARSER_H
