//===- FragmentLayout.cpp - Layouts of fragments in IR --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/FragmentLayout.h"

using namespace mlir;
using namespace mlir::mirage;

std::optional<LinearLayout> mlir::mirage::getFragmentLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return std::nullopt;
  auto layout = dyn_cast_or_null<thread::LayoutAttr>(tensor.getEncoding());
  if (!layout)
    return std::nullopt;
  SmallVector<Coordinates> registers, lanes;
  for (unsigned bit = 0; bit < layout.getNumRegisterBits(); ++bit)
    registers.emplace_back(layout.getRegisterBasis(bit));
  for (unsigned bit = 0; bit < kLaneBits; ++bit)
    lanes.emplace_back(layout.getLaneBasis(bit));
  return LinearLayout(tensor.getShape(), registers, lanes);
}

RankedTensorType mlir::mirage::getFragmentType(const LinearLayout &layout,
                                               Type elementType) {
  auto encoding = thread::LayoutAttr::get(
      elementType.getContext(), layout.getBases(LayoutInput::Register),
      layout.getBases(LayoutInput::Lane));
  return RankedTensorType::get(layout.getShape(), elementType, encoding);
}
