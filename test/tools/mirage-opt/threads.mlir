// --mirage-threads sizes the pool and changes nothing else, with input that is split and
// errors too.
// RUN: mirage-opt %s --canonicalize --mirage-threads=1 > %t.1
// RUN: mirage-opt %s --canonicalize --mirage-threads=3 > %t.3
// RUN: mirage-opt %s --canonicalize > %t.all
// RUN: diff %t.1 %t.3
// RUN: diff %t.1 %t.all
// RUN: mirage-opt %s --canonicalize --mirage-threads=2 --mlir-disable-threading | diff %t.1 -
// RUN: mirage-opt %s --split-input-file --canonicalize --mirage-threads=2 -o %t.split && FileCheck %s < %t.split
// RUN: not mirage-opt %t.nowhere --mirage-threads=2 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: cannot open input file '{{.*}}nowhere': No such file or directory
// RUN: not mirage-opt %s --mirage-threads=many 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: expects --mirage-threads of 0 to 1024, got 'many'

// CHECK: func.func @f
func.func @f(%x: i32) -> i32 {
  return %x : i32
}

// -----

// CHECK: func.func @g
func.func @g(%x: i32) -> i32 {
  return %x : i32
}
