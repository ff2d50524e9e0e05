"""projections.py ROWS INNER COLUMNS DEPTH apart|joined: linear layers of [ROWS, INNER] by [N, INNER]
weights, one for each N of COLUMNS, which commas separate, or one weight of all. Each result is [N / DEPTH
heads, ROWS, DEPTH] in the end, or [ROWS, N] where DEPTH is 0."""
import sys

rows, inner = map(int, sys.argv[1:3])
columns = [int(text) for text in sys.argv[3].split(",")]
depth = int(sys.argv[4])
is_joined = sys.argv[5] == "joined"


def tensor(*shape):
    return "tensor<" + "x".join(map(str, shape)) + "xf16>"


def list_values(prefix):
    return ", ".join(f"%{prefix}{number}" for number in range(len(inputs)))


def list_arguments(prefix):
    return ", ".join(f"%{prefix}{number}: {type}" for number, type in enumerate(inputs))


def product(name, weight, size):
    print(f"  %{name}w = mirage_kernel.transpose {weight} dims [1, 0]"
          f" : ({tensor(size, inner)}) -> {tensor(inner, size)}")
    print(f"  %{name} = mirage_kernel.matmul %a0, %{name}w"
          f" : ({x}, {tensor(inner, size)}) -> {tensor(rows, size)}")


x = tensor(rows, inner)
weights = [sum(columns)] if is_joined else columns
inputs = [x, *[tensor(size, inner) for size in weights]]
types = [tensor(size // depth, rows, depth) if depth else tensor(rows, size) for size in columns]
results = ", ".join(types)
print(f"func.func @projections({list_arguments('x')}) -> ({results}) {{")
for part, type in enumerate(types):
    print(f"  %e{part} = tensor.empty() : {type}")
empty = ", ".join(f"%e{part}" for part in range(len(types)))
print(f"  %r:{len(types)} = mirage_kernel.graph ins({list_values('x')} : {', '.join(inputs)})"
      f" outs({empty} : {results}) {{")
print(f"  ^bb0({list_arguments('a')}):")
if is_joined:
    product("all", "%a1", sum(columns))
yielded = []
for part, size in enumerate(columns):
    y, split = tensor(rows, size), tensor(rows, size // max(depth, 1), depth)
    if is_joined:
        print(f"  %y{part} = mirage_kernel.slice %all offsets [0, {sum(columns[:part])}] strides [1, 1]"
              f" : ({tensor(rows, sum(columns))}) -> {y}")
    else:
        product(f"y{part}", f"%a{part + 1}", size)
    yielded.append(f"%t{part}" if depth else f"%y{part}")
    if depth:
        print(f"  %h{part} = mirage_kernel.reshape %y{part} : ({y}) -> {split}")
        print(f"  %t{part} = mirage_kernel.transpose %h{part} dims [1, 0, 2] : ({split}) -> {types[part]}")
print(f"  mirage_kernel.yield {', '.join(yielded)} : {results}")
print(f"  }} : {results}")
print(f"  return {', '.join(f'%r#{part}' for part in range(len(types)))} : {results}")
print("}")
