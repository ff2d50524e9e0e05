//===- ModuleTarget.cpp - Which GPU a module is for -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Analysis/FindLocation.h"
#include "Mirage/Planning/Target.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/SymbolTable.h"

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

static bool isModule(Operation *op) {
  return op->hasTrait<OpTrait::SymbolTable>();
}

namespace {
/// A target and who asks for it.
struct RequestedTarget {
  std::string name;
  Operation *op;
};
} // namespace

static RequestedTarget findRequested(Operation *op, StringRef option) {
  if (!option.empty())
    return {option.str(), op};
  for (Operation *place = op; place; place = place->getParentOp())
    if (isModule(place))
      for (NamedAttribute named : place->getAttrs())
        if (NVVM::NVVMTargetAttr target = findTarget(named.getValue()))
          return {target.getChip().str(), place};
  return {"sm_90a", op};
}

std::optional<std::string> mirage::explainUnknownTarget(StringRef target) {
  llvm::Expected<Target> known = getTarget(target);
  if (known)
    return std::nullopt;
  return llvm::toString(known.takeError());
}

FailureOr<std::string> mirage::resolveTarget(Operation *op, StringRef option) {
  RequestedTarget requested = findRequested(op, option);
  if (std::optional<std::string> problem = explainUnknownTarget(requested.name))
    return mlir::emitError(findLocation(requested.op)) << *problem;
  return requested.name;
}

bool mirage::hasFloat8Conversions(StringRef target) {
  unsigned version = 0;
  target.consume_front("sm_");
  target.consumeInteger(10, version);
  return version >= 89;
}
