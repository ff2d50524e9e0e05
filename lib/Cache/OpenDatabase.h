//===- OpenDatabase.h - Opening caches that may be broken -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_CACHE_OPENDATABASE_H
#define MIRAGE_CACHE_OPENDATABASE_H

#include "Database.h"
#include "Mirage/Cache/CacheStore.h"

namespace mlir::mirage::cache {

/// Opens the cache in a folder for writing; makes folder and file where they
/// are missing. A broken file is set aside.
llvm::Expected<std::unique_ptr<Database>>
openOrCreate(llvm::StringRef directory, const CacheStore::WarningHandler &warn);

/// The same for a file that was found to be broken after it had been opened:
/// it is read through, since what opens may be broken further on.
llvm::Expected<std::unique_ptr<Database>>
replaceBroken(llvm::StringRef directory,
              const CacheStore::WarningHandler &warn);

} // namespace mlir::mirage::cache

#endif // MIRAGE_CACHE_OPENDATABASE_H
