"""Tensor programs and µGraphs, operator by operator."""

from __future__ import annotations

import collections.abc
import json
import os
import pathlib
from ctypes import byref, c_uint32, c_void_p
from typing import TYPE_CHECKING, Any, Callable, List, Mapping, Optional, Sequence, Tuple

from . import _library
from ._library import Handle, check_graph, int64s, lib, uint32s
from .arguments import Number, show, to_integer, to_list, to_scalars, to_sizes, to_strides, to_text
from .block_graph import ThreadblockGraph
from .compatibility import OF_KERNEL_GRAPHS, OriginalNames
from .dtypes import float16, to_dtype
from .errors import GraphError
from .operators import Dims, DTensor, Operators, make_tensor_type

if TYPE_CHECKING:
    from . import programs
    from .progress import SearchProgress


class KernelGraph(OriginalNames, Operators[DTensor]):
    """A tensor program. Each operator is a kernel until it is superoptimized; `customized` adds
    kernels that are written by hand."""

    _value_class = DTensor
    _what = "graph"
    _instead = OF_KERNEL_GRAPHS

    def __init__(self, _handle: Optional[Handle] = None):
        if _handle is None:
            pointer = c_void_p()
            check_graph(lib.mirageGraphCreate(byref(pointer)))
            _handle = Handle(pointer, lib.mirageGraphDestroy)
        super().__init__(_handle)
        self.inputs: List[DTensor] = []
        #: Those that were marked; without any, all tensors that nothing takes are outputs.
        self.outputs: List[DTensor] = []
        self._compiled: "Optional[programs.CompiledGraph]" = None

    # ------------------------------------------------------------------ inputs and outputs
    def new_input(self, dims: Sequence[int], strides: Optional[Sequence[int]] = None, dtype: Any = float16,
                  name: Optional[str] = None) -> DTensor:
        """An input of the program.

        dims     sizes, at least 1
        strides  in elements, one for each size; None: row-major, without gaps
        name     None: "input0", "input1", ..."""
        shape = to_sizes("dims", dims)
        type_ = make_tensor_type(shape, to_dtype(dtype), to_strides(strides, shape))
        given = None if name is None else to_text("a name of one line, without '/' and '=', that no other input has", name)
        value = c_uint32()
        check_graph(lib.mirageGraphAddInput(self._handle, given, byref(type_), byref(value)))
        tensor = DTensor(self, value.value, lib.mirageGraphGetInputName(self._handle, len(self.inputs)).decode())
        self.inputs.append(tensor)
        self._compiled = None
        return tensor

    def mark_output(self, A: DTensor, strides: Optional[Sequence[int]] = None) -> None:
        """Makes a tensor an output. With none marked, every tensor that nothing takes is one."""
        steps = to_strides(strides, self._check(A).shape)
        check_graph(lib.mirageGraphAddOutput(self._handle, A.number, int64s(steps)))
        self.outputs.append(A)
        self._compiled = None

    def _add(self, name: str, operands: Sequence[Any], **attributes: Any) -> DTensor:
        result = super()._add(name, operands, **attributes)
        self._compiled = None
        return result

    def _with_number(self, name: str, operand: Any, number: Number, is_number_first: bool) -> DTensor:
        result = super()._with_number(name, operand, number, is_number_first)
        self._compiled = None
        return result

    # ------------------------------------------------------------------ operators of kernels alone
    def _normalized_dims(self, A: DTensor, normalized_shape: Optional[Sequence[int]]) -> List[int]:
        self._check(A)
        if normalized_shape is None:
            return [len(A.shape) - 1]
        shape = to_sizes("normalized_shape", normalized_shape)
        if not shape or A.shape[-len(shape):] != shape:
            raise GraphError(f"expects normalized_shape to be the last sizes of {list(A.shape)}, got {list(shape)}")
        return list(range(len(A.shape) - len(shape), len(A.shape)))

    def rms_norm(self, A: DTensor, normalized_shape: Optional[Sequence[int]] = None, weight: Optional[DTensor] = None, eps: float = 0.0) -> DTensor:
        """A / sqrt(mean(A²) + eps), times a weight, over the last dimensions: `normalized_shape`,
        or the last one."""
        operands = (A,) if weight is None else (A, weight)
        return self._add("rms_norm", operands, dims=self._normalized_dims(A, normalized_shape),
                         scalars=to_scalars(eps=eps))

    def layer_norm(self, A: DTensor, normalized_shape: Optional[Sequence[int]] = None, weight: Optional[DTensor] = None, bias: Optional[DTensor] = None,
                   eps: float = 1e-5) -> DTensor:
        """(A - mean) / sqrt(variance + eps), times a weight, plus a bias."""
        if bias is not None and weight is None:
            raise GraphError("expects a weight where there is a bias, got none")
        operands = [operand for operand in (A, weight, bias) if operand is not None]
        return self._add("layer_norm", operands, dims=self._normalized_dims(A, normalized_shape),
                         scalars=to_scalars(eps=eps))

    def l2_norm(self, A: DTensor, dim: Dims = -1, eps: float = 0.0) -> DTensor:
        """A / sqrt(sum(A²) + eps) along a dimension."""
        return self._add("l2_norm", (A,), dims=self._dims(self._check(A), dim), scalars=to_scalars(eps=eps))

    def softmax(self, A: DTensor, dim: Dims = -1) -> DTensor:
        """exp(A - max A) / sum exp(A - max A), which does not overflow: on the way all is float32."""
        return self._add("softmax", (A,), dims=self._dims(self._check(A), dim))

    def transpose(self, A: DTensor, dim0: int = -2, dim1: int = -1) -> DTensor:
        """Two dimensions change places. A view, and no kernel."""
        order = list(range(len(self._check(A).shape)))
        i, j = self._dim(A, dim0), self._dim(A, dim1)
        order[i], order[j] = order[j], order[i]
        return self._add("transpose", (A,), dims=order)

    def permute(self, A: DTensor, dims: Sequence[int]) -> DTensor:
        order = to_sizes("dims", dims)
        return self._add("transpose", (A,), dims=[self._dim(self._check(A), dim) for dim in order])

    def broadcast(self, A: DTensor, shape: Sequence[int]) -> DTensor:
        return self._add("broadcast", (A,), shape=list(to_sizes("a shape", shape)))

    def repeat(self, A: DTensor, repeats: Sequence[int]) -> DTensor:
        """Side by side, `repeats` times along each dimension."""
        times = to_sizes("repeats", repeats)
        shape = self._check(A).shape
        if len(times) != len(shape):
            raise GraphError(f"expects repeats for each of {len(shape)} dimensions, got {len(times)}")
        return self._add("repeat", (A,), shape=[size * count for size, count in zip(shape, times)])

    def slice(self, A: DTensor, starts: Sequence[int], sizes: Sequence[int],
              steps: Optional[Sequence[int]] = None) -> DTensor:
        """From `starts`, `sizes` elements, `steps` apart, along each dimension."""
        starts, sizes = to_sizes("starts", starts), to_sizes("sizes", sizes)
        steps = (1,) * len(sizes) if steps is None else to_sizes("steps", steps)
        return self._add("slice", (A,), shape=list(sizes), offsets=list(starts), strides=list(steps))

    def causal_mask(self, A: DTensor, offset: int = 0) -> DTensor:
        """-inf where, of the last two dimensions, the column is beyond the row's number plus
        offset."""
        return self._add("causal_mask", (A,), offset=to_integer("offset", offset) or None)

    def customized(self, inputs: Sequence[DTensor], bgraph: "ThreadblockGraph") -> List[DTensor]:
        """Adds the kernel that a threadblock graph is. Returns its outputs."""
        if not isinstance(bgraph, ThreadblockGraph):
            raise GraphError(f"expects a threadblock graph, got {show(bgraph)}")
        values = [self._check(operand).number for operand in to_list("inputs", inputs)]
        results = (c_uint32 * lib.mirageGraphGetNumOutputs(bgraph._handle))()
        check_graph(lib.mirageGraphAddBlockGraph(self._handle, bgraph._handle, uint32s(values), len(values), results))
        self._compiled = None
        return [DTensor(self, number) for number in results]

    # ------------------------------------------------------------------ running
    def superoptimize(self, *, config: Optional[str] = None, imaps: Any = None, omaps: Any = None,
                      griddims: Any = None, blockdims: Any = None, fmaps: Any = None, franges: Any = None,
                      verbose: bool = False, backend: str = "cuda", warmup_iters: Optional[int] = None,
                      profile_iters: Optional[int] = None, use_cached_graphs: bool = False, use_graph_dataset: bool = False,
                      is_formal_verified: bool = False, use_symbolic_search: bool = True,
                      search_time_limit_sec: Optional[float] = None, save_codes: bool = False,
                      previous_checkpoint: Optional[str] = None, seed: Optional[int] = None,
                      threads: Optional[int] = None, target: Optional[str] = None, measure: Optional[bool] = None,
                      executor: Any = None, shards: Optional[int] = None,
                      on_progress: Optional[Callable[[SearchProgress], None]] = None, **extra: Any) -> "programs.OptimizedGraph":
        """A faster program that computes the same (help(mirage.superoptimize) says what the options are)."""
        given = dict(locals())
        del given["self"], given["extra"]
        from .superoptimizer import superoptimize

        return superoptimize(self, **given, **extra)

    def compile(self, *, inputs: Optional[Sequence[Any]] = None, **unused: Any) -> "programs.CompiledGraph":
        """The program as it is written, each operator a kernel.

        inputs   which the original compiles for; here RunError is raised where a call would not take them"""
        from .compatibility import warn_of_unused
        from .compiler import compile_graph

        warn_of_unused(unused, ("inputs",))
        if self._compiled is None:
            self._compiled = compile_graph(self)
        if inputs is not None:
            self._compiled.check_inputs(inputs)
        return self._compiled

    def __call__(self, inputs: Sequence[Any], *, stream: Any = None, out: Optional[Sequence[Any]] = None,
                 **unused: Any) -> List[Any]:
        """Runs the program as it is written."""
        return self.compile()(inputs, stream=stream, out=out, **unused)

    @property
    def mlir(self) -> str:
        from ._library import Context
        from .compiler import to_module

        return to_module(self, Context(1)).print().decode()

    # ------------------------------------------------------------------ other forms
    def visualize(self, name: "str | os.PathLike[str]") -> str:
        """Draws the graph into a file: name.svg, or what the ending says (.png, .pdf, .dot)."""
        from .visualizer import draw

        return draw(self.to_json(), name)

    def to_json(self) -> str:
        text = _library.Text()
        check_graph(lib.mirageGraphToJSON(self._handle, byref(text)))
        return _library.take_text(text).decode()

    @classmethod
    def from_json(cls, text: "str | os.PathLike[str]", index: Optional[int] = None,
                  dtypes: Optional[Mapping[int, Any]] = None) -> "KernelGraph":
        """What `to_json` wrote, or a µGraph in the JSON of the original (mirage-project/mirage).

        text    JSON, or the path of a file with it, as a `pathlib.Path`
        index   which graph of a list, as the original's searches keep them; None: the only one
        dtypes  what numbers of element types mean in files of the original's earlier versions:
                {940: bfloat16, 941: float16} from March to June 2025"""
        if isinstance(text, os.PathLike):
            text = _read(pathlib.Path(text))
        if not isinstance(text, str):
            raise GraphError(f"expects JSON as a string, got {type(text).__name__}")
        if dtypes is not None and not isinstance(dtypes, collections.abc.Mapping):
            raise GraphError(f"expects dtypes as a dictionary, got {show(dtypes)}")
        given = [_library.NumberedType(to_integer("a number in dtypes", number), to_dtype(dtype).code)
                 for number, dtype in (dtypes or {}).items()]
        types = (_library.NumberedType * len(given))(*given)
        choices = _library.JSONChoices(index=-1 if index is None else _to_index(index), types=types,
                                       num_types=len(given))
        data = to_text("JSON as text", text)
        pointer = c_void_p()
        check_graph(lib.mirageGraphFromJSONWithChoices(data, len(data), byref(choices), byref(pointer)))
        return cls._adopt(pointer)

    @classmethod
    def _adopt(cls, pointer: c_void_p) -> "KernelGraph":
        """A graph that the library made, whole."""
        graph = cls(Handle(pointer, lib.mirageGraphDestroy))
        text = _library.Text()
        check_graph(lib.mirageGraphToJSON(graph._handle, byref(text)))
        described = json.loads(_library.take_text(text))
        program = described["graph"]
        graph.inputs = [DTensor(graph, number, entry["name"]) for number, entry in enumerate(program["inputs"])]
        if not described.get("outputsAreImplied"):
            graph.outputs = [DTensor(graph, number) for number in program["outputs"]]
        return graph

    def __reduce__(self) -> Tuple[Any, ...]:
        return KernelGraph.from_json, (self.to_json(),)

    def _find_number_in_copies(self, tensor: DTensor) -> int:
        """Which value of a graph by JSON a tensor of this one is: there, inputs are the first, wherever they
        were made."""
        inputs = [value.number for value in self.inputs]
        if tensor.number in inputs:
            return inputs.index(tensor.number)
        return tensor.number + sum(number > tensor.number for number in inputs)


def _read(path: pathlib.Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise GraphError(f"expects a file with JSON, got {path}: {error}") from error


def _to_index(index: Any) -> int:
    number = to_integer("an index", index)
    if number < 0:
        raise GraphError(f"expects an index of at least 0, got {number}")
    return number


def new_kernel_graph() -> KernelGraph:
    return KernelGraph()


def from_json(text: "str | os.PathLike[str]", index: Optional[int] = None,
              dtypes: Optional[Mapping[int, Any]] = None) -> KernelGraph:
    """A program in JSON, ours or the original's (KernelGraph.from_json)."""
    return KernelGraph.from_json(text, index, dtypes)
