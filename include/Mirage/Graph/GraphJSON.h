//===- GraphJSON.h - µGraphs in JSON ----------------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_GRAPHJSON_H
#define MIRAGE_GRAPH_GRAPHJSON_H

#include "Mirage/Graph/Graph.h"
#include "llvm/Support/JSON.h"

namespace mlir::mirage {

class JSONCursor;

/// The member that says how a graph takes products of f32, if not exactly.
inline constexpr llvm::StringLiteral kF32ProductsJSON = "f32Products";

/// A graph as JSON, complete: `fromJSON(toJSON(g))` equals `g`. Constants are
/// written so that their bits come back (minus infinity as the string "-inf",
/// minus zero as "-0").
llvm::json::Value toJSON(const Graph &graph);

/// Reads and verifies a graph. Errors name the path of the offending member
/// ("operations[3].operands") with what was expected and found.
llvm::Expected<Graph> graphFromJSON(const llvm::json::Value &value);

/// Reads a graph, or a type as "shape" and "element", inside a document. The
/// graph is not verified and means nothing if the cursor failed.
Graph readGraph(const JSONCursor &graph);
TensorSpec readTensorSpec(const JSONCursor &type);
ElementType readElementType(const JSONCursor &element);
/// A list of integers, as of sizes or strides.
Shape readShape(const JSONCursor &shape);
/// What an operation says beside its name and operands: "dims", "scalars", ...
/// Fails for other members, but those that the caller reads.
Attributes readAttributes(const JSONCursor &operation,
                          llvm::ArrayRef<llvm::StringRef> others);
F32Products readF32Products(const JSONCursor &products);

/// A number, "-0", "inf", "-inf" or "nan".
llvm::json::Value scalarToJSON(double scalar);
double readScalar(const JSONCursor &scalar);

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_GRAPHJSON_H
