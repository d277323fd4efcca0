# Embeds sql/ as named constants: sql/queries/payments/claim.sql becomes tekil::sql::payments::claim.
# tekil_embed_sql(<target> <queries|console|bench|schema>): "schema" embeds migrations and routines as an ordered list.
# The header names the statements, a source holds their text: a text that changes compiles one file.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(tekil_embed_sql target kind)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/sql/*.sql")
  set(folder "${CMAKE_BINARY_DIR}/generated")
  set(stamp "${folder}/sql_${kind}.stamp")
  set(made "${folder}/sql_${kind}.h")
  if(NOT kind STREQUAL "schema")
    list(APPEND made "${folder}/sql_${kind}.cpp")
    target_sources(${target} PRIVATE "${folder}/sql_${kind}.cpp")
  endif()
  # Files are by-products, written only where they change, so that Ninja goes on with nothing else.
  add_custom_command(
    OUTPUT "${stamp}"
    BYPRODUCTS ${made}
    COMMAND Python3::Interpreter "${CMAKE_SOURCE_DIR}/cmake/embed_sql.py" "${CMAKE_SOURCE_DIR}/sql" ${kind} "${folder}"
    COMMAND ${CMAKE_COMMAND} -E touch "${stamp}"
    DEPENDS ${files} "${CMAKE_SOURCE_DIR}/cmake/embed_sql.py"
    COMMENT "Embedding sql/ (${kind})"
    VERBATIM)
  add_custom_target(${target}_sql_${kind} DEPENDS "${stamp}")
  add_dependencies(${target} ${target}_sql_${kind})
endfunction()
