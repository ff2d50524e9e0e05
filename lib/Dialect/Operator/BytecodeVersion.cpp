//===- BytecodeVersion.cpp - Versions of our IR in files ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Operator/BytecodeVersion.h"
#include "mlir/IR/Dialect.h"

using namespace mlir;
using namespace mlir::mirage;

void VersionedBytecode::writeVersion(DialectBytecodeWriter &writer) const {
  FailureOr<const DialectVersion *> configured =
      writer.getDialectVersion(getDialect()->getNamespace());
  writer.writeVarInt(succeeded(configured)
                         ? static_cast<const IRVersion *>(*configured)->number
                         : getCurrentVersion());
}

std::unique_ptr<DialectVersion>
VersionedBytecode::readVersion(DialectBytecodeReader &reader) const {
  uint64_t number;
  if (failed(reader.readVarInt(number)))
    return nullptr;
  if (number >= 1 && number <= getCurrentVersion())
    return std::make_unique<IRVersion>(number);
  reader.emitError() << "expects IR of " << getDialect()->getNamespace()
                     << " in version 1 to " << getCurrentVersion()
                     << ", got version " << number
                     << (number ? "; a newer Mirage wrote it" : "");
  return nullptr;
}

LogicalResult
VersionedBytecode::upgradeFromVersion(Operation *root,
                                      const DialectVersion &version) const {
  uint64_t number = static_cast<const IRVersion &>(version).number;
  for (UpgradeStep step : steps.drop_front(number - 1))
    if (failed(step(root)))
      return failure();
  return success();
}
