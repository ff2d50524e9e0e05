"""The short way of calls on tensors of torch: what it checks, on the CPU, with a library that is played."""

import contextlib
import gc
import struct
import types
import weakref

import pytest

import mirage as mi
from mirage import streams, torch_calls
from mirage.tensors import CPU, TensorSpec
from mirage.torch_calls import make_torch_call

torch = pytest.importorskip("torch")

INPUTS = (TensorSpec("X", (8, 64), mi.float16, (64, 1), 8 * 64 * 2),
          TensorSpec("W", (64, 16), mi.float32, (1, 64), 64 * 16 * 4))
OUTPUTS = (TensorSpec("Y", (8, 16), mi.float16, (16, 1), 8 * 16 * 2),)


class Library:
    def __init__(self, status=0):
        self.status, self.calls = status, []

    def __call__(self, pointer, stream, inputs, outputs):
        self.calls.append((pointer, stream.value, struct.unpack("2Q", inputs), struct.unpack("Q", outputs)))
        return self.status


@pytest.fixture
def library():
    return Library()


def make_place(allocate=None, address_bits=0):
    return types.SimpleNamespace(ordinal=-1, device=torch.device("cpu"), get_stream=lambda _: 7, get_device=lambda: -1,
                                 allocate=allocate, address_bits=address_bits)


def make_inputs():
    return [torch.zeros(8, 64, dtype=torch.float16), torch.zeros(16, 64).t()]


@pytest.fixture(scope="module")
def program():
    graph = mi.new_kernel_graph()
    graph.mark_output(graph.exp(graph.new_input((8, 64))))
    return graph.compile()


def get_acquaintances(call):
    return [call.__globals__[name] for name in ("inputs", "outputs")]


@pytest.fixture(params=["strangers", "acquaintances", "older torch"])
def call(library, request, monkeypatch):
    if request.param == "older torch":
        monkeypatch.setattr(torch_calls, "_get_native_guards", lambda: None)
    call = make_torch_call("program", INPUTS, OUTPUTS, make_place(), library)
    if request.param != "strangers":
        inputs = make_inputs()
        call(inputs, call(inputs, None))
        library.calls.clear()
    return call


def test_addresses(call, library):
    x, w = make_inputs()
    (y,) = call([x, w], None)
    assert y.shape == (8, 16) and y.dtype == torch.float16 and y.is_contiguous()
    (same,) = call((x, w), (y,))
    assert same is y
    assert library.calls == [("program", 7, (x.data_ptr(), w.data_ptr()), (y.data_ptr(),))] * 2


@pytest.mark.parametrize("change", [
    lambda x, w: [x],
    lambda x, w: [x, w, w],
    lambda x, w: [x[:4], w],
    lambda x, w: [x.float(), w],
    lambda x, w: [x, w.contiguous()],
    lambda x, w: [x.t().contiguous().t(), w],
    lambda x, w: [torch.zeros(8 * 64 + 1, dtype=torch.float16)[1:].view(8, 64), w],
    lambda x, w: [x, w.clone().requires_grad_()],
    lambda x, w: [x, torch._neg_view(w)],
    lambda x, w: [x.to_sparse(), w],
    lambda x, w: [torch.nested.nested_tensor([x[0]] * 8), w],
    lambda x, w: [x, w.numpy()],
    lambda x, w: [x, None],
    lambda x, w: 3,
])
def test_what_does_not_fit(call, library, change):
    """Left to the checks that have words for it: nothing is called and nothing raised."""
    assert call(change(*make_inputs()), None) is None
    assert call(make_inputs(), [torch.zeros(16, 8, dtype=torch.float16)]) is None
    assert call(make_inputs(), []) is None
    assert library.calls == []


def test_what_can_be_unpacked_but_is_no_list(library):
    """A tensor of two rows is no list of two tensors: the first call refuses it, and so do all."""
    specs = [TensorSpec(name, (8, 64), mi.float16, (64, 1), 8 * 64 * 2) for name in "XWY"]
    call = make_torch_call("program", specs[:2], specs[2:], make_place(), library)
    stacked = torch.zeros(2, 8, 64, dtype=torch.float16)
    for given in (stacked, dict.fromkeys(stacked), iter(stacked)):
        assert call(given, None) is None
    for out in (stacked[:1], iter(stacked[:1])):
        assert call(list(stacked), out) is None
    assert library.calls == []


