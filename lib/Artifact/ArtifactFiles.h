//===- ArtifactFiles.h - Names and checksums of files --------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_ARTIFACT_ARTIFACTFILES_H
#define MIRAGE_LIB_ARTIFACT_ARTIFACTFILES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/xxhash.h"
#include <string>

namespace mlir::mirage {

/// Says that a JSON file is ours.
constexpr llvm::StringLiteral kArtifactFormat = "mirage-artifact";
constexpr llvm::StringLiteral kManifestFile = "manifest.json";
constexpr llvm::StringLiteral kPTXFile = "kernels.ptx";

inline std::string getCubinFile(llvm::StringRef arch) {
  return ("kernels." + arch + ".cubin").str();
}

/// Tells accidental changes of a file, not malicious ones: XXH3, 64 bits, in
/// hexadecimal.
inline std::string getChecksum(llvm::ArrayRef<uint8_t> bytes) {
  return llvm::utohexstr(llvm::xxh3_64bits(bytes), /*LowerCase=*/true, 16);
}

} // namespace mlir::mirage

#endif // MIRAGE_LIB_ARTIFACT_ARTIFACTFILES_H
