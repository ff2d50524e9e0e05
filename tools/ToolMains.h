//===- ToolMains.h - Programs as functions ----------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The programs that have the whole compiler inside. In a build folder each is a
// program that links libMLIR; in the Python package, which has MLIR and LLVM
// inside, both are functions of its libMirage.so, so that the compiler is there
// once, and the programs are launchers of some kilobytes (cmake/ToolMain.c.in).
//
// Each may be called once in a process, of which it takes the command line, the
// signals and the standard streams.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TOOLS_TOOLMAINS_H
#define MIRAGE_TOOLS_TOOLMAINS_H

#include "Mirage-c/Status.h"

extern "C" {

/// mirage-opt. \returns the exit code.
MIRAGE_C_EXPORTED int mirageOptMain(int argc, char **argv);

/// mirage-verify. \returns the exit code: 0 equal, 1 different, 2 bad input,
/// 3 unknown.
MIRAGE_C_EXPORTED int mirageVerifyMain(int argc, char **argv);
}

#endif // MIRAGE_TOOLS_TOOLMAINS_H
