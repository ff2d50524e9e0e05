//===- mirage-write-bytecode.cpp - Bytecode of another version ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   mirage-write-bytecode in.mlir mirage_block 2 > out.mlirbc
//
// writes what a Mirage would whose mirage_block has that version;
//
//   mirage-write-bytecode in.mlir upgraded 1 --read-back
//
// reads it again as well, and prints it. The dialect "upgraded" is one of this
// program, in version 3; its steps leave attributes on its ops.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Operator/BytecodeVersion.h"
#include "Mirage/InitAll.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

static LogicalResult upgradeFromOne(Operation *root) {
  root->walk([](Operation *op) {
    if (op->getName().getDialectNamespace() == "upgraded")
      op->setAttr("one_to_two", UnitAttr::get(op->getContext()));
  });
  return success();
}

static LogicalResult upgradeFromTwo(Operation *root) {
  WalkResult result = root->walk([](Operation *op) {
    if (op->getName().getDialectNamespace() != "upgraded")
      return WalkResult::advance();
    if (op->hasAttr("refuses")) {
      op->emitError("expects no attribute 'refuses'");
      return WalkResult::interrupt();
    }
    op->setAttr(op->hasAttr("one_to_two") ? "after_first" : "first",
                UnitAttr::get(op->getContext()));
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static constexpr mirage::UpgradeStep kSteps[] = {upgradeFromOne,
                                                 upgradeFromTwo};

namespace {
class UpgradedDialect : public Dialect {
public:
  explicit UpgradedDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context,
                TypeID::get<UpgradedDialect>()) {
    allowUnknownOperations();
    addInterface<mirage::VersionedBytecode>(
        ArrayRef<mirage::UpgradeStep>(kSteps));
  }
  static StringRef getDialectNamespace() { return "upgraded"; }
};
} // namespace

int main(int argc, char **argv) {
  uint64_t version;
  bool readsBack = argc == 5 && StringRef(argv[4]) == "--read-back";
  if ((argc != 4 && !readsBack) ||
      StringRef(argv[3]).getAsInteger(10, version)) {
    llvm::errs() << "usage: mirage-write-bytecode in.mlir DIALECT VERSION "
                    "[--read-back]\n";
    return 2;
  }
  DialectRegistry registry;
  registerAllDialects(registry);
  mirage::registerAllDialects(registry);
  registry.insert<UpgradedDialect>();
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(argv[1], &context);
  if (!module)
    return 1;
  BytecodeWriterConfig config;
  config.setDialectVersion(argv[2],
                           std::make_unique<mirage::IRVersion>(version));
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  if (failed(writeBytecodeToFile(*module, os, config)))
    return 1;
  if (!readsBack) {
    llvm::outs() << bytes;
    return 0;
  }
  OwningOpRef<ModuleOp> read = parseSourceString<ModuleOp>(bytes, &context);
  if (!read)
    return 1;
  llvm::outs() << *read << '\n';
  return 0;
}
