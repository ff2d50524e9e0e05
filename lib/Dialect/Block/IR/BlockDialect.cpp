//===- BlockDialect.cpp - The block level ---------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Operator/BytecodeVersion.h"
#include "Mirage/Dialect/Operator/Canonicalization.h"
#include "Mirage/Dialect/Operator/LibraryMatmulAttribute.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::mirage;
using namespace mlir::mirage::block;

#include "Mirage/Dialect/Block/IR/BlockDialect.cpp.inc"

#define GET_OP_CLASSES
#include "Mirage/Dialect/Block/IR/BlockOps.cpp.inc"

/// By the version that is upgraded from.
static constexpr mirage::UpgradeStep kUpgradeSteps[] = {
    // 2: clusters of block graphs, accumulations that rescale. What version 1
    // says means the same.
    [](Operation *) { return success(); },
    // 3: stages of block graphs. Without them there is one.
    [](Operation *) { return success(); },
};

/// The first version whose block graphs say their clusters, and their stages.
static constexpr uint64_t kClusters = 2, kStages = 3;

/// Whether a file is of a version or a later one; no version is the current
/// one.
static bool isSince(uint64_t number,
                    FailureOr<const DialectVersion *> version) {
  return failed(version) ||
         static_cast<const mirage::IRVersion *>(*version)->number >= number;
}

void MirageBlockDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Mirage/Dialect/Block/IR/BlockOps.cpp.inc"
      >();
  mirage::addOperatorFolds(*this);
  addInterface<mirage::VersionedBytecode>(
      ArrayRef<mirage::UpgradeStep>(kUpgradeSteps));
}

void MirageBlockDialect::getCanonicalizationPatterns(
    RewritePatternSet &patterns) const {
  mirage::populateOperatorCanonicalizationPatterns(patterns, getNamespace());
}

LogicalResult
MirageBlockDialect::verifyOperationAttribute(Operation *op,
                                             NamedAttribute attribute) {
  if (attribute.getName() != mirage::kLibraryMatmulAttr || !isa<GraphOp>(op))
    return op->emitOpError()
           << "expects no attribute '" << attribute.getName().getValue()
           << "'; mirage_block has '" << mirage::kLibraryMatmulAttr
           << "' of mirage_block.graph";
  return mirage::verifyLibraryMatmul(op, attribute.getValue());
}

unsigned GraphOp::getNumThreads() { return getThreads(); }

LogicalResult GraphOp::readProperties(DialectBytecodeReader &reader,
                                      OperationState &state) {
  Properties &properties = state.getOrAddProperties<Properties>();
  FailureOr<const DialectVersion *> version =
      reader.getDialectVersion<MirageBlockDialect>();
  if (isSince(kClusters, version) &&
      failed(reader.readOptionalAttribute(properties.cluster)))
    return failure();
  if (isSince(kStages, version) &&
      failed(reader.readOptionalAttribute(properties.stages)))
    return failure();
  return failure(failed(reader.readAttribute(properties.fmaps)) ||
                 failed(reader.readAttribute(properties.grid)) ||
                 failed(reader.readAttribute(properties.imaps)) ||
                 failed(reader.readAttribute(properties.loop)) ||
                 failed(reader.readAttribute(properties.omaps)) ||
                 failed(reader.readAttribute(properties.threads)));
}

void GraphOp::writeProperties(DialectBytecodeWriter &writer) {
  Properties &properties = getProperties();
  FailureOr<const DialectVersion *> version =
      writer.getDialectVersion<MirageBlockDialect>();
  if (isSince(kClusters, version))
    writer.writeOptionalAttribute(properties.cluster);
  if (isSince(kStages, version))
    writer.writeOptionalAttribute(properties.stages);
  writer.writeAttribute(properties.fmaps);
  writer.writeAttribute(properties.grid);
  writer.writeAttribute(properties.imaps);
  writer.writeAttribute(properties.loop);
  writer.writeAttribute(properties.omaps);
  writer.writeAttribute(properties.threads);
}
