//===- MultiplyFragments.cpp - Products of fragments ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FragmentOps.h"
#include "Mirage/Conversion/ScalarToArith.h"
#include "Mirage/Layout/Fragments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::mirage;

namespace {
/// A fragment as a matrix: its last two dimensions. The others have size 1.
class MatrixFragment {
public:
  explicit MatrixFragment(const Fragment &fragment) : fragment(fragment) {}

  int64_t getNumRows() const { return fragment.layout.getShape().end()[-2]; }
  int64_t getNumColumns() const { return fragment.layout.getShape().back(); }

  /// Row and column that a lane bit stands for.
  std::pair<int64_t, int64_t> getLaneImage(unsigned bit) const {
    const Coordinates &image = fragment.layout.getBases(LayoutInput::Lane)[bit];
    return {image.end()[-2], image.back()};
  }

  /// The register that holds this element in lane 0, which in other lanes holds
  /// the element displaced by their images.
  std::optional<unsigned> find(int64_t row, int64_t column) const {
    Coordinates element(fragment.layout.getRank(), 0);
    element.end()[-2] = row;
    element.back() = column;
    return fragment.layout.findRegister(element);
  }

  /// The registers of one instruction's tile, or none if the tile is not there.
  std::optional<SmallVector<unsigned>>
  findTile(const LinearLayout &tile, int64_t row, int64_t column) const {
    SmallVector<unsigned> numbers;
    for (unsigned i = 0; i < tile.getNumRegisters(); ++i) {
      Coordinates element = tile.apply(i);
      std::optional<unsigned> number =
          find(row * tile.getShape()[0] + element[0],
               column * tile.getShape()[1] + element[1]);
      if (!number)
        return std::nullopt;
      numbers.push_back(*number);
    }
    return numbers;
  }

  /// Whether lanes hold what an instruction's tile has them hold.
  bool hasLanesOf(const LinearLayout &tile) const {
    for (unsigned bit = 0; bit < kLaneBits; ++bit) {
      const Coordinates &image = tile.getBases(LayoutInput::Lane)[bit];
      if (getLaneImage(bit) != std::make_pair(image[0], image[1]))
        return false;
    }
    return getNumRows() % tile.getShape()[0] == 0 &&
           getNumColumns() % tile.getShape()[1] == 0;
  }

private:
  const Fragment &fragment;
};

/// Products by mma.sync.m16n8k16.
class MmaEmitter {
public:
  MmaEmitter(OpBuilder &builder, Location location)
      : builder(builder), location(location) {}

  /// `result += lhs · rhs`, tile by tile.
  llvm::Error emit(const Fragment &lhs, const Fragment &rhs, Fragment &result);

  static bool fits(const Fragment &lhs, const Fragment &rhs,
                   const Fragment &result);

private:
  /// Registers of 32 bits, each of two elements.
  SmallVector<Value> pack(const Fragment &fragment, ArrayRef<unsigned> numbers);
  SmallVector<Value> emitInstruction(ArrayRef<Value> a, ArrayRef<Value> b,
                                     ArrayRef<Value> c, bool isBF16);

  OpBuilder &builder;
  Location location;
  const LinearLayout tileA = getFragmentLayout(FragmentKind::MmaM16N8K16A);
  const LinearLayout tileB = getFragmentLayout(FragmentKind::MmaM16N8K16B);
  const LinearLayout tileD = getFragmentLayout(FragmentKind::MmaM16N8D);
};
} // namespace

bool MmaEmitter::fits(const Fragment &lhs, const Fragment &rhs,
                      const Fragment &result) {
  Type type = lhs.getElementType();
  return (type.isF16() || type.isBF16()) && rhs.getElementType() == type &&
         MatrixFragment(lhs).hasLanesOf(
             getFragmentLayout(FragmentKind::MmaM16N8K16A)) &&
         MatrixFragment(rhs).hasLanesOf(
             getFragmentLayout(FragmentKind::MmaM16N8K16B)) &&
         MatrixFragment(result).hasLanesOf(
             getFragmentLayout(FragmentKind::MmaM16N8D));
}

