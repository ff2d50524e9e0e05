//===- FuzzNpy.cpp - Bytes as a .npy file ---------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzTarget.h"
#include "Mirage/Reference/NpyFile.h"
#include "ScratchFolder.h"
#include <cstdlib>

using namespace mlir::mirage;

/// What a file may be asked for: each element type, and the shapes at the edge.
static const TensorSpec kExpected[] = {
    {{2, 3}, ElementType::F16},    {{3, 2}, ElementType::F32},
    {{4}, ElementType::BF16},      {{2, 1, 2}, ElementType::F8E4M3FN},
    {{2, 2}, ElementType::F8E5M2}, {{}, ElementType::F32},
};

/// What has been read is written, read again and found the same.
static void checkRoundTrip(const fuzz::ScratchFolder &folder,
                           const HostTensor &tensor) {
  std::string path = folder.path("again.npy");
  if (llvm::Error error = writeNpy(path, tensor))
    llvm::report_fatal_error(std::move(error));
  HostTensor again = llvm::cantFail(readNpy(path, tensor.type));
  if (again.bytes != tensor.bytes)
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const fuzz::ScratchFolder folder;
  folder.write("given.npy",
               llvm::StringRef(reinterpret_cast<const char *>(data), size));
  for (const TensorSpec &expected : kExpected) {
    llvm::Expected<HostTensor> tensor =
        readNpy(folder.path("given.npy"), expected);
    if (tensor)
      checkRoundTrip(folder, *tensor);
    else
      llvm::consumeError(tensor.takeError());
  }
  return 0;
}
