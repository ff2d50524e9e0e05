//===- WriteBundle.h - Compiles the candidates of a search ---- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_PIPELINES_WRITEBUNDLE_H
#define MIRAGE_LIB_PIPELINES_WRITEBUNDLE_H

#include "Mirage/Pipelines/Pipelines.h"

namespace mlir::mirage {

/// Adds everything behind the search: optimize, lower, emit.
void addBackEnd(OpPassManager &passManager, const CompileOptions &options);
/// The dialects that it depends on, for passes that run it.
void addBackEndDialects(DialectRegistry &registry);

/// A pass that compiles the candidates that the search left as functions
/// (Mirage/Transforms/CandidateFunctions.h), and the program without a search,
/// into a bundle (Mirage/Artifact/Bundle.h) in `options.bundle`, and removes
/// these functions. A candidate that cannot be compiled is left out, after a
/// warning with the reason.
///
/// Before the search, createCheckBundlePass looks whether there can be one.
std::unique_ptr<Pass> createWriteBundlePass(const CompileOptions &options);
/// Makes it known as --mirage-write-bundle.
void registerWriteBundlePass();

/// A pass that stands before the search, which may take hours: it fails unless
/// the module has one function to make a bundle of, and `options.bundle` is a
/// folder that can be written.
std::unique_ptr<Pass> createCheckBundlePass(const CompileOptions &options);
/// Makes it known as --mirage-check-bundle.
void registerCheckBundlePass();

/// Why there is no bundle of these functions; none if there is one.
std::optional<std::string> explainNoBundle(ArrayRef<StringRef> functions);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_PIPELINES_WRITEBUNDLE_H
