// A file of an earlier version takes the steps from there on, in order; a step may refuse.
// RUN: mirage-write-bytecode %s upgraded 1 --read-back | FileCheck %s --check-prefix=ONE
// ONE: "upgraded.op"() {after_first, one_to_two}
// RUN: mirage-write-bytecode %s upgraded 2 --read-back | FileCheck %s --check-prefix=TWO
// TWO: "upgraded.op"() {first}
// RUN: mirage-write-bytecode %s upgraded 3 --read-back | FileCheck %s --check-prefix=THREE
// THREE: "upgraded.op"() : () -> ()
// RUN: not mirage-write-bytecode %s upgraded 4 --read-back 2>&1 | FileCheck %s --check-prefix=FOUR
// FOUR: error: expects IR of upgraded in version 1 to 3, got version 4; a newer Mirage wrote it
// RUN: sed 's/"() : /"() {refuses} : /' %s > %t.refused
// RUN: not mirage-write-bytecode %t.refused upgraded 2 --read-back 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: error: expects no attribute 'refuses'

module {
  "upgraded.op"() : () -> ()
}
