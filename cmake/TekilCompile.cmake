# How everything is compiled: one dialect, warnings are errors, paths of the machine stay out of the objects.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1")

add_library(tekil_options INTERFACE)
target_compile_options(tekil_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough -Wswitch
  -Werror -ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -ffile-prefix-map=${CMAKE_BINARY_DIR}=build
  -fno-math-errno -pthread)
target_include_directories(tekil_options INTERFACE "${CMAKE_SOURCE_DIR}" "${CMAKE_BINARY_DIR}/generated")
target_compile_definitions(tekil_options INTERFACE
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED
  SPDLOG_COMPILED_LIB QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_NO_FOREACH QT_NO_KEYWORDS
  TEKIL_VERSION="${PROJECT_VERSION}")
if(TEKIL_ASSERTIONS)
  target_compile_definitions(tekil_options INTERFACE _GLIBCXX_ASSERTIONS)
endif()
if(TEKIL_SANITIZE)
  target_compile_options(tekil_options INTERFACE -fsanitize=${TEKIL_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all -Wno-maybe-uninitialized)
  target_link_options(tekil_options INTERFACE -fsanitize=${TEKIL_SANITIZE})
  # ThreadSanitizer sees no fences, and Asio has some around each handler; the locks of its scheduler order the same.
  if(TEKIL_SANITIZE STREQUAL "thread")
    target_compile_options(tekil_options INTERFACE -Wno-tsan)
  endif()
endif()

# tekil_room(<target> <folder> [libraries…]): a folder is a library; every .cpp in it belongs to it.
function(tekil_room target folder)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${folder}/*.cpp")
  add_library(${target} STATIC ${sources})
  target_link_libraries(${target} PUBLIC tekil_options ${ARGN})
endfunction()
