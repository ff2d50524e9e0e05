//===- LaunchAttributes.cpp - What a launch says of itself ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Operator/LaunchAttributes.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::mirage;

static constexpr StringLiteral kRoleNames[] = {"input", "output", "workspace"};

StringRef mlir::mirage::getRoleName(DeviceBuffer::Role role) {
  return kRoleNames[static_cast<unsigned>(role)];
}

std::optional<DeviceBuffer::Role> mlir::mirage::parseRole(StringRef name) {
  const StringLiteral *found = llvm::find(kRoleNames, name);
  if (found == std::end(kRoleNames))
    return std::nullopt;
  return static_cast<DeviceBuffer::Role>(found - std::begin(kRoleNames));
}

DictionaryAttr DeviceBuffer::getAttr(MLIRContext *context) const {
  Builder builder(context);
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("role", builder.getStringAttr(getRoleName(role))),
       builder.getNamedAttr("index", builder.getI64IntegerAttr(index)),
       builder.getNamedAttr("offset_bytes",
                            builder.getI64IntegerAttr(offsetBytes))});
}

std::optional<DeviceBuffer> DeviceBuffer::read(Attribute attribute,
                                               std::string &missing) {
  auto members = dyn_cast<DictionaryAttr>(attribute);
  auto get = [&](StringRef name) {
    return members ? members.get(name) : Attribute();
  };
  auto name = dyn_cast_or_null<StringAttr>(get("role"));
  auto index = dyn_cast_or_null<IntegerAttr>(get("index"));
  auto offset = dyn_cast_or_null<IntegerAttr>(get("offset_bytes"));
  std::optional<Role> role = name ? parseRole(name) : std::nullopt;
  if (role && index && offset)
    return DeviceBuffer{*role, static_cast<unsigned>(index.getInt()),
                        offset.getInt()};
  missing = !role ? "role" : !index ? "index" : "offset_bytes";
  return std::nullopt;
}
