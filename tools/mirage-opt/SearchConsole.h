//===- SearchConsole.h - Searches, for whoever sits before them -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TOOLS_MIRAGEOPT_SEARCHCONSOLE_H
#define MIRAGE_TOOLS_MIRAGEOPT_SEARCHCONSOLE_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mirage {

/// While a search runs, says on standard error how far it is, and has the first
/// SIGINT end it, and all that follow, with what was found so far; the second
/// ends the process, as it would without a search.
void registerSearchConsole(mlir::DialectRegistry &registry);

} // namespace mirage

#endif // MIRAGE_TOOLS_MIRAGEOPT_SEARCHCONSOLE_H
