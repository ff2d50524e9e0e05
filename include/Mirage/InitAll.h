//===- InitAll.h - Registration of everything -------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_INITALL_H
#define MIRAGE_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::mirage {

/// Adds the three dialects of µGraphs to a registry.
void registerAllDialects(DialectRegistry &registry);

/// Adds what passes of Mirage's pipelines find nowhere else: upstream's own
/// external models by which dialects are converted to LLVM's, which
/// `--mirage-compile` fails without. Those who call mlir::registerAllExtensions
/// have them already, and may call this all the same.
void registerAllExtensions(DialectRegistry &registry);

/// Makes every pass and pipeline known by its flag. Call it once a process.
void registerAllPasses();

} // namespace mlir::mirage

#endif // MIRAGE_INITALL_H