def test_gradients_where_none_are_taken(call, library):
    x, w = make_inputs()
    given = [x, torch.nn.Parameter(w)]
    with torch.no_grad():
        assert call(given, None) is not None and call(given, None) is not None
    assert call(given, None) is None and len(library.calls) == 2
    with torch.no_grad():
        assert call(given, None) is not None
    assert call([x, w], None) is not None


def get_to_know(call, given):
    """Strangers that come again are known in the end."""
    inputs, _ = get_acquaintances(call)
    for _ in range(inputs.MOST_STRANGERS):
        assert call(given, None) is not None
        if inputs.are_known(*given):
            return
    pytest.fail("not known")


def test_acquaintances(library):
    """Tensors like those before are asked one question instead of six each; others are looked at again."""
    call = make_torch_call("program", INPUTS, OUTPUTS, make_place(), library)
    inputs, outputs = get_acquaintances(call)
    x, w = make_inputs()
    assert not inputs.are_known(x, w)
    y = call([x, w], None)
    assert inputs.are_known(x, w) and inputs.are_known(*make_inputs()) and not inputs.are_known(x, x)
    assert not outputs.are_known(*y) and call([x, w], y) is y and outputs.are_known(*y)
    parameter = torch.nn.Parameter(w, requires_grad=False)
    assert not inputs.are_known(x, parameter)
    get_to_know(call, [x, parameter])
    with torch.inference_mode():  # where tensors go other ways
        for given in ([x, w], make_inputs()):
            assert not inputs.are_known(*given)
            get_to_know(call, given)


def test_acquaintances_of_changing_kinds(library):
    """Few guards are made where kinds alternate; who comes for good is known in the end."""
    call = make_torch_call("program", INPUTS, OUTPUTS, make_place(), library)
    inputs, _ = get_acquaintances(call)
    made, make_guards = [], inputs._make_guards
    inputs._make_guards = lambda *given, **layouts: made.append(given) or make_guards(*given, **layouts)
    x, w = make_inputs()
    parameter = torch.nn.Parameter(w, requires_grad=False)
    for _ in range(inputs.MOST_STRANGERS):
        assert call([x, w], None) is not None
        assert call([x, parameter], None) is not None
    assert 2 < len(made) < 12
    for new in (w, parameter):
        get_to_know(call, [x, new])
    assert len(made) < 15


def test_one_tensor_twice(library):
    """Guards take it for a change, and those that are there know others still."""
    specs = (TensorSpec("X", (8, 64), mi.float16, (64, 1), 8 * 64 * 2),) * 2
    call = make_torch_call("program", specs, specs[:1], make_place(), library)
    inputs, _ = get_acquaintances(call)
    x, y = (torch.zeros(8, 64, dtype=torch.float16) for _ in range(2))
    assert call([x, y], None) is not None and inputs.are_known(x, y)
    for _ in range(20):
        assert call([x, x], None) is not None
    assert inputs.are_known(x, y)


def resize(tensor, size):
    tensor.untyped_storage().resize_(size)
    return tensor


def test_memory_that_is_gone(call, library):
    """Of tensors that would fit, before or after such were seen, as an input and as an output."""
    gone = resize(torch.zeros(8, 64, dtype=torch.float16), 0)
    _, w = make_inputs()
    assert call([gone, w], None) is None and library.calls == []
    spec = TensorSpec("X", (8, 64), mi.float16, (64, 1), 8 * 64 * 2)
    copying = make_torch_call("program", (spec,), (spec,), make_place(), library)
    assert copying([torch.zeros(8, 64, dtype=torch.float16)], [gone]) is None and library.calls == []


