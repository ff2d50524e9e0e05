"""The package and its library: functions, structs and versions that have to be the same in both."""

import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import mirage as mi
from mirage import _library

PROJECT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = PROJECT / "include" / "Mirage-c"


def read_headers():
    text = "\n".join(path.read_text() for path in sorted(HEADERS.glob("*.h")))
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


NUMBERS = {"char": ctypes.c_char, "int": ctypes.c_int, "unsigned": ctypes.c_uint, "size_t": ctypes.c_size_t,
           "int64_t": ctypes.c_int64, "uint64_t": ctypes.c_uint64, "uint32_t": ctypes.c_uint32,
           "double": ctypes.c_double, "MirageValue": ctypes.c_uint32, "void": None}
STRUCTS = {"MirageText": _library.Text, "MirageTensorType": _library.TensorType,
           "MirageNumberedType": _library.NumberedType, "MirageJSONChoices": _library.JSONChoices,
           "MirageBlockShape": _library.BlockShape, "MirageOption": _library.Option,
           "MirageDiagnostic": _library.CDiagnostic, "MirageSearchProgress": _library.CProgress,
           "MirageVerifyOptions": _library.VerifyOptions, "MirageTensorInfo": _library.TensorInfo}
HANDLERS = {"MirageDiagnosticHandler": _library.DIAGNOSTIC_HANDLER,
            "MirageProgressHandler": _library.PROGRESS_HANDLER}


def convert(text, headers):
    """The type of ctypes for one of C, "const char *"."""
    words = [word for word in re.findall(r"\w+|\*", text) if word not in ("const", "struct")]
    name, stars = words[0], words.count("*")
    if name in HANDLERS:
        return HANDLERS[name]
    if name in STRUCTS:
        type_ = STRUCTS[name]
    elif name in NUMBERS:
        type_ = NUMBERS[name]
    elif re.search(rf"typedef enum {{[^}}]*}} {name};", headers):
        type_ = ctypes.c_int
    else:
        assert re.search(rf"typedef struct {name} {name};", headers), f"what is {name}?"
        type_ = None
    if stars and type_ in (None, ctypes.c_char):  # handles, bytes and text
        type_, stars = ctypes.c_void_p if type_ is None else ctypes.c_char_p, stars - 1
    for _ in range(stars):
        type_ = ctypes.POINTER(type_)
    return type_


def drop_name(declaration):
    """"const char *name" without the name."""
    return re.sub(r"\w+\s*$", "", declaration.strip()) if re.search(r"[\w*]\s*\w+\s*$", declaration) else declaration


def test_functions_are_those_of_the_headers():
    headers = read_headers()
    declared = {name: (result, arguments) for result, name, arguments in re.findall(
        r"MIRAGE_C_EXPORTED\s+([\w\s*]+?)\s*\b(mirage\w+)\(([^;]*)\);", headers)}
    assert len(declared) > 40 and declared.keys() == _library._PROTOTYPES.keys()
    for name, (result, arguments) in declared.items():
        parts = [] if arguments.strip() == "void" else arguments.split(",")
        expected = convert(result, headers), [convert(drop_name(part), headers) for part in parts]
        assert _library._PROTOTYPES[name] == expected, name


@pytest.mark.parametrize("name", STRUCTS)
def test_structs_are_those_of_the_headers(name):
    headers = read_headers()
    body = re.search(rf"typedef struct(?: {name})? {{([^}}]*)}} {name};", headers).group(1)
    declared = []
    for line in filter(None, (line.strip() for line in body.split(";"))):
        first, *others = line.split(",")
        type_ = drop_name(first)
        declared += [(re.search(r"\w+$", part.strip()).group(), type_) for part in (first, *others)]
    members = [member for part in reversed(STRUCTS[name].__mro__) for member in part.__dict__.get("_fields_", ())]
    assert [member.replace("_", "") for member, _ in members] == [member.lower() for member, _ in declared]
    for (member, type_), (_, text) in zip(members, declared):
        expected = convert(text, headers)
        assert type_ == expected or (type_ is ctypes.c_void_p and expected is ctypes.c_char_p), member


