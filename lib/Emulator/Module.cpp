//===- Module.cpp - A PTX module, decoded and ready to run ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Emulator/Module.h"

#include "Program.h"

using namespace mlir::mirage::emulator;

Module::Module(std::unique_ptr<Program> program)
    : decoded(std::move(program)) {}

Module::~Module() = default;

llvm::ArrayRef<KernelInfo> Module::kernels() const { return decoded->infos; }

const KernelInfo *Module::findKernel(llvm::StringRef name) const {
  for (const KernelInfo &info : decoded->infos)
    if (info.name == name)
      return &info;
  return nullptr;
}
