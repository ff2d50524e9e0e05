//===- TextHash.h - What a text is known by ---------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A search remembers what it has met, structures and kernels with their sizes,
// by texts of hundreds of bytes. It keeps 128 bits of each: of 2^32 different
// texts two share a hash with a probability of 2^-65. Nobody chooses the texts
// to make two collide, so the hash is a fast one.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_TEXTHASH_H
#define MIRAGE_SEARCH_TEXTHASH_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include <utility>

namespace mlir::mirage::search {

/// 128 bits; ordered, so that it can be a key. What goes to a file is named by
/// `hashToText`.
using TextHash = std::pair<uint64_t, uint64_t>;

inline TextHash hashText(llvm::StringRef text) {
  llvm::XXH128_hash_t hash =
      llvm::xxh3_128bits(llvm::arrayRefFromStringRef(text));
  return {hash.high64, hash.low64};
}

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_TEXTHASH_H
