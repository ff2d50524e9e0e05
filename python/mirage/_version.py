"""The version of the package, which its library has to have as well (CMakeLists.txt, pyproject.toml)."""

__version__ = "0.1.0"
