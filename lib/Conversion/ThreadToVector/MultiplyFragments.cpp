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

SmallVector<Value> FragmentOps::pack(const Fragment &fragment,
                                     ArrayRef<unsigned> numbers) {
  auto pairType = VectorType::get(2, fragment.getElementType());
  SmallVector<Value> packed;
  for (unsigned i = 0; i < numbers.size(); i += 2)
    packed.push_back(vector::FromElementsOp::create(
        builder, location, pairType,
        ValueRange{fragment.registers[numbers[i]],
                   fragment.registers[numbers[i + 1]]}));
  return packed;
}

/// How NVVM names what mma.sync takes; f32 it takes as tf32.
static NVVM::MMATypes getMmaType(Type elementType) {
  if (elementType.isF32())
    return NVVM::MMATypes::tf32;
  return elementType.isBF16() ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
}

/// mma.sync of 16-bit elements, m16n8k16, or m16n8k8 where a is half as many;
/// or of tf32, m16n8k8.
static SmallVector<Value>
emitInstruction(OpBuilder &builder, Location location, NVVM::MMATypes type,
                SmallVector<Value> a, SmallVector<Value> b, ArrayRef<Value> c) {
  // Pairs of bf16 are numbers to NVVM.
  for (Value &pair : llvm::concat<Value>(a, b))
    if (type == NVVM::MMATypes::bf16)
      pair = LLVM::BitcastOp::create(builder, location, builder.getI32Type(),
                                     pair);
  Type f32 = builder.getF32Type();
  auto resultType = LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                                     {f32, f32, f32, f32});
  int64_t k = (type == NVVM::MMATypes::tf32 ? 2 : 4) * a.size();
  auto mma = NVVM::MmaOp::create(
      builder, location, resultType, a, b, c, ArrayRef<int64_t>{16, 8, k},
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
Fragment mlir::mirage::startSum(OpBuilder &builder, Location location,
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

namespace {
/// One operand, and how registers of a tile go to instructions of 16 bits: all
/// to one; or of 8 bits, where each lane has four neighbours along k, two of
/// the four to each of two. They are then other sixteen of k than those that
/// the instruction counts as its own, in both operands alike: a sum has no
/// order.
struct TiledOperand {
  const LinearLayout &tile;
  Fragment fragment; ///< of 16-bit elements, or tf32
  unsigned numInstructions;

  SmallVector<unsigned> find(int64_t row, int64_t column,
                             unsigned instruction) const {
    SmallVector<unsigned> taken;
    for (auto [i, number] :
         llvm::enumerate(findTileRegisters(fragment.layout, tile, row, column)))
      if (i / 2 % numInstructions == instruction)
        taken.push_back(number);
    return taken;
  }
};
} // namespace

/// What lies beyond the largest number of tf32 becomes infinity.
Fragment FragmentOps::roundToTF32(const Fragment &fragment) {
  Fragment rounded = fragment;
  for (Value &element : rounded.registers)
    element = NVVM::ConvertFloatToTF32Op::create(
        builder, location, builder.getI32Type(), element,
        NVVM::FPRoundingMode::RNA, NVVM::SaturationMode::NONE, /*relu=*/false);
  return rounded;
}

Fragment FragmentOps::multiplyTiles(const MatrixInstruction &instruction,
                                    const Fragment &lhs, const Fragment &rhs,
                                    const Fragment &accumulator,
                                    const LinearLayout &layout) {
  Fragment result = startSum(builder, location, accumulator, layout);
  bool isWidened = lhs.getElementType().getIntOrFloatBitWidth() == 8;
  Type type = isWidened ? builder.getF16Type() : lhs.getElementType();
  unsigned numInstructions = isWidened ? 2 : 1;
  auto prepare = [&](const Fragment &operand) {
    return type.isF32() ? roundToTF32(operand) : cast(operand, type);
  };
  TiledOperand a{instruction.a, prepare(lhs), numInstructions};
  TiledOperand b{instruction.b, prepare(rhs), numInstructions};
  auto take = [&](const TiledOperand &operand, int64_t row, int64_t column,
                  unsigned number) {
    SmallVector<unsigned> numbers = operand.find(row, column, number);
    if (!type.isF32())
      return pack(operand.fragment, numbers);
    return SmallVector<Value>(
        llvm::map_range(numbers, [&](unsigned i) -> Value {
          return operand.fragment.registers[i];
        }));
  };
  auto multiply = [&](int64_t m, int64_t n, int64_t k, unsigned number) {
    auto targets = findTileRegisters(layout, instruction.d, m, n);
    auto c = llvm::map_to_vector(
        targets, [&](unsigned target) { return result.registers[target]; });
    SmallVector<Value> sums =
        emitInstruction(builder, location, getMmaType(type),
                        take(a, m, k, number), take(b, k, n, number), c);
    for (auto [target, sum] : llvm::zip_equal(targets, sums))
      result.registers[target] = sum;
  };
  for (int64_t k = 0; k < countTiles(lhs, instruction.a, 0); ++k)
    for (int64_t m = 0; m < countTiles(result, instruction.d, 1); ++m)
      for (int64_t n = 0; n < countTiles(result, instruction.d, 0); ++n)
        for (unsigned number = 0; number < numInstructions; ++number)
          multiply(m, n, k, number);
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
