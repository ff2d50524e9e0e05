//===- Float8Instructions.cpp - 8-bit floats by cvt -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Float8Conversions.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::mirage;

static ValuePair split(OpBuilder &builder, Location location, Value pair) {
  return {vector::ExtractOp::create(builder, location, pair, 0),
          vector::ExtractOp::create(builder, location, pair, 1)};
}

ValuePair Float8Instructions::widen(OpBuilder &builder, Location location,
                                    ValuePair numbers) const {
  Type type = numbers[0].getType();
  Value pair = vector::FromElementsOp::create(
      builder, location, VectorType::get(2, type), numbers);
  Value bits = vector::BitCastOp::create(
      builder, location, VectorType::get(2, builder.getI8Type()), pair);
  return split(builder, location,
               NVVM::ConvertF8x2ToF16x2Op::create(
                   builder, location, VectorType::get(2, builder.getF16Type()),
                   bits, /*relu=*/false, type));
}

/// The instruction's first operand becomes the upper half.
ValuePair Float8Instructions::narrow(OpBuilder &builder, Location location,
                                     ValuePair numbers, FloatType type) const {
  Value bits = NVVM::ConvertF32x2ToF8x2Op::create(
      builder, location, VectorType::get(2, builder.getI8Type()), numbers[1],
      numbers[0], NVVM::FPRoundingMode::RN, NVVM::SaturationMode::SATFINITE,
      /*relu=*/false, type);
  return split(builder, location,
               vector::BitCastOp::create(builder, location,
                                         VectorType::get(2, type), bits));
}
