//===- LaunchAttributes.cpp - What a launch says of itself ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Operator/LaunchAttributes.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

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

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kTensorMap = "tensor_map",
                               kElementBytes = "element_bytes",
                               kSizes = "sizes", kStrideBytes = "stride_bytes",
                               kBox = "box", kSwizzleBytes = "swizzle_bytes";

static DictionaryAttr writeTensorMap(Builder &builder, const TensorMap &map) {
  NamedAttrList members;
  auto setNumbers = [&](StringRef name, auto numbers) {
    members.set(name, builder.getDenseI64ArrayAttr(SmallVector<int64_t>(
                          numbers.begin(), numbers.end())));
  };
  members.set(kElementBytes, builder.getI64IntegerAttr(map.elementBytes));
  setNumbers(kSizes, map.sizes);
  setNumbers(kStrideBytes, map.strideBytes);
  setNumbers(kBox, map.box);
  members.set(kSwizzleBytes,
              builder.getI64IntegerAttr(getSpanBytes(map.swizzle)));
  return members.getDictionary(builder.getContext());
}

/// Whether a map can be encoded is for who makes an artifact of it to say.
static std::optional<TensorMap> readTensorMap(Attribute attribute) {
  auto members = dyn_cast<DictionaryAttr>(attribute);
  if (!members)
    return std::nullopt;
  auto elementBytes = members.getAs<IntegerAttr>(kElementBytes);
  auto swizzleBytes = members.getAs<IntegerAttr>(kSwizzleBytes);
  auto sizes = members.getAs<DenseI64ArrayAttr>(kSizes);
  auto strideBytes = members.getAs<DenseI64ArrayAttr>(kStrideBytes);
  auto box = members.getAs<DenseI64ArrayAttr>(kBox);
  if (!elementBytes || !swizzleBytes || !sizes || !strideBytes || !box)
    return std::nullopt;
  std::optional<Swizzle> swizzle = findSwizzle(swizzleBytes.getInt());
  auto fits = [](int64_t number) { return llvm::isUInt<32>(number); };
  if (!swizzle || !fits(elementBytes.getInt()) ||
      !llvm::all_of(box.asArrayRef(), fits))
    return std::nullopt;
  TensorMap map;
  map.elementBytes = elementBytes.getInt();
  llvm::append_range(map.sizes, sizes.asArrayRef());
  llvm::append_range(map.strideBytes, strideBytes.asArrayRef());
  llvm::append_range(map.box, box.asArrayRef());
  map.swizzle = *swizzle;
  return map;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

DictionaryAttr DeviceBuffer::getAttr(MLIRContext *context) const {
  Builder builder(context);
  NamedAttrList members;
  members.set("role", builder.getStringAttr(getRoleName(role)));
  members.set("index", builder.getI64IntegerAttr(index));
  members.set("offset_bytes", builder.getI64IntegerAttr(offsetBytes));
  if (tensorMap)
    members.set(kTensorMap, writeTensorMap(builder, *tensorMap));
  return members.getDictionary(context);
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
  if (!role || !index || !offset) {
    missing = !role ? "role" : !index ? "index" : "offset_bytes";
    return std::nullopt;
  }
  DeviceBuffer buffer{*role, static_cast<unsigned>(index.getInt()),
                      offset.getInt()};
  if (Attribute map = get(kTensorMap)) {
    buffer.tensorMap = readTensorMap(map);
    if (!buffer.tensorMap) {
      missing = kTensorMap.str();
      return std::nullopt;
    }
  }
  return buffer;
}
