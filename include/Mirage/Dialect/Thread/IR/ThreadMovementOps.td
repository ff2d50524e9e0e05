//===- ThreadMovementOps.td - Memory, registers, lanes -----*- tablegen -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A value without a layout is a window: a part of a tile, where the tile lies. One
// with a layout is a fragment: in registers. `Mirage/Dialect/Thread/IR/Fragments.h`.

#ifndef MIRAGE_DIALECT_THREAD_IR_THREADMOVEMENTOPS_TD
#define MIRAGE_DIALECT_THREAD_IR_THREADMOVEMENTOPS_TD

include "Mirage/Dialect/Operator/OperatorBase.td"
include "Mirage/Dialect/Thread/IR/ThreadAttributes.td"

/// An op whose result is its operand, in another place.
class Thread_CopyOp<string mnemonic, string opcode>
    : Mirage_OperatorOp<MirageThreadDialect, 0, mnemonic, opcode> {
  let arguments = (ins Mirage_Tensor:$operand);
  let assemblyFormat = "$operand attr-dict " # typeFormat;
}

//===----------------------------------------------------------------------===//
// Between memory and registers
//===----------------------------------------------------------------------===//

def Thread_LoadOp : Thread_CopyOp<"load", "Load"> {
  let summary = "a window into registers";
  let description = [{
    Every lane reads the elements that the result's layout gives it, in accesses of
    up to 16 bytes as far as registers lie side by side in memory. What a window has
    beyond its tile is read as zero.
    - (C1) the operand is a window, the result a fragment.
    - (C2) the result has the operand's shape and element type.

    Cost: the bytes of the window; bank conflicts as the layout has them.
    ```mlir
    %f = mirage_thread.load %w : (tensor<16x8xf32>) -> tensor<16x8xf32, #c>
    ```
  }];
}

def Thread_StoreOp : Thread_CopyOp<"store", "Store"> {
  let summary = "a fragment into a window";
  let description = [{
    Of the lanes that hold an element, the first writes it. What a window has beyond
    its tile is not written. The window is yielded: where it lies, the `omap` says.
    - (C1) the operand is a fragment, the result a window.
    - (C2) the result has the operand's shape and element type.

    Cost: the bytes of the window; bank conflicts as the layout has them.
    ```mlir
    %w = mirage_thread.store %f : (tensor<16x8xf32, #c>) -> tensor<16x8xf32>
    ```
  }];
}

