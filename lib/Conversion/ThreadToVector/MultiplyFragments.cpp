//===- MultiplyFragments.cpp - Products of fragments ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FragmentOps.h"
#include "Mirage/Conversion/ScalarToArith.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::mirage;

/// Registers of 32 bits, each of two elements.
static SmallVector<Value> pack(OpBuilder &builder, Location location,
                               const Fragment &fragment,
                               ArrayRef<unsigned> numbers) {
  auto pairType = VectorType::get(2, fragment.getElementType());
  SmallVector<Value> packed;
  for (unsigned i = 0; i < numbers.size(); i += 2) {
    Value pair = vector::FromElementsOp::create(
        builder, location, pairType,
        ValueRange{fragment.registers[numbers[i]],
                   fragment.registers[numbers[i + 1]]});
    if (fragment.getElementType().isBF16())
      pair = LLVM::BitcastOp::create(builder, location, builder.getI32Type(),
                                     pair);
    packed.push_back(pair);
  }
  return packed;
}

/// mma.sync.m16n8k16 of 16-bit elements.
static SmallVector<Value> emitInstruction(OpBuilder &builder, Location location,
                                          ArrayRef<Value> a, ArrayRef<Value> b,
                                          ArrayRef<Value> c, bool isBF16) {
  Type f32 = builder.getF32Type();
  auto resultType = LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                                     {f32, f32, f32, f32});
  NVVM::MMATypes type = isBF16 ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
  auto mma = NVVM::MmaOp::create(
      builder, location, resultType, a, b, c, ArrayRef<int64_t>{16, 8, 16},
      /*b1Op=*/std::nullopt, /*intOverflow=*/std::nullopt,
      std::array<NVVM::MMATypes, 2>{type, type},
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                     NVVM::MMALayout::col});
  SmallVector<Value> results;
  for (int64_t i = 0; i < 4; ++i)
    results.push_back(
        LLVM::ExtractValueOp::create(builder, location, mma.getResult(), i));
  return results;
}

/// Registers of the result before the product is added.
static Fragment startSum(OpBuilder &builder, Location location,
                         const Fragment &accumulator,
                         const LinearLayout &layout) {
  Fragment result{layout, accumulator.registers};
  if (result.registers.empty())
    result.registers.assign(layout.getNumRegisters(),
                            emitConstant(builder, location, 0));
  return result;
}

/// Tiles of a fragment along its last dimension but `fromBack`.
static int64_t countTiles(const Fragment &fragment, const LinearLayout &tile,
                          unsigned fromBack) {
  return fragment.layout.getShape().drop_back(fromBack).back() /
         tile.getShape().drop_back(fromBack).back();
}

Fragment FragmentOps::multiplyTiles(const MatrixInstruction &instruction,
                                    const Fragment &lhs, const Fragment &rhs,
                                    const Fragment &accumulator,
                                    const LinearLayout &layout) {
  Fragment result = startSum(builder, location, accumulator, layout);
  bool isBF16 = lhs.getElementType().isBF16();
  auto load = [&](const Fragment &fragment, const LinearLayout &tile,
                  int64_t row, int64_t column) {
    return pack(builder, location, fragment,
                findTileRegisters(fragment.layout, tile, row, column));
  };
  for (int64_t k = 0; k < countTiles(lhs, instruction.a, 0); ++k)
    for (int64_t m = 0; m < countTiles(result, instruction.d, 1); ++m)
      for (int64_t n = 0; n < countTiles(result, instruction.d, 0); ++n) {
        auto numbers = findTileRegisters(layout, instruction.d, m, n);
        auto c = llvm::map_to_vector(
            numbers, [&](unsigned number) { return result.registers[number]; });
        SmallVector<Value> joined =
            emitInstruction(builder, location, load(lhs, instruction.a, m, k),
                            load(rhs, instruction.b, k, n), c, isBF16);
        for (auto [number, value] : llvm::zip_equal(numbers, joined))
          result.registers[number] = value;
      }
  return result;
}

/// The register of lane 0 that holds an element, by its last two coordinates.
static Value getElement(const Fragment &fragment, int64_t row, int64_t column) {
  Coordinates element(fragment.layout.getRank(), 0);
  element.end()[-2] = row;
  element.back() = column;
  return fragment.registers[*fragment.layout.findRegister(element)];
}

Fragment FragmentOps::multiplyInLanes(const Fragment &lhs, const Fragment &rhs,
                                      const Fragment &accumulator,
                                      const LinearLayout &layout) {
  Fragment result = startSum(builder, location, accumulator, layout);
  Type f32 = builder.getF32Type();
  Fragment a = cast(lhs, f32), b = cast(rhs, f32);
  for (int64_t k = 0; k < a.layout.getShape().back(); ++k)
    for (auto [number, sum] : llvm::enumerate(result.registers)) {
      Coordinates element = layout.apply(number);
      Value product = arith::MulFOp::create(
          builder, location, getElement(a, element.end()[-2], k),
          getElement(b, k, element.back()), arith::FastMathFlags::contract);
      sum = arith::AddFOp::create(builder, location, sum, product,
                                  arith::FastMathFlags::contract);
    }
  return result;
}
