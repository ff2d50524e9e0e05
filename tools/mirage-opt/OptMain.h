//===- OptMain.h - mlir-opt, with places and threads ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TOOLS_MIRAGE_OPT_OPTMAIN_H
#define MIRAGE_TOOLS_MIRAGE_OPT_OPTMAIN_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LLVM.h"

namespace mlir::mirage {

/// What `MlirOptMain` does with these files and the options of the command
/// line. But what is wrong with a pipeline is said of the input, where upstream
/// has no place for it.
/// \param threads  of the pool; 0: one for each core. Upstream's takes as many
///                 and has no option for it.
LogicalResult runOptMain(StringRef inputFile, StringRef outputFile,
                         DialectRegistry &registry, unsigned threads);

} // namespace mlir::mirage

#endif // MIRAGE_TOOLS_MIRAGE_OPT_OPTMAIN_H