def Thread_LdmatrixOp : Thread_CopyOp<"ldmatrix", "Ldmatrix"> {
  let summary = "8x8 matrices in shared memory into registers";
  let description = [{
    As `load`, by `ldmatrix`: a lane points to a row of eight elements and receives two
    elements of another row or, transposed, of a column. The fragment's layout
    says which, and how many matrices one instruction loads: 1, 2 or 4.
    - (C1) the operand is a window, the result a fragment of a warp.
    - (C2) elements have 16 bits.
    - (C3) the fragment is made of 8x8 matrices, a register pair for each, as
      operands of `mma` are; every matrix starts at a multiple of 8 along the last
      dimension, along which rows lie in memory.
    - (C4) the result has the operand's shape and element type.

    Cost: the bytes of the window; an instruction for 4 matrices.
    ```mlir
    %f = mirage_thread.ldmatrix %w : (tensor<16x16xf16>) -> tensor<16x16xf16, #a>
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Between lanes
//===----------------------------------------------------------------------===//

def Thread_ConvertLayoutOp : Thread_CopyOp<"convert_layout", "ConvertLayout"> {
  let summary = "the same fragment, held by other lanes and registers";
  let description = [{
    Renames registers where lanes agree, and exchanges elements between lanes where
    they do not.
    - (C1) operand and result are fragments.
    - (C2) both are of one warp, or both of a warpgroup.
    - (C3) the result has the operand's shape and element type.

    Cost: shuffles, as many as registers at most times the number of lanes that ask one
    lane for different registers; none if lanes agree.
    ```mlir
    %g = mirage_thread.convert_layout %f : (tensor<16x16xf16, #a>) -> tensor<16x16xf16, #a2>
    ```
  }];
}

def Thread_ShuffleOp : Mirage_OperatorOp<MirageThreadDialect, 0, "shuffle", "Shuffle"> {
  let summary = "lanes exchange what they hold";
  let description = [{
    Computes `result[i] = x[i ^ dims]`, the exclusive or taken coordinate by coordinate:
    lanes that hold elements so far apart exchange them (shfl.sync.bfly).
    - (C1) `dims` has a coordinate for each dimension, within the fragment.
    - (C2) operand and result are fragments of one layout.
    - (C3) some set of lane bits stands for the coordinates `dims`.

    Cost: a shuffle for each register.
    ```mlir
    %g = mirage_thread.shuffle %f xor [0, 4] : (tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c>
    ```
  }];
  let arguments = (ins Mirage_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let assemblyFormat = "$operand `xor` $dims attr-dict " # typeFormat;
}

//===----------------------------------------------------------------------===//
// Between device memory and shared memory
//===----------------------------------------------------------------------===//

def Thread_CpAsyncOp : Thread_CopyOp<"cp_async", "CpAsync"> {
  let summary = "a window of device memory into shared memory, in small pieces";
  let description = [{
    Lanes start copies that go on beside them (cp.async). What a window has beyond its
    tile is filled with zeros.
    - (C1) operand and result are windows.
    - (C2) `bytes` is 4, 8 or 16, and the last dimension is a multiple of that.
    - (C3) the result has the operand's shape and element type.

    Cost: the bytes of the window; a copy instruction for `bytes` of each lane.
    ```mlir
    %s = mirage_thread.cp_async %w bytes 16 : (tensor<8x64xf16>) -> tensor<8x64xf16>
    ```
  }];
  let arguments = (ins Mirage_Tensor:$operand, I64Attr:$bytes);
  let assemblyFormat = "$operand `bytes` $bytes attr-dict " # typeFormat;
  let hasVerifier = 1;
}

class Thread_TmaOp<string mnemonic, string opcode> : Thread_CopyOp<mnemonic, opcode> {
  let arguments = (ins Mirage_Tensor:$operand, OptionalAttr<I64Attr>:$swizzle);
  let assemblyFormat = "$operand (`swizzle` $swizzle^)? attr-dict " # typeFormat;
  let hasVerifier = 1;
}

def Thread_TmaLoadOp : Thread_TmaOp<"tma_load", "TmaLoad"> {
  let summary = "a window of device memory into shared memory, by one thread";
  let description = [{
    One thread asks the copy engine for a box (cp.async.bulk.tensor). With `swizzle`, runs
    of 16 bytes change places within rows of that many bytes, so that columns
    meet all banks. What a window has beyond its tile is filled with zeros.
    - (C1) operand and result are windows.
    - (C2) of rank 1 to 5, with sizes of at most 256.
    - (C3) the last dimension has a multiple of 16 bytes.
    - (C4) `swizzle` is 32, 64 or 128, and the last dimension has at most so many bytes.
    - (C5) the result has the operand's shape and element type.

    Cost: the bytes of the window; one instruction.
    ```mlir
    %s = mirage_thread.tma_load %w swizzle 128 : (tensor<8x64xf16>) -> tensor<8x64xf16>
    ```
  }];
}

def Thread_TmaStoreOp : Thread_TmaOp<"tma_store", "TmaStore"> {
  let summary = "a window of shared memory into device memory, by one thread";
  let description = [{
    As `tma_load`, the other way. What a window has beyond its tile is not written.
    - (C1) operand and result are windows.
    - (C2) of rank 1 to 5, with sizes of at most 256.
    - (C3) the last dimension has a multiple of 16 bytes.
    - (C4) `swizzle` is 32, 64 or 128, and the last dimension has at most so many bytes.
    - (C5) the result has the operand's shape and element type.

    Cost: the bytes of the window; one instruction.
    ```mlir
    %g = mirage_thread.tma_store %w : (tensor<8x64xf16>) -> tensor<8x64xf16>
    ```
  }];
}

#endif // MIRAGE_DIALECT_THREAD_IR_THREADMOVEMENTOPS_TD
