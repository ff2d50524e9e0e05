//===- NpyFile.h - Tensors in NumPy's file format ------------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which dtype stands for which element type:
//
//   element type         written as  read from
//   f16                  <f2         <f2, <f4, <f8
//   f32                  <f4         <f2, <f4, <f8
//   bf16                 <u2         <u2 and <V2 (the bits), <f2, <f4, <f8
//   f8E4M3FN, f8E5M2     |u1         |u1 and |V1 (the bits), <f2, <f4, <f8
//
// NumPy has no bfloat16 and no 8-bit floats, hence their bits as integers; V is
// how the package ml_dtypes saves them. Floating-point files of another width
// than the element type's are rounded to nearest, ties to even. Data in
// Fortran's order (fortran_order) is read as well; what is written is
// row-major.
//
// Format:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_REFERENCE_NPYFILE_H
#define MIRAGE_REFERENCE_NPYFILE_H

#include "Mirage/Reference/HostTensor.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mlir::mirage {

/// Reads a .npy file for a tensor of type `expected`. Errors name the file with
/// the dtype, shape or number of bytes expected and found.
llvm::Expected<HostTensor> readNpy(llvm::StringRef path,
                                   const TensorSpec &expected);

llvm::Error writeNpy(llvm::StringRef path, const HostTensor &tensor);
/// Writes double precision (dtype <f8).
llvm::Error writeNpy(llvm::StringRef path, llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<double> values);

} // namespace mlir::mirage

#endif // MIRAGE_REFERENCE_NPYFILE_H
