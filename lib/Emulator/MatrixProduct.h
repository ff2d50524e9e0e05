//===- MatrixProduct.h - What a wgmma computes ------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_MATRIXPRODUCT_H
#define MIRAGE_LIB_EMULATOR_MATRIXPRODUCT_H

#include "Mirage/Layout/MatrixDescriptor.h"

#include <vector>

namespace mlir::mirage::emulator {

enum class MatrixElement : uint8_t { F16, BF16, TF32, E4M3, E5M2, S8, U8 };
enum class MatrixSum : uint8_t { F32, F16, S32 };

unsigned sizeBytes(MatrixElement element);

/// Exact: consecutive elements as f32. Of tf32 the low 13 bits do not take
/// part.
void widenElements(MatrixElement element, float *to, const void *from,
                   unsigned count);

/// m64nNkK of wgmma, of which one warp has 16 rows.
struct MatrixShape {
  MatrixElement a = MatrixElement::F16, b = MatrixElement::F16;
  MatrixSum sum = MatrixSum::F32;
  bool saturates = false; ///< sums of s32
  uint16_t columns = 8;   ///< n
  static constexpr unsigned rows = 64, rowsPerWarp = 16;

  unsigned depth() const { return kMatrixStepBytes / sizeBytes(a); } ///< k
  /// Registers of one lane's accumulators.
  unsigned numRegisters() const {
    return sum == MatrixSum::F16 ? columns / 4 : columns / 2;
  }
  bool operator==(const MatrixShape &other) const {
    return a == other.a && b == other.b && sum == other.sum &&
           columns == other.columns;
  }

  /// In 16 bits: Instruction::variant.
  uint16_t pack() const;
  static MatrixShape unpack(uint16_t bits);
};

/// The operands of one wgmma.
struct MatrixProduct {
  MatrixShape shape;
  bool hasFragments = false;    ///< the left operand is in registers
  uint64_t left = 0, right = 0; ///< descriptors
  bool accumulates = true;      ///< else the sum starts from zero
  bool isNegated = false;       ///< the products are
  MatrixMajor leftMajor = MatrixMajor::K, rightMajor = MatrixMajor::K;

  bool operator==(const MatrixProduct &other) const {
    return shape == other.shape && hasFragments == other.hasFragments &&
           left == other.left && right == other.right &&
           accumulates == other.accumulates && isNegated == other.isNegated &&
           leftMajor == other.leftMajor && rightMajor == other.rightMajor;
  }

  /// Shared addresses of the pieces of the operands that lie there, the right
  /// one's first.
  void listPieces(llvm::SmallVectorImpl<uint32_t> &addresses) const;
};

/// The operands of one product as numbers. Made once and used for many: its
/// memory stays.
class MatrixTiles {
public:
  /// Reads what lies in shared memory; pieces beyond its end are zeros.
  void read(const MatrixProduct &product, llvm::ArrayRef<uint32_t> pieces,
            llvm::ArrayRef<uint8_t> shared);

  /// Multiplies 16 rows. `accumulator` is as MatrixAccumulator says.
  /// \param fragments  the four registers of 32 lanes; not used if the left
  ///                   operand lies in shared memory.
  void multiply(const MatrixProduct &product, unsigned warp,
                const uint32_t *const (&fragments)[4],
                std::vector<float> &accumulator);

private:
  struct Operand {
    std::vector<float> values; ///< [64][depth], or [depth][columns]
    void read(MatrixElement element, bool mustTranspose, unsigned rows,
              llvm::ArrayRef<uint32_t> pieces, llvm::ArrayRef<uint8_t> shared,
              MatrixTiles &tiles);
  };
  void addIntegers(const MatrixProduct &product, const float *rows,
                   std::vector<float> &accumulator);

  Operand left, right;
  std::vector<uint8_t> bytes; ///< of pieces
  std::vector<float> scratch;
};

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_MATRIXPRODUCT_H
