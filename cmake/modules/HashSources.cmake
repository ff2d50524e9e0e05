# Writes one line to OUTPUT, a string literal of C++: the hash of all C++ sources
# of the LIBRARIES below ROOT, names included.
cmake_minimum_required(VERSION 3.20)
set(hashes "")
foreach(library ${LIBRARIES})
  file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/lib/${library}/*.cpp
    ${ROOT}/lib/${library}/*.h ${ROOT}/include/Mirage/${library}/*.h)
  list(SORT sources)
  foreach(source ${sources})
    file(SHA256 ${ROOT}/${source} hash)
    string(APPEND hashes "${source} ${hash}\n")
  endforeach()
endforeach()
string(SHA256 hash "${hashes}")
string(SUBSTRING ${hash} 0 16 hash)
file(WRITE ${OUTPUT}.new "\"${hash}\"\n")
execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different
  ${OUTPUT}.new ${OUTPUT})
file(REMOVE ${OUTPUT}.new)
