# Embeds sql/ as named constants: sql/queries/payments/claim.sql becomes tekil::sql::payments::claim.
# tekil_embed_sql(<target> <queries|console|bench|schema>): "schema" embeds migrations and routines as an ordered list.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(tekil_embed_sql target kind)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/sql/*.sql")
  set(out "${CMAKE_BINARY_DIR}/generated/sql_${kind}.h")
  add_custom_command(
    OUTPUT "${out}"
    COMMAND Python3::Interpreter "${CMAKE_SOURCE_DIR}/cmake/embed_sql.py" "${CMAKE_SOURCE_DIR}/sql" ${kind} "${out}"
    DEPENDS ${files} "${CMAKE_SOURCE_DIR}/cmake/embed_sql.py"
    COMMENT "Embedding sql/ (${kind})"
    VERBATIM)
  add_custom_target(${target}_sql_${kind} DEPENDS "${out}")
  add_dependencies(${target} ${target}_sql_${kind})
endfunction()
