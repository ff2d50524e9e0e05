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
// writes what a Mirage would whose mirage_block has that version.
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

int main(int argc, char **argv) {
  uint64_t version;
  if (argc != 4 || llvm::StringRef(argv[3]).getAsInteger(10, version)) {
    llvm::errs() << "usage: mirage-write-bytecode in.mlir DIALECT VERSION\n";
    return 2;
  }
  DialectRegistry registry;
  registerAllDialects(registry);
  mirage::registerAllDialects(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(argv[1], &context);
  if (!module)
    return 1;
  BytecodeWriterConfig config;
  config.setDialectVersion(argv[2],
                           std::make_unique<mirage::IRVersion>(version));
  return failed(writeBytecodeToFile(*module, llvm::outs(), config));
}