SmallVector<Value> MmaEmitter::pack(const Fragment &fragment,
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

SmallVector<Value> MmaEmitter::emitInstruction(ArrayRef<Value> a,
                                               ArrayRef<Value> b,
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

llvm::Error MmaEmitter::emit(const Fragment &lhs, const Fragment &rhs,
                             Fragment &result) {
  MatrixFragment a(lhs), b(rhs), d(result);
  bool isBF16 = lhs.getElementType().isBF16();
  for (int64_t k = 0; k < a.getNumColumns() / 16; ++k)
    for (int64_t m = 0; m < d.getNumRows() / 16; ++m)
      for (int64_t n = 0; n < d.getNumColumns() / 8; ++n) {
        auto inA = a.findTile(tileA, m, k), inB = b.findTile(tileB, k, n),
             inD = d.findTile(tileD, m, n);
        if (!inA || !inB || !inD)
          return llvm::createStringError(
              "expects fragments of whole mma.sync tiles");
        SmallVector<Value> c;
        for (unsigned number : *inD)
          c.push_back(result.registers[number]);
        SmallVector<Value> joined =
            emitInstruction(pack(lhs, *inA), pack(rhs, *inB), c, isBF16);
        for (auto [number, value] : llvm::zip_equal(*inD, joined))
          result.registers[number] = value;
      }
  return llvm::Error::success();
}

/// Whether every lane holds all of k for the rows and columns it computes.
static bool holdsAllOfK(const MatrixFragment &lhs, const MatrixFragment &rhs,
                        const MatrixFragment &result) {
  for (unsigned bit = 0; bit < kLaneBits; ++bit) {
    auto [row, column] = result.getLaneImage(bit);
    if (lhs.getLaneImage(bit) != std::make_pair(row, int64_t(0)) ||
        rhs.getLaneImage(bit) != std::make_pair(int64_t(0), column))
      return false;
  }
  return true;
}

/// `result += lhs · rhs` by multiplications and additions of each lane's own.
static llvm::Error emitExact(OpBuilder &builder, Location location,
                             const Fragment &lhs, const Fragment &rhs,
                             Fragment &result) {
  MatrixFragment a(lhs), b(rhs);
  unsigned rank = result.layout.getRank();
  for (int64_t k = 0; k < a.getNumColumns(); ++k)
    for (auto [number, sum] : llvm::enumerate(result.registers)) {
      Coordinates element = result.layout.apply(number);
      std::optional<unsigned> left = a.find(element[rank - 2], k);
      std::optional<unsigned> right = b.find(k, element[rank - 1]);
      if (!left || !right)
        return llvm::createStringError(
            "expects lanes that hold all of k for their rows and "
            "columns");
      Value product = arith::MulFOp::create(
          builder, location, lhs.registers[*left], rhs.registers[*right],
          arith::FastMathFlags::contract);
      sum = arith::AddFOp::create(builder, location, sum, product,
                                  arith::FastMathFlags::contract);
    }
  return llvm::Error::success();
}

llvm::Expected<Fragment> FragmentOps::multiply(const Fragment &lhs,
                                               const Fragment &rhs,
                                               const Fragment &accumulator,
                                               const LinearLayout &layout) {
  Fragment result{layout, accumulator.registers};
  if (result.registers.empty())
    result.registers.assign(layout.getNumRegisters(),
                            emitConstant(builder, location, 0));
  if (MmaEmitter::fits(lhs, rhs, result)) {
    if (llvm::Error error =
            MmaEmitter(builder, location).emit(lhs, rhs, result))
      return std::move(error);
    return result;
  }
  if (!holdsAllOfK(MatrixFragment(lhs), MatrixFragment(rhs),
                   MatrixFragment(result)))
    return llvm::createStringError(
        "expects the fragments of mma.sync.m16n8k16, or fragments "
        "in which a lane holds all of k for its rows and columns");
  Type f32 = builder.getF32Type();
  if (llvm::Error error =
          emitExact(builder, location, cast(lhs, f32), cast(rhs, f32), result))
    return std::move(error);
  return result;
}
