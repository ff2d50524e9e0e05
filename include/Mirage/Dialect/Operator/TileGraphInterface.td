//===- TileGraphInterface.td - Ops that open a level of tiles --*- tablegen -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_OPERATOR_TILEGRAPHINTERFACE_TD
#define MIRAGE_DIALECT_OPERATOR_TILEGRAPHINTERFACE_TD

include "Mirage/Dialect/Operator/OperatorBase.td"

def MirageTileGraphInterface : OpInterface<"TileGraphOpInterface"> {
  let description = [{
    `mirage_block.graph` and `mirage_thread.graph`: a graph over tiles of its
    operands (`Mirage/Graph/Graph.h`, TileGraph). Accessors are those that ODS
    makes from the ops' arguments.
  }];
  let cppNamespace = "::mlir::mirage";
  let methods = [
    InterfaceMethod<"Extents of the grid's axes.", "::llvm::ArrayRef<int64_t>", "getGrid">,
    InterfaceMethod<"Iterations of the loop.", "uint64_t", "getLoop">,
    InterfaceMethod<"By input, the dimension that each axis cuts.", "::mlir::ArrayAttr", "getImaps">,
    InterfaceMethod<"By input, the dimension that the loop cuts.", "::llvm::ArrayRef<int64_t>", "getFmaps">,
    InterfaceMethod<"By output, the dimension that each axis joins.", "::mlir::ArrayAttr", "getOmaps">,
    InterfaceMethod<"The tensors that are cut, which stand first among the operands.", "::mlir::OperandRange", "getInputs">,
    InterfaceMethod<"The region.", "::mlir::Region &", "getBody">,
    InterfaceMethod<"Block or thread.", "::mlir::mirage::Level", "getLevel">,
    InterfaceMethod<"Threads of a block; 32 or 128 for a warp's or warpgroup's graph.", "unsigned", "getNumThreads">,
  ];
  let extraSharedClassDeclaration = [{
    /// Extents and maps as a TileGraph that has inputs and no operations.
    ::mlir::mirage::TileGraph getHeader() {
      return ::mlir::mirage::readTileGraphHeader($_op);
    }
    /// Memrefs that are written instead of results; none unless the level has
    /// them.
    ::mlir::OperandRange getWritten() {
      return $_op->getOperands().drop_front($_op.getInputs().size());
    }
    /// Extents of the cluster; none without one.
    ::llvm::ArrayRef<int64_t> getClusterExtents() {
      auto cluster = ::llvm::dyn_cast_or_null<::mlir::DenseI64ArrayAttr>(
          $_op->getInherentAttr("cluster").value_or(::mlir::Attribute()));
      return cluster ? cluster.asArrayRef() : ::llvm::ArrayRef<int64_t>();
    }
    /// Tiles of how many iterations there are at a time; 1 for a level without
    /// stages.
    int64_t getNumStages() {
      auto stages = ::llvm::dyn_cast_or_null<::mlir::IntegerAttr>(
          $_op->getInherentAttr("stages").value_or(::mlir::Attribute()));
      return stages ? stages.getInt() : 1;
    }
    /// What the region yields.
    ::mlir::OperandRange getYielded() {
      return $_op.getBody().front().getTerminator()->getOperands();
    }
  }];
}

/// The graph op of a level, whose arguments carry the names that the interface
/// asks for.
class Mirage_TileGraphOp<Dialect dialect, string level, list<Trait> traits>
    : Op<dialect, "graph", !listconcat(traits,
         [SingleBlock,
          DeclareOpInterfaceMethods<MirageTileGraphInterface, ["getLevel", "getNumThreads"]>])> {
  let results = (outs Variadic<Mirage_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDefinition = [{
    ::mlir::mirage::Level $cppClass::getLevel() {
      return ::mlir::mirage::Level::}] # level # [{;
    }
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser,
                                         ::mlir::OperationState &state) {
      return ::mlir::mirage::detail::parseTileGraph(
          parser, state, ::mlir::mirage::Level::}] # level # [{);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) {
      ::mlir::mirage::detail::printTileGraph(printer, *this);
    }
    ::llvm::LogicalResult $cppClass::verifyRegions() {
      return ::mlir::mirage::detail::verifyTileGraph(*this);
    }
  }];
}

#endif // MIRAGE_DIALECT_OPERATOR_TILEGRAPHINTERFACE_TD
