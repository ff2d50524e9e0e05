# How lit finds and runs Mirage's tests; values of one build come from
# lit.site.cfg.py.
import os
import shutil
import subprocess

import lit.formats
from lit.llvm import llvm_config

config.name = "Mirage"
config.test_format = lit.formats.ShTest(not llvm_config.use_lit_shell)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "Unit", "lib", "lit.cfg.py", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.mirage_obj_root, "test")

llvm_config.use_default_substitutions()
tools = os.path.join(config.mirage_obj_root, "bin")
llvm_config.with_environment("PATH", [tools, config.llvm_tools_dir], append_path=True)
llvm_config.add_tool_substitutions(
    ["mirage-opt", "mirage-verify", "mirage-run", "mirage-cache", "mirage-checkpoint", "mirage-reduce", "mirage-lsp-server", "mirage-check-plans", "mirage-import-check", "mirage-foreign-opt", "mirage-random-graphs",
     "mirage-write-bytecode", "mlir-opt", "mlir-runner"],
    [tools, config.llvm_tools_dir],
)
config.substitutions.append(("%cxx", config.cxx))
config.substitutions.append(("%python", "python3"))
config.substitutions.append(("%cc", config.cc))
config.substitutions.append(("%mirage_src", config.mirage_src_root))
config.substitutions.append(("%mirage_obj", config.mirage_obj_root))
# A driver that is played (test/lib/FakeCuda); FAKE_CUDA=... behind it plants faults.
config.substitutions.append(
    ("%fake_cuda", "env LD_LIBRARY_PATH=" + os.path.join(config.mirage_obj_root, "test/FakeCuda/driver")))
# For tests that put something in front of it.
config.substitutions.append(("%mirage_path", config.environment["PATH"]))
config.substitutions.append(("%shlibext", config.llvm_shlib_ext))
config.substitutions.append(("%llvm_lib", os.path.join(config.llvm_tools_dir, "..", "lib")))

if shutil.which("ptxas") or os.path.exists("/usr/local/cuda/bin/ptxas"):
    config.available_features.add("ptxas")
# Of the CUDA toolkit, or of the package nvidia-cuda-nvdisasm.
nvdisasm = shutil.which("nvdisasm") or "/usr/local/cuda/bin/nvdisasm"
if os.path.exists(nvdisasm):
    config.available_features.add("nvdisasm")
config.substitutions.append(("%nvdisasm", nvdisasm))
hide_toolkit = os.path.join(config.test_source_root, "Inputs", "hide-toolkit.sh")
if subprocess.run([hide_toolkit, "true"]).returncode == 0:
    config.available_features.add("hidden-toolkit")
if os.environ.get("MIRAGE_TEST_SIZES") == "full":
    config.available_features.add("full-sizes")
if os.path.exists("/dev/nvidia0"):
    config.available_features.add("gpu")
