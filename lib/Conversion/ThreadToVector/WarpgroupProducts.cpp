//===- WarpgroupProducts.cpp - Products of four warps together ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma (PTX ISA 9.7.15) runs beside the warps that started it, on registers
// that they must not touch meanwhile. All instructions of one product are one
// statement here, from the fence to the wait, so that nothing comes between. Of
// a graph in flight the wait is a statement of its own, mirage_thread.await,
// which has the result's registers as operands and as results: to LLVM, too,
// what is read behind it is nothing that was there before.
//
//===----------------------------------------------------------------------===//

#include "GraphLowering.h"
#include "Mirage/Analysis/AheadProducts.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Analysis/TileForms.h"
#include "Mirage/Layout/MatrixDescriptor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::mirage;

/// Of k that one instruction takes, in elements of 16 bits.
static constexpr int64_t kStep = kMatrixStepBytes / 2;

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

namespace {
/// Operands of a statement by their numbers, which constraints and text share.
struct Statement {
  unsigned numResults;
  bool addsUp; ///< results start from an accumulator
  unsigned numSteps;
  bool waits;

  unsigned getFirstRegister() const {
    return addsUp ? 2 * numResults : numResults;
  }
  unsigned getFirstDescriptor() const {
    return getFirstRegister() + 4 * numSteps;
  }
  std::string getConstraints() const;
  std::string getText(int64_t columns, StringRef type) const;
};
} // namespace

std::string mlir::mirage::waitForProducts(int64_t numPending) {
  return llvm::formatv("wgmma.wait_group.sync.aligned {0};", numPending);
}

static std::string listOperands(unsigned first, unsigned count) {
  std::string list;
  for (unsigned number : llvm::seq(first, first + count))
    list += (list.empty() ? "$" : ", $") + std::to_string(number);
  return "{" + list + "}";
}

/// Results are written while operands are still to be read.
std::string Statement::getConstraints() const {
  SmallVector<std::string> list(numResults, addsUp ? "=f" : "=&f");
  if (addsUp)
    for (unsigned number = 0; number < numResults; ++number)
      list.push_back(std::to_string(number));
  list.append(4 * numSteps, "r");
  list.append(numSteps, "l");
  list.push_back("~{memory}");
  return llvm::join(list, ",");
}

std::string Statement::getText(int64_t columns, StringRef type) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "{\n.reg .pred first, later;\nsetp.ne.b32 first, " << addsUp
     << ", 0;\nsetp.ne.b32 later, 1, 0;\nwgmma.fence.sync.aligned;\n";
  std::string results = listOperands(0, numResults);
  for (unsigned step = 0; step < numSteps; ++step)
    os << "wgmma.mma_async.sync.aligned.m64n" << columns << "k" << kStep
       << ".f32." << type << "." << type << " " << results << ", "
       << listOperands(getFirstRegister() + 4 * step, 4) << ", $"
       << getFirstDescriptor() + step << ", " << (step == 0 ? "first" : "later")
       << ", 1, 1, 1;\n";
  os << "wgmma.commit_group.sync.aligned;\n";
  if (waits)
    os << waitForProducts(/*numPending=*/0) << "\n";
  os << "}";
  return text;
}

/// The registers of an accumulator in the order of the instruction: those of
/// eight columns after those of the eight before.
static SmallVector<unsigned> orderResults(const LinearLayout &layout) {
  LinearLayout tile = findMmaInstruction({16, 8, 16}, 16)->d;
  SmallVector<unsigned> numbers;
  for (int64_t column = 0; column < layout.getShape().back() / 8; ++column)
    llvm::append_range(numbers, findTileRegisters(layout, tile, 0, column));
  return numbers;
}

