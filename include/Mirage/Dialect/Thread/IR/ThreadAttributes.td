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
    coordinates `register[i]`, bit `i` of the lane number for `lane[i]`, and of
    the warp number, in fragments of a warpgroup and in tiles that a block holds, for
    `warp[i]`; the element that a register of a lane holds is at the exclusive or of the
    coordinates of the bits that are set. A lane or warp bit with all coordinates zero
    replicates. All lists start with the lowest bit; there are 5 lane bits, and at most
    5 warp bits: none in a fragment of a warp, 2 in one of a warpgroup. In a tile that a
    block holds warp bits may count shares instead: always where its warps are no power of two.
    `dealt` says how many there are and to how many warps they come, in turn: with
    `dealt = 6 to 3` (`#dealt`) warp 1 has shares 1 and 4. With `dealt = 5 x 3 to 4` there
    are 15, whose numbers are those of 5 x 4 of which the last of each 4 is nobody's. A thread
    has the registers of one of its shares after the other. These
    are the fragments of mma.sync.m16n8k16 (left operand, in two orders of registers, right operand, accumulator), the
    accumulator transposed, one column of it, and its elements in row-major order; a product
    of rows and columns that lanes hold whole; an accumulator of wgmma; and shares of 8 columns:
    ```mlir
    #a = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
    #a2 = #mirage_thread.layout<register = [[0, 1], [0, 8], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
    #b = #mirage_thread.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
    #c = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
    #ct = #mirage_thread.layout<register = [[1, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
    #column = #mirage_thread.layout<register = [[8, 0]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]]>
    #flat = #mirage_thread.layout<register = [[1, 0], [64, 0]], lane = [[2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]>
    #rows = #mirage_thread.layout<register = [[0, 1]], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]]>
    #columns = #mirage_thread.layout<register = [[1, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 0], [0, 0]]>
    #product = #mirage_thread.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]>
    #acc = #mirage_thread.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
    #dealt = #mirage_thread.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8], [0, 16], [0, 32]], dealt = 6 to 3>
    ```
    - (C1) each entry has a coordinate for each dimension; 5 entries for lanes, at most
      5 for warps, or 15 for shares.
    - (C2) every element of the fragment is held, and each size is a power of two.
    - (C3) there are at most 10 entries for registers: a thread has 255 registers of 32
      bits, which are fewer than 1024 of the smallest elements. All shares of a thread
      have no more than that together.
    - (C4) shares are dealt to up to 32 warps, and are not just these; their numbers need all bits that there are for
      them. An extent of 1 is left out, and a power of two is part of the one before it.
  }];
  // Without shares there are none of the last two.
  let parameters = (ins "::mlir::ArrayAttr":$registers, "::mlir::ArrayAttr":$lanes,
                        "::mlir::ArrayAttr":$warps,
                        ArrayRefParameter<"int64_t">:$shares, "int64_t":$dealtTo);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    AttrBuilder<(ins "const ::mlir::mirage::LinearLayout &":$layout)>,
    AttrBuilder<(ins "const ::mlir::mirage::LinearLayout &":$layout,
                     "const ::mlir::mirage::ShareDeal &":$deal)>];
  let extraClassDeclaration = [{
    /// The map itself, for a fragment of this shape, which `verifyEncoding`
    /// accepts.
    ::mlir::mirage::LinearLayout getLinearLayout(::llvm::ArrayRef<int64_t> shape) const;
    /// How the shares, or warps, that the warp bits count come to warps.
    ::mlir::mirage::ShareDeal getDeal() const;
  }];
}

#endif // MIRAGE_DIALECT_THREAD_IR_THREADATTRIBUTES_TD
