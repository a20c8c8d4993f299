# How everything here is compiled. psg_options is the one target that all of ours link.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, RelWithDebInfo" FORCE)
endif()
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(psg_options INTERFACE)
target_include_directories(psg_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(psg_options INTERFACE $<$<COMPILE_LANGUAGE:C>:_POSIX_C_SOURCE=200809L>)
target_compile_options(psg_options INTERFACE
    $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes
    -Wmissing-prototypes -Wvla -Wundef -Wcast-qual
    -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=> # errors name their file from the root
    $<$<AND:$<COMPILE_LANGUAGE:C>,$<CONFIG:Release>>:-O3>)
# psg_frames(BYTES): a warning of functions that take more of the stack, in the folders that follow.
macro(psg_frames bytes)
    add_compile_options($<$<AND:$<COMPILE_LANGUAGE:C>,$<CONFIG:Release>,$<NOT:$<BOOL:${PSG_SANITIZE}>>>:-Wframe-larger-than=${bytes}>)
endmacro()
if(PSG_WERROR)
    target_compile_options(psg_options INTERFACE $<$<COMPILE_LANGUAGE:C>:-Werror>)
endif()
if(PSG_SANITIZE)
    if(PSG_SANITIZE STREQUAL "THREAD")
        set(psg_sanitizers -fsanitize=thread)
    else()
        set(psg_sanitizers -fsanitize=address,undefined)
    endif()
    target_compile_options(psg_options INTERFACE
        $<$<COMPILE_LANGUAGE:C>:${psg_sanitizers} -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g>)
    target_link_options(psg_options INTERFACE ${psg_sanitizers})
endif()

# The name of what is installed: the library, the command, the packages and the folder of their own files.
# Both builds install the same headers and machines, and can share a prefix.
set(PSG_NAME psg)
if(PSG_SIMULATE)
    set(PSG_NAME psg-simulate)
endif()

# The library's interface: before version 1.0 each minor version may change it, and later each major version.
if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(PSG_SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    set(PSG_COMPATIBILITY SameMinorVersion)
else()
    set(PSG_SOVERSION ${PROJECT_VERSION_MAJOR})
    set(PSG_COMPATIBILITY SameMajorVersion)
endif()

# Where `psg bench` finds the programs that measure.
set(PSG_PROGRAMS_DIR ${CMAKE_INSTALL_LIBEXECDIR}/${PSG_NAME})
set(PSG_PROGRAMS_FULL_DIR ${CMAKE_INSTALL_FULL_LIBEXECDIR}/${PSG_NAME})

# psg_cuda_options(TARGET): how CUDA code is compiled.
function(psg_cuda_options target)
    set(cuda_13 $<AND:$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>,$<VERSION_GREATER_EQUAL:${CMAKE_CUDA_COMPILER_VERSION},13.0>>)
    if(PSG_CUDA_CHECK)
        target_compile_options(${target} PRIVATE "$<${cuda_13}:--compress-mode=speed;--Ofast-compile=max>")
    else() # a third of the size in the library; every driver for CUDA 13 can read it
        target_compile_options(${target} PRIVATE $<${cuda_13}:--compress-mode=size>)
    endif()
    target_compile_options(${target} PRIVATE
        $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>
        $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${PSG_WERROR}>>:-Xcompiler=-Werror;-Werror=cross-execution-space-call>)
endfunction()