Fragment FragmentOps::multiplyByWarpgroup(const Fragment &lhs,
                                          ArrayRef<Value> rhs,
                                          const Fragment &accumulator,
                                          const LinearLayout &layout,
                                          bool waits) {
  SmallVector<unsigned> order = orderResults(layout);
  Statement statement{static_cast<unsigned>(order.size()),
                      !accumulator.registers.empty(),
                      static_cast<unsigned>(rhs.size()), waits};
  SmallVector<Value> operands;
  if (statement.addsUp)
    for (unsigned number : order)
      operands.push_back(accumulator.registers[number]);
  LinearLayout tile = findMmaInstruction({16, 8, 16}, 16)->a;
  for (unsigned step = 0; step < rhs.size(); ++step)
    for (Value pair : pack(lhs, findTileRegisters(lhs.layout, tile, 0, step)))
      operands.push_back(LLVM::BitcastOp::create(builder, location,
                                                 builder.getI32Type(), pair));
  llvm::append_range(operands, rhs);
  Type resultType = LLVM::LLVMStructType::getLiteral(
      builder.getContext(),
      SmallVector<Type>(order.size(), builder.getF32Type()));
  bool isBF16 = lhs.getElementType().isBF16();
  Value results =
      LLVM::InlineAsmOp::create(
          builder, location, resultType, operands,
          statement.getText(layout.getShape().back(), isBF16 ? "bf16" : "f16"),
          statement.getConstraints(), /*has_side_effects=*/true,
          /*is_align_stack=*/false, LLVM::TailCallKind::None,
          LLVM::AsmDialectAttr::get(builder.getContext(),
                                    LLVM::AsmDialect::AD_ATT),
          /*operand_attrs=*/ArrayAttr())
          .getResult(0);
  Fragment product = startSum(builder, location, accumulator, layout);
  for (auto [position, number] : llvm::enumerate(order))
    product.registers[number] = LLVM::ExtractValueOp::create(
        builder, location, results, static_cast<int64_t>(position));
  return product;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

LogicalResult GraphLowering::checkInFlight() {
  // What came before may be what the accumulators start from.
  bool startsFromBefore = false;
  for (thread::AccumulateOp sum : accumulates) {
    std::optional<JoinedSum> joined = getJoinedSum(sum);
    startsFromBefore |= joined && isSumOfProduct(sum) &&
                        getStore(graph).getOperand() == joined->sum.getResult();
  }
  if (graph->getNumResults() == 1 && header.loop == 1 &&
      (isOnlyProduct(graph) || startsFromBefore))
    return success();
  return graph.emitOpError()
         << "expects, where '" << kInFlightAttr
         << "' is stated, one step whose only result is a product of four "
            "warps, held in f32 as it is";
}

LogicalResult GraphLowering::checkWarpgroupProduct(thread::WgmmaOp op) {
  if (numThreads && *numThreads % (kWarpsOfGroup << kLaneBits) != 0)
    return op.emitOpError() << "expects a block of whole warpgroups, got "
                            << *numThreads << " threads";
  auto window = dyn_cast<BlockArgument>(op.getRhs());
  std::optional<BoxedTile> boxed =
      window ? findBoxed(window.getArgNumber()) : std::nullopt;
  if (!boxed)
    return op.emitOpError() << "expects a window of a tile that the copy "
                               "engine has loaded as rhs ('"
                            << kInputSwizzlesAttr << "')";
  int64_t columns = op.getType().getShape().back();
  if (columns % boxed->getPitchElements() != 0 && columns != boxed->rowElements)
    return op.emitOpError()
           << "expects whole panels of " << boxed->getPitchElements()
           << " columns as rhs, got " << columns;
  return success();
}

/// Of 16 rows of the window each. The operand lies with its columns side by
/// side, and so is MN-major.
SmallVector<Value> GraphLowering::emitDescriptors(thread::WgmmaOp op) {
  auto window = cast<BlockArgument>(op.getRhs());
  unsigned input = window.getArgNumber();
  BoxedTile boxed = *findBoxed(input);
  Value tile = graph.getInputs()[input];
  auto type = cast<MemRefType>(tile.getType());
  ArrayRef<int64_t> shape = cast<RankedTensorType>(window.getType()).getShape();
  SmallVector<Value> origin;
  for (auto [dim, size] : llvm::enumerate(shape))
    origin.push_back(emitOrigin(header.getCuttingAxes(input, dim), size));
  auto multiply = [&](Value value, int64_t factor) -> Value {
    return arith::MulIOp::create(builder, location, value,
                                 emitIndex(builder, location, factor));
  };
  auto add = [&](Value lhs, Value rhs) -> Value {
    return arith::AddIOp::create(builder, location, lhs, rhs);
  };
  int64_t span = getSpanBytes(boxed.swizzle);
  Value row = emitIndex(builder, location, 0);
  for (auto [start, size] : llvm::zip_equal(ArrayRef(origin).drop_back(),
                                            type.getShape().drop_back())) {
    row = multiply(row, size);
    if (start)
      row = add(row, start);
  }
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, location, tile);
  address = add(address, multiply(row, span));
  int64_t panelBytes = boxed.numRows * span;
  if (Value column = origin.back())
    address = add(address, multiply(arith::DivUIOp::create(
                                        builder, location, column,
                                        emitIndex(builder, location,
                                                  boxed.getPitchElements())),
                                    panelBytes));
  MatrixDescriptor form;
  form.swizzle = boxed.swizzle;
  form.leadingBytes = panelBytes;
  form.strideBytes = 8 * span;
  Type i64 = builder.getI64Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, location, i64, value);
  };
  Value start = arith::ShRUIOp::create(
      builder, location,
      arith::IndexCastOp::create(builder, location, i64, address), constant(4));
  Value first =
      arith::AddIOp::create(builder, location, start, constant(form.encode()));
  SmallVector<Value> descriptors;
  for (int64_t step = 0; step < shape.end()[-2] / kStep; ++step)
    descriptors.push_back(arith::AddIOp::create(
        builder, location, first, constant(step * kStep * span >> 4)));
  return descriptors;
}