def test_structs_say_how_large_they_are():
    for struct in (_library.BlockShape, _library.JSONChoices, _library.VerifyOptions):
        assert struct().struct_size == ctypes.sizeof(struct)


def test_one_version_everywhere():
    assert mi.__version__ == _library.lib.mirageGetVersion().decode()
    assert re.search(r"project\(Mirage VERSION (\S+)", (PROJECT / "CMakeLists.txt").read_text()).group(1) == mi.__version__
    assert re.search(r'^version = "(.+)"', (PROJECT / "pyproject.toml").read_text(), re.M).group(1) == mi.__version__
    assert re.search(r"^version: (.+)", (PROJECT / "CITATION.cff").read_text(), re.M).group(1) == mi.__version__


# ------------------------------------------------------------------ what fails as one sentence at import
@pytest.fixture
def package(tmp_path):
    """A copy of the package, and a function that imports it and returns what it says last."""
    folder = tmp_path / "mirage"
    shutil.copytree(pathlib.Path(mi.__file__).parent, folder, ignore=shutil.ignore_patterns("__pycache__", "lib"))

    def load(library=None, statement="import mirage"):
        environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
        environment["MIRAGE_LIBRARY"] = str(library or os.environ.get("MIRAGE_LIBRARY") or _library._find_library())
        done = subprocess.run([sys.executable, "-c", statement], env=environment, capture_output=True, text=True)
        return done.stderr.strip().split("\n")[-1]

    load.folder = folder
    return load


def test_a_copy_imports(package):
    assert package() == ""


@pytest.mark.parametrize("name", ["core.cpython-312-x86_64-linux-gnu.so", "kernel.py", "threadblock.py"])
def test_files_of_the_original_in_the_folder(package, name):
    (package.folder / name).write_text("")
    # Where its __init__.py has replaced ours, parts of ours that are loaded say it.
    for statement in ("import mirage", "import mirage.torch_bridge"):
        assert package(statement=statement) == (
            f"ImportError: expects one package mirage in {package.folder}, got files of the original Mirage among those "
            f"of mirage-mlir ({name}): pip uninstall mirage-project, then pip install --force-reinstall mirage-mlir")
    (package.folder / "__init__.py").write_text("")
    assert f"got files of the original Mirage among those of mirage-mlir ({name})" in package(
        statement="import mirage.torch_bridge")


def test_a_library_of_another_version(package):
    (package.folder / "_version.py").write_text('__version__ = "9.8.7"\n')
    assert package() == (f"ImportError: expects a library of Mirage 9.8.7, which the package in {package.folder} is of, "
                         f"got one of {mi.__version__}: {os.environ.get('MIRAGE_LIBRARY') or _library._find_library()}")


def test_what_is_no_library_of_mirage(package):
    assert "cannot be loaded" in package(library=package.folder / "__init__.py")
    assert package(library="libc.so.6") == "ImportError: expects Mirage's library, got one without mirageGetVersion: libc.so.6"


def test_a_library_without_a_function(package):
    text = (package.folder / "_library.py").read_text()
    (package.folder / "_library.py").write_text(text.replace('"mirageGraphCreate": ', '"mirageGraphMake": '))
    assert "ImportError: expects mirageGraphMake in " in package()


def test_the_runtime_alone_compiles_nothing(package):
    runtime = pathlib.Path(os.environ.get("MIRAGE_LIBRARY") or _library._find_library()).parent / "libMirageRuntimeC.so"
    if not runtime.exists():
        pytest.skip("expects libMirageRuntimeC.so beside libMirage.so, got none")
    said = package(library=runtime, statement="import mirage; mirage.new_kernel_graph()")
    assert said.endswith(f"{runtime} runs programs that were saved, and compiles none: it has no mirageGraphCreate")
