//===- Fragments.h - Layouts that instructions prescribe --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fragments of the PTX ISA's matrix instructions (sections "Matrix
// Fragments for mma", "ldmatrix" and "Asynchronous Warpgroup Level Matrix
// Register Fragment"), each verified on an H200 with random integers. Rows of
// A, B and D are m, k, m; columns are k, n, n.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LAYOUT_FRAGMENTS_H
#define MIRAGE_LAYOUT_FRAGMENTS_H

#include "Mirage/Layout/LinearLayout.h"

namespace mlir::mirage {

enum class FragmentKind : uint8_t {
  MmaM16N8K16A,       ///< 16x16, 16-bit elements
  MmaM16N8K16B,       ///< 16x8
  MmaM16N8K8A,        ///< 16x8, 16-bit elements
  MmaM16N8K8B,        ///< 8x8
  MmaM16N8K8TF32A,    ///< 16x8, tf32
  MmaM16N8K8TF32B,    ///< 8x8
  MmaM16N8K32A,       ///< 16x32, 8-bit elements
  MmaM16N8K32B,       ///< 32x8
  MmaM16N8D,          ///< 16x8, C and D of all shapes, f32, s32 and f16
  Matrix8x8,          ///< one matrix of ldmatrix and stmatrix, 16-bit elements
  Matrix8x8Transposed ///< one matrix of ldmatrix.trans
};

LinearLayout getFragmentLayout(FragmentKind kind);

/// The accumulator of wgmma.m64nNk*, f32: 64 rows, `numColumns` columns over
/// the four warps of a warpgroup. `numColumns` is a power of two from 8 to 256;
/// other multiples of 8 repeat the layout of 8.
LinearLayout getWgmmaAccumulatorLayout(int64_t numColumns);

/// A fragment of `rows` x `columns` instruction tiles, in registers: register
/// bits above those of the tile count its columns, then its rows. Both counts
/// are powers of two.
LinearLayout repeatFragment(const LinearLayout &tile, int64_t rows,
                            int64_t columns);

} // namespace mlir::mirage

#endif // MIRAGE_LAYOUT_FRAGMENTS_H
