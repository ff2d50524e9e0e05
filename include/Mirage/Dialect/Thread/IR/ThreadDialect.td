//===- ThreadDialect.td - The thread level ------------------------*- tablegen -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_THREAD_IR_THREADDIALECT_TD
#define MIRAGE_DIALECT_THREAD_IR_THREADDIALECT_TD

include "mlir/IR/DialectBase.td"

def MirageThreadDialect : Dialect {
  let name = "mirage_thread";
  let cppNamespace = "::mlir::mirage::thread";
  let summary = "what one warp does";
  let description = [{
    Values are windows, parts of a tile that stay where the tile is, and fragments,
    whose elements are spread over the registers of the lanes of one warp (or of the
    four of a warpgroup) as the `#mirage_thread.layout` of their type says.
    `mirage_thread.graph` is one step of a block.
  }];
  let dependentDialects = ["::mlir::mirage::MirageDialect"];
  let useDefaultAttributePrinterParser = 1;
}

#endif // MIRAGE_DIALECT_THREAD_IR_THREADDIALECT_TD
