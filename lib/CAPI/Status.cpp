//===- Status.cpp - What calls of the C API leave behind ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Status.h"
#include "Mirage/Version/Version.h"
#include "llvm/Support/MemAlloc.h"
#include <cstdlib>
#include <cstring>
#include <string>

using namespace mlir::mirage;

static thread_local std::string lastError;

const char *mirageGetLastError(void) { return lastError.c_str(); }

const char *mirageGetVersion(void) {
  static const std::string version = getMirageVersion().str();
  return version.c_str();
}

void mirageTextFree(MirageText *text) {
  if (!text)
    return;
  std::free(text->data);
  *text = {nullptr, 0};
}

MirageStatus mlir::mirage::refuse(const llvm::Twine &message) {
  lastError = message.str();
  return MirageInvalidArgument;
}

MirageStatus mlir::mirage::refuse(llvm::Error error) {
  return refuse(llvm::toString(std::move(error)));
}

std::string mlir::mirage::explainBadSize(llvm::StringRef name, size_t expected,
                                         size_t found) {
  if (found == expected)
    return "";
  return ("expects a structSize of " + llvm::Twine(expected) + ", which " +
          name + " has in Mirage " + mirageGetVersion() + ", got " +
          llvm::Twine(found))
      .str();
}

MirageStatus mlir::mirage::reportFailure(const llvm::Twine &message) {
  lastError = message.str();
  return MirageFailure;
}

MirageStatus mlir::mirage::reportFault(const llvm::Twine &message) {
  lastError = message.str();
  return MirageInternalError;
}

MirageStatus mlir::mirage::report(llvm::Error error) {
  if (!error)
    return MirageSuccess;
  return reportFailure(llvm::toString(std::move(error)));
}

MirageText mlir::mirage::makeText(llvm::StringRef bytes) {
  auto *data = static_cast<char *>(llvm::safe_malloc(bytes.size() + 1));
  std::memcpy(data, bytes.data(), bytes.size());
  data[bytes.size()] = '\0';
  return {data, bytes.size()};
}
