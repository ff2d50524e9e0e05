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

/// Adds Mirage's external models of upstream dialects. There are none yet: what
/// passes need of others, they bring by themselves, such as the translations
/// that emission of PTX takes. Whoever calls this gets what is to come.
void registerAllExtensions(DialectRegistry &registry);

/// Makes every pass and pipeline known by its flag. Call it once a process.
void registerAllPasses();

} // namespace mlir::mirage

#endif // MIRAGE_INITALL_H
