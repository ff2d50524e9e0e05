//===- PTXOutline.h - What PTX says of its kernels --------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_ARTIFACT_PTXOUTLINE_H
#define MIRAGE_LIB_ARTIFACT_PTXOUTLINE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace mlir::mirage {

/// What a text of PTX states that a manifest states too. Whether the text is
/// PTX in all else is for who runs it to say.
struct PTXOutline {
  struct Entry {
    std::string name;
    /// Bytes of each parameter; 0 where the text does not say.
    std::vector<uint64_t> parameterBytes;
  };

  std::string target; ///< of `.target`: "sm_90a"; "" without one
  /// Where a comment starts that does not end, counted from 1; 0: none does.
  unsigned openCommentLine = 0;
  std::vector<Entry> entries;
  bool hasTF32Products = false; ///< by mma or wgmma

  /// Null where there is no such kernel.
  const Entry *find(llvm::StringRef name) const;
};

PTXOutline readPTXOutline(llvm::StringRef ptx);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_ARTIFACT_PTXOUTLINE_H
