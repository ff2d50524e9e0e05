//===- SourceLines.cpp - Lines of PTX and ops of a µGraph -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceLines.h"
#include "Mirage/Artifact/Artifact.h"
#include "Mirage/Dialect/Operator/OperationNames.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include <map>

using namespace mlir;
using namespace mlir::mirage;

namespace {
/// Gives numbers to ops of a µGraph, and locations to operations.
class LineNumbering {
public:
  explicit LineNumbering(gpu::GPUModuleOp module)
      : module(module), builder(module.getContext()) {}

  ArrayAttr run() {
    list();
    if (lines.empty())
      return nullptr;
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      rewrite(function);
    SmallVector<Attribute> described;
    for (const auto &[number, op] : lines)
      described.push_back(describe(op));
    return builder.getArrayAttr(described);
  }

private:
  /// By the number that an op has in the µGraph: ops that no code is left of
  /// have no line.
  void list() {
    module.walk([&](Operation *op) {
      if (std::optional<NamedOperation> named =
              findNamedOperation(op->getLoc()))
        lines.try_emplace(named->number, *named);
    });
  }

  Attribute describe(const NamedOperation &op) {
    std::string place = "?";
    if (FileLineColLoc file = findFile(op.written))
      place = (file.getFilename().getValue() + ":" + Twine(file.getLine()) +
               ":" + Twine(file.getColumn()))
                  .str();
    return builder.getStrArrayAttr({op.name, place});
  }

  Location getLine(Location location) {
    std::optional<NamedOperation> named = findNamedOperation(location);
    if (!named)
      return builder.getUnknownLoc();
    auto line = std::distance(lines.begin(), lines.find(named->number));
    return FileLineColLoc::get(builder.getContext(), kOpLocationsFile, line + 1,
                               1);
  }

  /// Directives alone: no DWARF, and no other code.
  void rewrite(LLVM::LLVMFuncOp function) {
    if (function.isExternal())
      return;
    function->walk([&](Operation *op) { op->setLoc(getLine(op->getLoc())); });
    MLIRContext *context = builder.getContext();
    auto file = LLVM::DIFileAttr::get(context, kOpLocationsFile, "");
    auto makeId = [&] { return DistinctAttr::create(builder.getUnitAttr()); };
    auto unit = LLVM::DICompileUnitAttr::get(
        makeId(), llvm::dwarf::DW_LANG_C, file, builder.getStringAttr("mirage"),
        /*isOptimized=*/true, LLVM::DIEmissionKind::DebugDirectivesOnly);
    auto type =
        LLVM::DISubroutineTypeAttr::get(context, llvm::dwarf::DW_CC_normal, {});
    auto name = builder.getStringAttr(function.getName());
    auto program = LLVM::DISubprogramAttr::get(
        context, makeId(), unit, file, name, name, file, /*line=*/1,
        /*scopeLine=*/1,
        LLVM::DISubprogramFlags::Definition |
            LLVM::DISubprogramFlags::Optimized,
        type, /*retainedNodes=*/{}, /*annotations=*/{});
    auto start = FileLineColLoc::get(context, kOpLocationsFile, 1, 1);
    function->setLoc(FusedLoc::get(context, {start}, program));
  }

  gpu::GPUModuleOp module;
  Builder builder;
  std::map<unsigned, NamedOperation> lines;
};
} // namespace

ArrayAttr mlir::mirage::numberSourceLines(gpu::GPUModuleOp module) {
  return LineNumbering(module).run();
}
