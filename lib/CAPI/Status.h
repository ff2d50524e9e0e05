//===- Status.h - What calls of the C API leave behind ----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CAPI_STATUS_H
#define MIRAGE_LIB_CAPI_STATUS_H

#include "Mirage-c/Status.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::mirage {

/// The caller's mistake, "expects ..., got ..."; mirageGetLastError says it.
MirageStatus refuse(const llvm::Twine &message);
MirageStatus refuse(llvm::Error error);

/// What is wrong with the `structSize` of a caller's struct; empty if nothing
/// is: another one than this library's is of another version.
std::string explainBadSize(llvm::StringRef name, size_t expected, size_t found);

/// Success, or what else went wrong.
MirageStatus report(llvm::Error error);
MirageStatus reportFailure(const llvm::Twine &message);
/// Mirage's own mistake.
MirageStatus reportFault(const llvm::Twine &message);

/// The bytes, for the caller to free, with a zero behind them.
MirageText makeText(llvm::StringRef bytes);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CAPI_STATUS_H
