//===- ResultCache.h - What a search needs of a cache -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_CACHE_RESULTCACHE_H
#define MIRAGE_CACHE_RESULTCACHE_H

#include "Mirage/Cache/Record.h"
#include <optional>

namespace mlir::mirage::cache {

/// What a search needs of a cache: texts by key. It may forget them.
class ResultCache {
public:
  virtual ~ResultCache() = default;

  /// The value that was stored under a key; none if there is none.
  virtual std::optional<std::string> lookup(RecordKind kind,
                                            const RecordKey &key) = 0;
  /// Keeps a value, a JSON text, in the place of what the key had before.
  virtual void store(RecordKind kind, const RecordKey &key,
                     llvm::StringRef value) = 0;
};

} // namespace mlir::mirage::cache

#endif // MIRAGE_CACHE_RESULTCACHE_H
