//===- ThreadAttributes.td - Layouts of fragments --------------*- tablegen -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_THREAD_IR_THREADATTRIBUTES_TD
#define MIRAGE_DIALECT_THREAD_IR_THREADATTRIBUTES_TD

include "Mirage/Dialect/Thread/IR/ThreadDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/TensorEncoding.td"

def Thread_LayoutAttr : AttrDef<MirageThreadDialect, "Layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "layout";
  let summary = "which register of which lane holds which element of a fragment";
  let description = [{
    A linear map over F2: bit `i` of the register number stands for the
    coordinates `register[i]`, bit `i` of the lane number for `lane[i]`; the
    element that a register of a lane holds is at the exclusive or of the
    coordinates of the bits that are set. A lane bit with all coordinates zero
    replicates. Both lists start with the lowest bit; there are 5 lane bits. These
    are the fragments of mma.sync.m16n8k16 (left and right operand, accumulator), the
    accumulator transposed, one column of it, and its elements in row-major order:
    ```mlir
    #a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
    #b = #mirage_thread.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
    #c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
    #ct = #mirage_thread.layout<register = [[1, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
    #column = #mirage_thread.layout<register = [[0, 0], [8, 0]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]]>
    #flat = #mirage_thread.layout<register = [[1, 0], [64, 0]], lane = [[2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]>
    ```
    - (C1) each entry has a coordinate for each dimension, 5 entries for lanes.
    - (C2) every element of the fragment is held, and each size is a power of two.
  }];
  let parameters = (ins "::mlir::ArrayAttr":$registers, "::mlir::ArrayAttr":$lanes);
  let hasCustomAssemblyFormat = 1;
  let builders = [
    AttrBuilder<(ins "::llvm::ArrayRef<::llvm::SmallVector<int64_t, 2>>":$registers,
                     "::llvm::ArrayRef<::llvm::SmallVector<int64_t, 2>>":$lanes)>];
  let extraClassDeclaration = [{
    /// Coordinates that bit `bit` of the register or lane number stands for.
    ::llvm::ArrayRef<int64_t> getRegisterBasis(unsigned bit) const;
    ::llvm::ArrayRef<int64_t> getLaneBasis(unsigned bit) const;
    unsigned getNumRegisterBits() const { return getRegisters().size(); }
    /// Elements of the fragment that each lane holds.
    unsigned getNumRegisters() const { return 1u << getNumRegisterBits(); }
    /// Coordinates of the element that register `number` of lane 0 holds.
    ::llvm::SmallVector<int64_t, 2> getRegisterCoordinates(unsigned number) const;
    unsigned getRank() const;
  }];
}

#endif // MIRAGE_DIALECT_THREAD_IR_THREADATTRIBUTES_TD
