"""projections.py ROWS COLUMNS DEPTH apart|joined: three linear layers of [ROWS, COLUMNS] by [COLUMNS,
COLUMNS] weights, of which each is [heads, ROWS, DEPTH] in the end. Their weights are three, or one."""
import sys

rows, columns, depth = map(int, sys.argv[1:4])
is_joined = sys.argv[4] == "joined"


def tensor(*shape):
    return "tensor<" + "x".join(map(str, shape)) + "xf16>"


x, y, weight = tensor(rows, columns), tensor(rows, columns), tensor(columns, columns)
split, result = tensor(rows, columns // depth, depth), tensor(columns // depth, rows, depth)
weights = [tensor(3 * columns, columns)] if is_joined else [weight] * 3
inputs = [x, *weights]


def list_values(prefix):
    return ", ".join(f"%{prefix}{number}" for number in range(len(inputs)))


def list_arguments(prefix):
    return ", ".join(f"%{prefix}{number}: {type}" for number, type in enumerate(inputs))


def product(name, weight, size):
    print(f"  %{name}w = mirage_kernel.transpose {weight} dims [1, 0]"
          f" : ({tensor(size, columns)}) -> {tensor(columns, size)}")
    print(f"  %{name} = mirage_kernel.matmul %a0, %{name}w"
          f" : ({x}, {tensor(columns, size)}) -> {tensor(rows, size)}")


results = ", ".join([result] * 3)
print(f"func.func @projections({list_arguments('x')}) -> ({results}) {{")
print(f"  %e = tensor.empty() : {result}")
print(f"  %r:3 = mirage_kernel.graph ins({list_values('x')} : {', '.join(inputs)})"
      f" outs(%e, %e, %e : {results}) {{")
print(f"  ^bb0({list_arguments('a')}):")
if is_joined:
    product("all", "%a1", 3 * columns)
for part in range(3):
    if is_joined:
        print(f"  %y{part} = mirage_kernel.slice %all offsets [0, {part * columns}] strides [1, 1]"
              f" : ({tensor(rows, 3 * columns)}) -> {y}")
    else:
        product(f"y{part}", f"%a{part + 1}", columns)
    print(f"  %h{part} = mirage_kernel.reshape %y{part} : ({y}) -> {split}")
    print(f"  %t{part} = mirage_kernel.transpose %h{part} dims [1, 0, 2] : ({split}) -> {result}")
print(f"  mirage_kernel.yield %t0, %t1, %t2 : {results}")
print(f"  }} : {results}")
print(f"  return %r#0, %r#1, %r#2 : {results}")
print("}")
