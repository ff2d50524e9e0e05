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

/// Adds what passes find nowhere else: the external models by which
/// `--one-shot-bufferize` takes kernel graphs along; and upstream's own ones,
/// by which it takes functions, loops, and ops of arith, linalg and tensor
/// along, and by which dialects are converted to LLVM's. `--mirage-compile` and
/// `--mirage-compile-in-place` fail without. Those who call
/// mlir::registerAllDialects and mlir::registerAllExtensions have upstream's
/// already, and may call this all the same.
void registerAllExtensions(DialectRegistry &registry);

/// Makes every pass and pipeline known by its flag. Call it once a process.
void registerAllPasses();

/// The dialects of upstream that tensor programs come in and become, for those
/// who do not want all of them: affine, arith, bufferization, cf, complex,
/// func, gpu, index, linalg, llvm, math, memref, nvgpu, nvvm, scf, shape,
/// tensor, tosa, ub and vector.
void registerProgramDialects(DialectRegistry &registry);

/// Passes of upstream on the way to them, likewise: general transformations
/// (canonicalize, cse, ...), those of linalg and bufferization, and from tosa.
/// Call it once a process.
void registerProgramPasses();

} // namespace mlir::mirage

#endif // MIRAGE_INITALL_H