@pytest.mark.parametrize("address_bits", [0, 32])
def test_low_addresses(library, address_bits):
    """On a GPU they are offsets into what was freed."""
    spec = (TensorSpec("X", (8, 64), mi.float16, (64, 1), 8 * 64 * 2),)
    seen = []
    call = make_torch_call("program", spec, spec, make_place(address_bits=address_bits),
                           lambda pointer, stream, inputs, outputs: seen.append(inputs))
    part = resize(torch.zeros(16, 64, dtype=torch.float16)[8:], 0)
    assert part.data_ptr() == 1024
    call([part], [part])
    assert seen == ([] if address_bits else [struct.pack("Q", 1024)])


class Failing(torch.Tensor):
    """A tensor whose class raises what it likes."""

    @classmethod
    def __torch_function__(cls, function, types, arguments=(), options=None):
        raise KeyError(function)


def test_classes_that_fail(call, library, program):
    x, w = make_inputs()
    assert call([x.as_subclass(Failing), w], None) is None and library.calls == []
    with pytest.raises(mi.RunError, match="says where it lies, got Failing: <"):
        program([x.as_subclass(Failing)])


def test_guards_that_torch_no_longer_has_like_this(library):
    call = make_torch_call("program", INPUTS, OUTPUTS, make_place(), library)
    inputs, _ = get_acquaintances(call)
    made = []
    inputs._make_guards = lambda *given: made.append(given)
    for _ in range(2):
        assert call(make_inputs(), None) is not None
    assert made == [] and inputs._make_guards is None and len(library.calls) == 2


def test_quick_allocation(library):
    """Where torch has it, and the tensors' device is the current one."""
    asked = []

    def allocate(shape, strides, dtype):
        asked.append((tuple(shape), tuple(strides), dtype))
        return torch.empty_strided(shape, strides, dtype=dtype)

    place = make_place(allocate)
    call = make_torch_call("program", INPUTS, OUTPUTS, place, library)
    assert call(make_inputs(), None)[0].shape == (8, 16) and asked == [((8, 16), (16, 1), torch.float16)]
    place = make_place(allocate)
    place.get_device = lambda: 3
    call = make_torch_call("program", INPUTS, OUTPUTS, place, library)
    assert call(make_inputs(), None)[0].shape == (8, 16) and len(asked) == 1


def test_tangents_are_for_slower_checks(call, library):
    x, w = make_inputs()
    with torch.autograd.forward_ad.dual_level():
        assert call([x, torch.autograd.forward_ad.make_dual(w, w)], None) is None and library.calls == []
    assert call([x, w], None) is not None


def test_rows_of_one(library):
    """Strides of sizes of 1 are nobody's business."""
    spec = (TensorSpec("X", (1, 64), mi.float32, (64, 1), 256),)
    enqueued = []
    call = make_torch_call("program", spec, spec, make_place(), lambda *arguments: enqueued.append(arguments))
    for number in range(1, 40):
        assert call([torch.zeros(64, 1).t()], [torch.zeros(1, 64)]) is not None and len(enqueued) == number


def test_errors_of_the_library(call, library):
    library.status = 2
    with pytest.raises(mi.RunError):
        call(make_inputs(), None)


class Stream:
    """What owns a stream, as CuPy's objects do."""

    def __init__(self, address):
        self.ptr = address


def test_streams_are_kept(monkeypatch):
    """The object that owns a stream, until a run in another one was enqueued."""
    graph = mi.new_kernel_graph()
    graph.mark_output(graph.exp(graph.new_input((8, 64))))
    program, device = graph.compile(), ("cuda", 0)
    program._programs[device] = program._load(CPU)
    program._torch_calls[device] = lambda given, out: out
    monkeypatch.setattr(streams, "allocate_in", lambda *_: contextlib.nullcontext())
    monkeypatch.setattr(streams, "record_use", lambda *_: None)
    x = torch.zeros(8, 64, dtype=torch.float16)

    def run(stream):
        assert program._call_on_torch(device, [x], stream, [x]) == [x]
        return weakref.ref(stream)

    first = run(Stream(4096))
    gc.collect()
    assert first() is not None
    second = run(Stream(8192))
    gc.collect()
    assert first() is None and second() is not None
