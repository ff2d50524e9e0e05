// RUN: %python %S/Inputs/library-matmul.py %S/Inputs/library-matmul.mlir mirage-opt | FileCheck %s

// What a block graph says of a library's call, one member changed at a time.
// CHECK: right:{{$}}

// CHECK: c1 not a dictionary: error: 'mirage_block.graph' op with 'mirage_block.library_matmul' expects a dictionary, got 7 : i64
// CHECK: c1 no m: {{.*}} expects 'm' to be an i64, got nothing
// CHECK: c1 m of another type: {{.*}} expects 'm' to be an i64, got 8 : i32
// CHECK: c1 a member more: {{.*}} expects no further members, got {
// CHECK: c1 products by no name: {{.*}} expects 'f32_products' to be "exact" or "tf32", got "some"
// CHECK: c1 exact, a member more: {{.*}} expects no further members, got {
// CHECK: {{^}}exact:{{$}}
// CHECK: c2 f16 in tf32: {{.*}} expects elements f32 where products are taken in tf32, got f16
// CHECK: c1 no lhs: {{.*}} expects 'lhs' to be a dictionary, got nothing
// CHECK: c1 lhs without an argument: {{.*}} expects 'lhs.argument' to be an i64, got nothing
// CHECK: c1 an argument below zero: {{.*}} expects 'lhs.argument' to be an argument's number, got -1
// CHECK: c1 transposed by a number: {{.*}} expects 'rhs.transposed' to be true or false, got 0 : i64
// CHECK: c1 a member more of rhs: {{.*}} expects no further members of 'rhs', got {
// CHECK: c1 another op: error: 'mirage_block.matmul' op expects no attribute 'mirage_block.library_matmul'; mirage_block has 'mirage_block.library_matmul' of mirage_block.graph
// CHECK: c1 another name: error: 'mirage_block.graph' op expects no attribute 'mirage_block.library'; mirage_block has

// CHECK: c2 no element type: {{.*}} expects 'operands' to be one of f16, bf16, f32, f8E4M3FN or f8E5M2, got i32
// CHECK: c2 f8: {{.*}} expects elements f16, bf16 or f32, and a result of them or of f32, got f8E4M3FN and f16
// CHECK: c2 f16 sums: {{.*}} expects 'accumulate' to be f32, got f16

// CHECK: c3 no extent: {{.*}} expects k of 1 to 2147483647, got 0
// CHECK: c3 another extent: {{.*}} expects extents and types that its tensors have, got {
// CHECK-SAME: for ('tensor<8x24xf16>', 'tensor<24x40xf16>') -> 'tensor<8x40xf16>'
// CHECK: c3 bf16: {{.*}} expects extents and types that its tensors have, got {
// CHECK: c3 one operand twice: {{.*}} expects the operands' numbers, 0 and 1, and the result's, 2, as arguments of lhs, rhs and result, got 1, 1 and 2
// CHECK: c3 a result that is read: {{.*}} expects the operands' numbers, {{.*}} got 0, 1 and 0
// CHECK: c3 rows in one another: {{.*}} expects a leading dimension of lhs of at least 24, got 23
// CHECK: c3 a transposed result: {{.*}} expects a result that is not transposed
// CHECK: c3 far away: {{.*}} expects lhs to end within 2^63 elements
