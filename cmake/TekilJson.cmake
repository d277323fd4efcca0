# Embeds a JSON file: tekil_embed_json(<target> openapi) makes tekil::resources::openapi of resources/openapi.json, in
# the header openapi_json.h.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(tekil_embed_json target name)
  set(source "${CMAKE_SOURCE_DIR}/resources/${name}.json")
  set(out "${CMAKE_BINARY_DIR}/generated/${name}_json.h")
  add_custom_command(
    OUTPUT "${out}"
    COMMAND Python3::Interpreter "${CMAKE_SOURCE_DIR}/cmake/embed_json.py" "${source}" ${name} "${out}"
    DEPENDS "${source}" "${CMAKE_SOURCE_DIR}/cmake/embed_json.py"
    COMMENT "Embedding resources/${name}.json"
    VERBATIM)
  add_custom_target(${target}_json_${name} DEPENDS "${out}")
  add_dependencies(${target} ${target}_json_${name})
endfunction()
