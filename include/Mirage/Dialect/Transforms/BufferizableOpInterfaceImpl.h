//===- BufferizableOpInterfaceImpl.h - Graphs on memrefs --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How upstream's One-Shot Bufferize takes a `mirage_kernel.graph` along: as an
// op of destination style that reads its inputs and writes its inits, of which
// it reads nothing.
//
//   %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>)
//                            outs(%e : tensor<8x64xf16>) {..} :
//                            tensor<8x64xf16>
// becomes
//   mirage_kernel.graph ins(%x_buffer : memref<8x64xf16>)
//                       outs(%e_buffer : memref<8x64xf16>) {..}
//
// The region stays as it is. What its tensors are views of is decided later
// (Mirage/Analysis/LaunchSequence.h), so bufferization sees none of them.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
#define MIRAGE_DIALECT_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::mirage {

/// Attaches `BufferizableOpInterface` to the ops of the three dialects when
/// these are loaded.
///
/// A buffer of which no graph can say where its elements lie, as its strides or
/// its offset are known at run time only, is copied, by the means of the
/// options (`memCpyFn`, `allocationFn`), before or, if it is written, after the
/// graph. A remark of the category `mirage-bufferize` says so. Function
/// boundaries are a source of such: `function-boundary-type-conversion=
/// identity-layout-map` makes none. A buffer of another memory space is an
/// error.
void registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry);

} // namespace mlir::mirage

#endif // MIRAGE_DIALECT_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
