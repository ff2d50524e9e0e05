//===- ModuleTarget.cpp - Which GPU a module is for -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Planning/SharedMemory.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

static NVVM::NVVMTargetAttr findTarget(Attribute attribute) {
  if (auto target = dyn_cast<NVVM::NVVMTargetAttr>(attribute))
    return target;
  if (auto array = dyn_cast<ArrayAttr>(attribute))
    for (Attribute element : array)
      if (auto target = dyn_cast<NVVM::NVVMTargetAttr>(element))
        return target;
  return {};
}

std::string mirage::resolveTarget(Operation *op, StringRef option) {
  if (!option.empty())
    return option.str();
  for (; op; op = op->getParentOp())
    for (NamedAttribute named : op->getAttrs())
      if (NVVM::NVVMTargetAttr target = findTarget(named.getValue()))
        return target.getChip().str();
  return "sm_90a";
}

FailureOr<int64_t> mirage::resolveSharedBytes(Operation *op, StringRef option) {
  std::string target = resolveTarget(op, option);
  if (std::optional<int64_t> bytes = getSharedBytesPerBlock(target))
    return *bytes;
  return op->emitError() << "expects a target from sm_80 on, got '" << target
                         << "'";
}
