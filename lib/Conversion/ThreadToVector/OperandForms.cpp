//===- OperandForms.cpp - How operands of thread graphs lie ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandForms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::mirage;

static int64_t readSwizzle(thread::GraphOp graph, StringRef name,
                           unsigned input) {
  auto spans = graph->getAttrOfType<DenseI64ArrayAttr>(name);
  bool isStated = spans && input < static_cast<unsigned>(spans.size());
  return isStated ? spans[input] : 0;
}

TileForm mlir::mirage::readForm(thread::GraphOp graph, unsigned input) {
  if (int64_t span = readSwizzle(graph, kThreadSwizzlesAttr, input))
    return {/*rowPadding=*/0, span, /*isLoadedByThreads=*/true};
  return {/*rowPadding=*/0, readSwizzle(graph, kInputSwizzlesAttr, input),
          /*isLoadedByThreads=*/false};
}

std::optional<BoxedTile> mlir::mirage::findSwizzled(thread::GraphOp graph,
                                                    unsigned input) {
  return readForm(graph, input)
      .findSwizzled(cast<ShapedType>(graph.getInputs()[input].getType()));
}

static LogicalResult checkSwizzle(thread::GraphOp graph, unsigned input) {
  TileForm form = readForm(graph, input);
  if (form.isSwizzled() && !findSwizzled(graph, input))
    return graph.emitOpError()
           << "expects tiles whose rows have the swizzle that is stated, got "
           << form.swizzleBytes << " bytes of "
           << graph.getInputs()[input].getType() << " in '"
           << (form.isBoxed() ? kInputSwizzlesAttr : kThreadSwizzlesAttr)
           << "'";
  if (form.isLoadedByThreads &&
      readSwizzle(graph, kInputSwizzlesAttr, input) != 0)
    return graph.emitOpError()
           << "expects one swizzle of input " << input << ", got one in '"
           << kInputSwizzlesAttr << "' and one in '" << kThreadSwizzlesAttr
           << "'";
  return success();
}

LogicalResult mlir::mirage::checkSwizzles(thread::GraphOp graph) {
  return success(llvm::all_of(
      llvm::seq<unsigned>(graph.getInputs().size()),
      [&](unsigned input) { return succeeded(checkSwizzle(graph, input)); }));
}
